"""Mining simulated on the invented sample messages."""

from pathlib import Path

import pytest

from triage import data
from triage.errors import TriageError
from triage.evaluation.corpus import read_corpus
from triage.evaluation.mining import main, simulate
from triage.reports.document import Part, Table

pytestmark = pytest.mark.slow

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
FIRST = 200


@pytest.fixture(scope="module")
def part(few_trees: pytest.MonkeyPatch) -> Part:  # noqa: ARG001
    return simulate(read_corpus(str(SAMPLE)), FIRST)


def tables(part: Part) -> list[Table]:
    return [one for one in part.blocks if isinstance(one, Table)]


def test_answers_leave_fewer_identifiers_standing(part: Part) -> None:
    for table in tables(part):
        standing = [row[3] for row in table.rows]
        assert standing == sorted(standing, reverse=True)  # type: ignore[type-var]


def test_a_catalogue_leaves_more_to_find_than_anonymising(part: Part) -> None:
    after, alone = (table.rows[0][3] for table in tables(part))
    assert isinstance(after, int | float)
    assert isinstance(alone, int | float)
    assert after < alone


def test_without_marks_nothing_is_simulated(tmp_path: Path) -> None:
    path = tmp_path / "labelled.csv"
    path.write_text("text,label\nCoucou,NTA\nZoé,TA\n", encoding="utf-8")
    with pytest.raises(TriageError, match="a column spans"):
        simulate(read_corpus(str(path)), 1)


def test_the_report_is_written(few_trees: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: ARG001
    main([str(SAMPLE), "-o", str(tmp_path / "mining"), "--train-first", str(FIRST)])
    text = (tmp_path / "mining" / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# What mining finds")
