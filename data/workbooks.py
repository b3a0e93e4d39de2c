"""The names of the sheets of a workbook."""

import zipfile
from pathlib import Path

from triage.data import ods, xlsx
from triage.data.errors import reading
from triage.data.formats import format_of_content
from triage.data.sheets import UNREADABLE, NoSheetError
from triage.data.table import Format

_HEAD = 1024
_ROWS = {Format.XLSX: xlsx.sheet_rows, Format.ODS: ods.sheet_rows}
# No sheet has this name, which XML cannot hold.
_NO_NAME = "\0"


def sheet_names(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; none of any other file, or a damaged one."""
    with reading(str(path)), path.open("rb") as file:
        format_ = format_of_content(file.read(_HEAD))
        rows_of = _ROWS.get(format_) if format_ else None
        if rows_of is None:
            return ()
        try:
            with zipfile.ZipFile(file) as archive:
                for _ in rows_of(archive, _NO_NAME):
                    pass
        except NoSheetError as error:
            return error.names
        except UNREADABLE:
            pass
    return ()
