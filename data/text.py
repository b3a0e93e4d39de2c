"""Text files: their encoding, and their physical lines, numbered and readable again."""

import codecs
import io
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from triage.data.errors import DataError
from triage.data.limits import LONGEST_ROW
from triage.data.table import Dialect, Source

_UTF8 = "utf-8"
WINDOWS = "cp1252"
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: _UTF8,
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
BYTE_ORDER_MARK = "\ufeff"
_LINE_END_BYTE = re.compile(b"[\r\n]")
# Programs that write text twice translated end lines with \r\r\n.
_LINE_END = re.compile("\r*(\r\n)|\n|\r")
_UNDECODED = re.compile("[\udc80-\udcff]")
UNDECODED = "bytes that are not UTF-8"
"""The reason for which a row of a damaged file is rejected."""


def head_text(head: bytes) -> str:
    """Decode the first bytes of a file, to guess its format, in the encodings that are detected."""
    encoding = next((e for mark, e in _BYTE_ORDER_MARKS.items() if head.startswith(mark)), _UTF8)
    try:
        # The last character may be cut.
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError:
        text = head.decode(WINDOWS, "replace")
    return text.removeprefix(BYTE_ORDER_MARK)


def has_undecoded(text: str) -> bool:
    """Return whether text has bytes that could not be decoded."""
    return _UNDECODED.search(text) is not None


class Lines:
    """Physical lines without byte order mark; those of the last record can be read again."""

    def __init__(self, lines: Iterator[str], name: str) -> None:
        self.first = 1
        self.taken: list[str] = []
        start = (line.removeprefix(BYTE_ORDER_MARK) for line in islice(lines, 1))
        self._again = deque(start)
        self._lines = lines
        self._name = name
        self._length = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.taken.append(line)
        self._length += len(line)
        if self._length > LONGEST_ROW:
            raise DataError(
                f"{self._name}, line {self.first}: a row of more than {LONGEST_ROW:,} characters:"
                " a line that never ends, or a quote that is never closed",
                "endless_row",
                file=self._name,
                line=self.first,
            )
        return line

    def start(self) -> None:
        """Begin a record at the next line."""
        self.first += len(self.taken)
        self.taken.clear()
        self._length = 0

    def keep_first(self) -> None:
        """Give back all lines of this record but the first."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]
        self._length = len(self.taken[0])

    def raw(self) -> str:
        """Return the record as it stands in the file, without its last line end."""
        return "".join(self.taken).rstrip("\r\n")

    def has_undecoded(self) -> bool:
        """Return whether the record has bytes that could not be decoded."""
        return any(map(has_undecoded, self.taken))


@dataclass(frozen=True)
class TextFile:
    """A text file of known encoding."""

    source: Source
    dialect: Dialect
    damaged: bool
    n_lines: int

    @contextmanager
    def lines(self) -> Iterator[Lines]:
        """Open the file from its start."""
        self.source.file.seek(0)
        encoding = self.dialect.encoding
        text = io.TextIOWrapper(
            self.source.file,
            encoding=encoding,
            errors="surrogateescape" if encoding == _UTF8 else "strict",
            # A lone "\r" inside a message ends no line.
            newline="\r" if self.dialect.line_terminator == "\r" else "\n",
        )
        try:
            # Bounded, since a line without end would fill the memory.
            yield Lines(iter(partial(text.readline, LONGEST_ROW + 1), ""), self.source.name)
        finally:
            # The source stays open for another reading, unless it was closed half-way.
            if not text.closed:
                text.detach()


def open_text(source: Source, encoding: str | None = None) -> TextFile:
    """Detect the encoding and line ends of a text file, or check the encoding that is given."""
    head = source.head()
    bom = next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), b"")
    found = _known(encoding) if encoding else _BYTE_ORDER_MARKS.get(bom)
    if not found:
        _check_no_utf16(source.name, head)
    multibyte, invalid, n_lines = _utf8_census(source)
    if not found:
        found = _UTF8 if multibyte > invalid or not invalid else WINDOWS
    if found != _UTF8:
        _check_decodes(source, found)
    end = _LINE_END.search(head.decode(found, "ignore"))
    terminator = (end[1] or end[0]) if end else "\n"
    dialect = Dialect(source.format, found, None, bool(bom), terminator)
    return TextFile(source, dialect, found == _UTF8 and invalid > 0, n_lines)


def _known(encoding: str) -> str:
    try:
        # Unlike the lookup, this refuses codecs that are no text encodings, such as hex.
        io.TextIOWrapper(io.BytesIO(), encoding)
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise DataError(
            f"--encoding {encoding!r} is unknown: try utf-8, cp1252, latin-1 or utf-16",
            "unknown_encoding",
            encoding=encoding,
        ) from error
    return _UTF8 if name == "utf-8-sig" else name


def _check_no_utf16(name: str, head: bytes) -> None:
    header = _LINE_END_BYTE.split(head, maxsplit=1)[0]
    if b"\0" in header:
        order = "be" if header.startswith(b"\0") else "le"
        raise DataError(
            f"{name} looks like UTF-16 without a byte order mark: say --encoding utf-16-{order}",
            "encoding",
            file=name,
        )


def _utf8_census(source: Source) -> tuple[int, int, int]:
    """Count valid multibyte and invalid characters of a file as UTF-8, and its lines."""
    decoder = codecs.getincrementaldecoder(_UTF8)("surrogateescape")
    multibyte = invalid = line_feeds = carriage_returns = 0
    for block in chain(source.blocks(), [b""]):
        line_feeds += block.count(b"\n")
        carriage_returns += block.count(b"\r")
        text = decoder.decode(block, final=not block)
        if not text.isascii():
            valid = len(text.encode(_UTF8, "ignore").decode(_UTF8))
            invalid += len(text) - valid
            multibyte += valid - len(text.encode("ascii", "ignore"))
    return multibyte, invalid, max(line_feeds, carriage_returns)


def _check_decodes(source: Source, encoding: str) -> None:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        for block in chain(source.blocks(), [b""]):
            decoder.decode(block, final=not block)
    except UnicodeError as error:
        raise DataError(
            f"{source.name} is neither UTF-8 nor {encoding}: name its encoding with --encoding",
            "encoding",
            file=source.name,
        ) from error
