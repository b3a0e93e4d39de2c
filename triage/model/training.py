"""Learning: undersampled bagged decision trees (paper, sections 4 and 6.3)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from triage.data import shown_cell
from triage.features import FeatureSet

from ..errors import TriageError
from ..vocabulary import Prediction
from .forest import Forest


class Undersampling(StrEnum):
    """How the many NTA messages are brought down to as many as there are TA."""

    ONCE = "once"
    PER_BAG = "per_bag"

    @classmethod
    def _missing_(cls, value: object) -> "Undersampling":
        known = " or ".join(cls)
        raise TriageError(f"no undersampling is called {value!r}: it is {known}")


# Each bag is drawn anew from all messages, and must catch some of each label: with so many, one
# that does not is less likely than one in a million. Leaves of ten need no fewer either.
FEWEST = 20


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
    splitter : {"best", "random"}
        ``"random"`` draws a threshold for each feature and takes the best of these: the bagged
        trees then differ more, and rank messages more finely.
    rising : tuple of int
        Columns of which more can only raise the score.

    Attributes
    ----------
    classes_ : ndarray of str
        ``["NTA", "TA"]``.
    forest_ : Forest
        What was learnt.

    Examples
    --------
    >>> values, labels = [[0], [1], [2], [3]] * 10, ["NTA", "NTA", "TA", "TA"] * 10
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
        splitter: str = "best",
        rising: tuple[int, ...] = (),
    ) -> None:
        self.undersampling = undersampling
        self.n_trees = n_trees
        self.min_leaf = min_leaf
        self.max_features = max_features
        self.seed = seed
        self.splitter = splitter
        self.rising = rising

    def fit(self, values: ArrayLike, labels: ArrayLike) -> Self:
        """Learn the trees.

        Parameters
        ----------
        values : array-like of float, shape (n_messages, n_features)
        labels : array-like of {"TA", "NTA"}, shape (n_messages,)

        Raises
        ------
        TriageError
            If a label is neither TA nor NTA, or fewer than 20 messages have one of them, or no
            undersampling has this name.
        """
        table, names = np.asarray(values, dtype=float), np.asarray(labels).astype(str)
        check_labels(names)
        self.classes_ = np.array([Prediction.NTA.value, Prediction.TA.value])
        self.n_features_in_ = table.shape[1]
        is_ta = names == Prediction.TA
        ensemble = self._ensemble(table.shape[1])
        if Undersampling(self.undersampling) is Undersampling.ONCE:
            kept = balanced_rows(is_ta, self.seed)
            table, is_ta = table[kept], is_ta[kept]
        ensemble.fit(table, is_ta)
        trees = [getattr(tree, "steps", [(0, tree)])[-1][1] for tree in ensemble.estimators_]
        self.forest_ = Forest.from_sklearn(trees, ensemble.estimators_features_)
        return self

    def _ensemble(self, n_features: int) -> Any:  # noqa: ANN401  # sklearn is untyped
        most = None if self.max_features is None else min(self.max_features, n_features)
        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_leaf,
            max_features=most,
            splitter=self.splitter,
            monotonic_cst=[int(i in self.rising) for i in range(n_features)]
            if self.rising
            else None,
        )
        if Undersampling(self.undersampling) is Undersampling.ONCE:
            return BaggingClassifier(tree, self.n_trees, random_state=self.seed)
        from imblearn.ensemble import BalancedBaggingClassifier

        return BalancedBaggingClassifier(tree, self.n_trees, random_state=self.seed)

    def predict_proba(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of NTA and TA.

        Parameters
        ----------
        values : array-like of float, shape (n_messages, n_features)

        Returns
        -------
        ndarray of float, shape (n_messages, 2)
            From 0 to 1, in the order of `classes_`.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            If there are more or fewer features than in training.
        """
        check_is_fitted(self)
        table = np.asarray(values, dtype=float)
        if table.shape[1:] != (self.n_features_in_,):
            raise ValueError(
                f"values of shape {table.shape} are no table of {self.n_features_in_} features"
            )
        score = self.forest_.score(table)
        return np.column_stack([1 - score, score])

    def predict(self, values: ArrayLike) -> NDArray[np.str_]:
        """Return TA where TA scores more than half.

        Parameters
        ----------
        values : array-like of float, shape (n_messages, n_features)

        Returns
        -------
        ndarray of {"TA", "NTA"}, shape (n_messages,)

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError
            As for `predict_proba`.
        """
        is_ta = self.predict_proba(values)[:, 1] > 0.5
        return cast(NDArray[np.str_], self.classes_[is_ta.astype(int)])


def balanced_rows(is_ta: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Return the rows of all TA messages and of as many NTA messages, drawn by the seed.

    Paper, section 6.3: 529 of each kind. Where TA messages are more, they are the ones drawn.

    Parameters
    ----------
    is_ta : ndarray of bool, shape (n_messages,)
    seed : int

    Returns
    -------
    ndarray of int
        In order; as many of each kind.
    """
    ta, nta = np.flatnonzero(is_ta), np.flatnonzero(~is_ta)
    few, many = sorted((ta, nta), key=len)
    drawn = np.random.default_rng(seed).choice(many, len(few), replace=False)
    return np.sort(np.concatenate([few, drawn]))


def check_labels(labels: NDArray[np.str_]) -> None:
    """Check that labels are TA and NTA and that there are enough of each.

    Parameters
    ----------
    labels : ndarray of str, shape (n_messages,)

    Raises
    ------
    TriageError
        Naming the rows where other values first stand, or the missing class.
    """
    found, first = np.unique(labels, return_index=True)
    known = [vote.value for vote in Prediction]
    rows = dict(zip(found.tolist(), first.tolist(), strict=True))
    wrong = [
        f"{shown_cell(value)} (row {row + 1})" for value, row in rows.items() if value not in known
    ]
    if wrong:
        raise TriageError(f"labels must be TA or NTA; there are also {', '.join(wrong[:5])}")
    for label in known:
        count = int((labels == label).sum())
        if count < FEWEST:
            raise TriageError(
                f"{count or 'no'} messages are labelled {label}: "
                f"a model needs at least {FEWEST} of TA and of NTA"
            )


@dataclass(frozen=True)
class TrainingOptions:
    """What a user chooses of the learning."""

    undersampling: Undersampling = Undersampling.PER_BAG
    seed: int = 0


def trees_for(features: FeatureSet, options: TrainingOptions) -> UndersampledBaggedTrees:
    """Return the unfitted trees that suit a feature set.

    Leaves, numbers of features and the drawing of thresholds were chosen on the first 4,000
    messages of 88milSMS, grouped by sender.

    Parameters
    ----------
    features : FeatureSet
    options : TrainingOptions
    """
    if not features.weighs_words:
        return UndersampledBaggedTrees(options.undersampling, seed=options.seed)
    rising = tuple(features.features.index(name) for name in features.monotonic)
    return UndersampledBaggedTrees(
        options.undersampling,
        n_trees=60,
        min_leaf=5,
        max_features=None,
        splitter="random",
        rising=rising,
        seed=options.seed,
    )
