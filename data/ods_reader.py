"""The rows of an ODS file.

Text is read as OpenDocument says: white space collapses, ``<text:s/>``, ``<text:tab/>`` and
``<text:line-break/>`` stand for it, and notes and drawings in a cell are not its text.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import time, timedelta

from triage.data.limits import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS
from triage.data.sheet_dates import iso_date
from triage.data.sheet_xml import (
    FailedCell,
    Pieces,
    SheetRow,
    number_of,
    opened,
    parsed,
)

_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE, _TABLE, _TEXT = (f"{_OASIS}{name}:1.0 " for name in ("office", "table", "text"))
_SHEET, _ROW = f"{_TABLE}table", f"{_TABLE}table-row"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_LEFT_OUT = {f"{_OFFICE}annotation", f"{_TEXT}note", f"{_TEXT}ruby-text", f"{_TABLE}shapes"}
_DRAWING = f"{_OASIS}drawing:1.0 "
_ROWS_REPEATED = f"{_TABLE}number-rows-repeated"
_COLUMNS_REPEATED = f"{_TABLE}number-columns-repeated"
_TYPE, _VALUE, _STRING = (f"{_OFFICE}{name}" for name in ("value-type", "value", "string-value"))
_EXTENDED_TYPE = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 value-type"

# While a paragraph is gathered, characters that XML can't hold stand for white space that is told.
_TOLD = {f"{_TEXT}s": "\0", f"{_TEXT}tab": "\1", f"{_TEXT}line-break": "\2"}
_AS_WHITE_SPACE = str.maketrans("\0\1\2", " \t\n")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_DURATION = re.compile(r"PT(\d{1,9})H(\d{1,9})M(\d{1,9})(?:[.,](\d+))?S")


def ods_rows(archive: zipfile.ZipFile) -> Iterator[SheetRow]:
    """Yield the rows of the first sheet that are not blank.

    Raises
    ------
    LongCellError
        A cell is too long.
    SheetError
        The file is not as ODS files are.
    """
    sheet = _Sheet()
    with opened(archive, "content.xml") as content:
        for _ in parsed(content, sheet):
            yield from sheet.rows
            sheet.rows.clear()
            if sheet.is_over:
                return


class _Sheet:
    """Gathers the rows of the first sheet."""

    def __init__(self) -> None:
        self.rows: list[SheetRow] = []
        self.is_over = False
        self.depth = 0
        self._left_out = 0
        self._is_in_sheet = self._is_in_paragraph = False
        self._row, self._rows_repeated = 0, 1
        self._column, self._cells = 0, dict[int, object]()
        self._cell: dict[str, str] = {}
        self._paragraphs: list[str] = []
        self._pieces = Pieces()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self._left_out:
            return
        if name in _CELLS:
            self._cell, self._paragraphs = attributes, []
            self._pieces.clear()
        elif name in _PARAGRAPHS:
            self._is_in_paragraph = True
        elif name == _ROW:
            self._column, self._cells = 0, {}
            self._rows_repeated = number_of(attributes.get(_ROWS_REPEATED), 1, MOST_ROWS)
        else:
            self._start_other(name, attributes)

    def _start_other(self, name: str, attributes: dict[str, str]) -> None:
        is_inner = name == _SHEET and (self._is_in_sheet or self.is_over)
        if is_inner or name in _LEFT_OUT or name.startswith(_DRAWING):
            self._left_out = self.depth
        elif name == _SHEET:
            self._is_in_sheet = True
        elif name in _TOLD and self._is_in_paragraph:
            n_times = number_of(attributes.get(f"{_TEXT}c"), 1, LONGEST_CELL + 1)
            self._pieces.add(_TOLD[name] * n_times)

    def text(self, text: str) -> None:
        if self._is_in_paragraph and not self._left_out:
            self._pieces.add(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        if self._left_out:
            if self.depth < self._left_out:
                self._left_out = 0
        elif name in _CELLS:
            self._end_cell()
        elif name in _PARAGRAPHS:
            self._paragraphs.append(_collapsed(self._pieces.take()))
            self._is_in_paragraph = False
        elif name == _ROW:
            self._end_row()
        elif name == _SHEET:
            self._is_in_sheet, self.is_over = False, True

    def _end_row(self) -> None:
        if self._cells and self._is_in_sheet and self._row < MOST_ROWS:
            repeated = min(self._rows_repeated, MOST_ROWS - self._row)
            self.rows.append((self._row, self._cells, repeated))
        self._row += self._rows_repeated

    def _end_cell(self) -> None:
        value = _value(self._cell, "\n".join(self._paragraphs))
        told = self._cell.get(_COLUMNS_REPEATED)
        repeated = 1 if told is None else number_of(told, 1, MOST_COLUMNS)
        if value is not None and value != "":
            last = min(self._column + repeated, MOST_COLUMNS)
            for column in range(self._column, last):
                self._cells[column] = value
        self._column += repeated


def _collapsed(paragraph: str) -> str:
    if paragraph.isprintable() and "  " not in paragraph:  # as most are
        return paragraph.strip(" ")
    return _WHITE_SPACE.sub(" ", paragraph).strip(" ").translate(_AS_WHITE_SPACE)


def _value(cell: dict[str, str], text: str) -> object:
    """Return a cell as it is typed; as its text where its value isn't of its type."""
    if cell.get(_EXTENDED_TYPE) == "error":
        return FailedCell(text if 0 < len(text) <= _LONGEST_SIGN else "#ERROR")
    type_ = cell.get(_TYPE, "string")
    if type_ == "string":
        # The attribute is the value, and what stands in the cell how it shows.
        return cell.get(_STRING) or text
    try:
        return _TYPED[type_](cell)
    except (KeyError, ValueError, OverflowError):
        return text


def _number(cell: dict[str, str]) -> object:
    return float(cell[_VALUE])


def _duration(cell: dict[str, str]) -> object:
    found = _DURATION.fullmatch(cell[f"{_OFFICE}time-value"])
    if not found:
        raise ValueError("no duration")
    hours, minutes, seconds = (int(part) for part in found.groups()[:3])
    micros = int((found[4] or "")[:6].ljust(6, "0"))
    if hours < _HOURS_OF_DAY:
        return time(hours, minutes, seconds, micros)
    return timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros)


_TYPED: dict[str, Callable[[dict[str, str]], object]] = {
    "float": _number,
    "percentage": _number,
    "currency": _number,
    "boolean": lambda cell: {"true": True, "false": False}[cell[f"{_OFFICE}boolean-value"]],
    "date": lambda cell: iso_date(cell[f"{_OFFICE}date-value"]),
    "time": _duration,
}
_HOURS_OF_DAY = 24
_LONGEST_SIGN = 12
