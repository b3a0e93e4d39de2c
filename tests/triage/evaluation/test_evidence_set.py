"""The part of an evaluation about the evidence of words, on the invented sample messages."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from triage import data
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.evaluation.corpus import read_corpus
from triage.evaluation.evidence_set import LEAKS, _expert_shares, _lower_cased
from triage.evaluation.in_use import Kept
from triage.evaluation.report import Options, PartName, evaluate
from triage.reports.document import Part, Table

pytestmark = pytest.mark.slow

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
Run = Callable[..., CompletedProcess[str]]
OPTIONS = Options(first=170)


@pytest.fixture(scope="module")
def part(french: Lexicon, few_trees: pytest.MonkeyPatch) -> Part:
    """The part, with one family left out: each takes some seconds."""
    families = {"nothing": (), "words: neighbours": ("neighbours",)}
    few_trees.setattr("triage.evaluation.evidence_set._families", lambda: families)
    [found] = evaluate(read_corpus(str(SAMPLE)), OPTIONS, PartName.EVIDENCE, lexicon=french)
    return found


def table(part: Part, title: str) -> Table:
    [found] = [b for b in part.blocks if isinstance(b, Table) and b.title.startswith(title)]
    return found


def test_the_default_ranks_better_than_the_twelve_features(part: Part) -> None:
    auc = {row[0]: row[1] for row in table(part, "What the model").rows}
    default = auc["evidence, with corpus evidence (the default)"]
    assert isinstance(default, float)
    assert default > 0.8
    assert "patel2013" in auc


def test_a_leak_smaller_than_one_message_is_not_measured() -> None:
    score, is_ta = np.linspace(0, 1, 60), np.arange(60) >= 30
    at = dict(zip(LEAKS, _expert_shares(score, is_ta), strict=True))
    assert {leak: bool(np.isnan(value)) for leak, value in at.items()} == {
        0.05: False,
        0.02: True,
        0.01: True,
    }


WRITTEN = (
    "as they are written",
    "the identifiers of every other one without capitals",
    "all identifiers without capitals",
)


@pytest.mark.parametrize("how", WRITTEN)
def test_each_bound_has_its_promise_and_what_became_of_it(part: Part, how: str) -> None:
    rows = table(part, f"The guarded policy on the later messages, {how}").rows
    assert [row[0] for row in rows] == ["0.05", "0.02", "0.01", "0.005"]
    for _, promised, leak, kept, workload, *_ in rows:
        assert kept in [*Kept]
        assert isinstance(promised, float)
        assert isinstance(leak, float)
        assert isinstance(workload, float)
        assert 0 < promised < 1
        assert 0 <= leak <= 1
        assert 0 <= workload <= 1


def test_the_fewer_capitals_names_have_the_less_is_released(part: Part) -> None:
    tables = [table(part, f"The guarded policy on the later messages, {how}") for how in WRITTEN]
    as_written, _, none = ([float(str(row[-2])) for row in one.rows] for one in tables)
    assert all(low <= usual for low, usual in zip(none, as_written, strict=True))


def test_the_identifiers_of_each_label_add_up(part: Part) -> None:
    *labels, (_, every, _) = table(part, "Identifiers found").rows
    assert sum(int(str(row[1])) for row in labels) == every


def test_each_family_is_left_out_in_turn(part: Part) -> None:
    rows = table(part, "Without one family").rows
    assert [row[0] for row in rows] == ["nothing", "words: neighbours"]


def test_identifiers_of_later_messages_are_lower_cased_and_nothing_else() -> None:
    corpus = read_corpus(str(SAMPLE))
    assert corpus.spans is not None
    first = next(i for i, found in enumerate(corpus.spans) if found)
    start, end, _ = corpus.spans[first][0]
    before = corpus.messages[first]
    lower_cased = _lower_cased(corpus, slice(first, first + 1))
    assert lower_cased[first] == before[:start] + before[start:end].lower() + before[end:]
    assert lower_cased[:first] + lower_cased[first + 1 :] == (
        corpus.messages[:first] + corpus.messages[first + 1 :]
    )


def test_without_marked_identifiers_there_is_nothing_to_measure(french: Lexicon) -> None:
    corpus = replace(read_corpus(str(SAMPLE)), spans=None)
    with pytest.raises(TriageError, match="the file needs a column spans"):
        evaluate(corpus, OPTIONS, PartName.EVIDENCE, lexicon=french)


def test_the_papers_tables_are_not_of_evidence(run: Run) -> None:
    done = run("evaluate", SAMPLE, "--features", "evidence", "--only", "infogain")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "choose --features patel2013" in done.stderr
