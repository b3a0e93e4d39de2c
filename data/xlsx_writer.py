"""XLSX files."""

import errno
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from triage.data.errors import DataError
from triage.data.extras import require
from triage.data.sheet_limits import check_row_fits, is_exact_number, is_sheet_time, sheet_text
from triage.data.zip_parts import part

_MAX_CELL = 32_767
_PROPERTIES = "docProps/core.xml"
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_NO_TIME = b"1980-01-01T00:00:00Z"
# Excel reads _x000D_ as a carriage return, which XML itself would turn into a line feed, and
# _x005F_ as the underscore of a message that holds such a sign.
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

# openpyxl takes text that begins so for a formula or an error unless it is told.
_RISKY = ("=", "#")


class XlsxWriter:
    """Writes rows to the one sheet of an XLSX file; strings are never formulas."""

    def __init__(self, file: IO[bytes], columns: Sequence[str]) -> None:
        openpyxl = require("openpyxl", "spreadsheets")
        self._string_cell = require("openpyxl.cell", "spreadsheets").WriteOnlyCell
        self._file = file
        self._book = openpyxl.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("messages")
        self.write([columns], 0)

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        """Write rows, of which the first is number `first` of the output."""
        with _system_errors():
            for number, row in enumerate(rows, first):
                check_row_fits(number)
                self._sheet.append([self._cell(value, number) for value in row])

    def finish(self) -> None:
        """Write the whole file."""
        writer = require("openpyxl.writer.excel", "spreadsheets").ExcelWriter
        with _system_errors(), tempfile.TemporaryFile() as dated:
            with zipfile.ZipFile(dated, "w", zipfile.ZIP_DEFLATED) as archive:
                writer(self._book, archive).save()
            _copy_undated(dated, self._file)

    def _cell(self, value: object, number: int) -> object:
        if not isinstance(value, str) and _is_typed(value):
            return value
        text = sheet_text(value, number)
        _check_length(text, number)
        escaped = _ESCAPE.sub("_x005F_", text).replace("\r", "_x000D_")
        if escaped.isspace():  # readers take white space alone for nothing
            escaped = f"_x{ord(escaped[0]):04X}_{escaped[1:]}"
        return self._string(escaped) if escaped.startswith(_RISKY) else escaped

    def _string(self, text: str) -> object:
        cell = self._string_cell(self._sheet, text)
        cell.data_type = "s"
        return cell


def _is_typed(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return True
    return is_exact_number(value) or is_sheet_time(value)


@contextmanager
def _system_errors() -> Iterator[None]:
    """Turn the errors of lxml, by which openpyxl may write, into those of the system."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("lxml"):
            raise
        # lxml says IO_ENOSPC where the system says ENOSPC.
        code = getattr(errno, str(error).removeprefix("IO_"), errno.EIO)
        raise OSError(code, os.strerror(code)) from error


def _check_length(text: str, number: int) -> None:
    if 2 * len(text) > _MAX_CELL and len(text.encode("utf-16-le")) > 2 * _MAX_CELL:
        raise DataError(
            f"row {number} has a cell of more than the {_MAX_CELL:,} characters that XLSX can"
            " hold: write CSV"
        )


def _copy_undated(dated: IO[bytes], undated: IO[bytes]) -> None:
    with zipfile.ZipFile(dated) as old, zipfile.ZipFile(undated, "w") as new:
        for name in old.namelist():
            if name == _PROPERTIES:
                new.writestr(part(name), _TIME.sub(_NO_TIME, old.read(name)))
                continue
            with old.open(name) as content, new.open(part(name), "w") as copy:
                shutil.copyfileobj(content, copy)
