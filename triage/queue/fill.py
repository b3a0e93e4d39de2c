"""From a triaged file to a queue: its messages, their words, and what each vote saw in them."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from triage.data import MessageFile, as_text
from triage.dictionaries import LabelledMessages

from ..decide.corpus import StartProgress, weighed_chunks
from ..decide.pipeline import COLUMNS, Triage
from ..decide.seek_hide import verdicts
from ..decide.source import Source, SplitChunk, whole_chunks
from ..errors import TriageError
from ..model.annotated import sender_position
from . import schema
from .corpus_writer import CorpusWriter
from .entries import Entries
from .reading import votes_of
from .records import Votes
from .store import About, Queue


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
    progress: StartProgress | None = None,
    double: float | None = None,
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
        As for `triage.decide.corpus.weighed_chunks`.
    double : float, optional
        The share of the expert's items that two annotators answer.

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
    schema.check_free(target)
    if not target.parent.is_dir():
        raise TriageError(f"cannot write {target}: there is no folder {target.parent}")
    unfinished = target.with_name(f".unfinished-{os.getpid()}-{secrets.token_hex(4)}-{target.name}")
    try:
        with (
            source.open() as file,
            schema.trouble(target),
            Queue.create(unfinished, _about(file, source, triage)) as queue,
            schema.writing_fast(queue.connection),
        ):
            filled = _fill(queue, file, source, triage, progress, shared=False)
            if double is not None:
                queue.double(double)
        schema.publish(unfinished, target)
    finally:
        schema.remove(unfinished)
    return filled


def add_to_queue(
    queue: Queue,
    source: Source,
    triage: Triage,
    progress: StartProgress | None = None,
) -> Filled:
    """Add a triaged file to a queue, while others may be at work on it.

    A message that is there already (same id, sender and text) gets the votes of the file; no
    decision is lost or doubled, and one on a text serves its new messages, too.

    Of a file that cannot be read to its end nothing is added. Messages are written in short
    transactions, in the order of the file; where that is interrupted, those written stay, and
    adding the same file again completes the work.

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
        return _fill(queue, file, source, triage, progress, shared=True)


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
    progress: StartProgress | None,
    *,
    shared: bool,
) -> Filled:
    sender = sender_position(file.columns, source.sender_column, file.name)
    filled = Filled()
    entries = Entries(file.columns.index("evidence"))
    writer = CorpusWriter(queue.connection, triage.model.manifest.ta_from, shared=shared)
    with (
        weighed_chunks(triage, _triaged(file, sender), file.lines, progress) as weighed,
        _no_look_behind_each_row(queue.connection),
    ):
        for chunk, scored in weighed:
            votes = _votes(file, chunk)
            ids = chunk.ids if file.id_column else [""] * len(chunk.ids)
            writer.write(entries.of(chunk, scored, ids, votes))
            filled.other_labels += _n_other(scored.labelled, votes)
        writer.finish()
    filled.messages, filled.new, filled.expert = writer.n_messages, writer.n_new, writer.n_expert
    filled.items = queue.status().items
    return filled


def _triaged(file: MessageFile, sender: int | None) -> Iterator[SplitChunk]:
    """Yield the chunks of a file; all rows are checked before the first of them is written."""
    for chunk in whole_chunks(file, sender):
        _votes(file, chunk)
        yield chunk


@contextmanager
def _no_look_behind_each_row(connection: sqlite3.Connection) -> Iterator[None]:
    """Let rows in whose numbers this program itself has given, without a look for each."""
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _votes(file: MessageFile, chunk: SplitChunk) -> list[Votes]:
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
