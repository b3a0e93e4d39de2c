"""Text files: their encoding and lines, CSV and TSV, plain lines, and messages of many lines."""

import codecs
import csv
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, TypeVar

from triage.data import limits
from triage.data.columns import header_of, names_text, numbered
from triage.data.errors import fault
from triage.data.table import WINDOWS, Content, Dialect, Format, OpenTable, Row
from triage.errors import DataError
from triage.settings import Reading

_H = TypeVar("_H")
_UTF8 = "utf-8"
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: _UTF8,
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_BYTE_ORDER_MARK = "\ufeff"
# Programs that write text twice translated end lines with \r\r\n.
_LINE_END = re.compile("\r*(\r\n)|\n|\r")
_UNDECODED = re.compile("[\udc80-\udcff]")
# Where older encodings have é, and how much of what is not ASCII it must be to tell of another one.
OLDER = {WINDOWS: "\udce9", "mac-roman": "\udc8e", "cp850": "\udc82"}
_IN_WORD, _SURE = re.compile("(?<=[a-z])[\udce9\udc8e\udc82](?=[\0-\x7f])"), 1 / 8
# An eleventh of random bytes are control characters that separate nothing; of text in UTF-16, far
# more bytes are zero.
_CONTROL, _ZERO, _MANY = re.compile("[\0\2-\x08\x0e-\x1a\x7f]"), re.compile("\0"), 1 / 32
UNDECODED = "bytes that are not UTF-8"
"""The reason for which a row of a damaged file is rejected."""

# First characters of formulas; the wide ones in some Asian editions.
FORMULA_SIGNS = frozenset("=+-@\t\r\n＝＋－＠")
_NEEDS_GUARD = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_SEPARATORS = (",", ";", "\t", "|")
# The csv module wants a separator also where each line is one message. A lone surrogate is the
# one character that no decoded file holds.
_NO_SEPARATOR = "\ud800"
_SAMPLE = 20
_NEVER_CLOSED = "quote never closed"
_FAULTS = {
    "unexpected end of data": _NEVER_CLOSED,
    "new-line character": "a carriage return outside quotes",
    "field larger": limits.LONG_CELL,
    "": "text after a closing quote",
}


def head_text(head: bytes) -> str:
    """Decode the first bytes of a file, to guess its format, in the encodings that are detected."""
    encoding = _detected_encoding(head) or _UTF8
    try:
        # The last character may be cut.
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError:
        text = head.decode(WINDOWS, "replace")
    return text.removeprefix(_BYTE_ORDER_MARK)


def has_undecoded(text: str) -> bool:
    return not text.isascii() and _UNDECODED.search(text) is not None


@dataclass(frozen=True)
class TextFile:
    source: Content
    dialect: Dialect
    damaged: bool
    n_lines: int

    def lines(self) -> Iterator[str]:
        # A lone "\r" inside a message ends no line.
        end = "\r" if self.dialect.line_terminator == "\r" else "\n"
        texts, number = _decoded(self.source, self.dialect.encoding), 1
        unfinished = next(texts).removeprefix(_BYTE_ORDER_MARK)
        for text in texts:
            *whole, unfinished = (unfinished + text).split(end)
            for line in whole:
                yield self.checked(line, number) + end
                number += 1
            # One without end would fill the memory.
            self.checked(unfinished, number)
        if unfinished:
            yield unfinished

    def checked(self, row: str, line: int) -> str:
        """Return a row, unless it is too long to be one."""
        if len(row) > limits.LONGEST_ROW:
            raise fault("endless_row", self.source.name, line=line, most=limits.LONGEST_ROW)
        return row


def _decoded(source: Content, encoding: str) -> Iterator[str]:
    """Yield a file as text; what is not UTF-8 as surrogates."""
    errors = "surrogateescape" if encoding == _UTF8 else "strict"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for block in source.blocks():
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def open_text(source: Content, encoding: str | None = None) -> TextFile:
    """Detect the encoding and line ends of a text file, or check the encoding that is given."""
    head = source.head()
    detected = _checked_encoding(encoding) if encoding else _detected_encoding(head)
    if _is_full_of(_CONTROL, head.decode(detected or WINDOWS, "ignore")):
        raise fault("no_messages.binary", source.name)
    n_multibyte = n_invalid = n_fed = n_returned = 0
    accents = Counter[str]()
    for text in _decoded(source, _UTF8):
        n_fed += text.count("\n")
        n_returned += text.count("\r")
        if not text.isascii():
            n_valid = len(text.encode(_UTF8, "ignore").decode(_UTF8))
            n_invalid += len(text) - n_valid
            accents.update(_IN_WORD.findall(text) if n_invalid else ())
            n_multibyte += n_valid - len(text.encode("ascii", "ignore"))
    if not detected:
        older = max(OLDER, key=lambda e: accents[OLDER[e]] + (e == WINDOWS) * n_invalid * _SURE)
        detected = _UTF8 if n_multibyte > n_invalid or not n_invalid else older
    if detected != _UTF8:
        _check_encoding(source, detected)
    end = _LINE_END.search(head.decode(detected, "ignore"))
    has_bom = any(map(head.startswith, _BYTE_ORDER_MARKS))
    dialect = Dialect(source.format, detected, None, has_bom, (end[1] or end[0]) if end else "\n")
    is_damaged = detected == _UTF8 and n_invalid > 0
    return TextFile(source, dialect, is_damaged, max(n_fed, n_returned))


def _detected_encoding(head: bytes) -> str | None:
    """Detect the encoding of first bytes by a byte order mark, or by the zeros of UTF-16."""
    if mark := next(filter(head.startswith, _BYTE_ORDER_MARKS), None):
        return _BYTE_ORDER_MARKS[mark]
    if _is_full_of(_ZERO, head.decode("latin-1")):
        return "utf-16-be" if head.startswith(b"\0") else "utf-16-le"
    return None


def _is_full_of(sign: re.Pattern[str], text: str) -> bool:
    """Return whether a sign stands in the first line, unlike in a header, and many times."""
    first, *_ = re.split("[\r\n]", text, maxsplit=1)
    return bool(sign.search(first)) and len(sign.findall(text)) > 1 + len(text) * _MANY


def _check_encoding(source: Content, encoding: str) -> None:
    """Check that a file is in an encoding; the error says what is not, in which line."""
    number, place = 1, ""
    try:
        for text in _decoded(source, encoding):
            number += text.count("\n")
    except UnicodeError as error:
        if isinstance(error, UnicodeDecodeError):
            number += error.object.count(b"\n", 0, error.start)
            place = f" (line {number:,}: the byte {error.object[error.start]:02x})"
        raise fault("encoding.neither", source.name, encoding=encoding, where=place) from error


def _checked_encoding(encoding: str) -> str:
    try:
        # Unlike the lookup, this refuses codecs that are no text encodings, such as hex.
        "".encode(encoding)
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise fault("unknown_encoding", encoding=encoding) from error
    return _UTF8 if name == "utf-8-sig" else name


def records(
    text: TextFile, header_of: Callable[[str], _H | None]
) -> Iterator[tuple[int, _H | None, str, str]]:
    """Yield the first line, header, text and fault of messages; blank lines are none.

    Each begins with a line that has a header; its lines end in a line feed, whatever the file's do.
    """
    first, length, header, lines = 1, 0, None, list[str]()
    for number, line in chain(enumerate(text.lines(), 1), [(0, "")]):
        next_header = header_of(line) if number else None
        if next_header is not None or not number:
            raw, problem = "".join(lines).rstrip("\n"), ""
            if header is None:
                problem = "a line before the first message"
            elif has_undecoded(raw):
                problem = UNDECODED
            elif length > limits.LONGEST_CELL:
                problem = limits.LONG_CELL
            if header is not None or raw.strip():
                yield first, header, raw, problem
            first, length, header, lines = number, 0, next_header, []
        length += len(line)
        # What is beyond the longest message is counted and left out.
        if length <= limits.LONGEST_CELL:
            lines.append(line.rstrip("\r\n") + "\n")


def open_lines(source: Content, options: Reading) -> OpenTable:
    """Detect the encoding of plain text, of which each line that is not blank is a message."""
    text = open_text(source, options.encoding)

    def rows() -> Iterator[Row]:
        for number, line in enumerate(text.lines(), 1):
            message = line.rstrip("\r\n")
            if line.strip():
                yield number, [message], UNDECODED if has_undecoded(line) else "", message

    return OpenTable(("text",), text.dialect, text.n_lines, rows)


def guard(cell: str) -> str:
    return f"'{cell}" if _NEEDS_GUARD.match(cell) else cell


def unguard(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and _NEEDS_GUARD.match(cell) else cell


def open_csv(source: Content, options: Reading) -> OpenTable:
    """Detect the encoding and separator of a CSV or TSV file, and read its header."""
    csv.field_size_limit(limits.LONGEST_CELL)
    text = open_text(source, options.encoding)
    separator = "\t" if options.separator in ("tab", "\\t") else options.separator
    if separator is None:
        sample = [line for line in islice(text.lines(), _SAMPLE) if line.strip()]
        candidates = ("\t",) if source.format is Format.TSV else _SEPARATORS
        separator = _likeliest(sample, candidates, options.text_column)
    elif len(separator) != 1 or separator in '"\r\n':
        raise DataError(f"--separator {options.separator!r} is not one character: try , ; | or tab")
    columns, n_above = _header(text, separator, options)
    if source.guarded:
        columns = tuple(map(unguard, columns))
    width = len(columns)

    def rows() -> Iterator[Row]:
        for line, cells, problem, lines in islice(_records(text, separator), n_above, None):
            if problem or len(cells) != width:
                fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
                misfit = problem or f"{fields} where the header has {width}"
                yield line, cells, misfit, "".join(lines).rstrip("\r\n")
            else:
                yield line, [*map(unguard, cells)] if source.guarded else cells, "", ""

    dialect = replace(text.dialect, separator=separator, guarded=source.guarded)
    return OpenTable(columns, dialect, text.n_lines, rows)


def is_table(head: str, min_rows_by_comma: int = 4) -> tuple[bool, bool]:
    """Return whether a text has a header, and whether it has one or cells of constant number."""
    sample = [line for line in head.splitlines()[:_SAMPLE] if line.strip()]
    separator = _likeliest(sample, _SEPARATORS, None)
    has_header = any(names_text(row, None) for row in _parsed(sample[:1], separator))
    rows = _parsed(sample, separator) if separator else []
    min_rows = min_rows_by_comma if separator == "," else 2
    is_regular = len(rows) >= min_rows and len({len(row) for row in rows}) == 1
    return has_header, has_header or is_regular


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


def _header(text: TextFile, separator: str | None, options: Reading) -> tuple[tuple[str, ...], int]:
    """Return the names of the columns, and how many rows are above the first message."""
    name, top = text.source.name, []
    for _, cells, problem, _ in islice(_records(text, separator), limits.MAX_TITLES + 1):
        top.append((cells, problem))
        if options.no_header or names_text(cells, options.text_column):
            break
    n_above = header_of([cells for cells, _ in top], options.text_column)
    cells, problem = top[n_above] if top else ([], "")
    if problem == UNDECODED:
        raise fault("encoding.header", name)
    if problem:
        raise fault("damaged.header", name, problem=problem)
    if not cells:
        raise fault("empty", name)
    return (numbered(len(cells)), 0) if options.no_header else (tuple(cells), n_above + 1)


def _records(
    text: TextFile, separator: str | None
) -> Iterator[tuple[int, list[Any], str, list[str]]]:
    """Yield the first line, cells, fault and lines of each record; blank lines are no records."""
    lines, pushed_back, record = text.lines(), deque[str](), list[str]()
    first, length, n_again, problem = 1, 0, 0, ""

    def take() -> str:
        nonlocal length
        line = pushed_back.popleft() if pushed_back else next(lines, "")
        if line:
            record.append(line)
            length += len(line)
        if length > limits.LONGEST_ROW:
            text.checked("".join(record), first)
        return line

    while True:
        reader = csv.reader(iter(take, ""), delimiter=separator or _NO_SEPARATOR, strict=True)
        try:
            for cells in reader:
                if cells:
                    is_undecoded = text.damaged and any(map(has_undecoded, record))
                    yield first, cells, UNDECODED if is_undecoded else "", record
                first, length = first + len(record), 0
                record.clear()
            return
        except csv.Error as error:
            problem = next(why for sign, why in _FAULTS.items() if str(error).startswith(sign))
        if len(record) > 1:
            # A record of several lines has a quote that is never closed.
            pushed_back.extendleft(reversed(record[1:]))
            del record[1:]
            problem = _NEVER_CLOSED
            n_again += length
            if n_again > limits.MOST_READ_AGAIN:
                raise fault("endless_row.quotes", text.source.name, line=first)
        yield first, [], problem, record
        first, length = first + len(record), 0
        record.clear()
