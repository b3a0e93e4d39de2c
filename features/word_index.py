"""The distinct words of a run, numbered, with what is known of each in arrays that grow.

What a distinct word tells by itself is found once; of each occurrence there is but a number.
"""

from collections.abc import Callable, Iterable
from enum import IntEnum
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages, LabelledWord, MetWords
from triage.dictionaries.growing import FEWEST_ROOM, Growing, Numbered
from triage.features.traits import FIRST_NAME, Case, TraitReader, Traits

# The number of what is no word: before the first word of a message and behind its last.
NO_WORD = 0
_NONE = np.zeros(0, dtype=np.int64)
NAME = "<first name>"


class Column(IntEnum):
    """The columns of properties of each distinct word."""

    IS_WORD = 0
    IS_CAPITAL = 1
    IS_LOWER = 2
    IS_CANDIDATE = 3
    ENDS_SENTENCE = 4
    CAN_BE_LOWER = 5
    IS_FIRST_NAME = 6
    IS_UNKNOWN = 7
    LOOK = 8
    LOWER_LOOK = 9
    CONTEXT = 10
    LOWER_CONTEXT = 11
    GROUP = 12
    SPELLING = 13
    NEIGHBOUR = 14


Look = tuple[str, Case, str]


class WordIndex:
    """Numbers the distinct words of a run, from 1."""

    def __init__(
        self,
        reader: TraitReader,
        columns_of: Callable[[Iterable[str]], tuple[int, ...]],
        n_columns: int,
    ) -> None:
        self.looks: Numbered[Look] = Numbered()
        self.contexts: Numbered[str] = Numbered()
        self.groups: Numbered[str] = Numbered()
        self.spellings: Numbered[str] = Numbered()
        self.neighbours: Numbered[str] = Numbered()
        self._reader = reader
        self._columns_of = columns_of
        self._known = Growing(len(Column))
        self._own = Growing(n_columns)
        self._numbers: dict[LabelledWord, int] = {}
        self._of_met: WeakKeyDictionary[MetWords, NDArray[np.int64]] = WeakKeyDictionary()
        self._lock = Lock()
        self._known.extend([self._row(_NOTHING)])
        self._own.extend([(0,) * n_columns])

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
        words = [met.labels[n] for n in missing.tolist()]
        self._meet(words)
        known[missing] = [self._numbers[word] for word in words]
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

    def _meet(self, words: Iterable[LabelledWord]) -> None:
        new = [word for word in dict.fromkeys(words) if word not in self._numbers]
        traits = [self._reader.read(word) for word in new]
        self._known.extend([self._row(one) for one in traits])
        self._own.extend([self._columns_of(one.own) for one in traits])
        first = len(self._numbers) + 1
        self._numbers.update(zip(new, range(first, first + len(new)), strict=True))

    def _row(self, traits: Traits) -> tuple[int, ...]:
        group, case, lists, is_word = traits.group, traits.case, traits.lists, traits.is_word
        neighbour = NAME if group == FIRST_NAME else traits.folded or traits.context
        return (
            is_word,
            is_word and case.is_capital,
            is_word and case == Case.LOWER,
            traits.is_candidate,
            traits.ends_sentence,
            is_word and case.lowered == Case.LOWER,
            group == FIRST_NAME,
            group == Label.UNKNOWN,
            self.looks[(group, case, lists)],
            self.looks[(group, case.lowered, lists)],
            self.contexts[traits.context],
            self.contexts[traits.lowered_context],
            self.groups[group],
            self.spellings[traits.folded],
            self.neighbours[neighbour],
        )


# The beginning of a message ends what stood before it. Its neighbour is no spelling: "".
_NOTHING = Traits("", Case.NONE, "", (), "no word", "", False, ends_sentence=True)


class Lazy:
    """Rows of numbers by codes, each found when its code first comes; threads may share one."""

    def __init__(self, width: int, find: Callable[[int], tuple[int, ...]]) -> None:
        self._rows = np.full((FEWEST_ROOM, width), _NOT_FOUND, dtype=np.int32)
        self._find = find
        self._lock = Lock()

    def __getitem__(self, codes: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the rows of codes from 0, as an array of shape (n_codes, width)."""
        if int(codes.max(initial=0)) < len(self._rows):
            rows = self._rows[codes]
            missing = rows[:, 0] == _NOT_FOUND
            if not missing.any():
                return rows
            codes_missing = codes[missing]
        else:
            codes_missing = codes
        with self._lock:
            self._fill(np.unique(codes_missing).astype(np.int64))
            return self._rows[codes]

    def _fill(self, codes: NDArray[np.int64]) -> None:
        if codes[-1] >= len(self._rows):
            rows = np.full((2 * int(codes[-1]), self._rows.shape[1]), _NOT_FOUND, dtype=np.int32)
            rows[: len(self._rows)] = self._rows
            self._rows = rows
        codes = codes[self._rows[codes, 0] == _NOT_FOUND]
        if len(codes):
            self._rows[codes] = [*map(self._find, codes.tolist())]


_NOT_FOUND = np.iinfo(np.int32).min
