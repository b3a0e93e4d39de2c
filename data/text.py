"""Text files: their encoding and lines, CSV and TSV read and written, plain lines, and chats."""

import codecs
import csv
import io
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from triage.data import limits
from triage.data.columns import check_columns, header_of, names_text, numbered
from triage.data.errors import (
    FORMULA_SIGNS,
    as_text,
    fault,
    guard,
    is_formula,
    refusing,
    unguard,
    whole_characters,
)
from triage.data.table import Dialect, Format, Page, Reject, Row, Source, Table, Writer
from triage.errors import DataError
from triage.settings import Reading

_H = TypeVar("_H")
_UTF8 = "utf-8"
WINDOWS = "cp1252"
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: _UTF8,
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_BYTE_ORDER_MARK = "\ufeff"
# Programs that write text twice translated end lines with \r\r\n.
_LINE_END = re.compile("\r*(\r\n)|\n|\r")
_UNDECODED = re.compile("[\udc80-\udcff]")
UNDECODED = "bytes that are not UTF-8"
"""The reason for which a row of a damaged file is rejected."""

_SEPARATORS = (",", ";", "\t", "|")
# The csv module wants a separator also where each line is one message. A lone surrogate is the
# one character that no decoded file holds.
_NO_SEPARATOR = "\ud800"
_SAMPLE = 20
_ROWS_BY_COMMA = 4
_NEVER_CLOSED = "quote never closed"
_FAULTS = {
    "unexpected end of data": _NEVER_CLOSED,
    "new-line character": "a carriage return outside quotes",
    "field larger": limits.LONG_CELL,
    "": "text after a closing quote",
}


def head_text(head: bytes) -> str:
    """Decode the first bytes of a file, to guess its format, in the encodings that are detected."""
    encoding = next((e for mark, e in _BYTE_ORDER_MARKS.items() if head.startswith(mark)), _UTF8)
    try:
        # The last character may be cut.
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError:
        text = head.decode(WINDOWS, "replace")
    return text.removeprefix(_BYTE_ORDER_MARK)


def has_undecoded(text: str) -> bool:
    return not text.isascii() and _UNDECODED.search(text) is not None


class Lines:
    """Lines of a text file; `taken` are those since the last `start`."""

    def __init__(self, name: str, lines: Iterator[str]) -> None:
        self.first, self._length = 1, 0
        self.taken: list[str] = []
        self._name, self._lines = name, lines
        self.again = deque[str]()

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self.again.popleft() if self.again else next(self._lines)
        self.taken.append(line)
        self._length += len(line)
        if self._length > limits.LONGEST_ROW:
            reason = (
                f", line {self.first}: a row of more than {limits.LONGEST_ROW:,} characters: a "
                "line that never ends, or a quote that is never closed"
            )
            raise fault(self._name, "endless_row", reason, line=self.first)
        return line

    def start(self) -> None:
        self.first += len(self.taken)
        self.taken.clear()
        self._length = 0

    def raw(self) -> str:
        """Return the lines that were taken, without the last line end."""
        return "".join(self.taken).rstrip("\r\n")

    def has_undecoded(self) -> bool:
        return any(map(has_undecoded, self.taken))


@dataclass(frozen=True)
class TextFile:
    source: Source
    dialect: Dialect
    damaged: bool
    n_lines: int

    def lines(self) -> Lines:
        # A lone "\r" inside a message ends no line.
        end = "\r" if self.dialect.line_terminator == "\r" else "\n"
        return Lines(self.source.name, _lines(_decoded(self.source, self.dialect.encoding), end))


def _decoded(source: Source, encoding: str) -> Iterator[str]:
    """Yield a file as text; what is not UTF-8 as surrogates."""
    errors = "surrogateescape" if encoding == _UTF8 else "strict"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for block in source.blocks():
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _lines(texts: Iterator[str], end: str) -> Iterator[str]:
    left = next(texts).removeprefix(_BYTE_ORDER_MARK)
    for text in texts:
        *whole, left = (left + text).split(end)
        for line in whole:
            yield line + end
        # One without end would fill the memory.
        if len(left) > limits.LONGEST_ROW:
            break
    if left:
        yield left


def open_text(source: Source, encoding: str | None = None) -> TextFile:
    """Detect the encoding and line ends of a text file, or check the encoding that is given."""
    head = source.head()
    bom = next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), b"")
    found = _known(encoding) if encoding else _BYTE_ORDER_MARKS.get(bom)
    if not found and b"\0" in re.split(b"[\r\n]", head, maxsplit=1)[0]:
        order = "be" if head.startswith(b"\0") else "le"
        line = f" looks like UTF-16 without a byte order mark: say --encoding utf-16-{order}"
        raise fault(source.name, "encoding", line)
    n_multibyte, n_invalid, n_lines = _counts(source)
    if not found:
        found = _UTF8 if n_multibyte > n_invalid or not n_invalid else WINDOWS
    line = f" is neither UTF-8 nor {found}: name its encoding with --encoding"
    with refusing(UnicodeError, source.name, "encoding", line):
        if found != _UTF8:
            deque(_decoded(source, found), maxlen=0)
    end = _LINE_END.search(head.decode(found, "ignore"))
    dialect = Dialect(source.format, found, None, bool(bom), (end[1] or end[0]) if end else "\n")
    return TextFile(source, dialect, found == _UTF8 and n_invalid > 0, n_lines)


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


def _counts(source: Source) -> tuple[int, int, int]:
    n_multibyte = n_invalid = n_fed = n_returned = 0
    for text in _decoded(source, _UTF8):
        n_fed += text.count("\n")
        n_returned += text.count("\r")
        if not text.isascii():
            n_valid = len(text.encode(_UTF8, "ignore").decode(_UTF8))
            n_invalid += len(text) - n_valid
            n_multibyte += n_valid - len(text.encode("ascii", "ignore"))
    return n_multibyte, n_invalid, max(n_fed, n_returned)


@dataclass
class Record(Generic[_H]):
    """A message of a chat, of one line or more; lines before the first one have no header."""

    first: int
    header: _H | None
    lines: list[str] = field(default_factory=list)
    length: int = 0

    def raw(self) -> str:
        """Return the message as it stands in the file, without its last line end."""
        return "".join(self.lines).rstrip("\r\n")

    def reject(self, date: object) -> Reject | None:
        """Return what is wrong with the message, if anything, given its date."""
        if self.header is None:
            reason = "a line before the first message"
        elif has_undecoded(self.raw()):
            reason = UNDECODED
        elif self.length > limits.LONGEST_CELL:
            reason = limits.LONG_MESSAGE
        elif date is None:
            reason = "a date that does not exist"
        else:
            return None
        return Reject(self.first, reason, self.raw())


def records(lines: Lines, header_of: Callable[[str], _H | None]) -> Iterator[Record[_H]]:
    """Yield messages, each of which begins with a line that has a header; blank lines are none."""
    record: Record[_H] = Record(1, None)
    for line in lines:
        header = header_of(line)
        if header is not None:
            if record.header is not None or record.raw().strip():
                yield record
            record = Record(lines.first, header)
        record.length += len(line)
        # What is beyond the longest message is counted and left out.
        if record.length <= limits.LONGEST_CELL:
            record.lines.append(line)
        lines.start()
    if record.header is not None or record.raw().strip():
        yield record


def open_lines(source: Source, reading: Reading) -> Table:
    """Find out the encoding of plain text, of which each line that is not blank is a message."""
    text = open_text(source, reading.encoding)
    return Table(("text",), text.dialect, text.n_lines, partial(_messages, text))


def _messages(text: TextFile) -> Iterator[Row | Reject]:
    lines = text.lines()
    for line in lines:
        if len(line) > limits.LONGEST_CELL:
            problem = f"a line of more than {limits.LONGEST_CELL:,} characters"
            yield Reject(lines.first, problem, lines.raw())
        elif has_undecoded(line):
            yield Reject(lines.first, UNDECODED, lines.raw())
        elif line.strip():
            yield lines.first, [line.rstrip("\r\n")]
        lines.start()


def open_csv(source: Source, reading: Reading) -> Table:
    """Detect the encoding and separator of a CSV or TSV file, and read its header."""
    csv.field_size_limit(limits.LONGEST_CELL)
    text = open_text(source, reading.encoding)
    separator = _separator(text.lines(), source.format, reading)
    columns, n_above = _header(text.lines(), separator, source.name, reading)
    if reading.no_header:
        columns = numbered(len(columns))
    else:
        check_columns(columns, source.name)
        n_above += 1
    if source.guarded:
        columns = tuple(map(unguard, columns))
    dialect = replace(text.dialect, separator=separator, guarded=source.guarded)
    rows = partial(_rows, text, dialect, len(columns), n_above)
    return Table(columns, dialect, text.n_lines, rows)


def has_header(head: str) -> bool:
    """Return whether the first line of a text names a column of messages."""
    sample = _sample(head)
    return any(names_text(row, None) for row in _parsed(sample[:1], _likely(sample)))


def is_table(head: str, by_comma: int = _ROWS_BY_COMMA) -> bool:
    """Return whether a text has a header, or cells of constant number, in some lines at least."""
    sample = _sample(head)
    separator = _likely(sample)
    rows = _parsed(sample, separator) if separator else []
    least = by_comma if separator == "," else 2
    return has_header(head) or (len(rows) >= least and len({len(row) for row in rows}) == 1)


def _sample(head: str) -> list[str]:
    return [line for line in head.splitlines()[:_SAMPLE] if line.strip()]


def _likely(sample: Sequence[str]) -> str | None:
    return _likeliest(sample, _SEPARATORS, None)


def _separator(lines: Lines, format_: Format, reading: Reading) -> str | None:
    if reading.separator is not None:
        found = "\t" if reading.separator in ("tab", "\\t") else reading.separator
        if len(found) != 1 or found in '"\r\n':
            raise DataError(
                f"--separator {reading.separator!r} is not one character: try , ; | or tab"
            )
        return found
    sample = []
    for line in islice(lines, _SAMPLE):
        if line.strip():
            sample.append(line)
        lines.start()
    candidates = ("\t",) if format_ is Format.TSV else _SEPARATORS
    return _likeliest(sample, candidates, reading.text_column)


def _likeliest(
    sample: Sequence[str], candidates: Sequence[str], text_column: str | None
) -> str | None:
    """Return the separator of the file that begins with `sample`; None for a single column."""
    if any(names_text(row, text_column) for row in _parsed(sample[:1], None)):
        return None

    def rating(separator: str) -> tuple[bool, bool, int, int]:
        rows = _parsed(sample, separator)
        head, *others = rows[header_of(rows, text_column) :] or [[]]
        n_agreeing = sum(len(row) == len(head) for row in others)
        return len(head) > 1, names_text(head, text_column), n_agreeing, len(head)

    best = max(candidates, key=rating)
    return best if rating(best)[0] else None


def _parsed(sample: Sequence[str], separator: str | None) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(filter(None, csv.reader(sample, delimiter=separator or _NO_SEPARATOR)))
    return rows


def _header(
    lines: Lines, separator: str | None, name: str, reading: Reading
) -> tuple[tuple[str, ...], int]:
    """Return the header, and how many rows are above it."""
    top = []
    for cells, problem in islice(_records(lines, separator), limits.MOST_TITLES + 1):
        top.append((cells, problem, lines.has_undecoded()))
        if reading.no_header or names_text(cells, reading.text_column):
            break
    rows = [cells for cells, *_ in top]
    n_above = 0 if reading.no_header else header_of(rows, reading.text_column)
    cells, problem, is_undecoded = top[n_above] if top else ([], "", False)
    if problem:
        raise fault(name, "damaged", f": the header can't be read: {problem}")
    if not cells:
        raise fault(name, "empty", " is empty: it has no header and no messages")
    if is_undecoded:
        line = ": the header is not UTF-8: name its encoding with --encoding"
        raise fault(name, "encoding", line)
    return tuple(cells), n_above


def _rows(text: TextFile, dialect: Dialect, width: int, n_above: int) -> Iterator[Row | Reject]:
    lines = text.lines()
    for cells, problem in islice(_records(lines, dialect.separator), n_above, None):
        if text.damaged and lines.has_undecoded():
            yield Reject(lines.first, problem or UNDECODED, lines.raw())
        elif problem or len(cells) != width:
            fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
            misfit = f"{fields} where the header has {width}"
            yield Reject(lines.first, problem or misfit, lines.raw())
        else:
            yield lines.first, [*map(unguard, cells)] if dialect.guarded else cells


def _records(lines: Lines, separator: str | None) -> Iterator[tuple[list[Any], str]]:
    """Yield the cells and the fault of each record; blank lines are no records."""
    reader = csv.reader(lines, delimiter=separator or _NO_SEPARATOR, strict=True)
    while True:
        try:
            for cells in reader:
                if cells:
                    yield cells, ""
                lines.start()
            return
        except csv.Error as error:
            found = next(reason for sign, reason in _FAULTS.items() if str(error).startswith(sign))
            if len(lines.taken) > 1:
                # A record of several lines has a quote that is never closed.
                lines.again.extendleft(reversed(lines.taken[1:]))
                del lines.taken[1:]
                found = _NEVER_CLOSED
            yield [], found
            lines.start()


class CsvWriter(Writer):
    def begin(self) -> None:
        is_tsv = self._dialect.format is Format.TSV
        self._separator = "\t" if is_tsv else self._dialect.separator or ","
        if self._dialect.bom:
            self._file.write(codecs.BOM_UTF8)
        self.add(self.page([self._columns], 0), 0)

    def page(self, rows: Sequence[Sequence[object]], first: int) -> Page:
        formulas = Counter[str]()
        columns = []
        for name, cells in zip(self._columns, zip(*rows, strict=True), strict=False):
            texts = [cell if type(cell) is str else as_text(cell) for cell in cells]
            # Numbers are no formulas: only what came as text can be one.
            if self._dialect.guarded:
                both = zip(texts, cells, strict=True)
                texts = [guard(text) if isinstance(cell, str) else text for text, cell in both]
            elif not FORMULA_SIGNS.isdisjoint({text[:1] for text in texts}):
                n_found = sum(isinstance(cell, str) and is_formula(cell) for cell in cells)
                formulas.update([name] * n_found)
            columns.append(texts)
        return Page(len(rows), None, self._encoded(zip(*columns, strict=True), first), formulas)

    def _encoded(self, rows: Iterable[Sequence[str]], first: int) -> bytes:
        lines: list[str] = []
        # With this end both of its characters are quoted.
        writer = csv.writer(
            SimpleNamespace(write=lines.append), delimiter=self._separator, lineterminator="\r\n"
        )
        writer.writerows(rows)
        end = self._dialect.line_terminator
        try:
            return "".join([line[:-2] + end for line in lines]).encode()
        except UnicodeEncodeError as error:
            at = next(n for n, line in enumerate(lines, first) if line != whole_characters(line))
            raise DataError(
                f"row {at} holds half of a character, which CSV can't hold: write JSON Lines",
                "half_character",
                row=at,
            ) from error
