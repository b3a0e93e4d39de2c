"""The exchange with other tools: doccano, Label Studio, brat, spreadsheets, NLP libraries.

`export` writes items of a queue or messages of a file, and `read` reads what came back. Neither
knows of queues.
"""

from collections.abc import Iterable
from pathlib import Path

from ...errors import TriageError
from .formats import FORMATS, checked_format, detected, format_of
from .label_studio import label_studio_config
from .records import Destination, ExchangeFormat, Exported, Imported, RowErrors
from .sheets import fitted, plain_breaks

__all__ = [
    "Destination",
    "ExchangeFormat",
    "Exported",
    "Imported",
    "export",
    "fitted",
    "format_of",
    "label_studio_config",
    "plain_breaks",
    "read",
    "read_rows",
]


def export(
    to: str | Path | Destination,
    items: Iterable[Exported],
    format_: ExchangeFormat | None = None,
    *,
    overwrite: bool = False,
) -> int:
    """Write items to a file or a folder; return how many."""
    if not isinstance(to, Destination):
        to = Destination(Path(to), overwrite=overwrite)
    return FORMATS[checked_format(to, format_, ())].write(to, items)


def read(
    path: str | Path, format_: ExchangeFormat | None = None, *, approved: bool = False
) -> list[Imported]:
    """Read a file or a folder that came back from another tool."""
    found = read_rows(Path(path), format_, approved=approved)
    return _distinct(found, str(path))


def read_rows(
    path: Path, format_: ExchangeFormat | None = None, *, approved: bool = False
) -> list[Imported]:
    """Read a file or a folder as `read` does, each row by itself."""
    format_ = format_ or detected(path)
    read_ = FORMATS[format_].read
    if read_ is None:
        raise TriageError(f"{path}: {format_} is written only; export as another format")
    errors = RowErrors(str(path))
    found = list(read_(path, errors, approved))
    errors.check()
    return found


def _distinct(rows: list[Imported], name: str) -> list[Imported]:
    """Drop duplicate rows; TriageError if an annotator gives two different answers to an item."""
    kept: list[Imported] = []
    first: dict[tuple[str, str], Imported] = {}
    for row in rows:
        key = row.digest or row.text, row.annotator
        before = row if row.answer is None else first.setdefault(key, row)
        if before is row:
            kept.append(row)
        elif (before.answer, before.spans) != (row.answer, row.spans):
            raise TriageError(
                f"{name}: {before.where} and {row.where} answer the same message differently; "
                "remove one of them"
            )
    return kept
