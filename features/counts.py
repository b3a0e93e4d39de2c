"""Counting while a corpus passes by: totals by number, and by pairs of numbers.

All values are whole numbers, so that the sums are the same in whatever order they are added.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_BITS = 32
LOWEST = -(1 << 31)
_FEWEST_TO_SORT = _SLICE = 250_000


class Totals:
    """Adds up columns of values for things that are numbered from 0."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._columns: Integers = np.zeros((len(names), 1), dtype=np.int64)

    def __getitem__(self, name: str) -> Integers:
        """Return a column, over the numbers met so far and more, for -1 the last."""
        column: Integers = self._columns[self._names.index(name)]
        return column

    def add(self, number: Integers, **values: NDArray[Any] | int) -> None:
        """Add values to the columns of these numbers."""
        missing = int(number.max(initial=-1)) + 2 - self._columns.shape[1]
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
        self._values: Integers = np.full((2, 1), LOWEST, dtype=np.int64)

    def add(self, number: Integers, value: Integers) -> None:
        """Take in values between -2**31 and 2**31."""
        self._values = self._with_room(int(number.max(initial=-1)) + 2)
        met = np.flatnonzero(np.bincount(number))
        among = np.concatenate([value, *self._values[:, met]]) - LOWEST
        # Number and value in one: sorting is fast that way.
        ranked = np.sort((np.concatenate([number, met, met]) << _BITS) + among)
        last = np.flatnonzero(np.diff(ranked >> _BITS, append=-1))
        self._values[:, met] = (ranked[[last, last - 1]] & ((1 << _BITS) - 1)) + LOWEST

    def other(self, number: Integers, value: Integers) -> Integers:
        """Return for each value the highest of its number but itself; `LOWEST` without."""
        first, second = self._values[:, number]
        highest: Integers = np.where(value >= first, second, first)
        return highest

    def table(self, n: int) -> Integers:
        """Return the highest and the second highest of the numbers below `n`; shape (n, 2)."""
        return self._with_room(n)[:, :n].T

    def _with_room(self, n: int) -> Integers:
        missing = max(0, n - self._values.shape[1])
        return np.pad(self._values, ((0, 0), (0, missing)), constant_values=LOWEST)


class PairCounts:
    """Counts and sums for pairs of numbers, in memory that grows with the distinct pairs."""

    def __init__(self) -> None:
        # In order; the first is no pair.
        self._keys: Integers = np.array([-1], dtype=np.int64)
        self._n, self._sums = (np.zeros(1, dtype=np.int64) for _ in range(2))
        self._waiting: list[tuple[Integers, Integers, Integers]] = []
        self._n_waiting = 0

    def add(self, one: Integers, other: Integers, n: Integers, value: Integers) -> None:
        """Take in pairs, how often each came, and the sums of their values."""
        self._waiting.append(((one << _BITS) | other, n, value))
        self._n_waiting += len(value)
        # Sorting waits until a part of all has come: so that it does not grow quadratic.
        if self._n_waiting > max(len(self._keys) // 4, _FEWEST_TO_SORT):
            self.settle()

    def add_known(self, one: Integers, other: Integers, n: Integers, value: Integers) -> None:
        """Take in pairs, each once, but those that were not met before."""
        self.settle()
        self._add_known((one << _BITS) | other, n, value)

    def get(self, one: Integers, other: Integers) -> tuple[Integers, Integers]:
        """Return the counts and the sums of pairs; 0 of a pair that was not taken in."""
        self.settle()
        at, is_known = self._find((one << _BITS) | other)
        return np.where(is_known, self._n[at], 0), np.where(is_known, self._sums[at], 0)

    def _find(self, keys: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """Return where pairs stand, and which are known."""
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return at, self._keys[at] == keys

    def _add_known(self, keys: Integers, n: Integers, sums: Integers) -> NDArray[np.bool_]:
        """Add to the pairs that are known; return which they are."""
        at, is_known = self._find(keys)
        self._n[at[is_known]] += n[is_known]
        self._sums[at[is_known]] += sums[is_known]
        return is_known

    def slices(self) -> Iterator[Integers]:
        """Yield all pairs in order, some at a time, each with its count and its sum."""
        self.settle()
        for start in range(1, len(self._keys), _SLICE):
            some = slice(start, start + _SLICE)
            keys = self._keys[some]
            pairs = keys >> _BITS, keys & ((1 << _BITS) - 1)
            yield np.column_stack([*pairs, self._n[some], self._sums[some]])

    def settle(self) -> None:
        """Sort in what waits."""
        if not self._waiting:
            return
        keys, n, sums = map(np.concatenate, zip(*self._waiting, strict=True))
        self._waiting, self._n_waiting = [], 0
        if not (keys[1:] > keys[:-1]).all():  # of a table they are in order
            order = np.argsort(keys)
            keys = keys[order]
            first = np.flatnonzero(np.diff(keys, prepend=-2))
            keys, n, sums = keys[first], *(np.add.reduceat(one[order], first) for one in (n, sums))
        is_new = ~self._add_known(keys, n, sums)
        # Column by column: two of the longest arrays need not be there at a time.
        keys = keys[is_new]
        at = np.searchsorted(self._keys, keys)
        self._keys = np.insert(self._keys, at, keys)
        self._n = np.insert(self._n, at, n[is_new])
        self._sums = np.insert(self._sums, at, sums[is_new])
