"""A confusion matrix and its measures, also where a class never occurs."""

import math

import pytest

from triage.evaluation.measures import confusion

CLASSES = ["TA", "NTA", "EXPERT"]


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
        (["TA"], ["TA", "NTA"], "numbers of samples"),
        ([], [], "no messages"),
        (["TA"], ["UNTAGGED"], "not among the classes: UNTAGGED"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(
    true: list[str], predicted: list[str], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        confusion(true, predicted, CLASSES)
