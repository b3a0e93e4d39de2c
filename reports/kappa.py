"""Agreement of two annotators beyond chance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from triage.reports.intervals import Interval

_Floats = NDArray[np.float64]

_LEVEL = 0.95


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
