"""Word evidence: how surely a word, in its place, identifies someone.

A logistic regression over what is seen of the word and its neighbours (the feature families of
Grouin, 2013, chapter 5: token, lexicons, surface, context). Every feature has a name that a
person can read, and one weight; scoring adds weights up.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, LabelledWord, Lexicon
from triage.features.places import OFFSETS, Forms, Habit, Places, places
from triage.features.traits import AS_A_NAME, AS_A_WORD, Case, TraitReader, Traits

T = TypeVar("T")

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
    traits : list of Traits, length n_forms
    """

    columns: NDArray[np.int32]
    places: Places
    traits: list[Traits]


class _Known(NamedTuple):
    """What is remembered of a distinct word: its traits and the numbers of its parts."""

    traits: Traits
    own: tuple[int, ...]
    look: int
    context: int
    group: int


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
        self._known: dict[LabelledWord, _Known] = {}
        self._looks: _Numbered[tuple[str, Case, str]] = _Numbered()
        self._contexts: _Numbered[str] = _Numbered(self._columns_of_context)
        self._groups: _Numbered[str] = _Numbered()
        self._look_columns: dict[int, tuple[int, ...]] = {}
        self._pair_columns: dict[int, dict[int, int]] = {offset: {} for offset in _PAIRED}
        # What stands where a message has no word.
        self._beyond = self._contexts.number("no word")

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
        known = [self._known.get(word) or self._meet(word) for word in labelled.labels]
        traits = [entry.traits for entry in known]
        where = places(labelled, Forms.of(traits), lowered)
        own = np.array([entry.own for entry in known], dtype=np.int32).reshape(-1, _N_OWN)
        look = np.array([entry.look for entry in known], dtype=np.int64)[where.form]
        if lowered is not None:
            small = np.array(
                [self._looks.number((t.group, t.case.lowered, t.lists)) for t in traits],
                dtype=np.int64,
            )
            look = np.where(lowered, small[where.form], look)
        context = np.array([*(entry.context for entry in known), self._beyond], dtype=np.int64)
        group = np.array([entry.group for entry in known], dtype=np.int64)[where.form]
        there = {offset: context[where.neighbours[offset]] for offset in OFFSETS}
        if lowered is not None:
            self._lower_neighbours(there, traits, where, lowered)
        # A copy: another thread may number more contexts meanwhile.
        of_context = np.array(self._contexts.columns[:], dtype=np.int32)
        columns = np.column_stack(
            [
                own[where.form],
                self._columns_of_look(look, where),
                *(of_context[there[offset], i] for i, offset in enumerate(OFFSETS)),
                *(self._columns_of_pair(there[offset], group, offset) for offset in _PAIRED),
            ]
        )
        return SeenWords(columns, where, traits)

    def _lower_neighbours(
        self,
        there: dict[int, NDArray[np.int64]],
        traits: list[Traits],
        where: Places,
        lowered: NDArray[np.bool_],
    ) -> None:
        """Let words see their neighbours as if these were written without capitals."""
        small = [*(self._contexts.number(t.lowered_context) for t in traits), self._beyond]
        context = np.array(small, dtype=np.int64)
        for offset, seen in there.items():
            form = where.neighbours[offset]
            is_there = form < len(traits)
            at = np.flatnonzero(is_there)
            at = at[lowered[at + offset]]
            seen[at] = context[form[at]]

    def _meet(self, word: LabelledWord) -> _Known:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        traits = self._reader.read(word)
        own = self._names.of(traits.own)
        self._known[word] = known = _Known(
            traits,
            own + (_NOTHING,) * (_N_OWN - len(own)),
            self._looks.number((traits.group, traits.case, traits.lists)),
            self._contexts.number(traits.context),
            self._groups.number(traits.group),
        )
        return known

    def _columns_of_context(self, context: str) -> tuple[int, ...]:
        return self._names.of(f"{_SIDES[offset]}: {context}" for offset in OFFSETS)

    def _columns_of_look(self, look: NDArray[np.int64], where: Places) -> NDArray[np.int32]:
        """Return the columns of group, case and lists at the beginning and inside a sentence."""
        cell = (look * 2 + where.starts) * len(Habit) + where.habit
        distinct, inverse = np.unique(cell, return_inverse=True)
        known = self._look_columns
        found = [known.get(code) or self._meet_look(code) for code in distinct.tolist()]
        return np.array(found, dtype=np.int32).reshape(-1, _N_LOOK)[inverse]

    def _meet_look(self, code: int) -> tuple[int, ...]:
        rest, habit = divmod(code, len(Habit))
        number, starts = divmod(rest, 2)
        group, case, lists = self._looks.items[number]
        names = _look_names(group, case, lists, bool(starts), Habit(habit))
        self._look_columns[code] = columns = self._names.of(names)
        return columns

    def _columns_of_pair(
        self, there: NDArray[np.int64], here: NDArray[np.int64], offset: int
    ) -> NDArray[np.int32]:
        """Return the columns of a neighbour together with the group of the word."""
        distinct, inverse = np.unique((there << _GROUP_BITS) | here, return_inverse=True)
        known, columns = self._pair_columns[offset], np.empty(len(distinct), dtype=np.int32)
        for row, code in enumerate(distinct.tolist()):
            column = known.get(code)
            if column is None:
                context = self._contexts.items[code >> _GROUP_BITS]
                group = self._groups.items[code & ((1 << _GROUP_BITS) - 1)]
                (column,) = self._names.of([f"{_SIDES[offset]}: {context} | {group}"])
                known[code] = column
            columns[row] = column
        return columns[inverse]


# There are some twenty groups of words.
_GROUP_BITS = 8
# A corpus of 90,000 messages has a fifth of that.
_MOST_KNOWN = 300_000


def _no_columns(_: object) -> tuple[int, ...]:
    return ()


class _Numbered(Generic[T]):
    """Numbers things from 0 in the order in which they come, also where threads share it.

    Parameters
    ----------
    columns_of : callable
        Returns the columns of the features that a thing makes.
    """

    def __init__(self, columns_of: Callable[[T], tuple[int, ...]] = _no_columns) -> None:
        self.items: list[T] = []
        self.columns: list[tuple[int, ...]] = []
        self._columns_of = columns_of
        self._numbers: dict[T, int] = {}
        self._lock = Lock()

    def number(self, item: T) -> int:
        number = self._numbers.get(item)
        return self._meet(item) if number is None else number

    def _meet(self, item: T) -> int:
        with self._lock:
            if item not in self._numbers:
                self.items.append(item)
                self.columns.append(self._columns_of(item))
                # Last: who is told a number finds the item and its columns.
                self._numbers[item] = len(self.items) - 1
            return self._numbers[item]


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
        self._weights = np.array([0.0, *learnt.weights.values()])
        self._names = ["", *learnt.weights]
        self._intercept = learnt.intercept

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
        log_odds = self._intercept + self._weights[seen.columns].sum(axis=1)
        log_odds[~seen.places.is_candidate] = NO_CANDIDATE
        return ScoredWords(log_odds, seen.places, seen.traits)

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


# The log odds of what is no candidate: signs, pictures, what is masked already.
NO_CANDIDATE = -20.0


@dataclass(frozen=True)
class ScoredWords:
    """Words with the log odds that each identifies someone.

    Parameters
    ----------
    log_odds : ndarray of float, shape (n_words,)
    places : Places
    traits : list of Traits, length n_forms
    """

    log_odds: NDArray[np.float64]
    places: Places
    traits: list[Traits]

    def weighed_anew(self, log_odds: NDArray[np.float64]) -> "ScoredWords":
        """Return the same words with other log odds."""
        return ScoredWords(log_odds, self.places, self.traits)


def probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log odds as probabilities.

    Examples
    --------
    >>> probability(np.array([0.0])).tolist()
    [0.5]
    """
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
