"""The exchange with other tools: doccano, Label Studio, brat, spreadsheets, NLP libraries.

`export` writes items of a queue or messages of a file, and `read` reads what came back. Neither
knows of queues.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import TriageError, reading
from ...safe import FolderKind, check_is_no_input, check_is_ordinary, check_target, check_targets
from .brat import BRAT_FOLDER, is_brat, read_brat, write_brat
from .nlp import DATASETS_FOLDER, read_iob2, write_datasets, write_docbin, write_iob2
from .records import Destination, ExchangeFormat, Exported, Imported, RowErrors
from .sheets import read_sheet, write_sheet
from .tools import (
    label_studio_config,
    read_doccano,
    read_label_studio,
    write_doccano,
    write_label_studio,
)

__all__ = [
    "FORMATS",
    "SHEETS",
    "Destination",
    "ExchangeFormat",
    "Exported",
    "Imported",
    "annotated_format",
    "checked_format",
    "export",
    "label_studio_config",
    "read",
    "read_rows",
]

_HEAD = 1024


class FormatSupport(NamedTuple):
    """The extensions and functions of a format; without `read`, it is only written."""

    extensions: tuple[str, ...]
    write: Callable[[Destination, Iterable[Exported]], int]
    read: Callable[[Path, RowErrors, bool], Iterator[Imported]] | None
    folder: FolderKind | None = None


FORMATS: Mapping[ExchangeFormat, FormatSupport] = {
    ExchangeFormat.CSV: FormatSupport((".csv", ".tsv"), write_sheet, read_sheet),
    ExchangeFormat.XLSX: FormatSupport((".xlsx", ".ods"), write_sheet, read_sheet),
    ExchangeFormat.DOCCANO: FormatSupport((".jsonl", ".ndjson"), write_doccano, read_doccano),
    ExchangeFormat.LABEL_STUDIO: FormatSupport((".json",), write_label_studio, read_label_studio),
    ExchangeFormat.IOB2: FormatSupport((".conll", ".conllup", ".iob2"), write_iob2, read_iob2),
    ExchangeFormat.BRAT: FormatSupport((), write_brat, read_brat, BRAT_FOLDER),
    ExchangeFormat.SPACY: FormatSupport((".spacy",), write_docbin, None),
    ExchangeFormat.DATASETS: FormatSupport((), write_datasets, None, DATASETS_FOLDER),
}
SHEETS = (ExchangeFormat.CSV, ExchangeFormat.XLSX)


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
    """Read what came back from another tool; TriageError if one answers a message twice."""
    kept: list[Imported] = []
    first: dict[tuple[str, str], Imported] = {}
    for row in read_rows(Path(path), format_, approved=approved):
        key = row.digest or row.text, row.annotator
        before = row if row.answer is None else first.setdefault(key, row)
        if before is row:
            kept.append(row)
        elif (before.answer, before.spans) != (row.answer, row.spans):
            raise TriageError(
                f"{path}: {before.where} and {row.where} answer the same message differently; "
                "remove one of them"
            )
    return kept


def read_rows(
    path: Path, format_: ExchangeFormat | None = None, *, approved: bool = False
) -> list[Imported]:
    """Read a file or a folder as `read` does, each row by itself."""
    format_ = format_ or _detected(path)
    read_ = FORMATS[format_].read
    if read_ is None:
        raise TriageError(f"{path}: {format_} is written only; export as another format")
    errors = RowErrors(str(path))
    found = list(read_(path, errors, approved))
    errors.check()
    return found


def _detected(path: Path) -> ExchangeFormat:
    """Return the format of a file or folder; files of doccano are often named ``.json``."""
    by_name = annotated_format(path) or _format_of(path, "--format")
    if by_name is ExchangeFormat.LABEL_STUDIO:
        check_is_ordinary(path)
        with reading(str(path)), path.open("rb") as file:
            start = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        if start.startswith(b"{"):
            return ExchangeFormat.DOCCANO
    return by_name


def annotated_format(path: Path) -> ExchangeFormat | None:
    """Return the format of annotated messages that are no table; None of any other file."""
    if is_brat(path):
        return ExchangeFormat.BRAT
    is_iob2 = path.suffix.lower() in FORMATS[ExchangeFormat.IOB2].extensions
    return ExchangeFormat.IOB2 if is_iob2 else None


def _format_of(path: Path, option: str) -> ExchangeFormat:
    extension = path.suffix.lower()
    if extension == ".zip":
        raise TriageError(f"{path}: unpack it, and import the file of each annotator")
    for format_, support in FORMATS.items():
        if extension in support.extensions:
            return format_
    known = ", ".join(one for support in FORMATS.values() for one in support.extensions)
    raise TriageError(
        f"{path}: the name does not tell the format; "
        f"say {option} {', '.join(ExchangeFormat)}, or end it in {known}"
    )


def checked_format(
    to: Destination,
    format_: ExchangeFormat | None,
    inputs: Sequence[str | Path],
    *,
    also: Sequence[Path | None] = (),
    option: str = "--format",
) -> ExchangeFormat:
    """Return the format of what is written, after a check that it can be, and replaces nothing."""
    check_is_no_input(to.path, inputs)
    format_ = format_ or _format_of(to.path, option)
    support = FORMATS[format_]
    if format_ in SHEETS and to.path.suffix.lower() not in support.extensions:
        raise TriageError(f"{to.path}: its name must end in .{format_} to be of that format")
    if support.folder:
        check_target(to.path, overwrite=to.overwrite, kind=support.folder)
        check_targets(also, inputs, overwrite=to.overwrite)
    else:
        check_targets([to.path, *also], inputs, overwrite=to.overwrite)
    return format_
