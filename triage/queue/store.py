"""The queue: one file that holds the messages, what was decided of them, and by whom."""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import TriageError
from ..vocabulary import IdentifierType, Span, Spans
from . import assign, cells, history, listing, reading, schema, word_rules
from .records import (
    Answer,
    Done,
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
from .resolved import Resolved, resolved
from .status import status
from .writing import (
    DecisionKind,
    Said,
    annotator_name,
    check_last,
    no_such_item,
    record,
    reserve,
    said_of,
    stands,
    transaction,
    undo,
)

# An annotator who goes for a coffee keeps the item that they look at.
_RESERVED_FOR = 600.0


@dataclass(frozen=True)
class About:
    """Where the messages of a queue came from.

    Parameters
    ----------
    name : str
        Of the file.
    columns : tuple of str
        Of the file, those of `triage classify` included.
    text_column, id_column, sender_column : str
        Empty where there is none.
    ta_from : float
        The score from which the model said TA.
    format : str
        Of the file, as its usual extension.
    separator, line_terminator : str
        Of a text file.
    bom : bool
        Whether it began with a byte order mark.
    """

    name: str
    columns: tuple[str, ...]
    text_column: str
    id_column: str
    sender_column: str
    ta_from: float
    format: str = "csv"
    separator: str = ""
    line_terminator: str = "\n"
    bom: bool = False


class Queue:
    """Messages that an expert must see, and what was decided of them.

    An item is a distinct text: one decision on it serves every message that reads so. One
    thread at a time uses a `Queue`; several processes may have the same file open.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds, for reservations.

    See Also
    --------
    triage.queue.fill : makes a queue of a triaged file.
    """

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
        """Make an empty queue, in a file that only its owner may read.

        Raises
        ------
        TriageError
            If the file is there already or cannot be made.
        """
        queue = cls(schema.create(Path(path)), Path(path))
        with transaction(queue.connection):
            for name, value in asdict(about).items():
                queue.connection.execute(
                    "INSERT INTO about VALUES (?, ?)", (name, json.dumps(value))
                )
        return queue

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a queue.

        Raises
        ------
        TriageError
            If it is missing, cannot be read, is no queue or one of another version.
        """
        return cls(schema.connect(Path(path)), Path(path))

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
        """Return where the messages came from."""
        kept = dict(self.connection.execute("SELECT name, value FROM about").fetchall())
        values = {field.name: json.loads(kept[field.name]) for field in fields(About)}
        return About(**values | {"columns": tuple(values["columns"])})

    def item(self, number: int) -> Item | None:
        """Return an item with all that a page shows; None if there is no such item."""
        return reading.item(self.connection, number)

    def next(
        self,
        annotator: str,
        filters: Filters = Filters(),  # noqa: B008 (frozen)
        order: Order = Order.LEARNING,
        *,
        after: int | None = None,
    ) -> int | None:
        """Return the item that an annotator should see now, and reserve it for them.

        Parameters
        ----------
        after : int, optional
            An item that should not come again at once.

        Returns
        -------
        int or None
            None if none is left. Items that were skipped come behind all others.
        """
        with transaction(self.connection):
            now = self._clock()
            found = listing.next_item(self.connection, annotator, filters, order, now, after)
            if found is not None:
                reserve(self.connection, annotator, found, now + _RESERVED_FOR)
        return found

    def previous(self, annotator: str) -> int | None:
        """Return the item that an annotator decided last; None if there is none."""
        found = self.connection.execute(
            "SELECT item FROM standing WHERE annotator = ? ORDER BY decision DESC, item LIMIT 1",
            (annotator,),
        ).fetchone()
        return found[0] if found else None

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
        """Return how many items filters let through."""
        return listing.count(self.connection, annotator, filters)

    def numbers(self, annotator: str, filters: Filters) -> list[int]:
        """Return the numbers of all items that filters let through."""
        return listing.numbers(self.connection, annotator, filters)

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

    def triaged_rows(self) -> Iterator[tuple[int, list[object], str]]:
        """Yield item, row and action of each message, as `triage classify` wrote them."""
        for item, packed, action in self.connection.execute(
            "SELECT item, cells, action FROM messages ORDER BY message"
        ):
            yield item, cells.unpack(packed), action

    def suggestions(self) -> Callable[[int], Spans]:
        """Return a function that gives the spans suggested in an item, whatever its votes."""
        return reading.suggestions(self.connection)

    def resolved(self) -> dict[int, Resolved]:
        """Return what is final of each item that people decided, by its number."""
        return resolved(self.connection)

    def context(self, message: int, n: int = 3) -> tuple[list[Message], list[Message]]:
        """Return up to `n` messages of the same sender before a message, and after it."""
        return reading.context(self.connection, message, n)

    def progress(self, annotator: str) -> Progress:
        """Return how far an annotator is, and the corpus."""
        return history.progress(self.connection, annotator)

    def status(self) -> Status:
        """Return what the queue holds, how far it is, and how far annotators agree."""
        return status(self.connection)

    def history(
        self, annotator: str | None = None, limit: int = 20, *, reader: str | None = None
    ) -> list[Done]:
        """Return decisions, the newest first.

        Parameters
        ----------
        annotator : str, optional
            Whose; by default everybody's.
        reader : str, optional
            From whom others' answers to open items are withheld, so that two who both answer an
            item do so without knowing of each other's answer.
        """
        return history.history(self.connection, annotator, limit, reader)

    def last_decision(self, annotator: str) -> int:
        """Return the number of an annotator's last decision, 0 if there is none."""
        return history.last_decision(self.connection, annotator)

    def word_lists(self) -> tuple[list[str], list[str]]:
        """Return the corpus's own lists: words that always, and that never, are a name."""
        return reading.word_lists(self.connection)

    def spellings(self, words: Collection[str]) -> list[str]:
        """Return words in all the ways in which the corpus writes them."""
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
        """Record what an annotator says of an item.

        Parameters
        ----------
        spans : sequence of Span
            The identifiers, where the answer is TA.
        seen : int, optional
            The decision of this annotator that they were shown with the item, 0 for none. It is
            compared in the transaction that writes, so that no answer replaces one that the
            annotator has not seen; by default nothing is compared.

        Returns
        -------
        int or None
            The decision's number; None where `seen` is given and the same answer stands already.

        Raises
        ------
        NoSuchItemError
            If there is no such item.
        StaleAnswerError
            If another answer of this annotator stands than the one seen.
        TriageError
            If the spans do not fit the text or the answer.
        """
        return self._decide(annotator, item, answer, spans, DecisionKind.MESSAGE, seen=seen)

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
        """Record which answer to an item is right, whatever its annotators say.

        Parameters
        ----------
        annotator : str
            Who adjudicates.
        item, answer, spans, seen
            As for `decide`; `seen` is the annotator's ruling on the item.
        own : bool
            Whether somebody who has answered the item may adjudicate it.

        Returns
        -------
        int or None
            As for `decide`.

        Raises
        ------
        NoSuchItemError, StaleAnswerError
            As for `decide`.
        TriageError
            As for `decide`, or if the annotator has answered the item and `own` is not said.
        """
        kind = DecisionKind.ADJUDICATION
        return self._decide(annotator, item, answer, spans, kind, seen=seen, own=own)

    def _decide(
        self,
        annotator: str,
        item: int,
        answer: Answer,
        spans: Sequence[Span],
        kind: DecisionKind,
        *,
        seen: int | None,
        own: bool = True,
    ) -> int | None:
        name = annotator_name(annotator)
        with transaction(self.connection):
            said = said_of(self.connection, item, answer, spans)
            found = None if own else reading.item(self.connection, item)
            if found and found.answered_by(name):
                raise TriageError(
                    f"item {item}: {name} has answered it, and somebody else adjudicates; to do "
                    "so all the same, say --adjudicate-own"
                )
            if seen is not None and stands(self.connection, name, kind, said, seen):
                return None
            return record(self.connection, name, kind, [said], answer=answer)

    def decide_all(
        self, annotator: str, items: Sequence[int], answer: Answer, *, last: int | None = None
    ) -> int:
        """Record one answer to several items, as one decision.

        Where it is TA, the words that are suggested in each are its identifiers.

        Parameters
        ----------
        last : int, optional
            The last decision of this annotator that they know of, 0 for none; compared in the
            transaction that writes.

        Raises
        ------
        NoSuchItemError
            If there is no such item.
        StaleAnswerError
            If the annotator has decided something since `last`.
        """
        with transaction(self.connection):
            check_last(self.connection, annotator, last)
            said = []
            for number in dict.fromkeys(items):
                found = reading.item(self.connection, number)
                if not found:
                    raise no_such_item(number)
                spans = found.suggested_spans if answer is Answer.TA else ()
                said.append(Said(number, answer, spans))
            name = annotator_name(annotator)
            return record(self.connection, name, DecisionKind.MESSAGE, said, answer=answer)

    def checked(self, item: int, answer: Answer, spans: Sequence[Span]) -> Said:
        """Check an answer as `decide` does, and record nothing.

        Raises
        ------
        NoSuchItemError
            If there is no such item.
        TriageError
            If the spans do not fit the text or the answer.
        """
        return said_of(self.connection, item, answer, spans)

    def record_imports(self, said: Mapping[str, Sequence[Said]]) -> None:
        """Record what was decided elsewhere, by annotator: all of it or nothing.

        Of each annotator it is one decision, which they can undo.

        Raises
        ------
        TriageError
            If there is no such item, or spans do not fit its text or the answer.
        """
        with transaction(self.connection):
            for annotator, answers in sorted(said.items()):
                checked = [said_of(self.connection, *one) for one in answers]
                name = annotator_name(annotator)
                record(self.connection, name, DecisionKind.IMPORT, checked)

    def undo(self, annotator: str, *, last: int | None = None) -> Done | None:
        """Take back an annotator's last decision; return it, None where there is none.

        Raises
        ------
        StaleAnswerError
            If the annotator has decided something since `last`, as for `decide_all`.
        """
        with transaction(self.connection):
            check_last(self.connection, annotator, last)
            return undo(self.connection, annotator_name(annotator))

    def effect_of_word(self, annotator: str, word: str, rule: WordRule) -> WordEffect:
        """Return what a decision of a word would do to an annotator's open items.

        Raises
        ------
        TriageError
            If it is not one word.
        """
        return word_rules.effect(self.connection, annotator, word.strip(), rule)

    def decide_word(
        self,
        annotator: str,
        word: str,
        rule: WordRule,
        type: IdentifierType = IdentifierType.PRE,  # noqa: A002
        *,
        last: int | None = None,
    ) -> int:
        """Record that a word always, or never, is a name, and what follows for open items.

        Parameters
        ----------
        word : str
            However written: case, accents and apostrophes do not matter.
        type : IdentifierType
            What it is where it always is a name.
        last : int, optional
            As for `decide_all`.

        Returns
        -------
        int
            The decision's number; undoing it takes all back.

        Raises
        ------
        StaleAnswerError
            As for `decide_all`.
        TriageError
            If it is not one word.
        """
        word = word.strip()
        with transaction(self.connection):
            check_last(self.connection, annotator, last)
            said = list(word_rules.said_by(self.connection, annotator, word, rule, type))
            return record(
                self.connection,
                annotator_name(annotator),
                DecisionKind.WORD,
                said,
                word=word,
                rule=rule.value,
                type_=type.value if rule is WordRule.ALWAYS else "",
            )

    def release(self, annotator: str) -> None:
        """Give back what is reserved for an annotator."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))

    def assign(self, annotators: Sequence[str], double: float | None = None) -> dict[str, int]:
        """Share the open items out.

        Parameters
        ----------
        annotators : sequence of str
            With none, every open item is anybody's again.
        double : float, optional
            The share of the expert's items that two annotators answer; by default as it is.

        Returns
        -------
        dict of str to int
            Items that each is to answer.

        Raises
        ------
        TriageError
            If an annotator is named twice, or items are doubled and there is one annotator.
        """
        with transaction(self.connection):
            if double is not None:
                assign.double(self.connection, double)
            return assign.assign(self.connection, [annotator_name(name) for name in annotators])

    def assigned(self) -> dict[str, int]:
        """Return how many open items are assigned to each annotator."""
        return assign.assigned(self.connection)

    def double(self, share: float) -> int:
        """Have a share of the expert's items answered by two annotators; return how many are."""
        with transaction(self.connection):
            return assign.double(self.connection, share)

    def disagreements(self) -> list[int]:
        """Return the items on which annotators differ, not yet adjudicated."""
        return listing.numbers(self.connection, "", Filters(state=State.DISAGREED))
