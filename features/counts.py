"""Counting while a corpus passes by: totals by number, and by pairs of numbers.

All values are whole numbers, so that the sums are the same in whatever order they are added.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Totals:
    """Adds up columns of values for things that are numbered from 0."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._columns: Integers = np.zeros((len(names), 0), dtype=np.int64)

    def __getitem__(self, name: str) -> Integers:
        """Return a column, over the numbers met so far and perhaps more."""
        column: Integers = self._columns[self._names.index(name)]
        return column

    def add(self, number: Integers, **values: NDArray[Any] | int) -> None:
        """Add values to the columns of these numbers."""
        missing = int(number.max(initial=-1)) + 1 - self._columns.shape[1]
        if missing > 0:
            room = max(missing, self._columns.shape[1])
            self._columns = np.pad(self._columns, ((0, 0), (0, room)))
        for name, value in values.items():
            if isinstance(value, int):
                more = np.bincount(number) * value
            elif value.dtype == np.bool_:
                more = np.bincount(number[value])
            else:
                # Exact: sums stay far below 2**53.
                more = np.bincount(number, value).astype(np.int64)
            self[name][: len(more)] += more

    def table(self, n: int) -> Integers:
        """Return the columns of the numbers below `n`, of shape (n, n_columns)."""
        return np.pad(self._columns, ((0, 0), (0, n)))[:, :n].T


class TwoHighest:
    """Keeps the two highest values for things that are numbered from 0."""

    def __init__(self) -> None:
        self.first: Integers = np.zeros(0, dtype=np.int64)
        self.second: Integers = np.zeros(0, dtype=np.int64)

    def add(self, number: Integers, value: Integers) -> None:
        """Take in values between -2**31 and 2**31."""
        n = max(len(self.first), int(number.max(initial=-1)) + 1)
        first, second = (np.full(n, LOWEST, dtype=np.int64) for _ in range(2))
        # Number and value in one: sorting is fast that way.
        ranked = np.sort((number << _BITS) + (value - LOWEST))
        number, value = ranked >> _BITS, (ranked & ((1 << _BITS) - 1)) + LOWEST
        is_last = np.append(number[1:] != number[:-1], True)[: len(number)]
        first[number[is_last]] = value[is_last]
        is_next = np.append(is_last[1:], False)[: len(number)] & ~is_last
        second[number[is_next]] = value[is_next]
        padding = (0, n - len(self.first))
        known_first = np.pad(self.first, padding, constant_values=LOWEST)
        known_second = np.pad(self.second, padding, constant_values=LOWEST)
        self.second = np.maximum(np.minimum(first, known_first), np.maximum(second, known_second))
        self.first = np.maximum(first, known_first)

    def other(self, number: Integers, value: Integers) -> Integers:
        """Return for each value the highest of its number but itself; `LOWEST` without any."""
        return np.where(value >= self.first[number], self.second[number], self.first[number])


_BITS = 32
LOWEST = -(1 << 31)


class PairCounts:
    """Counts and sums for pairs of numbers, in memory that grows with the distinct pairs."""

    def __init__(self) -> None:
        empty: Integers = np.zeros(0, dtype=np.int64)
        self._keys, self._n, self._sums = empty, empty, empty
        self._waiting: list[tuple[Integers, Integers, Integers]] = []
        self._n_waiting = 0

    def add(self, one: Integers, other: Integers, n: Integers, value: Integers) -> None:
        """Take in pairs, how often each came, and the sums of their values."""
        self._waiting.append((_key(one, other), n, value))
        self._n_waiting += len(value)
        # Sorting waits until a part of all has come: so that it does not grow quadratic.
        if self._n_waiting > max(len(self._keys) // 4, _FEWEST_TO_SORT):
            self.settle()

    def add_known(self, one: Integers, other: Integers, n: Integers, value: Integers) -> None:
        """Take in pairs, each once, but those that were not met before."""
        self.settle()
        if not len(self._keys):
            return
        keys = _key(one, other)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_known = self._keys[at] == keys
        self._n[at[is_known]] += n[is_known]
        self._sums[at[is_known]] += value[is_known]

    def get(self, one: Integers, other: Integers) -> tuple[Integers, Integers]:
        """Return the counts and the sums of pairs; 0 of a pair that was not taken in."""
        self.settle()
        keys = _key(one, other)
        at = np.searchsorted(self._keys, keys)
        at[at == len(self._keys)] = 0
        if not len(self._keys):
            return np.zeros_like(keys), np.zeros_like(keys)
        is_known = self._keys[at] == keys
        return self._n[at] * is_known, self._sums[at] * is_known

    def slices(self) -> Iterator[tuple[Integers, Integers, Integers, Integers]]:
        """Yield all pairs in order, some at a time, with their counts and sums."""
        self.settle()
        for start in range(0, len(self._keys), _SLICE):
            some = slice(start, start + _SLICE)
            keys = self._keys[some]
            yield keys >> _BITS, keys & ((1 << _BITS) - 1), self._n[some], self._sums[some]

    def settle(self) -> None:
        """Sort in what waits."""
        if not self._waiting:
            return
        keys, n, sums = map(np.concatenate, zip(*self._waiting, strict=True))
        self._waiting, self._n_waiting = [], 0
        if not (keys[1:] > keys[:-1]).all():  # of a table they are in order
            keys, n, sums = _added_up(keys, n, sums)
        at = np.searchsorted(self._keys, keys)
        is_known = np.zeros(len(keys), dtype=np.bool_)
        if len(self._keys):
            is_known = self._keys[np.minimum(at, len(self._keys) - 1)] == keys
        self._n[at[is_known]] += n[is_known]
        self._sums[at[is_known]] += sums[is_known]
        # Column by column: two of the longest arrays need not be there at a time.
        at, is_new = at[~is_known], ~is_known
        self._keys = np.insert(self._keys, at, keys[is_new])
        self._n = np.insert(self._n, at, n[is_new])
        self._sums = np.insert(self._sums, at, sums[is_new])


_FEWEST_TO_SORT = _SLICE = 250_000


def _added_up(keys: Integers, n: Integers, sums: Integers) -> tuple[Integers, Integers, Integers]:
    """Return distinct keys in order, and the sums of their values."""
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    return keys[first], np.add.reduceat(n[order], first), np.add.reduceat(sums[order], first)


def _key(one: Integers, other: Integers) -> Integers:
    key: Integers = (one << _BITS) | other
    return key
