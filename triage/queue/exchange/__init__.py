"""The exchange of a queue with other tools: doccano, Label Studio, spreadsheets.

`export` writes items to a file, and `read` reads what came back. Neither knows of queues.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.data.errors import reading

from ...errors import TriageError
from .doccano import read_doccano, write_doccano
from .label_studio import label_studio_config, read_label_studio, write_label_studio
from .records import ExchangeFormat, Exported, Imported, RowErrors
from .sheets import fitted, plain_breaks, read_sheet, write_sheet

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

_BY_EXTENSION = {
    ".csv": ExchangeFormat.CSV,
    ".tsv": ExchangeFormat.CSV,
    ".xlsx": ExchangeFormat.XLSX,
    ".ods": ExchangeFormat.XLSX,
    ".jsonl": ExchangeFormat.DOCCANO,
    ".ndjson": ExchangeFormat.DOCCANO,
    ".json": ExchangeFormat.LABEL_STUDIO,
}
_SHEETS = (ExchangeFormat.CSV, ExchangeFormat.XLSX)
_HEAD = 1024


def format_of(path: str | Path) -> ExchangeFormat:
    """Return the format that a file's extension stands for; TriageError if it is unknown.

    Examples
    --------
    >>> format_of("tasks.json")
    <ExchangeFormat.LABEL_STUDIO: 'label-studio'>
    """
    extension = Path(path).suffix.lower()
    if extension == ".zip":
        raise TriageError(f"{path}: unpack it, and import the file of each annotator")
    if extension not in _BY_EXTENSION:
        raise TriageError(
            f"{path}: the name does not tell the format; "
            f"say --format {', '.join(ExchangeFormat)}, or end it in {', '.join(_BY_EXTENSION)}"
        )
    return _BY_EXTENSION[extension]


def export(
    path: str | Path,
    items: Iterable[Exported],
    format_: ExchangeFormat | None = None,
    *,
    overwrite: bool = False,
) -> int:
    """Write items to a file that only its owner may read; return how many.

    Parameters
    ----------
    format_ : ExchangeFormat, optional
        By default that of the extension.
    overwrite : bool, default False
        Whether to replace an existing file, which may be partly annotated.

    Raises
    ------
    DataError
        If the path cannot be written, or the format cannot hold a text. An existing file stays.
    TriageError
        If the extension is unknown or of another format.
    """
    path = Path(path)
    format_ = format_ or format_of(path)
    if format_ in _SHEETS:
        if _BY_EXTENSION.get(path.suffix.lower()) is not format_:
            raise TriageError(f"{path}: its name must end in .{format_} to be of that format")
        return write_sheet(path, items, overwrite=overwrite)
    if format_ is ExchangeFormat.DOCCANO:
        return write_doccano(path, items, overwrite=overwrite)
    return write_label_studio(path, items, overwrite=overwrite)


def read(
    path: str | Path, format_: ExchangeFormat | None = None, *, approved: bool = False
) -> list[Imported]:
    """Read a file that came back from another tool.

    Parameters
    ----------
    format_ : ExchangeFormat, optional
        By default detected from extension and content.
    approved : bool, default False
        Whether a doccano file holds only approved documents, so that each counts as answered.

    Returns
    -------
    list of Imported
        Unanswered rows included; duplicate rows are dropped.

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If it is of another format, a row is invalid, or an annotator gives two different answers
        to one item.
    """
    path = Path(path)
    errors = RowErrors(str(path))
    found = list(_rows(path, format_ or _detected(path), errors, approved))
    errors.check()
    return _distinct(found, str(path))


def _rows(
    path: Path, format_: ExchangeFormat, errors: RowErrors, approved: bool
) -> Iterator[Imported]:
    if format_ in _SHEETS:
        return read_sheet(path, errors)
    if format_ is ExchangeFormat.DOCCANO:
        return read_doccano(path, errors, approved=approved)
    return read_label_studio(path, errors)


def _detected(path: Path) -> ExchangeFormat:
    """Return the format of a file; files of doccano are often named ``.json``."""
    by_name = format_of(path)
    if by_name is ExchangeFormat.LABEL_STUDIO:
        with reading(str(path)), path.open("rb") as file:
            start = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        if start.startswith(b"{"):
            return ExchangeFormat.DOCCANO
    return by_name


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
