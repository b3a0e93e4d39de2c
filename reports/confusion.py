"""How predicted labels compare with true ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


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

    matrix: _Ints
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
    matrix = _matrix(true, predicted, classes)
    hits, support, claimed = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    recall = _shares(hits, support)
    measures = (support, _shares(hits, claimed), recall, _shares(2 * hits, support + claimed))
    rows = zip(classes, *(measure.tolist() for measure in measures), strict=True)
    return Confusion(
        matrix=matrix,
        by_class=tuple(ClassMeasures(*row) for row in rows),
        accuracy=float(hits.sum() / matrix.sum()),
        balanced_accuracy=float(np.nanmean(recall)),
    )


def auc(score: ArrayLike, positive: ArrayLike) -> float:
    """Return the area under the ROC curve.

    That is the share of pairs of a positive and a negative message in which the positive one
    scores higher; a tie counts half.

    Parameters
    ----------
    score : array_like of float, shape (n_messages,)
    positive : array_like of bool, shape (n_messages,)

    Returns
    -------
    float
        Between 0 and 1; 0.5 for a score that tells nothing.

    Raises
    ------
    ValueError
        If the lengths differ, a score is nan, or all messages are positive, or none.

    References
    ----------
    Hanley and McNeil, "The meaning and use of the area under a receiver operating
    characteristic (ROC) curve", Radiology 143, 1982.

    Examples
    --------
    >>> auc([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    0.75
    """
    scores, is_positive = np.asarray(score, dtype=np.float64), np.asarray(positive, dtype=bool)
    _check_scores(scores, is_positive)
    n_positive = int(is_positive.sum())
    n_negative = len(is_positive) - n_positive
    # The ranks of the positive ones count the pairs they win, and those among themselves.
    wins = _ranks(scores)[is_positive].sum() - n_positive * (n_positive + 1) / 2
    return float(wins / (n_positive * n_negative))


def _matrix(true: Sequence[str], predicted: Sequence[str], classes: Sequence[str]) -> _Ints:
    if len(true) != len(predicted) or not len(true):
        msg = f"labels do not pair up: {len(true)} true ones, {len(predicted)} predicted ones"
        raise ValueError(msg)
    place = {label: i for i, label in enumerate(classes)}
    unknown = {*true, *predicted} - place.keys()
    if unknown:
        msg = f"not among the classes: {', '.join(sorted(unknown))}"
        raise ValueError(msg)
    rows, columns = (np.array([place[label] for label in labels]) for labels in (true, predicted))
    counts = np.bincount(rows * len(place) + columns, minlength=len(place) ** 2)
    return counts.reshape(len(place), len(place))


def _shares(part: _Ints, whole: _Ints) -> _Floats:
    """Divide, with nan for 0/0."""
    shares = np.full(len(whole), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def _check_scores(scores: _Floats, is_positive: NDArray[np.bool_]) -> None:
    if scores.shape != is_positive.shape:
        msg = f"one score a message was expected: {scores.size} scores, {is_positive.size} messages"
        raise ValueError(msg)
    if np.isnan(scores).any():
        msg = f"every score must be a number, {np.isnan(scores).sum()} are not"
        raise ValueError(msg)
    if is_positive.all() or not is_positive.any():
        msg = "the area needs both positive and negative messages"
        raise ValueError(msg)


def _ranks(scores: _Floats) -> _Floats:
    """Return ranks from 1; equal scores share the mean of their ranks."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    mean_rank = counts.cumsum() - (counts - 1) / 2
    return np.asarray(mean_rank[places])
