"""Filling a queue from a triaged file: messages, their words, and how each vote saw them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from triage.data import MessageFile, as_text
from triage.dictionaries import LabelledMessages

from ..decide.corpus import CorpusPass, ScoredChunk, StartProgress, used_chunks
from ..decide.pipeline import COLUMNS, Triage
from ..decide.run_record import read_record
from ..decide.seek_hide import verdicts
from ..decide.source import Chunk, Source, whole_chunks
from ..errors import TriageError
from ..model.annotated import sender_position
from ..safe import Staged
from . import schema
from .conversation import Conversations
from .corpus_writer import CorpusWriter, Entries, WordColumns, WordReader
from .reading import votes_of
from .records import About, Votes
from .store import Queue


@dataclass
class Filled:
    """Numbers of what a file has added."""

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
    jobs: int = 1,
) -> Filled:
    """Make a queue of a triaged file; it appears whole or not at all."""
    target = Path(path)
    schema.check_free(target)
    with Staged(target, private=True) as staged:
        with (
            source.open() as file,
            schema.trouble(target),
            Queue.create(staged.place, _about(file, source, triage, target.parent)) as queue,
            schema.writing_fast(queue.connection),
        ):
            filled = _fill(queue, file, source, triage, progress, jobs, shared=False)
            if double is not None:
                queue.double(double)
        # Another may have been made meanwhile.
        schema.check_free(target)
        staged.commit()
    return filled


def add_to_queue(
    queue: Queue,
    source: Source,
    triage: Triage,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Filled:
    """Add a triaged file to a queue, while others may use it."""
    with source.open() as file:
        about = _about(file, source, triage, queue.path.parent)
        if about.columns != queue.about.columns:
            raise TriageError(
                f"{file.name} has other columns than {queue.about.name}, which the queue was made "
                "from: make a queue of its own",
                "other_columns",
                file=file.name,
            )
        return _fill(queue, file, source, triage, progress, jobs, shared=True)


def _about(file: MessageFile, source: Source, triage: Triage, folder: Path) -> About:
    missing = [column for column in COLUMNS if column not in file.columns]
    if missing:
        raise TriageError(
            f"{file.name} has no column {missing[0]!r}: a queue is made of what triage classify "
            "wrote",
            "not_triaged",
            file=file.name,
        )
    run = read_record(source.path)
    sender = sender_position(file.columns, source.reading.sender_column, file.name)
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
        run.text(folder) if run else "",
    )


def _fill(
    queue: Queue,
    file: MessageFile,
    source: Source,
    triage: Triage,
    progress: StartProgress | None,
    jobs: int,
    *,
    shared: bool,
) -> Filled:
    sender = sender_position(file.columns, source.reading.sender_column, file.name)
    filled = Filled()
    whose = file.columns[sender] if sender is not None else ""
    conversations = Conversations.of(file.columns, whose)
    entries = Entries(file.columns.index("evidence"), conversations)
    writer = CorpusWriter(queue.connection, triage.model.manifest.ta_from, shared=shared)
    words = WordReader()

    def prepared(seen: ScoredChunk) -> tuple[Chunk, WordColumns, int]:
        n_other = _n_other(seen.scored.labelled, _votes(file, seen.chunk))
        return seen.chunk, words.read(seen.scored), n_other

    corpus = CorpusPass(_triaged(file, sender), file.lines, jobs=jobs)
    with (
        used_chunks(triage, corpus, prepared, progress) as used,
        _without_foreign_keys(queue.connection),
    ):
        for chunk, of_words, n_other in used:
            ids = chunk.ids if file.id_column else [""] * len(chunk.ids)
            writer.write(entries.of(chunk, of_words.by_message(), ids, _votes(file, chunk)))
            filled.other_labels += n_other
        writer.finish()
    filled.messages, filled.new, filled.expert = writer.n_messages, writer.n_new, writer.n_expert
    filled.items = queue.status().items
    return filled


def _triaged(file: MessageFile, sender: int | None) -> Iterator[Chunk]:
    """Yield the chunks of a file; all rows are checked before the first of them is written."""
    for chunk in whole_chunks(file, sender):
        _votes(file, chunk)
        yield chunk


@contextmanager
def _without_foreign_keys(connection: sqlite3.Connection) -> Iterator[None]:
    """Insert rows without a look-up for each: their numbers come from this program."""
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _votes(file: MessageFile, chunk: Chunk) -> list[Votes]:
    """Read the decision on each message; TriageError with the line of the first invalid one."""
    at = [file.columns.index(column) for column in COLUMNS[:4]]
    found = []
    for row, line in zip(chunk.rows, chunk.lines, strict=True):
        seek_hide, model, score, action = (as_text(row[i]) for i in at)
        try:
            found.append(votes_of(seek_hide, model, _score(score), action))
        except ValueError:
            raise TriageError(
                f"{file.name}, line {line}: its columns {', '.join(COLUMNS[:4])} do not hold what "
                "triage classify writes; classify the messages again",
                "not_triaged",
                file=file.name,
            ) from None
    return found


def _score(cell: str) -> float:
    score = float(cell)
    if not 0 <= score <= 1:
        raise ValueError(cell)
    return score


def _n_other(labelled: LabelledMessages, votes: list[Votes]) -> int:
    """Count messages on which Seek&Hide votes otherwise here, strict or not."""
    both = zip(verdicts(labelled), verdicts(labelled, strict=True), votes, strict=True)
    return sum(vote.seek_hide not in (loose, strict) for loose, strict, vote in both)
