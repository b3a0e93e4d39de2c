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
        distinct, places = np.unique(column, return_inverse=True)
        counts = _counts(places, len(distinct), classes)
        after = _accepted_cuts(np.pad(counts.cumsum(axis=1), ((0, 0), (1, 0))))
        cuts.append((distinct[after - 1] + distinct[after]) / 2)
        counts = _counts(np.searchsorted(cuts[-1], column), len(after) + 1, classes)
        gains.append(float(_entropy(counts.sum(axis=1)) - _entropy(*counts.T)))
    # The order of summation may set equal gains apart by a last digit.
    order = sorted(range(len(names)), key=lambda i: -round(gains[i], 12))
    return [
        Ranked(place, names[i], gains[i], tuple(cuts[i].tolist()))
        for place, i in enumerate(order, start=1)
    ]


def _counts(places: _Ints, n_places: int, classes: _Ints) -> _Ints:
    """Count each class in each place, shape (n_classes, n_places)."""
    n_classes = int(classes.max()) + 1
    cells = np.bincount(classes * n_places + places, minlength=n_classes * n_places)
    return cells.reshape(n_classes, n_places)


def _accepted_cuts(below: _Ints) -> _Ints:
    """Return the cuts worth their cost, as places among the distinct values."""
    accepted: list[int] = []
    pending = [(0, below.shape[1] - 1)]
    while pending:
        first, end = pending.pop()
        cut = _best_cut(below[:, first : end + 1] - below[:, [first]])
        if cut is not None:
            accepted.append(first + cut)
            pending += [(first, first + cut), (first + cut, end)]
    return np.array(sorted(accepted), dtype=np.int64)


def _best_cut(below: _Ints) -> int | None:
    """Return the cut that leaves the least entropy, or None if it is not worth its cost."""
    left = below[:, 1:-1]
    n_cuts = left.shape[1]
    if not n_cuts:
        return None
    right = below[:, [-1]] - left
    best = int(np.argmin(_entropy(left, right)))
    return best + 1 if _is_worth_it(left[:, best], right[:, best], n_cuts) else None


def _is_worth_it(left: _Ints, right: _Ints, n_cuts: int) -> bool:
    """Return whether a cut passes the criterion of minimum description length (section 3)."""
    whole = left + right
    gain = float(_entropy(whole) - _entropy(left, right))
    saved = _class_bits(whole) - _class_bits(right) - _class_bits(left)
    delta = math.log2(3 ** int(np.count_nonzero(whole)) - 2) - saved
    return gain > (math.log2(n_cuts) + delta) / int(whole.sum())


def _class_bits(counts: _Ints) -> float:
    """Return the entropy of the classes times how many of them occur."""
    return int(np.count_nonzero(counts)) * float(_entropy(counts))


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
