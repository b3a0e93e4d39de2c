"""The list of messages that nobody decided, or that were held back, beside an anonymised file."""

from dataclasses import dataclass
from pathlib import Path

from triage.data import as_text, open_messages, rejects_path

from ..errors import TriageError
from ..weighed import check_rejects

COLUMNS = ("row", "id", "reason", "written")
_YES = "yes"


@dataclass(frozen=True)
class HeldRow:
    """A message of the list.

    Parameters
    ----------
    row : int
        Of the file that was anonymised, from 1.
    id : str
    reason : str
    written : bool
        Whether it stands in the output all the same.
    """

    row: int
    id: str
    reason: str
    written: bool


def held_path(output: str) -> Path:
    """Return the path of the list that belongs to an output: beside it, always CSV.

    Examples
    --------
    >>> held_path("corpus/anon.csv.gz").as_posix()
    'corpus/anon.held.csv'
    """
    rejects = rejects_path(output)
    return rejects.with_name(f"{rejects.name.removesuffix('rejects.csv')}held.csv")


def read_held(output: str) -> list[HeldRow]:
    """Read the list that belongs to an output; empty where there is none.

    Parameters
    ----------
    output : str
        The path of the output. A file of that name which lacks the columns of a list is none.

    Raises
    ------
    DataError
        If the list cannot be read.
    TriageError
        If one of its rows cannot be read, or has no number.
    """
    path = held_path(output)
    if not path.exists():
        return []
    with open_messages(path, text_column="reason", guarded=True) as file:
        if not set(COLUMNS) <= set(file.columns):
            return []
        at = [file.columns.index(column) for column in COLUMNS]
        cells = [[as_text(row[i]) for i in at] for chunk in file.chunks() for row in chunk.rows]
        check_rejects(file)
    if not all(row.isdecimal() for row, *_ in cells):
        raise TriageError(f"{path}: its column 'row' holds what is no number; mend it")
    return [
        HeldRow(int(row), id_, reason, written.strip().lower() == _YES)
        for row, id_, reason, written in cells
    ]
