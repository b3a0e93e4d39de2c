"""ODS files, read; text is read as OpenDocument says.

White space collapses, ``<text:s/>``, ``<text:tab/>`` and ``<text:line-break/>`` stand for it, and
notes and drawings in a cell are not its text.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import IO

from triage.data.limits import LARGEST_PART, LONGEST_CELL, MOST_COLUMNS, MOST_ROWS
from triage.data.markup import Handler, Pieces, parse
from triage.data.sheets import FailedCell, NoSheetError, SheetError, SheetRow

_BLOCK = 1 << 18
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
_DURATION = re.compile(r"PT(\d{1,9})H(\d{1,9})M(\d{1,9}(?:\.\d+)?)S")


def sheet_rows(file: IO[bytes], wanted: str | None) -> Iterator[SheetRow]:
    """Yield the rows of a sheet that are not blank."""
    handler = _Sheet(wanted)
    with zipfile.ZipFile(file) as archive:
        try:
            entry = archive.getinfo("content.xml")
        except KeyError as error:
            raise SheetError("no content") from error
        if entry.file_size > LARGEST_PART:
            raise SheetError("a part is too large")
        with archive.open(entry) as part:
            yield from parse(iter(partial(part.read, _BLOCK), b""), handler)
    if wanted and not handler.is_over:
        raise NoSheetError(handler.names)


class _Sheet(Handler[SheetRow]):
    """Handler that collects the rows of a sheet that are not blank."""

    def __init__(self, wanted: str | None) -> None:
        super().__init__()
        self.names: list[str] = []
        self._wanted = wanted
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
            self._rows_repeated = _times(attributes, "number-rows-repeated", MOST_ROWS)
        elif name == _SHEET and not (self._is_in_sheet or self.is_over):
            self.names.append(attributes.get(f"{_TABLE}name", ""))
            self._is_in_sheet = self._wanted in (None, self.names[-1], str(len(self.names)))
            self._left_out = 0 if self._is_in_sheet else self.depth
        elif name == _SHEET or name in _LEFT_OUT or name.startswith(_DRAWING):
            self._left_out = self.depth
        elif name in _SPACE_ELEMENTS and self._is_in_paragraph:
            self._pieces.add(_SPACE_ELEMENTS[name] * _times(attributes, "c", LONGEST_CELL + 1))

    def text(self, text: str) -> None:
        if self._is_in_paragraph and not self._left_out:
            self._pieces.add(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        if self._left_out:
            self._left_out = self._left_out if self.depth >= self._left_out else 0
        elif name in _CELLS:
            self._end_cell()
        elif name in _PARAGRAPHS:
            self._paragraphs.append(_collapsed(self._pieces.take()))
            self._is_in_paragraph = False
        elif name == _ROW:
            if self._cells and self._is_in_sheet and self._row < MOST_ROWS:
                repeated = min(self._rows_repeated, MOST_ROWS - self._row)
                self.found.append((self._row, self._cells, repeated))
            self._row += self._rows_repeated
        elif name == _SHEET:
            self._is_in_sheet, self.is_over = False, True

    def _end_cell(self) -> None:
        value = _value(self._cell, "\n".join(self._paragraphs))
        after = self._column + _times(self._cell, "number-columns-repeated", MOST_COLUMNS)
        if value != "":
            self._cells |= dict.fromkeys(range(self._column, min(after, MOST_COLUMNS)), value)
        self._column = after


def _times(attributes: dict[str, str], name: str, most: int) -> int:
    of = _TEXT if name == "c" else _TABLE
    times = attributes.get(f"{of}{name}", "1")
    if not re.fullmatch("[0-9]{1,12}", times):
        raise SheetError("a count that is no number")
    return min(int(times), most)


def _collapsed(paragraph: str) -> str:
    if paragraph.isprintable() and "  " not in paragraph:  # as most are
        return paragraph.strip(" ")
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


def _date(text: str) -> object:
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def _time(text: str) -> object:
    found = _DURATION.fullmatch(text.replace(",", "."))
    if not found:
        raise ValueError("no duration")
    length = timedelta(hours=int(found[1]), minutes=int(found[2]), seconds=float(found[3]))
    return (datetime.min + length).time() if length < timedelta(days=1) else length


_TYPED: dict[str, tuple[str, Callable[[str], object]]] = {
    **dict.fromkeys(("float", "percentage", "currency"), ("value", float)),
    "boolean": ("boolean-value", {"true": True, "false": False}.__getitem__),
    "date": ("date-value", _date),
    "time": ("time-value", _time),
}
