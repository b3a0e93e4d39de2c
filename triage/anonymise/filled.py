"""Tables that people fill in: written for their owner alone, and read back row by row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from triage.data import OutputFile, as_text, create_output
from triage.data.errors import whole_characters

from ..errors import TriageError
from .columns import open_table

T = TypeVar("T")


def private_table(
    path: str | Path,
    columns: Sequence[str],
    rows: Iterable[Iterable[object]],
    *,
    overwrite: bool = False,
) -> OutputFile:
    """Return a table of rows, ready to be committed."""
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    output = create_output(
        path, columns, bom=True, private=True, guard_formulas=True, overwrite=overwrite
    )
    output.write(
        [whole_characters(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return output


def read_rows(
    path: str | Path, columns: Sequence[str], parse: Callable[[Mapping[str, str]], T]
) -> list[T]:
    """Return what is parsed of each row; a ValueError says what is wrong with a row."""
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
        for reject in file.rejects:
            raise TriageError(f"{path}, line {reject.line}: {reject.reason}")
    return found
