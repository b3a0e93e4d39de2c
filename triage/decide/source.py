"""A file of messages, read and split chunk by chunk, in this process or in another one.

Nothing heavy is imported before it is needed: the other process is started first of all, so that
both load what they need at the same time.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import TriageError, reading
from ..settings import Reading
from .processes import ahead, can_fork
from .spool import Ref, Spool

if TYPE_CHECKING:
    from triage.data import Dialect, MessageFile, Reject

STANDARD_STREAM = "-"
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
class Header:
    """What is known of a file before its first row; as in `data.MessageFile`."""

    name: str
    columns: tuple[str, ...]
    text_column: str
    id_column: str | None
    sender_column: str | None
    dialect: "Dialect"
    lines: int | None


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file, their messages, ids, lines and senders; `size` is of `data.Chunk`."""

    rows: list[list[object]]
    texts: list[str]
    ids: list[str]
    lines: list[int]
    senders: list[str]
    first: int = 0
    size: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.rows)


class StoredChunk(NamedTuple):
    """A chunk that lies in a spool, how many rows it has, and how many characters these."""

    ref: Ref[Chunk]
    n_rows: int
    size: int


def stored(chunk: Chunk, spool: Spool) -> StoredChunk:
    """Put a chunk into a spool."""
    return StoredChunk(spool.put(chunk), chunk.n_rows, chunk.size)


@dataclass(frozen=True)
class Tail:
    """What is known of a file behind its last row."""

    rows_read: int = 0
    rejects: "list[Reject]" = field(default_factory=list)
    facts: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


Item = Header | Chunk | StoredChunk | Tail


def chunks_of(file: "MessageFile", sender: int | None) -> Iterator[Chunk]:
    """Yield the chunks of an open file, from its first row on."""
    from ..model.annotated import senders_of

    first = 0
    for chunk in file.chunks():
        senders = senders_of(chunk.rows, sender)
        yield Chunk(chunk.rows, chunk.texts, chunk.ids, chunk.lines, senders, first, chunk.size)
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


def read(source: Source, spool: Spool | None = None) -> Iterator[Item]:
    """Yield the header of a file, its chunks of rows, and its tail."""
    from ..model.annotated import sender_position

    with source.open() as file:
        sender = sender_position(file.columns, source.reading.sender_column, file.name)
        yield Header(
            name=file.name,
            columns=file.columns,
            text_column=file.text_column,
            id_column=file.id_column,
            sender_column=None if sender is None else file.columns[sender],
            dialect=file.dialect,
            lines=file.lines,
        )
        for chunk in chunks_of(file, sender):
            yield stored(chunk, spool) if spool else chunk
        yield Tail(file.rows_read, list(file.rejects), *file.told())


class MessageStream:
    """A file being read: its header, then its chunks, then its tail."""

    def __init__(self, items: Iterable[Item], spool: Spool | None = None) -> None:
        self._items = iter(items)
        self._seen: list[Item] = []
        self.spool = spool
        self.tail = Tail()

    def header(self) -> Header:
        """Return what is known before the first row; to be called once, and first."""
        first = self._seen.pop(0) if self._seen else next(self._items)
        if not isinstance(first, Header):
            raise TypeError(f"a stream of messages starts with its header, not {type(first)}")
        return first

    def first_messages(self) -> Sequence[str]:
        """Return the messages of the first chunk, ahead of its use."""
        for item in self._items:
            self._seen.append(item)
            if isinstance(item, StoredChunk) and self.spool:
                return self.spool.get(item.ref).texts
            if isinstance(item, Chunk):
                return item.texts
        return ()

    def chunks(self) -> Iterator[Chunk | StoredChunk]:
        """Yield the chunks; `tail` is known behind the last."""
        for item in chain(self._seen, self._items):
            if isinstance(item, Chunk | StoredChunk):
                yield item
            elif isinstance(item, Tail):
                self.tail = item


@contextmanager
def read_here(source: Source) -> Iterator[MessageStream]:
    """Read a file in this process."""
    yield MessageStream(read(source))


@contextmanager
def read_ahead(source: Source) -> Iterator[MessageStream]:
    """Read a file in another process, ahead of its use."""
    if source.path == STANDARD_STREAM or not can_fork():
        # multiprocessing takes standard input from the processes that it starts.
        with read_here(source) as stream:
            yield stream
        return
    with Spool() as spool, ahead(lambda: read(source, spool)) as items:
        yield MessageStream(items, spool)
