"""The queue: one file with messages, decisions on them, and annotators."""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import Self

from ..vocabulary import Action, IdentifierType, Span, Spans
from . import assign, listing, notes, reading, schema, settle, status, writing
from .migrate import migrate
from .notes import Note, Question
from .records import (
    About,
    Answer,
    Decision,
    Filters,
    Item,
    Message,
    Order,
    Progress,
    Row,
    State,
    Status,
    WordEffect,
    WordRule,
)
from .writing import DecisionKind, ItemAnswer, annotator_name, transaction

# An annotator who takes a short break keeps the item that they look at.
_RESERVED_FOR = 600.0


class Queue:
    """Messages for the expert and the decisions on them."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.connection = connection
        self._clock = clock

    @classmethod
    def create(cls, path: str | Path, about: About) -> Self:
        """Make an empty queue, in a file that only its owner may read."""
        queue = cls(schema.create(Path(path)), Path(path))
        with transaction(queue.connection):
            for name, value in asdict(about).items():
                queue.connection.execute(
                    "INSERT INTO about VALUES (?, ?)", (name, json.dumps(value))
                )
        return queue

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a queue."""
        connection = schema.connect(Path(path))
        with schema.trouble(Path(path)):
            migrate(connection)
        return cls(connection, Path(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    @property
    def about(self) -> About:
        """The source of the messages."""
        kept = dict(self.connection.execute("SELECT name, value FROM about").fetchall())
        # A queue that an earlier version made lacks the last ones.
        there = (field.name for field in fields(About) if field.name in kept)
        values = {name: json.loads(kept[name]) for name in there}
        return About(**values | {"columns": tuple(values["columns"])})

    def item(self, number: int) -> Item | None:
        """Return an item with all that a page shows; None if it does not exist."""
        return reading.item(self.connection, number)

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
            now = self._clock()
            found = listing.next_item(self.connection, annotator, filters, order, now, after)
            if found is not None:
                writing.reserve(self.connection, annotator, found, now + _RESERVED_FOR)
        return found

    def rows(
        self,
        annotator: str,
        filters: Filters,
        order: Order = Order.LEARNING,
        *,
        offset: int = 0,
        limit: int = 50,
    ) -> list[Row]:
        """Return items as a table shows them."""
        return listing.rows(self.connection, annotator, filters, order, offset, limit)

    def count(self, annotator: str, filters: Filters) -> int:
        """Return how many items match the filters."""
        return listing.count(self.connection, annotator, filters)

    def numbers(self, annotator: str, filters: Filters) -> list[int]:
        """Return the numbers of all items that match the filters."""
        return listing.numbers(self.connection, annotator, filters)

    def disagreements(self) -> list[int]:
        """Return the items on which annotators disagree, not yet adjudicated."""
        return self.numbers("", Filters(state=State.DISAGREED))

    def find(self, digest: bytes) -> int | None:
        """Return the item of a text by its digest; None if there is none."""
        found = self.connection.execute(
            "SELECT item FROM items WHERE digest = ?", (digest,)
        ).fetchone()
        return int(found[0]) if found else None

    def ids_and_evidence(self, item: int) -> list[tuple[str, str]]:
        """Return id and evidence of each message of an item, the expert's first."""
        return self.connection.execute(
            "SELECT id, evidence FROM messages WHERE item = ? ORDER BY action <> 'EXPERT', message",
            (item,),
        ).fetchall()

    def texts(self) -> list[tuple[int, str, str]]:
        """Return item, sender and text of each message, in the order of the corpus."""
        return self.connection.execute(
            "SELECT item, sender, text FROM messages JOIN texts USING (item) ORDER BY message"
        ).fetchall()

    def actions(self) -> list[Action]:
        """Return the machine's action of each message, in the order of the corpus."""
        return reading.actions(self.connection)

    def votes(self) -> tuple[float, ...]:
        """Return numbers that differ once messages or their votes do, as far as they can tell."""
        return reading.votes(self.connection)

    def evidence(self) -> dict[int, dict[int, float]]:
        """Return the evidence of the words of each item, by their starts."""
        return reading.evidence(self.connection)

    def triaged_rows(self) -> Iterator[tuple[int, list[object], str]]:
        """Yield item, row and action of each message, as `triage classify` wrote them."""
        for item, packed, action in self.connection.execute(
            "SELECT item, cells, action FROM messages ORDER BY message"
        ):
            yield item, schema.unpack(packed), action

    def suggestions(self) -> Callable[[int], Spans]:
        """Return a function that gives the suggested spans of an item, whatever its votes."""
        return reading.suggestions(self.connection)

    def resolved(self) -> dict[int, settle.Resolved]:
        """Return the final decision on each item that people decided, by its number."""
        return settle.resolved(self.connection)

    def context(self, message: int, n: int = 3) -> tuple[list[Message], list[Message]]:
        """Return up to `n` messages of a message's conversation before it, and after it."""
        return reading.context(self.connection, message, n)

    def note(self, annotator: str, item: int, text: str, *, asks: bool = False) -> bool:
        """Record an annotator's note on an item, which replaces their last one."""
        with transaction(self.connection):
            name = annotator_name(annotator)
            writing.check_item(self.connection, item)
            return notes.record(self.connection, name, item, text, asks=asks)

    def notes(self, item: int, reader: str) -> list[Note]:
        """Return the notes on an item."""
        return notes.notes(self.connection, item, reader)

    def questions(self, reader: str) -> list[Question]:
        """Return the notes that ask, with the texts of their items; see `notes`."""
        return notes.questions(self.connection, reader)

    def progress(self, annotator: str) -> Progress:
        """Return the progress of an annotator and of the corpus."""
        return status.progress(self.connection, annotator)

    def status(self) -> Status:
        """Return contents and progress of the queue, and the agreement of annotators."""
        return status.status(self.connection)

    def history(
        self, annotator: str | None = None, limit: int = 20, *, reader: str | None = None
    ) -> list[Decision]:
        """Return an annotator's decisions, or everybody's, the newest first."""
        return status.history(self.connection, annotator, limit, reader)

    def last_decision(self, annotator: str) -> int:
        """Return the number of an annotator's last decision, 0 if there is none."""
        return status.last_decision(self.connection, annotator)

    def word_lists(self) -> tuple[list[str], list[str]]:
        """Return the words that annotators decided are always, and are never, a name."""
        return reading.word_lists(self.connection)

    def word_rules(self) -> reading.Rules:
        """Return the annotators' rules for words: rule and type by folded word."""
        return reading.word_rules(self.connection)

    def spellings(self, words: Collection[str]) -> list[str]:
        """Return words in all spellings of the corpus."""
        return reading.spellings(self.connection, words)

    def decide(
        self,
        annotator: str,
        item: int,
        answer: Answer,
        spans: Sequence[Span] = (),
        *,
        seen: int | None = None,
    ) -> int | None:
        """Record an answer to an item, with the identifiers of a TA."""
        with transaction(self.connection):
            said = ItemAnswer(item, answer, tuple(spans))
            return writing.decide(self.connection, annotator, said, seen)

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
        """Record a ruling on an item, which outweighs the answers of its annotators."""
        with transaction(self.connection):
            said = ItemAnswer(item, answer, tuple(spans))
            return writing.adjudicate(self.connection, annotator, said, seen, own=own)

    def decide_all(
        self, annotator: str, items: Sequence[int], answer: Answer, *, last: int | None = None
    ) -> int:
        """Record one answer to several items as one decision; return its number."""
        with transaction(self.connection):
            return writing.decide_all(self.connection, annotator, items, answer, last)

    def checked(self, item: int, answer: Answer, spans: Sequence[Span]) -> ItemAnswer:
        """Validate an answer as `decide` does, and record nothing."""
        return writing.checked_answer(self.connection, ItemAnswer(item, answer, tuple(spans)))

    def record_imports(self, said: Mapping[str, Sequence[ItemAnswer]]) -> None:
        """Record answers from elsewhere by annotator, all or none."""
        with transaction(self.connection):
            for annotator, answers in sorted(said.items()):
                checked = [writing.checked_answer(self.connection, one) for one in answers]
                name = annotator_name(annotator)
                writing.record(self.connection, name, DecisionKind.IMPORT, checked)

    def undo(self, annotator: str, *, last: int | None = None) -> Decision | None:
        """Undo an annotator's last decision; return it, None if there is none."""
        with transaction(self.connection):
            return writing.undo(self.connection, annotator, last)

    def effect_of_word(self, annotator: str, word: str, rule: WordRule) -> WordEffect:
        """Return the effect that deciding a word would have on an annotator's open items."""
        return writing.effect_of_word(self.connection, annotator, word.strip(), rule)

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
        with transaction(self.connection):
            return writing.decide_word(self.connection, annotator, word.strip(), rule, type, last)

    def release(self, annotator: str) -> None:
        """Release the item reserved for an annotator."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))

    def assign(self, annotators: Sequence[str], double: float | None = None) -> dict[str, int]:
        """Assign the open items to annotators; return how many each has to answer."""
        with transaction(self.connection):
            if double is not None:
                assign.double(self.connection, double)
            return assign.assign(self.connection, [annotator_name(name) for name in annotators])

    def assigned(self) -> dict[str, int]:
        """Return how many open items are assigned to each annotator."""
        return assign.assigned(self.connection)

    def double(self, share: float) -> int:
        """Let two annotators answer a share of the expert's items; return how many are doubled."""
        with transaction(self.connection):
            return assign.double(self.connection, share)
