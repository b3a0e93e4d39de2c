"""Message files in and out, of the formats in `Format`.

`open_messages` reads a file in chunks of rows, and `create_output` writes one that appears
whole or not at all. Libraries that only some formats need are imported when such a file is met.
"""

from triage.data.errors import MISSING, as_text
from triage.data.output import OutputFile, create_output
from triage.data.read import Chunk, MessageFile, open_messages
from triage.data.table import Dialect, Format
from triage.errors import DataError

__all__ = [
    "MISSING",
    "Chunk",
    "DataError",
    "Dialect",
    "Format",
    "MessageFile",
    "OutputFile",
    "as_text",
    "create_output",
    "open_messages",
]
