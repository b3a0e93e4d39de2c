"""Message files as seekable streams of bytes, whatever they come from."""

import gzip
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from triage.data.errors import DataError, reading
from triage.data.formats import GZIP_MAGIC, Format, format_of_content, format_of_name

STANDARD_STREAM = "-"
_HEAD = 4096
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Source:
    """A seekable stream, decompressed, with the name that errors call it by.

    `stored` is the file as it lies on the disk: closing a gzip stream leaves it open.
    """

    name: str
    format: Format
    file: IO[bytes]
    stored: IO[bytes]

    def close(self) -> None:
        """Close the stream; a spooled one vanishes."""
        self.file.close()
        self.stored.close()

    def blocks(self) -> Iterator[bytes]:
        """Yield the whole content from its start, a block at a time."""
        self.file.seek(0)
        while block := self.file.read(_BLOCK):
            yield block

    def head(self) -> bytes:
        """Return the first bytes."""
        self.file.seek(0)
        return self.file.read(_HEAD)


def open_source(path: str | Path) -> Source:
    """Open a file, a pipe, or standard input where `path` is ``"-"``.

    Raises
    ------
    DataError
        The file is missing, a directory, unreadable, empty, or not what its name says.
    """
    if str(path) == STANDARD_STREAM:
        if sys.stdin is None:
            raise DataError("cannot read standard input: it is closed")
        with reading("standard input"):
            return _from_pipe("standard input", sys.stdin.buffer)
    path = Path(path)
    with reading(str(path)):
        if stat.S_ISREG(path.stat().st_mode):
            return _from_file(path)
        with path.open("rb") as pipe:
            return _from_pipe(str(path), pipe)


def _from_file(path: Path) -> Source:
    format_, compressed = format_of_name(path)
    stored = path.open("rb")
    file = _decompressed(stored) if compressed else stored
    return _checked(Source(str(path), format_, file, stored))


def _from_pipe(name: str, pipe: IO[bytes]) -> Source:
    # A file without a name vanishes with the process, however it ends.
    stored = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(pipe, stored, _BLOCK)
    stored.seek(0)
    file = _decompressed(stored) if stored.read(2) == GZIP_MAGIC else stored
    file.seek(0)
    return _checked(Source(name, format_of_content(file.read(_HEAD)), file, stored))


def _decompressed(file: IO[bytes]) -> IO[bytes]:
    file.seek(0)
    return cast(IO[bytes], gzip.open(file, "rb"))


def _checked(source: Source) -> Source:
    try:
        _check_content(source)
    except BaseException:
        source.close()
        raise
    return source


def _check_content(source: Source) -> None:
    head = source.head()
    if not head:
        raise DataError(f"{source.name} is empty: it has no header and no messages")
    if head.startswith(GZIP_MAGIC):
        raise DataError(f"{source.name} is compressed: give it a name that ends in .gz")
    content = format_of_content(head)
    if source.format.is_text and not content.is_text:
        raise DataError(f"{source.name} holds {content.value}: name it .{content.value}")
