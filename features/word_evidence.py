"""Word evidence: how surely a word, in its place, identifies someone.

A logistic regression over what is seen of the word and its neighbours (the feature families of
Grouin, 2013, chapter 5: token, lexicons, surface, context). Every feature has a name that a
person can read, and one weight; scoring adds weights up.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

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
    """The features of each word of some messages."""

    columns: NDArray[np.int32]
    places: Places
    index: WordIndex
    starting: NDArray[np.int64]
    lowered_looks: NDArray[np.int32]

    def read_by(self, weights: NDArray[Any]) -> NDArray[np.int32]:
        """Return the columns with which words weigh most: a capital at the start lowers none."""
        columns, at = self.columns, self.starting
        written = weights[columns[at, LOOKS]].sum(axis=1)
        better = weights[self.lowered_looks].sum(axis=1) > written
        if better.any():
            columns = columns.copy()
            columns[at[better], LOOKS] = self.lowered_looks[better]
        return columns


class WordFeatures:
    """Finds the features of words, and remembers the distinct words that it has met."""

    def __init__(self, lexicon: Lexicon, names: Features) -> None:
        self._names = names
        self._reader = TraitReader(lexicon)
        self._met = _Met(self._reader, names)

    def see(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> SeenWords:
        """Return the features of every word."""
        values = self.values(labelled, lowered)
        columns = np.column_stack(
            [*values.own, values.look, *values.contexts, values.before, values.after]
        )
        return SeenWords(columns, values.places, self.index, values.starting, values.lowered_looks)

    def values(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> "WordValues":
        """Return what belongs to the features of every word; arguments as for `see`."""
        if len(self._met.index) >= _MOST_KNOWN:
            self._met = _Met(self._reader, self._names)
        return self._met.values(labelled, lowered)

    @property
    def index(self) -> WordIndex:
        """The words met so far."""
        return self._met.index


class WordValues(NamedTuple):
    """Values for the features of words (`Features`), part by part."""

    own: NDArray[np.int32]
    look: NDArray[np.int32]
    contexts: list[NDArray[np.int32]]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    places: Places
    starting: NDArray[np.int64]
    lowered_looks: NDArray[np.int32]


class _Met:
    """The words met so far, and what belongs to the features that hold of them in their places."""

    def __init__(self, reader: TraitReader, names: Features) -> None:
        self._names = names
        self.index = WordIndex(reader, names.own, names.n_own)
        self._looks = Lazy(names.n_look, self._look)
        self._contexts = Lazy(len(OFFSETS), self._context)
        self._before, self._after = (Lazy(1, partial(self._pair, offset)) for offset in _PAIRED)

    def values(self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None) -> WordValues:
        index = self.index
        where = places(labelled, index, lowered)
        look = index.column(Column.LOOK)[where.number].astype(np.int64)
        context = index.column(Column.CONTEXT)
        there = {offset: context[seen] for offset, seen in where.neighbours.items()}
        if lowered is not None:
            look[lowered] = index.column(Column.LOWER_LOOK)[where.number[lowered]]
            self._lower_neighbours(there, where, lowered)
        group = index.column(Column.GROUP)[where.number].astype(np.int64)
        starting = np.flatnonzero(where.starts & where.is_capital)
        lower = index.column(Column.LOWER_LOOK)[where.number[starting]].astype(np.int64)
        lowered_looks = self._looks[(lower * 2 + 1) * len(Habit) + where.habit[starting]]
        return WordValues(
            index.own_columns[:, where.number],
            self._looks[(look * 2 + where.starts) * len(Habit) + where.habit],
            [self._contexts[there[offset]][:, i] for i, offset in enumerate(OFFSETS)],
            self._before[(there[-1].astype(np.int64) << _GROUP_BITS) | group],
            self._after[(there[1].astype(np.int64) << _GROUP_BITS) | group],
            where,
            starting,
            lowered_looks,
        )

    def _lower_neighbours(
        self, there: dict[int, NDArray[np.int32]], where: Places, lowered: NDArray[np.bool_]
    ) -> None:
        """Let words see their neighbours as if these were written without capitals."""
        context = self.index.column(Column.LOWER_CONTEXT)
        for offset, seen in there.items():
            number = where.neighbours[offset]
            at = np.flatnonzero(number != NO_WORD)
            at = at[lowered[at + offset]]
            seen[at] = context[number[at]]

    def _context(self, code: int) -> tuple[int, ...]:
        context = self.index.contexts.items_in_order[code]
        return self._names.of(f"{SIDES[offset]}: {context}" for offset in OFFSETS)

    def _look(self, code: int) -> tuple[int, ...]:
        """Return the values of group, case and lists at the beginning and inside a sentence."""
        rest, habit = divmod(code, len(Habit))
        number, starts = divmod(rest, 2)
        group, case, lists = self.index.looks.items_in_order[number]
        return self._names.look(_look_names(group, case, lists, bool(starts), Habit(habit)))

    def _pair(self, offset: int, code: int) -> tuple[int, ...]:
        """Return the value of a neighbour together with the group of the word."""
        context = self.index.contexts.items_in_order[code >> _GROUP_BITS]
        group = self.index.groups.items_in_order[code & ((1 << _GROUP_BITS) - 1)]
        return self._names.of([f"{SIDES[offset]}: {context} | {group}"])


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
        self._lexicon = lexicon
        self._weights = weights
        self._names = ["", *learnt.weights]
        self._intercept = int(units([learnt.intercept])[0])

    def score(self, labelled: LabelledMessages) -> "ScoredWords":
        """Return the evidence of every word."""
        seen = self._features.values(labelled)
        look = seen.look[:, 0]
        # A capital at the start lowers no word.
        look[seen.starting] = np.maximum(look[seen.starting], seen.lowered_looks[:, 0])
        total = self._intercept + seen.own[0] + look
        for weight in (*seen.contexts, seen.before[:, 0], seen.after[:, 0]):
            total += weight
        log_odds = total / UNITS
        log_odds[~seen.places.is_candidate] = NO_CANDIDATE
        return ScoredWords(log_odds, seen.places, self._features.index)

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
