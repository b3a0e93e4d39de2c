"""Word evidence: how surely a word, in its place, identifies someone.

A logistic regression over what is seen of the word and its neighbours (the feature families of
Grouin, 2013, chapter 5: token, lexicons, surface, context). Every feature has a name that a
person can read, and one weight; scoring adds weights up.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.dictionaries import LabelledMessages, Lexicon
from triage.features.feature_names import LOOKS, SIDES, FeatureNames, Features, FeatureWeights
from triage.features.places import OFFSETS, Habit, Places, places
from triage.features.traits import Case, TraitReader
from triage.features.word_index import NO_WORD, Column, Lazy, WordIndex

_PAIRED = (-1, 1)


@dataclass(frozen=True)
class SeenWords:
    """Values of the features of each word of some messages (`Features`), part by part.

    Each part has the shape (n_values, n_words). Words that start a sentence with a capital,
    `starting`, have a look without it, too.
    """

    own: NDArray[np.int32]
    look: NDArray[np.int32]
    contexts: tuple[NDArray[np.int32], ...]
    starting: NDArray[np.int64]
    lowered_look: NDArray[np.int32]
    places: Places
    index: WordIndex

    @cached_property
    def columns(self) -> NDArray[np.int32]:
        """The values of each word, of shape (n_words, n_values)."""
        return np.column_stack([*self.own, *self.look, *self.contexts])

    def read_by(self, weights: NDArray[Any]) -> NDArray[np.int32]:
        """Return the columns with which words weigh most: a capital at the start lowers none."""
        columns, at, lowered = self.columns, self.starting, self.lowered_look.T
        written = weights[columns[at, LOOKS]].sum(axis=1)
        better = weights[lowered].sum(axis=1) > written
        if better.any():
            columns = columns.copy()
            columns[at[better], LOOKS] = lowered[better]
        return columns


class WordFeatures:
    """Finds the features of words, and remembers the distinct words that it has met."""

    def __init__(self, lexicon: Lexicon, names: Features) -> None:
        self._names = names
        self.index = WordIndex(TraitReader(lexicon), names)
        self._looks = Lazy(names.n_look, self._of_looks)
        self._contexts = Lazy(len(OFFSETS), self._of_contexts)
        self._pairs = {offset: Lazy(1, partial(self._of_pairs, offset)) for offset in _PAIRED}

    def see(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> SeenWords:
        """Return the features of every word."""
        index = self.index
        where = places(labelled, index, lowered)
        number, starts, habit = where.number, where.starts, where.habit.astype(np.int64)
        look = index.column(Column.LOOK).take(number).astype(np.int64)
        context = index.column(Column.CONTEXT).astype(np.int64)
        there = {offset: context.take(where.beside(offset)) for offset in OFFSETS}
        if lowered is not None:
            look[lowered] = index.column(Column.LOWER_LOOK)[number[lowered]]
            self._lower_neighbours(there, where, lowered)
        group = index.column(Column.GROUP).take(number)
        starting = np.flatnonzero(starts & where.is_capital)
        lower = index.column(Column.LOWER_LOOK)[number[starting]].astype(np.int64)
        lowered_look = self._looks[(lower * 2 + 1) * len(Habit) + habit[starting]]
        return SeenWords(
            index.own_columns.take(number, axis=1),
            self._looks[(look * 2 + starts) * len(Habit) + habit],
            (
                *(self._contexts.column(i, there[offset]) for i, offset in enumerate(OFFSETS)),
                *(
                    pairs.column(0, (there[offset] << _GROUP_BITS) | group)
                    for offset, pairs in self._pairs.items()
                ),
            ),
            starting,
            lowered_look,
            where,
            index,
        )

    def _lower_neighbours(
        self, there: dict[int, NDArray[np.int64]], where: Places, lowered: NDArray[np.bool_]
    ) -> None:
        """Let words see their neighbours as if these were written without capitals."""
        context = self.index.column(Column.LOWER_CONTEXT)
        for offset, seen in there.items():
            number = where.beside(offset)
            at = np.flatnonzero(number != NO_WORD)
            at = at[lowered[at + offset]]
            seen[at] = context[number[at]]

    def _of_contexts(self, codes: list[int]) -> NDArray[np.int32]:
        contexts = self.index.contexts.items_in_order
        return self._names.of(
            [[f"{SIDES[offset]}: {contexts[code]}" for offset in OFFSETS] for code in codes]
        )

    def _of_looks(self, codes: list[int]) -> NDArray[np.int32]:
        """Return the values of group, case and lists at the beginning and inside a sentence."""
        looks = self.index.looks.items_in_order
        return self._names.look(
            [
                _look_names(*looks[code // 2 // len(Habit)], bool(code // len(Habit) % 2), habit)
                for code in codes
                for habit in [Habit(code % len(Habit))]
            ]
        )

    def _of_pairs(self, offset: int, codes: list[int]) -> NDArray[np.int32]:
        """Return the values of neighbours together with the group of the word."""
        contexts, groups = self.index.contexts.items_in_order, self.index.groups.items_in_order
        side, of_group = SIDES[offset], (1 << _GROUP_BITS) - 1
        return self._names.of(
            [
                (f"{side}: {contexts[code >> _GROUP_BITS]} | {groups[code & of_group]}",)
                for code in codes
            ]
        )


# There are some twenty groups of words.
_GROUP_BITS = 6
# A corpus of 90,000 messages has a fifth of that.
_MOST_KNOWN = 300_000


def _look_names(
    group: str, case: Case, lists: str, starts: bool, habit: Habit
) -> tuple[str, str, str]:
    at = "starting" if starts else "inside"
    look = f"{case.value} {at}"
    return (
        f"{group}, {look}",
        f"{group}, {look}, message with {_HABITS[habit]}",
        f"in {lists or 'no list'}, {look}",
    )


_HABITS = {
    Habit.ALL_CAPITALS: "capitals only",
    Habit.NONE_INSIDE: "no capital inside",
    Habit.MANY_INSIDE: "many capitals",
    Habit.SOME_INSIDE: "some capitals",
}


@dataclass(frozen=True)
class WordWeights:
    """The learnt weights of words: one for each named feature."""

    intercept: float
    weights: dict[str, float]


class WordScorer:
    """Scores words with weights that were learnt."""

    def __init__(self, lexicon: Lexicon, learnt: WordWeights) -> None:
        weights = units([0.0, *learnt.weights.values()])
        of_names = dict(zip(learnt.weights, weights[1:].tolist(), strict=True))
        self._features = WordFeatures(lexicon, FeatureWeights(of_names))
        self._of_names, self._lexicon = of_names, lexicon
        self._weights = weights
        self._names = ["", *learnt.weights]
        self._intercept = int(units([learnt.intercept])[0])

    def score(self, labelled: LabelledMessages) -> "ScoredWords":
        """Return the evidence of every word."""
        features = self._features
        if len(features.index) >= _MOST_KNOWN:
            features = WordFeatures(self._lexicon, FeatureWeights(self._of_names))
            self._features = features
        seen = features.see(labelled)
        look, at = seen.look[0], seen.starting
        # A capital at the start lowers no word.
        look[at] = np.maximum(look[at], seen.lowered_look[0])
        total = self._intercept + seen.own[0] + look
        for weight in seen.contexts:
            total += weight
        log_odds = total / UNITS
        log_odds[~seen.places.is_candidate] = NO_CANDIDATE
        return ScoredWords(log_odds, seen.places, features.index)

    def reasons(self, labelled: LabelledMessages, most: int = 3) -> list[list[str]]:
        """Return for every word the features that told most for it."""
        found = []
        for columns in self._by_name.see(labelled).read_by(self._weights).tolist():
            telling = sorted((c for c in columns if self._weights[c] > 0), key=self._rank)
            found.append([self._names[column] for column in telling[:most]])
        return found

    @cached_property
    def _by_name(self) -> WordFeatures:
        return WordFeatures(self._lexicon, FeatureNames(self._names[1:]))

    def _rank(self, column: int) -> tuple[float, str]:
        return -float(self._weights[column]), self._names[column]


# Weights are rounded to four decimals: counted in units of the last one, they add up to the same
# sum in whatever order.
UNITS = 10_000


def units(log_odds: ArrayLike) -> NDArray[np.int64]:
    """Return log odds, or weights, as whole numbers of `UNITS` to one."""
    return np.rint(np.asarray(log_odds, dtype=np.float64) * UNITS).astype(np.int64)


# The log odds of what is no candidate: signs, pictures, what is masked already.
NO_CANDIDATE = -20.0


@dataclass(frozen=True)
class ScoredWords:
    """Words with the log odds that each identifies someone."""

    log_odds: NDArray[np.float64]
    places: Places
    index: WordIndex

    def weighed_anew(self, log_odds: NDArray[np.float64]) -> "ScoredWords":
        """Return the same words with other log odds."""
        return ScoredWords(log_odds, self.places, self.index)


def probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log odds as probabilities."""
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
