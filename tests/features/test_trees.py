"""Trees as plain arrays, which score exactly as scikit-learn does."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.ensemble import BalancedBaggingClassifier
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from triage.features.trees import Forest
from triage.model.learn import UndersampledBaggedTrees, balanced_rows

WAYS = ["once", "per_bag"]
Values = NDArray[np.float64]


def in_scikit_learn(ours: UndersampledBaggedTrees, values: Values, is_ta: NDArray[np.bool_]) -> Any:  # noqa: ANN401
    most = ours.max_features and min(ours.max_features, values.shape[1])
    per_bag = ours.undersampling == "per_bag"
    made = BalancedBaggingClassifier if per_bag else BaggingClassifier
    kept = slice(None) if per_bag else balanced_rows(is_ta, ours.seed)
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=ours.min_leaf, max_features=most
    )
    return made(tree, ours.n_trees, random_state=ours.seed).fit(values[kept], is_ta[kept])


def drawn_messages(seed: int, n_features: int, step: float) -> tuple[Values, NDArray[np.bool_]]:
    """Draw 200 messages whose values, multiples of `step`, say something of their label."""
    drawn = np.random.default_rng(seed)
    values = drawn.integers(0, 12, size=(200, n_features)).astype(np.float64) * step
    is_ta = values[:, 0] / step + drawn.normal(scale=4, size=200) > 8
    is_ta[:20], is_ta[-100:] = True, False
    return values, is_ta


def near(thresholds: Values, n_features: int) -> Values:
    """Return messages whose values lie on the thresholds, and next to them in both precisions."""
    edges = []
    for one in (thresholds, thresholds.astype(np.float32)):
        edges += [one, *(np.nextafter(one, one.dtype.type(to)) for to in (-np.inf, np.inf))]
    return np.tile(np.concatenate(edges).astype(float)[:, np.newaxis], n_features)


@pytest.mark.slow
@given(
    undersampling=st.sampled_from(WAYS),
    seed=st.integers(0, 2**32 - 1),
    n_features=st.integers(1, 6),
    step=st.sampled_from([1.0, 0.1, 1 / 3, 1e-9, 16_777_217 / 7, 1e30]),
    max_features=st.sampled_from([None, 1, 4]),
    min_leaf=st.integers(1, 12),
)
def test_scores_are_exactly_those_of_scikit_learn(
    seed: int,
    n_features: int,
    step: float,
    **settings: Any,  # noqa: ANN401
) -> None:
    values, is_ta = drawn_messages(seed, n_features, step)
    ours = UndersampledBaggedTrees(n_trees=4, seed=seed, **settings)
    ours.fit(values, np.where(is_ta, "TA", "NTA"))
    theirs = in_scikit_learn(ours, values, is_ta)
    thresholds = ours.forest_.threshold
    asked = np.concatenate([values, near(thresholds, n_features)])
    assert ours.forest_.score(asked).tolist() == theirs.predict_proba(asked)[:, 1].tolist()


@pytest.mark.parametrize("depth", [3, 4, 12])
def test_few_leaves_and_many_score_exactly_as_in_scikit_learn(depth: int) -> None:
    values, is_ta = drawn_messages(4, 5, 0.5)
    theirs = BaggingClassifier(DecisionTreeClassifier(max_depth=depth), 9, random_state=0)
    theirs.fit(values, is_ta)
    forest = Forest.from_bagging(theirs.estimators_, theirs.estimators_features_)
    asked = np.concatenate([values, near(forest.threshold[: forest.nodes[0]], 5)])
    assert forest.score(asked).tolist() == theirs.predict_proba(asked)[:, 1].tolist()
