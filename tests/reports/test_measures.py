"""Cohen's kappa is the published one, with its standard error; the area is scikit-learn's."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from triage.reports.measures import auc, cohen_kappa

LABELS = st.sampled_from(["TA", "NTA", "EXPERT"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
# scikit-learn takes 10 ms an example.
few = settings(max_examples=30)
# Few distinct scores, so that many are tied.
SCORED = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40)


def annotators(counts: list[list[int]]) -> tuple[list[str], list[str]]:
    """The labels of two annotators from how often each pair of labels occurs."""
    cells = [(i, j, n) for i, row in enumerate(counts) for j, n in enumerate(row)]
    pairs = [(str(i), str(j)) for i, j, n in cells for _ in range(n)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def test_fleiss_cohen_and_everitts_example() -> None:
    # Psychological Bulletin 72, 1969: 200 subjects, kappa .429, variance .002885.
    agreement = cohen_kappa(*annotators([[106, 10, 4], [22, 28, 10], [2, 12, 6]]))
    assert agreement.observed == pytest.approx(0.70)
    assert agreement.expected == pytest.approx(0.475)
    assert agreement.kappa.estimate == pytest.approx(0.429, abs=5e-4)
    assert agreement.standard_error**2 == pytest.approx(0.002885, abs=5e-7)


def test_cohens_example() -> None:
    # "Weighted kappa", Psychological Bulletin 70, 1968: 200 cases, unweighted kappa .492.
    agreement = cohen_kappa(*annotators([[88, 14, 18], [10, 40, 10], [2, 6, 12]]))
    assert (agreement.observed, agreement.expected) == pytest.approx((0.70, 0.41))
    assert agreement.kappa.estimate == pytest.approx(0.492, abs=5e-4)


def test_the_standard_error_is_that_of_the_delta_method() -> None:
    counts = np.array([[40, 9, 3], [5, 20, 2], [1, 6, 14]])
    shares, step = counts / counts.sum(), 1e-6

    def kappa_of(shares: NDArray[np.float64]) -> float:
        expected = shares.sum(axis=0) @ shares.sum(axis=1) / shares.sum() ** 2
        return float((np.trace(shares) / shares.sum() - expected) / (1 - expected))

    nudges = step * np.eye(9).reshape(9, 3, 3)
    slopes = np.array([kappa_of(shares + n) - kappa_of(shares - n) for n in nudges]) / (2 * step)
    variance = shares.ravel() @ slopes**2 / counts.sum()
    found = cohen_kappa(*annotators(counts.tolist())).standard_error
    assert found == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_the_interval_reaches_1_96_standard_errors_to_either_side() -> None:
    agreement = cohen_kappa(*annotators([[40, 10], [10, 40]]))
    reach = 1.959964 * agreement.standard_error
    assert agreement.kappa.low == pytest.approx(0.6 - reach)
    assert agreement.kappa.high == pytest.approx(0.6 + reach)
    assert agreement.kappa.level == 0.95


def test_the_interval_of_few_messages_ends_at_1() -> None:
    assert cohen_kappa(*annotators([[3, 0], [1, 3]])).kappa.high == 1


def test_full_agreement_is_1_without_error() -> None:
    agreement = cohen_kappa(["TA", "NTA", "NTA"], ["TA", "NTA", "NTA"])
    assert agreement.observed == agreement.kappa.estimate == 1
    assert agreement.standard_error == pytest.approx(0, abs=1e-8)


def test_annotators_with_one_label_each_agree_as_chance_does() -> None:
    assert cohen_kappa(["TA"] * 5, ["NTA"] * 5).kappa.estimate == 0


@few
@given(PAIRS)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    found = cohen_kappa(first, second)
    assert found.kappa.estimate == pytest.approx(cohen_kappa_score(first, second))


@given(PAIRS)
def test_it_does_not_matter_who_comes_first(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    one, other = cohen_kappa(first, second), cohen_kappa(second, first)
    assert one.kappa.estimate == pytest.approx(other.kappa.estimate)
    # Of full agreement, the root of a rounding error is left.
    assert one.standard_error == pytest.approx(other.standard_error, abs=1e-7)


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (["NTA", "NTA"], ["NTA", "NTA"], "kappa is undefined"),
        ([], [], "kappa is undefined"),
        (["TA", "NTA"], ["TA"], "labelled 2 and 1 messages"),
    ],
)
def test_undefined_kappa_is_refused(first: list[str], second: list[str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        cohen_kappa(first, second)


@few
@given(SCORED)
def test_the_area_is_that_of_scikit_learn(scored: list[tuple[int, bool]]) -> None:
    score, positive = zip(*scored, strict=True)
    assume(len(set(positive)) == 2)
    assert auc(score, positive) == pytest.approx(roc_auc_score(positive, score))


@given(SCORED)
def test_the_area_of_the_opposite_score_is_what_is_left(scored: list[tuple[int, bool]]) -> None:
    score, positive = zip(*scored, strict=True)
    assume(len(set(positive)) == 2)
    assert auc(score, positive) + auc([-s for s in score], positive) == pytest.approx(1)


def test_a_tie_counts_half() -> None:
    assert auc([1, 1], [True, False]) == 0.5


@pytest.mark.parametrize(
    ("score", "positive", "problem"),
    [
        ([0.5, 0.6], [True, True], "both positive and negative"),
        ([], [], "both positive and negative"),
        ([0.5, math.nan], [True, False], "every score must be a number, 1 are not"),
        ([0.5], [True, False], "1 scores, 2 messages"),
    ],
)
def test_an_area_that_does_not_exist_is_refused(
    score: list[float], positive: list[bool], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        auc(score, positive)
