"""The rows of an XLSX file."""

import re
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from posixpath import basename, dirname, join, normpath

from triage.data.limits import MOST_COLUMNS, MOST_ROWS
from triage.data.sheet_dates import ShownAs, iso_date, shown_by
from triage.data.sheet_xml import (
    FailedCell,
    Pieces,
    SheetError,
    SheetRow,
    number_of,
    opened,
    parsed,
)

_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{0,7}")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_SIGNS = {"#NAME?", "#VALUE!", "#REF!", "#DIV/0!", "#N/A", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}


def xlsx_rows(archive: zipfile.ZipFile) -> Iterator[SheetRow]:
    """Yield the rows of the first sheet that are not blank.

    Raises
    ------
    LongCellError
        A cell is too long.
    SheetError
        The file is not as XLSX files are.
    """
    book = _Book(archive)
    sheet = _Sheet(book)
    with opened(archive, book.sheet) as part:
        for _ in parsed(part, sheet):
            yield from sheet.rows
            sheet.rows.clear()


class _Book:
    """What stands in other parts than the sheet: where this is, shared strings, formats.

    Attributes
    ----------
    sheet : str
        The part of the first sheet.
    strings : list of str
        The texts that cells name by number.
    styles : dict of str to callable
        Of the styles that show numbers as dates: what makes a date of a number.
    from_1904 : bool
        Whether dates count from 1904.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        workbook = next(iter(self._related("").get("officeDocument", {}).values()), _WORKBOOK)
        related = self._related(workbook)
        self.sheet, self.from_1904 = self._first_sheet(workbook, related.get("worksheet", {}))
        self.strings = self._strings(related)
        self.styles = self._date_styles(related)

    def _related(self, part: str) -> dict[str, dict[str, str]]:
        """Return the parts that `part` names: for each type, parts by their number."""
        name = join(dirname(part), "_rels", f"{basename(part)}.rels")
        found: dict[str, dict[str, str]] = {}
        for _, relation in self._elements(name, {"Relationship"}):
            target = normpath(join("/", dirname(part), relation.get("Target", ""))).lstrip("/")
            type_ = basename(relation.get("Type", ""))
            found.setdefault(type_, {})[relation.get("Id", "")] = target
        return found

    def _first_sheet(self, workbook: str, sheets: dict[str, str]) -> tuple[str, bool]:
        from_1904 = False
        for name, attributes in self._elements(workbook, {"workbookPr", "sheet"}):
            if name == "workbookPr":
                from_1904 = attributes.get("date1904") in ("1", "true")
            else:
                number = next((v for k, v in attributes.items() if k.endswith(" id")), "")
                if number in sheets:
                    return sheets[number], from_1904
        raise SheetError("no sheet")

    def _strings(self, related: dict[str, dict[str, str]]) -> list[str]:
        strings = _Strings()
        for part in list(related.get("sharedStrings", {}).values())[:1]:
            with opened(self._archive, part) as content:
                for _ in parsed(content, strings):
                    pass
        return strings.found

    def _date_styles(self, related: dict[str, dict[str, str]]) -> dict[str, ShownAs]:
        formats: dict[str, str] = {}
        styles: dict[str, ShownAs] = {}
        group, n_styles = "", 0
        wanted = {"numFmt", "xf", "cellXfs", "cellStyleXfs", "cellStyles", "dxfs"}
        for part in list(related.get("styles", {}).values())[:1]:
            for name, attributes in self._elements(part, wanted):
                if name == "numFmt":
                    code = attributes.get("formatCode", "")
                    formats.setdefault(attributes.get("numFmtId", ""), code)
                elif name != "xf":
                    group = name
                elif group == "cellXfs":
                    number = attributes.get("numFmtId", "0")
                    shown_as = shown_by(number, formats.get(number))
                    if shown_as:
                        styles[str(n_styles)] = shown_as
                    n_styles += 1
        return styles

    def _elements(self, part: str, wanted: set[str]) -> Iterator[tuple[str, dict[str, str]]]:
        elements = _Elements(wanted)
        with opened(self._archive, part) as content:
            for _ in parsed(content, elements):
                yield from elements.found
                elements.found.clear()


_WORKBOOK = "xl/workbook.xml"


def _local(name: str) -> str:
    """Return a name without its namespace, of which XLSX has two sets."""
    return name[name.rfind(" ") + 1 :]


class _Elements:
    """Gathers elements of some names."""

    def __init__(self, wanted: set[str]) -> None:
        self.found: list[tuple[str, dict[str, str]]] = []
        self.depth = 0
        self._wanted = wanted

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if _local(name) in self._wanted:
            self.found.append((_local(name), attributes))

    def end(self, name: str) -> None:  # noqa: ARG002
        self.depth -= 1

    def text(self, text: str) -> None:
        pass


class _Strings:
    """Gathers the shared strings; how Japanese is read out is not part of them."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.depth = 0
        self._pieces = Pieces()
        self._is_text = self._is_read_out = False

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self.depth += 1
        local = _local(name)
        if local == "si":
            self._pieces.clear()
        elif local == "rPh":
            self._is_read_out = True
        self._is_text = local == "t" and not self._is_read_out

    def end(self, name: str) -> None:
        self.depth -= 1
        self._is_text = False
        local = _local(name)
        if local == "si":
            self.found.append(_unescaped(self._pieces.take()))
        elif local == "rPh":
            self._is_read_out = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.add(text)


class _Sheet:
    """Gathers the rows of a sheet."""

    def __init__(self, book: _Book) -> None:
        self.rows: list[SheetRow] = []
        self.depth = 0
        self._book = book
        self._row, self._column = -1, -1
        self._cells: dict[int, object] = {}
        self._type, self._style = "n", "0"
        self._pieces = Pieces()
        self._is_text = self._is_formula = self._is_read_out = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        local = name[name.rfind(" ") + 1 :]
        if local == "c":
            self._start_cell(attributes)
        elif local in ("v", "t"):
            self._is_text = not self._is_read_out
        elif local == "row":
            told = number_of(attributes.get("r"), self._row + 2, MOST_ROWS + 1)
            self._row = _within(told - 1, MOST_ROWS)
            self._column, self._cells = -1, {}
        elif local == "f":
            self._is_formula = True
        elif local == "rPh":
            self._is_read_out = True

    def _start_cell(self, attributes: dict[str, str]) -> None:
        told = attributes.get("r")
        self._column = self._column + 1 if told is None else _column(told)
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
                self.rows.append((self._row, self._cells, 1))
            self._cells = {}
        elif local == "rPh":
            self._is_read_out = False

    def _value(self, told: str) -> object:
        match self._type:
            case "s":
                position = number_of(told.strip() or None, len(self._book.strings), 1 << 32)
                return self._book.strings[position] if position < len(self._book.strings) else ""
            case "inlineStr" | "str":
                return _unescaped(told)
            case "e":
                return FailedCell(told if told in _SIGNS else "#ERROR")
            case "b":
                return told.strip() in ("1", "true")
            case "d":
                return iso_date(told.strip())
        return self._number(told.strip())

    def _number(self, told: str) -> object:
        if not told:
            return FailedCell("#FORMULA") if self._is_formula else None
        try:
            number = float(told)
        except ValueError:
            return told
        shown_as = self._book.styles.get(self._style)
        return number if shown_as is None else shown_as(number, self._book.from_1904)


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
    """Return text with the characters that XML can't hold, which XLSX writes by their number."""
    if "_x" not in text:
        return text
    found = _ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), text)
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
