"""How well a score ranks, and how far two annotators agree, from plain arrays.

Both are used where loading scikit-learn, 2 s, would be felt: `auc` also a thousand times for one
interval, and its kappa has no standard error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.reports.intervals import Interval

_Floats = NDArray[np.float64]

_LEVEL = 0.95


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


@dataclass(frozen=True)
class Agreement:
    """How far two annotators agree.

    Attributes
    ----------
    observed : float
        The share of messages with the same label from both.
    expected : float
        The share that chance would give annotators who use the labels as often as these.
    kappa : Interval
        Cohen's kappa: 1 for full agreement, 0 for chance.
    standard_error : float
        Of kappa.
    """

    observed: float
    expected: float
    kappa: Interval
    standard_error: float


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> Agreement:
    """Return Cohen's kappa of two annotators with its large-sample standard error.

    Parameters
    ----------
    first, second : sequence of str, length n_messages
        The annotators' labels of the same messages.

    Returns
    -------
    Agreement
        With the 95 % interval, cut off at -1 and 1. Full agreement has a standard error of 0,
        however few the messages.

    Raises
    ------
    ValueError
        If the lengths differ, there are no labels, or both annotators used one and the same
        label alone: chance then always agrees, and kappa is undefined.

    References
    ----------
    Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20, 1960. Fleiss, Cohen and Everitt, "Large sample standard errors of kappa and
    weighted kappa", Psychological Bulletin 72, 1969.

    Examples
    --------
    >>> agreement = cohen_kappa(["TA", "TA", "NTA", "NTA"], ["TA", "NTA", "NTA", "NTA"])
    >>> agreement.observed, agreement.kappa.estimate
    (0.75, 0.5)
    """
    shares = _joint_shares(first, second)
    observed = float(np.trace(shares))
    expected = float(shares.sum(axis=1) @ shares.sum(axis=0))
    kappa = (observed - expected) / (1 - expected)
    error = _standard_error(shares, kappa, expected, len(first))
    return Agreement(observed, expected, _interval(kappa, error), error)


def _joint_shares(first: Sequence[str], second: Sequence[str]) -> _Floats:
    """Return the share of messages for each pair of labels: rows the first annotator's."""
    if len(first) != len(second):
        msg = f"the annotators labelled {len(first)} and {len(second)} messages: not the same ones"
        raise ValueError(msg)
    labels, codes = np.unique([*first, *second], return_inverse=True)
    if len(labels) < 2:
        msg = "kappa is undefined: both annotators used the same single label, or none"
        raise ValueError(msg)
    pairs = codes[: len(first)] * len(labels) + codes[len(first) :]
    counts = np.bincount(pairs, minlength=len(labels) ** 2)
    return counts.reshape(len(labels), len(labels)) / len(first)


def _standard_error(shares: _Floats, kappa: float, expected: float, n_messages: int) -> float:
    by_first, by_second = shares.sum(axis=1), shares.sum(axis=0)
    agreeing = np.diag(shares) @ (1 - (by_first + by_second) * (1 - kappa)) ** 2
    squares = (by_second[:, np.newaxis] + by_first) ** 2
    differing = (1 - kappa) ** 2 * ((shares * squares).sum() - np.trace(shares * squares))
    spread = agreeing + differing - (kappa - expected * (1 - kappa)) ** 2
    # Of full agreement, rounding may leave a little less than nothing.
    return math.sqrt(max(spread, 0) / n_messages) / (1 - expected)


def _interval(kappa: float, error: float) -> Interval:
    reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * error
    return Interval(kappa, max(kappa - reach, -1.0), min(kappa + reach, 1.0), _LEVEL)


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
