"""Names of the features of words, and the columns or weights of each."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

# Column 0 of a table of features: what has no weight.
NOTHING = 0
_N_OWN = 8
_N_LOOK = 3
_NONE = (NOTHING,) * _N_OWN
# The columns of a table that tell of case, place and label.
LOOKS = slice(_N_OWN, _N_OWN + _N_LOOK)
SIDES = {-2: "two words after", -1: "after", 1: "before", 2: "two words before"}


def is_of_context(name: str) -> bool:
    """Tell whether a feature is of a neighbour."""
    return name.startswith(tuple(f"{side}: " for side in SIDES.values()))


def is_lexical(name: str) -> bool:
    """Tell if a feature is of the letters of a word, or of a neighbour that is a given word."""
    if name.startswith(("ends in -", "starts with ")):
        return True
    context = name.partition(": ")[2].partition(" | ")[0]
    return is_of_context(name) and context[:1].isalpha() and context.islower()


Rows = Sequence[Sequence[str]]


class FeatureNames:
    """Names of features and their columns, from 1 on."""

    n_own, n_look = _N_OWN, _N_LOOK

    def __init__(self, names: Iterable[str] = (), grows: bool = False) -> None:
        self.columns = {name: column for column, name in enumerate(names, 1)}
        self.grows = grows

    def of(self, rows: Rows) -> NDArray[np.int32]:
        """Return the columns of names, of shape (n_names, n_rows); 0 where one has none."""
        return np.array([self._columns_of(names) for names in rows], dtype=np.int32).T

    def own(self, words: Rows) -> NDArray[np.int32]:
        """Return the columns of what words tell by themselves; shape (n_own, n_words)."""
        rows = [self._columns_of(names) + _NONE[len(names) :] for names in words]
        return np.array(rows, dtype=np.int32).T

    look = of

    def _columns_of(self, names: Sequence[str]) -> tuple[int, ...]:
        columns = self.columns
        if self.grows:
            return tuple([columns.setdefault(name, len(columns) + 1) for name in names])
        return tuple([columns.get(name, NOTHING) for name in names])


class FeatureWeights:
    """Weights of named features, by column; added up where they always go together."""

    n_own, n_look = 1, 1

    def __init__(self, weights: Mapping[str, int]) -> None:
        self._weights = weights

    def of(self, rows: Rows) -> NDArray[np.int32]:
        """Return the weights of names, of shape (n_names, n_rows); 0 where one has none."""
        weight = self._weights.get
        return np.array([[weight(name, 0) for name in names] for names in rows], dtype=np.int32).T

    def own(self, rows: Rows) -> NDArray[np.int32]:
        """Return the sums of the weights of names; shape (1, n_rows)."""
        weight = self._weights.get
        sums = [sum([weight(name, 0) for name in names]) for names in rows]
        return np.array([sums], dtype=np.int32)

    look = own


# Values of named features: of each (`of`), and of those that always go together.
Features = FeatureNames | FeatureWeights
