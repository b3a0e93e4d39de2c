"""Measures of labels, of scores and of what was decided, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from triage.reports.intervals import Interval, bootstrap_share, clopper_pearson, upper_bound
from triage.reports.measures import auc

from ..vocabulary import Action


@dataclass(frozen=True)
class Triaged:
    """What became of messages of known label.

    Parameters
    ----------
    leak : Interval
        The share of TA messages that end as NTA (Clopper and Pearson, exact).
    leak_by_sender : Interval or None
        The same, senders drawn again (bootstrap): messages of a sender are alike.
    most_leaked : float
        One-sided: the leak is at most this, with 95 % confidence.
    workload : float
        The share of messages that end as EXPERT.
    workload_by_sender : Interval or None
    precision : float
        The share of true TA among those that end as TA; nan where none does.
    """

    leak: Interval
    leak_by_sender: Interval | None
    most_leaked: float
    workload: float
    workload_by_sender: Interval | None
    precision: float


def triaged(
    actions: Sequence[Action], is_ta: NDArray[np.bool_], groups: NDArray[np.str_], seed: int
) -> Triaged:
    """Measure decided messages.

    Parameters
    ----------
    actions : sequence of Action, length n_messages
    is_ta : ndarray of bool, shape (n_messages,)
    groups : ndarray of str, shape (n_messages,)
        Their senders.
    seed : int

    Raises
    ------
    ValueError
        If no message is TA.
    """
    decided = np.array(actions)
    leaked = is_ta & (decided == Action.NTA)
    expert = decided == Action.EXPERT
    as_ta = decided == Action.TA
    return Triaged(
        clopper_pearson(int(leaked.sum()), int(is_ta.sum())),
        by_sender(leaked, is_ta, groups, seed),
        upper_bound(int(leaked.sum()), int(is_ta.sum())),
        float(expert.mean()),
        by_sender(expert, np.ones(len(expert), dtype=np.bool_), groups, seed),
        share(is_ta, as_ta),
    )


def by_sender(
    hits: NDArray[np.bool_], among: NDArray[np.bool_], groups: NDArray[np.str_], seed: int
) -> Interval | None:
    """Return the bootstrap interval of a share, senders drawn again.

    Parameters
    ----------
    hits, among : ndarray of bool, shape (n_messages,)
        The messages that count, among those that may.
    groups : ndarray of str, shape (n_messages,)
        Their senders.
    seed : int

    Returns
    -------
    Interval or None
        None where none or all count: every draw would give the same, however few they are.
    """
    if not 0 < hits.sum() < among.sum():
        return None
    return bootstrap_share(hits, among, groups, seed=seed)


def share(hits: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    """Return the share of the messages that count among those that may, nan of none.

    Parameters
    ----------
    hits, among : ndarray of bool, shape (n_messages,)
    """
    return float(hits[among].mean()) if among.any() else float("nan")


def area_under_roc(score: NDArray[np.float64], is_ta: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve, nan where one label is missing.

    Parameters
    ----------
    score : ndarray of float, shape (n_messages,)
    is_ta : ndarray of bool, shape (n_messages,)
    """
    return auc(score, is_ta) if is_ta.any() and not is_ta.all() else float("nan")


def expert_share(
    score: NDArray[np.float64], is_ta: NDArray[np.bool_], leak: float, precision: float = 0.95
) -> float:
    """Return the share of messages that experts must read for a given leak, ranked by score.

    As the corpus's own scorer counts it: among equal scores, in the order of the messages. Below
    the score under which this share of TA messages lies, messages are released; from the
    score on above which messages are TA often enough, they are called TA; between, they are read.

    Parameters
    ----------
    score : ndarray of float, shape (n_messages,)
    is_ta : ndarray of bool, shape (n_messages,)
    leak, precision : float
        Shares.

    Examples
    --------
    >>> score, is_ta = np.array([0.1, 0.2, 0.3, 0.8]), np.array([False, True, False, True])
    >>> expert_share(score, is_ta, leak=0.05)
    0.25
    """
    order = np.argsort(-score, kind="stable")
    enough = np.flatnonzero(np.cumsum(is_ta[order]) / np.arange(1, len(order) + 1) >= precision)
    high = score[order[enough[-1]]] if len(enough) else np.inf
    low = np.quantile(score[is_ta], leak)
    return float(((score >= low) & (score < high)).mean())


@dataclass(frozen=True)
class ClassMeasures:
    """How well one class is found; nan where a measure divides nothing by nothing.

    Attributes
    ----------
    label : str
    support : int
        How many messages truly are of the class.
    precision : float
        The share of the class among what was predicted to be of it.
    recall : float
        The share predicted to be of the class among what is of it.
    f_measure : float
        The harmonic mean of both.
    """

    label: str
    support: int
    precision: float
    recall: float
    f_measure: float


# No generated comparison: arrays do not compare to one truth value.
@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each class was predicted for each.

    Attributes
    ----------
    matrix : ndarray of int, shape (n_classes, n_classes)
        Messages by true class (rows) and predicted class (columns).
    by_class : tuple of ClassMeasures
        In the order of the rows.
    accuracy : float
        The share of messages predicted as they truly are.
    balanced_accuracy : float
        The mean recall of the classes that truly occur.
    """

    matrix: NDArray[np.int64]
    by_class: tuple[ClassMeasures, ...]
    accuracy: float
    balanced_accuracy: float


def confusion(true: Sequence[str], predicted: Sequence[str], classes: Sequence[str]) -> Confusion:
    """Compare predicted labels with true ones.

    Parameters
    ----------
    true, predicted : sequence of str, length n_messages
    classes : sequence of str
        Every class, in the order of the matrix.

    Returns
    -------
    Confusion

    Raises
    ------
    ValueError
        If the lengths differ, there are no messages, or a label is not among the classes.

    Examples
    --------
    >>> compared = confusion(["TA", "TA", "NTA", "NTA"], ["TA", "NTA", "NTA", "NTA"], ["TA", "NTA"])
    >>> compared.matrix
    array([[1, 1],
           [0, 2]])
    >>> compared.by_class[0]
    ClassMeasures(label='TA', support=2, precision=1.0, recall=0.5, f_measure=0.6666666666666666)
    >>> compared.accuracy, compared.balanced_accuracy
    (0.75, 0.75)
    """
    unknown = sorted({*true, *predicted}.difference(classes))
    if unknown or not len(true):
        msg = f"not among the classes: {', '.join(unknown)}" if unknown else "there are no messages"
        raise ValueError(msg)
    matrix = confusion_matrix(true, predicted, labels=list(classes))
    measures = precision_recall_fscore_support(
        true, predicted, labels=list(classes), zero_division=np.nan
    )
    precision, recall, f_measure, support = (measure.tolist() for measure in measures)
    rows = zip(classes, support, precision, recall, f_measure, strict=True)
    return Confusion(
        matrix=matrix,
        by_class=tuple(ClassMeasures(*row) for row in rows),
        accuracy=float(np.trace(matrix) / matrix.sum()),
        balanced_accuracy=float(np.nanmean(recall)),
    )
