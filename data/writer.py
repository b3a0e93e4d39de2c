"""What every writer does: rows in, bytes out."""

from collections.abc import Sequence
from typing import Protocol


class Writer(Protocol):
    """Writes rows in some format to a stream that it was made with."""

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        """Write rows, of which the first is number `first` of the output, from 1."""

    def finish(self) -> None:
        """Write what comes after the last row; the stream stays open."""
