"""Text files: their encoding, their physical lines, and records that span several of these."""

import codecs
import io
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Generic, TypeVar

from triage.data.errors import LONG_MESSAGE, LONGEST_CELL, LONGEST_ROW, fault, refusing
from triage.data.table import Dialect, Reject, Source
from triage.errors import DataError

_H = TypeVar("_H")
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
_BLOCK = 1 << 18


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
    return not text.isascii() and _UNDECODED.search(text) is not None


class Lines:
    """Physical lines without byte order mark; those of the last record can be read again."""

    def __init__(self, more: Callable[[], list[str]], name: str) -> None:
        self.first = 1
        self.taken: list[str] = []
        self._again = deque(more())
        if self._again:
            self._again[0] = self._again[0].removeprefix(BYTE_ORDER_MARK)
        self._more = more
        self._name = name
        self._length = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        if not self.ahead():
            raise StopIteration
        line = self._again.popleft()
        self.taken.append(line)
        self._length += len(line)
        if self._length > LONGEST_ROW:
            line = (
                f", line {self.first}: a row of more than {LONGEST_ROW:,} characters: a line that "
                "never ends, or a quote that is never closed"
            )
            raise DataError(self._name + line, "endless_row", file=self._name, line=self.first)
        return line

    @property
    def following(self) -> int:
        """The number of the line behind this record."""
        return self.first + len(self.taken)

    def start(self) -> None:
        self.first += len(self.taken)
        self.taken.clear()
        self._length = 0

    def ahead(self) -> Sequence[str]:
        """Return some of the next lines, which are still to be read; none at the end."""
        if not self._again:
            self._again.extend(self._more())
        return self._again

    def pass_over(self) -> None:
        """Leave out the lines that are ahead."""
        self.start()
        self.first += len(self._again)
        self._again.clear()

    def keep_first(self) -> None:
        """Give back all lines of this record but the first."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]
        self._length = len(self.taken[0])

    def raw(self) -> str:
        """Return the record as it stands in the file, without its last line end."""
        return "".join(self.taken).rstrip("\r\n")

    def has_undecoded(self) -> bool:
        return any(map(has_undecoded, self.taken))


@dataclass
class Record(Generic[_H]):
    first: int
    header: _H | None
    lines: list[str] = field(default_factory=list)
    length: int = 0
    is_undecoded: bool = False

    def add(self, line: str) -> None:
        """Add a line; what is beyond the longest message is counted and left out."""
        self.length += len(line)
        self.is_undecoded |= has_undecoded(line)
        if self.length <= LONGEST_CELL:
            self.lines.append(line)

    def raw(self) -> str:
        """Return the message as it stands in the file, without its last line end."""
        return "".join(self.lines).rstrip("\r\n")

    def reject(self, date: object) -> Reject | None:
        """Return what is wrong with the message, if anything, given its date."""
        if self.header is None:
            reason = "a line before the first message"
        elif self.is_undecoded:
            reason = UNDECODED
        elif self.length > LONGEST_CELL:
            reason = LONG_MESSAGE
        elif date is None:
            reason = "a date that does not exist"
        else:
            return None
        return Reject(self.first, reason, self.raw())


def records(lines: Lines, header_of: Callable[[str], _H | None]) -> Iterator[Record[_H]]:
    record: Record[_H] | None = None
    for line in lines:
        header = header_of(line)
        if header is not None or record is None:
            if record and not _is_blank(record):
                yield record
            record = Record(lines.first, header)
        record.add(line)
        lines.start()
    if record and not _is_blank(record):
        yield record


def _is_blank(record: Record[_H]) -> bool:
    return record.header is None and "".join(record.lines).isspace()


@dataclass(frozen=True)
class TextFile:
    source: Source
    dialect: Dialect
    damaged: bool
    n_lines: int
    is_bounded: bool

    @contextmanager
    def lines(self) -> Iterator[Lines]:
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
            pieces = iter(partial(text.readline, LONGEST_ROW + 1), "")
            # A line without end would fill the memory.
            more = (
                partial(text.readlines, _BLOCK) if self.is_bounded else lambda: [*islice(pieces, 1)]
            )
            yield Lines(more, self.source.name)
        finally:
            # The source stays open for another reading, unless it was closed half-way.
            if not text.closed:
                text.detach()


def open_text(source: Source, encoding: str | None = None) -> TextFile:
    """Detect the encoding and line ends of a text file, or check the encoding that is given."""
    head = source.head()
    bom = next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), b"")
    found = _known(encoding) if encoding else _BYTE_ORDER_MARKS.get(bom)
    header = _LINE_END_BYTE.split(head, maxsplit=1)[0]
    if not found and b"\0" in header:
        order = "be" if header.startswith(b"\0") else "le"
        line = f" looks like UTF-16 without a byte order mark: say --encoding utf-16-{order}"
        raise fault(source.name, "encoding", line)
    multibyte, invalid, n_lines, longest = _census(source)
    if not found:
        found = _UTF8 if multibyte > invalid or not invalid else WINDOWS
    if found != _UTF8:
        _check_decodes(source, found)
    end = _LINE_END.search(head.decode(found, "ignore"))
    terminator = (end[1] or end[0]) if end else "\n"
    dialect = Dialect(source.format, found, None, bool(bom), terminator)
    is_damaged = found == _UTF8 and invalid > 0
    is_counted = terminator != "\r" and not found.startswith(("utf-16", "utf-32"))
    return TextFile(source, dialect, is_damaged, n_lines, is_counted and longest <= LONGEST_ROW)


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


def _census(source: Source) -> tuple[int, int, int, int]:
    """Count the multibyte and invalid characters, the lines, and the most bytes of a line."""
    decoder = codecs.getincrementaldecoder(_UTF8)("surrogateescape")
    multibyte = invalid = line_feeds = carriage_returns = length = longest = 0
    for block in chain(source.blocks(), [b""]):
        line_feeds += block.count(b"\n")
        carriage_returns += block.count(b"\r")
        length += len(block)
        longest = max(longest, length)
        if (end := block.rfind(b"\n")) >= 0:
            length = len(block) - end
        text = decoder.decode(block, final=not block)
        if not text.isascii():
            valid = len(text.encode(_UTF8, "ignore").decode(_UTF8))
            invalid += len(text) - valid
            multibyte += valid - len(text.encode("ascii", "ignore"))
    return multibyte, invalid, max(line_feeds, carriage_returns), longest


def _check_decodes(source: Source, encoding: str) -> None:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    line = f" is neither UTF-8 nor {encoding}: name its encoding with --encoding"
    with refusing(UnicodeError, source.name, "encoding", line):
        for block in chain(source.blocks(), [b""]):
            decoder.decode(block, final=not block)
