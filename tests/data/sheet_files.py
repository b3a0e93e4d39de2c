"""ODS and XLSX files made part by part, as programs other than this one write them."""

import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import openpyxl

from tests.cases import cases_beside

PARTS: dict[str, str] = cases_beside(__file__, "sheets.toml")["parts"]
SHEET = "xl/worksheets/sheet1.xml"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _rows(*rows: str) -> str:
    return "".join(f"<table:table-row>{cells}</table:table-row>" for cells in rows)


def ods(path: Path, *rows: str, doctype: str = "") -> Path:
    """Write an ODS file of rows, each the XML of its cells."""
    return ods_of(path, {"un": _rows(*rows), "deux": "<table:table-row/>"}, doctype)


def ods_of(path: Path, sheets: Mapping[str, str], doctype: str = "") -> Path:
    """Write an ODS file of the XML of the rows of each sheet."""
    table = '<table:table table:name="{}">{}</table:table>'
    tables = "".join(table.format(name, rows) for name, rows in sheets.items())
    parts = {"content.xml": PARTS["content"].format(tables=tables, doctype=doctype)}
    return _packed(path, mimetype="application/vnd.oasis.opendocument.spreadsheet", **parts)


def workbook(
    path: Path, sheets: Mapping[str, Sequence[Sequence[object]]], merged: Sequence[str] = ()
) -> Path:
    """Write an XLSX or ODS file of the values of each sheet; XLSX may have merged cells."""
    if path.suffix == ".ods":
        cells = {name: ("".join(map(_cell, row)) for row in rows) for name, rows in sheets.items()}
        return ods_of(path, {name: _rows(*rows) for name, rows in cells.items()})
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, sheet in sheets.items():
        made = book.create_sheet(name)
        for row in sheet:
            made.append(row)
        for area in merged:
            made.merge_cells(area)
    book.save(path)
    return path


def _cell(value: object) -> str:
    if value is None:
        return "<table:table-cell/>"
    is_number = isinstance(value, int | float)
    typed = f'office:value-type="float" office:value="{value}"' if is_number else ""
    return cell(*escape(str(value), quote=False).split("\n"), attributes=typed)


def cell(*paragraphs: str, attributes: str = "") -> str:
    inner = "".join(f"<text:p>{paragraph}</text:p>" for paragraph in paragraphs)
    return f"<table:table-cell {attributes}>{inner}</table:table-cell>"


def xlsx(
    path: Path, *rows: str, strings: Sequence[str] = (), doctype: str = "", **other: str
) -> Path:
    """Write an XLSX file of rows and shared strings, each the XML within, with other parts."""
    with zipfile.ZipFile(workbook(path, {"un": [["text"]]})) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    sheet = "".join(f"<row>{cells}</row>" for cells in rows)
    shared = "".join(f"<si>{string}</si>" for string in strings)
    types = "[Content_Types].xml"
    parts[types] = parts[types].replace("</Types>", f"{PARTS['shared']}</Types>")
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{_MAIN}">{shared}</sst>'
    parts[SHEET] = f'{doctype}<worksheet xmlns="{_MAIN}"><sheetData>{sheet}</sheetData></worksheet>'
    return _packed(path, **parts | other)


def _packed(path: Path, **parts: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def inline(text: str, reference: str = "") -> str:
    at = f' r="{reference}"' if reference else ""
    return f'<c{at} t="inlineStr"><is><t>{text}</t></is></c>'
