"""The queue: decisions on its items and words, what follows from them, and whose the items are."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from triage.dictionaries.normal import folded

from ..errors import TriageError
from ..vocabulary import SUSPECT_FROM, IdentifierType, Span, check_spans, parse_spans
from . import schema
from .reader import QueueReader, is_cleared, is_one_word, suggested
from .records import (
    About,
    Answer,
    Decision,
    Filters,
    ItemAnswer,
    NoSuchItemError,
    Order,
    StaleAnswerError,
    WordEffect,
    WordRule,
    annotator_name,
    joined,
    packed,
)
from .schema import transaction

# An annotator who takes a short break keeps the item that they look at.
_RESERVED_FOR = 600.0
LONGEST_NOTE = 2_000

# CROSS JOIN makes SQLite read the words item by item, and not every word of the corpus.
_WORDS_THAT_MATTER = """
SELECT w.item, w.start, w.end, f.type, w.suggested, f.folded,
    f.label = 'DICTIONARY' OR coalesce(w.evidence, 0) >= :suspect_from AS may_name
FROM json_each(:held) held CROSS JOIN words w ON w.item = held.value
    CROSS JOIN forms f ON f.form = w.form
WHERE may_name OR w.suggested OR f.folded IN (SELECT value FROM json_each(:rules))
ORDER BY w.item, w.start
"""
_ADDED = """
ON CONFLICT DO UPDATE SET
    n_items = n_items + excluded.n_items,
    n_messages = n_messages + excluded.n_messages,
    n_expert = n_expert + excluded.n_expert
"""
_TALLY = "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?)" + _ADDED  # noqa: S608
# The latest of each annotator's answers to an item that were not undone; SQLite takes the other
# columns from the row that holds the greatest decision.
_STANDING = """
INSERT INTO standing (decision, item, annotator, adjudicates, answer, spans)
SELECT max(d.decision), a.item, d.annotator, d.kind = 'adjudication', a.answer, a.spans
FROM answers a JOIN decisions d USING (decision)
WHERE {} AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision)
GROUP BY a.item, d.annotator, d.kind = 'adjudication'
"""


class Queue(QueueReader):
    """Messages for the expert and the decisions on them, in one file."""

    @classmethod
    def create(cls, path: str | Path, about: About) -> Self:
        """Make an empty queue, in a file that only its owner may read."""
        queue = cls(schema.create(Path(path)), Path(path))
        with transaction(queue.connection):
            queue.connection.executemany(
                "INSERT INTO about VALUES (?, ?)",
                ((name, json.dumps(value)) for name, value in asdict(about).items()),
            )
        return queue

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a queue; one that an earlier version made is brought to this one."""
        return cls(schema.connect(Path(path)), Path(path))

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
            found = self._next_number(annotator, filters, order, after)
            if found is not None:
                self.release(annotator)
                until = self._clock() + _RESERVED_FOR
                self.connection.execute(
                    "INSERT INTO reserved VALUES (?, ?, ?)", (found, annotator, until)
                )
        return found

    def release(self, annotator: str) -> None:
        with transaction(self.connection):
            self.connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))

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

    def undo(self, annotator: str, *, last: int | None = None) -> Decision | None:
        """Undo an annotator's last decision in force; return it, None if there is none."""
        with transaction(self.connection):
            self._check_last(annotator, last)
            name = annotator_name(annotator)
            found = self._one(
                "SELECT decision FROM decisions d WHERE annotator = ? AND kind <> 'undo' "
                "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision) "
                "ORDER BY decision DESC LIMIT 1",
                (name,),
            )
            if not found:
                return None
            self.connection.execute(
                "INSERT INTO decisions (at, annotator, kind, undoes) VALUES (?, ?, 'undo', ?)",
                (_now(), name, found[0]),
            )
            done = self._decision(found[0])
            own = [(item, name) for item in done.items]
            self.connection.executemany(
                "DELETE FROM standing WHERE item = ? AND annotator = ?", own
            )
            self.connection.executemany(_STANDING.format("a.item = ? AND d.annotator = ?"), own)
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
        """Record that a word is always, or never, a name, and the answers that follow."""
        word = word.strip()
        with transaction(self.connection):
            self._check_last(annotator, last)
            _, said = self._answers_by_word(annotator, word, rule, type)
            made = {"word": word, "rule": rule.value}
            made |= {"type": type.value} if rule is WordRule.ALWAYS else {}
            return self._record(annotator_name(annotator), "word", said, **made)

    def effect_of_word(self, annotator: str, word: str, rule: WordRule) -> WordEffect:
        """Return the effect that deciding a word would have on an annotator's open items."""
        held, said = self._answers_by_word(annotator, word.strip(), rule, IdentifierType.PRE)
        (n_messages,) = self._one(
            "SELECT total(n_messages) FROM items WHERE item IN (SELECT value FROM json_each(?))",
            (json.dumps(held),),
        )
        return WordEffect(len(held), int(n_messages), len(said))

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

    # Assignment

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
            self.tally()
        return shares

    def double(self, share: float) -> int:
        """Let two annotators answer a share of the expert's items; return how many are doubled."""
        with transaction(self.connection):
            self.connection.execute(
                "INSERT OR REPLACE INTO about VALUES ('doubled', ?)", (str(share),)
            )
            self.connection.create_function("chance", 2, chance, deterministic=True)
            self.connection.execute(
                "UPDATE items SET wanted = 1 + (chance(digest, 'double') < ?) WHERE state = 'open'",
                (share,),
            )
            self.connection.execute("UPDATE items SET second = '' WHERE wanted = 1")
            self._assign_seconds()
            # One answer may suffice now.
            answered = self._all("SELECT item FROM items WHERE state = 'open' AND n_answers > 0")
            self.settle(item for (item,) in answered)
            self.tally()
            (found,) = self._one("SELECT count(*) FROM items WHERE wanted > 1 AND n_expert > 0")
        return int(found)

    def _assign_seconds(self) -> None:
        names = sorted(self.assigned())
        alone = self._all(
            "SELECT item, digest, owner FROM items "
            "WHERE state = 'open' AND wanted > 1 AND owner <> '' AND second = ''"
        )
        if alone and len(names) < 2:
            raise TriageError(
                f"some items want two annotators, and all are assigned to {names[0]}: share them "
                "out with triage queue assign"
            )
        for item, digest, owner in alone:
            others = [name for name in names if name != owner]
            second = others[int(chance(digest, "second") * len(others))]
            self.connection.execute("UPDATE items SET second = ? WHERE item = ?", (second, item))

    def double_new(self, items: Iterable[int]) -> None:
        """Double the same share of new items, within a transaction; no assigned or answered one."""
        share = self._one("SELECT value FROM about WHERE name = 'doubled'")
        if share:
            self.connection.create_function("chance", 2, chance, deterministic=True)
            self.connection.execute(
                "UPDATE items SET wanted = 2 WHERE item IN (SELECT value FROM json_each(?)) "
                "AND state = 'open' AND owner = '' AND n_answers = 0 "
                "AND chance(digest, 'double') < ?",
                (json.dumps(list(items)), float(share[0])),
            )

    # What follows from the answers

    def settle(self, items: Iterable[int]) -> None:
        """Update the state of items from their current answers, within a transaction."""
        for item in items:
            stands = self._all(
                "SELECT answer, adjudicates FROM standing WHERE item = ? AND answer <> 'SKIP' "
                "ORDER BY decision",
                (item,),
            )
            wanted, before, owner, second, n_messages, n_expert = self._one(
                "SELECT wanted, state, owner, second, n_messages, n_expert FROM items "
                "WHERE item = ?",
                (item,),
            )
            said = [answer for answer, adjudicates in stands if not adjudicates]
            rulings = [answer for answer, adjudicates in stands if adjudicates]
            state, final = _settled(said, rulings, wanted, n_expert)
            self.connection.execute(
                "UPDATE items SET state = ?, final = ?, n_answers = ? WHERE item = ?",
                (state, final, len(said), item),
            )
            if state != before:
                self.connection.executemany(
                    _TALLY,
                    (
                        (before, owner, second, -1, -n_messages, -n_expert),
                        (state, owner, second, 1, n_messages, n_expert),
                    ),
                )

    def tally(self, items: Iterable[int] | None = None, sign: int = 1) -> None:
        """Count items by state and annotators, within a transaction; `settle` updates it."""
        where = "TRUE" if items is None else "item IN (SELECT value FROM json_each(:items))"
        if items is None:
            self.connection.execute("DELETE FROM tally")
        self.connection.execute(
            "INSERT INTO tally SELECT state, owner, second, "  # noqa: S608
            ":sign * count(*), :sign * sum(n_messages), :sign * sum(n_expert) "
            f"FROM items WHERE {where} GROUP BY state, owner, second {_ADDED}",
            {"items": json.dumps(list(items or ())), "sign": sign},
        )


def _settled(
    said: Sequence[str], rulings: Sequence[str], wanted: int, n_expert: int
) -> tuple[str, str | None]:
    """Return an item's state and its final answer, None until it is settled."""
    if rulings:
        return "final", rulings[-1]
    if len(set(said)) > 1:
        return "disagreed", None
    # One person's answer to what the machine had decided is enough.
    if said and len(said) >= (wanted if n_expert else 1):
        return "final", said[0]
    return ("open" if n_expert else "machine"), None


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
