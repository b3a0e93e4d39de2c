"""Spreadsheets: the sheet that is wanted as a table. ODS is read here, XLSX by its own module.

In ODS white space is elements, and notes and drawings are no text.
"""

import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, Union

from triage.data.columns import check_columns, find_text, header_of, numbered
from triage.data.errors import (
    LARGEST_PART,
    LONGEST_CELL,
    MOST_CELLS,
    MOST_COLUMNS,
    MOST_ROWS,
    MOST_TITLES,
    MOST_UNNAMED,
    ColumnError,
    as_text,
    fault,
    one_line,
    refusing,
)
from triage.data.markup import LongCellError, MarkupError, Token, tokens
from triage.data.table import Dialect, Format, Reject, Row, Source, Table
from triage.errors import reading
from triage.settings import Reading

if TYPE_CHECKING:
    from triage.data.xlsx import XlsxBook

LAST_EXACT = 2**53
"""Beyond it the numbers of a spreadsheet lose digits."""

_IS_ZIP = b"PK\x03\x04"
# OpenDocument archives begin with an entry of this name.
IS_ODS = re.compile(rb"PK\x03\x04.{26}mimetype", re.DOTALL)
IS_XLSX = re.compile(rb"PK\x03\x04(?!.{26}mimetype)", re.DOTALL)
# The file in which OPC and OpenDocument say what the others are; no name is of a truncated head.
_TYPES = (b"[Content_Types].xml", b"mimetype", b"")
_LONGEST_SIGN = 12
_HEAD = 1024
# Errors of a damaged archive; RuntimeError means a password or an unknown compression.
_DAMAGE = (MarkupError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
_UNREADABLE = (*_DAMAGE, UnicodeError, OverflowError)

_BLOCK = 1 << 18
# Below the root, the body and the spreadsheet; deeper ones are tables within cells.
_DEPTH_OF_SHEET = 4
_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE, _TABLE, _TEXT = (f"{_OASIS}{name}:1.0 " for name in ("office", "table", "text"))
_SHEET, _ROW = f"{_TABLE}table", f"{_TABLE}table-row"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_LEFT_OUT = {f"{_OFFICE}annotation", f"{_TEXT}note", f"{_TEXT}ruby-text", f"{_TABLE}shapes"}
_DRAWING = f"{_OASIS}drawing:1.0 "
_EXTENDED_TYPE = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 value-type"
# While a paragraph is collected, characters that XML cannot hold stand for white space elements.
_SPACE_ELEMENTS = {f"{_TEXT}s": "\0", f"{_TEXT}tab": "\1", f"{_TEXT}line-break": "\2"}
_AS_WHITE_SPACE = str.maketrans("\0\1\2", " \t\n")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_DURATION = re.compile(r"^PT(\d{1,9})H(\d{1,9})M(\d{1,9}(?:\.\d+)?)S$")

SheetRow: TypeAlias = tuple[int, dict[int, object], int]
"""A row's position, its cells that are not blank by their column, and how often it is repeated."""
_BodyRow: TypeAlias = tuple[int, list[object], str]
"""A row's number in the sheet, its cells up to the last that is not blank, and its fault."""
_Book: TypeAlias = Union["OdsBook", "XlsxBook"]


class SheetError(MarkupError):
    """A spreadsheet breaks the rules of its format."""


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()

    @classmethod
    def of(cls, shown: str) -> "FailedCell":
        """Return the sign that a cell shows, unless it is too long for one."""
        return cls(shown if 0 < len(shown) <= _LONGEST_SIGN else "#ERROR")


def is_zip(head: bytes) -> bool:
    return head.startswith(_IS_ZIP)


def is_flat_zip(head: bytes) -> bool:
    """Return whether the first file of a zip archive lies in no folder, unlike a spreadsheet's."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return is_zip(head) and first not in _TYPES and b"/" not in first


def _book(file: IO[bytes], *, is_ods: bool) -> _Book:
    if is_ods:
        return OdsBook(file)
    # The libraries of XLSX take longer to load than most runs to do their work.
    from triage.data.xlsx import XlsxBook

    return XlsxBook(file)


def sheet_names(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; none of any other file, or a damaged one."""
    with reading(str(path)), path.open("rb") as file:
        head = file.read(_HEAD)
        if not is_zip(head) or is_flat_zip(head):
            return ()
        try:
            book = _book(file, is_ods=IS_ODS.match(head) is not None)
            return tuple(map(one_line, book.names))
        except _UNREADABLE:
            return ()


def open_sheet(source: Source, options: Reading) -> Table:
    """Read a sheet of a spreadsheet; rows above its header are no messages."""
    line = (
        f" is not a readable .{source.format.value} file (damaged, or with a password): save it "
        "again from a spreadsheet program"
    )
    with (
        refusing(_UNREADABLE, source.name, "unreadable_sheets", line),
        refusing(LongCellError, source.name, "long_cell", ": {error}: save it as CSV"),
        # openpyxl warns of rules for formats and the like, of which nothing is read.
        warnings.catch_warnings(action="ignore"),
    ):
        return _table(_book(source.file, is_ods=source.format is Format.ODS), source, options)


def _table(book: _Book, source: Source, options: Reading) -> Table:
    position = 0 if options.sheet is None else _position(book, options.sheet, source.name)
    rows = _read(book.rows(position), options, source.name)
    if not rows:
        raise fault(source.name, "empty_sheet", f": the sheet is empty{_others(book, options)}")
    first = min(next(at for at, cell in enumerate(c) if cell is not None) for _, c, _ in rows if c)
    width = max(len(cells) for _, cells, _ in rows) - first
    columns = numbered(width)
    if not options.no_header:
        header = [as_text(name) for name in rows.pop(0)[1][first:]]
        columns = tuple(header + [""] * (width - len(header)))
    check_columns(columns, source.name)
    try:
        text = find_text(columns, options.text_column, source.name)
    except ColumnError as error:
        line = f"{error}{_others(book, options)}"
        raise ColumnError(line, error.key, columns=columns, **error.values) from error
    messages = partial(_messages, rows, slice(first, first + width), text)
    return Table(columns, Dialect(source.format), len(rows), messages)


def _position(book: _Book, wanted: str, name: str) -> int:
    """Return the position of the sheet of a name or a number, from 1."""
    for position, sheet in enumerate(book.names):
        if wanted in (sheet, str(position + 1)):
            return position
    names = one_line(", ".join(book.names))
    line = f" has no sheet {wanted!r}; there are: {names}"
    raise fault(name, "no_sheet", line, sheet=wanted)


def _others(book: _Book, options: Reading) -> str:
    """Return what an error says of the other sheets where none was named."""
    if options.sheet is not None or len(book.names) == 1:
        return ""
    names = one_line(", ".join(book.names))
    return f"; this is the first sheet, --sheet names another: {names}"


def _messages(rows: list[_BodyRow], columns: slice, text: int) -> Iterator[Row | Reject]:
    for line, cells, problem in rows:
        row = [*cells, *[None] * (columns.stop - len(cells))][columns]
        failed = f"the message is a formula that failed: {row[text]}"
        reason = problem or (failed if isinstance(row[text], FailedCell) else "")
        if reason:
            yield Reject(line, reason, "\t".join(map(as_text, cells[columns])))
        else:
            yield line, row


def _read(sheet: Iterator[SheetRow], options: Reading, name: str) -> list[_BodyRow]:
    """Return the rows of a sheet that are not blank, its header first."""
    rows: list[_BodyRow] = []
    n_cells = 0
    filled = (row for row in sheet if row[1])
    for at, found, n_times in filled if options.no_header else _without_titles(filled, options):
        last = min(len(rows[0][1]) + MOST_UNNAMED, MOST_COLUMNS) if rows else MOST_COLUMNS
        cells, problem = _cells(found, last)
        n_cells += len(cells) * n_times
        if n_cells > MOST_CELLS:
            line = f" has more than {MOST_CELLS:,} cells: save it as CSV"
            raise fault(name, "too_many_cells", line)
        rows += [(line, cells, problem) for line in range(at + 1, at + 1 + n_times)]
    return rows


def _without_titles(rows: Iterator[SheetRow], options: Reading) -> Iterable[SheetRow]:
    """Return rows from the header on, which is wider than each row above it."""
    top = list(islice(rows, MOST_TITLES + 1))
    start = header_of([[*cells.values()] for _, cells, _ in top], options.text_column)
    return chain(top[start:], rows)


def _cells(found: dict[int, object], last: int) -> tuple[list[object], str]:
    """Return cells in order, and the fault of a row with a cell beyond column `last`."""
    within = [column for column in found if column < last]
    cells: list[object] = [None] * (max(within, default=-1) + 1)
    for column in within:
        cell = found[column]
        if isinstance(cell, str) and len(cell) > LONGEST_CELL:
            raise LongCellError
        # Spreadsheets keep whole numbers as floats.
        if isinstance(cell, float) and cell.is_integer() and abs(cell) <= LAST_EXACT:
            cell = int(cell)
        cells[column] = cell
    return cells, "" if len(within) == len(found) else "a cell far to the right of the table"


class OdsBook:
    """An ODS file, whose sheets are all in one part."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file)
        content = [one for one in self._archive.infolist() if one.filename == "content.xml"]
        if not content or content[0].file_size > LARGEST_PART:
            raise SheetError("no content, or too much")

    @property
    def names(self) -> list[str]:
        content = _Content(None)
        for token in self._tokens():
            content.read(token)
        return content.names

    def rows(self, position: int) -> Iterator[SheetRow]:
        content = _Content(position)
        for token in self._tokens():
            if row := content.read(token):
                yield row
            if content.is_over:
                return

    def _tokens(self) -> Iterator[Token]:
        with self._archive.open("content.xml") as part:
            yield from tokens(iter(partial(part.read, _BLOCK), b""))


class _Content:
    """Reads the rows of a sheet, and the names of all."""

    def __init__(self, position: int | None) -> None:
        self.names: list[str] = []
        self.is_over = False
        self._position = position
        self._depth = self._left_out = 0
        self._row, self._rows_repeated = 0, 1
        self._column, self._cells = 0, dict[int, object]()
        self._cell: dict[str, str] = {}
        self._paragraphs: list[str] = []
        self._pieces: list[str] = []
        self._length = 0

    def read(self, token: Token) -> SheetRow | None:
        """Take the next token, and return the row that ends with it, if one does."""
        if token.kind == "start":
            self._depth += 1
            if not self._left_out:
                self._start(token.value, token.attributes)
        elif token.kind == "end":
            self._depth -= 1
            if not self._left_out:
                return self._end(token.value)
            if self._depth < self._left_out:
                self._left_out = 0
        elif not self._left_out:
            self._add(token.value)
        return None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name in _CELLS:
            self._cell, self._paragraphs = attributes, []
            self._pieces, self._length = [], 0
        elif name == _ROW:
            self._column, self._cells = 0, {}
            self._rows_repeated = _times(attributes.get(f"{_TABLE}number-rows-repeated"), MOST_ROWS)
        elif name == _SHEET and self._depth == _DEPTH_OF_SHEET:
            self._left_out = 0 if self._position == len(self.names) else self._depth
            self.names.append(attributes.get(f"{_TABLE}name", ""))
        elif name == _SHEET or name in _LEFT_OUT or name.startswith(_DRAWING):
            self._left_out = self._depth
        elif name in _SPACE_ELEMENTS:
            n = _times(attributes.get(f"{_TEXT}c"), LONGEST_CELL + 1)
            self._add(_SPACE_ELEMENTS[name] * n)

    def _add(self, piece: str) -> None:
        self._length += len(piece)
        if self._length > LONGEST_CELL:
            raise LongCellError
        self._pieces.append(piece)

    def _end(self, name: str) -> SheetRow | None:
        if name in _CELLS:
            self._end_cell()
        elif name in _PARAGRAPHS:
            self._paragraphs.append(_collapsed("".join(self._pieces)))
            self._pieces = []
        elif name == _ROW:
            at, self._row = self._row, self._row + self._rows_repeated
            return at, self._cells, self._rows_repeated
        elif name == _SHEET:
            self.is_over = True
        return None

    def _end_cell(self) -> None:
        value = _value(self._cell, "\n".join(self._paragraphs))
        repeated = self._cell.get(f"{_TABLE}number-columns-repeated")
        after = self._column + _times(repeated, MOST_COLUMNS)
        if value != "":
            self._cells |= dict.fromkeys(range(self._column, min(after, MOST_COLUMNS)), value)
        self._column = after


def _times(repeated: str | None, most: int) -> int:
    if not re.fullmatch("[0-9]{1,12}", repeated or "1"):
        raise SheetError("a count that is no number")
    return min(int(repeated or "1"), most)


def _collapsed(paragraph: str) -> str:
    return _WHITE_SPACE.sub(" ", paragraph).strip(" ").translate(_AS_WHITE_SPACE)


def _value(cell: dict[str, str], text: str) -> object:
    """Return a cell with its type, or its text where the value is not of the type."""
    if cell.get(_EXTENDED_TYPE) == "error":
        return FailedCell.of(text)
    type_ = cell.get(f"{_OFFICE}value-type", "string")
    if type_ == "string":
        # The attribute is the value, and the text in the cell its display.
        return cell.get(f"{_OFFICE}string-value") or text
    attribute, read = _TYPED.get(type_, ("", str))
    try:
        return read(cell[f"{_OFFICE}{attribute}"])
    except (KeyError, ValueError, OverflowError):
        return text


def _time(text: str) -> object:
    [(hours, minutes, seconds)] = _DURATION.findall(text.replace(",", "."))
    length = timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds))
    return (datetime.min + length).time() if length < timedelta(days=1) else length


_TYPED: dict[str, tuple[str, Callable[[str], object]]] = {
    **dict.fromkeys(("float", "percentage", "currency"), ("value", float)),
    "boolean": ("boolean-value", {"true": True, "false": False}.__getitem__),
    "date": ("date-value", lambda text: (datetime if "T" in text else date).fromisoformat(text)),
    "time": ("time-value", _time),
}
