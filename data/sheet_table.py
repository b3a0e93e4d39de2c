"""XLSX and ODS files: the first sheet."""

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from triage.data.columns import check_columns, find_text
from triage.data.errors import DataError
from triage.data.formats import Dialect, Format
from triage.data.limits import MOST_CELLS, MOST_COLUMNS, MOST_UNNAMED
from triage.data.ods_reader import ods_rows
from triage.data.sheet_xml import UNREADABLE, FailedCell, LongCellError, SheetRow
from triage.data.source import Source
from triage.data.table import Options, Reject, Row
from triage.data.values import as_text
from triage.data.xlsx_reader import xlsx_rows

# Beyond this a spreadsheet's number has lost digits, and is no whole number any more.
_LAST_EXACT = 2**53


@dataclass(frozen=True)
class SheetTable:
    """The first sheet of an XLSX or ODS file, whose first row with content is the header."""

    dialect: Dialect
    columns: tuple[str, ...]
    text: int
    body: list["_BodyRow"]

    @property
    def lines(self) -> int:
        """Return how many rows there are."""
        return len(self.body)

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:
        """Yield the rows whose message is not a formula that failed."""
        width = len(self.columns)
        for line, cells, fault in self.body:
            row = [*cells, *[None] * (width - len(cells))]
            failed = row[self.text]
            if fault:
                reject(Reject(line, fault, _raw(cells)))
            elif isinstance(failed, FailedCell):
                reject(Reject(line, f"the message is a formula that failed: {failed}", _raw(cells)))
            else:
                yield line, row


_BodyRow = tuple[int, list[object], str]
"""A row's number in the sheet, its cells up to the last that is not blank, what is wrong."""


def _raw(cells: Iterable[object]) -> str:
    return "\t".join(map(as_text, cells))


def open_sheet(source: Source, options: Options) -> SheetTable:
    """Read the first sheet of an XLSX or ODS file.

    Raises
    ------
    DataError
        It isn't such a file, it is damaged or has a password, its first sheet is empty or holds
        too much, or no column is that of the messages.
    """
    source.file.seek(0)
    read = ods_rows if source.format is Format.ODS else xlsx_rows
    try:
        with zipfile.ZipFile(source.file) as archive:
            header, body = _read(read(archive), source.name)
    except LongCellError as error:
        raise DataError(f"{source.name}: {error}: save it as CSV") from error
    except UNREADABLE as error:
        raise DataError(
            f"{source.name} is not a readable .{source.format.value} file"
            " (damaged, or with a password): save it again from a spreadsheet program"
        ) from error
    first = min((_first(cells) for _, cells, _ in body), default=0)
    first = min(first, _first(header))
    width = max([len(header), *(len(cells) for _, cells, _ in body)]) - first
    names = [as_text(name) for name in header[first:]]
    columns = tuple(names + [""] * (width - len(names)))
    check_columns(columns, source.name)
    text = find_text(columns, options.text_column, source.name)
    rows = [(line, cells[first:], fault) for line, cells, fault in body]
    return SheetTable(Dialect(source.format), columns, text, rows)


def _read(rows: Iterator[SheetRow], name: str) -> tuple[list[object], list[_BodyRow]]:
    """Return the header, and the rows below it."""
    header: list[object] = []
    body: list[_BodyRow] = []
    n_cells = 0
    for at, found, n_times in rows:
        last = min(len(header) + MOST_UNNAMED, MOST_COLUMNS) if header else MOST_COLUMNS
        cells, fault = _cells(found, last)
        n_cells += len(cells) * n_times
        if n_cells > MOST_CELLS:
            raise DataError(f"{name} has more than {MOST_CELLS:,} cells: save it as CSV")
        first, n_below = at + 1, n_times
        if not header:
            header, first, n_below = cells, at + 2, n_times - 1
        body += [(line, cells, fault) for line in range(first, first + n_below)]
    if not header:
        raise DataError(f"{name}: the first sheet is empty: it has no header")
    return header, body


def _cells(found: dict[int, object], last: int) -> tuple[list[object], str]:
    """Return cells in order, and what is wrong: one stands far from the table."""
    within = [column for column in found if column < last]
    cells: list[object] = [None] * (max(within, default=-1) + 1)
    for column in within:
        cells[column] = _native(found[column])
    return cells, "" if len(within) == len(found) else "a cell far to the right of the table"


def _first(cells: list[object]) -> int:
    return next((i for i, cell in enumerate(cells) if cell is not None), len(cells))


def _native(cell: object) -> object:
    """Return a cell as typed: whole numbers, which spreadsheets keep as floats, are integers."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _LAST_EXACT:
        return int(cell)
    return cell
