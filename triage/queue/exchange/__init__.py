"""The exchange of a queue with other tools: doccano, Label Studio, spreadsheets.

`export` writes items to a file, and `read` reads what came back. Neither knows of queues.
"""

from .breaks import fitted, plain_breaks
from .files import export, format_of, read
from .label_studio import label_studio_config
from .records import ExchangeFormat, Exported, Imported

__all__ = [
    "ExchangeFormat",
    "Exported",
    "Imported",
    "export",
    "fitted",
    "format_of",
    "label_studio_config",
    "plain_breaks",
    "read",
]
