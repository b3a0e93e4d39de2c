"""Publication: the formats of an anonymised corpus, and what stands against letting it leave."""

from collections import Counter
from collections.abc import Collection, Sequence
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from .anonymise.check import Certainty, Checked, Left
from .anonymise.held import Reason
from .anonymise.restore import replaced_spans
from .anonymise.run import Anonymised
from .decide.source import Source
from .queue.corpus import copy_table, replaced_rows
from .queue.exchange import FORMATS, Destination, ExchangeFormat
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
    def shows_identifiers(self) -> bool:
        """Return whether it tells where something was replaced."""
        return self.exchange is not None

    @property
    def is_there(self) -> bool:
        """Return whether it can be written on this machine."""
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
        *(".csv", ".xml", ".json", ".html", ".xlsx", ".parquet", ".jsonl", ".conll", ".spacy"),
        *(".ann", ".txt", ".conf", ".md"),
    ),
)


def write_forms(
    corpus: Path, key_table: Path, chosen: Sequence[Published], reading: Reading
) -> None:
    """Write an anonymised corpus in other formats, beside it."""
    source = Source(str(corpus), reading)
    for one in chosen:
        form = FORMS[one]
        to = Destination(corpus.parent / form.name, like=str(corpus))
        with source.open() as file:
            if form.exchange is None:
                copy_table(file, to)
            else:
                spans = replaced_spans(file, str(key_table))
                FORMATS[form.exchange].write(to, replaced_rows(file, spans))


class Obstacles(NamedTuple):
    """What stands against publishing: messages undecided, and certain findings nobody answered."""

    undecided: Counter[Reason]
    certain: Counter[str]

    def facts(self) -> dict[str, int]:
        """Return how many there are of each."""
        return {reason.value: n for reason, n in self.undecided.items()} | self.certain


def obstacles(
    treated: Anonymised, checked: Checked, *, hold: bool, cleared: Collection[Left] = ()
) -> Obstacles:
    """Return what stands against publishing; with `hold` undecided messages may be left out."""
    undecided = Counter(treated.released)
    if not hold:
        undecided.update(treated.held_back)
    left = (
        one.reason
        for one in checked.left
        if one.certainty in (Certainty.CERTAIN, Certainty.ADDED) and one not in cleared
    )
    return Obstacles(undecided, Counter(left))
