"""Message files in and out, of the formats in `Format`.

`open_messages` reads a file in chunks of rows, and `create_output` writes one that appears
whole or not at all. Libraries that only some formats need are imported when such a file is met.
"""

from triage.data.columns import find_column, shown_cell, shown_columns
from triage.data.errors import MISSING, ColumnError, as_text, is_null
from triage.data.output import (
    OutputFile,
    Page,
    create_output,
    default_output,
    rejects_output,
    rejects_path,
    run_path,
)
from triage.data.read import Chunk, MessageFile, open_messages
from triage.data.sheets import sheet_names
from triage.data.table import Dialect, Format, Reject
from triage.errors import DataError

__all__ = [
    "MISSING",
    "Chunk",
    "ColumnError",
    "DataError",
    "Dialect",
    "Format",
    "MessageFile",
    "OutputFile",
    "Page",
    "Reject",
    "as_text",
    "create_output",
    "default_output",
    "find_column",
    "is_null",
    "open_messages",
    "rejects_output",
    "rejects_path",
    "run_path",
    "sheet_names",
    "shown_cell",
    "shown_columns",
]
