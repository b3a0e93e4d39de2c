"""The distinct words of a run, numbered, with what is known of each in arrays that grow.

What a distinct word tells by itself is found once; of each occurrence there is but a number.
"""

from collections.abc import Callable
from enum import IntEnum
from itertools import islice
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages, LabelledWord, MetWords
from triage.dictionaries.growing import FEWEST_ROOM, Growing, Numbered
from triage.features.feature_names import Features
from triage.features.traits import FIRST_NAME, Case, TraitReader, Traits, lowered

# The number of what is no word: before the first word of a message and behind its last.
NO_WORD = 0
_NONE = np.zeros(0, dtype=np.int64)
NAME = "<first name>"


class Column(IntEnum):
    """The columns of properties of each distinct word."""

    IS_WORD = 0
    IS_CAPITAL = 1
    IS_LOWER = 2
    CAN_BE_LOWER = 3
    IS_FIRST_NAME = 4
    IS_UNKNOWN = 5
    LOOK = 6
    LOWER_LOOK = 7
    GROUP = 8
    CONTEXT = 9
    LOWER_CONTEXT = 10
    SPELLING = 11
    NEIGHBOUR = 12
    IS_CANDIDATE = 13
    ENDS_SENTENCE = 14


Look = tuple[str, Case, str]


class WordIndex:
    """Numbers the distinct words of a run, from 1; the number of no word is 0."""

    def __init__(self, reader: TraitReader, names: Features) -> None:
        self.looks: Numbered[Look] = Numbered()
        self.contexts: Numbered[str] = Numbered()
        self.groups: Numbered[str] = Numbered()
        self.spellings: Numbered[str] = Numbered()
        self.neighbours: Numbered[str] = Numbered()
        self._reader, self._names = reader, names
        self._known = Growing(len(Column))
        self._own = Growing(names.n_own)
        self._numbers: dict[LabelledWord, int] = {}
        self._of_met: WeakKeyDictionary[MetWords, NDArray[np.int64]] = WeakKeyDictionary()
        self._lock = Lock()
        self._take(_NOTHING)

    def __len__(self) -> int:
        """Return how many words were met."""
        return len(self._numbers)

    def numbers(self, labelled: LabelledMessages) -> NDArray[np.int64]:
        """Return the numbers of the distinct words of messages; shape (n_forms,)."""
        met, number = labelled.met, labelled.number
        known = self._of_met.get(met, _NONE)
        if len(known) <= number.max(initial=-1) or not known[number].all():
            with self._lock:
                known = self._learn(met, number)
        found: NDArray[np.int64] = known[number]
        return found

    def _learn(self, met: MetWords, number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers here of the words that were met; of some at least."""
        known = self._of_met.get(met, _NONE)
        if len(known) < len(met.labels):
            known = np.pad(known, (0, 2 * len(met.labels)), constant_values=NO_WORD)
        missing = number[known[number] == NO_WORD]
        numbers, n_met = self._numbers, len(self._numbers)
        found = [numbers.setdefault(met.labels[n], len(numbers) + 1) for n in missing.tolist()]
        if len(numbers) > n_met:
            self._take(self._reader.read([*islice(numbers, n_met, None)]))
        known[missing] = found
        self._of_met[met] = known
        return known

    def column(self, column: Column) -> NDArray[np.int32]:
        """Return what is known of each word met so far, by its number."""
        known: NDArray[np.int32] = self._known.values[column]
        return known

    @property
    def own_columns(self) -> NDArray[np.int32]:
        """The columns of features that hold of each word by itself; shape (n_columns, n_words)."""
        return self._own.values

    def _take(self, traits: Traits) -> None:
        """Add new words."""
        looks = [*zip(traits.group, traits.case, traits.lists, strict=True)]
        look_at, context_at = Numbered[Look](), Numbered[str]()
        at = [look_at[look] for look in looks], [context_at[one] for one in traits.context]
        of_look = np.array([self._of_look(*look) for look in look_at])
        of_context = np.array([[self.contexts[c], self.contexts[lowered(c)]] for c in context_at])
        # The neighbour of no word is no spelling.
        neighbours = map(_neighbour, traits.group, traits.folded, traits.context)
        rows = np.column_stack(
            [
                np.array([*map(bool, traits.folded)]),
                of_look[at[0]],
                of_context[at[1]],
                np.array([*map(self.spellings.__getitem__, traits.folded)]),
                np.array([*map(self.neighbours.__getitem__, neighbours)]),
                np.array(traits.is_candidate),
                np.array(traits.ends_sentence),
            ]
        )
        of_case = slice(Column.IS_CAPITAL, Column.CAN_BE_LOWER + 1)
        rows[:, of_case] *= rows[:, [Column.IS_WORD]]
        self._known.extend(rows)
        self._own.extend(self._names.own(traits.own).T)

    def _of_look(self, group: str, case: Case, lists: str) -> tuple[int, ...]:
        return (
            case.is_capital,
            case is Case.LOWER,
            case.lowered is Case.LOWER,
            group == FIRST_NAME,
            group == Label.UNKNOWN,
            self.looks[group, case, lists],
            self.looks[group, case.lowered, lists],
            self.groups[group],
        )


def _neighbour(group: str, folded: str, context: str) -> str:
    return NAME if group == FIRST_NAME else folded or context


_NOTHING = Traits(("",), (Case.NONE,), ("",), ((),), ("no word",), ("",), (False,), (True,))


class Lazy:
    """Columns of numbers by codes, each found when its code first comes; threads may share one."""

    def __init__(self, width: int, find: Callable[[list[int]], NDArray[np.int32]]) -> None:
        self._known = np.full((width, FEWEST_ROOM), _NOT_FOUND, dtype=np.int32)
        self._find = find
        self._lock = Lock()

    def column(self, column: int, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return a column of codes from 0."""
        found: NDArray[np.int32]
        if int(codes.max(initial=0)) < self._known.shape[1]:
            found = self._known[column].take(codes)
            if found.min(initial=0) != _NOT_FOUND:
                return found
        with self._lock:
            self._fill(codes)
            found = self._known[column].take(codes)
            return found

    def __getitem__(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return all columns of codes, as an array of shape (n_columns, n_codes)."""
        return np.array([self.column(i, codes) for i in range(len(self._known))])

    def _fill(self, codes: NDArray[np.int64]) -> None:
        n, highest = self._known.shape[1], int(codes.max())
        if highest >= n:
            more = 2 * highest - n
            self._known = np.pad(self._known, ((0, 0), (0, more)), constant_values=_NOT_FOUND)
        codes = np.unique(codes[self._known[0, codes] == _NOT_FOUND])
        if len(codes):
            self._known[:, codes] = self._find(codes.tolist())


_NOT_FOUND = np.iinfo(np.int32).min
