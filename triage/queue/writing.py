"""Writing a queue: each call is one transaction, on the disk when it returns."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from triage.data.formula import is_formula

from ..errors import TriageError
from ..vocabulary import Span, Spans, check_spans, parse_spans
from .history import decision, last_decision
from .records import Answer, Done
from .settle import restand, settle
from .spans import packed

_LONGEST_NAME = 60


class DecisionKind(StrEnum):
    """What sort of decision was made."""

    MESSAGE = "message"
    WORD = "word"
    UNDO = "undo"
    IMPORT = "import"
    ADJUDICATION = "adjudication"


class NoSuchItemError(TriageError):
    """The queue has no item of this number."""


class StaleAnswerError(TriageError):
    """The annotator has decided something else since they were shown what they answer."""


class Said(NamedTuple):
    """What a decision says of an item."""

    item: int
    answer: Answer
    spans: Spans


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make all that is written within appear together, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def annotator_name(name: str) -> str:
    """Return an annotator's name as it is kept.

    Raises
    ------
    TriageError
        If it is empty, too long, not printable, or begins like a formula: it is written to tables.

    Examples
    --------
    >>> annotator_name(" anna ")
    'anna'
    """
    kept = name.strip()
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable() or is_formula(kept):
        raise TriageError(
            f"an annotator's name has 1 to {_LONGEST_NAME} printable characters and does not begin "
            "with =, +, - or @: give another with --annotator"
        )
    return kept


def said_of(
    connection: sqlite3.Connection, item: int, answer: Answer, spans: Sequence[Span]
) -> Said:
    """Check what is said of an item.

    Raises
    ------
    NoSuchItemError
        If there is no such item.
    TriageError
        If the spans do not fit its text or the answer.
    """
    found = connection.execute("SELECT text FROM texts WHERE item = ?", (item,)).fetchone()
    if not found:
        raise no_such_item(item)
    if spans and answer is not Answer.TA:
        raise TriageError(f"item {item}: only a message that is TA has identifiers to mark")
    return Said(item, answer, check_spans(spans, len(found[0])))


def no_such_item(item: int) -> NoSuchItemError:
    """Return the error for an item that is not in the queue."""
    return NoSuchItemError(f"there is no item {item} in this queue")


def stands(
    connection: sqlite3.Connection, annotator: str, kind: DecisionKind, said: Said, seen: int
) -> bool:
    """Tell whether an answer stands already, so that it is not recorded twice.

    A click may come twice, and a form that got no reply is sent again.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    annotator : str
    kind : DecisionKind
    said : Said
    seen : int
        The annotator's decision of this item that they were shown, 0 for none.

    Raises
    ------
    StaleAnswerError
        If another answer stands than the one seen.
    """
    # A ruling stands only while it is the last one.
    decision, answer, spans = connection.execute(
        "SELECT decision, iif(adjudicates, final, answer), spans FROM standing "
        "JOIN items USING (item) WHERE item = ? AND annotator = ? AND adjudicates = ?",
        (said.item, annotator, kind is DecisionKind.ADJUDICATION),
    ).fetchone() or (0, None, "[]")
    if (answer, parse_spans(spans)) == (said.answer, said.spans):
        # A message that was skipped, and comes again, may be skipped again.
        return not (said.answer is Answer.SKIP and decision == seen)
    if decision != seen:
        raise StaleAnswerError(f"item {said.item}: {annotator} has answered it since")
    return False


def check_last(connection: sqlite3.Connection, annotator: str, last: int | None) -> None:
    """Check that an annotator has decided nothing since a decision.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    annotator : str
    last : int, optional
        The decision, 0 for none; None checks nothing.

    Raises
    ------
    StaleAnswerError
        If the annotator has.
    """
    if last is not None and last_decision(connection, annotator) != last:
        raise StaleAnswerError(f"{annotator} has decided something since")


def record(
    connection: sqlite3.Connection,
    annotator: str,
    kind: DecisionKind,
    said: Sequence[Said],
    *,
    answer: Answer | None = None,
    word: str = "",
    rule: str = "",
    type_: str = "",
) -> int:
    """Append a decision and what it says of items.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    annotator : str
    kind : DecisionKind
    said : sequence of Said
    answer : Answer, optional
        Where it is the same for all.
    word, rule, type_ : str
        Of a decision of a word.

    Returns
    -------
    int
        The decision's number.
    """
    made = connection.execute(
        "INSERT INTO decisions (at, annotator, kind, answer, word, rule, type) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (_now(), annotator, kind.value, answer and answer.value, word, rule, type_),
    )
    number = int(made.lastrowid or 0)
    rows = [(number, s.item, s.answer.value, packed(s.spans)) for s in said]
    connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
    adjudicates = int(kind is DecisionKind.ADJUDICATION)
    connection.executemany(
        "INSERT OR REPLACE INTO standing (decision, item, answer, spans, annotator, adjudicates) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ((*row, annotator, adjudicates) for row in rows),
    )
    settle(connection, (s.item for s in said))
    connection.executemany(
        "DELETE FROM reserved WHERE item = ? AND annotator = ?",
        ((s.item, annotator) for s in said),
    )
    return number


def undo(connection: sqlite3.Connection, annotator: str) -> Done | None:
    """Take back an annotator's last decision that stands.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    annotator : str

    Returns
    -------
    Done or None
        The decision that was taken back; None where there is none.
    """
    found = connection.execute(
        "SELECT decision FROM decisions d WHERE annotator = ? AND kind <> 'undo' "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision) "
        "ORDER BY decision DESC LIMIT 1",
        (annotator,),
    ).fetchone()
    if not found:
        return None
    connection.execute(
        "INSERT INTO decisions (at, annotator, kind, undoes) VALUES (?, ?, 'undo', ?)",
        (_now(), annotator, found[0]),
    )
    done = decision(connection, found[0])
    restand(connection, done.items, annotator)
    return done


def reserve(connection: sqlite3.Connection, annotator: str, item: int, until: float) -> None:
    """Keep an item for an annotator for a while, and no other."""
    connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))
    connection.execute("INSERT INTO reserved VALUES (?, ?, ?)", (item, annotator, until))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
