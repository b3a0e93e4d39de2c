"""Undersampled bagged decision trees (paper, sections 4 and 6.3)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from triage.data import shown_cell
from triage.features import FeatureSet
from triage.features.learn import one_thread
from triage.features.trees import Forest

from ..errors import TriageError
from ..vocabulary import Prediction


class Undersampling(StrEnum):
    """The way in which NTA messages are reduced to the number of TA messages."""

    ONCE = "once"
    PER_BAG = "per_bag"

    @classmethod
    def _missing_(cls, value: object) -> "Undersampling":
        known = " or ".join(cls)
        raise TriageError(f"no undersampling is called {value!r}: it is {known}")


# Each bag is a new sample and must contain both labels: with so many messages of each, the
# probability that one does not is below one in a million. Leaves of ten need as many.
FEWEST = 20


class UndersampledBaggedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Bagged entropy trees, fitted on as many NTA messages as TA messages."""

    def __init__(
        self,
        undersampling: str = "per_bag",
        n_trees: int = 50,
        min_leaf: int = 10,
        max_features: int | None = 4,
        seed: int = 0,
        splitter: str = "best",
        monotonic: tuple[int, ...] = (),
    ) -> None:
        self.undersampling = undersampling
        self.n_trees = n_trees
        self.min_leaf = min_leaf
        self.max_features = max_features
        self.seed = seed
        self.splitter = splitter
        self.monotonic = monotonic

    @one_thread()
    def fit(self, values: ArrayLike, labels: ArrayLike) -> Self:
        """Fit the trees to values of shape (n_messages, n_features) and labels TA and NTA."""
        table, names = np.asarray(values, dtype=float), np.asarray(labels).astype(str)
        check_labels(names)
        self.classes_ = np.array([Prediction.NTA.value, Prediction.TA.value])
        self.n_features_in_ = table.shape[1]
        is_ta, n_features = names == Prediction.TA, table.shape[1]
        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_leaf,
            max_features=self.max_features and min(self.max_features, n_features),
            splitter=self.splitter,
            monotonic_cst=[int(i in self.monotonic) for i in range(n_features)]
            if self.monotonic
            else None,
        )
        if Undersampling(self.undersampling) is Undersampling.ONCE:
            ensemble = BaggingClassifier(tree, self.n_trees, random_state=self.seed)
            kept = balanced_rows(is_ta, self.seed)
            table, is_ta = table[kept], is_ta[kept]
        else:
            from imblearn.ensemble import BalancedBaggingClassifier

            ensemble = BalancedBaggingClassifier(tree, self.n_trees, random_state=self.seed)
        ensemble.fit(table, is_ta)
        trees = [getattr(one, "steps", [(0, one)])[-1][1] for one in ensemble.estimators_]
        self.forest_ = Forest.from_bagging(trees, ensemble.estimators_features_)
        return self

    def predict_proba(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of NTA and TA, shape (n_messages, 2)."""
        check_is_fitted(self)
        table = np.asarray(values, dtype=float)
        if table.shape[1:] != (self.n_features_in_,):
            raise ValueError(
                f"values of shape {table.shape} are no table of {self.n_features_in_} features"
            )
        score = self.forest_.score(table)
        return np.column_stack([1 - score, score])

    def predict(self, values: ArrayLike) -> NDArray[np.str_]:
        """Return TA where its score is above one half, else NTA."""
        is_ta = self.predict_proba(values)[:, 1] > 0.5
        return cast(NDArray[np.str_], self.classes_[is_ta.astype(int)])


def balanced_rows(is_ta: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Return, in order, the rows of the rarer label and as many drawn from the other."""
    ta, nta = np.flatnonzero(is_ta), np.flatnonzero(~is_ta)
    few, many = sorted((ta, nta), key=len)
    drawn = np.random.default_rng(seed).choice(many, len(few), replace=False)
    return np.sort(np.concatenate([few, drawn]))


def check_labels(labels: NDArray[np.str_]) -> None:
    """Check that labels are TA and NTA and that there are enough of each."""
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
    """The user's options of training."""

    undersampling: Undersampling = Undersampling.PER_BAG
    seed: int = 0


def trees_for(features: FeatureSet, options: TrainingOptions) -> UndersampledBaggedTrees:
    """Return unfitted trees with the hyperparameters of a feature set."""
    if not features.weighs_words:
        return UndersampledBaggedTrees(options.undersampling, seed=options.seed)
    return UndersampledBaggedTrees(
        options.undersampling,
        n_trees=60,
        min_leaf=5,
        max_features=None,
        splitter="random",
        monotonic=tuple(features.features.index(name) for name in features.monotonic),
        seed=options.seed,
    )
