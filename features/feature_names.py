"""Names of the features of words, and the columns or weights of each."""

from collections.abc import Iterable, Mapping

# Column 0 of a table of features: what has no weight.
NOTHING = 0
_N_OWN = 8
_N_LOOK = 3
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


class FeatureNames:
    """Names of features and their columns, from 1 on."""

    n_own, n_look = _N_OWN, _N_LOOK

    def __init__(self, names: Iterable[str] = (), grows: bool = False) -> None:
        self.columns = {name: column for column, name in enumerate(names, 1)}
        self.grows = grows

    def of(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the columns of names; 0 where one has none."""
        columns = self.columns
        if self.grows:
            return tuple([columns.setdefault(name, len(columns) + 1) for name in names])
        return tuple([columns.get(name, NOTHING) for name in names])

    def own(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the columns of what a word tells by itself, always as many."""
        columns = self.of(names)
        return columns + (NOTHING,) * (self.n_own - len(columns))

    def look(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the columns of case, place and label."""
        return self.of(names)


class FeatureWeights:
    """Weights of named features, by column; added up where they always go together."""

    n_own, n_look = 1, 1

    def __init__(self, weights: Mapping[str, int]) -> None:
        self._weights = weights

    def of(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the weights of names; 0 where one has none."""
        weights = self._weights
        return tuple([weights.get(name, 0) for name in names])

    def own(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the sum of the weights that a word has by itself."""
        return (sum(self.of(names)),)

    look = own


# Values of named features: of each (`of`), and of those that always go together.
Features = FeatureNames | FeatureWeights
