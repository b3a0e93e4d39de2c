"""XLSX and ODS files: the first sheet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from triage.data.columns import check_distinct
from triage.data.errors import DataError
from triage.data.formats import Dialect
from triage.data.source import Source
from triage.data.table import Options, Reject, Row
from triage.data.values import as_text

# Beyond this a spreadsheet's number has lost digits, and is no whole number any more.
_LAST_EXACT = 2**53


@dataclass(frozen=True)
class SheetTable:
    """The first sheet of an XLSX or ODS file, whose first row with content is the header."""

    dialect: Dialect
    columns: tuple[str, ...]
    first_line: int
    body: list[list[object]]

    @property
    def lines(self) -> int:
        """How many rows there are."""
        return len(self.body)

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:  # noqa: ARG002
        """Yield the rows that are not wholly blank; none is rejected."""
        for line, cells in enumerate(self.body, self.first_line):
            row = [_native(cell) for cell in cells]
            if any(cell is not None for cell in row):
                yield line, row


def open_sheet(source: Source, options: Options) -> SheetTable:  # noqa: ARG001
    """Read the first sheet of an XLSX or ODS file.

    Raises
    ------
    DataError
        It isn't such a file, it is damaged or has a password, or its first sheet is empty.
    """
    top, cells = _first_sheet(source)
    if not cells:
        raise DataError(f"{source.name}: the first sheet is empty: it has no header")
    columns = tuple(as_text(_native(name)) for name in cells[0])
    check_distinct(columns, source.name)
    return SheetTable(Dialect(source.format), columns, top + 2, cells[1:])


def _first_sheet(source: Source) -> tuple[int, list[list[object]]]:
    from python_calamine import CalamineError, CalamineWorkbook

    source.file.seek(0)
    try:
        with CalamineWorkbook.from_filelike(source.file) as book:
            sheet = book.get_sheet_by_index(0)
            return (sheet.start or (0, 0))[0], [list(row) for row in sheet.to_python()]
    except CalamineError as error:
        raise DataError(
            f"{source.name} is not a readable .{source.format.value} file"
            " (damaged, or with a password): save it again from a spreadsheet program"
        ) from error


def _native(cell: object) -> object:
    """Return a cell as typed: whole numbers, which spreadsheets keep as floats, are integers."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _LAST_EXACT:
        return int(cell)
    return None if cell == "" else cell
