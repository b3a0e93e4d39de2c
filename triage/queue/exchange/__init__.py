"""The exchange with other tools: doccano, Label Studio, brat, spreadsheets, NLP libraries.

All formats write and read one row: id, text, spans, answer. None knows of queues.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from ...errors import TriageError, reading
from ...safe import FolderKind, check_is_no_input, check_is_ordinary, check_target, check_targets
from . import nlp, sheets, tools
from .rows import Destination, Row, RowErrors

__all__ = [
    "FORMATS",
    "SHEETS",
    "Destination",
    "ExchangeFormat",
    "Row",
    "annotated_format",
    "checked_format",
    "export",
    "label_studio_config",
    "read",
    "read_rows",
]

_HEAD = 1024


class ExchangeFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"
    DOCCANO = "doccano"
    LABEL_STUDIO = "label-studio"
    BRAT = "brat"
    IOB2 = "iob2"
    SPACY = "spacy"
    DATASETS = "datasets"


class Support(NamedTuple):
    """The extensions and functions of a format; without `read`, it is only written."""

    extensions: tuple[str, ...]
    write: Callable[[Destination, Iterable[Row]], int]
    read: Callable[[Path, RowErrors, bool], Iterator[Row]] | None = None
    folder: FolderKind | None = None


FORMATS: Mapping[ExchangeFormat, Support] = {
    ExchangeFormat.CSV: Support((".csv", ".tsv"), sheets.write_sheet, sheets.read_sheet),
    ExchangeFormat.XLSX: Support((".xlsx", ".ods"), sheets.write_sheet, sheets.read_sheet),
    ExchangeFormat.DOCCANO: Support((".jsonl", ".ndjson"), tools.write_doccano, tools.read_doccano),
    ExchangeFormat.LABEL_STUDIO: Support(
        (".json",), tools.write_label_studio, tools.read_label_studio
    ),
    ExchangeFormat.IOB2: Support((".conll", ".conllup", ".iob2"), nlp.write_iob2, nlp.read_iob2),
    ExchangeFormat.BRAT: Support((), tools.write_brat, tools.read_brat, tools.BRAT_FOLDER),
    ExchangeFormat.SPACY: Support((".spacy",), nlp.write_docbin),
    ExchangeFormat.DATASETS: Support((), nlp.write_datasets, None, nlp.DATASETS_FOLDER),
}
SHEETS = (ExchangeFormat.CSV, ExchangeFormat.XLSX)


def export(to: Destination, rows: Iterable[Row], format_: ExchangeFormat | None = None) -> int:
    """Write rows to a file or a folder; return how many."""
    return FORMATS[checked_format(to, format_, ())].write(to, rows)


def read(path: Path, format_: ExchangeFormat | None = None, *, approved: bool = False) -> list[Row]:
    """Read what came back from another tool; TriageError if one answers a message twice."""
    kept: list[Row] = []
    first: dict[tuple[str, str], Row] = {}
    for row in read_rows(path, format_, approved=approved):
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
) -> list[Row]:
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
    if tools.is_brat(path):
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


def label_studio_config() -> str:
    """Return the configuration of a project, for its settings: "Labeling Interface", "Code"."""
    return (files(__package__) / "label_studio.xml").read_text(encoding="utf-8")
