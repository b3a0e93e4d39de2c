"""Message files of any format, opened from a path or a stream and read in chunks of rows."""

import gzip
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, cast

from triage.data.columns import find_id, find_text
from triage.data.delimited import is_table
from triage.data.errors import DataError, reading
from triage.data.formats import (
    FORMATS,
    format_of_content,
    format_of_extension,
    format_of_name,
    is_compressed,
    may_be_lines,
    named_format,
)
from triage.data.limits import CHUNK_CELLS, LONGEST_REJECT, MOST_REJECTED
from triage.data.table import Format, Options, Reject, Row, Source, Table
from triage.data.text import head_text
from triage.data.values import as_text, whole_characters
from triage.safe import STANDARD_STREAM, check_is_ordinary

_GZIP_MAGIC = b"\x1f\x8b"
_HEAD = 4096
_BLOCK = 1 << 20


@dataclass
class Chunk:
    """Successive rows of a message file."""

    rows: list[list[object]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class MessageFile:
    """A message file that `open_messages` opened for reading."""

    def __init__(self, source: Source, table: Table, options: Options) -> None:
        self.name = source.name
        self.columns = table.columns
        self.dialect = table.dialect
        self.format = table.dialect.format
        self.lines = table.n_rows
        self.text_position = find_text(self.columns, options.text_column, self.name)
        self.id_position = find_id(self.columns, options.id_column, self.name)
        self.rejects: list[Reject] = []
        self._source = source
        self._table = table
        self._chunk_rows = max(1, min(options.chunk_rows, CHUNK_CELLS // len(self.columns)))
        self._delivered = 0
        self._raw_kept = 0

    def __enter__(self) -> "MessageFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    @property
    def text_column(self) -> str:
        """The name of the column of messages."""
        return self.columns[self.text_position]

    @property
    def id_column(self) -> str | None:
        """The name of the column of identifiers, if there is one."""
        return None if self.id_position is None else self.columns[self.id_position]

    @property
    def rows_read(self) -> int:
        """The number of rows read so far, delivered or rejected."""
        return self._delivered + len(self.rejects)

    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows from the first, `chunk_rows` at a time, or fewer if they are wide."""
        self.rejects.clear()
        self._delivered = self._raw_kept = 0
        with reading(self.name):
            rows = self._table.rows()
            while (chunk := self._chunk(rows)).rows:
                yield chunk

    def _chunk(self, rows: Iterator[Row | Reject]) -> Chunk:
        chunk = Chunk()
        numbers: list[int] = []
        for row in rows:
            if isinstance(row, Reject):
                self._reject(row)
                continue
            self._delivered += 1
            numbers.append(self.rows_read)
            chunk.lines.append(row[0])
            chunk.rows.append(row[1])
            if len(numbers) == self._chunk_rows:
                break
        chunk.texts = _whole(_column(chunk.rows, self.text_position))
        if self.id_position is None:
            chunk.ids = [*map(str, numbers)]
        else:
            chunk.ids = _column(chunk.rows, self.id_position)
        return chunk

    def _reject(self, reject: Reject) -> None:
        """Keep a rejected row, truncated where it or all of them are too long."""
        room = min(LONGEST_REJECT, MOST_REJECTED - self._raw_kept)
        self._raw_kept += min(len(reject.raw), room)
        if len(reject.raw) > room:
            reject = replace(reject, raw=f"{reject.raw[:room]}…")
        self.rejects.append(reject)


def _column(rows: list[list[object]], position: int) -> list[str]:
    cells = [row[position] for row in rows]
    return [cell if isinstance(cell, str) else as_text(cell) for cell in cells]


def _whole(texts: list[str]) -> list[str]:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [whole_characters(text) for text in texts]
    return texts


def open_messages(
    path: str | Path,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    guarded: bool = False,
    chunk_rows: int = 20_000,
    format: str | None = None,  # noqa: A002
    no_header: bool = False,
    sheet: str | None = None,
    table: str | None = None,
) -> MessageFile:
    r"""Open a message file of one of the formats in `Format`."""
    if chunk_rows < 1:
        raise ValueError(f"chunk_rows must be positive, not {chunk_rows}")
    options = Options(
        text_column=text_column,
        id_column=id_column,
        encoding=encoding,
        separator=separator,
        guarded=guarded,
        chunk_rows=chunk_rows,
        format=format,
        no_header=no_header,
        sheet=sheet,
        table=table,
    )
    source = open_source(path, options)
    try:
        with reading(source.name):
            _check_applies(source.format, options)
            return MessageFile(source, FORMATS[source.format].open(source, options), options)
    except BaseException:
        source.close()
        raise


def open_source(path: str | Path, options: Options) -> Source:
    """Open a file, or standard input where `path` is ``"-"``, and find out its format."""
    if str(path) == STANDARD_STREAM:
        if sys.stdin is None:
            raise DataError("cannot read standard input: it is closed")
        with reading("standard input"):
            return _source("standard input", _spooled(sys.stdin.buffer), None, options)
    path = Path(path)
    check_is_ordinary(path)
    with reading(str(path)):
        return _source(str(path), path.open("rb"), path, options)


def _spooled(pipe: IO[bytes]) -> IO[bytes]:
    # A file without a name vanishes with the process, however it ends.
    stored = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(pipe, stored, _BLOCK)
    stored.seek(0)
    return stored


def _source(name: str, stored: IO[bytes], path: Path | None, options: Options) -> Source:
    """Return a file with its format; without a `path`, no extension says anything."""
    try:
        file = _decompressed(stored, path)
        head = file.read(_HEAD)
        if not head:
            raise DataError(
                f"{name} is empty: it has no header and no messages", "empty", file=name
            )
        in_file = path if file is stored else None
        return Source(name, _format(head, path, options), file, stored, in_file)
    except BaseException:
        stored.close()
        raise


def _check_applies(format_: Format, options: Options) -> None:
    """Check that options that only some formats have are given for one of these alone."""
    has_sheets = format_ in (Format.XLSX, Format.ODS)
    given = {
        "--sheet": options.sheet is not None and not has_sheets,
        "--table": options.table is not None and format_ is not Format.SQLITE,
        "--no-header": options.no_header and not (has_sheets or format_.is_delimited),
    }
    for option, is_wrong in given.items():
        if is_wrong:
            raise DataError(
                f"{option} does not apply to {format_.value}",
                "not_of_format",
                option=option,
                format=format_.value,
            )


def _decompressed(stored: IO[bytes], path: Path | None) -> IO[bytes]:
    is_packed = stored.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    stored.seek(0)
    if is_packed or (path is not None and is_compressed(path)):
        return cast(IO[bytes], gzip.open(stored, "rb"))
    return stored


def _format(head: bytes, path: Path | None, options: Options) -> Format:
    """Return the format that the user names, or the content shows, or the extension says."""
    if options.format:
        return named_format(options.format)
    by_name = None if path is None else format_of_extension(path)
    found = format_of_content(head, by_name)
    if found is None and path is not None:
        found = format_of_name(path)
        is_said = options.text_column or options.id_column or options.separator or options.no_header
        if may_be_lines(path) and not is_said and not is_table(head_text(head)):
            found = Format.LINES
    return found or Format.CSV
