"""A file of messages, and its chunks; tables that people fill in, row by row."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from triage.data import MessageFile, open_messages
from triage.data.errors import ColumnError, as_text

from ..errors import TriageError
from ..safe import STANDARD_STREAM
from ..settings import Reading, changed
from .record import recorded

# Small enough that deciding starts soon while reading goes on.
CHUNK_ROWS = 4_000
# What people say for yes and for no.
YES_OR_NO = {
    **dict.fromkeys(("yes", "y", "true", "1", "oui", "o", "vrai"), True),
    **dict.fromkeys(("no", "n", "false", "0", "non", "faux"), False),
}
# An error names so many of the columns that it does not know.
_N_NAMED, _LONGEST_SHOWN = 3, 24
T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """A file of messages and its reading, completed by the record beside it."""

    path: str
    reading: Reading = field(default_factory=Reading)

    @property
    def resolved_reading(self) -> Reading:
        """The columns and format as given, else as recorded beside the file."""
        return Reading(**recorded(self.path)["reading"] | changed(self.reading))

    @cached_property
    def _standard_input(self) -> MessageFile:
        return open_messages(self.path, self.resolved_reading, chunk_rows=CHUNK_ROWS)

    def open(self) -> MessageFile:
        """Open the file anew; standard input is there once, and stays open after a first look."""
        if self.path == STANDARD_STREAM:
            return self._standard_input
        return open_messages(self.path, self.resolved_reading, chunk_rows=CHUNK_ROWS)

    def first_messages(self) -> Iterator[str]:
        opened = self.open()
        with nullcontext() if self.path == STANDARD_STREAM else opened:
            yield from opened.first_messages()


def read_rows(
    path: str | Path,
    columns: Sequence[str],
    parse: Callable[[Mapping[str, str]], T],
    *,
    strip: bool = True,
    usage: str = "",
    known: Sequence[str] = (),
    key: str = "",
) -> list[T]:
    """Parse each row of a table that people fill in.

    A ValueError says what is wrong with a row. If any columns are known, no others may be there.
    """

    def wrong(place: str, **facts: object) -> TriageError:
        return TriageError(f"{path}{place}", key, file=path, **facts)

    usage = usage or f"the columns {', '.join(columns)} are needed"
    try:
        file = open_messages(path, text_column=columns[0], guarded=True)
    except ColumnError:
        raise wrong(f" has no column {columns[0]!r}: {usage}", column=columns[0]) from None
    with file:
        for column in columns:
            if column not in file.columns:
                raise wrong(f" has no column {column!r}: {usage}", column=column)
        # Spreadsheets leave nameless columns.
        unknown = [one[:_LONGEST_SHOWN] for one in file.columns if one not in (*known, "")]
        if known and unknown:
            listed = ", ".join(map(repr, unknown[:_N_NAMED]))
            raise wrong(f" has columns that mean nothing here, {listed}: {usage}")
        parsed, line_or_row = list[T](), "line" if file.format.is_text else "row"
        for chunk in file.chunks():
            for line, row in zip(chunk.lines, chunk.rows, strict=True):
                cells = [as_text(cell).strip() if strip else as_text(cell) for cell in row]
                try:
                    parsed.append(parse(dict(zip(file.columns, cells, strict=True))))
                except ValueError as error:
                    raise wrong(f", {line_or_row} {line}: {error}", line=line) from None
        for reject in file.rejects:
            raise wrong(f", {line_or_row} {reject.line}: {reject.reason}", line=reject.line)
    return parsed
