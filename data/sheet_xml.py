"""The XML of spreadsheets, parsed as a stream that no file can make fill the memory."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Protocol
from xml.parsers import expat

from triage.data.limits import DEEPEST, LARGEST_PART, LONGEST_CELL

_BLOCK = 1 << 18

SheetRow = tuple[int, dict[int, object], int]
"""A row's position, its cells that are not blank by their column, and how often it comes."""


class SheetError(ValueError):
    """A spreadsheet breaks the rules of its format."""


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()


class LongCellError(ValueError):
    """A cell has more characters than is reasonable."""


class Handler(Protocol):
    """Takes what an XML file holds, in its order.

    Attributes
    ----------
    depth : int
        How many elements are open; the handler counts.
    """

    depth: int

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""

    def end(self, name: str) -> None:
        """End an element."""

    def text(self, text: str) -> None:
        """Take text."""


def parsed(part: IO[bytes], handler: Handler) -> Iterator[None]:
    """Parse a part; yield after each block, so that what was met can be taken.

    Names of elements and attributes have their namespace before them, and a space.

    Raises
    ------
    SheetError
        The XML is not well formed, or has a document type, by which a small file could grow
        without end or name other files; or something in it is too long or nested too deeply.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = _refuse
    n_read = 0
    try:
        while block := part.read(_BLOCK):
            parser.Parse(block, False)
            n_read += len(block)
            # What is not finished, such as a value of an attribute, is kept by the parser.
            if n_read - parser.CurrentByteIndex > LONGEST_CELL:
                raise SheetError("markup without end")
            if handler.depth > DEEPEST:
                raise SheetError("nested too deeply")
            yield
        parser.Parse(b"", True)
    except (SheetError, LongCellError):
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        # The last two come of encodings that are unknown, or that the parser cannot read.
        raise SheetError("not well formed") from error
    yield


def _refuse(*_: object) -> None:
    raise SheetError("a document type")


class Pieces:
    """The text of a cell, which comes in pieces."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    def add(self, piece: str) -> None:
        """Add a piece.

        Raises
        ------
        LongCellError
            The cell is longer than any should be.
        """
        self._length += len(piece)
        if self._length > LONGEST_CELL:
            raise LongCellError(f"a cell has more than {LONGEST_CELL:,} characters")
        self._pieces.append(piece)

    def take(self) -> str:
        """Return what was added since the last time."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def clear(self) -> None:
        """Begin another cell."""
        self._pieces.clear()
        self._length = 0


def number_of(told: str | None, default: int, most: int) -> int:
    """Return a whole number from 0 to `most` that an attribute tells.

    Raises
    ------
    SheetError
        It is none.
    """
    if told is None:
        return default
    if not re.fullmatch("[0-9]{1,12}", told):
        raise SheetError("a count that is no number")
    return min(int(told), most)


@contextmanager
def opened(archive: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open a part of a spreadsheet.

    Raises
    ------
    SheetError
        It is not there, or too large.
    """
    try:
        entry = archive.getinfo(name)
    except KeyError as error:
        raise SheetError("a part is missing") from error
    if entry.file_size > LARGEST_PART:
        raise SheetError("a part is too large")
    with archive.open(entry) as part:
        yield part


# What reading a damaged or encrypted archive raises.
UNREADABLE = (
    SheetError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    UnicodeError,
    OverflowError,
)
