"""A file of messages, and its chunks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import TriageError, reading
from ..safe import STANDARD_STREAM
from ..settings import Reading

if TYPE_CHECKING:
    from triage.data import MessageFile

# Small enough that deciding starts soon while reading goes on.
CHUNK_ROWS = 6_000


@dataclass(frozen=True)
class Source:
    """A file of messages and how to read it."""

    path: str
    reading: Reading = field(default_factory=Reading)

    def open(self) -> "MessageFile":
        """Open the file."""
        from triage.data import open_messages

        return open_messages(self.path, self.reading, chunk_rows=CHUNK_ROWS)

    def first_messages(self) -> Iterator[str]:
        """Yield the messages of the first chunk; none of standard input, which is read once."""
        if self.path == STANDARD_STREAM:
            return
        with self.open() as file:
            for chunk in file.chunks():
                yield from chunk.texts
                return

    @contextmanager
    def stream(self) -> "Iterator[MessageStream]":
        """Open the file to read its chunks once, the first of them ahead of its use."""
        with self.open() as file:
            yield MessageStream(file, self.reading.sender_column)


@dataclass(frozen=True)
class Request:
    """A file to triage, and where the outputs go."""

    source: Source
    output: str | None = None
    queue: str | None = None
    corpus_evidence: bool | None = None
    overwrite: bool = False
    jobs: int = 1
    bom: bool | None = None
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def with_corpus_evidence(self) -> bool:
        """Return whether the evidence of the corpus is wanted."""
        is_stream = self.source.path == STANDARD_STREAM
        return not is_stream if self.corpus_evidence is None else self.corpus_evidence

    @property
    def target(self) -> str:
        """Return where the output goes."""
        from triage.data import default_output

        if self.output:
            return self.output
        path = self.source.path
        return path if path == STANDARD_STREAM else str(default_output(path))

    @property
    def rejects(self) -> str:
        """Return where rows that cannot be read go, should there be any: beside output or input."""
        from triage.data import rejects_path

        beside = self.source.path if self.target == STANDARD_STREAM else self.target
        is_file = beside != STANDARD_STREAM and Path(beside).name
        return str(rejects_path(beside if is_file else "stdin.csv"))

    @property
    def record(self) -> Path | None:
        """Return where the record of the run goes: beside the output, unless that is a stream."""
        from triage.data import run_path

        return run_path(self.target)

    def check_paths(self, also_read: Iterable[Path] = ()) -> None:
        """Check that the file is there, and that its outputs can be written and replace nothing."""
        from ..safe import check_targets

        path = self.source.path
        if path != STANDARD_STREAM:
            # A default output beside it would be missed first.
            with reading(path):
                Path(path).stat()
        check_targets(
            (self.target, self.queue, self.rejects),
            [path, *also_read],
            records=[self.record],
            overwrite=self.overwrite,
        )


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file, their messages, ids, lines and senders."""

    rows: list[list[object]]
    texts: list[str]
    ids: list[str]
    lines: list[int]
    senders: list[str]
    first: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.rows)


class MessageStream:
    """An open file, of which the chunks are read once."""

    def __init__(self, file: "MessageFile", sender_column: str | None) -> None:
        from ..model.annotated import sender_position

        self.file = file
        at = sender_position(file.columns, sender_column, file.name)
        self.sender = at
        self.sender_column = None if at is None else file.columns[at]
        self._chunks = chunks_of(file, at)

    def first_messages(self) -> Sequence[str]:
        """Return the messages of the first chunk, ahead of its use."""
        first = next(self._chunks, None)
        if first is None:
            return ()
        self._chunks = chain([first], self._chunks)
        return first.texts

    def chunks(self) -> Iterator[Chunk]:
        """Return the chunks."""
        return self._chunks


def chunks_of(file: "MessageFile", sender: int | None) -> Iterator[Chunk]:
    """Yield the chunks of an open file, from its first row on."""
    from ..model.annotated import senders_of

    first = 0
    for chunk in file.chunks():
        senders = senders_of(chunk.rows, sender)
        yield Chunk(chunk.rows, chunk.texts, chunk.ids, chunk.lines, senders, first)
        first += len(chunk.rows)


def whole_chunks(file: "MessageFile", sender: int | None) -> Iterator[Chunk]:
    """Yield the chunks of an open file of which every row is wanted."""
    for chunk in chunks_of(file, sender):
        check_rejects(file)
        yield chunk
    check_rejects(file)


def check_rejects(file: "MessageFile") -> None:
    """Check that all rows that were met could be read."""
    if file.rejects:
        first = file.rejects[0]
        raise TriageError(
            f"{file.name}, line {first.line}: {first.reason}; every row is wanted here, mend or "
            "remove this one"
        )
