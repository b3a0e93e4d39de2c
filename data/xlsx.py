"""XLSX files, read; `triage.data.xlsx_writer` writes them."""

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from functools import lru_cache, partial
from posixpath import basename, dirname, join, normpath
from typing import TypeAlias

from triage.data.limits import MOST_COLUMNS, MOST_ROWS
from triage.data.markup import Handler, Pieces
from triage.data.ods import is_ods
from triage.data.sheets import (
    FailedCell,
    NoSheetError,
    SheetError,
    SheetRow,
    count_of,
    is_wanted,
    is_zip,
    iso_date,
    open_sheet,
    parsed,
)
from triage.data.table import Source, Table
from triage.settings import Reading

_WORKBOOK = "xl/workbook.xml"
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{0,7}")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_SIGNS = {"#NAME?", "#VALUE!", "#REF!", "#DIV/0!", "#N/A", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}
# Numbers of the formats that every program knows; those of a file start at 164.
_DATES = {*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)}
_ELAPSED_TIME = 46
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_NO_FIELD = re.compile(r'"[^"]*"|\[[^\]]*\]|[\\_*].')
_FIELD = re.compile("[dmyhs]", re.IGNORECASE)
# Excel counts a 29 February 1900, so that days before are one off.
_BASE, _BASE_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_MARCH_1900 = 60
_MS_OF_DAY = 86_400_000
_LAST_DAY = 2_957_000

_Relations: TypeAlias = dict[str, dict[str, str]]
"""The parts that a part names: by type, then by identifier."""
_DateFormat: TypeAlias = Callable[[float], object]
"""Makes a date of a number of days."""


def is_xlsx(head: bytes) -> bool:
    """Return whether a file begins like a zip archive, and not like an OpenDocument one."""
    return is_zip(head) and not is_ods(head)


def open_xlsx(source: Source, options: Reading) -> Table:
    """Read a sheet of an XLSX file; see `open_sheet`."""
    return open_sheet(source, options, partial(sheet_rows, wanted=options.sheet))


def sheet_rows(archive: zipfile.ZipFile, wanted: str | None) -> Iterator[SheetRow]:
    """Yield the rows of a sheet that are not blank."""
    related = _related(archive, "")
    workbook = next(iter(related.get("officeDocument", {}).values()), _WORKBOOK)
    related = _related(archive, workbook)
    sheet, from_1904 = _sheet(archive, workbook, related.get("worksheet", {}), wanted)
    strings = [
        string
        for part in list(related.get("sharedStrings", {}).values())[:1]
        for string in parsed(archive, part, _Strings())
    ]
    return parsed(archive, sheet, _Sheet(strings, _date_styles(archive, related, from_1904)))


def _related(archive: zipfile.ZipFile, part: str) -> _Relations:
    name = join(dirname(part), "_rels", f"{basename(part)}.rels")
    found: _Relations = {}
    for _, relation in parsed(archive, name, _Elements({"Relationship"})):
        target = normpath(join("/", dirname(part), relation.get("Target", ""))).lstrip("/")
        type_ = basename(relation.get("Type", ""))
        found.setdefault(type_, {})[relation.get("Id", "")] = target
    return found


def _sheet(
    archive: zipfile.ZipFile, workbook: str, sheets: dict[str, str], wanted: str | None
) -> tuple[str, bool]:
    """Return the part of a sheet, and whether dates count from 1904."""
    from_1904 = False
    names: list[str] = []
    for name, attributes in parsed(archive, workbook, _Elements({"workbookPr", "sheet"})):
        if name == "workbookPr":
            from_1904 = attributes.get("date1904") in ("1", "true")
        else:
            number = next((v for k, v in attributes.items() if k.endswith(" id")), "")
            if number in sheets:
                names.append(attributes.get("name", ""))
                if is_wanted(names[-1], len(names), wanted):
                    return sheets[number], from_1904
    if names:
        raise NoSheetError(names)
    raise SheetError("no sheet")


def _date_styles(
    archive: zipfile.ZipFile, related: _Relations, from_1904: bool
) -> dict[str, _DateFormat]:
    """Return the styles that show numbers as dates, by their numbers."""
    formats: dict[str, str] = {}
    styles: dict[str, _DateFormat] = {}
    group, n_styles = "", 0
    wanted = {"numFmt", "xf", "cellXfs", "cellStyleXfs", "cellStyles", "dxfs"}
    for part in list(related.get("styles", {}).values())[:1]:
        for name, attributes in parsed(archive, part, _Elements(wanted)):
            if name == "numFmt":
                code = attributes.get("formatCode", "")
                formats.setdefault(attributes.get("numFmtId", ""), code)
            elif name != "xf":
                group = name
            elif group == "cellXfs":
                number = attributes.get("numFmtId", "0")
                date_format = _date_format_of(number, formats.get(number), from_1904)
                if date_format:
                    styles[str(n_styles)] = date_format
                n_styles += 1
    return styles


def _local(name: str) -> str:
    """Return a name without its namespace, of which XLSX has two sets."""
    return name[name.rfind(" ") + 1 :]


class _Elements(Handler[tuple[str, dict[str, str]]]):
    """Handler that collects the attributes of elements by their local names."""

    def __init__(self, wanted: set[str]) -> None:
        super().__init__()
        self._wanted = wanted

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if _local(name) in self._wanted:
            self.found.append((_local(name), attributes))


class _Strings(Handler[str]):
    """Handler that collects the shared strings without phonetic readings of Japanese."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces = Pieces()
        self._is_text = self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self.depth += 1
        local = _local(name)
        if local == "si":
            self._pieces.clear()
        elif local == "rPh":
            self._is_phonetic = True
        self._is_text = local == "t" and not self._is_phonetic

    def end(self, name: str) -> None:
        self.depth -= 1
        self._is_text = False
        local = _local(name)
        if local == "si":
            self.found.append(_unescaped(self._pieces.take()))
        elif local == "rPh":
            self._is_phonetic = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.add(text)


class _Sheet(Handler[SheetRow]):
    """Handler that collects the rows of a sheet that are not blank."""

    def __init__(self, strings: list[str], styles: dict[str, _DateFormat]) -> None:
        super().__init__()
        self._strings, self._styles = strings, styles
        self._row, self._column = -1, -1
        self._cells: dict[int, object] = {}
        self._type, self._style = "n", "0"
        self._pieces = Pieces()
        self._is_text = self._is_formula = self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        local = name[name.rfind(" ") + 1 :]
        if local == "c":
            self._start_cell(attributes)
        elif local in ("v", "t"):
            self._is_text = not self._is_phonetic
        elif local == "row":
            number = count_of(attributes.get("r"), self._row + 2, MOST_ROWS + 1)
            self._row = _within(number - 1, MOST_ROWS)
            self._column, self._cells = -1, {}
        elif local == "f":
            self._is_formula = True
        elif local == "rPh":
            self._is_phonetic = True

    def _start_cell(self, attributes: dict[str, str]) -> None:
        reference = attributes.get("r")
        self._column = self._column + 1 if reference is None else _column(reference)
        self._type, self._style = attributes.get("t", "n"), attributes.get("s", "0")
        self._pieces.clear()
        self._is_formula = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.add(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        self._is_text = False
        local = name[name.rfind(" ") + 1 :]
        if local == "c":
            value = self._value(self._pieces.take())
            if value is not None and value != "":
                self._cells[_within(self._column, MOST_COLUMNS)] = value
        elif local == "row":
            if self._cells:
                self.found.append((self._row, self._cells, 1))
            self._cells = {}
        elif local == "rPh":
            self._is_phonetic = False

    def _value(self, text: str) -> object:
        match self._type:
            case "s":
                position = count_of(text.strip() or None, len(self._strings), 1 << 32)
                return self._strings[position] if position < len(self._strings) else ""
            case "inlineStr" | "str":
                return _unescaped(text)
            case "e":
                return FailedCell(text if text in _SIGNS else "#ERROR")
            case "b":
                return text.strip() in ("1", "true")
            case "d":
                return iso_date(text.strip())
        return self._number(text.strip())

    def _number(self, text: str) -> object:
        if not text:
            return FailedCell("#FORMULA") if self._is_formula else None
        try:
            number = float(text)
        except ValueError:
            return text
        date_format = self._styles.get(self._style)
        return number if date_format is None else date_format(number)


def _within(position: int, most: int) -> int:
    if not 0 <= position < most:
        raise SheetError("a cell beyond the sheet")
    return position


@lru_cache(maxsize=1 << 16)
def _column(reference: str) -> int:
    found = _REFERENCE.fullmatch(reference)
    if not found:
        raise SheetError("a cell that is nowhere")
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _unescaped(text: str) -> str:
    """Return text with the characters that XML cannot hold, which XLSX escapes."""
    if "_x" not in text:
        return text
    found = _ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), text)
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _date_format_of(number: str, code: str | None, from_1904: bool) -> _DateFormat | None:
    """Return the function that a number format shows dates by; None where it shows numbers."""
    if code is None:
        known = int(number) if number.isdecimal() and len(number) < len("164") else 0
        if known == _ELAPSED_TIME:
            return _duration
        return partial(_date, from_1904=from_1904) if known in _DATES else None
    first = code.partition(";")[0]
    if _ELAPSED.search(first):
        return _duration
    is_date = first.lower() != "general" and _FIELD.search(_NO_FIELD.sub("", first))
    return partial(_date, from_1904=from_1904) if is_date else None


def _duration(days: float) -> object:
    return timedelta(milliseconds=round(days * _MS_OF_DAY)) if abs(days) < _LAST_DAY else days


def _date(days: float, from_1904: bool) -> object:
    """Return a date, a time, or both: the time alone within the first day."""
    if not 0 <= days < _LAST_DAY:
        return days
    elapsed = timedelta(milliseconds=round(days * _MS_OF_DAY))
    if elapsed < timedelta(days=1):
        return (datetime.min + elapsed).time()
    if not from_1904:
        elapsed += timedelta(days=days < _MARCH_1900)
    found = (_BASE_1904 if from_1904 else _BASE) + elapsed
    return found.date() if found.time() == time() else found
