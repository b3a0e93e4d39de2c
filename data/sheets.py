"""Spreadsheets: the sheet that is wanted as a table, whatever the format."""

import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Protocol, TypeAlias

from triage.data.columns import check_columns, find_text, header_of, numbered
from triage.data.errors import (
    LONGEST_CELL,
    MOST_CELLS,
    MOST_COLUMNS,
    MOST_TITLES,
    MOST_UNNAMED,
    ColumnError,
    as_text,
    fault,
    one_line,
    reading,
    refusing,
)
from triage.data.markup import LongCellError, MarkupError
from triage.data.table import Dialect, Format, Reject, Row, Source, Table, Writer
from triage.settings import Reading

LAST_EXACT = 2**53
"""Beyond it the numbers of a spreadsheet lose digits."""

# The file in which OPC and OpenDocument say what the others are; no name is of a truncated head.
_TYPES = (b"[Content_Types].xml", b"mimetype", b"")
_FIRST_NAME = slice(30, 38)
_LONGEST_SIGN = 12
_HEAD = 1024
# Errors of a damaged archive; RuntimeError means a password or an unknown compression.
_DAMAGE = (MarkupError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
_UNREADABLE = (*_DAMAGE, UnicodeError, OverflowError)

SheetRow: TypeAlias = tuple[int, dict[int, object], int]
"""A row's position, its cells that are not blank by their column, and how often it is repeated."""
_BodyRow: TypeAlias = tuple[int, list[object], str]
"""A row's number in the sheet, its cells up to the last that is not blank, and its fault."""


class SheetError(MarkupError):
    """A spreadsheet breaks the rules of its format."""


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()

    @classmethod
    def of(cls, shown: str) -> "FailedCell":
        """Return the sign that a cell shows, unless it is too long for one."""
        return cls(shown if 0 < len(shown) <= _LONGEST_SIGN else "#ERROR")


class _Book(Protocol):
    @property
    def names(self) -> Sequence[str]:
        """The names of its sheets."""

    def rows(self, position: int) -> Iterator[SheetRow]:
        """Yield the rows of a sheet, of which some may be blank."""


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
    from triage.data.xlsx import XlsxWriter

    return XlsxWriter(file, columns, dialect)


def _book(file: IO[bytes], *, is_ods: bool) -> _Book:
    # The libraries of XLSX take longer to load than most runs to do their work.
    if is_ods:
        from triage.data.ods import OdsBook

        return OdsBook(file)
    from triage.data.xlsx import XlsxBook

    return XlsxBook(file)


def sheet_names(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; none of any other file, or a damaged one."""
    with reading(str(path)), path.open("rb") as file:
        head = file.read(_HEAD)
        if not is_zip(head) or is_flat_zip(head):
            return ()
        try:
            return tuple(map(one_line, _book(file, is_ods=is_ods(head)).names))
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
        line = f": the sheet is empty{_others(book, options)}"
        raise fault(source.name, "empty_sheet", line)
    first = min(_first_filled(cells) for _, cells, _ in rows)
    width = max(len(cells) for _, cells, _ in rows) - first
    columns = numbered(width)
    if not options.no_header:
        names = [as_text(name) for name in rows.pop(0)[1][first:]]
        columns = tuple(names + [""] * (width - len(names)))
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
        is_failed = isinstance(row[text], FailedCell)
        reason = problem or (
            f"the message is a formula that failed: {row[text]}" if is_failed else ""
        )
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


def _first_filled(cells: list[object]) -> int:
    return next((i for i, cell in enumerate(cells) if cell is not None), len(cells))
