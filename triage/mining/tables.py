"""Tables that people fill in for mining, read row by row."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from triage.data import as_text

from ..anonymise.columns import open_table
from ..errors import TriageError
from ..vocabulary import IdentifierType

T = TypeVar("T")


def read_rows(
    path: str | Path, columns: Sequence[str], parse: Callable[[Mapping[str, str]], T]
) -> list[T]:
    """Read the rows of a table."""
    what = f"the columns {', '.join(columns)} are needed"
    with open_table(path, columns[0], f"{path} has no column {columns[0]!r}: {what}") as file:
        missing = [column for column in columns if column not in file.columns]
        if missing:
            raise TriageError(f"{path} has no column {missing[0]!r}: {what}")
        found = []
        for chunk in file.chunks():
            for line, row in zip(chunk.lines, chunk.rows, strict=True):
                cells = (as_text(cell).strip() for cell in row)
                try:
                    found.append(parse(dict(zip(file.columns, cells, strict=True))))
                except ValueError as error:
                    raise TriageError(f"{path}, line {line}: {error}") from None
        if file.rejects:
            reject = file.rejects[0]
            raise TriageError(f"{path}, line {reject.line}: {reject.reason}")
    return found


def type_of(cell: str) -> IdentifierType:
    """Return the type that a cell names; a first name where it names none."""
    named = cell.upper() or IdentifierType.PRE
    if named not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    return IdentifierType(named)


def number_of(cell: str) -> float | None:
    """Return the number in a cell, None where it is empty."""
    if not cell:
        return None
    try:
        number = float(cell.replace(",", "."))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("one of its counts is no number")
    return number
