"""Accuracy of learnt models: cross-validation (Table 6), later messages, and other models."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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

from triage.reports.charts import Series, curve
from triage.reports.measures import Confusion, area_under_roc, auc, confusion
from triage.reports.page import Block, Cell, Figure, Part, Table

from ..errors import TriageError
from ..model.training import (
    FEWEST,
    UndersampledBaggedTrees,
    Undersampling,
    balanced_rows,
    check_labels,
)
from .corpus import Options, Prepared

# An unfitted or fitted classifier of scikit-learn.
Classifier = Any
Values = NDArray[Any]
Labels = NDArray[np.str_]
Rows = NDArray[np.int64]
Folds = Iterable[tuple[Rows, Rows]]

CLASSES = ("NTA", "TA")
# Bits of entropy that a leaf must save, the most first; 0 grows the tree to its end. Of 1,000
# messages .0001 prunes nothing, and .1 leaves a single test.
_PRUNINGS = (*np.geomspace(0.1, 0.0001, 16), 0.0)
_PRUNING_FOLDS = 5

# Of the paper: Table 6, and section 6.3.
_CROSS_VALIDATED = {"random": 0.5, "decision tree": 0.778, "bagged trees": 0.794}
_BY_CLASS = {"NTA": (0.842, 0.724, 0.778), "TA": (0.758, 0.864, 0.807)}
_MATRIX = {"NTA": (383, 72), "TA": (146, 457)}
_ON_LATER = {"decision tree": 0.746, "bagged trees": 0.769}
_FOLLOWING = 2000

_SIZES = (250, 500, 1000, 2000, 3000, 4000)
_FEWEST_POINTS = 3


def single_tree(seed: int) -> Classifier:
    """Return an unfitted decision tree like the paper's: entropy, at least 2 in a leaf, pruned."""
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
    return GridSearchCV(tree, {"ccp_alpha": _PRUNINGS}, scoring="roc_auc", cv=_PRUNING_FOLDS)


def bagged(seed: int, undersampling: Undersampling = Undersampling.PER_BAG) -> Classifier:
    """Return the project's unfitted model."""
    return UndersampledBaggedTrees(undersampling, seed=seed)


def folds(labels: NDArray[np.bool_], groups: Labels | None, n_folds: int, seed: int) -> Folds:
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


def fitted(estimator: Classifier, values: Values, labels: Labels, rows: Rows) -> Classifier:
    check_labels(labels[rows])
    return clone(estimator).fit(values[rows], labels[rows])


def fitted_balanced(
    estimator: Classifier, values: Values, labels: Labels, rows: Rows, seed: int
) -> Classifier:
    """Return a copy fitted to these rows, balanced once unless the estimator balances its bags."""
    if not hasattr(estimator, "undersampling"):
        rows = rows[balanced_rows(labels[rows] == "TA", seed)]
    return fitted(estimator, values, labels, rows)


def ta_score(model: Classifier, values: Values) -> NDArray[np.float64]:
    """Return the score of TA, shape (n_messages,)."""
    column = list(model.classes_).index("TA")
    return np.asarray(model.predict_proba(values)[:, column])


def _held_out_score(
    estimator: Classifier, values: Values, labels: Labels, split: Folds, seed: int
) -> NDArray[np.float64]:
    score = np.empty(len(labels))
    for train, test in split:
        model = fitted_balanced(estimator, values, labels, train, seed)
        score[test] = ta_score(model, values[test])
    return score


def _voted(labels: Labels, score: NDArray[np.float64]) -> Confusion:
    """Compare labels with TA for scores above one half."""
    return confusion(labels, np.where(score > 0.5, "TA", "NTA"), CLASSES)


def cross_validation(prepared: Prepared, options: Options) -> Part:
    """Cross-validate on the training messages: balanced once as in the paper, and grouped."""
    n_folds, seed = options.n_folds, options.seed
    labels, values = prepared.labels[prepared.training], prepared.values[prepared.training]
    balanced = balanced_rows(labels == "TA", seed)
    accuracy, ours = _balanced_once(values[balanced], labels[balanced], n_folds, seed)
    blocks: list[Block] = [
        f"The first {prepared.first:,} messages, of which {int((labels == 'TA').sum()):,} are TA. "
        f"As in the paper the data are balanced once, {len(balanced):,} messages, and "
        f"cross-validated in {n_folds} stratified folds.",
        accuracy,
        _matrix_table(ours),
        _class_table("Precision, recall and F of each class", ours, _BY_CLASS),
    ]
    if prepared.corpus.senders:
        blocks += _by_sender(prepared, n_folds, seed, ours.accuracy)
    else:
        blocks.append("No column of senders: the folds could not be grouped by sender.")
    return Part("cross-validation", "Cross-validation (the paper's Table 6)", blocks)


def _balanced_once(
    values: Values, labels: Labels, n_folds: int, seed: int
) -> tuple[Table, Confusion]:
    estimators = {"decision tree": single_tree(seed), "bagged trees": bagged(seed)}
    accuracies: dict[str, list[float]] = {name: [] for name in estimators}
    predicted = np.empty(len(labels), dtype=labels.dtype)
    for train, test in folds(labels == "TA", None, n_folds, seed):
        for name, estimator in estimators.items():
            # The last one, the bagged trees, stays.
            predicted[test] = fitted(estimator, values, labels, train).predict(values[test])
            accuracies[name].append(float((predicted[test] == labels[test]).mean()))
    rows: list[tuple[Cell, ...]] = [("random", 0.5, None, None, None, _CROSS_VALIDATED["random"])]
    rows += [(name, *_mean(found), _CROSS_VALIDATED[name]) for name, found in accuracies.items()]
    headings = ("accuracy", "standard deviation", "95 % from", "to", "accuracy (paper)")
    table = Table(
        "Accuracy, balanced once",
        {"model": "", **dict.fromkeys(headings, ".3f")},
        rows,
        "Interval of the mean over the folds, by Student's t; folds share training messages, so "
        "it is a little narrow.",
    )
    return table, confusion(labels, predicted, CLASSES)


def _mean(found: list[float]) -> tuple[float, float, float, float]:
    """Return the mean, the standard deviation and the interval of the mean."""
    from scipy import stats

    mean, deviation = float(np.mean(found)), float(np.std(found, ddof=1))
    half = float(stats.t.ppf(0.975, len(found) - 1)) * deviation / len(found) ** 0.5
    return mean, deviation, mean - half, mean + half


def _matrix_table(measured: Confusion) -> Table:
    headings = ("really NTA", "really TA", "really NTA (paper)", "really TA (paper)")
    by_predicted = measured.matrix.T.tolist()
    return Table(
        "Confusion matrix of the bagged trees, summed over the folds",
        {"model says": "", **dict.fromkeys(headings, ",d")},
        [(c, *counts, *_MATRIX[c]) for c, counts in zip(CLASSES, by_predicted, strict=True)],
    )


def _class_table(
    title: str, measured: Confusion, paper: dict[str, tuple[float, float, float]] | None = None
) -> Table:
    """Return precision, recall and F of each class, beside the paper's where there are some."""
    headings = ["precision", "recall", "F"]
    headings += [f"{name} (paper)" for name in headings if paper]
    return Table(
        title,
        {"class": "", **dict.fromkeys(headings, ".3f")},
        [(c, *ours, *(paper[c] if paper else ())) for c, ours in measured.by_class.items()],
    )


def _by_sender(prepared: Prepared, n_folds: int, seed: int, flattering: float) -> list[Block]:
    labels, values = prepared.labels[prepared.training], prepared.values[prepared.training]
    is_ta = labels == "TA"
    split = folds(is_ta, prepared.corpus.groups[prepared.training], n_folds, seed)
    score = _held_out_score(bagged(seed), values, labels, split, seed)
    measured = _voted(labels, score)
    balanced, ta = measured.balanced_accuracy, measured.by_class["TA"]
    blocks: list[Block] = [
        "By sender: here all messages of a sender are in one fold, only the training folds are "
        "balanced, and the scores are on messages as they come, of which "
        f"{is_ta.mean():.1%} are TA.",
        Table(
            "Grouped by sender, natural distribution",
            {"measure": "", "value": ".3f"},
            [
                ("balanced accuracy", balanced),
                ("accuracy", measured.accuracy),
                ("area under the ROC curve", auc(score, is_ta)),
            ],
        ),
        _class_table("Precision, recall and F of each class, natural distribution", measured),
    ]
    if not np.isnan(ta.precision):
        blocks.append(
            f"On balanced data the bagged trees reach an accuracy of {flattering:.3f}; the fair "
            f"counterpart, the balanced accuracy by sender, is {balanced:.3f}. "
            f"What differs most is the precision of TA: {ta.precision:.3f} on messages as they "
            "come. On balanced data half of what is classified is TA, so that a share of "
            f"{1 - measured.by_class['NTA'].recall:.1%} of NTA messages taken for TA hardly shows; "
            f"on messages as they come there are {(~is_ta).sum() / is_ta.sum():.1f} NTA messages "
            "for each TA message."
        )
    return blocks


def later_messages(prepared: Prepared, options: Options) -> Part:
    """Test on the messages that come later, with all, half and less of the training data."""
    n, seed = prepared.first, options.seed
    tests = {"all later ones": prepared.later}
    if n + _FOLLOWING < len(prepared.corpus.messages):
        tests = {f"the next {_FOLLOWING:,}": slice(n, n + _FOLLOWING), **tests}
    learners = [("decision tree", single_tree(seed), n), ("bagged trees", bagged(seed), n)]
    half = _suffices(prepared, n // 2)
    if half:
        learners.append(("bagged trees", bagged(seed), n // 2))
    rows: list[tuple[Cell, ...]] = []
    for name, estimator, size in learners:
        for i, (test, where) in enumerate(tests.items()):
            measured = _measured(prepared, estimator, size, where, seed)
            paper = _ON_LATER[name] if size == n and i == 0 else None
            rows.append((name, size, test, *measured, paper))
    headings = ("accuracy", "balanced accuracy", "area under ROC", "accuracy (paper)")
    columns = {"model": "", "learnt from": ",d", "tested on": ""}
    return Part(
        "later-messages",
        "The later messages (the paper's section 6.3)",
        (
            f"Learnt from the first {n:,} messages{', or from half of them,' if half else ''} and "
            "tested on those that come later. The paper's accuracies are on its 4,000th to "
            "5,999th message, without saying whether they were balanced.",
            Table(
                "Trained on the first, tested on later messages",
                columns | dict.fromkeys(headings, ".3f"),
                rows,
            ),
            _learning_curve(prepared, seed),
        ),
    )


def _suffices(prepared: Prepared, size: int) -> bool:
    here = prepared.corpus.is_ta[:size]
    return min(int(here.sum()), int((~here).sum())) >= FEWEST


def _measured(
    prepared: Prepared, estimator: Classifier, size: int, where: slice, seed: int
) -> tuple[float, float, float]:
    """Learn from the first messages; return accuracy, balanced accuracy and area on later ones."""
    values, labels = prepared.values, prepared.labels
    model = fitted_balanced(estimator, values, labels, np.arange(size), seed)
    score = ta_score(model, values[where])
    measured = _voted(labels[where], score)
    area = area_under_roc(score, labels[where] == "TA")
    return measured.accuracy, measured.balanced_accuracy, area


def _learning_curve(prepared: Prepared, seed: int) -> Figure | str:
    smaller = [size for size in _SIZES if size < prepared.first and _suffices(prepared, size)]
    sizes = [*smaller, prepared.first]
    if len(sizes) < _FEWEST_POINTS:
        return (
            f"No learning curve is drawn: it takes {_FEWEST_POINTS} numbers of messages to learn "
            f"from, of {', '.join(map(str, _SIZES))} and all; here there are {len(sizes)}."
        )
    measured = [_measured(prepared, bagged(seed), size, prepared.later, seed) for size in sizes]
    _, balanced, area = zip(*measured, strict=True)
    return Figure(
        "learning-curve",
        "Learning curve: the first messages learnt, all later ones tested",
        f"Balanced accuracy goes from {balanced[0]:.2f} with {sizes[0]} messages to "
        f"{balanced[-1]:.2f} with {sizes[-1]}.",
        curve(
            [Series("balanced accuracy", sizes, balanced), Series("area under ROC", sizes, area)],
            x_label="messages learnt from",
            y_label="on the later messages",
        ),
    )


@dataclass(frozen=True)
class _Candidate:
    """A model to compare: its name, an unfitted estimator, and whether it reads the texts."""

    name: str
    estimator: Classifier
    reads_text: bool = False


def _candidates(seed: int) -> tuple[_Candidate, ...]:
    forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=seed)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, lowercase=False)
    of_text = make_pipeline(characters, LogisticRegression(C=10, max_iter=1000))
    return (
        _Candidate("dummy", DummyClassifier(strategy="stratified", random_state=seed)),
        _Candidate("decision tree", single_tree(seed)),
        _Candidate("bagged trees, balanced once", bagged(seed, Undersampling.ONCE)),
        _Candidate("bagged trees, balanced per bag", bagged(seed)),
        _Candidate("random forest", forest),
        _Candidate("characters (TF-IDF) + logistic regression", of_text, reads_text=True),
    )


def comparison(prepared: Prepared, options: Options) -> Part:
    """Cross-validate several models by sender, on messages as they come."""
    from joblib import Parallel, delayed

    here, n_folds, seed = prepared.training, options.n_folds, options.seed
    labels, values = prepared.labels[here], prepared.values[here]
    texts = np.array(prepared.corpus.messages, dtype=object)[here]
    split = list(folds(labels == "TA", prepared.corpus.groups[here], n_folds, seed))
    rows: list[Any] = Parallel(n_jobs=-1)(
        delayed(_candidate_row)(one, texts if one.reads_text else values, labels, split, seed)
        for one in _candidates(seed)
    )
    headings = ("balanced accuracy", "area under ROC", "recall of TA", "precision of TA")
    return Part(
        "comparison",
        "Other models on the same folds",
        (
            f"{n_folds} folds grouped by sender over the first {prepared.first:,} messages; "
            "training folds balanced once, but for the models that balance their bags; tested on "
            "messages as they come. A comparison only: the model that classifies stays the bagged "
            "trees, since people can read them.",
            Table("Models", {"model": "", **dict.fromkeys((*headings, "accuracy"), ".3f")}, rows),
        ),
    )


def _candidate_row(
    candidate: _Candidate, values: Values, labels: Labels, split: Folds, seed: int
) -> tuple[str | float, ...]:
    score = _held_out_score(candidate.estimator, values, labels, split, seed)
    measured = _voted(labels, score)
    ta, area = measured.by_class["TA"], auc(score, labels == "TA")
    shown = (measured.balanced_accuracy, area, ta.recall, ta.precision, measured.accuracy)
    return (candidate.name, *shown)
