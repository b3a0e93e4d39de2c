"""ODS files, read as OpenDocument says: white space is elements, notes and drawings are no text."""

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import IO

from triage.data.errors import LARGEST_PART, LONGEST_CELL, MOST_COLUMNS, MOST_ROWS
from triage.data.markup import Handler, Pieces, parse
from triage.data.sheets import FailedCell, SheetError, SheetRow

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


class OdsBook:
    """An ODS file, whose sheets are all in one part."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file)
        content = [one for one in self._archive.infolist() if one.filename == "content.xml"]
        if not content or content[0].file_size > LARGEST_PART:
            raise SheetError("no content, or too much")

    @property
    def names(self) -> list[str]:
        handler = _Sheet(None)
        for _ in self._parsed(handler):
            pass
        return handler.names

    def rows(self, position: int) -> Iterator[SheetRow]:
        return self._parsed(_Sheet(position))

    def _parsed(self, handler: "_Sheet") -> Iterator[SheetRow]:
        with self._archive.open("content.xml") as part:
            yield from parse(iter(partial(part.read, _BLOCK), b""), handler)


class _Sheet(Handler[SheetRow]):
    """Handler that collects the rows of a sheet, and the names of all."""

    def __init__(self, position: int | None) -> None:
        super().__init__()
        self.names: list[str] = []
        self._position = position
        self._left_out = 0
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
        elif name == _ROW:
            self._column, self._cells = 0, {}
            self._rows_repeated = _times(attributes.get(f"{_TABLE}number-rows-repeated"), MOST_ROWS)
        elif name == _SHEET and self.depth == _DEPTH_OF_SHEET:
            self._left_out = 0 if self._position == len(self.names) else self.depth
            self.names.append(attributes.get(f"{_TABLE}name", ""))
        elif name == _SHEET or name in _LEFT_OUT or name.startswith(_DRAWING):
            self._left_out = self.depth
        elif name in _SPACE_ELEMENTS:
            n = _times(attributes.get(f"{_TEXT}c"), LONGEST_CELL + 1)
            self._pieces.add(_SPACE_ELEMENTS[name] * n)

    def text(self, text: str) -> None:
        if not self._left_out:
            self._pieces.add(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        if self._left_out:
            self._left_out = self._left_out if self.depth >= self._left_out else 0
        elif name in _CELLS:
            self._end_cell()
        elif name in _PARAGRAPHS:
            self._paragraphs.append(_collapsed(self._pieces.take()))
        elif name == _ROW:
            self.found.append((self._row, self._cells, self._rows_repeated))
            self._row += self._rows_repeated
        elif name == _SHEET:
            self.is_over = True

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
