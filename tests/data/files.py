"""Whole files, read and written, and sheets made part by part, as other programs write them."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import openpyxl

from tests.cases import cases_beside
from triage.data import Chunk, MessageFile, create_output, open_messages

PARTS: dict[str, str] = cases_beside(__file__, "sheets.toml")["parts"]
SHEET = "xl/worksheets/sheet1.xml"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def file_of(content: str | bytes, name: str | Path = "sms.csv") -> Path:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(name)


def read(path: str | Path, **options: Any) -> tuple[MessageFile, Chunk]:
    """Read a file to its end: the closed file, and all its rows as one chunk."""
    whole = Chunk()
    with open_messages(path, **options) as messages:
        for chunk in messages.chunks():
            whole.rows += chunk.rows
            whole.texts += chunk.texts
            whole.ids += chunk.ids
            whole.lines += chunk.lines
    return messages, whole


def rows_of(path: str | Path, **options: Any) -> list[dict[str, Any]]:
    """Return the rows of a file, each by its columns."""
    messages, chunk = read(path, **options)
    return [dict(zip(messages.columns, cells, strict=True)) for cells in chunk.rows]


def csv_of(*texts: str) -> Path:
    """Write messages, with numbers as ids, to a file of the folder that one is in."""
    quoted = (text.replace('"', '""') for text in texts)
    rows = (f'{number},"{text}"\n' for number, text in enumerate(quoted, 1))
    return file_of("id,text\n" + "".join(rows))


def write(
    name: str | Path, columns: Sequence[str], rows: Iterable[Sequence[object]], **options: Any
) -> Path:
    """Write a whole output and commit it; an ODS file, which is only read, as others do."""
    path = Path(name)
    if path.suffix == ".ods":
        return workbook(path, {"messages": [columns, *rows]})
    with create_output(path, columns, **options) as output:
        output.write(rows)
        output.commit()
    return path


def _rows(*rows: str) -> str:
    return "".join(f"<table:table-row>{cells}</table:table-row>" for cells in rows)


def ods(name: str, *rows: str, doctype: str = "") -> Path:
    """Write an ODS file of rows, each the XML of its cells."""
    return ods_of(name, {"un": _rows(*rows), "deux": "<table:table-row/>"}, doctype)


def ods_of(name: str | Path, sheets: Mapping[str, str], doctype: str = "") -> Path:
    """Write an ODS file of the XML of the rows of each sheet."""
    table = '<table:table table:name="{}">{}</table:table>'
    tables = "".join(table.format(name, rows) for name, rows in sheets.items())
    parts = {"content.xml": PARTS["content"].format(tables=tables, doctype=doctype)}
    return zipped(name, mimetype="application/vnd.oasis.opendocument.spreadsheet", **parts)


def workbook(
    name: str | Path, sheets: Mapping[str, Sequence[Sequence[object]]], merged: Sequence[str] = ()
) -> Path:
    """Write an XLSX or ODS file of the values of each sheet; XLSX may have merged cells."""
    path = Path(name)
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
    name: str, *rows: str, strings: Sequence[str] = (), doctype: str = "", **other: str
) -> Path:
    """Write an XLSX file of rows and shared strings, each the XML within, with other parts."""
    with zipfile.ZipFile(workbook(name, {"un": [["text"]]})) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    sheet = "".join(f"<row>{cells}</row>" for cells in rows)
    shared = "".join(f"<si>{string}</si>" for string in strings)
    types = "[Content_Types].xml"
    parts[types] = parts[types].replace("</Types>", f"{PARTS['shared']}</Types>")
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{_MAIN}">{shared}</sst>'
    parts[SHEET] = f'{doctype}<worksheet xmlns="{_MAIN}"><sheetData>{sheet}</sheetData></worksheet>'
    return zipped(name, **parts | other)


def zipped(name: str | Path, **parts: str | bytes) -> Path:
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return Path(name)


def inline(text: str, reference: str = "") -> str:
    at = f' r="{reference}"' if reference else ""
    return f'<c{at} t="inlineStr"><is><t>{text}</t></is></c>'
