"""Spreadsheets: the sheet that is wanted as a table. ODS is read here, XLSX by its own module."""

import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

from triage.data import limits
from triage.data.columns import check_columns, find_text, header_of, numbered
from triage.data.errors import ColumnError, as_text, fault, one_line, refusing
from triage.data.markup import LongCellError, MarkupError, tokens
from triage.data.table import HEAD, Dialect, Format, Row, Source, Table
from triage.errors import reading
from triage.settings import Reading

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LAST_EXACT = 2**53
"""Beyond it the numbers of a spreadsheet lose digits."""

_IS_ZIP = b"PK\x03\x04"
# OpenDocument archives begin with an entry of this name.
IS_ODS = re.compile(rb"PK\x03\x04.{26}mimetype", re.DOTALL)
IS_XLSX = re.compile(rb"PK\x03\x04(?!.{26}mimetype)", re.DOTALL)
# The file in which OPC and OpenDocument say what the others are; no name is of a truncated head.
_TYPES = (b"[Content_Types].xml", b"mimetype", b"")
_LONGEST_SIGN = 12
_BLOCK = 1 << 16
# Errors of a damaged archive or of its XML; RuntimeError means a password or unknown compression.
_UNREADABLE = (
    *(MarkupError, SyntaxError, UnicodeError, zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(RuntimeError, OverflowError),
)

# Below the root, the body and the spreadsheet; deeper ones are tables within cells.
_DEPTH_OF_SHEET = 4
_ABOVE_ROWS = {"table", "table-header-rows", "table-rows", "table-row-group"}
_CELLS, _PARAGRAPHS = ("table-cell", "covered-table-cell"), ("p", "h")
# Beside the text of a cell, or a table within it.
_LEFT_OUT = {"annotation", "note", "ruby-text", "table", "drawing"}
# While a paragraph is collected, characters that XML cannot hold stand for white space elements.
_SPACE_ELEMENTS = {"s": "\0", "tab": "\1", "line-break": "\2"}
_AS_WHITE_SPACE = str.maketrans("\0\1\2", " \t\n")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_DURATION = re.compile(r"^PT(\d{1,9})H(\d{1,9})M(\d{1,9}(?:\.\d+)?)S$")

SheetRow: TypeAlias = tuple[int, dict[int, object], int]
"""A row's number, from 1, its cells that are not blank by their column, and its repetitions."""


class SheetError(MarkupError):
    """A spreadsheet breaks the rules of its format."""


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()

    def __new__(cls, shown: str) -> "FailedCell":
        return super().__new__(cls, shown if 0 < len(shown) <= _LONGEST_SIGN else "#ERROR")


class Book(NamedTuple):
    """The names of the sheets of a spreadsheet, and the rows of the one at a position."""

    names: Callable[[], list[str]]
    rows: Callable[[int], Iterator[SheetRow]]


def is_zip(head: bytes) -> bool:
    return head.startswith(_IS_ZIP)


def is_flat_zip(head: bytes) -> bool:
    """Return whether the first file of a zip archive lies in no folder, unlike a spreadsheet's."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return is_zip(head) and first not in _TYPES and b"/" not in first


def _book(file: IO[bytes], *, is_ods: bool) -> Book:
    archive = zipfile.ZipFile(file)
    for part in archive.infolist():
        is_bomb = part.file_size > max(limits.LARGE_PART, limits.BEST_PACKED * part.compress_size)
        if is_bomb or part.file_size > limits.LARGEST_PART:
            raise SheetError("a part is too large")
        if part.filename.endswith((".xml", ".rels")):
            with archive.open(part) as source:
                # A document type would stand before the root.
                next(tokens(iter(partial(source.read, _BLOCK), b"")), None)
    if not is_ods:
        # The libraries of XLSX take longer to load than most runs to do their work.
        from triage.data.xlsx import xlsx_book

        return xlsx_book(file)
    if "content.xml" not in archive.namelist():
        raise SheetError("no content")

    def names() -> list[str]:
        return [one.get("name", "") for one in _elements(archive) if one.tag == "table"]

    return Book(names, partial(_rows_of_ods, archive))


def sheet_names(path: Path) -> tuple[str, ...]:
    with reading(str(path)), path.open("rb") as file:
        head = file.read(HEAD)
        if not is_zip(head) or is_flat_zip(head):
            return ()
        try:
            book = _book(file, is_ods=IS_ODS.match(head) is not None)
            return tuple(map(one_line, book.names()))
        except _UNREADABLE:
            return ()


def open_sheet(source: Source, options: Reading) -> Table:
    line = (
        f" is not a readable .{source.format.value} file (damaged, or with a password): save it "
        "again from a spreadsheet program"
    )
    with (
        refusing(_UNREADABLE, source.name, "damaged", line),
        refusing(LongCellError, source.name, "large", ": {error}: save it as CSV"),
        # openpyxl warns of rules for formats and the like, of which nothing is read.
        warnings.catch_warnings(action="ignore"),
    ):
        return _table(_book(source.file, is_ods=source.format is Format.ODS), source, options)


def _table(book: Book, source: Source, options: Reading) -> Table:
    name, position, wanted = source.name, 0, options.sheet
    if wanted is not None:
        names = book.names()
        found = [at for at, sheet in enumerate(names) if wanted in (sheet, str(at + 1))]
        if not found:
            line = f" has no sheet {wanted!r}; there are: {one_line(', '.join(names))}"
            raise fault(name, "no_sheet", line, sheet=wanted)
        position = found[0]
    rows = _read(book.rows(position), options, name)
    if not rows:
        raise fault(name, "no_sheet", f": the sheet is empty{_others(book, options)}")
    first = min(next(at for at, cell in enumerate(c) if cell is not None) for _, c, _ in rows if c)
    last = max(len(cells) for _, cells, _ in rows)
    columns = numbered(last - first)
    if not options.no_header:
        header = [as_text(cell) for cell in rows.pop(0)[1][first:]]
        columns = tuple(header + [""] * (last - first - len(header)))
    check_columns(columns, name)
    try:
        text = first + find_text(columns, options.text_column, name)
    except ColumnError as error:
        line = f"{error}{_others(book, options)}"
        raise ColumnError(line, error.key, columns=columns, **error.values) from error

    def messages() -> Iterator[Row]:
        for number, cells, problem in rows:
            row = [*cells, *[None] * (last - len(cells))]
            is_failed = isinstance(row[text], FailedCell)
            failed = f"the message is a formula that failed: {row[text]}" if is_failed else ""
            raw = "\t".join(map(as_text, cells[first:])) if problem or failed else ""
            yield number, row[first:], problem or failed, raw

    return Table(columns, Dialect(source.format), len(rows), messages)


def _others(book: Book, options: Reading) -> str:
    names = [] if options.sheet is not None else book.names()
    listed = one_line(", ".join(names))
    return f"; this is the first sheet, --sheet names another: {listed}" if len(names) > 1 else ""


def _read(
    sheet: Iterator[SheetRow], options: Reading, name: str
) -> list[tuple[int, list[object], str]]:
    """Return the rows of a sheet that are not blank, its header first: line, cells and fault."""
    filled = (row for row in sheet if row[1])
    top = [] if options.no_header else [*islice(filled, limits.MOST_TITLES + 1)]
    start = header_of([[*cells.values()] for _, cells, _ in top], options.text_column)
    rows: list[tuple[int, list[object], str]] = []
    n_cells = 0
    for number, found, n_times in chain(top[start:], filled):
        width = len(rows[0][1]) + limits.MOST_UNNAMED if rows else limits.MOST_COLUMNS
        within = [column for column in found if column < min(width, limits.MOST_COLUMNS)]
        cells: list[object] = [None] * (max(within, default=-1) + 1)
        for column in within:
            cell = cells[column] = found[column]
            if isinstance(cell, str) and len(cell) > limits.LONGEST_CELL:
                raise LongCellError
            # Spreadsheets keep whole numbers as floats.
            if isinstance(cell, float) and cell.is_integer() and abs(cell) <= LAST_EXACT:
                cells[column] = int(cell)
        n_cells += len(cells) * n_times
        if n_cells > limits.MOST_CELLS:
            line = f" has more than {limits.MOST_CELLS:,} cells: save it as CSV"
            raise fault(name, "large", line)
        problem = "a cell far to the right of the table" if len(within) < len(found) else ""
        rows += [(line, cells, problem) for line in range(number, number + n_times)]
    return rows


def _rows_of_ods(archive: zipfile.ZipFile, position: int) -> Iterator[SheetRow]:
    number, last = 1, limits.MOST_COLUMNS
    for row in _elements(archive):
        if row.tag == "table":
            position -= 1
        if row.tag == "table" or position != -1:
            continue
        found, column = dict[int, object](), 0
        for cell in row:
            if cell.tag in _CELLS:
                after = column + _times(cell.get("number-columns-repeated"), last)
                if (value := _value(cell)) != "":
                    found |= dict.fromkeys(range(column, min(after, last)), value)
                column = after
        n_times = _times(row.get("number-rows-repeated"), limits.MOST_ROWS)
        yield number, found, n_times
        number += n_times


def _elements(archive: zipfile.ZipFile) -> Iterator["Element"]:
    """Yield each sheet of an ODS file where it begins, and each of its rows."""
    from xml.etree.ElementTree import XMLPullParser

    parser: Any = XMLPullParser(("start", "end"))
    within, n_read = list["Element"](), 0
    with archive.open("content.xml") as part:
        for block in chain(iter(partial(part.read, _BLOCK), b""), [b""]):
            if block:
                parser.feed(block)
            else:
                parser.close()
            n_read += len(block)
            for event, element in parser.read_events():
                if event == "start":
                    _leave_out_namespaces(element)
                    within.append(element)
                    if len(within) > limits.DEEPEST:
                        raise SheetError("nested too deeply")
                    if element.tag == "table" and len(within) == _DEPTH_OF_SHEET:
                        yield element
                    continue
                within.pop()
                above = {one.tag for one in within[_DEPTH_OF_SHEET - 1 :]}
                if element.tag == "table-row" and above <= _ABOVE_ROWS:
                    n_read = 0
                    yield element
                    # What was read need not stay in memory.
                    within[-1].clear()
            # A row without end would fill the memory.
            if n_read > limits.LARGE_PART:
                raise LongCellError


def _leave_out_namespaces(element: "Element") -> None:
    """Shorten the names of an element and its attributes; drawings are all of one name."""
    space, _, name = element.tag.rpartition("}")
    element.tag = "drawing" if space.endswith("drawing:1.0") else name
    # That of LibreOffice comes last: its type tells of errors.
    attributes = {name.rpartition("}")[2]: value for name, value in sorted(element.items())}
    element.attrib.clear()
    element.attrib.update(attributes)


def _times(repeated: str | None, most: int) -> int:
    if not re.fullmatch("[0-9]{1,12}", repeated or "1"):
        raise SheetError("a count that is no number")
    return min(int(repeated or "1"), most)


def _value(cell: "Element") -> object:
    """Return a cell with its type, or its text where the value is not of the type."""
    text, type_ = "\n".join(_paragraphs(cell)), cell.get("value-type", "string")
    if type_ == "error":
        return FailedCell(text)
    if type_ == "string":
        # The attribute is the value, and the text in the cell its display.
        return cell.get("string-value") or text
    attribute, read = _TYPED.get(type_, ("", str))
    try:
        return read(cell.attrib[attribute])
    except (KeyError, ValueError, OverflowError):
        return text


def _paragraphs(element: "Element") -> Iterator[str]:
    for inner in element:
        if inner.tag in _PARAGRAPHS:
            yield _WHITE_SPACE.sub(" ", _text(inner)).strip(" ").translate(_AS_WHITE_SPACE)
        elif inner.tag not in _LEFT_OUT:
            yield from _paragraphs(inner)


def _text(element: "Element") -> str:
    if sign := _SPACE_ELEMENTS.get(element.tag):
        return sign * _times(element.get("c"), limits.LONGEST_CELL + 1)
    inner = [("" if one.tag in _LEFT_OUT else _text(one)) + (one.tail or "") for one in element]
    return (element.text or "") + "".join(inner)


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
