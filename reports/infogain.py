"""Information gain of numeric features about a label, by the rules of Weka 3.6."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ranked:
    """A feature's rank, from 1, its information gain in bits, and its cuts, ascending."""

    rank: int
    feature: str
    gain: float
    cut_points: tuple[float, ...]


def rank(table: ArrayLike, labels: ArrayLike, names: Sequence[str]) -> list[Ranked]:
    """Rank the features of a table by their information gain about the labels, descending."""
    classes = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)
    cuts, gains = list[_Floats](), list[float]()
    for column in np.asarray(table, dtype=np.float64).T:
        distinct, codes = np.unique(column, return_inverse=True)
        counts = _counts(codes, len(distinct), classes)
        accepted = _accepted_cuts(np.pad(counts.cumsum(axis=1), ((0, 0), (1, 0))))
        cuts.append((distinct[accepted - 1] + distinct[accepted]) / 2)
        counts = _counts(np.searchsorted(cuts[-1], column), len(accepted) + 1, classes)
        gains.append(float(_entropy(counts.sum(axis=1)) - _entropy(*counts.T)))
    # The order of summation may set equal gains apart by a last digit.
    order = sorted(range(len(names)), key=lambda i: -round(gains[i], 12))
    return [
        Ranked(place, names[i], gains[i], tuple(cuts[i].tolist()))
        for place, i in enumerate(order, start=1)
    ]


def _counts(codes: _Ints, n_codes: int, classes: _Ints) -> _Ints:
    """Count each class in each place, shape (n_classes, n_places)."""
    n_classes = int(classes.max()) + 1
    cells = np.bincount(classes * n_codes + codes, minlength=n_classes * n_codes)
    return cells.reshape(n_classes, n_codes)


def _accepted_cuts(below: _Ints) -> _Ints:
    """Return the cuts worth their cost, as places among the distinct values.

    A cut leaves the least entropy, and passes the criterion of minimum description length
    (section 3).
    """
    accepted: list[int] = []
    pending = [(0, below.shape[1] - 1)]
    while pending:
        first, end = pending.pop()
        left_counts = below[:, first + 1 : end] - below[:, [first]]
        if not (n_cuts := left_counts.shape[1]):
            continue
        total = below[:, end] - below[:, first]
        best = int(np.argmin(_entropy(left_counts, total[:, np.newaxis] - left_counts)))
        left, right = left_counts[:, best], total - left_counts[:, best]
        gain = float(_entropy(total) - _entropy(left, right))
        # The entropy of the classes, times how many of them occur.
        bits = [np.count_nonzero(one) * float(_entropy(one)) for one in (total, right, left)]
        saved = bits[0] - bits[1] - bits[2]
        delta = math.log2(3 ** int(np.count_nonzero(total)) - 2) - saved
        if gain > (math.log2(n_cuts) + delta) / int(total.sum()):
            cut = first + best + 1
            accepted.append(cut)
            pending += [(first, cut), (cut, end)]
    return np.array(sorted(accepted), dtype=np.int64)


def _entropy(*intervals: _Ints) -> _Floats:
    """Return the mean entropy of the classes within intervals, in bits."""
    total, n_messages = np.zeros((2, *intervals[0].shape[1:]))
    for counts in intervals:
        for count in counts:
            total = total + _n_log_n(count)
        size = counts.sum(axis=0)
        total = total - _n_log_n(size)
        n_messages = n_messages + size
    return np.asarray(-total / (n_messages * math.log(2)))


def _n_log_n(counts: _Ints) -> _Floats:
    return np.multiply(counts, np.log(np.maximum(counts, 1)), dtype=np.float64)
