"""XLSX files, written as a stream by the standard library.

Libraries keep the rows in temporary files until the end, and a run that is killed leaves them there
with messages.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from functools import lru_cache
from html import escape

from triage.data.errors import DataError
from triage.data.limits import MOST_COLUMNS
from triage.data.sheets import SheetWriter, is_exact_number, is_sheet_time, sheet_text

_MAX_CELL = 32_767
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SCHEMA = "http://schemas.openxmlformats.org"
_MAIN = f"{_SCHEMA}/spreadsheetml/2006/main"
_OFFICE = f"{_SCHEMA}/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
# The numbers of styles are those of `_STYLE`.
_CONTENTS = {
    "[Content_Types].xml": f"""\
<Types xmlns="{_SCHEMA}/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>
<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>
</Types>
""",
    "_rels/.rels": f"""\
<Relationships xmlns="{_SCHEMA}/package/2006/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>
</Relationships>
""",
    "xl/workbook.xml": f"""\
<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">
<sheets><sheet name="messages" sheetId="1" r:id="rId1"/></sheets>
</workbook>
""",
    "xl/_rels/workbook.xml.rels": f"""\
<Relationships xmlns="{_SCHEMA}/package/2006/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/>
</Relationships>
""",
    "xl/styles.xml": f"""\
<styleSheet xmlns="{_MAIN}">
<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>
<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts>
<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill>
<fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="21" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>
""",
}
_PARTS = {name: _HEAD + content for name, content in _CONTENTS.items()}
_STYLE = {datetime: 1, date: 2, time: 3}
# A sheet counts days from here. Before March 1900 its calendar has a day too many.
_DAY_0 = datetime(1899, 12, 30)
_FIRST_DAY = date(1900, 3, 1)
_SECONDS_A_DAY = 86_400
# Excel reads _x000D_ as a carriage return, which XML itself would turn into a line feed, and
# _x005F_ as the underscore of a message that holds such a sign.
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


class XlsxWriter(SheetWriter):
    """Writer of XLSX; strings are never formulas."""

    PARTS = _PARTS
    SHEET = "xl/worksheets/sheet1.xml"
    OPENING = f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>\n'
    CLOSING = "</sheetData></worksheet>\n"

    def row_xml(self, row: Sequence[object], number: int) -> str:
        """Return a row element with its number, which sheets count from 1."""
        cells = "".join(
            _cell_xml(value, f"{_column_name(column)}{number + 1}", number)
            for column, value in enumerate(row)
        )
        return f'<row r="{number + 1}">{cells}</row>\n'


@lru_cache(maxsize=MOST_COLUMNS)
def _column_name(number: int) -> str:
    """Return the name of a column, counted from 0: A to Z, then AA and so on."""
    name = ""
    while number >= 0:
        name = chr(ord("A") + number % 26) + name
        number = number // 26 - 1
    return name


def _cell_xml(value: object, place: str, number: int) -> str:
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if is_exact_number(value):
        return f'<c r="{place}"><v>{value}</v></c>'
    if is_sheet_time(value) and (isinstance(value, time) or _day(value) >= _FIRST_DAY):
        return f'<c r="{place}" s="{_STYLE[type(value)]}"><v>{_days(value)}</v></c>'
    text = sheet_text(value, number)
    if not text:
        return ""
    _check_length(text, number)
    escaped = _ESCAPE.sub("_x005F_", text).replace("\r", "_x000D_")
    if escaped.isspace():  # readers take white space alone for nothing
        escaped = f"_x{ord(escaped[0]):04X}_{escaped[1:]}"
    shown = f'<t xml:space="preserve">{escape(escaped, quote=False)}</t>'
    return f'<c r="{place}" t="inlineStr"><is>{shown}</is></c>'


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _days(value: date | time) -> float:
    """Return a date or a time as a sheet counts: in days."""
    if isinstance(value, time):
        value = datetime.combine(_DAY_0, value)
    elif not isinstance(value, datetime):
        return (value - _DAY_0.date()).days
    since = value - _DAY_0
    return since.days + (since.seconds + since.microseconds / 1e6) / _SECONDS_A_DAY


def _check_length(text: str, number: int) -> None:
    if 2 * len(text) > _MAX_CELL and len(text.encode("utf-16-le")) > 2 * _MAX_CELL:
        raise DataError(
            f"row {number} has a cell of more than the {_MAX_CELL:,} characters that XLSX can"
            " hold: write CSV"
        )
