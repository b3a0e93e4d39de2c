"""What every reader offers: columns, and rows with the lines they start on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from triage.data.formats import Dialect


@dataclass(frozen=True)
class Reject:
    """A row that can't be read as a message.

    Attributes
    ----------
    line : int
        Where it starts in its file, from 1.
    reason : str
    raw : str
        The row as it stands in the file, cut short where it is very long; undecodable bytes are
        lone surrogates.
    """

    line: int
    reason: str
    raw: str


@dataclass(frozen=True)
class Options:
    """What a user may say about a file instead of having it found out."""

    text_column: str | None = None
    id_column: str | None = None
    encoding: str | None = None
    separator: str | None = None
    guarded: bool = False
    chunk_rows: int = 20_000


Row = tuple[int, list[object]]
"""The line on which a row starts, and its cells."""


class Table(Protocol):
    """A message file of any format."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names, in order."""

    @property
    def dialect(self) -> Dialect:
        """Return how the file is written."""

    @property
    def lines(self) -> int | None:
        """About how many rows there are; None where that isn't known."""

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:
        """Yield the rows from the first on; `reject` is given those that can't be read."""
