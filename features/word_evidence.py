"""Word evidence: how surely a word, in its place, identifies someone.

A logistic regression over what is seen of the word and its neighbours (the feature families of
Grouin, 2013, chapter 5: token, lexicons, surface, context). Every feature has a name that a
person can read, and one weight; scoring adds weights up.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.dictionaries import LabelledMessages, Lexicon

from .traits import N_OWN, TraitReader
from .word_index import NO_WORD, Column, FeatureNames, Lazy, WordIndex

OFFSETS = (-2, -1, 1, 2)
# Of a habit with capitals.
_FEWEST_WORDS, _MANY = 3, 0.5
_SIDES = {-2: "two words after", -1: "after", 1: "before", 2: "two words before"}
_PAIRED = (-1, 1)
_N_LOOK = 3
# The columns of a table that tell of case, place and label.
_LOOKS = slice(N_OWN, N_OWN + _N_LOOK)
# There are some twenty groups of words.
_GROUP_BITS = 6
# A corpus of 90,000 messages has a fifth of that.
_MOST_KNOWN = 300_000
# Weights are rounded to four decimals: counted in units of the last one, they add up to the same
# sum in whatever order.
UNITS = 10_000
# The log odds of what is no candidate: signs, pictures, what is masked already.
NO_CANDIDATE = -20.0


class Habit(IntEnum):
    """The use of capitals in a message, which says what a capital is worth in it."""

    ALL_CAPITALS = 0
    NONE_INSIDE = 1
    MANY_INSIDE = 2
    SOME_INSIDE = 3


_HABITS = {
    Habit.ALL_CAPITALS: "capitals only",
    Habit.NONE_INSIDE: "no capital inside",
    Habit.MANY_INSIDE: "many capitals",
    Habit.SOME_INSIDE: "some capitals",
}


@dataclass(frozen=True)
class Places:
    """The places of n_words words, in few bytes: they are kept for the second stage."""

    number: NDArray[np.int32]
    message: NDArray[np.int32]
    starts: NDArray[np.bool_]
    habit: NDArray[np.int8]
    is_capital: NDArray[np.bool_]
    is_candidate: NDArray[np.bool_]

    def beside(self, offset: int) -> NDArray[np.int32]:
        """Return the word that stands so many words behind each word of the same message."""
        return _beside(self.number, self.message, offset)


def _beside(
    number: NDArray[np.int32], message: NDArray[np.int32], offset: int
) -> NDArray[np.int32]:
    there = np.full(len(number), NO_WORD, dtype=np.int32)
    if len(number) > abs(offset):
        to, of = (slice(None, -offset), slice(offset, None))
        if offset < 0:
            to, of = slice(-offset, None), slice(None, offset)
        there[to] = np.where(message[to] == message[of], number[of], NO_WORD)
    return there


def places(
    labelled: LabelledMessages, index: WordIndex, lowered: NDArray[np.bool_] | None = None
) -> Places:
    words = labelled.words
    number = index.numbers(labelled).astype(np.int32).take(words.form)

    def holds(column: Column, of: NDArray[np.int32] = number) -> NDArray[np.bool_]:
        return index.column(column).astype(np.bool_).take(of)

    before = _beside(number, words.message, -1)
    starts = holds(Column.ENDS_SENTENCE, before)
    begin = np.searchsorted(words.message, np.arange(words.n_messages + 1))
    for i in (i for i, message in enumerate(labelled.messages) if "\n" in message):
        signs = np.frombuffer(labelled.messages[i].encode("utf-32-le", "surrogatepass"), "<u4")
        line = np.searchsorted(np.flatnonzero(signs == 10), words.start[begin[i] : begin[i + 1]])
        starts[begin[i] + 1 : begin[i + 1]] |= np.diff(line) > 0
    capital, lower = holds(Column.IS_CAPITAL), holds(Column.IS_LOWER)
    if lowered is not None:
        lower |= lowered & holds(Column.CAN_BE_LOWER)
        capital &= ~lowered
    # The habit of each message, by its words in lower case, and by capitals inside.
    n_words, n_lower, n_inside = (
        np.bincount(words.message[which], minlength=words.n_messages)
        for which in (holds(Column.IS_WORD), lower, capital & (before != NO_WORD))
    )
    are_all_capitals = (n_lower == 0) & (n_words >= _FEWEST_WORDS)
    conditions = [are_all_capitals, n_inside == 0, n_inside > _MANY * n_words]
    habits = [Habit.ALL_CAPITALS, Habit.NONE_INSIDE, Habit.MANY_INSIDE]
    habit = np.select(conditions, habits, Habit.SOME_INSIDE).astype(np.int8)[words.message]
    return Places(number, words.message, starts, habit, capital, holds(Column.IS_CANDIDATE))


def is_of_context(name: str) -> bool:
    return name.startswith(tuple(f"{side}: " for side in _SIDES.values()))


def is_lexical(name: str) -> bool:
    """Tell if a feature is of the letters of a word, or of a neighbour that is a given word."""
    if name.startswith(("ends in -", "starts with ")):
        return True
    context = name.partition(": ")[2].partition(" | ")[0]
    return is_of_context(name) and context[:1].isalpha() and context.islower()


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
        written = weights[columns[at, _LOOKS]].sum(axis=1)
        better = weights[lowered].sum(axis=1) > written
        if better.any():
            columns = columns.copy()
            columns[at[better], _LOOKS] = lowered[better]
        return columns


class WordFeatures:
    """Finds the features of words, and remembers the distinct words that it has met."""

    def __init__(self, lexicon: Lexicon, names: FeatureNames) -> None:
        self.index = WordIndex(TraitReader(lexicon), names)
        self._looks = Lazy(names, self._of_look, _N_LOOK)
        self._contexts = Lazy(names, self._of_context, len(OFFSETS), together=False)
        self._pairs = {offset: Lazy(names, partial(self._of_pair, offset)) for offset in _PAIRED}

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
            # Neighbours are seen as if they were written without capitals, too.
            lower = index.column(Column.LOWER_CONTEXT)
            for offset, seen in there.items():
                beside = where.beside(offset)
                at = np.flatnonzero(beside != NO_WORD)
                at = at[lowered[at + offset]]
                seen[at] = lower[beside[at]]
        group = index.column(Column.GROUP).take(number)
        starting = np.flatnonzero(starts & where.is_capital)
        without = index.column(Column.LOWER_LOOK)[number[starting]].astype(np.int64)
        lowered_look = self._looks[(without * 2 + 1) * len(Habit) + habit[starting]]
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

    def _of_context(self, code: int) -> list[str]:
        context = self.index.contexts.items_in_order[code]
        return [f"{_SIDES[offset]}: {context}" for offset in OFFSETS]

    def _of_look(self, code: int) -> tuple[str, str, str]:
        """Name group, case and lists of a word at the beginning of a sentence or inside one."""
        look, habit = divmod(code, len(Habit))
        group, case, lists = self.index.looks.items_in_order[look // 2]
        at = f"{case.value} {'starting' if look % 2 else 'inside'}"
        return (
            f"{group}, {at}",
            f"{group}, {at}, message with {_HABITS[Habit(habit)]}",
            f"in {lists or 'no list'}, {at}",
        )

    def _of_pair(self, offset: int, code: int) -> tuple[str]:
        """Name a neighbour together with the group of the word."""
        context = self.index.contexts.items_in_order[code >> _GROUP_BITS]
        group = self.index.groups.items_in_order[code & ((1 << _GROUP_BITS) - 1)]
        return (f"{_SIDES[offset]}: {context} | {group}",)


@dataclass(frozen=True)
class WordWeights:
    """The learnt weights of words: one for each named feature."""

    intercept: float
    weights: dict[str, float]


class WordScorer:
    """Scores words with weights that were learnt."""

    def __init__(self, lexicon: Lexicon, learnt: WordWeights) -> None:
        self._lexicon = lexicon
        self._names = ["", *learnt.weights]
        self._weights = units([0.0, *learnt.weights.values()])
        self._intercept = int(units(learnt.intercept))
        self._features = self._anew()

    def _anew(self) -> WordFeatures:
        weights = dict(zip(self._names[1:], self._weights[1:].tolist(), strict=True))
        return WordFeatures(self._lexicon, FeatureNames(weights=weights))

    def score(self, labelled: LabelledMessages) -> "ScoredWords":
        features = self._features
        if len(features.index) >= _MOST_KNOWN:
            features = self._features = self._anew()
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
            rank = {c: (-float(self._weights[c]), self._names[c]) for c in columns}
            telling = sorted((c for c in columns if self._weights[c] > 0), key=rank.__getitem__)
            found.append([self._names[column] for column in telling[:most]])
        return found

    @cached_property
    def _by_name(self) -> WordFeatures:
        return WordFeatures(self._lexicon, FeatureNames(self._names[1:]))


def units(log_odds: ArrayLike) -> NDArray[np.int64]:
    """Return log odds, or weights, as whole numbers of `UNITS` to one."""
    return np.rint(np.asarray(log_odds, dtype=np.float64) * UNITS).astype(np.int64)


@dataclass(frozen=True)
class ScoredWords:
    """Words with the log odds that each identifies someone."""

    log_odds: NDArray[np.float64]
    places: Places
    index: WordIndex

    def weighed_anew(self, log_odds: NDArray[np.float64]) -> "ScoredWords":
        return ScoredWords(log_odds, self.places, self.index)


def probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
