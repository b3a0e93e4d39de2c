"""Message files in and out: CSV, TSV, JSON Lines, XLSX, ODS and Parquet.

`open_messages` reads a file in chunks of rows, and `create_output` writes one that appears
whole or not at all. Libraries that only some formats need are imported when such a file is met.
"""

from data.errors import DataError
from data.formats import Dialect, Format
from data.formula import guard, unguard
from data.messages import Chunk, MessageFile, open_messages
from data.names import default_output, rejects_path
from data.output import OutputFile, commit_all, create_output
from data.rejects import write_rejects
from data.table import Reject
from data.values import MISSING, as_text

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
    "commit_all",
    "create_output",
    "default_output",
    "guard",
    "open_messages",
    "rejects_path",
    "unguard",
    "write_rejects",
]
