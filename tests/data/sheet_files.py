"""ODS and XLSX files made part by part, as programs other than this one write them."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

_ODS = """\
<?xml version="1.0" encoding="{encoding}"?>{doctype}
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">
<office:body><office:spreadsheet><table:table>{rows}</table:table>
<table:table><table:table-row/></table:table></office:spreadsheet></office:body>
</office:document-content>
"""
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def ods(path: Path, *rows: str, doctype: str = "", encoding: str = "UTF-8") -> Path:
    """Write an ODS file of rows, each the XML of its cells."""
    xml = "".join(f"<table:table-row>{cells}</table:table-row>" for cells in rows)
    return ods_of(path, xml, doctype, encoding)


def ods_of(path: Path, xml: str, doctype: str = "", encoding: str = "UTF-8") -> Path:
    """Write an ODS file of the XML of its rows."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        content = _ODS.format(rows=xml, doctype=doctype, encoding=encoding)
        archive.writestr("content.xml", content)
    return path


def cell(*paragraphs: str, attributes: str = "") -> str:
    """Return the XML of a cell of text in an ODS file."""
    inner = "".join(f"<text:p>{paragraph}</text:p>" for paragraph in paragraphs)
    return f"<table:table-cell {attributes}>{inner}</table:table-cell>"


def xlsx(path: Path, *rows: str, strings: Sequence[str] = (), doctype: str = "") -> Path:
    """Write an XLSX file of rows and shared strings, each the XML within."""
    sheet = "".join(f"<row>{cells}</row>" for cells in rows)
    shared = "".join(f"<si>{string}</si>" for string in strings)
    relations = {
        "_rels/.rels": ("officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": ("worksheet", "worksheets/one.xml"),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (type_, target) in relations.items():
            more = f'<Relationship Id="r2" Type="{_RELATIONS}/sharedStrings" Target="/xl/s.xml"/>'
            archive.writestr(
                name,
                f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" '
                f'Type="{_RELATIONS}/{type_}" Target="{target}"/>{more if "xl" in name else ""}'
                "</Relationships>",
            )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
            '<sheet name="un" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr("xl/s.xml", f'<sst xmlns="{_MAIN}">{shared}</sst>')
        archive.writestr(
            "xl/worksheets/one.xml",
            f'{doctype}<worksheet xmlns="{_MAIN}"><sheetData>{sheet}</sheetData></worksheet>',
        )
    return path


def inline(text: str, reference: str = "") -> str:
    """Return the XML of a cell of text in an XLSX file."""
    at = f' r="{reference}"' if reference else ""
    return f'<c{at} t="inlineStr"><is><t>{text}</t></is></c>'
