"""Writing messages, texts and words into the file of a queue, in short transactions."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ..vocabulary import Action
from .assign import chance, double_new
from .entries import Entry, FormRow
from .order import BEHIND, keys
from .settle import settle, tally
from .writing import transaction

_Row = TypeVar("_Row")
# Written within about a tenth of a second.
_AT_ONCE = 300
# Who waits for the file looks at least this often whether it is free (SQLite's busy handler).
_BREAK = 0.1


class CorpusWriter:
    """Writes messages and their words.

    After each transaction the queue is whole: items of what was written have their words, counts
    and state. What the file knows already is looked up once; what others add meanwhile is looked
    up before each transaction.

    Parameters
    ----------
    ta_from : float
        The score from which the model said TA.
    shared : bool
        Whether others may be at work on the file. Transactions are short then, with a break after
        each, so that nobody waits long.

    Attributes
    ----------
    n_messages, n_new, n_expert : int
        Messages written; those that the file did not hold; those of the expert.
    """

    def __init__(self, connection: sqlite3.Connection, ta_from: float, *, shared: bool) -> None:
        self.n_messages = self.n_new = self.n_expert = 0
        self._connection = connection
        self._ta_from = ta_from
        self._shared = shared
        # Rows are numbered from 1 and never deleted: those of others come after these.
        self._known: set[bytes] = set()
        self._items: dict[bytes, int] = {}
        self._forms: dict[tuple[str, str], int] = {}
        self._forms_written: set[int] = set()

    def write(self, entries: Sequence[Entry]) -> None:
        """Write messages."""
        self._in_turn(entries, self._write)

    def finish(self) -> None:
        """Find the order in which the expert's items come; all others stand behind them."""
        rows = self._connection.execute(
            "SELECT item, score, n_messages, turn FROM items WHERE n_expert > 0 ORDER BY item"
        ).fetchall()
        turns = keys([row[1] for row in rows], self._ta_from, [row[2] for row in rows])
        moved = [
            (turn, item)
            for turn, (item, _, _, before) in zip(turns, rows, strict=True)
            if turn != before
        ]
        others = self._connection.execute(
            "SELECT item FROM items WHERE n_expert = 0 AND turn <> ?", (BEHIND,)
        ).fetchall()
        self._in_turn([*moved, *((BEHIND, item) for (item,) in others)], self._move)

    def _in_turn(self, rows: Sequence[_Row], act: Callable[[Sequence[_Row]], None]) -> None:
        size = _AT_ONCE if self._shared else max(1, len(rows))
        for start in range(0, len(rows), size):
            if start:
                time.sleep(_BREAK)
            with transaction(self._connection):
                act(rows[start : start + size])

    def _move(self, turns: Sequence[tuple[float, int]]) -> None:
        self._connection.executemany("UPDATE items SET turn = ? WHERE item = ?", turns)

    def _write(self, entries: Sequence[Entry]) -> None:
        self._look_up_what_is_new()
        known = {self._items[e.digest] for e in entries if e.digest in self._items}
        tally(self._connection, known, -1)
        self._add_items(entries)
        self._write_messages(entries)
        self._write_words(entries)
        self._bring_up_to_date({self._items[entry.digest] for entry in entries})

    def _look_up_what_is_new(self) -> None:
        look_up = self._connection.execute
        n_messages, n_items, n_forms = map(len, (self._known, self._items, self._forms))
        rows = look_up("SELECT key FROM messages WHERE message > ?", (n_messages,))
        self._known.update(key for (key,) in rows)
        self._items.update(
            look_up("SELECT digest, item FROM items WHERE item > ?", (n_items,)).fetchall()
        )
        rows = look_up("SELECT text, kind, form FROM forms WHERE form > ?", (n_forms,))
        self._forms.update({(text, kind): form for text, kind, form in rows})

    def _add_items(self, entries: Sequence[Entry]) -> None:
        """Write the texts that the file does not hold."""
        items, texts = [], []
        for entry in entries:
            if entry.digest not in self._items:
                item = self._items[entry.digest] = len(self._items) + 1
                items.append((item, entry.digest, _shuffled(entry.digest), BEHIND))
                texts.append((item, entry.text))
        self._connection.executemany(
            "INSERT INTO items (item, digest, shuffled, turn) VALUES (?, ?, ?, ?)", items
        )
        self._connection.executemany("INSERT INTO texts VALUES (?, ?)", texts)

    def _write_messages(self, entries: Sequence[Entry]) -> None:
        old, new = [], []
        for entry in entries:
            vote = entry.votes
            self.n_expert += vote.action is Action.EXPERT
            said = (vote.seek_hide.value, vote.model.value, vote.score, vote.action.value)
            if entry.key in self._known:
                old.append((*said, entry.evidence, entry.cells, entry.key))
            else:
                whose = (entry.id, entry.sender, self._items[entry.digest], entry.cells)
                new.append((entry.key, *whose, *said, entry.evidence))
        self._connection.executemany(_UPDATE_MESSAGE, old)
        self._connection.executemany(_INSERT_MESSAGE, new)
        self._known.update(row[0] for row in new)
        self.n_messages += len(entries)
        self.n_new += len(new)

    def _write_words(self, entries: Sequence[Entry]) -> None:
        """Write the words of texts, in the place of those that the file holds."""
        forms: list[tuple[object, ...]] = []
        words: list[tuple[object, ...]] = []
        written = [(self._items[e.digest], e.words) for e in entries if e.words is not None]
        for item, held in written:
            for start, end, form, evidence, suggested in held:
                number = self._number(form, forms)
                words.append((item, start, end, number, evidence, suggested))
        self._connection.executemany(_WRITE_FORM, forms)
        self._connection.executemany(
            "DELETE FROM words WHERE item = ?", ((item,) for item, _ in written)
        )
        self._connection.executemany("INSERT INTO words VALUES (?, ?, ?, ?, ?, ?)", words)

    def _number(self, form: FormRow, rows: list[tuple[object, ...]]) -> int:
        """Return the number of a distinct word; one not met before gets a row."""
        number = self._forms.setdefault((form.text, form.kind), len(self._forms) + 1)
        if number not in self._forms_written:
            self._forms_written.add(number)
            rows.append((number, *form))
        return number

    def _bring_up_to_date(self, items: Iterable[int]) -> None:
        """Have items say what their messages do."""
        chosen = {"items": json.dumps(sorted(items)), "ta_from": self._ta_from}
        self._connection.execute(_COUNTS, chosen)
        self._connection.execute(_MOST_DOUBTFUL, chosen)
        self._connection.execute(_OPENED, chosen)
        double_new(self._connection, items)
        tally(self._connection, items)
        touched = self._connection.execute(_TOUCHED, chosen).fetchall()
        settle(self._connection, [item for (item,) in touched])


def _shuffled(digest: bytes) -> int:
    return int(chance(digest, "order") * 2**62)


_WRITE_FORM = (
    "INSERT INTO forms VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (form) DO UPDATE SET "
    "label = excluded.label, reason = excluded.reason, type = excluded.type"
)
_UPDATE_MESSAGE = (
    "UPDATE messages SET seek_hide = ?, model = ?, score = ?, action = ?, evidence = ?, "
    "cells = ? WHERE key = ?"
)
_INSERT_MESSAGE = (
    "INSERT INTO messages (key, id, sender, item, cells, seek_hide, model, score, action, "
    "evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COUNTS = """
UPDATE items SET n_messages = counted.n, n_expert = counted.n_expert
FROM (
    SELECT item, count(*) AS n, sum(action = 'EXPERT') AS n_expert FROM messages
    WHERE item IN (SELECT value FROM json_each(:items)) GROUP BY item
) AS counted
WHERE counted.item = items.item
"""
# Of an item's messages the expert's come first, then the one nearest to the threshold; SQLite
# gives the other columns of the row that holds the least doubt.
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
