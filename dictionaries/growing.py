"""Numbers for things in the order in which they come, and arrays that grow with them."""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")
MIN_ROOM = 1024


class Growing:
    """An array of integers to which columns are added; a view taken before stays what it was."""

    def __init__(self, height: int) -> None:
        self._room = np.zeros((height, MIN_ROOM), dtype=np.int32)
        self._n = 0

    def extend(self, columns: ArrayLike) -> None:
        """Add columns, each of as many values as there are rows."""
        new = np.asarray(columns, dtype=np.int32).reshape(-1, len(self._room))
        n = self._n + len(new)
        if n > self._room.shape[1]:
            room = np.zeros((len(self._room), 2 * n), dtype=np.int32)
            room[:, : self._n] = self._room[:, : self._n]
            self._room = room
        self._room[:, self._n : n] = new.T
        self._n = n

    def __len__(self) -> int:
        return self._n

    @property
    def values(self) -> NDArray[np.int32]:
        """All columns so far, as an array of shape (height, n_columns)."""
        return self._room[:, : self._n]


class Numbered(dict[T, int]):
    """Numbers things from 0 in the order in which they come: looking one up gives it a number."""

    def __init__(self) -> None:
        super().__init__()
        self.items_in_order: list[T] = []

    def __missing__(self, item: T) -> int:
        self[item] = number = len(self.items_in_order)
        self.items_in_order.append(item)
        return number

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
