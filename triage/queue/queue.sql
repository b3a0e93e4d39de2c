-- The tables of a queue, and the statements that `Queue.run` runs by the name of their part; in braces
-- stands an earlier part. What people decided is only ever appended, and triggers enforce it.

-- part: tables

CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE items (
    item INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    n_messages INTEGER NOT NULL DEFAULT 0,
    n_expert INTEGER NOT NULL DEFAULT 0,
    turn REAL NOT NULL DEFAULT 0,
    doubt REAL NOT NULL DEFAULT 0,
    shuffled INTEGER NOT NULL,
    seek_hide TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    score REAL NOT NULL DEFAULT 0,
    action TEXT NOT NULL DEFAULT '',
    wanted INTEGER NOT NULL DEFAULT 1,
    owner TEXT NOT NULL DEFAULT '',
    second TEXT NOT NULL DEFAULT '',
    n_answers INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'machine',
    final TEXT,
    -- The last decision before it was handed over: those up to it do not settle it any more.
    since INTEGER
);
CREATE INDEX items_by_turn ON items (turn, item) WHERE state = 'open';
CREATE INDEX items_all_by_turn ON items (turn, item);
CREATE INDEX items_by_doubt ON items (doubt, item) WHERE state = 'open';
CREATE INDEX items_by_chance ON items (shuffled, item) WHERE state = 'open';
CREATE INDEX items_answered ON items (item) WHERE state = 'open' AND n_answers > 0;
CREATE INDEX items_by_state ON items (state, item);
CREATE INDEX items_counted ON items (state, owner, second, n_messages, n_expert);

-- Apart from the items, so that a look at many of them reads no text.
CREATE TABLE texts (
    item INTEGER PRIMARY KEY REFERENCES items (item),
    text TEXT NOT NULL
);

CREATE TABLE messages (
    message INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    id TEXT NOT NULL,
    sender TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES items (item),
    cells TEXT NOT NULL,
    seek_hide TEXT NOT NULL,
    model TEXT NOT NULL,
    score REAL NOT NULL,
    action TEXT NOT NULL,
    evidence TEXT NOT NULL,
    thread TEXT NOT NULL DEFAULT '',
    sent TEXT NOT NULL DEFAULT ''
);
CREATE INDEX messages_of_thread ON messages (thread, sent, message);
CREATE INDEX messages_of_item ON messages (item);
CREATE INDEX messages_of_sender ON messages (sender, message);

CREATE TABLE forms (
    form INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    kind TEXT NOT NULL,
    folded TEXT NOT NULL,
    label TEXT NOT NULL,
    reason TEXT NOT NULL,
    type TEXT NOT NULL,
    UNIQUE (text, kind)
);
CREATE INDEX forms_folded ON forms (folded);

CREATE TABLE words (
    item INTEGER NOT NULL REFERENCES items (item),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    form INTEGER NOT NULL REFERENCES forms (form),
    evidence REAL,
    -- As what it is suggested, if it is.
    type TEXT,
    PRIMARY KEY (item, start)
) WITHOUT ROWID;
CREATE INDEX words_of_form ON words (form);

CREATE TABLE decisions (
    decision INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    annotator TEXT NOT NULL,
    kind TEXT NOT NULL,
    answer TEXT,
    word TEXT NOT NULL DEFAULT '',
    rule TEXT NOT NULL DEFAULT '',
    type TEXT NOT NULL DEFAULT '',
    undoes INTEGER UNIQUE REFERENCES decisions (decision)
);
CREATE INDEX decisions_of_annotator ON decisions (annotator, decision);
CREATE INDEX decisions_of_words ON decisions (word, decision) WHERE kind = 'word';

CREATE TABLE answers (
    decision INTEGER NOT NULL REFERENCES decisions (decision),
    item INTEGER NOT NULL REFERENCES items (item),
    answer TEXT NOT NULL,
    spans TEXT NOT NULL,
    PRIMARY KEY (decision, item)
) WITHOUT ROWID;
CREATE INDEX answers_of_item ON answers (item, decision);

CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never deleted'); END;
-- INSERT OR REPLACE would delete without asking the triggers of deleting.
CREATE TRIGGER decisions_are_new BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE decision = NEW.decision)
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER answers_are_new BEFORE INSERT ON answers
WHEN EXISTS (SELECT 1 FROM answers WHERE decision = NEW.decision AND item = NEW.item)
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER answers_stay BEFORE UPDATE ON answers
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER answers_remain BEFORE DELETE ON answers
BEGIN SELECT RAISE(ABORT, 'a decision is never deleted'); END;

CREATE TABLE standing (
    item INTEGER NOT NULL REFERENCES items (item),
    annotator TEXT NOT NULL,
    adjudicates INTEGER NOT NULL,
    decision INTEGER NOT NULL,
    answer TEXT NOT NULL,
    spans TEXT NOT NULL,
    PRIMARY KEY (item, annotator, adjudicates)
) WITHOUT ROWID;
CREATE INDEX standing_of_annotator ON standing (annotator, adjudicates, answer, item);

CREATE TABLE reserved (
    item INTEGER NOT NULL,
    annotator TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (item, annotator)
) WITHOUT ROWID;

CREATE TABLE notes (
    note INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    annotator TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES items (item),
    text TEXT NOT NULL,
    asks INTEGER NOT NULL
);
CREATE INDEX notes_of_item ON notes (item, annotator, note);

CREATE TRIGGER notes_stay BEFORE UPDATE ON notes
BEGIN SELECT RAISE(ABORT, 'a note is never changed'); END;
CREATE TRIGGER notes_remain BEFORE DELETE ON notes
BEGIN SELECT RAISE(ABORT, 'a note is never deleted'); END;
CREATE TRIGGER notes_are_new BEFORE INSERT ON notes
WHEN EXISTS (SELECT 1 FROM notes WHERE note = NEW.note)
BEGIN SELECT RAISE(ABORT, 'a note is never changed'); END;

-- Messages that other rooms hand over with a reason.
CREATE TABLE reasons (
    item INTEGER NOT NULL REFERENCES items (item),
    reason TEXT NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    type TEXT NOT NULL,
    id TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (item, reason, start, end)
) WITHOUT ROWID;

-- part: tally by a view
-- In a file of versions 3 and 4.

DROP TRIGGER items_are_counted;
DROP TRIGGER items_are_recounted;
DROP TABLE tally;
CREATE INDEX items_counted ON items (state, owner, second, n_messages, n_expert);

-- part: typed words
-- In a file of versions 3 to 5.

ALTER TABLE words ADD COLUMN type TEXT;
UPDATE words SET type = (SELECT type FROM forms f WHERE f.form = words.form) WHERE suggested;
ALTER TABLE words DROP COLUMN suggested;

-- part: views
-- Of every version made anew.

-- How many items, and messages of them, are in which state and whose.
DROP VIEW IF EXISTS tally;
CREATE VIEW tally AS
SELECT state, owner, second, count(*) AS n_items, sum(n_messages) AS n_messages,
    sum(n_expert) AS n_expert
FROM items GROUP BY state, owner, second;

-- Decisions that were not undone.
DROP VIEW IF EXISTS in_force;
CREATE VIEW in_force AS
SELECT * FROM decisions d
WHERE kind <> 'undo' AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision);

-- What was handed over and waits until its item is settled, by all who read it.
DROP VIEW IF EXISTS handed_over;
CREATE VIEW handed_over AS
SELECT r.* FROM reasons r JOIN items i USING (item)
WHERE NOT EXISTS (
    SELECT 1 FROM answers a JOIN in_force d USING (decision)
    WHERE a.item = r.item AND a.decision > r.since AND a.answer <> 'SKIP'
        AND (i.state = 'final' OR a.decision <= i.since)
);

-- The last note of each annotator on an item counts.
DROP VIEW IF EXISTS notes_in_force;
CREATE VIEW notes_in_force AS
SELECT * FROM notes n
WHERE (text <> '' OR asks) AND note = (
    SELECT max(note) FROM notes m WHERE m.item = n.item AND m.annotator = n.annotator
);

-- part: is mine
(i.owner = '' OR i.owner = :annotator OR i.second = :annotator)

-- part: own answer
SELECT 1 FROM standing s WHERE s.item = i.item AND s.annotator = :annotator
    AND s.adjudicates = 0 AND s.answer

-- part: answer
-- Of an annotator, or of anybody where nobody is named.
SELECT 1 FROM standing s WHERE s.item = i.item AND (:annotator = '' OR s.annotator = :annotator)
    AND s.adjudicates = 0 AND s.answer

-- part: list of open
-- Where nobody is named, of anybody.
i.state = 'open' AND (:annotator = '' OR {is mine}) AND NOT EXISTS ({own answer} <> 'SKIP')

-- part: list of skipped
i.state = 'open' AND EXISTS ({answer} = 'SKIP')

-- part: list of decided
EXISTS ({answer} <> 'SKIP')

-- part: list of disagreed
i.state = 'disagreed'

-- part: list of unmarked
i.state = 'final' AND i.final = 'TA' AND NOT EXISTS (
    SELECT 1 FROM standing s WHERE s.item = i.item AND s.spans <> '[]' AND s.adjudicates = (
        SELECT max(r.adjudicates) FROM standing r WHERE r.item = i.item AND r.answer <> 'SKIP'))

-- part: list of all
TRUE

-- part: by sender
i.item IN (SELECT item FROM messages WHERE sender = :sender)

-- part: by seek_hide
i.seek_hide = :seek_hide

-- part: by model
i.model = :model

-- part: by reason
i.item IN (SELECT item FROM handed_over WHERE reason = :reason)

-- part: by doubt
-- The machine leaves it to people, who have not answered it before it was handed over again.
(i.since IS NULL OR i.action = 'EXPERT' AND NOT EXISTS (
    SELECT 1 FROM answers a JOIN in_force d USING (decision)
    WHERE a.item = i.item AND a.decision <= i.since AND a.answer <> 'SKIP'))

-- part: is free
-- Nobody else has it before them, or as many as read it have answered.
(SELECT count(*) FROM reserved r
    WHERE r.item = i.item AND r.annotator <> :annotator AND r.until > :now) + i.n_answers < i.wanted

-- part: waiting
SELECT reason, count(DISTINCT item) FROM handed_over h JOIN items i USING (item)
WHERE {list of open} GROUP BY reason

-- part: waiting for another reason
SELECT count(*) FROM items i
WHERE {list of open} AND i.item IN (SELECT item FROM handed_over) AND NOT {by doubt}

-- part: count of open
-- What an annotator still has to decide, without a scan.
SELECT CAST(total(n_items) AS INTEGER) - (
    SELECT count(*) FROM items i INDEXED BY items_answered WHERE i.state = 'open'
        AND i.n_answers > 0 AND {is mine} AND EXISTS ({own answer} <> 'SKIP'))
FROM tally i WHERE i.state = 'open' AND {is mine}

-- part: decided by
SELECT item, decision FROM standing
WHERE annotator = :annotator AND adjudicates = :rules AND answer <> 'SKIP'

-- part: skipped by
SELECT item FROM standing WHERE annotator = :annotator AND adjudicates = 0 AND answer = 'SKIP'

-- part: rules
SELECT word, rule, type, decision, annotator FROM in_force WHERE kind = 'word' ORDER BY decision

-- part: spellings
SELECT DISTINCT text FROM forms WHERE folded IN (SELECT value FROM json_each(:words))

-- part: spellings in doubt
-- Words by their evidence in one scan without their forms, and names by their forms: a join of all
-- words of open items with their forms takes twice as long. SQLite takes the other columns from the
-- row of the least form.
WITH doubts AS (
    SELECT w.item, w.form FROM items i CROSS JOIN words w USING (item)
    WHERE {list of open} AND (w.type IS NOT NULL OR w.evidence >= :suspect_from)
    UNION
    SELECT w.item, w.form FROM forms f CROSS JOIN words w USING (form)
        CROSS JOIN items i USING (item)
    WHERE (f.label = 'DICTIONARY' OR f.folded IN (SELECT value FROM json_each(:always)))
        AND {list of open}
), spelled AS (
    SELECT item, folded, min(form) AS form, count(*) OVER (PARTITION BY item) = 1 AS is_alone
    FROM doubts JOIN forms USING (form)
    WHERE folded NOT IN (SELECT value FROM json_each(:never)) GROUP BY item, folded
), tasks AS (
    -- Why something was handed over is for a person to see, unless that was one word.
    SELECT h.item, iif(min(ifnull(folded, '')) = max(folded), min(folded), '') AS of_word
    FROM handed_over h LEFT JOIN words w ON h.reason IN ('spelling', 'finding')
        AND w.item = h.item AND w.start = h.start AND w.end = h.end
    LEFT JOIN forms USING (form) GROUP BY h.item
)
SELECT f.text, f.type,
    sum(is_alone AND ifnull(of_word, s.folded) = s.folded) AS n_settled, min(form)
FROM spelled s JOIN forms f USING (form) LEFT JOIN tasks USING (item)
WHERE s.folded NOT IN (SELECT value FROM json_each(:always)) GROUP BY s.folded
HAVING count(*) >= :fewest AND n_settled ORDER BY n_settled DESC, s.folded

-- part: places
-- The first open items with a word, and its first place in each.
SELECT item, min(start), end, t.text
FROM texts t JOIN words USING (item) JOIN forms f USING (form)
WHERE folded = :word AND item IN (
    SELECT i.item FROM items i WHERE {list of open} AND i.item IN (
        SELECT w.item FROM words w JOIN forms f USING (form) WHERE f.folded = :word)
    ORDER BY item LIMIT :limit)
GROUP BY item

-- part: votes
SELECT count(*), total(n_messages), total(n_expert), total(score) FROM items

-- part: rows handed over
SELECT message FROM messages WHERE item IN (SELECT item FROM handed_over)

-- part: hold
INSERT INTO reserved VALUES (:item, :annotator, :until)

-- part: undo
INSERT INTO decisions (at, annotator, kind, undoes) VALUES (:at, :annotator, 'undo', :decision)

-- part: note
INSERT INTO notes (at, annotator, item, text, asks) VALUES (:at, :annotator, :item, :text, :asks)

-- part: words that matter
-- CROSS JOIN makes SQLite read the words item by item, and not every word of the corpus.
SELECT w.item, w.start, w.end, coalesce(w.type, f.type), w.type IS NOT NULL, f.folded,
    f.label = 'DICTIONARY' OR coalesce(w.evidence, 0) >= :suspect_from AS may_name
FROM json_each(:held) held CROSS JOIN words w ON w.item = held.value
    CROSS JOIN forms f ON f.form = w.form
WHERE may_name OR w.type IS NOT NULL OR f.folded IN (SELECT value FROM json_each(:rules))
ORDER BY w.item, w.start

-- part: words with rules
SELECT w.item, w.start, w.end, w.type IS NOT NULL, f.folded FROM json_each(:rules) r
    CROSS JOIN forms f ON f.folded = r.value CROSS JOIN words w USING (form)
ORDER BY w.item, w.start

-- part: stand
-- The latest of each annotator's answers to an item that were not given before it was handed over
-- again; SQLite takes the other columns from the row of the greatest decision.
INSERT INTO standing (decision, item, annotator, adjudicates, answer, spans)
SELECT max(d.decision), a.item, d.annotator, d.kind = 'adjudication', a.answer, a.spans
FROM answers a CROSS JOIN in_force d USING (decision)
WHERE a.item IN (SELECT value FROM json_each(:items))
    AND d.annotator = ifnull(:annotator, d.annotator)
    AND d.decision > (SELECT coalesce(since, 0) FROM items i WHERE i.item = a.item)
GROUP BY a.item, d.annotator, d.kind = 'adjudication'

-- part: forget answered
DELETE FROM reasons WHERE (item, reason, start, end) = (?, ?, ?, ?)
    AND (item, reason, start, end) NOT IN (SELECT item, reason, start, end FROM handed_over)

-- part: decided NTA
-- The places of a word in what people decided NTA.
SELECT w.item, 'spelling', w.start, w.end, :type, ''
FROM forms f JOIN words w USING (form) JOIN items i USING (item)
WHERE f.folded = :word AND i.final = 'NTA'

-- part: withdraw
-- After a rule was undone, as if it had never been made.
UPDATE items SET
    since = (SELECT max(since) FROM reasons r WHERE r.item = items.item),
    n_expert = iif(EXISTS (SELECT 1 FROM reasons r WHERE r.item = items.item), n_messages,
        (SELECT count(*) FROM messages m WHERE m.item = items.item AND m.action = 'EXPERT'))
WHERE item IN (SELECT value FROM json_each(:items))

-- part: settle
-- The last ruling outweighs answers; one person's answer to what the machine had decided is enough.
UPDATE items SET (state, final, n_answers) = (
    SELECT
        CASE WHEN ruling IS NOT NULL OR n_kinds < 2 AND n >= iif(n_expert, wanted, 1) THEN 'final'
            WHEN n_kinds > 1 THEN 'disagreed' WHEN n_expert THEN 'open' ELSE 'machine' END,
        iif(n_kinds < 2 AND n >= iif(n_expert, wanted, 1), coalesce(ruling, answer), ruling),
        n
    FROM (
        SELECT count(*) FILTER (WHERE NOT adjudicates) AS n,
            count(DISTINCT iif(adjudicates, NULL, answer)) AS n_kinds,
            min(answer) FILTER (WHERE NOT adjudicates) AS answer,
            (SELECT r.answer FROM standing r WHERE r.item = items.item AND r.adjudicates
                AND r.answer <> 'SKIP' ORDER BY r.decision DESC LIMIT 1) AS ruling
        FROM standing s WHERE s.item = items.item AND s.answer <> 'SKIP'
    )
)
WHERE item IN (SELECT value FROM json_each(:items))

-- part: history
-- Marks are told of one item alone.
SELECT decision, at, annotator, kind, word, rule, undone, hidden, iif(hidden, NULL, answer),
    iif(hidden, '[]', (SELECT json_group_array(item) FROM answers WHERE decision = d.decision)),
    iif(hidden, '[]', (
        SELECT iif(count(*) = 1, spans, '[]') FROM answers WHERE decision = d.decision))
FROM (
    SELECT *, EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision) AS undone,
        ifnull(annotator <> :reader, FALSE) AND EXISTS (
            SELECT 1 FROM answers a JOIN items i USING (item)
            WHERE a.decision = d.decision AND i.state = 'open') AS hidden
    FROM decisions d
    WHERE (:annotator IS NULL OR annotator = :annotator)
        AND decision BETWEEN ifnull(:number, 0) AND ifnull(:number, 1 << 62)
    ORDER BY decision DESC LIMIT :limit
) d

-- part: progress
-- From skips to items: the other way round, every open item would be read. The decisions an hour are
-- those of the last ones; a longer step than two minutes is a break, and what took less than a minute
-- in all, or fewer than ten decisions, has the rate of chance. A ruling stands for one's own answer.
SELECT count(*) FILTER (WHERE answer = 'TA'), count(*) FILTER (WHERE answer = 'NTA'),
    (SELECT count(*) FROM standing s CROSS JOIN items i USING (item) WHERE s.annotator = :annotator
        AND s.adjudicates = 0 AND s.answer = 'SKIP' AND i.state = 'open'),
    (SELECT count(*) FROM messages),
    (SELECT total(n_expert) FROM tally WHERE state IN ('open', 'disagreed')),
    (SELECT iif(count(*) >= 9 AND total(step) >= 60, 3600 * count(*) / total(step), NULL) FROM (
        SELECT 86400 * (julianday(lag(at) OVER (ORDER BY decision DESC)) - julianday(at)) AS step
        FROM (SELECT decision, at FROM decisions WHERE annotator = :annotator AND kind = 'message'
            ORDER BY decision DESC LIMIT 60)
    ) WHERE step BETWEEN 0 AND 120)
FROM standing WHERE annotator = :annotator AND (adjudicates = 1 OR item NOT IN (
    SELECT item FROM standing WHERE annotator = :annotator AND adjudicates = 1))

-- part: counts
-- What people said of the machine's items is not asked of the expert.
SELECT messages, expert_messages, items, items_final, items_disagreed, messages - waiting, doubled,
    (SELECT CAST(total(n_messages) AS INTEGER) FROM items WHERE state = 'final' AND item IN (
        SELECT item FROM standing JOIN decisions USING (decision) WHERE kind = 'word')),
    waiting
FROM (
    SELECT ifnull(sum(n_messages), 0) AS messages, ifnull(sum(n_expert), 0) AS expert_messages,
        count(*) FILTER (WHERE state IN ('open', 'disagreed') OR state = 'final' AND n_expert > 0)
            AS items,
        count(*) FILTER (WHERE state = 'final' AND n_expert > 0) AS items_final,
        count(*) FILTER (WHERE state = 'disagreed') AS items_disagreed,
        ifnull(sum(n_expert) FILTER (WHERE state IN ('open', 'disagreed')), 0) AS waiting,
        count(*) FILTER (WHERE wanted > 1 AND n_expert > 0) AS doubled
    FROM items
)

-- part: pairs
-- What two annotators have answered both.
SELECT a.annotator, b.annotator, item, a.answer, b.answer, a.spans, b.spans, state
FROM standing a JOIN standing b USING (item) JOIN items USING (item)
WHERE a.annotator < b.annotator AND NOT a.adjudicates AND NOT b.adjudicates
    AND a.answer <> 'SKIP' AND b.answer <> 'SKIP'
ORDER BY a.annotator, b.annotator, item

-- part: assign
-- An item is its annotators' by chance, but the same whenever it is shared out among the same.
UPDATE items SET (owner, second) = (
    SELECT json_extract(:names, '$[' || first || ']'), iif(items.wanted < 2 OR NOT :n, '',
        json_extract(:names, '$[' || ((first + 1 + further) % :n) || ']'))
    FROM (SELECT CAST(chance(digest, 'owner') * :n AS INTEGER) AS first,
        CAST(chance(digest, 'second') * (:n - 1) AS INTEGER) AS further)
)
WHERE state = 'open'

-- part: second
-- Of items that two read and one has, the second one by chance, too.
UPDATE items SET second = ifnull((
    SELECT value FROM (
        SELECT value, row_number() OVER (ORDER BY value) - 1 AS place FROM json_each(:names)
        WHERE value <> items.owner
    )
    WHERE place = CAST(chance(items.digest, 'second') * (:n - 1) AS INTEGER)
), '')
WHERE state = 'open' AND wanted > 1 AND owner <> '' AND second = ''

-- part: write message
INSERT INTO messages (item, key, id, sender, cells, seek_hide, model, score, action, evidence,
    thread, sent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET seek_hide = excluded.seek_hide, model = excluded.model,
    score = excluded.score, action = excluded.action, evidence = excluded.evidence,
    cells = excluded.cells, thread = excluded.thread, sent = excluded.sent

-- part: tell items of messages
-- Of an item's messages the expert's come first, then the one nearest to the threshold; SQLite takes
-- the other columns from the row with the least doubt. All are people's once it was handed over.
UPDATE items SET n_messages = found.n, n_expert = iif(items.since IS NULL, found.n_expert, found.n),
    doubt = found.doubt, seek_hide = found.seek_hide, model = found.model, score = found.score,
    action = found.action
FROM (
    SELECT item, count(*) AS n, sum(action = 'EXPERT') AS n_expert, seek_hide, model, score, action,
        abs(score - :ta_from) AS doubt, min(abs(score - :ta_from) + 2 * (action <> 'EXPERT'))
    FROM messages WHERE item IN (SELECT value FROM json_each(:items)) GROUP BY item
) AS found
WHERE found.item = items.item

-- part: moved
-- Votes for TA and NTA alternate, the highest scores first. What was handed over keeps its turn.
SELECT turn, item FROM (
    SELECT item, turn AS before, iif(n_expert = 0, :last, 2 * place - 2.0 + votes_nta) AS turn
    FROM (
        SELECT *, score < :ta_from AS votes_nta, row_number() OVER (
            PARTITION BY n_expert = 0, score < :ta_from ORDER BY score DESC, n_messages DESC, item
        ) AS place
        FROM items WHERE n_expert = 0 OR since IS NULL
    )
)
WHERE turn <> before

-- part: items of messages
-- Ids have no index: where there are none, they are not looked for.
SELECT id, item FROM messages
WHERE :ids <> '[]' AND id IN (SELECT value FROM json_each(:ids))
UNION
SELECT message, item FROM messages WHERE message IN (SELECT value FROM json_each(:rows))

-- part: item
-- Its own votes are those of its most doubtful message; other messages may differ.
SELECT n_messages, seek_hide, model, score, action, wanted, final, since, EXISTS (
    SELECT 1 FROM messages m WHERE m.item = i.item AND (m.seek_hide = 'TA' OR m.model = 'TA'))
FROM items i WHERE item = :item

-- part: first message
SELECT message, sender, sent FROM messages WHERE item = :item
ORDER BY action <> 'EXPERT', message LIMIT 1

-- part: current answers
SELECT s.annotator, s.answer, s.spans, s.decision, s.adjudicates, d.at
FROM standing s JOIN decisions d USING (decision) WHERE s.item = :item ORDER BY s.decision

-- part: earlier answers
-- The last of each annotator before it was handed over.
SELECT annotator, a.answer, spans, max(decision), kind = 'adjudication', at
FROM answers a JOIN in_force USING (decision)
WHERE item = :item AND decision <= :since AND a.answer <> 'SKIP' GROUP BY annotator
ORDER BY decision

-- part: words
SELECT start, end, kind, label, reason, evidence, coalesce(w.type, f.type), w.type IS NOT NULL, folded
FROM words w JOIN forms f USING (form) WHERE item = :item ORDER BY start

-- part: final answers
SELECT item, annotator, answer, spans, decision, adjudicates FROM standing JOIN items USING (item)
WHERE state = 'final' AND answer <> 'SKIP' ORDER BY item, adjudicates, decision

-- part: handed over
SELECT reason, id, start, end, type, item FROM handed_over
WHERE :items IS NULL OR item IN (SELECT value FROM json_each(:items)) ORDER BY item, start

-- part: answered findings
SELECT message - 1, substr(text, start + 1, end - start)
FROM reasons r JOIN messages USING (item) JOIN texts USING (item)
WHERE reason = 'finding' AND (item, start, end) NOT IN (
    SELECT item, start, end FROM handed_over WHERE reason = 'finding')

-- part: messages
SELECT item, sender, text, iif(since IS NULL OR state = 'final', m.action, 'EXPERT'), cells
FROM messages m JOIN items USING (item) JOIN texts USING (item) ORDER BY message

-- part: evidence
-- Number, start and evidence of each word of each message; 0 if there is none.
SELECT number, start, ifnull(evidence, 0) FROM words JOIN (
    SELECT item, row_number() OVER (ORDER BY message) - 1 AS number FROM messages) USING (item)
ORDER BY number, start

-- part: assigned
SELECT name, count(*) FROM (
    SELECT owner AS name FROM items WHERE state = 'open' AND owner <> '' UNION ALL
    SELECT second FROM items WHERE state = 'open' AND second <> '')
GROUP BY name

-- part: waits for
-- Nobody by name is anybody else.
SELECT name, count(*) FROM (
    SELECT owner AS name, item FROM items WHERE state = 'open' UNION ALL
    SELECT second, item FROM items WHERE state = 'open' AND second <> '') i
WHERE name = '' OR NOT EXISTS (SELECT 1 FROM standing s WHERE s.item = i.item
    AND s.annotator = i.name AND s.adjudicates = 0 AND s.answer <> 'SKIP')
GROUP BY name ORDER BY name = '', name

-- part: annotators
SELECT annotator, count(DISTINCT item) FROM standing WHERE answer <> 'SKIP'
GROUP BY annotator ORDER BY annotator

-- part: double new
UPDATE items SET wanted = 1 + (chance(digest, 'double') < :share)
WHERE item IN (SELECT value FROM json_each(:items)) AND owner = '' AND n_answers = 0 AND wanted = 1
    AND state IN ('machine', 'open') AND n_expert > 0 AND :share > 0

-- part: decide
INSERT INTO decisions (at, annotator, kind, answer, word, rule, type)
VALUES (:at, :annotator, :kind, :answer, :word, :rule, :type)

-- part: stand no more
DELETE FROM standing WHERE item IN (SELECT value FROM json_each(:items))
    AND annotator = ifnull(:annotator, annotator)

-- part: give back
DELETE FROM reserved WHERE item IN (SELECT value FROM json_each(:items)) AND annotator = :annotator

-- part: effect of word
-- How many messages read so, and how many items people decided NTA that a name always stands in.
SELECT
    (SELECT CAST(total(n_messages) AS INTEGER) FROM items
        WHERE item IN (SELECT value FROM json_each(:items))),
    (SELECT count(DISTINCT item) FROM forms f JOIN words w USING (form) JOIN items i USING (item)
        WHERE f.folded = :word AND i.final = 'NTA' AND :rule = 'always')

-- part: context
WITH place AS (SELECT thread, sent, message FROM messages WHERE message = :message AND thread <> '')
SELECT * FROM (
    SELECT 0, m.message, m.sender, m.sent, t.text
    FROM place p CROSS JOIN messages m ON m.thread = p.thread JOIN texts t USING (item)
    WHERE (m.sent, m.message) < (p.sent, p.message)
    ORDER BY m.sent DESC, m.message DESC LIMIT :n)
UNION ALL
SELECT * FROM (
    SELECT 1, m.message, m.sender, m.sent, t.text
    FROM place p CROSS JOIN messages m ON m.thread = p.thread JOIN texts t USING (item)
    WHERE (m.sent, m.message) > (p.sent, p.message)
    ORDER BY m.sent, m.message LIMIT :n)
ORDER BY 4, 2

-- part: notes
-- Those on an item, or else all that ask. Who has yet to answer an item that two read does not see the
-- notes of the other.
SELECT n.item, n.annotator, n.at, n.text, n.asks, t.text
FROM notes_in_force n JOIN items i USING (item) JOIN texts t USING (item)
WHERE (n.annotator = :reader OR i.state <> 'open' OR i.wanted = 1)
    AND iif(:item IS NULL, n.asks, n.item = :item)
ORDER BY n.note

-- part: last note
SELECT text, asks FROM notes WHERE item = :item AND annotator = :annotator ORDER BY note DESC LIMIT 1

-- part: hand over
INSERT OR IGNORE INTO reasons
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
    json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]'), :since
FROM json_each(:rows) WHERE TRUE
RETURNING item

-- part: open again
-- It comes before any that the machine leaves to people.
UPDATE items SET since = :since, n_expert = n_messages, turn = -1
WHERE item IN (SELECT value FROM json_each(:items))

-- part: current answer
-- A ruling counts only while it is the last one.
SELECT decision, iif(adjudicates, final, answer), spans FROM standing JOIN items USING (item)
WHERE item = :item AND annotator = :annotator AND adjudicates = :rules

-- part: last in force
SELECT decision FROM in_force
WHERE annotator = :annotator AND decision = coalesce(:decision, decision)
ORDER BY decision DESC LIMIT 1

-- part: double
UPDATE items SET wanted = 1 + (chance(digest, 'double') < :share)
WHERE state = 'open' AND n_answers = 0

-- part: ids and evidence
SELECT id, evidence FROM messages WHERE item = :item ORDER BY action <> 'EXPERT', message

-- part: left
SELECT count(*), ifnull(sum(n_expert), 0) FROM items WHERE state IN ('open', 'disagreed')

-- part: last message
SELECT coalesce(max(message), 0) FROM messages

-- part: add item
INSERT INTO items (digest, shuffled, turn) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING item

-- part: write form
INSERT INTO forms (text, kind, folded, label, reason, type) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (text, kind) DO UPDATE SET label = excluded.label, reason = excluded.reason,
    type = excluded.type
RETURNING form

-- part: triaged anew
-- Another run has decided all messages.
UPDATE about SET value = :run WHERE name = 'run'
