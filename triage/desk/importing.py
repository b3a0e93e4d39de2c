"""How a file is read: its format, its columns, its first rows, and what cannot be read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from triage.data import MessageFile, as_text

from ..anonymise.cells import telephone_in
from ..anonymise.columns import DATE_COLUMNS
from ..errors import UserError
from ..model.annotated import sender_position
from .project import Project, Reading
from .versions import Version, version_of

_ROWS = 8
_EXCERPT = 300
# A column of which so many cells look like telephone numbers holds them.
_TELEPHONES = 0.5


@dataclass(frozen=True)
class Column:
    """A column of a file.

    Parameters
    ----------
    name : str
    role : str
        text, id, sender, date; other for all else.
    holds_telephones : bool
    """

    name: str
    role: str
    holds_telephones: bool


@dataclass(frozen=True)
class Preview:
    """The first rows of a file as they are read.

    Parameters
    ----------
    problem : UserError, optional
        Why it cannot be read.
    format : str
    columns : tuple of Column
    rows : tuple of tuple of str
    rejected : tuple of str
        Why rows among the first cannot be read, with their lines.
    """

    problem: UserError | None = None
    format: str = ""
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    rejected: tuple[str, ...] = field(default=())


def preview(project: Project) -> Preview:
    """Return the first rows of the original, read as the settings say."""
    original, reading = project.original, project.settings.reading
    if not original.exists():
        return _read(original, reading)
    return _read_once(version_of(original), reading)


@lru_cache(maxsize=8)
def _read_once(version: Version, reading: Reading) -> Preview:
    return _read(version.path, reading)


def _read(original: Path, reading: Reading) -> Preview:
    try:
        with reading.source(original).open() as file:
            sender = sender_position(file.columns, reading.sender_column, original.name)
            chunk = next(file.chunks(), None)
            rows = chunk.rows if chunk else []
            return Preview(
                format=file.format.value,
                columns=tuple(_columns(file, sender, rows)),
                rows=tuple(tuple(map(_shown, row)) for row in rows[:_ROWS]),
                rejected=tuple(f"{one.line}: {one.reason}" for one in file.rejects[:_ROWS]),
            )
    except UserError as error:
        # The name of the copy in the folder tells nothing.
        copy, name = str(original), original.name
        values = {key: value.replace(copy, name) for key, value in error.values.items()}
        return Preview(problem=UserError(str(error).replace(copy, name), error.key, **values))


def _columns(
    file: MessageFile, sender: int | None, rows: Sequence[Sequence[object]]
) -> list[Column]:
    roles = {sender: "sender", file.id_position: "id", file.text_position: "text"}
    folded = [name.strip().casefold() for name in file.columns]
    date = next((folded.index(name) for name in DATE_COLUMNS if name in folded), None)
    roles.setdefault(date, "date")
    found = []
    for i, name in enumerate(file.columns):
        cells = [cell for row in rows if (cell := as_text(row[i]).strip())]
        n_telephones = sum(bool(telephone_in(cell)) for cell in cells)
        holds = i != file.id_position and n_telephones > len(cells) * _TELEPHONES
        found.append(Column(name, roles.get(i, "other"), holds))
    return found


def _shown(cell: object) -> str:
    text = as_text(cell)
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
