"""Rules and a random field, chained and united, on the invented sample messages."""

from pathlib import Path

import pytest

from triage import data
from triage.dictionaries import Lexicon
from triage.evaluation.corpus import read_corpus
from triage.evaluation.report import Options, PartName, evaluate
from triage.reports.document import Table

pytestmark = pytest.mark.slow

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
RULES, FIELD, CHAINED, UNITED, EVIDENCE = range(5)


@pytest.fixture(scope="module")
def rows(french: Lexicon, few_trees: pytest.MonkeyPatch) -> list[dict[str, float]]:
    """The measures of each way, learnt with few trees."""
    assert few_trees
    [part] = evaluate(
        read_corpus(str(SAMPLE)), Options(first=170), PartName.CHAINING, lexicon=french
    )
    [table] = [block for block in part.blocks if isinstance(block, Table)]
    measures = [*table.columns][1:]
    return [
        dict(zip(measures, [float(str(cell)) for cell in row[1:]], strict=True))
        for row in table.rows
    ]


def test_the_union_finds_all_that_rules_or_field_find(rows: list[dict[str, float]]) -> None:
    for alone in (RULES, FIELD):
        assert rows[UNITED]["recall"] >= rows[alone]["recall"]
        without = "TA messages without any"
        assert rows[UNITED][without] <= rows[alone][without]


def test_what_the_rules_found_helps_the_field(rows: list[dict[str, float]]) -> None:
    assert rows[CHAINED] != rows[FIELD]


def test_all_ways_are_measured_alike(rows: list[dict[str, float]]) -> None:
    assert len(rows) == EVIDENCE + 1
    for row in rows:
        assert all(0 <= value <= 1 for value in row.values())
