"""Names of the features of words, and the column or the weight of each."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

# Column 0 of a table of features: what has no weight.
NOTHING = 0
SIDES = {-2: "two words after", -1: "after", 1: "before", 2: "two words before"}


def is_of_context(name: str) -> bool:
    return name.startswith(tuple(f"{side}: " for side in SIDES.values()))


def is_lexical(name: str) -> bool:
    """Tell if a feature is of the letters of a word, or of a neighbour that is a given word."""
    if name.startswith(("ends in -", "starts with ")):
        return True
    context = name.partition(": ")[2].partition(" | ")[0]
    return is_of_context(name) and context[:1].isalpha() and context.islower()


class FeatureNames(dict[str, int]):
    """Columns of named features, from 1 on; or their weights, which add up."""

    def __init__(
        self,
        names: Iterable[str] = (),
        grows: bool = False,
        weights: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(weights or {name: column for column, name in enumerate(names, 1)})
        self.grows, self._adds_up = grows, weights is not None

    def __missing__(self, name: str) -> int:
        """Give a new feature its column, or none."""
        if not self.grows:
            return NOTHING
        self[name] = column = len(self) + 1
        return column

    def width(self, n: int, together: bool = True) -> int:
        """Return how many values there are of so many names, if they always go together."""
        return 1 if self._adds_up and together else n

    def table(
        self, rows: Sequence[Sequence[str]], n: int, together: bool = True
    ) -> NDArray[np.int32]:
        """Return the values of rows of names, up to `n` in each, of shape (width, n_rows)."""
        none = (NOTHING,) * n
        found = [(*map(self.__getitem__, names), *none[len(names) :]) for names in rows]
        table: NDArray[np.int32] = np.array(found, dtype=np.int32).reshape(-1, n).T
        if self._adds_up and together:
            table = table.sum(axis=0, keepdims=True, dtype=np.int32)
        return table
