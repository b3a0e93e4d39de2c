"""ODS files.

The standard library writes them: the one maintained library for ODS takes two minutes for
20,000 messages, and holds them all.
"""

import re
import zipfile
from collections.abc import Sequence
from datetime import time
from html import escape
from typing import IO

from triage.data.sheet_limits import check_row_fits, is_exact_number, is_sheet_time, sheet_text
from triage.data.zip_parts import part

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
_OPENING = """\
<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2">
<office:body><office:spreadsheet><table:table table:name="messages">
"""
_CLOSING = """\
</table:table></office:spreadsheet></office:body></office:document-content>
"""
# OpenDocument collapses white space in text, so that all but single inner spaces are elements.
_SPACES = re.compile("^ +| {2,}| +$")
_IN_ATTRIBUTE = str.maketrans({"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


class OdsWriter:
    """Writes rows to the one sheet of an ODS file, as a stream."""

    def __init__(self, file: IO[bytes], columns: Sequence[str]) -> None:
        self._archive = zipfile.ZipFile(file, "w")
        self._archive.writestr(part("mimetype", stored=True), _MIME_TYPE)
        self._archive.writestr(part("META-INF/manifest.xml"), _MANIFEST)
        self._content = self._archive.open(part("content.xml"), "w", force_zip64=True)
        self._content.write(_OPENING.encode())
        self.write([columns], 0)

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        """Write rows, of which the first is number `first` of the output."""
        for number, row in enumerate(rows, first):
            check_row_fits(number)
            cells = "".join(_cell(value, number) for value in row)
            self._content.write(f"<table:table-row>{cells}</table:table-row>\n".encode())

    def finish(self) -> None:
        """Close the sheet and write the archive's directory."""
        with self._archive, self._content:
            self._content.write(_CLOSING.encode())


def _cell(value: object, number: int) -> str:
    text = sheet_text(value, number)
    if not text:
        return "<table:table-cell/>"
    paragraphs = "".join(f"<text:p>{_marked_up(line)}</text:p>" for line in text.split("\n"))
    return f"<table:table-cell {_typed(value, text)}>{paragraphs}</table:table-cell>"


def _typed(value: object, text: str) -> str:
    if isinstance(value, str):
        return _string_type(text)
    if isinstance(value, bool):
        return f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    if is_exact_number(value):
        return f'office:value-type="float" office:value="{value}"'
    if is_sheet_time(value):
        if isinstance(value, time):
            return f'office:value-type="time" office:time-value="{value:PT%HH%MM%SS}"'
        return f'office:value-type="date" office:date-value="{value.isoformat()}"'
    return _string_type(text)


def _string_type(text: str) -> str:
    # What readers make of these characters in an element differs; the attribute is exact.
    if "\t" in text or "\r" in text:
        exact = escape(text).translate(_IN_ATTRIBUTE)
        return f'office:value-type="string" office:string-value="{exact}"'
    return 'office:value-type="string"'


def _marked_up(line: str) -> str:
    spaced = _SPACES.sub(_space_element, escape(line, quote=False))
    return spaced.replace("\t", "<text:tab/>").replace("\r", "&#13;")


def _space_element(spaces: re.Match[str]) -> str:
    return f'<text:s text:c="{len(spaces[0])}"/>'
