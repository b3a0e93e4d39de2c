"""Learning: undersampled bagged decision trees (paper, sections 4 and 6.3)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from .errors import TriageError
from .forest import Forest
from .verdicts import Prediction


class Undersampling(StrEnum):
    """How the many NTA messages are brought down to as many as there are TA."""

    ONCE = "once"
    PER_BAG = "per_bag"


class UndersampledBaggedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Bagged entropy trees, learnt from as many NTA messages as TA messages.

    Parameters
    ----------
    undersampling : {"per_bag", "once"}
        ``"once"`` is the paper's: the training data are balanced once, then bagged.
        ``"per_bag"`` draws other NTA messages for each tree, so that none is lost.
    n_trees : int
    min_leaf : int
        The fewest training messages in a leaf (C4.5's -M).
    max_features : int or None
        How many features, drawn anew, each node may choose from; None for all.
    seed : int

    Attributes
    ----------
    classes_ : ndarray of str
        ``["NTA", "TA"]``.
    forest_ : Forest
        What was learnt.

    Examples
    --------
    >>> values, labels = [[0], [1], [2], [3]] * 5, ["NTA", "NTA", "TA", "TA"] * 5
    >>> UndersampledBaggedTrees(n_trees=5).fit(values, labels).predict([[0], [3]]).tolist()
    ['NTA', 'TA']
    """

    def __init__(
        self,
        undersampling: str = "per_bag",
        n_trees: int = 50,
        min_leaf: int = 10,
        max_features: int | None = 4,
        seed: int = 0,
    ) -> None:
        self.undersampling = undersampling
        self.n_trees = n_trees
        self.min_leaf = min_leaf
        self.max_features = max_features
        self.seed = seed

    def fit(self, values: Any, labels: Any) -> Self:
        """Learn the trees.

        Parameters
        ----------
        values : array-like of float, shape (n_messages, n_features)
        labels : array-like of {"TA", "NTA"}, shape (n_messages,)

        Raises
        ------
        TriageError
            If a class is missing or a label is neither TA nor NTA.
        """
        values, labels = np.asarray(values, dtype=float), np.asarray(labels).astype(str)
        check_labels(labels)
        self.classes_ = np.array([Prediction.NTA.value, Prediction.TA.value])
        self.n_features_in_ = values.shape[1]
        is_ta = labels == Prediction.TA
        ensemble = self._ensemble(values.shape[1])
        if Undersampling(self.undersampling) is Undersampling.ONCE:
            kept = balanced_rows(is_ta, self.seed)
            values, is_ta = values[kept], is_ta[kept]
        ensemble.fit(values, is_ta)
        trees = [getattr(tree, "steps", [(0, tree)])[-1][1] for tree in ensemble.estimators_]
        self.forest_ = Forest.from_sklearn(trees, ensemble.estimators_features_)
        return self

    def _ensemble(self, n_features: int) -> Any:
        most = None if self.max_features is None else min(self.max_features, n_features)
        tree = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=self.min_leaf, max_features=most
        )
        if Undersampling(self.undersampling) is Undersampling.ONCE:
            return BaggingClassifier(tree, self.n_trees, random_state=self.seed)
        from imblearn.ensemble import BalancedBaggingClassifier

        return BalancedBaggingClassifier(tree, self.n_trees, random_state=self.seed)

    def predict_proba(self, values: Any) -> NDArray[np.float64]:
        """Return the scores of NTA and TA, shape (n_messages, 2)."""
        score = self.forest_.score(np.asarray(values, dtype=float))
        return np.column_stack([1 - score, score])

    def predict(self, values: Any) -> NDArray[np.str_]:
        """Return TA where TA scores more than half."""
        return self.classes_[(self.predict_proba(values)[:, 1] > 0.5).astype(int)]


def balanced_rows(is_ta: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Return the rows of all TA messages and of as many NTA messages, drawn by the seed.

    Paper, section 6.3: 529 of each kind.
    """
    ta, nta = np.flatnonzero(is_ta), np.flatnonzero(~is_ta)
    few, many = sorted((ta, nta), key=len)
    drawn = np.random.default_rng(seed).choice(many, len(few), replace=False)
    return np.sort(np.concatenate([few, drawn]))


def check_labels(labels: NDArray[np.str_]) -> None:
    """Check that labels are TA and NTA and that there are some of each.

    Raises
    ------
    TriageError
        Naming the offending values and the rows where they first stand, or the missing class.
    """
    found, first = np.unique(labels, return_index=True)
    known = {Prediction.TA.value, Prediction.NTA.value}
    wrong = [f"{value!r} (row {row + 1})" for value, row in zip(found, first, strict=True)
             if value not in known]
    if wrong:
        raise TriageError(f"labels must be TA or NTA; there are also {', '.join(wrong[:5])}")
    missing = sorted(known - set(found.tolist()))
    if missing:
        raise TriageError(f"no message is labelled {missing[0]}: a model needs some of both")


@dataclass(frozen=True)
class TrainingOptions:
    """What a user chooses of the learning."""

    undersampling: Undersampling = Undersampling.PER_BAG
    seed: int = 0
