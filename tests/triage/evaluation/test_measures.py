"""A confusion matrix and its measures, also where a class never occurs."""

import math
from collections.abc import Sequence

import numpy as np

from triage.evaluation.measures import Confusion, confusion


def compared(true: Sequence[str], predicted: Sequence[str]) -> Confusion:
    return confusion(np.array(true), np.array(predicted))


def test_accuracy_is_the_share_of_equal_labels() -> None:
    assert compared(["TA", "TA", "NTA", "TA"], ["TA", "NTA", "NTA", "TA"]).accuracy == 0.75


def test_rows_are_true_classes() -> None:
    found = compared(["TA", "TA", "NTA"], ["NTA", "TA", "NTA"])
    assert found.matrix.tolist() == [[1, 0], [1, 1]]
    assert list(found.by_class) == ["NTA", "TA"]


def test_balanced_accuracy_weighs_classes_alike() -> None:
    true = ["NTA"] * 98 + ["TA"] * 2
    assert compared(true, ["NTA"] * 100).balanced_accuracy == 0.5


def test_a_class_that_is_nowhere_has_no_measures_and_is_passed_over() -> None:
    nowhere = compared(["NTA"], ["NTA"])
    assert all(map(math.isnan, nowhere.by_class["TA"]))
    assert nowhere.balanced_accuracy == 1


def test_a_class_never_predicted_has_no_precision_but_recall_0() -> None:
    missed = compared(["TA", "NTA"], ["NTA", "NTA"]).by_class["TA"]
    assert math.isnan(missed.precision)
    assert (missed.recall, missed.f_measure) == (0, 0)
