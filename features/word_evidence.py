"""Word evidence: how surely a word, in its place, identifies someone.

A logistic regression over what is seen of the word and its neighbours (the feature families of
Grouin, 2013, chapter 5: token, lexicons, surface, context). Every feature has a name that a
person can read, and one weight; scoring adds weights up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.dictionaries import LabelledMessages, Lexicon
from triage.features.places import OFFSETS, Habit, Places, places
from triage.features.traits import AS_A_NAME, AS_A_WORD, Case, TraitReader
from triage.features.word_index import NO_WORD, Column, Lazy, WordIndex

# Column 0 of a table of features: what has no weight.
_NOTHING = 0
_N_OWN = 8
_N_LOOK = 3
_PAIRED = (-1, 1)
_SIDES = {-2: "two words after", -1: "after", 1: "before", 2: "two words before"}


def is_of_context(name: str) -> bool:
    """Tell whether a feature is of a neighbour."""
    return name.startswith(tuple(f"{side}: " for side in _SIDES.values()))


FAMILIES = (
    "lists and rules",
    "how common the word is",
    "beginnings and endings",
    "length and look",
    "case, place and label",
    "neighbours",
)


def family_of(name: str) -> str:
    """Return the family of a feature, of `FAMILIES`.

    Examples
    --------
    >>> family_of("ends in -ice"), family_of("after: chez")
    ('beginnings and endings', 'neighbours')
    """
    lists, common, affixes, look, case, neighbours = FAMILIES
    if is_of_context(name):
        return neighbours
    if name in (*AS_A_WORD, *AS_A_NAME):
        return common
    starts = {"rule ": lists, "in ": lists, "length ": look, "looks ": look}
    starts |= {"ends in -": affixes, "starts with ": affixes}
    found = (family for start, family in starts.items() if name.startswith(start))
    return next(found, case)


# All that `is_lexical` tells, to be left out in learning.
LEXICAL = "words of a language"


def is_lexical(name: str) -> bool:
    """Tell whether a feature is of the letters of a word, or of a neighbour that is a given word.

    What is learnt of it holds in one language.

    Examples
    --------
    >>> [is_lexical(name) for name in ("ends in -ice", "after: chez", "after: «!»", "after: TEL")]
    [True, True, False, False]
    """
    if family_of(name) == FAMILIES[2]:
        return True
    context = name.partition(": ")[2].partition(" | ")[0]
    return is_of_context(name) and context[:1].isalpha() and context.islower()


class FeatureNames:
    """Names of features and their columns, from 1 on.

    Parameters
    ----------
    names : iterable of str
    grows : bool
        Whether a name not met yet gets a column, as in learning, or none.
    """

    def __init__(self, names: Iterable[str] = (), grows: bool = False) -> None:
        self.columns = {name: column for column, name in enumerate(names, 1)}
        self.grows = grows

    def of(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the columns of names; 0 where one has none."""
        columns = self.columns
        if self.grows:
            return tuple([columns.setdefault(name, len(columns) + 1) for name in names])
        return tuple([columns.get(name, _NOTHING) for name in names])


@dataclass(frozen=True)
class SeenWords:
    """What is seen of each word of some messages.

    Parameters
    ----------
    columns : ndarray of int32, shape (n_words, 17)
        The features that hold of it; 0 where there is none.
    places : Places
    index : WordIndex
    """

    columns: NDArray[np.int32]
    places: Places
    index: WordIndex


class WordFeatures:
    """Finds the features of words, and remembers the distinct words that it has met.

    Threads may share one whose names do not grow: what is remembered of a word is the same whoever
    computes it.

    Parameters
    ----------
    lexicon : Lexicon
    names : FeatureNames
    """

    def __init__(self, lexicon: Lexicon, names: FeatureNames) -> None:
        self._names = names
        self._reader = TraitReader(lexicon)
        self._met = _Met(self._reader, names)

    def see(
        self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None
    ) -> SeenWords:
        """Return the features of every word.

        Parameters
        ----------
        labelled : LabelledMessages
        lowered : ndarray of bool, shape (n_words,), optional
            Words that are to be taken as if they were written without capitals.

        Returns
        -------
        SeenWords
        """
        if len(self._met.index) >= _MOST_KNOWN:
            self._met = _Met(self._reader, self._names)
        return self._met.see(labelled, lowered)

    @property
    def index(self) -> WordIndex:
        """The words met so far."""
        return self._met.index


class _Met:
    """The words met so far, and the columns of the features that hold of them in their places."""

    def __init__(self, reader: TraitReader, names: FeatureNames) -> None:
        self._names = names
        self.index = WordIndex(reader, self._own, _N_OWN)
        self._looks = Lazy(_N_LOOK, self._columns_of_look)
        self._contexts = Lazy(len(OFFSETS), self._columns_of_context)
        self._before, self._after = (
            Lazy(1, partial(self._columns_of_pair, offset)) for offset in _PAIRED
        )

    def see(self, labelled: LabelledMessages, lowered: NDArray[np.bool_] | None) -> SeenWords:
        index = self.index
        where = places(labelled, index, lowered)
        look = index.column(Column.LOOK)[where.number].astype(np.int64)
        context = index.column(Column.CONTEXT)
        there = {offset: context[seen] for offset, seen in where.neighbours.items()}
        if lowered is not None:
            look[lowered] = index.column(Column.LOWER_LOOK)[where.number[lowered]]
            self._lower_neighbours(there, where, lowered)
        group = index.column(Column.GROUP)[where.number].astype(np.int64)
        columns = np.column_stack(
            [
                *index.own_columns[:, where.number],
                self._looks[(look * 2 + where.starts) * len(Habit) + where.habit],
                *(self._contexts[there[offset]][:, i] for i, offset in enumerate(OFFSETS)),
                self._before[(there[-1].astype(np.int64) << _GROUP_BITS) | group],
                self._after[(there[1].astype(np.int64) << _GROUP_BITS) | group],
            ]
        )
        return SeenWords(columns, where, index)

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

    def _own(self, names: Iterable[str]) -> tuple[int, ...]:
        columns = self._names.of(names)
        return columns + (_NOTHING,) * (_N_OWN - len(columns))

    def _columns_of_context(self, code: int) -> tuple[int, ...]:
        context = self.index.contexts.items_in_order[code]
        return self._names.of(f"{_SIDES[offset]}: {context}" for offset in OFFSETS)

    def _columns_of_look(self, code: int) -> tuple[int, ...]:
        """Return the columns of group, case and lists at the beginning and inside a sentence."""
        rest, habit = divmod(code, len(Habit))
        number, starts = divmod(rest, 2)
        group, case, lists = self.index.looks.items_in_order[number]
        return self._names.of(_look_names(group, case, lists, bool(starts), Habit(habit)))

    def _columns_of_pair(self, offset: int, code: int) -> tuple[int, ...]:
        """Return the column of a neighbour together with the group of the word."""
        context = self.index.contexts.items_in_order[code >> _GROUP_BITS]
        group = self.index.groups.items_in_order[code & ((1 << _GROUP_BITS) - 1)]
        return self._names.of([f"{_SIDES[offset]}: {context} | {group}"])


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
    """What was learnt of words: a weight for each named feature.

    Parameters
    ----------
    intercept : float
    weights : dict of str to float
        In units of log odds.
    """

    intercept: float
    weights: dict[str, float]


class WordScorer:
    """Scores words with weights that were learnt.

    Parameters
    ----------
    lexicon : Lexicon
    learnt : WordWeights
    """

    def __init__(self, lexicon: Lexicon, learnt: WordWeights) -> None:
        self._features = WordFeatures(lexicon, FeatureNames(learnt.weights))
        self._weights = units([0.0, *learnt.weights.values()])
        self._names = ["", *learnt.weights]
        self._intercept = int(units([learnt.intercept])[0])

    def score(self, labelled: LabelledMessages) -> "ScoredWords":
        """Return the evidence of every word.

        Parameters
        ----------
        labelled : LabelledMessages

        Returns
        -------
        ScoredWords
        """
        seen = self._features.see(labelled)
        log_odds = (self._intercept + self._weights[seen.columns].sum(axis=1)) / UNITS
        log_odds[~seen.places.is_candidate] = NO_CANDIDATE
        return ScoredWords(log_odds, seen.places, seen.index)

    def restored(self, labelled: LabelledMessages, log_odds: NDArray[np.float64]) -> "ScoredWords":
        """Return words that were scored before, by their log odds."""
        index = self._features.index
        return ScoredWords(log_odds, places(labelled, index), index)

    def reasons(self, labelled: LabelledMessages, most: int = 3) -> list[list[str]]:
        """Return for every word the features that told most for it.

        Parameters
        ----------
        labelled : LabelledMessages
        most : int

        Returns
        -------
        list of list of str, length n_words
            Strongest first; features that tell against a word are left out.
        """
        found = []
        for columns in self._features.see(labelled).columns.tolist():
            telling = sorted((c for c in columns if self._weights[c] > 0), key=self._rank)
            found.append([self._names[column] for column in telling[:most]])
        return found

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
    """Words with the log odds that each identifies someone.

    Parameters
    ----------
    log_odds : ndarray of float, shape (n_words,)
    places : Places
    index : WordIndex
        That the words are numbered in.
    """

    log_odds: NDArray[np.float64]
    places: Places
    index: WordIndex

    def weighed_anew(self, log_odds: NDArray[np.float64]) -> "ScoredWords":
        """Return the same words with other log odds."""
        return ScoredWords(log_odds, self.places, self.index)


def probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log odds as probabilities.

    Examples
    --------
    >>> probability(np.array([0.0])).tolist()
    [0.5]
    """
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
