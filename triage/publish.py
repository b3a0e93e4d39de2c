"""Publication: the formats of an anonymised corpus, and what stands against letting it leave."""

import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from triage.data import as_text
from triage.data.errors import require

from .anonymise.check import OPEN, Certainty, Checked, Left
from .anonymise.held import Reason, input_rows, read_held
from .anonymise.restore import read_key_table, replaced_spans
from .anonymise.run import Anonymised
from .decide.source import Source
from .errors import TriageError, UserError
from .queue import Queue, Task
from .queue import Reason as Finding
from .queue.apply import copy_table, replaced_rows
from .queue.exchange import (
    BRAT_FOLDER,
    DATASETS_FOLDER,
    FORMATS,
    Destination,
    ExchangeFormat,
    read,
)
from .safe import FolderKind
from .settings import Reading

CORPUS, DOCUMENT = "corpus.csv", "corpus.xml"


class Form(NamedTuple):
    """A format in which a corpus is published beside its table: file, and package it needs."""

    name: str
    exchange: ExchangeFormat | None = None
    needs: str = ""
    extra: str = ""

    @property
    def is_there(self) -> bool:
        return not self.needs or find_spec(self.needs) is not None


class Published(StrEnum):
    """A format that a person may choose; the table itself and its record are always there."""

    XLSX = "xlsx"
    PARQUET = "parquet"
    JSONL = "jsonl"
    TEI = "tei"
    IOB2 = "iob2"
    BRAT = "brat"
    SPACY = "spacy"
    DATASETS = "datasets"


FORMS = {
    Published.XLSX: Form("corpus.xlsx"),
    Published.PARQUET: Form("corpus.parquet", needs="pyarrow", extra="parquet"),
    Published.JSONL: Form("corpus.jsonl"),
    Published.TEI: Form("corpus.tei.xml"),
    Published.IOB2: Form("corpus.conll", ExchangeFormat.IOB2),
    Published.BRAT: Form("brat", ExchangeFormat.BRAT),
    Published.SPACY: Form("corpus.spacy", ExchangeFormat.SPACY, "spacy", "spacy"),
    Published.DATASETS: Form("datasets", ExchangeFormat.DATASETS, "pyarrow", "parquet"),
}
# Every publication has a record, and a folder with other files than these is none.
KIND = FolderKind(
    "corpus.record.json",
    (
        *(CORPUS, DOCUMENT, "corpus.record.json", "corpus.record.html"),
        *(form.name for form in FORMS.values()),
        *BRAT_FOLDER.endings,
        *DATASETS_FOLDER.endings,
    ),
)


def write_forms(
    corpus: Path, key_table: Path, chosen: Sequence[Published], reading: Reading
) -> None:
    """Write an anonymised corpus in other formats, beside it."""
    source = Source(str(corpus), reading)
    for form in map(FORMS.__getitem__, chosen):
        to = Destination(corpus.parent / form.name, like=str(corpus))
        with source.open() as file:
            try:
                if form.exchange is None:
                    copy_table(file, to)
                else:
                    spans = replaced_spans(file, str(key_table))
                    FORMATS[form.exchange].write(to, replaced_rows(file, spans))
            except UserError as error:
                line = f"{form.name} cannot be written: {error}"
                about = {"form": form.name, "cause": error, "cause_key": error.key}
                raise TriageError(line, "format_failed", **about, **error.values) from error


_READ = frozenset({ExchangeFormat.IOB2, ExchangeFormat.BRAT, ExchangeFormat.SPACY})
_OTHER_TEXT = "a message that is in no table of the publication"


def main_table(folder: Path) -> str:
    """Return the path of the table, or document, that a publication has its record of."""
    found = [folder / name for name in (CORPUS, DOCUMENT) if (folder / name).exists()]
    if not found or not (folder / KIND.mark).exists():
        line = f"{folder} is no publication: name a file, or the folder of triage publish"
        raise TriageError(line, "no_publication", file=folder)
    return str(found[0])


def check_publication(
    folder: Path, reading: Reading, check: Callable[[Source], Checked]
) -> dict[str, Checked]:
    """Check each table and document of a publication, and the messages of other formats.

    These must be messages of the tables.
    """
    checked: dict[str, Checked] = {}
    texts: set[str] = set()
    forms = [*FORMS.values()]
    tables = [folder / name for name in (CORPUS, DOCUMENT)]
    tables += [folder / one.name for one in forms if one.exchange is None]
    tables += sorted(folder.joinpath(FORMS[Published.DATASETS].name).rglob("*.parquet"))
    for path in filter(Path.exists, tables):
        source = Source(str(path), reading)
        checked[str(path)] = check(source)
        with source.open() as file:
            texts.update(text for chunk in file.chunks() for text in chunk.texts)
    others = [(folder / one.name, one.exchange) for one in forms if one.exchange in _READ]
    for path, format_ in others:
        if path.exists():
            there = _texts(path, format_)
            unknown = [number for number, text in enumerate(there, 1) if text not in texts]
            left = [Left(Certainty.ADDED, _OTHER_TEXT, None, number) for number in unknown]
            checked[str(path)] = Checked(len(there), None, left, is_compared=True)
    return checked


def _texts(path: Path, format_: ExchangeFormat | None) -> list[str]:
    if format_ is not ExchangeFormat.SPACY:
        return [row.text for row in read(path, format_)]
    kit, vocab = require("spacy.tokens", "spacy"), require("spacy.vocab", "spacy").Vocab()
    try:
        return [one.text for one in kit.DocBin().from_disk(path).get_docs(vocab)]
    except (ValueError, TypeError, KeyError, zlib.error, struct.error) as error:
        raise TriageError(f"{path} is no file of spaCy") from error


class Obstacles(NamedTuple):
    """Obstacles to publishing: messages undecided, and certain findings nobody answered."""

    undecided: Counter[Reason]
    certain: Counter[str]

    def facts(self) -> dict[str, int]:
        return {reason.value: n for reason, n in self.undecided.items()} | self.certain


def obstacles(
    treated: Anonymised, certain: Iterable[Left], *, hold: bool, answered: Collection[Left] = ()
) -> Obstacles:
    """Return what stands against publishing; with `hold` undecided messages may be left out."""
    undecided = Counter(treated.released)
    if not hold:
        undecided.update(treated.held_back)
    return Obstacles(undecided, Counter(one.reason for one in certain if one not in answered))


def certain_findings(checked: Checked) -> list[Left]:
    return [one for one in checked.left if one.certainty in OPEN - {Certainty.UNDECIDED}]


def tasks_of(found: Sequence[Left], corpus: Source, key_table: str) -> dict[Left, Task]:
    """Return the messages of a queue in which findings stand, with their places there."""
    if not found:
        return {}
    with corpus.open() as file:
        text_column = file.columns[file.text_position]
    replaced: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row in read_key_table(key_table):
        at, start, end = (int(as_text(row[name])) for name in ("row", "start", "end"))
        replaced[at].append((start, end, len(as_text(row["replacement"]))))
    rows = input_rows(read_held(corpus.path), max(one.row for one in found))
    tasks = {}
    for one in found:
        if one.column == text_column and one.row:
            number = rows[one.row - 1]
            place = _before(one, sorted(replaced[number]))
            tasks[one] = Task(Finding.FINDING, "", number, *place)
    return tasks


def _before(one: Left, replaced: Iterable[tuple[int, int, int]]) -> tuple[int, int]:
    """Return where a finding stood before anything was replaced; 0 and 0 where that is unknown."""
    longer = 0
    for start, end, length in replaced:
        if one.start + len(one.text) <= start + longer:
            break
        if one.start < start + longer + length:
            return 0, 0
        longer += length - (end - start)
    return one.start - longer, one.start - longer + len(one.text)


def unanswered(queue: Queue, tasks: Sequence[Task]) -> list[Task]:
    """Hand findings over to a queue; return those that nobody has answered there."""
    queue.add_items(tasks)
    return queue.unanswered(tasks)
