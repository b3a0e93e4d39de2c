"""Registry of the formats: how each is recognised, written and read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from triage.data.errors import reading

from ...errors import TriageError
from ...safe import FolderKind, check_is_no_input, check_is_ordinary, check_target, check_targets
from .brat import BRAT_FOLDER, is_brat, read_brat, write_brat
from .datasets_folder import DATASETS_FOLDER, write_datasets
from .docbin import write_docbin
from .doccano import read_doccano, write_doccano
from .iob2 import read_iob2, write_iob2
from .label_studio import read_label_studio, write_label_studio
from .records import Destination, ExchangeFormat, Exported, Imported, RowErrors
from .sheets import read_sheet, write_sheet

_HEAD = 1024
Write = Callable[[Destination, Iterable[Exported]], int]
Read = Callable[[Path, RowErrors, bool], Iterator[Imported]]


@dataclass(frozen=True)
class FormatSupport:
    """The extensions and functions of a format; without `read`, it is only written."""

    extensions: tuple[str, ...]
    write: Write
    read: Read | None
    folder: FolderKind | None = None


def _read_sheet(path: Path, errors: RowErrors, _: bool) -> Iterator[Imported]:
    return read_sheet(path, errors)


FORMATS: Mapping[ExchangeFormat, FormatSupport] = {
    ExchangeFormat.CSV: FormatSupport((".csv", ".tsv"), write_sheet, _read_sheet),
    ExchangeFormat.XLSX: FormatSupport((".xlsx", ".ods"), write_sheet, _read_sheet),
    ExchangeFormat.DOCCANO: FormatSupport(
        (".jsonl", ".ndjson"),
        write_doccano,
        lambda path, errors, approved: read_doccano(path, errors, approved=approved),
    ),
    ExchangeFormat.LABEL_STUDIO: FormatSupport(
        (".json",), write_label_studio, lambda path, errors, _: read_label_studio(path, errors)
    ),
    ExchangeFormat.IOB2: FormatSupport(
        (".conll", ".conllup", ".iob2"),
        write_iob2,
        lambda path, errors, approved: read_iob2(path, errors, approved=approved),
    ),
    ExchangeFormat.BRAT: FormatSupport(
        (),
        write_brat,
        lambda path, errors, approved: read_brat(path, errors, approved=approved),
        BRAT_FOLDER,
    ),
    ExchangeFormat.SPACY: FormatSupport((".spacy",), write_docbin, None),
    ExchangeFormat.DATASETS: FormatSupport((), write_datasets, None, DATASETS_FOLDER),
}
SHEETS = (ExchangeFormat.CSV, ExchangeFormat.XLSX)


def format_of(path: str | Path, option: str = "--format") -> ExchangeFormat:
    """Return the format that a file's extension stands for."""
    extension = Path(path).suffix.lower()
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


def annotated_format(path: Path) -> ExchangeFormat | None:
    """Return the format of annotated messages that are no table; None of any other file."""
    if is_brat(path):
        return ExchangeFormat.BRAT
    is_iob2 = path.suffix.lower() in FORMATS[ExchangeFormat.IOB2].extensions
    return ExchangeFormat.IOB2 if is_iob2 else None


def detected(path: Path) -> ExchangeFormat:
    """Return the format of a file or folder; files of doccano are often named ``.json``."""
    by_name = annotated_format(path) or format_of(path)
    if by_name is ExchangeFormat.LABEL_STUDIO:
        check_is_ordinary(path)
        with reading(str(path)), path.open("rb") as file:
            start = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        if start.startswith(b"{"):
            return ExchangeFormat.DOCCANO
    return by_name


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
    format_ = format_ or format_of(to.path, option)
    support = FORMATS[format_]
    if format_ in SHEETS and to.path.suffix.lower() not in support.extensions:
        raise TriageError(f"{to.path}: its name must end in .{format_} to be of that format")
    if support.folder:
        check_target(to.path, overwrite=to.overwrite, kind=support.folder)
        check_targets(also, inputs, overwrite=to.overwrite)
    else:
        check_targets([to.path, *also], inputs, overwrite=to.overwrite)
    return format_
