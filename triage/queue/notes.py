"""Notes on items: what an annotator remarks, and whether they ask the others."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

from ..errors import TriageError

LONGEST_NOTE = 2_000

# The last note of each annotator on an item counts. Who has yet to answer an item that two read
# does not see the notes of the other.
_CURRENT = (
    "FROM notes n JOIN items i USING (item) WHERE n.note = (SELECT max(m.note) FROM notes m "
    "WHERE m.item = n.item AND m.annotator = n.annotator) AND (n.text <> '' OR n.asks) "
    "AND (n.annotator = :reader OR i.state <> 'open' OR i.wanted = 1)"
)
_NOTE = "SELECT n.item, n.annotator, n.at, n.text, n.asks"


@dataclass(frozen=True)
class Note:
    """An annotator's remark on an item."""

    item: int
    annotator: str
    at: str
    text: str
    asks: bool


@dataclass(frozen=True)
class Question:
    """A note that asks, and the text of its item."""

    note: Note
    text: str


def record(
    connection: sqlite3.Connection, annotator: str, item: int, text: str, *, asks: bool
) -> bool:
    """Record an annotator's note on an item; return whether it differs from the last one."""
    text = "\n".join(text.split("\r\n")).strip()
    if len(text) > LONGEST_NOTE:
        raise TriageError(f"item {item}: a note has at most {LONGEST_NOTE:,} characters")
    last = connection.execute(
        "SELECT text, asks FROM notes WHERE item = ? AND annotator = ? ORDER BY note DESC LIMIT 1",
        (item, annotator),
    ).fetchone()
    if (last or ("", 0)) == (text, int(asks)):
        return False
    connection.execute(
        "INSERT INTO notes (at, annotator, item, text, asks) VALUES (?, ?, ?, ?, ?)",
        (datetime.now(UTC).isoformat(timespec="seconds"), annotator, item, text, int(asks)),
    )
    return True


def notes(connection: sqlite3.Connection, item: int, reader: str) -> list[Note]:
    """Return the notes on an item that a reader may see, in order."""
    found = connection.execute(
        f"{_NOTE} {_CURRENT} AND n.item = :item ORDER BY n.note",
        {"item": item, "reader": reader},
    )
    return [_note(row) for row in found.fetchall()]


def questions(connection: sqlite3.Connection, reader: str) -> list[Question]:
    """Return the items on which somebody asks, as far as a reader may see it, in order."""
    found = connection.execute(
        f"{_NOTE}, (SELECT t.text FROM texts t WHERE t.item = n.item) {_CURRENT} "  # noqa: S608
        "AND n.asks ORDER BY n.note",
        {"reader": reader},
    )
    return [Question(_note(row[:-1]), row[-1]) for row in found.fetchall()]


def _note(row: tuple[int, str, str, str, int]) -> Note:
    item, annotator, at, text, asks = row
    return Note(item, annotator, at, text, bool(asks))
