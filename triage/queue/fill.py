"""From a triaged file to a queue: its messages, their words, and what each vote saw in them."""

import hashlib
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from data import Chunk, MessageFile, as_text, open_messages
from dictionaries import LabelledMessages, split_all
from features.corpus_evidence import CorpusEvidence
from features.word_evidence import ScoredWords, probability

from ..errors import TriageError
from ..evidence import reason
from ..identifiers import likely_type
from ..labelled import sender_position, senders_of
from ..pipeline import COLUMNS, Triage
from ..seek_hide import verdicts
from ..verdicts import Action
from . import cells, schema
from .assign import chance
from .reading import folded, votes_of
from .records import Votes
from .schema import WORDS_OF_FORM
from .settle import settle, tally
from .store import About, Queue
from .writing import transaction

Progress = Callable[[int], None]
# A word is suggested from here on: more likely an identifier than not.
SUGGESTED_FROM = 0.5


@dataclass(frozen=True)
class Source:
    """A triaged file and how to read it.

    Parameters
    ----------
    path : str
    text_column, id_column, sender_column, encoding, separator : str, optional
        By default found out.
    """

    path: str
    text_column: str | None = None
    id_column: str | None = None
    sender_column: str | None = None
    encoding: str | None = None
    separator: str | None = None

    def open(self) -> MessageFile:
        """Open the file."""
        return open_messages(
            self.path,
            text_column=self.text_column,
            id_column=self.id_column,
            encoding=self.encoding,
            separator=self.separator,
            chunk_rows=_CHUNK_ROWS,
        )


_CHUNK_ROWS = 6_000


@dataclass
class Filled:
    """What came of a file.

    Parameters
    ----------
    messages, new : int
        Rows of the file, and those that the queue did not have.
    expert : int
        Messages for the expert.
    items : int
        Items for the expert in the whole queue.
    other_labels : int
        Messages on which Seek&Hide says something else with the dictionaries at hand.
    """

    messages: int = 0
    new: int = 0
    expert: int = 0
    items: int = 0
    other_labels: int = 0


def create_queue(
    path: str | Path,
    source: Source,
    triage: Triage,
    progress: Callable[[int | None], Progress] | None = None,
) -> Filled:
    """Make a queue of a triaged file; it appears whole or not at all.

    Parameters
    ----------
    path : str or Path
        Of the queue.
    source : Source
        What `triage classify` wrote.
    triage : Triage
        That wrote it: it tells what its votes saw in each word.
    progress : callable, optional
        Given about how many rows there are (None where unknown), returns a function that is
        called with the number of rows done.

    Returns
    -------
    Filled

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If it was not triaged, or there is something at the path already.
    """
    target = Path(path)
    if target.exists():
        raise TriageError(
            f"{target} is there already: choose another name, or add to it with triage queue add"
        )
    unfinished = target.with_name(f".unfinished-{os.getpid()}-{target.name}")
    try:
        with source.open() as file, Queue.create(unfinished, _about(file, source, triage)) as queue:
            filled = _fill(queue, file, source, triage, progress)
            # All goes into the one file before it gets its name.
            queue.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        unfinished.rename(target)
    finally:
        schema.remove(unfinished)
    return filled


def add_to_queue(
    queue: Queue,
    source: Source,
    triage: Triage,
    progress: Callable[[int | None], Progress] | None = None,
) -> Filled:
    """Add a triaged file to a queue, all of it or nothing.

    A message that is there already (same id, sender and text) gets the votes of the file; no
    decision is lost or doubled, and one on a text serves its new messages, too.

    Parameters
    ----------
    queue : Queue
    source, triage, progress
        As for `create_queue`.

    Returns
    -------
    Filled

    Raises
    ------
    DataError, TriageError
        As for `create_queue`, or if the file has other columns than those there are.
    """
    with source.open() as file:
        about = _about(file, source, triage)
        if about.columns != queue.about.columns:
            raise TriageError(
                f"{file.name} has other columns than {queue.about.name}, which the queue was made "
                "from: make a queue of its own"
            )
        return _fill(queue, file, source, triage, progress)


def _about(file: MessageFile, source: Source, triage: Triage) -> About:
    missing = [column for column in COLUMNS if column not in file.columns]
    if missing:
        raise TriageError(
            f"{file.name} has no column {missing[0]!r}: a queue is made of what triage classify "
            "wrote"
        )
    sender = sender_position(file.columns, source.sender_column, file.name)
    return About(
        Path(source.path).name,
        file.columns,
        file.text_column,
        file.id_column or "",
        "" if sender is None else file.columns[sender],
        triage.model.manifest.ta_from,
        file.format.value,
        file.dialect.separator or "",
        file.dialect.line_terminator,
        file.dialect.bom,
    )


def _fill(
    queue: Queue,
    file: MessageFile,
    source: Source,
    triage: Triage,
    progress: Callable[[int | None], Progress] | None,
) -> Filled:
    sender = sender_position(file.columns, source.sender_column, file.name)
    start = progress or (lambda _: lambda _: None)
    corpus = _gathered(file, sender, triage, start(file.lines)) if triage.weighs_corpus else None
    done = start(file.lines)
    filled = Filled()
    with _no_look_behind_each_row(queue.connection), transaction(queue.connection):
        writer = _Writer(
            queue.connection,
            triage.model.manifest.ta_from,
            file.columns.index("evidence"),
        )
        for chunk in file.chunks():
            _check_rejects(file)
            senders = senders_of(chunk.rows, sender)
            labelled = triage.label(chunk.texts, split_all(chunk.texts))
            scored = triage.score_words(labelled)
            if scored and corpus:
                scored = triage.weigh_in_corpus(labelled, scored, corpus, senders)
            votes = _votes(file, chunk)
            ids = chunk.ids if file.id_column else [""] * len(chunk.ids)
            writer.add(chunk, ids, senders, votes)
            writer.add_words(labelled, scored)
            filled.other_labels += _n_other(labelled, votes)
            done(len(chunk.rows))
        _check_rejects(file)
        writer.finish()
    filled.messages, filled.new, filled.expert = writer.n_messages, writer.n_new, writer.n_expert
    filled.items = queue.status().items
    return filled


@contextmanager
def _no_look_behind_each_row(connection: sqlite3.Connection) -> Iterator[None]:
    """Let rows in whose numbers this program itself has given, without a look for each."""
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _gathered(
    file: MessageFile, sender: int | None, triage: Triage, done: Progress
) -> CorpusEvidence:
    """Return what the messages of a file say of each other's words."""
    corpus = CorpusEvidence()
    for chunk in file.chunks():
        labelled = triage.label(chunk.texts, split_all(chunk.texts))
        scored = triage.score_words(labelled)
        if scored:
            corpus.add(labelled, scored, senders_of(chunk.rows, sender))
        done(len(chunk.rows))
    corpus.finish()
    return corpus


def _check_rejects(file: MessageFile) -> None:
    if file.rejects:
        first = file.rejects[0]
        raise TriageError(
            f"{file.name}, line {first.line}: {first.reason}; a queue wants every row, mend or "
            "remove this one"
        )


def _votes(file: MessageFile, chunk: Chunk) -> list[Votes]:
    """Read what was decided of each message.

    Raises
    ------
    TriageError
        Naming the line of the first that is none of ours.
    """
    at = [file.columns.index(column) for column in COLUMNS[:4]]
    found = []
    for row, line in zip(chunk.rows, chunk.lines, strict=True):
        seek_hide, model, score, action = (as_text(row[i]) for i in at)
        try:
            found.append(votes_of(seek_hide, model, _score(score), action))
        except ValueError:
            raise TriageError(
                f"{file.name}, line {line}: its columns {', '.join(COLUMNS[:4])} do not hold what "
                "triage classify writes; classify the messages again"
            ) from None
    return found


def _score(cell: str) -> float:
    score = float(cell)
    if not 0 <= score <= 1:
        raise ValueError(cell)
    return score


def _n_other(labelled: LabelledMessages, votes: list[Votes]) -> int:
    """Count messages on which Seek&Hide says something else here, strict or not."""
    both = zip(verdicts(labelled), verdicts(labelled, strict=True), votes, strict=True)
    return sum(vote.seek_hide not in (loose, strict) for loose, strict, vote in both)


def text_digest(text: str) -> bytes:
    """Return 16 bytes that stand for a text."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


class _Writer:
    """Writes messages and their words, within one transaction."""

    def __init__(self, connection: sqlite3.Connection, ta_from: float, evidence_at: int) -> None:
        self.n_messages = self.n_new = self.n_expert = 0
        self._connection = connection
        self._ta_from = ta_from
        self._evidence_at = evidence_at
        self._known = {key for (key,) in connection.execute("SELECT key FROM messages")}
        # Kept up to date word by word, an index takes as long as all the rest.
        connection.execute("DROP INDEX words_of_form")
        self._seen: Counter[bytes] = Counter()
        self._items: dict[bytes, int] = {}
        self._with_words: set[int] = set()
        self._forms: dict[tuple[str, str], int] = {}

    def add(self, chunk: Chunk, ids: list[str], senders: list[str], votes: list[Votes]) -> None:
        """Write the messages of a chunk."""
        why = [as_text(row[self._evidence_at]) for row in chunk.rows]
        old, new = [], []
        columns = zip(chunk.rows, chunk.texts, ids, senders, votes, why, strict=True)
        for row, text, id_, sender, vote, evidence in columns:
            self.n_expert += vote.action is Action.EXPERT
            key = self._key(id_, sender, text)
            said = (vote.seek_hide.value, vote.model.value, vote.score, vote.action.value, evidence)
            if key in self._known:
                old.append((*said, cells.pack(row), key))
            else:
                new.append((key, id_, sender, self._item(text), cells.pack(row), *said))
        self._connection.executemany(_UPDATE_MESSAGE, old)
        self._connection.executemany(_INSERT_MESSAGE, new)
        self.n_messages += len(chunk.rows)
        self.n_new += len(new)

    def _key(self, id_: str, sender: str, text: str) -> bytes:
        """Return what tells a message from others: the n-th with this id, sender and text."""
        same = text_digest("\0".join((id_, sender, text)))
        self._seen[same] += 1
        return hashlib.blake2b(same + self._seen[same].to_bytes(8), digest_size=16).digest()

    def _item(self, text: str) -> int:
        digest = text_digest(text)
        if digest in self._items:
            return self._items[digest]
        found = self._connection.execute(
            "SELECT item FROM items WHERE digest = ?", (digest,)
        ).fetchone()
        item = self._items[digest] = int(found[0]) if found else self._new_item(digest, text)
        return item

    def _new_item(self, digest: bytes, text: str) -> int:
        made = self._connection.execute(
            "INSERT INTO items (digest, shuffled) VALUES (?, ?)",
            (digest, int(chance(digest, "order") * 2**62)),
        )
        item = int(made.lastrowid or 0)
        self._connection.execute("INSERT INTO texts VALUES (?, ?)", (item, text))
        return item

    def add_words(self, labelled: LabelledMessages, scored: ScoredWords | None) -> None:
        """Write the words of each text that was not met before, with what the votes saw."""
        forms = self._known_forms(labelled)
        table = labelled.words
        evidence: list[float | None] = (
            [None] * len(table.form)
            if scored is None
            else [round(p, _DECIMALS) for p in probability(scored.log_odds).tolist()]
        )
        identifies = [word.label == "DICTIONARY" for word in labelled.labels]
        new = self._new_items(labelled)
        self._connection.executemany(
            "DELETE FROM words WHERE item = ?", ((item,) for item in new.values())
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
                    identifies[form] if p is None else p >= SUGGESTED_FROM,
                )
                for message, start, form, p in words
                if message in new
            ),
        )

    def _new_items(self, labelled: LabelledMessages) -> dict[int, int]:
        """Return the items not met before, each by its first message in the chunk."""
        new: dict[int, int] = {}
        for message, text in enumerate(labelled.messages):
            item = self._item(text)
            if item not in self._with_words:
                self._with_words.add(item)
                new[message] = item
        return new

    def _known_forms(self, labelled: LabelledMessages) -> list[int]:
        """Return the numbers of the distinct words, writing those not met before."""
        return [
            self._forms.get((word.text, word.kind.value)) or self._form(labelled, i)
            for i, word in enumerate(labelled.labels)
        ]

    def _form(self, labelled: LabelledMessages, i: int) -> int:
        word = labelled.labels[i]
        known = (word.text, word.kind.value)
        found = self._connection.execute(
            "INSERT INTO forms (text, kind, folded, label, reason, type) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (text, kind) DO UPDATE SET "
            "label = excluded.label, reason = excluded.reason, type = excluded.type "
            "RETURNING form",
            (
                *known,
                folded(word.text),
                word.label.value,
                reason(word, labelled),
                likely_type(word, labelled.lexicon).value,
            ),
        ).fetchone()
        form = self._forms[known] = int(found[0])
        return form

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


_DECIMALS = 4
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
