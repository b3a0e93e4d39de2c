"""The queue: one file that several processes may use at once, and the decisions in it.

Decisions (`decisions`, `answers`) are append-only, which triggers enforce; what follows from them
(`standing`, an item's state, `tally`) is stored beside them so that each step is quick. Each
writing method is a transaction, which also checks that an answer is not out of date.
"""

import hashlib
import json
import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Self

from triage.dictionaries.normal import folded

from ..errors import TriageError, writing
from ..vocabulary import SUSPECT_FROM, IdentifierType, Span, check_spans, parse_spans
from .reader import QueueReader, is_cleared, suggested, trouble
from .records import (
    About,
    Answer,
    Decision,
    Filters,
    ItemAnswer,
    NoSuchItemError,
    Order,
    Reason,
    StaleAnswerError,
    State,
    Task,
    WordEffect,
    WordRule,
    annotator_name,
    is_one_word,
    joined,
    packed,
)

# Of the tables, and the first that is brought to it.
VERSION, _OLDEST = 4, 3
# Marks the file as ours: "SMSq".
_APPLICATION = 0x534D5371
_SQLITE = b"SQLite format 3\0"
# Another process may be writing thousands of messages.
_PATIENCE = 30.0
# An acknowledged decision survives a power cut.
_SYNCHRONOUS = "FULL"
# An annotator who takes a short break keeps the item that they look at.
_RESERVED_FOR = 600.0
LONGEST_NOTE = 2_000
# Before any that the machine leaves to people.
_FIRST_TURN = -1.0

# CROSS JOIN makes SQLite read the words item by item, and not every word of the corpus.
_WORDS_THAT_MATTER = """
SELECT w.item, w.start, w.end, f.type, w.suggested, f.folded,
    f.label = 'DICTIONARY' OR coalesce(w.evidence, 0) >= :suspect_from AS may_name
FROM json_each(:held) held CROSS JOIN words w ON w.item = held.value
    CROSS JOIN forms f ON f.form = w.form
WHERE may_name OR w.suggested OR f.folded IN (SELECT value FROM json_each(:rules))
ORDER BY w.item, w.start
"""
# The latest of each annotator's answers to an item that were not given before it was handed over
# again; SQLite takes the other columns from the row of the greatest decision.
_STANDING = """
INSERT INTO standing (decision, item, annotator, adjudicates, answer, spans)
SELECT max(d.decision), a.item, d.annotator, d.kind = 'adjudication', a.answer, a.spans
FROM answers a CROSS JOIN in_force d USING (decision)
WHERE {} AND d.decision > (SELECT coalesce(since, 0) FROM items i WHERE i.item = a.item)
GROUP BY a.item, d.annotator, d.kind = 'adjudication'
"""
_FORGET_ANSWERED = """
DELETE FROM reasons WHERE (item, reason, start, end) = (?, ?, ?, ?)
    AND (item, reason, start, end) NOT IN (SELECT item, reason, start, end FROM handed_over)
"""
# The places of a word in what people decided NTA.
_DECIDED_NTA = """
SELECT w.item, 'spelling', w.start, w.end, :type, ''
FROM forms f JOIN words w USING (form) JOIN items i USING (item)
WHERE f.folded = :word AND i.final = 'NTA'
"""
# After a rule was undone, as if it had never been made.
_WITHDRAW = """
UPDATE items SET
    since = (SELECT max(since) FROM reasons r WHERE r.item = items.item),
    n_expert = iif(EXISTS (SELECT 1 FROM reasons r WHERE r.item = items.item), n_messages,
        (SELECT count(*) FROM messages m WHERE m.item = items.item AND m.action = 'EXPERT'))
WHERE item IN (SELECT value FROM json_each(?))
"""
# The last ruling outweighs answers; one person's answer to what the machine had decided is enough.
_SETTLE = """
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
WHERE item IN (SELECT value FROM json_each(?))
"""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make all changes within it appear together, or none of them; nested ones are one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _connection(path: Path) -> sqlite3.Connection:
    # The owner of the connection lets only one thread use it at a time.
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -64000")
    return connection


def is_queue(path: Path) -> bool:
    """Return whether a file, should it exist, is a database rather than a table of messages."""
    if not path.is_file():
        return path.suffix == ".queue"
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_version(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = _version(connection)
    if application != _APPLICATION:
        raise TriageError(
            f"{path} is no queue: make one with triage queue create", "no_queue", file=path
        )
    if not _OLDEST <= version <= VERSION:
        raise TriageError(
            f"{path} was made by another version of this program (its tables are of version "
            f"{version}, these of {VERSION}): open it with that one",
            "no_queue",
            file=path,
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a queue, perhaps a new one, to this version: all of it, or nothing if interrupted."""
    if _version(connection) == VERSION:
        return
    script = (files(__package__) / "queue.sql").read_text(encoding="utf-8")
    with transaction(connection):
        # Another process may have done it meanwhile.
        first = _version(connection) + 1
        sections = re.split("(?m)^-- version ([0-9]+).*", script)[1:]
        for version, section in zip(sections[::2], sections[1::2], strict=True):
            for statement in _statements(section) if int(version) >= first else ():
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would end a transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


class Queue(QueueReader):
    """What a person should see and the decisions on it, in one file."""

    @classmethod
    def create(cls, path: Path, about: About) -> Self:
        """Make an empty queue, in a file that only its owner may read."""
        with writing(str(path)):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            path.chmod(0o600)
        connection = _connection(path)
        migrate(connection)
        with transaction(connection):
            connection.executemany(
                "INSERT INTO about VALUES (?, ?)",
                ((name, json.dumps(value)) for name, value in asdict(about).items()),
            )
        return cls(connection, path)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a queue; one that an earlier version made is brought to this one."""
        path = Path(path)
        if not path.is_file():
            raise TriageError(
                f"there is no queue {path}: make one with triage queue create",
                "no_queue",
                file=path,
            )
        if not os.access(path, os.R_OK | os.W_OK):
            raise TriageError(
                f"{path} cannot be read and written: mend its permissions",
                "queue_unreadable",
                file=path,
            )
        with trouble(path):
            _check_version(path)
            connection = _connection(path)
            migrate(connection)
        return cls(connection, path)

    # Which item comes

    def next(
        self,
        annotator: str,
        filters: Filters = Filters(),  # noqa: B008 (frozen)
        order: Order = Order.LEARNING,
        *,
        after: int | None = None,
    ) -> int | None:
        """Return the next item for an annotator and reserve it for them; None if none is left."""
        with transaction(self.connection):
            found = self.first(annotator, filters, order, after)
            if found is not None:
                self.release(annotator)
                until = self._clock() + _RESERVED_FOR
                self.connection.execute(
                    "INSERT INTO reserved VALUES (?, ?, ?)", (found, annotator, until)
                )
        return found

    def release(self, annotator: str) -> None:
        """Give up what an annotator has reserved."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))

    def add_items(self, tasks: Iterable[Task], *, again: bool = False) -> int:
        """Hand over messages that a person should see; return how many items are open by that.

        Each is named by its id, or by its row where the corpus has no ids. What was decided on it
        before settles it no more. What was handed over before, for the same reason and place, and
        answered, is asked `again` only where that is said.
        """
        asked = [*tasks]
        with transaction(self.connection):
            items = self._items_of(asked)
            rows: list[tuple[object, ...]] = []
            for one in asked:
                for item in items[one.id or one.row]:
                    check_spans(one.place, len(self._text(item)))
                    rows.append((item, one.reason, one.start, one.end, one.type, one.id))
            if again:
                self.connection.executemany(_FORGET_ANSWERED, (row[:4] for row in rows))
            return self._hand_over(rows, self.last_decision())

    def _hand_over(self, rows: Iterable[Sequence[object]], since: int) -> int:
        """Give items a reason to be seen; what was decided up to a decision settles them no more.

        Return how many are open by that.
        """
        added = "INSERT OR IGNORE INTO reasons VALUES (?, ?, ?, ?, ?, ?, ?)"
        opened = {r[0] for r in rows if self.connection.execute(added, (*r, since)).rowcount}
        chosen = json.dumps([*opened])
        self.connection.execute(
            "UPDATE items SET since = ?, n_expert = n_messages, turn = ? "
            "WHERE item IN (SELECT value FROM json_each(?))",
            (since, _FIRST_TURN, chosen),
        )
        self._stand_again(chosen)
        return len(opened)

    def _stand_again(self, items: str) -> None:
        """Bring the current answers to items, a list in JSON, and their states up to date."""
        of = "item IN (SELECT value FROM json_each(?))"
        self.connection.execute(f"DELETE FROM standing WHERE {of}", (items,))
        self.connection.execute(_STANDING.format(of), (items,))
        self.connection.execute(_SETTLE, (items,))

    def unanswered(self, tasks: Sequence[Task]) -> list[Task]:
        """Return those of the tasks that were handed over and that nobody has answered since."""
        items = self._items_of(tasks)
        waiting = {(one.item, one.reason, one.start, one.end) for one in self.handed_over()}
        return [
            one
            for one in tasks
            if any(
                (item, one.reason, one.start, one.end) in waiting
                for item in items[one.id or one.row]
            )
        ]

    def _items_of(self, work: Sequence[Task]) -> dict[str | int, list[int]]:
        """Return the items of messages by their ids and rows."""
        ids, rows = {one.id for one in work if one.id}, {one.row for one in work if not one.id}
        found: defaultdict[str | int, list[int]] = defaultdict(list)
        # Ids have no index: where there are none, they are not looked for.
        asked = [(column, names) for column, names in (("id", ids), ("message", rows)) if names]
        for column, names in asked:
            for name, item in self._all(
                f"SELECT DISTINCT {column}, item FROM messages "
                f"WHERE {column} IN (SELECT value FROM json_each(?))",
                (json.dumps([*names]),),
            ):
                found[name].append(item)
        if unknown := [str(name) for name in (ids | rows) if name not in found]:
            raise TriageError(f"no message of this queue has the id or row {min(unknown)}")
        return found

    # Decisions on items

    def decide(
        self,
        annotator: str,
        item: int,
        answer: Answer,
        spans: Sequence[Span] = (),
        *,
        seen: int | None = None,
    ) -> int | None:
        """Record an answer to an item; None if it is current already.

        `seen` is the annotator's last decision on the item as they saw it, 0 without any.
        """
        with transaction(self.connection):
            return self._decide("message", annotator, ItemAnswer(item, answer, tuple(spans)), seen)

    def adjudicate(
        self,
        annotator: str,
        item: int,
        answer: Answer,
        spans: Sequence[Span] = (),
        *,
        own: bool = False,
        seen: int | None = None,
    ) -> int | None:
        """Record a ruling, which outweighs answers; `own` allows one on what one has answered."""
        name = annotator_name(annotator)
        with transaction(self.connection):
            found = None if own else self.item(item)
            if found and found.answered_by(name):
                raise TriageError(
                    f"item {item}: {name} has answered it, and somebody else adjudicates; to do "
                    "so all the same, say --adjudicate-own"
                )
            return self._decide("adjudication", name, ItemAnswer(item, answer, tuple(spans)), seen)

    def _decide(self, kind: str, annotator: str, said: ItemAnswer, seen: int | None) -> int | None:
        """Record an answer unless it is current; StaleAnswerError if another one is than seen."""
        name, said = annotator_name(annotator), self.checked(*said)
        if seen is not None:
            # A ruling counts only while it is the last one.
            current, answer, spans = self._one(
                "SELECT decision, iif(adjudicates, final, answer), spans FROM standing "
                "JOIN items USING (item) WHERE item = ? AND annotator = ? AND adjudicates = ?",
                (said.item, name, kind == "adjudication"),
            ) or (0, None, "[]")
            is_same = (answer, parse_spans(spans)) == (said.answer, said.spans)
            # A skipped message that comes again may be skipped again.
            if is_same and not (said.answer is Answer.SKIP and current == seen):
                return None
            if not is_same and current != seen:
                raise StaleAnswerError(f"item {said.item}: {name} has answered it since")
        return self._record(name, kind, [said], answer=said.answer.value)

    def checked(self, item: int, answer: Answer, spans: Sequence[Span]) -> ItemAnswer:
        """Return an answer to an item with its spans in order; TriageError if it is invalid."""
        text = self._text(item)
        if spans and answer is not Answer.TA:
            raise TriageError(f"item {item}: only a message that is TA has identifiers to mark")
        for span in spans:
            if not isinstance(span.type, IdentifierType):
                raise TriageError(
                    f"item {item}: the type of an identifier must be an IdentifierType, such as "
                    f"IdentifierType.PRE, and not {span.type!r}"
                )
        return ItemAnswer(item, answer, check_spans(spans, len(text)))

    def _text(self, item: int) -> str:
        found = self._one("SELECT text FROM texts WHERE item = ?", (item,))
        if not found:
            raise NoSuchItemError(item)
        return str(found[0])

    def decide_all(
        self, annotator: str, items: Sequence[int], answer: Answer, *, last: int | None = None
    ) -> int:
        """Record one answer to several items, the suggested words as identifiers of a TA."""
        with transaction(self.connection):
            self._check_last(annotator, last)
            said = []
            for number in dict.fromkeys(items):
                found = self.existing_item(number)
                spans = found.suggested_spans if answer is Answer.TA else ()
                said.append(ItemAnswer(number, answer, spans))
            return self._record(annotator_name(annotator), "message", said, answer=answer.value)

    def record_imports(self, said: Mapping[str, Sequence[ItemAnswer]]) -> None:
        """Record answers from elsewhere by annotator, all or none."""
        with transaction(self.connection):
            for annotator, answers in sorted(said.items()):
                checked = [self.checked(*one) for one in answers]
                self._record(annotator_name(annotator), "import", checked)

    def undo(
        self, annotator: str, *, last: int | None = None, decision: int | None = None
    ) -> Decision | None:
        """Undo an annotator's last decision in force, or a certain one; None if there is none."""
        with transaction(self.connection):
            self._check_last(annotator, last)
            name = annotator_name(annotator)
            found = self._one(
                "SELECT decision FROM in_force WHERE annotator = ? "
                "AND decision = coalesce(?, decision) ORDER BY decision DESC LIMIT 1",
                (name, decision),
            )
            if not found:
                return None
            self.connection.execute(
                "INSERT INTO decisions (at, annotator, kind, undoes) VALUES (?, ?, 'undo', ?)",
                (_now(), name, *found),
            )
            done = self._decision(*found)
            # Of a rule, what was asked again because of it, too.
            asked = self._all(
                "DELETE FROM reasons WHERE reason = 'spelling' AND since = ? RETURNING item", found
            )
            withdrawn = json.dumps([item for (item,) in asked])
            self.connection.execute(_WITHDRAW, (withdrawn,))
            self._stand_again(withdrawn)
            of = "item IN (SELECT value FROM json_each(?)) AND annotator = ?"
            own = json.dumps(done.items), name
            self.connection.execute(f"DELETE FROM standing WHERE {of}", own)
            self.connection.execute(_STANDING.format(of), own)
            self.settle(done.items)
            return done

    def _check_last(self, annotator: str, last: int | None) -> None:
        """Raise StaleAnswerError if an annotator's last decision is not `last`, unless None."""
        if last is not None and self.last_decision(annotator) != last:
            raise StaleAnswerError(f"{annotator} has decided something since")

    def _record(
        self, annotator: str, kind: str, said: Sequence[ItemAnswer], **made: str | None
    ) -> int:
        """Append a decision and the answers that it gives; return its number."""
        values = {"answer": None, "word": "", "rule": "", "type": ""} | made
        number = self.connection.execute(
            "INSERT INTO decisions (at, annotator, kind, answer, word, rule, type) "
            "VALUES (:at, :annotator, :kind, :answer, :word, :rule, :type)",
            values | {"at": _now(), "annotator": annotator, "kind": kind},
        ).lastrowid
        rows = [(number, s.item, s.answer.value, packed(s.spans)) for s in said]
        self.connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
        self.connection.executemany(
            "INSERT OR REPLACE INTO standing "
            "(decision, item, answer, spans, annotator, adjudicates) VALUES (?, ?, ?, ?, ?, ?)",
            ((*row, annotator, kind == "adjudication") for row in rows),
        )
        self.settle(s.item for s in said)
        self.connection.executemany(
            "DELETE FROM reserved WHERE item = ? AND annotator = ?",
            ((s.item, annotator) for s in said),
        )
        return int(number or 0)

    def settle(self, items: Iterable[int]) -> None:
        """Update the state of items from their current answers, within a transaction."""
        self.connection.execute(_SETTLE, (json.dumps([*items]),))

    # Decisions on words

    def decide_word(
        self,
        annotator: str,
        word: str,
        rule: WordRule,
        type: IdentifierType = IdentifierType.PRE,  # noqa: A002
        *,
        last: int | None = None,
    ) -> int:
        """Record that a word is always, or never, a name, and the answers that follow.

        What people decided NTA although it holds a word that is always a name, they are asked
        again.
        """
        word = word.strip()
        with transaction(self.connection):
            self._check_last(annotator, last)
            _, said = self._answers_by_word(annotator, word, rule, type)
            made = {"word": word, "rule": rule.value}
            made |= {"type": type.value} if rule is WordRule.ALWAYS else {}
            number = self._record(annotator_name(annotator), "word", said, **made)
            if rule is WordRule.ALWAYS:
                asked = {"word": folded(word), "type": type.value}
                self._hand_over(self._all(_DECIDED_NTA, asked), number)
            return number

    def effect_of_word(self, annotator: str, word: str, rule: WordRule) -> WordEffect:
        """Return the effect that deciding a word would have on an annotator's open items."""
        held, said = self._answers_by_word(annotator, word.strip(), rule, IdentifierType.PRE)
        (n_messages,) = self._one(
            "SELECT total(n_messages) FROM items WHERE item IN (SELECT value FROM json_each(?))",
            (json.dumps(held),),
        )
        asked = {"word": folded(word.strip()), "type": ""} if rule is WordRule.ALWAYS else {}
        again = {item for item, *_ in self._all(_DECIDED_NTA, asked)} if asked else ()
        return WordEffect(len(held), int(n_messages), len(said), len(again))

    def _answers_by_word(
        self, annotator: str, word: str, rule: WordRule, type_: IdentifierType
    ) -> tuple[list[int], list[ItemAnswer]]:
        """Return an annotator's open items with a word, and the answers that deciding it gives."""
        if not is_one_word(word):
            raise TriageError("a rule is of one word: mark several words message by message")
        held = self.numbers(annotator, Filters(word=word))
        rules, decided = self.word_rules(), folded(word)
        marked: defaultdict[int, list[Span]] = defaultdict(list)
        others: defaultdict[int, list[Span]] = defaultdict(list)
        unsure = set()
        values = {"held": json.dumps(held), "rules": json.dumps([decided, *rules])}
        for number, start, end, kind, by_machine, form, may_name in self._all(
            _WORDS_THAT_MATTER, values | {"suspect_from": SUSPECT_FROM}
        ):
            is_suggested, likely = suggested(rules.get(form), kind, by_machine)
            if form == decided:
                marked[number].append(Span(start, end, type_))
            elif is_suggested:
                others[number].append(Span(start, end, likely))
            elif may_name and not is_cleared(rules.get(form)):
                unsure.add(number)
        # Why something was handed over is for a person to see, unless that was this word.
        own = {(Reason.SPELLING, n, *span[:2]) for n, spans in marked.items() for span in spans}
        tasks = self.handed_over(held)
        unsure |= {t.item for t in tasks if (t.reason, t.item, t.start, t.end) not in own}
        if rule is WordRule.ALWAYS:
            return held, [ItemAnswer(n, Answer.TA, joined(marked[n], others[n])) for n in held]
        return held, [ItemAnswer(n, Answer.NTA) for n in held if n not in {*others, *unsure}]

    # Notes

    def note(self, annotator: str, item: int, text: str, *, asks: bool = False) -> bool:
        """Record a note in place of the annotator's last one; False if it is the same."""
        text = "\n".join(text.split("\r\n")).strip()
        with transaction(self.connection):
            name = annotator_name(annotator)
            self._text(item)
            if len(text) > LONGEST_NOTE:
                raise TriageError(f"item {item}: a note has at most {LONGEST_NOTE:,} characters")
            last = self._one(
                "SELECT text, asks FROM notes WHERE item = ? AND annotator = ? "
                "ORDER BY note DESC LIMIT 1",
                (item, name),
            )
            if (last or ("", 0)) == (text, int(asks)):
                return False
            self.connection.execute(
                "INSERT INTO notes (at, annotator, item, text, asks) VALUES (?, ?, ?, ?, ?)",
                (datetime.now(UTC).isoformat(timespec="seconds"), name, item, text, int(asks)),
            )
            return True

    # Who reads what

    def assign(self, annotators: Sequence[str], double: float | None = None) -> dict[str, int]:
        """Assign the open items to annotators; return how many each has to answer."""
        with transaction(self.connection):
            if double is not None:
                self.double(double)
            names = [annotator_name(name) for name in annotators]
            if len(set(names)) < len(names):
                raise TriageError("an annotator is named twice: name each once")
            shares = dict.fromkeys(names, 0)
            rows = self._all(
                "SELECT item, digest, wanted FROM items WHERE state = 'open' ORDER BY item"
            )
            if len(names) == 1 and any(wanted > 1 for _, _, wanted in rows):
                raise TriageError("some items want two annotators: name a second one with --to")
            for item, digest, wanted in rows:
                owner, second = _drawn(digest, wanted, names)
                self.connection.execute(
                    "UPDATE items SET owner = ?, second = ? WHERE item = ?", (owner, second, item)
                )
                for name in filter(None, (owner, second)):
                    shares[name] += 1
        return shares

    def double(self, share: float) -> int:
        """Let two annotators answer a share of what nobody has read; return how many are doubled.

        What somebody has answered stays as it was.
        """
        with transaction(self.connection):
            self.connection.execute(
                "INSERT OR REPLACE INTO about VALUES ('doubled', ?)", (str(share),)
            )
            self._double(share, f"state = '{State.OPEN}' AND n_answers = 0")
            self.connection.execute("UPDATE items SET second = '' WHERE wanted = 1")
            names = sorted(self.assigned())
            alone = self._all(
                "SELECT item, digest, owner FROM items "
                "WHERE state = 'open' AND wanted > 1 AND owner <> '' AND second = ''"
            )
            if alone and len(names) < 2:
                raise TriageError(
                    f"some items want two annotators, and all are assigned to {names[0]}: share "
                    "them out with triage queue assign"
                )
            for item, digest, owner in alone:
                others = [name for name in names if name != owner]
                second = others[int(chance(digest, "second") * len(others))]
                self.connection.execute(
                    "UPDATE items SET second = ? WHERE item = ?", (second, item)
                )
            (found,) = self._one("SELECT count(*) FROM items WHERE wanted > 1 AND n_expert > 0")
        return int(found)

    def double_new(self, items: Iterable[int]) -> None:
        """Double the same share of new items, within a transaction; no assigned or answered one."""
        if self.doubled:
            self._double(
                self.doubled,
                "item IN (SELECT value FROM json_each(:items)) AND owner = '' AND n_answers = 0 "
                "AND wanted = 1 AND state IN ('machine', 'open') AND n_expert > 0",
                items=json.dumps([*items]),
            )

    def _double(self, share: float, condition: str, **values: str) -> None:
        self.connection.create_function("chance", 2, chance, deterministic=True)
        self.connection.execute(
            f"UPDATE items SET wanted = 1 + (chance(digest, 'double') < :share) WHERE {condition}",
            values | {"share": share},
        )


def _drawn(digest: bytes, wanted: int, names: list[str]) -> tuple[str, str]:
    """Return the annotators of an item, the second of whom may be nobody."""
    if not names:
        return "", ""
    first = int(chance(digest, "owner") * len(names))
    if wanted < 2:
        return names[first], ""
    further = 1 + int(chance(digest, "second") * (len(names) - 1))
    return names[first], names[(first + further) % len(names)]


def chance(digest: bytes, purpose: str) -> float:
    """Return a pseudo-random number from 0 to 1 that depends on a text's digest and a purpose."""
    drawn = hashlib.blake2b(digest, digest_size=8, person=purpose.encode()[:16]).digest()
    return int.from_bytes(drawn) / 2**64


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
