"""Message files in and out; libraries that few formats need load when such a file is met."""

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
