"""Labelled messages, learning that takes little time, and tables by their titles."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from triage import data
from triage.dictionaries import Lexicon
from triage.evaluation.corpus import AnnotatedCorpus, prepare, read_corpus
from triage.evaluation.report import PARTS
from triage.reports.page import Part, Table

Labelled = Callable[..., Path]
Measure = Callable[..., Part]
Row = dict[str, object]
Rows = Callable[[Part, str], list[Row]]


@pytest.fixture(scope="session")
def sample() -> Path:
    return Path(data.__file__).parent / "sample_fr.csv"


@pytest.fixture(scope="session")
def corpus(sample: Path) -> AnnotatedCorpus:
    return read_corpus(str(sample))


@pytest.fixture(scope="session")
def measure(french: Lexicon, corpus: AnnotatedCorpus) -> Measure:
    """Measure one part of the paper's method, of the sample or of another corpus."""

    def one(name: str, of: AnnotatedCorpus | None = None, first: int = 220, **options: int) -> Part:
        chosen = {"n_folds": 4, **options}
        return PARTS[name](replace(prepare(of or corpus, french, first=first), **chosen))  # type: ignore[arg-type]

    return one


@pytest.fixture
def labelled(own_folder: Path) -> Labelled:  # noqa: ARG001
    """Write messages of a label as a CSV file, with further columns."""

    def write(*rows: tuple[str, str], **columns: list[str]) -> Path:
        path = Path("labelled.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "label", *columns])
            writer.writerows(
                [*row, *rest] for row, *rest in zip(rows, *columns.values(), strict=True)
            )
        return path

    return write


@pytest.fixture(scope="session")
def rows() -> Rows:
    """Return the rows of the table whose title begins so, by column."""

    def of(part: Part, title: str) -> list[Row]:
        tables = (block for block in part.blocks if isinstance(block, Table))
        [table] = [table for table in tables if table.title.startswith(title)]
        return [dict(zip(table.headings, row, strict=True)) for row in table.rows]

    return of
