"""Files of any exchange format: which one a file is of, writing and reading it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.data.errors import reading

from ...errors import TriageError
from .doccano import read_doccano, write_doccano
from .faults import Faults
from .label_studio import read_label_studio, write_label_studio
from .records import ExchangeFormat, Exported, Imported
from .sheets import read_sheet, write_sheet

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
    """Return the format that a file's name promises.

    Raises
    ------
    TriageError
        If its extension is of none.

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
    r"""Write items to a file that only its owner may read.

    Parameters
    ----------
    path : str or Path
    items : iterable of Exported
    format_ : ExchangeFormat, optional
        By default told by the extension.
    overwrite : bool, default False
        Whether a file that is there is replaced: it may be half annotated.

    Returns
    -------
    int
        How many were written.

    Raises
    ------
    DataError
        If the path cannot be written, or the format cannot hold a text; what was there stays.
    TriageError
        If the extension tells no format, or another one.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "tasks.jsonl"
    >>> export(path, [])
    0
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
    path : str or Path
    format_ : ExchangeFormat, optional
        By default told by extension and content.
    approved : bool, default False
        Whether a file of doccano holds approved documents alone, so that each is answered.

    Returns
    -------
    list of Imported
        Also rows that nobody answered; a row that comes twice, once.

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If it is of another format, a row is wrong, or two rows of an item have different answers
        of the same annotator.
    """
    path = Path(path)
    faults = Faults(str(path))
    found = list(_rows(path, format_ or _format_of_file(path), faults, approved))
    faults.check()
    return _once(found, str(path))


def _rows(
    path: Path, format_: ExchangeFormat, faults: Faults, approved: bool
) -> Iterator[Imported]:
    if format_ in _SHEETS:
        return read_sheet(path, faults)
    if format_ is ExchangeFormat.DOCCANO:
        return read_doccano(path, faults, approved=approved)
    return read_label_studio(path, faults)


def _format_of_file(path: Path) -> ExchangeFormat:
    """Return the format of a file; doccano's is often named as JSON."""
    told = format_of(path)
    if told is ExchangeFormat.LABEL_STUDIO:
        with reading(str(path)), path.open("rb") as file:
            start = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        if start.startswith(b"{"):
            return ExchangeFormat.DOCCANO
    return told


def _once(rows: list[Imported], name: str) -> list[Imported]:
    """Return rows, each once.

    Raises
    ------
    TriageError
        If an annotator says different things of an item.
    """
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
