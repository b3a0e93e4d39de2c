"""The models that are compared, and folds to test them on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from ..errors import TriageError
from ..model.training import (
    UndersampledBaggedTrees,
    Undersampling,
    balanced_rows,
    check_labels,
)

Progress = Callable[[str], None]
Values = NDArray[Any]
Labels = NDArray[np.str_]
Folds = Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]

# Bits of entropy that a leaf must save, the most first; 0 grows the tree to its end. Of 1,000
# messages .0001 prunes nothing, and .1 leaves a single test.
_PRUNINGS = (*np.geomspace(0.1, 0.0001, 16), 0.0)
_PRUNING_FOLDS = 5


class Classifier(Protocol):
    """The methods of a scikit-learn classifier that are used."""

    classes_: Labels

    def fit(self, values: Values, labels: Labels) -> Self:
        """Learn."""

    def predict(self, values: Values) -> Labels:
        """Return labels."""

    def predict_proba(self, values: Values) -> NDArray[np.float64]:
        """Return a score for each class."""


@dataclass(frozen=True)
class Candidate:
    """A model to compare: its name, an unfitted estimator, and whether it reads the texts."""

    name: str
    estimator: Classifier
    reads_text: bool = False


def single_tree(seed: int) -> Classifier:
    """Return an unfitted decision tree like the paper's: entropy, at least 2 in a leaf, pruned."""
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
    pruned = GridSearchCV(tree, {"ccp_alpha": _PRUNINGS}, scoring="roc_auc", cv=_PRUNING_FOLDS)
    return cast(Classifier, pruned)


def bagged(seed: int, undersampling: Undersampling = Undersampling.PER_BAG) -> Classifier:
    """Return the project's unfitted model."""
    return UndersampledBaggedTrees(undersampling, seed=seed)


def candidates(seed: int) -> tuple[Candidate, ...]:
    """Return the models of ``--compare``."""
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, lowercase=False)
    return (
        Candidate("dummy", DummyClassifier(strategy="stratified", random_state=seed)),
        Candidate("decision tree", single_tree(seed)),
        Candidate("bagged trees, balanced once", bagged(seed, Undersampling.ONCE)),
        Candidate("bagged trees, balanced per bag", bagged(seed)),
        Candidate(
            "random forest", RandomForestClassifier(200, min_samples_leaf=5, random_state=seed)
        ),
        Candidate(
            "characters (TF-IDF) + logistic regression",
            make_pipeline(characters, LogisticRegression(C=10, max_iter=1000)),
            reads_text=True,
        ),
    )


def folds(
    labels: NDArray[np.bool_], groups: NDArray[np.str_] | None, n_folds: int, seed: int
) -> Folds:
    """Yield stratified folds, with all messages of a sender in one fold where groups are given."""
    fewest = min(int(labels.sum()), int((~labels).sum()))
    if fewest < n_folds:
        raise TriageError(
            f"{n_folds} folds need as many messages of each label; one label has {fewest}: "
            "choose fewer with --folds"
        )
    if groups is None:
        splitter: Any = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    else:
        n_senders = len(np.unique(groups))
        if n_senders < n_folds:
            raise TriageError(
                f"{n_folds} folds need as many senders; there are {n_senders}: "
                "choose fewer with --folds"
            )
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    yield from splitter.split(np.zeros(len(labels)), labels, groups)


def fitted(
    estimator: Classifier, values: Values, labels: Labels, rows: NDArray[np.int64]
) -> Classifier:
    """Return a copy of an estimator, fitted to these rows."""
    check_labels(labels[rows])
    return cast(Classifier, clone(estimator)).fit(values[rows], labels[rows])


def fitted_balanced(
    estimator: Classifier, values: Values, labels: Labels, rows: NDArray[np.int64], seed: int
) -> Classifier:
    """Return a copy fitted to these rows, balanced once unless the estimator balances its bags."""
    if not hasattr(estimator, "undersampling"):
        rows = rows[balanced_rows(labels[rows] == "TA", seed)]
    return fitted(estimator, values, labels, rows)


def ta_score(model: Classifier, values: Values) -> NDArray[np.float64]:
    """Return the score of TA, shape (n_messages,)."""
    column = list(model.classes_).index("TA")
    return np.asarray(model.predict_proba(values)[:, column])


def majority(score: NDArray[np.float64]) -> Labels:
    """Return TA for scores above one half, else NTA."""
    return np.where(score > 0.5, "TA", "NTA")
