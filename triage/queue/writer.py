"""Writing messages, their texts and their words into the file of a queue."""

import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ..vocabulary import Action
from .queue import Queue

# The turn of an item that is not the expert's, or not known yet.
_LAST_TURN = float(2**53)
_Row = TypeVar("_Row")
# Messages that are written within about a tenth of a second.
_AT_ONCE = 300
# A process that waits for the file checks at least this often whether it is free (SQLite's busy
# handler).
_BREAK = 0.1


@dataclass
class Filled:
    """Numbers of what a file has added."""

    messages: int = 0
    new: int = 0
    expert: int = 0
    items: int = 0
    other_labels: int = 0


class Form(NamedTuple):
    """A row of the table `forms`: a distinct word."""

    text: str
    kind: str
    folded: str
    label: str
    reason: str
    type: str


# Start and end of a word, the word, its evidence, and whether it is suggested.
Words = list[tuple[int, int, Form, float | None, bool]]


class Entry(NamedTuple):
    """A message: its row of `items`, `texts` and `messages`, and the words of a new text."""

    digest: bytes
    row: dict[str, object]
    words: Words | None


class Writer:
    """Writes messages and their words; `shared` leaves room for other processes."""

    def __init__(self, queue: Queue, filled: Filled, ta_from: float, *, shared: bool) -> None:
        self._queue = queue
        self._connection = queue.connection
        self._filled = filled
        self._ta_from = ta_from
        self._shared = shared
        self._forms: dict[tuple[str, str], int] = {}

    def write(self, entries: Sequence[Entry]) -> None:
        """Write messages."""
        self._in_transactions(entries, self._write)

    def finish(self) -> None:
        """Compute the order of the expert's items; all others come after them."""
        rows = self._connection.execute(
            "SELECT item, score, n_messages, turn FROM items WHERE n_expert > 0 ORDER BY item"
        ).fetchall()
        turns = learning_order([row[1] for row in rows], self._ta_from, [row[2] for row in rows])
        moved = [
            (turn, item)
            for turn, (item, _, _, before) in zip(turns, rows, strict=True)
            if turn != before
        ]
        moved += self._connection.execute(
            "SELECT ?, item FROM items WHERE n_expert = 0 AND turn <> ?", (_LAST_TURN, _LAST_TURN)
        ).fetchall()
        self._in_transactions(moved, self._write_turns)

    def _in_transactions(self, rows: Sequence[_Row], act: Callable[[Sequence[_Row]], None]) -> None:
        size = _AT_ONCE if self._shared else max(1, len(rows))
        for start in range(0, len(rows), size):
            if start:
                time.sleep(_BREAK)
            with self._queue.transaction():
                act(rows[start : start + size])

    def _write_turns(self, turns: Sequence[tuple[float, int]]) -> None:
        self._connection.executemany("UPDATE items SET turn = ? WHERE item = ?", turns)

    def _write(self, entries: Sequence[Entry]) -> None:
        found = (self._queue.find(entry.digest) for entry in entries)
        self._queue.tally({item for item in found if item is not None}, -1)
        rows = [entry.row | {"turn": _LAST_TURN} for entry in entries]
        (before,) = self._connection.execute(_LAST_MESSAGE).fetchone()
        for statement in (_ADD_ITEM, _ADD_TEXT, _WRITE_MESSAGE):
            self._connection.executemany(statement, rows)
        (after,) = self._connection.execute(_LAST_MESSAGE).fetchone()
        self._filled.messages += len(entries)
        self._filled.new += after - before
        self._filled.expert += sum(entry.row["action"] == Action.EXPERT for entry in entries)
        items = [self._queue.find(entry.digest) or 0 for entry in entries]
        self._write_words(zip(items, entries, strict=True))
        self._update_items({*items})

    def _write_words(self, entries: Iterable[tuple[int, Entry]]) -> None:
        """Write the words of texts and replace those that the file holds."""
        written = [(item, entry.words) for item, entry in entries if entry.words is not None]
        words = [
            (item, start, end, self._number(form), evidence, suggested)
            for item, held in written
            for start, end, form, evidence, suggested in held
        ]
        self._connection.executemany(
            "DELETE FROM words WHERE item = ?", ((item,) for item, _ in written)
        )
        self._connection.executemany("INSERT INTO words VALUES (?, ?, ?, ?, ?, ?)", words)

    def _number(self, form: Form) -> int:
        """Return the number of a distinct word, which is written once."""
        number = self._forms.get(form[:2])
        if number is None:
            [(number,)] = self._connection.execute(_WRITE_FORM, form).fetchall()
            self._forms[form[:2]] = number
        return int(number)

    def _update_items(self, items: Collection[int]) -> None:
        """Update items from their messages."""
        chosen = {"items": json.dumps(sorted(items)), "ta_from": self._ta_from}
        for statement in (_COUNTS, _MOST_DOUBTFUL, _OPENED):
            self._connection.execute(statement, chosen)
        self._queue.double_new(items)
        self._queue.tally(items)
        touched = self._connection.execute(_TOUCHED, chosen).fetchall()
        self._queue.settle(item for (item,) in touched)


def learning_order(
    scores: Sequence[float], ta_from: float, n_messages: Sequence[int]
) -> list[float]:
    """Return the turn of each item: votes for TA and NTA alternate, highest scores first."""
    ranked = sorted(
        (-score, -n, number)
        for number, (score, n) in enumerate(zip(scores, n_messages, strict=True))
    )
    turns, of_kind = [0.0] * len(scores), [0, 0]
    for negative, _, number in ranked:
        kind = int(-negative < ta_from)
        turns[number] = float(2 * of_kind[kind] + kind)
        of_kind[kind] += 1
    return turns


_ADD_ITEM = (
    "INSERT INTO items (digest, shuffled, turn) VALUES (:digest, :shuffled, :turn) "
    "ON CONFLICT DO NOTHING"
)
_ADD_TEXT = (
    "INSERT INTO texts SELECT item, :text FROM items WHERE digest = :digest ON CONFLICT DO NOTHING"
)
_LAST_MESSAGE = "SELECT coalesce(max(message), 0) FROM messages"
_WRITE_MESSAGE = """
INSERT INTO messages (key, id, sender, item, cells, seek_hide, model, score, action, evidence,
    thread, sent)
VALUES (:key, :id, :sender, (SELECT item FROM items WHERE digest = :digest), :cells, :seek_hide,
    :model, :score, :action, :evidence, :thread, :sent)
ON CONFLICT (key) DO UPDATE SET seek_hide = :seek_hide, model = :model, score = :score,
    action = :action, evidence = :evidence, cells = :cells, thread = :thread, sent = :sent
"""
_WRITE_FORM = (
    "INSERT INTO forms (text, kind, folded, label, reason, type) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (text, kind) DO UPDATE SET label = excluded.label, reason = excluded.reason, "
    "type = excluded.type RETURNING form"
)
_COUNTS = """
UPDATE items SET n_messages = counted.n, n_expert = counted.n_expert
FROM (
    SELECT item, count(*) AS n, sum(action = 'EXPERT') AS n_expert FROM messages
    WHERE item IN (SELECT value FROM json_each(:items)) GROUP BY item
) AS counted
WHERE counted.item = items.item
"""
# Of an item's messages the expert's come first, then the one nearest to the threshold; SQLite takes
# the other columns from the row with the least doubt.
_MOST_DOUBTFUL = """
UPDATE items SET doubt = found.doubt, seek_hide = found.seek_hide, model = found.model,
    score = found.score, action = found.action
FROM (
    SELECT item, seek_hide, model, score, action, abs(score - :ta_from) AS doubt,
        min(abs(score - :ta_from) + 2 * (action <> 'EXPERT'))
    FROM messages WHERE item IN (SELECT value FROM json_each(:items)) GROUP BY item
) AS found
WHERE found.item = items.item
"""
_OPENED = """
UPDATE items SET state = 'open'
WHERE item IN (SELECT value FROM json_each(:items)) AND state = 'machine' AND n_expert > 0
"""
_TOUCHED = """
SELECT item FROM items WHERE item IN (SELECT value FROM json_each(:items))
AND (state = 'open' AND n_expert = 0 OR EXISTS (SELECT 1 FROM standing s WHERE s.item = items.item))
"""
