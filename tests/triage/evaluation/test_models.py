"""The single decision tree is pruned, so that it is not understated beside Weka's J48."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from triage.errors import TriageError
from triage.evaluation.models import fitted, single_tree


def messages(n: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return a feature that tells the label nine times in ten, and four that tell nothing."""
    draw = np.random.default_rng(7)
    values = draw.integers(0, 50, (n, 5)).astype(float)
    is_ta = (values[:, 0] > 24) ^ (draw.random(n) < 0.1)
    return values, np.where(is_ta, "TA", "NTA")


def test_what_chance_has_taught_is_pruned() -> None:
    values, labels = messages(400)
    pruned = fitted(single_tree(0), values, labels, np.arange(400)).best_estimator_  # type: ignore[attr-defined]
    grown = clone(pruned).set_params(ccp_alpha=0).fit(values, labels)
    assert isinstance(pruned, DecisionTreeClassifier)
    assert pruned.tree_.node_count <= 5 < 50 < grown.tree_.node_count
    assert pruned.tree_.feature[0] == 0


def test_a_pruned_tree_is_right_where_the_grown_one_has_learnt_by_heart() -> None:
    values, labels = messages(2000)
    seen, later = np.arange(400), slice(400, None)
    pruned = fitted(single_tree(0), values, labels, seen)
    grown = DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(
        values[seen], labels[seen]
    )
    right, right_grown = (
        np.mean(m.predict(values[later]) == labels[later]) for m in (pruned, grown)
    )
    assert right > right_grown + 0.05


def test_the_same_messages_give_the_same_tree() -> None:
    values, labels = messages(400)
    one, other = (fitted(single_tree(3), values, labels, np.arange(400)) for _ in range(2))
    assert np.array_equal(one.predict_proba(values), other.predict_proba(values))


def test_too_few_messages_are_one_clear_line() -> None:
    values, labels = messages(20)
    with pytest.raises(TriageError, match="a model needs at least 20 of TA and of NTA"):
        fitted(single_tree(0), values, labels, np.arange(20))
