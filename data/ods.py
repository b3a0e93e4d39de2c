"""ODS files.

Text is read as OpenDocument says: white space collapses, ``<text:s/>``, ``<text:tab/>`` and
``<text:line-break/>`` stand for it, and notes and drawings in a cell are not its text.

The standard library writes them: the one maintained library for ODS takes two minutes for
20,000 messages, and holds them all.
"""

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import time, timedelta
from functools import partial
from html import escape

from triage.data.limits import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS
from triage.data.markup import Handler, Pieces, attribute_xml
from triage.data.sheets import (
    FailedCell,
    NoSheetError,
    SheetRow,
    SheetWriter,
    count_of,
    is_exact_number,
    is_sheet_time,
    is_wanted,
    is_zip,
    iso_date,
    open_sheet,
    parsed,
    sheet_text,
)
from triage.data.table import Source, Table
from triage.settings import Reading

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

# While a paragraph is collected, characters that XML cannot hold stand for white space elements.
_SPACE_ELEMENTS = {f"{_TEXT}s": "\0", f"{_TEXT}tab": "\1", f"{_TEXT}line-break": "\2"}
_AS_WHITE_SPACE = str.maketrans("\0\1\2", " \t\n")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_FIRST_NAME = slice(30, 38)
_HOURS_OF_DAY = 24
_LONGEST_SIGN = 12
_DURATION = re.compile(r"PT(\d{1,9})H(\d{1,9})M(\d{1,9})(?:[.,](\d+))?S")


def is_ods(head: bytes) -> bool:
    """Return whether a file begins as OpenDocument archives do, with an entry `mimetype`."""
    return is_zip(head) and head[_FIRST_NAME] == b"mimetype"


def open_ods(source: Source, options: Reading) -> Table:
    """Read a sheet of an ODS file; see `open_sheet`."""
    return open_sheet(source, options, partial(sheet_rows, wanted=options.sheet))


def sheet_rows(archive: zipfile.ZipFile, wanted: str | None) -> Iterator[SheetRow]:
    """Yield the rows of a sheet that are not blank."""
    handler = _Sheet(wanted)
    yield from parsed(archive, "content.xml", handler)
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
            self._rows_repeated = count_of(attributes.get(_ROWS_REPEATED), 1, MOST_ROWS)
        else:
            self._start_other(name, attributes)

    def _start_other(self, name: str, attributes: dict[str, str]) -> None:
        is_inner = name == _SHEET and (self._is_in_sheet or self.is_over)
        if is_inner or name in _LEFT_OUT or name.startswith(_DRAWING):
            self._left_out = self.depth
        elif name == _SHEET:
            self.names.append(attributes.get(f"{_TABLE}name", ""))
            self._is_in_sheet = is_wanted(self.names[-1], len(self.names), self._wanted)
            self._left_out = 0 if self._is_in_sheet else self.depth
        elif name in _SPACE_ELEMENTS and self._is_in_paragraph:
            n_times = count_of(attributes.get(f"{_TEXT}c"), 1, LONGEST_CELL + 1)
            self._pieces.add(_SPACE_ELEMENTS[name] * n_times)

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
            self.found.append((self._row, self._cells, repeated))
        self._row += self._rows_repeated

    def _end_cell(self) -> None:
        value = _value(self._cell, "\n".join(self._paragraphs))
        repeated = count_of(self._cell.get(_COLUMNS_REPEATED), 1, MOST_COLUMNS)
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
    """Return a cell with its type, or its text where the value is not of the type."""
    if cell.get(_EXTENDED_TYPE) == "error":
        return FailedCell(text if 0 < len(text) <= _LONGEST_SIGN else "#ERROR")
    type_ = cell.get(_TYPE, "string")
    if type_ == "string":
        # The attribute is the value, and the text in the cell its display.
        return cell.get(_STRING) or text
    try:
        return _TYPED[type_](cell)
    except (KeyError, ValueError, OverflowError):
        return text


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
    **dict.fromkeys(("float", "percentage", "currency"), lambda cell: float(cell[_VALUE])),
    "boolean": lambda cell: {"true": True, "false": False}[cell[f"{_OFFICE}boolean-value"]],
    "date": lambda cell: iso_date(cell[f"{_OFFICE}date-value"]),
    "time": _duration,
}

_MIME_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
_MANIFEST = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
 manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:version="1.2"
 manifest:media-type="{_MIME_TYPE}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
</manifest:manifest>
"""
_PARTS = {"mimetype": _MIME_TYPE, "META-INF/manifest.xml": _MANIFEST}
_OPENING = """\
<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2">
<office:body><office:spreadsheet><table:table table:name="messages">
"""
# OpenDocument collapses white space in text, so that all but single inner spaces are elements.
_SPACES = re.compile("^ +| {2,}| +$")


class OdsWriter(SheetWriter):
    """Writer of ODS."""

    PARTS = _PARTS
    SHEET = "content.xml"
    OPENING = _OPENING
    CLOSING = "</table:table></office:spreadsheet></office:body></office:document-content>\n"

    def row_xml(self, row: Sequence[object], number: int) -> str:
        """Return a row element, without attributes."""
        cells = "".join(_cell(value, number) for value in row)
        return f"<table:table-row>{cells}</table:table-row>\n"


def _cell(value: object, number: int) -> str:
    text = sheet_text(value, number)
    if not text:
        return "<table:table-cell/>"
    paragraphs = "".join(f"<text:p>{_inline_xml(line)}</text:p>" for line in text.split("\n"))
    return f"<table:table-cell {_type_attributes(value, text)}>{paragraphs}</table:table-cell>"


def _type_attributes(value: object, text: str) -> str:
    if isinstance(value, bool):
        return f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    if is_exact_number(value):
        return f'office:value-type="float" office:value="{value}"'
    if is_sheet_time(value):
        if isinstance(value, time):
            return f'office:value-type="time" office:time-value="{value:PT%HH%MM%SS}"'
        return f'office:value-type="date" office:date-value="{value.isoformat()}"'
    if "\t" in text or "\r" in text:
        # Readers differ in how they read these characters in an element; the attribute is exact.
        exact = attribute_xml(text)
        return f'office:value-type="string" office:string-value="{exact}"'
    return 'office:value-type="string"'


def _inline_xml(line: str) -> str:
    spaced = _SPACES.sub(
        lambda spaces: f'<text:s text:c="{len(spaces[0])}"/>', escape(line, quote=False)
    )
    return spaced.replace("\t", "<text:tab/>").replace("\r", "&#13;")
