"""Shared parts of XLSX and ODS: typed cells, the first sheet as a table, and its writer."""

import re
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from functools import partial
from itertools import chain, islice
from typing import IO, TypeAlias, TypeGuard, TypeVar

from triage.data.columns import check_columns, find_text, guess_text, numbered
from triage.data.errors import ColumnError, DataError, one_line
from triage.data.limits import (
    LARGEST_PART,
    MOST_CELLS,
    MOST_COLUMNS,
    MOST_ROWS,
    MOST_TITLES,
    MOST_UNNAMED,
)
from triage.data.markup import FORBIDDEN, Handler, LongCellError, MarkupError, parse
from triage.data.table import Dialect, Reject, Row, Source, Table, Writer
from triage.data.values import as_text
from triage.settings import Reading

_BLOCK = 1 << 18
# Beyond this a spreadsheet's numbers lose digits.
_LAST_EXACT = 2**53
# The file in which OPC and OpenDocument say what the others are; no name is of a truncated head.
_TYPES = (b"[Content_Types].xml", b"mimetype", b"")
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_OWNER_READS = 0o600 << 16

SheetRow: TypeAlias = tuple[int, dict[int, object], int]
"""A row's position, its cells that are not blank by their column, and how often it is repeated."""
_BodyRow: TypeAlias = tuple[int, list[object], str]
"""A row's number in the sheet, its cells up to the last that is not blank, and its fault."""
_T = TypeVar("_T")


class SheetError(MarkupError):
    """A spreadsheet breaks the rules of its format."""


class NoSheetError(ValueError):
    """A workbook has no sheet of the name or number that is wanted."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"there are: {one_line(', '.join(names))}")
        self.names = tuple(names)


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()


# Errors of reading a damaged archive; RuntimeError means a password or an unknown compression.
UNREADABLE = (
    MarkupError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    UnicodeError,
    OverflowError,
)


def is_zip(head: bytes) -> bool:
    """Return whether a file begins like a zip archive."""
    return head.startswith(b"PK\x03\x04")


def is_flat_zip(head: bytes) -> bool:
    """Return whether the first file of a zip archive lies in no folder, unlike a spreadsheet's."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return is_zip(head) and first not in _TYPES and b"/" not in first


def open_sheet(
    source: Source, options: Reading, rows_of: Callable[[zipfile.ZipFile], Iterator[SheetRow]]
) -> Table:
    """Read a sheet of a spreadsheet; rows above its header are no messages."""
    source.file.seek(0)
    try:
        with zipfile.ZipFile(source.file) as archive:
            header, body = _read(rows_of(archive), options, source.name)
    except NoSheetError as error:
        raise DataError(
            f"{source.name} has no sheet {options.sheet!r}; {error}",
            "no_sheet",
            file=source.name,
            sheet=options.sheet,
        ) from error
    except LongCellError as error:
        raise DataError(
            f"{source.name}: {error}: save it as CSV", "long_cell", file=source.name
        ) from error
    except UNREADABLE as error:
        raise DataError(
            f"{source.name} is not a readable .{source.format.value} file"
            " (damaged, or with a password): save it again from a spreadsheet program",
            "unreadable_sheets",
            file=source.name,
        ) from error
    starts = [_first_filled(cells) for _, cells, _ in body] or [0]
    first = min(_first_filled(header), *starts)
    width = max([len(header), *(len(cells) for _, cells, _ in body)]) - first
    names = [as_text(name) for name in header[first:]]
    columns = tuple(names + [""] * (width - len(names)))
    if options.no_header:
        columns = numbered(width)
    check_columns(columns, source.name)
    text = _text_position(columns, options, source.name)
    body = [(line, cells[first:], fault) for line, cells, fault in body]
    return Table(columns, Dialect(source.format), len(body), partial(_rows, body, width, text))


def _text_position(columns: Sequence[str], options: Reading, name: str) -> int:
    try:
        return find_text(columns, options.text_column, name)
    except ColumnError as error:
        if options.sheet is None:
            raise ColumnError(
                f"{error}; this is the first sheet: --sheet names another",
                error.key,
                columns=columns,
                **error.values,
            ) from error
        raise


def is_wanted(name: str, number: int, wanted: str | None) -> bool:
    """Return whether a sheet, the first being number 1, is the one of a name or a number."""
    return number == 1 if wanted is None else wanted in (name, str(number))


def _rows(body: list[_BodyRow], width: int, text: int) -> Iterator[Row | Reject]:
    for line, cells, fault in body:
        row = [*cells, *[None] * (width - len(cells))]
        failed = row[text]
        reason = fault
        if not fault and isinstance(failed, FailedCell):
            reason = f"the message is a formula that failed: {failed}"
        yield Reject(line, reason, "\t".join(map(as_text, cells))) if reason else (line, row)


def _read(
    rows: Iterator[SheetRow], options: Reading, name: str
) -> tuple[list[object], list[_BodyRow]]:
    """Return the header, and the rows below it; without one, the first row is among them."""
    header: list[object] = []
    body: list[_BodyRow] = []
    n_cells = 0
    for at, found, n_times in _without_titles(rows, options):
        last = min(len(header) + MOST_UNNAMED, MOST_COLUMNS) if header else MOST_COLUMNS
        cells, fault = _cells(found, last)
        n_cells += len(cells) * n_times
        if n_cells > MOST_CELLS:
            raise DataError(
                f"{name} has more than {MOST_CELLS:,} cells: save it as CSV",
                "too_many_cells",
                file=name,
            )
        first, n_below = at + 1, n_times
        if not header:
            header = cells
            if not options.no_header:
                first, n_below = at + 2, n_times - 1
        body += [(line, cells, fault) for line in range(first, first + n_below)]
    if not header:
        sheet = "sheet" if options.sheet else "first sheet"
        raise DataError(
            f"{name}: the {sheet} is empty: name another with --sheet", "empty_sheet", file=name
        )
    return header, body


def _without_titles(rows: Iterator[SheetRow], options: Reading) -> Iterator[SheetRow]:
    """Leave out rows above the header, which is wider than each of them."""
    top = [] if options.no_header else list(islice(rows, MOST_TITLES + 1))
    widest = start = 0
    for at, (_, cells, _) in enumerate(top):
        if len(cells) > widest and _is_header([*cells.values()], options.text_column):
            start = at
            break
        widest = max(widest, len(cells))
    return chain(top[start:], rows)


def _is_header(cells: Sequence[object], text_column: str | None) -> bool:
    names = [cell for cell in cells if isinstance(cell, str)]
    if len(names) < len(cells):
        return False
    return guess_text(names) is not None if text_column is None else text_column in names


def _cells(found: dict[int, object], last: int) -> tuple[list[object], str]:
    """Return cells in order, and the fault of a row with a cell beyond column `last`."""
    within = [column for column in found if column < last]
    cells: list[object] = [None] * (max(within, default=-1) + 1)
    for column in within:
        cell = found[column]
        # Spreadsheets keep whole numbers as floats.
        if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _LAST_EXACT:
            cell = int(cell)
        cells[column] = cell
    return cells, "" if len(within) == len(found) else "a cell far to the right of the table"


def _first_filled(cells: list[object]) -> int:
    return next((i for i, cell in enumerate(cells) if cell is not None), len(cells))


def parsed(archive: zipfile.ZipFile, name: str, handler: Handler[_T]) -> Iterator[_T]:
    """Parse a part of a spreadsheet and yield what `handler` finds."""
    try:
        entry = archive.getinfo(name)
    except KeyError as error:
        raise SheetError("a part is missing") from error
    if entry.file_size > LARGEST_PART:
        raise SheetError("a part is too large")
    with archive.open(entry) as part:
        yield from parse(iter(partial(part.read, _BLOCK), b""), handler)


def count_of(attribute: str | None, default: int, most: int) -> int:
    """Return the whole number that an attribute holds, at most `most`, or raise `SheetError`."""
    if attribute is None:
        return default
    if not re.fullmatch("[0-9]{1,12}", attribute):
        raise SheetError("a count that is no number")
    return min(int(attribute), most)


def iso_date(text: str) -> object:
    """Return a date in ISO 8601; any other text as it is."""
    try:
        return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
    except ValueError:
        return text


class SheetWriter(Writer, ABC):
    """Base of the writers of spreadsheets: an archive with the only sheet as its last part."""

    PARTS: Mapping[str, str]
    SHEET: str
    OPENING: str
    CLOSING: str

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        super().__init__(file, columns, dialect)
        self._archive = zipfile.ZipFile(file, "w")
        for name, content in self.PARTS.items():
            self._archive.writestr(_zip_entry(name), content)
        self._sheet = self._archive.open(_zip_entry(self.SHEET), "w", force_zip64=True)
        self._sheet.write(self.OPENING.encode())
        self.write([columns], 0)

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        """Write rows as elements of the sheet."""
        for number, row in enumerate(rows, first):
            if number >= MOST_ROWS:
                raise DataError(
                    f"row {number} is beyond the {MOST_ROWS:,} rows that a spreadsheet can hold:"
                    " write CSV"
                )
            self._sheet.write(self.row_xml(row, number).encode())

    def finish(self) -> None:
        """Close the sheet and write the archive's directory."""
        with self._archive, self._sheet:
            self._sheet.write(self.CLOSING.encode())

    @abstractmethod
    def row_xml(self, row: Sequence[object], number: int) -> str:
        """Return the element of row `number`, the header being row 0."""


def _zip_entry(name: str) -> zipfile.ZipInfo:
    """Return an archive entry without the time of writing."""
    entry = zipfile.ZipInfo(name, _NO_TIME)
    # OpenDocument wants its type uncompressed.
    is_type = name == "mimetype"
    entry.compress_type = zipfile.ZIP_STORED if is_type else zipfile.ZIP_DEFLATED
    entry.external_attr = _OWNER_READS
    return entry


def sheet_text(value: object, number: int) -> str:
    """Return the text of a cell in row `number`; raise `DataError` if XML cannot hold it."""
    text = as_text(value)
    if FORBIDDEN.search(text):
        raise DataError(
            f"row {number} holds a control character, which a spreadsheet can't hold: write CSV"
        )
    return text


def is_sheet_time(value: object) -> TypeGuard[date | time]:
    """Return whether a spreadsheet can hold `value` as a date or a time: without time zone."""
    if isinstance(value, datetime | time):
        return value.tzinfo is None
    return isinstance(value, date)


def is_exact_number(value: object) -> bool:
    """Return whether a spreadsheet keeps `value` as a number without loss."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LAST_EXACT
