"""The formats in which a corpus is published beside its table, each by ``triage convert``."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec

from .project import Project
from .steps import Work


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


@dataclass(frozen=True)
class Form:
    """How a format is written."""

    name: str
    to: str = "table"
    needs: str = ""
    extra: str = ""

    @property
    def shows_identifiers(self) -> bool:
        """Return whether it tells where something was replaced."""
        return self.to != "table"

    @property
    def is_there(self) -> bool:
        """Return whether it can be written on this machine."""
        return not self.needs or find_spec(self.needs) is not None


FORMS = {
    Published.XLSX: Form("corpus.xlsx"),
    Published.PARQUET: Form("corpus.parquet", needs="pyarrow", extra="parquet"),
    Published.JSONL: Form("corpus.jsonl"),
    Published.TEI: Form("corpus.xml"),
    Published.IOB2: Form("corpus.conll", "iob2"),
    Published.BRAT: Form("brat", "brat"),
    Published.SPACY: Form("corpus.spacy", "spacy", "spacy", "spacy"),
    Published.DATASETS: Form("datasets", "datasets", "pyarrow", "parquet"),
}


def conversions(project: Project, chosen: Sequence[Published]) -> Work | None:
    """Return what writes formats into the folder of publication; None of no format."""
    commands = [_command(project, FORMS[one]) for one in chosen]
    if not commands:
        return None
    inputs = (project.anonymised, project.key_table)
    return Work(commands[0], project.published, inputs, more=tuple(commands[1:]))


def _command(project: Project, form: Form) -> tuple[str, ...]:
    of = project.relative
    keys = ("--key-table", of(project.key_table)) if form.shows_identifiers else ()
    return (
        *("convert", of(project.anonymised), "-o", of(project.published / form.name)),
        *("--to", form.to, *keys, "--overwrite", *project.output_columns),
    )
