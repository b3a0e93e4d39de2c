-- The tables of a queue. What people decided is only ever appended, and triggers enforce it.

-- part: tables of a new file

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
    suggested INTEGER NOT NULL,
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

-- part: what changes in a file of versions 3 and 4

DROP TRIGGER items_are_counted;
DROP TRIGGER items_are_recounted;
DROP TABLE tally;
CREATE INDEX items_counted ON items (state, owner, second, n_messages, n_expert);

-- part: views, of every version made anew

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
