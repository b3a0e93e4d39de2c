"""Message files in and out: CSV, TSV, JSON Lines, XLSX, ODS and Parquet.

`open_messages` reads a file in chunks of rows, and `create_output` writes one that appears
whole or not at all. Libraries that only some formats need are imported when such a file is met.
"""

from triage.data.errors import DataError
from triage.data.formats import Dialect, Format
from triage.data.formula import guard, unguard
from triage.data.messages import Chunk, MessageFile, open_messages
from triage.data.names import default_output, rejects_path
from triage.data.output import OutputFile, commit_all, create_output
from triage.data.rejects import rejects_output, write_rejects
from triage.data.shown import shown_cell, shown_columns
from triage.data.table import Reject
from triage.data.targets import check_targets
from triage.data.values import MISSING, as_text, is_missing

__all__ = [
    "MISSING",
    "Chunk",
    "DataError",
    "Dialect",
    "Format",
    "MessageFile",
    "OutputFile",
    "Reject",
    "as_text",
    "check_targets",
    "commit_all",
    "create_output",
    "default_output",
    "guard",
    "is_missing",
    "open_messages",
    "rejects_output",
    "rejects_path",
    "shown_cell",
    "shown_columns",
    "unguard",
    "write_rejects",
]
