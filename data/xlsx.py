"""XLSX files: read by openpyxl and written by XlsxWriter, which take a while to load."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any, TypeAlias
from xml.etree.ElementTree import Element, ParseError

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils.escape import unescape
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser
from xlsxwriter import Workbook
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.worksheet import Worksheet

from triage.data import limits
from triage.data.errors import as_text, fault
from triage.data.output import OutputFile, Page
from triage.data.tables import LAST_EXACT, Book, Rectangle, SheetRow, failed
from triage.data.xml_stream import MarkupError, check_characters

_Cell: TypeAlias = dict[str, Any]
_Attributes: TypeAlias = Sequence[tuple[str, object]]

# What openpyxl raises where a part is missing, damaged, or not as it should be.
_DAMAGE = (LookupError, TypeError, AttributeError, ValueError, ParseError)
_LONGEST = 32_767
# Before it, the calendar of spreadsheets has a day too many.
_FIRST_DAY = date(1900, 3, 1)
_FORMATS = {datetime: r"yyyy\-mm\-dd\ hh:mm:ss", date: r"yyyy\-mm\-dd", time: "h:mm:ss"}


def xlsx_book(file: IO[bytes]) -> Book:
    try:
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    except _DAMAGE as error:
        raise MarkupError("no workbook") from error
    names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise MarkupError("no sheet")
    forms = BUILTIN_FORMATS | dict(enumerate(book._number_formats, BUILTIN_FORMATS_MAX_SIZE))
    shown = [forms.get(style.numFmtId, "").partition(";")[0] for style in book._cell_styles]

    def rows(position: int, covered: list[Rectangle]) -> Iterator[SheetRow]:
        sheet = book.worksheets[position]
        with book._archive.open(sheet._worksheet_path) as source:
            parser = _Parser(
                source,
                sheet._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            parser.percent_styles = {i for i, form in enumerate(shown) if form.endswith("%")}
            try:
                for number, cells in parser.parse():
                    values = {cell["column"] - 1: _value(cell) for cell in cells}
                    yield number, {i: value for i, value in values.items() if value != ""}, 1
                for one in parser.merged_cells.mergeCell if parser.merged_cells else ():
                    first, end = one.min_row, one.max_row + 1
                    covered.append(((first, first + 1), range(one.min_col, one.max_col)))
                    covered.append(((first + 1, end), range(one.min_col - 1, one.max_col)))
            except _DAMAGE as error:
                raise MarkupError("no sheet") from error

    return lambda: names, rows


class _Parser(WorkSheetParser):  # type: ignore[misc] # has no types
    """Parser of the cells that are there, which tells of formulas that have no value.

    Numbers of `percent_styles` are as they are shown: 50%.
    """

    def parse_cell(self, element: Element) -> _Cell:
        cell: _Cell = super().parse_cell(element)
        is_blank = cell["value"] is None and cell["data_type"] == "n"
        if is_blank and element.find(FORMULA_TAG) is not None:
            return cell | {"value": "#FORMULA", "data_type": "e"}
        if cell["style_id"] in self.percent_styles and type(cell["value"]) in (int, float):
            return cell | {"value": f"{100 * cell['value']:.12g}%"}
        return cell


def _value(cell: _Cell) -> object:
    value: object = cell["value"]
    if cell["data_type"] == "e":
        return failed(str(value))
    if isinstance(value, str) and "_x" in value:
        # What XML cannot hold is escaped.
        return unescape(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, datetime) and value.time() == time():
        return value.date()
    return "" if value is None else value


class XlsxOutput(OutputFile):
    """Output of XLSX; strings are never formulas.

    Rows stay in files beside the output, in the folder that is removed if this process is killed.
    """

    def begin(self) -> None:
        folder = str(Path(self._bytes.name).parent)
        options = {"constant_memory": True, "tmpdir": folder, "use_zip64": True}
        self._book = Workbook(self._bytes, options)
        self._book.set_properties({"created": datetime(1980, 1, 1)})
        self._sheet = self._book.add_worksheet("messages", _Sheet)
        self._formats = {
            kind: self._book.add_format({"num_format": form}) for kind, form in _FORMATS.items()
        }
        for column, name in enumerate(self._columns):
            self._write_cell(0, column, name)

    def put(self, page: Page) -> None:
        for number, row in enumerate(page.rows or (), self.rows_written + 1):
            if number >= limits.MAX_ROWS:
                raise fault("xlsx_rows", row=number, most=f"{limits.MAX_ROWS:,}")
            for column, value in enumerate(row):
                self._write_cell(number, column, value)

    def _write_cell(self, row: int, column: int, value: object) -> None:
        day = value.date() if isinstance(value, datetime) else value
        is_moment = isinstance(value, time) or (isinstance(day, date) and day >= _FIRST_DAY)
        if isinstance(value, bool):
            self._sheet.write_boolean(row, column, value)
        elif isinstance(value, int | float) and abs(value) <= LAST_EXACT:
            self._sheet.write_number(row, column, value)
        elif is_moment and getattr(value, "tzinfo", None) is None:
            self._sheet.write_datetime(row, column, value, self._formats[type(value)])
        elif text := as_text(value):
            check_characters([text], f"row {row}", "a spreadsheet")
            # Characters beyond 16 bits count twice.
            if 2 * len(text) > _LONGEST and len(text.encode("utf-16-le")) > 2 * _LONGEST:
                raise fault("xlsx_cell", row=row, most=f"{_LONGEST:,}")
            self._sheet.write_string(row, column, text)

    def end(self) -> None:
        try:
            self._book.close()
        except FileCreateError as error:
            raise error.args[0] from error


class _Sheet(Worksheet):  # type: ignore[misc] # has no types
    """Sheet that keeps all digits of numbers, and takes no message for markup."""

    def _xml_number_element(self, number: float, attributes: _Attributes = ()) -> None:
        cell = "".join(f' {name}="{value}"' for name, value in attributes)
        self.fh.write(f"<c{cell}><v>{number}</v></c>")

    def _xml_rich_inline_string(self, string: str, attributes: _Attributes = ()) -> None:
        self._xml_inline_string(string, preserve=True, attributes=attributes)
