"""Counting while a corpus passes by: totals by number, and by pairs of numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Totals:
    """Adds up columns of values for things that are numbered from 0.

    Parameters
    ----------
    *names : str
        Of the columns; each is an attribute-like item, an array over the numbers met so far.

    Examples
    --------
    >>> totals = Totals("n", "capitals")
    >>> totals.add(np.array([0, 2, 2]), n=1, capitals=np.array([True, False, True]))
    >>> totals["n"].tolist(), totals["capitals"].tolist()
    ([1.0, 0.0, 2.0], [1.0, 0.0, 1.0])
    """

    def __init__(self, *names: str) -> None:
        self._columns: dict[str, NDArray[np.float64]] = {name: np.zeros(0) for name in names}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Return a column."""
        return self._columns[name]

    def add(self, number: NDArray[np.int64], **values: NDArray[Any] | int) -> None:
        """Add values to the columns of these numbers."""
        for name, value in values.items():
            weights = np.broadcast_to(np.asarray(value, dtype=float), number.shape)
            known = self._columns[name]
            more = np.bincount(number, weights, minlength=len(known)).astype(np.float64)
            more[: len(known)] = more[: len(known)] + known
            self._columns[name] = more


class TwoHighest:
    """Keeps the two highest values above 0 for things that are numbered from 0.

    Examples
    --------
    >>> highest = TwoHighest()
    >>> highest.add(np.array([0, 0, 0]), np.array([0.2, 0.9, 0.5]))
    >>> highest.other(np.array([0, 0]), np.array([0.9, 0.2])).tolist()
    [0.5, 0.9]
    """

    def __init__(self) -> None:
        self._first = np.zeros(0)
        self._second = np.zeros(0)

    def add(self, number: NDArray[np.int64], value: NDArray[np.float64]) -> None:
        """Take in values."""
        n = max(len(self._first), int(number.max(initial=-1)) + 1)
        first, second = np.zeros(n), np.zeros(n)
        order = np.lexsort((value, number))
        ranked, values = number[order], value[order]
        is_last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
        first[ranked[is_last]] = values[is_last]
        is_next = np.append(is_last[1:], False)[: len(ranked)] & ~is_last
        second[ranked[is_next]] = values[is_next]
        known_first = np.pad(self._first, (0, n - len(self._first)))
        known_second = np.pad(self._second, (0, n - len(self._second)))
        self._second = np.maximum(np.minimum(first, known_first), np.maximum(second, known_second))
        self._first = np.maximum(first, known_first)

    def other(self, number: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each value the highest of its number but itself."""
        return np.where(value >= self._first[number], self._second[number], self._first[number])


class PairCounts:
    """Counts and sums for pairs of numbers, in memory that grows with the distinct pairs.

    Examples
    --------
    >>> pairs = PairCounts()
    >>> pairs.add(np.array([1, 1]), np.array([7, 7]), np.array([0.5, 1.0]))
    >>> [column.tolist() for column in pairs.get(np.array([1]), np.array([7]))]
    [[2.0], [1.5]]
    """

    def __init__(self) -> None:
        self._keys = np.zeros(0, dtype=np.int64)
        self._n: NDArray[np.float64] = np.zeros(0)
        self._sums: NDArray[np.float64] = np.zeros(0)
        self._waiting: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
        self._n_waiting = 0

    def add(
        self, one: NDArray[np.int64], other: NDArray[np.int64], value: NDArray[np.float64]
    ) -> None:
        """Take in pairs and their values."""
        self._waiting.append((_key(one, other), value))
        self._n_waiting += len(value)
        # Sorting waits until as many have come as there are: so that it does not grow quadratic.
        if self._n_waiting > max(len(self._keys), _FEWEST_TO_SORT):
            self.settle()

    def get(
        self, one: NDArray[np.int64], other: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the counts and the sums of pairs that were all taken in."""
        self.settle()
        at = np.searchsorted(self._keys, _key(one, other))
        return self._n[at], self._sums[at]

    def settle(self) -> None:
        """Sort in what waits."""
        if not self._waiting:
            return
        keys = np.concatenate([self._keys, *(key for key, _ in self._waiting)])
        n = np.concatenate([self._n, np.ones(self._n_waiting)])
        sums = np.concatenate([self._sums, *(value for _, value in self._waiting)])
        self._keys, place = np.unique(keys, return_inverse=True)
        self._n = np.bincount(place, n).astype(np.float64)
        self._sums = np.bincount(place, sums).astype(np.float64)
        self._waiting, self._n_waiting = [], 0


_FEWEST_TO_SORT = 1_000_000


def _key(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    key: NDArray[np.int64] = (one << 32) | other
    return key
