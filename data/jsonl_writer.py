"""JSON Lines files, written as UTF-8."""

import json
from collections.abc import Sequence
from typing import IO

from triage.data.formats import Dialect
from triage.data.values import MISSING


class JsonlWriter:
    """Writes each row as an object; a `MISSING` cell leaves its key out."""

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        self._file = file
        self._columns = columns
        self._terminator = dialect.line_terminator
        self._encode = json.JSONEncoder(ensure_ascii=False, default=str).encode

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:  # noqa: ARG002
        """Write rows; their numbers don't matter, because JSON can hold them all."""
        text = "".join(self._line(row) for row in rows)
        # The backslash form of half a surrogate pair is its JSON escape.
        self._file.write(text.encode("utf-8", "backslashreplace"))

    def finish(self) -> None:
        """Do nothing: a JSON Lines file just ends."""

    def _line(self, row: Sequence[object]) -> str:
        cells = zip(self._columns, row, strict=True)
        found = {column: cell for column, cell in cells if cell is not MISSING}
        return self._encode(found) + self._terminator
