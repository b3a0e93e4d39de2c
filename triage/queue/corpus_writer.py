"""Writing messages, texts and words into the file of a queue, as fast as it takes them."""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Sequence

from triage.data import Chunk, as_text
from triage.data.values import whole_characters
from triage.dictionaries import Label, LabelledMessages
from triage.dictionaries.normal import folded
from triage.features.word_evidence import ScoredWords, probability

from ..evidence import reason
from ..identifiers import likely_type
from ..verdicts import Action
from . import cells
from .assign import chance
from .order import keys
from .records import Votes
from .schema import WORDS_OF_FORM
from .settle import settle, tally

# A word is suggested from here on. On the first 4,000 messages of 88milSMS, each sender held out,
# five of six such words are identifiers, and nine of ten identifiers are among them.
SUGGESTED_FROM = 0.3


def text_digest(text: str) -> bytes:
    """Return 16 bytes that stand for a text."""
    # JSON can hold half of a character, which no encoding but this one takes.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class CorpusWriter:
    """Writes messages and their words, within one transaction.

    What the file knows already is looked up once, at the start.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    ta_from : float
        The score from which the model said TA.
    evidence_at : int
        Where the evidence stands in a row.

    Attributes
    ----------
    n_messages, n_new, n_expert : int
        Messages written; those that the file did not hold; those of the expert.
    """

    def __init__(self, connection: sqlite3.Connection, ta_from: float, evidence_at: int) -> None:
        self.n_messages = self.n_new = self.n_expert = 0
        self._connection = connection
        self._ta_from = ta_from
        self._evidence_at = evidence_at
        self._known = {key for (key,) in connection.execute("SELECT key FROM messages")}
        # Kept up to date word by word, an index takes as long as all the rest.
        connection.execute("DROP INDEX words_of_form")
        self._seen: Counter[bytes] = Counter()
        self._items: dict[bytes, int] = dict(
            connection.execute("SELECT digest, item FROM items").fetchall()
        )
        self._had_words = set(self._items.values())
        self._with_words: set[int] = set()
        self._forms: dict[tuple[str, str], int] = {
            (text, kind): form
            for text, kind, form in connection.execute("SELECT text, kind, form FROM forms")
        }
        self._forms_written: set[int] = set()

    def add(self, chunk: Chunk, ids: list[str], senders: list[str], votes: list[Votes]) -> None:
        """Write the messages of a chunk.

        Parameters
        ----------
        chunk : Chunk
        ids, senders : list of str
        votes : list of Votes
        """
        self._add_items(chunk.texts)
        why = [whole_characters(as_text(row[self._evidence_at])) for row in chunk.rows]
        old, new = [], []
        columns = zip(chunk.rows, chunk.texts, ids, senders, votes, why, strict=True)
        for row, text, id_, sender, vote, evidence in columns:
            self.n_expert += vote.action is Action.EXPERT
            key = self._key(id_, sender, text)
            said = (vote.seek_hide.value, vote.model.value, vote.score, vote.action.value, evidence)
            if key in self._known:
                old.append((*said, cells.pack(row), key))
            else:
                told = whole_characters(id_), whole_characters(sender)
                new.append((key, *told, self._items[text_digest(text)], cells.pack(row), *said))
        self._connection.executemany(_UPDATE_MESSAGE, old)
        self._connection.executemany(_INSERT_MESSAGE, new)
        self.n_messages += len(chunk.rows)
        self.n_new += len(new)

    def _key(self, id_: str, sender: str, text: str) -> bytes:
        """Return what tells a message from others: the n-th with this id, sender and text."""
        same = text_digest("\0".join((id_, sender, text)))
        self._seen[same] += 1
        return hashlib.blake2b(same + self._seen[same].to_bytes(8), digest_size=16).digest()

    def _add_items(self, texts: Sequence[str]) -> None:
        """Write the texts that were not met before."""
        items, written = [], []
        for text in texts:
            digest = text_digest(text)
            if digest not in self._items:
                item = self._items[digest] = len(self._items) + 1
                items.append((item, digest, int(chance(digest, "order") * 2**62)))
                written.append((item, text))
        self._connection.executemany(
            "INSERT INTO items (item, digest, shuffled) VALUES (?, ?, ?)", items
        )
        self._connection.executemany("INSERT INTO texts VALUES (?, ?)", written)

    def add_words(self, labelled: LabelledMessages, scored: ScoredWords | None) -> None:
        """Write the words of each text that was not met before, with what the votes saw.

        Parameters
        ----------
        labelled : LabelledMessages
            Of a chunk that was added.
        scored : ScoredWords, optional
        """
        forms = self._known_forms(labelled)
        table = labelled.words
        evidence: list[float | None] = (
            [None] * len(table.form)
            if scored is None
            else [round(p, _DECIMALS) for p in probability(scored.log_odds).tolist()]
        )
        # What is known by its form is suggested whatever it weighs; without weights, any name.
        identifies = [
            word.kind.is_identifier or (scored is None and word.label is Label.DICTIONARY)
            for word in labelled.labels
        ]
        new = self._new_items(labelled)
        self._connection.executemany(
            "DELETE FROM words WHERE item = ?",
            ((item,) for item in new.values() if item in self._had_words),
        )
        columns = (table.message, table.start, table.form)
        words = zip(*(column.tolist() for column in columns), evidence, strict=True)
        length = [len(word.text) for word in labelled.labels]
        self._connection.executemany(
            "INSERT INTO words VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    new[message],
                    start,
                    start + length[form],
                    forms[form],
                    p,
                    identifies[form] or (p or 0.0) >= SUGGESTED_FROM,
                )
                for message, start, form, p in words
                if message in new
            ),
        )

    def _new_items(self, labelled: LabelledMessages) -> dict[int, int]:
        """Return the items not met before, each by its first message in the chunk."""
        new: dict[int, int] = {}
        for message, text in enumerate(labelled.messages):
            item = self._items[text_digest(text)]
            if item not in self._with_words:
                self._with_words.add(item)
                new[message] = item
        return new

    def _known_forms(self, labelled: LabelledMessages) -> list[int]:
        """Return the numbers of the distinct words, writing those not met before."""
        numbers, rows = [], []
        for word in labelled.labels:
            known = (word.text, word.kind.value)
            form = self._forms.setdefault(known, len(self._forms) + 1)
            numbers.append(form)
            if form not in self._forms_written:
                self._forms_written.add(form)
                kind = likely_type(word, labelled.lexicon).value
                why = reason(word, labelled)
                rows.append((form, *known, folded(word.text), word.label.value, why, kind))
        self._connection.executemany(_WRITE_FORM, rows)
        return numbers

    def finish(self) -> None:
        """Bring items up to date with their messages."""
        self._connection.execute(WORDS_OF_FORM)
        self._connection.execute(_COUNTS)
        self._connection.execute(_MOST_DOUBTFUL, {"ta_from": self._ta_from})
        self._connection.execute(
            "UPDATE items SET state = 'open' WHERE state = 'machine' AND n_expert > 0"
        )
        touched = self._connection.execute(
            "SELECT item FROM standing UNION "
            "SELECT item FROM items WHERE state = 'open' AND n_expert = 0"
        )
        settle(self._connection, [item for (item,) in touched])
        tally(self._connection)
        self._take_turns()

    def _take_turns(self) -> None:
        """Find the order in which the expert's items come; all others stand behind them."""
        rows = self._connection.execute(
            "SELECT item, score, n_messages FROM items WHERE n_expert > 0 ORDER BY item"
        ).fetchall()
        turns = keys([score for _, score, _ in rows], self._ta_from, [n for _, _, n in rows])
        self._connection.execute("UPDATE items SET turn = ?", (2.0 * len(rows) + 1,))
        self._connection.executemany(
            "UPDATE items SET turn = ? WHERE item = ?",
            ((turn, item) for turn, (item, _, _) in zip(turns, rows, strict=True)),
        )


_DECIMALS = 4
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
    SELECT item, count(*) AS n, sum(action = 'EXPERT') AS n_expert FROM messages GROUP BY item
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
    FROM messages GROUP BY item
) AS found
WHERE found.item = items.item
"""
