"""Spreadsheets: the sheet that is wanted as a table, whatever the format."""

import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TypeAlias

from triage.data.columns import check_columns, find_text, guess_text, numbered
from triage.data.errors import ColumnError, DataError, one_line, reading
from triage.data.limits import (
    LONGEST_CELL,
    MOST_CELLS,
    MOST_COLUMNS,
    MOST_TITLES,
    MOST_UNNAMED,
)
from triage.data.markup import LongCellError, MarkupError
from triage.data.table import Dialect, Format, Reject, Row, Source, Table, Writer
from triage.data.values import as_text
from triage.settings import Reading

LAST_EXACT = 2**53
"""Beyond it the numbers of a spreadsheet lose digits."""

# The file in which OPC and OpenDocument say what the others are; no name is of a truncated head.
_TYPES = (b"[Content_Types].xml", b"mimetype", b"")
_FIRST_NAME = slice(30, 38)
_LONGEST_SIGN = 12
_HEAD = 1024
# No sheet has this name, which XML cannot hold.
_NO_NAME = "\0"

SheetRow: TypeAlias = tuple[int, dict[int, object], int]
"""A row's position, its cells that are not blank by their column, and how often it is repeated."""
_SheetRows: TypeAlias = Callable[[IO[bytes], str | None], Iterator[SheetRow]]
_BodyRow: TypeAlias = tuple[int, list[object], str]
"""A row's number in the sheet, its cells up to the last that is not blank, and its fault."""


class SheetError(MarkupError):
    """A spreadsheet breaks the rules of its format."""


class NoSheetError(Exception):
    """A workbook has no sheet of the name or number that is wanted."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = tuple(map(one_line, names))


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()

    @classmethod
    def of(cls, shown: str) -> "FailedCell":
        """Return the sign that a cell shows, unless it is too long for one."""
        return cls(shown if 0 < len(shown) <= _LONGEST_SIGN else "#ERROR")


# Errors of reading a damaged archive; RuntimeError means a password or an unknown compression.
_UNREADABLE = (
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


def is_ods(head: bytes) -> bool:
    """Return whether a file begins as OpenDocument archives do, with an entry `mimetype`."""
    return is_zip(head) and head[_FIRST_NAME] == b"mimetype"


def is_xlsx(head: bytes) -> bool:
    """Return whether a file begins like a zip archive, and not like an OpenDocument one."""
    return is_zip(head) and not is_ods(head)


def xlsx_writer(file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> Writer:
    """Return a writer of XLSX."""
    from triage.data.xlsx import XlsxWriter

    return XlsxWriter(file, columns, dialect)


def _rows_of(format_: Format) -> _SheetRows:
    # The libraries of XLSX take longer to load than most runs to do their work.
    from triage.data import ods, xlsx

    return ods.sheet_rows if format_ is Format.ODS else xlsx.sheet_rows


def _without_warnings() -> AbstractContextManager[object]:
    """Silence openpyxl, which warns of rules for formats and the like: nothing of that is read."""
    return warnings.catch_warnings(action="ignore")


def sheet_names(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; none of any other file, or a damaged one."""
    with reading(str(path)), path.open("rb") as file:
        head = file.read(_HEAD)
        if not is_zip(head) or is_flat_zip(head):
            return ()
        try:
            return _names(Format.ODS if is_ods(head) else Format.XLSX, file)
        except _UNREADABLE:
            return ()


def _names(format_: Format, file: IO[bytes]) -> tuple[str, ...]:
    try:
        with _without_warnings():
            for _ in _rows_of(format_)(file, _NO_NAME):
                pass
    except NoSheetError as error:
        return error.names
    return ()


def position_of(wanted: str | None, names: Sequence[str]) -> int:
    """Return the position of the sheet of a name or a number, from 1; of the first for None."""
    for position, name in enumerate(names):
        if wanted in (None, name, str(position + 1)):
            return position
    raise NoSheetError(names)


def open_sheet(source: Source, options: Reading) -> Table:
    """Read a sheet of a spreadsheet; rows above its header are no messages."""
    try:
        with _without_warnings():
            header, body = _read(source, options)
    except NoSheetError as error:
        raise DataError(
            f"{source.name} has no sheet {options.sheet!r}; there are: {', '.join(error.names)}",
            "no_sheet",
            file=source.name,
            sheet=options.sheet,
        ) from error
    except LongCellError as error:
        raise DataError(
            f"{source.name}: {error}: save it as CSV", "long_cell", file=source.name
        ) from error
    except _UNREADABLE as error:
        raise DataError(
            f"{source.name} is not a readable .{source.format.value} file"
            " (damaged, or with a password): save it again from a spreadsheet program",
            "unreadable_sheets",
            file=source.name,
        ) from error
    first = min(_first_filled(cells) for cells in [header, *(cells for _, cells, _ in body)])
    width = max(len(cells) for cells in [header, *(cells for _, cells, _ in body)]) - first
    names = [as_text(name) for name in header[first:]]
    columns = tuple(names + [""] * (width - len(names)))
    if options.no_header:
        columns = numbered(width)
    check_columns(columns, source.name)
    text = _text_position(columns, source, options)
    body = [(line, cells[first:], fault) for line, cells, fault in body]
    return Table(columns, Dialect(source.format), len(body), partial(_rows, body, width, text))


def _text_position(columns: Sequence[str], source: Source, options: Reading) -> int:
    try:
        return find_text(columns, options.text_column, source.name)
    except ColumnError as error:
        line = f"{error}{_others(source, options)}"
        raise ColumnError(line, error.key, columns=columns, **error.values) from error


def _others(source: Source, options: Reading) -> str:
    """Return what an error says of the other sheets where none was named."""
    names = _names(source.format, source.file) if options.sheet is None else ()
    if len(names) < 2:
        return ""
    return f"; this is the first sheet, --sheet names another: {', '.join(names)}"


def _rows(body: list[_BodyRow], width: int, text: int) -> Iterator[Row | Reject]:
    for line, cells, fault in body:
        row = [*cells, *[None] * (width - len(cells))]
        failed = row[text]
        reason = fault
        if not fault and isinstance(failed, FailedCell):
            reason = f"the message is a formula that failed: {failed}"
        yield Reject(line, reason, "\t".join(map(as_text, cells))) if reason else (line, row)


def _read(source: Source, options: Reading) -> tuple[list[object], list[_BodyRow]]:
    """Return the header, and the rows below it; without one, the first row is among them."""
    header: list[object] = []
    body: list[_BodyRow] = []
    n_cells = 0
    for at, found, n_times in _without_titles(source, options):
        last = min(len(header) + MOST_UNNAMED, MOST_COLUMNS) if header else MOST_COLUMNS
        cells, fault = _cells(found, last)
        n_cells += len(cells) * n_times
        if n_cells > MOST_CELLS:
            raise DataError(
                f"{source.name} has more than {MOST_CELLS:,} cells: save it as CSV",
                "too_many_cells",
                file=source.name,
            )
        first, n_below = at + 1, n_times
        if not header:
            header = cells
            if not options.no_header:
                first, n_below = at + 2, n_times - 1
        body += [(line, cells, fault) for line in range(first, first + n_below)]
    if not header:
        line = f"{source.name}: the sheet is empty{_others(source, options)}"
        raise DataError(line, "empty_sheet", file=source.name)
    return header, body


def _without_titles(source: Source, options: Reading) -> Iterator[SheetRow]:
    """Return the rows of a sheet from its header on, which is wider than each row above it."""
    rows = (row for row in _rows_of(source.format)(source.file, options.sheet) if row[1])
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
        if isinstance(cell, str) and len(cell) > LONGEST_CELL:
            raise LongCellError
        # Spreadsheets keep whole numbers as floats.
        if isinstance(cell, float) and cell.is_integer() and abs(cell) <= LAST_EXACT:
            cell = int(cell)
        cells[column] = cell
    return cells, "" if len(within) == len(found) else "a cell far to the right of the table"


def _first_filled(cells: list[object]) -> int:
    return next((i for i, cell in enumerate(cells) if cell is not None), len(cells))
