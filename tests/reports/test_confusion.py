"""The confusion matrix and its measures are those of scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support, roc_auc_score

from triage.reports.confusion import auc, confusion

CLASSES = ["TA", "NTA", "EXPERT"]
LABELS = st.sampled_from(CLASSES)
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
# scikit-learn takes 10 ms an example.
few = settings(max_examples=30)
# Few distinct scores, so that many are tied.
SCORED = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40)


@few
@given(PAIRS)
def test_the_matrix_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    true, predicted = zip(*pairs, strict=True)
    expected = confusion_matrix(true, predicted, labels=CLASSES)
    np.testing.assert_array_equal(confusion(true, predicted, CLASSES).matrix, expected)


@few
@given(PAIRS)
def test_the_measures_of_each_class_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    true, predicted = zip(*pairs, strict=True)
    by_class = confusion(true, predicted, CLASSES).by_class
    found = [(one.precision, one.recall, one.f_measure, one.support) for one in by_class]
    expected = precision_recall_fscore_support(
        true, predicted, labels=CLASSES, zero_division=math.nan
    )
    np.testing.assert_allclose(np.transpose(found), np.array(expected, dtype=float))


def test_accuracy_is_the_share_of_equal_labels() -> None:
    compared = confusion(["TA", "TA", "NTA", "TA"], ["TA", "NTA", "NTA", "TA"], CLASSES)
    assert compared.accuracy == 0.75


def test_rows_are_true_classes_in_the_order_given() -> None:
    compared = confusion(["TA", "TA", "NTA"], ["NTA", "TA", "NTA"], ["NTA", "TA"])
    assert compared.matrix.tolist() == [[1, 0], [1, 1]]
    assert [one.label for one in compared.by_class] == ["NTA", "TA"]


def test_balanced_accuracy_weighs_classes_alike() -> None:
    true = ["NTA"] * 98 + ["TA"] * 2
    assert confusion(true, ["NTA"] * 100, ["TA", "NTA"]).balanced_accuracy == 0.5


def test_balanced_accuracy_passes_over_a_class_that_does_not_occur() -> None:
    assert confusion(["NTA"], ["NTA"], CLASSES).balanced_accuracy == 1


def test_a_class_that_is_nowhere_has_no_measures() -> None:
    nowhere = confusion(["NTA"], ["NTA"], CLASSES).by_class[0]
    assert nowhere.support == 0
    assert all(math.isnan(m) for m in (nowhere.precision, nowhere.recall, nowhere.f_measure))


def test_a_class_never_predicted_has_no_precision_but_recall_0() -> None:
    missed = confusion(["TA", "NTA"], ["NTA", "NTA"], ["TA", "NTA"]).by_class[0]
    assert math.isnan(missed.precision)
    assert (missed.recall, missed.f_measure) == (0, 0)


@pytest.mark.parametrize(
    ("true", "predicted", "problem"),
    [
        (["TA"], ["TA", "NTA"], "1 true ones, 2 predicted ones"),
        ([], [], "0 true ones"),
        (["TA"], ["UNTAGGED"], "not among the classes: UNTAGGED"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(
    true: list[str], predicted: list[str], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        confusion(true, predicted, CLASSES)


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
