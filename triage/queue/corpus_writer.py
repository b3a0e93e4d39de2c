"""Messages with their texts and words on the way into the file of a queue."""

import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from triage.data import as_text
from triage.data.values import whole_characters
from triage.dictionaries import Label, LabelledMessages
from triage.dictionaries.labelling import LabelledWord
from triage.dictionaries.normal import folded
from triage.features.word_evidence import probability

from ..decide.pipeline import ScoredMessages
from ..decide.reasons import reason
from ..decide.source import Chunk
from ..decide.word_types import likely_type
from ..vocabulary import CERTAIN_FROM, Action
from .assign import chance, double_new
from .conversation import Conversations
from .listing import LAST_TURN, learning_order
from .records import Votes
from .schema import pack
from .settle import settle, tally
from .writing import transaction

_DECIMALS = 4
_Row = TypeVar("_Row")
# Written within about a tenth of a second.
_AT_ONCE = 300
# A process that waits for the file checks at least this often whether it is free (SQLite's busy
# handler).
_BREAK = 0.1


class FormRow(NamedTuple):
    """A row of the table `forms`: a distinct word."""

    text: str
    kind: str
    folded: str
    label: str
    reason: str
    type: str


class WordRow(NamedTuple):
    """A row of the table `words`: a word in its place."""

    start: int
    end: int
    form: FormRow
    evidence: float | None
    suggested: bool


@dataclass(frozen=True)
class Entry:
    """A message with all of its rows that do not depend on the file."""

    key: bytes
    digest: bytes
    id: str
    sender: str
    text: str
    cells: str
    votes: Votes
    evidence: str
    thread: str
    sent: str
    words: list[WordRow] | None


def text_digest(text: str) -> bytes:
    """Return a digest of a text, 16 bytes."""
    # JSON can hold half of a surrogate pair, which only this error handler encodes.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Entries:
    """Makes entries of a file, chunk by chunk; `evidence_at` is the column of evidence."""

    def __init__(self, evidence_at: int, conversations: Conversations) -> None:
        self._evidence_at = evidence_at
        self._conversations = conversations
        self._same: Counter[bytes] = Counter()
        self._with_words: set[bytes] = set()

    def of(
        self,
        chunk: Chunk,
        words: Sequence[list[WordRow]],
        ids: Sequence[str],
        votes: Sequence[Votes],
    ) -> list[Entry]:
        """Return the entries of a chunk; ids are empty where the file has none."""
        made = []
        columns = zip(chunk.rows, chunk.texts, ids, chunk.senders, votes, words, strict=True)
        for row, text, id_, sender, vote, held in columns:
            digest = text_digest(text)
            is_new = digest not in self._with_words
            self._with_words.add(digest)
            made.append(
                Entry(
                    self._key(id_, sender, text),
                    digest,
                    whole_characters(id_),
                    whole_characters(sender),
                    text,
                    pack(row),
                    vote,
                    whole_characters(as_text(row[self._evidence_at])),
                    *self._conversations.place(row),
                    held if is_new else None,
                )
            )
        return made

    def _key(self, id_: str, sender: str, text: str) -> bytes:
        same = text_digest("\0".join((id_, sender, text)))
        self._same[same] += 1
        return hashlib.blake2b(same + self._same[same].to_bytes(8), digest_size=16).digest()


class WordColumns(NamedTuple):
    """The words of some messages, column by column, small enough to come from a worker process."""

    forms: list[FormRow]
    identifies: list[bool]
    n_messages: int
    message: NDArray[np.int32]
    start: NDArray[np.int32]
    form: NDArray[np.int32]
    p: NDArray[np.float64] | None

    def by_message(self) -> list[list[WordRow]]:
        """Return the rows of the words of each message."""
        forms, identifies = self.forms, self.identifies
        found: list[list[WordRow]] = [[] for _ in range(self.n_messages)]
        evidence = [None] * len(self.form) if self.p is None else self.p.tolist()
        columns = (column.tolist() for column in (self.message, self.start, self.form))
        for message, start, at, p in zip(*columns, evidence, strict=True):
            suggested = identifies[at] or (p or 0.0) >= CERTAIN_FROM
            end = start + len(forms[at].text)
            found[message].append(WordRow(start, end, forms[at], p, suggested))
        return found


class WordReader:
    """Reads the words of messages as the queue shows them, and remembers distinct words."""

    def __init__(self) -> None:
        self._forms: dict[tuple[str, str], FormRow] = {}

    def read(self, scored: ScoredMessages) -> WordColumns:
        """Return the words of messages."""
        labelled, table = scored.labelled, scored.labelled.words
        forms = [self._form(word, labelled) for word in labelled.labels]
        # Pattern-matched identifiers are suggested whatever their evidence; without weights, any
        # name.
        identifies = [
            word.kind.is_identifier or (scored.words is None and word.label is Label.DICTIONARY)
            for word in labelled.labels
        ]
        p = None if scored.words is None else probability(scored.words.log_odds).round(_DECIMALS)
        return WordColumns(
            forms, identifies, len(labelled.messages), table.message, table.start, table.form, p
        )

    def _form(self, word: LabelledWord, labelled: LabelledMessages) -> FormRow:
        known = (word.text, word.kind.value)
        if known not in self._forms:
            self._forms[known] = FormRow(
                *known,
                folded(word.text),
                word.label.value,
                reason(word, labelled),
                likely_type(word, labelled.lexicon).value,
            )
        return self._forms[known]


class CorpusWriter:
    """Writes messages and their words."""

    def __init__(self, connection: sqlite3.Connection, ta_from: float, *, shared: bool) -> None:
        self.n_messages = self.n_new = self.n_expert = 0
        self._connection = connection
        self._ta_from = ta_from
        self._shared = shared
        # Rows are numbered from 1 and never deleted: those that others add come after these.
        self._known: set[bytes] = set()
        self._items: dict[bytes, int] = {}
        self._forms: dict[tuple[str, str], int] = {}
        self._forms_written: set[int] = set()

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
        others = self._connection.execute(
            "SELECT item FROM items WHERE n_expert = 0 AND turn <> ?", (LAST_TURN,)
        ).fetchall()
        self._in_transactions(
            [*moved, *((LAST_TURN, item) for (item,) in others)], self._write_turns
        )

    def _in_transactions(self, rows: Sequence[_Row], act: Callable[[Sequence[_Row]], None]) -> None:
        size = _AT_ONCE if self._shared else max(1, len(rows))
        for start in range(0, len(rows), size):
            if start:
                time.sleep(_BREAK)
            with transaction(self._connection):
                act(rows[start : start + size])

    def _write_turns(self, turns: Sequence[tuple[float, int]]) -> None:
        self._connection.executemany("UPDATE items SET turn = ? WHERE item = ?", turns)

    def _write(self, entries: Sequence[Entry]) -> None:
        self._read_new_keys()
        known = {self._items[e.digest] for e in entries if e.digest in self._items}
        tally(self._connection, known, -1)
        self._add_items(entries)
        self._write_messages(entries)
        self._write_words(entries)
        self._update_items({self._items[entry.digest] for entry in entries})

    def _read_new_keys(self) -> None:
        read = self._connection.execute
        n_messages, n_items, n_forms = map(len, (self._known, self._items, self._forms))
        rows = read("SELECT key FROM messages WHERE message > ?", (n_messages,))
        self._known.update(key for (key,) in rows)
        self._items.update(
            read("SELECT digest, item FROM items WHERE item > ?", (n_items,)).fetchall()
        )
        rows = read("SELECT text, kind, form FROM forms WHERE form > ?", (n_forms,))
        self._forms.update({(text, kind): form for text, kind, form in rows})

    def _add_items(self, entries: Sequence[Entry]) -> None:
        """Write the texts that are new to the file."""
        items, texts = [], []
        for entry in entries:
            if entry.digest not in self._items:
                item = self._items[entry.digest] = len(self._items) + 1
                shuffled = int(chance(entry.digest, "order") * 2**62)
                items.append((item, entry.digest, shuffled, LAST_TURN))
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
                placed = (entry.thread, entry.sent)
                old.append((*said, entry.evidence, entry.cells, *placed, entry.key))
            else:
                whose = (entry.id, entry.sender, self._items[entry.digest], entry.cells)
                new.append((entry.key, *whose, *said, entry.evidence, entry.thread, entry.sent))
        self._connection.executemany(_UPDATE_MESSAGE, old)
        self._connection.executemany(_INSERT_MESSAGE, new)
        self._known.update(row[0] for row in new)
        self.n_messages += len(entries)
        self.n_new += len(new)

    def _write_words(self, entries: Sequence[Entry]) -> None:
        """Write the words of texts and replace those that the file holds."""
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
        """Return the number of a distinct word; a new one gets a row."""
        number = self._forms.setdefault((form.text, form.kind), len(self._forms) + 1)
        if number not in self._forms_written:
            self._forms_written.add(number)
            rows.append((number, *form))
        return number

    def _update_items(self, items: Iterable[int]) -> None:
        """Update items from their messages."""
        chosen = {"items": json.dumps(sorted(items)), "ta_from": self._ta_from}
        self._connection.execute(_COUNTS, chosen)
        self._connection.execute(_MOST_DOUBTFUL, chosen)
        self._connection.execute(_OPENED, chosen)
        double_new(self._connection, items)
        tally(self._connection, items)
        touched = self._connection.execute(_TOUCHED, chosen).fetchall()
        settle(self._connection, [item for (item,) in touched])


_WRITE_FORM = (
    "INSERT INTO forms VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (form) DO UPDATE SET "
    "label = excluded.label, reason = excluded.reason, type = excluded.type"
)
_UPDATE_MESSAGE = (
    "UPDATE messages SET seek_hide = ?, model = ?, score = ?, action = ?, evidence = ?, "
    "cells = ?, thread = ?, sent = ? WHERE key = ?"
)
_INSERT_MESSAGE = (
    "INSERT INTO messages (key, id, sender, item, cells, seek_hide, model, score, action, "
    "evidence, thread, sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
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
