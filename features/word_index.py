"""The distinct words of a run, numbered, with what is known of each in arrays that grow.

What a distinct word tells by itself is found once; of each occurrence there is but a number.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache, partial
from itertools import islice
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages, LabelledWord
from triage.dictionaries.growing import FEWEST_ROOM, Growing, Numbered

from .traits import FIRST_NAME, N_OWN, Case, TraitReader, Traits, lowered

# Column 0 of a table of features: what has no weight.
NOTHING = 0
# The number of what is no word: before the first word of a message and behind its last.
NO_WORD = 0
NAME = "<first name>"
_NO_WORD = Traits("", Case.NONE, "", (), "no word", "", False, True)
_NOT_FOUND = np.iinfo(np.int32).min


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

    def __init__(self, reader: TraitReader, names: FeatureNames) -> None:
        self.looks: Numbered[Look] = Numbered()
        self.contexts: Numbered[str] = Numbered()
        self.groups: Numbered[str] = Numbered()
        self.spellings: Numbered[str] = Numbered()
        self.neighbours: Numbered[str] = Numbered()
        self._reader, self._names = reader, names
        self._known, self._own = Growing(len(Column)), Growing(names.width(N_OWN))
        self._of_look = cache(self._meet_look)
        self._of_context = cache(lambda one: (self.contexts[one], self.contexts[lowered(one)]))
        self._numbers: dict[LabelledWord, int] = {}
        self._lock = Lock()
        self._take([_NO_WORD])

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, labelled: LabelledMessages) -> NDArray[np.int64]:
        """Return the numbers of the distinct words of messages; shape (n_forms,)."""
        with self._lock:
            found = labelled.of_form(self._meet)
            if len(self._own) <= len(self._numbers):
                new = islice(self._numbers, len(self._own) - 1, None)
                self._take([*map(self._reader.read, new)])
        return found

    def _meet(self, word: LabelledWord) -> int:
        return self._numbers.setdefault(word, len(self._numbers) + 1)

    def column(self, column: Column) -> NDArray[np.int32]:
        known: NDArray[np.int32] = self._known.values[column]
        return known

    @property
    def own_columns(self) -> NDArray[np.int32]:
        """The values of features that hold of each word by itself; shape (n_values, n_words)."""
        return self._own.values

    def _take(self, traits: Sequence[Traits]) -> None:
        group, case, lists, own, context, folded, *others = zip(*traits, strict=True)
        # The neighbour of no word is no spelling.
        known = zip(group, folded, context, strict=True)
        beside = [NAME if g == FIRST_NAME else plain or c for g, plain, c in known]
        rows = np.column_stack(
            [
                np.array([*map(self._of_look, map(bool, folded), group, case, lists)]),
                np.array([*map(self._of_context, context)]),
                np.array([*map(self.spellings.__getitem__, folded)]),
                np.array([*map(self.neighbours.__getitem__, beside)]),
                *others,
            ]
        )
        self._known.extend(rows)
        self._own.extend(self._names.table(own, N_OWN).T)

    def _meet_look(self, is_word: bool, group: str, case: Case, lists: str) -> tuple[int, ...]:
        """Return the properties of words of a look: those from `IS_WORD` to `GROUP`."""
        return (
            is_word,
            is_word and case.is_capital,
            is_word and case is Case.LOWER,
            is_word and case.lowered is Case.LOWER,
            group == FIRST_NAME,
            group == Label.UNKNOWN,
            self.looks[group, case, lists],
            self.looks[group, case.lowered, lists],
            self.groups[group],
        )


class Lazy:
    """Values of features by codes, each found when its code first comes; threads may share one."""

    def __init__(
        self,
        names: FeatureNames,
        names_of: Callable[[int], Sequence[str]],
        n: int = 1,
        together: bool = True,
    ) -> None:
        self._table = partial(names.table, n=n, together=together)
        self._names_of = names_of
        width = names.width(n, together)
        self._known = np.full((width, FEWEST_ROOM), _NOT_FOUND, dtype=np.int32)
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
        more = 2 * int(codes.max()) - self._known.shape[1]
        if int(codes.max()) >= self._known.shape[1]:
            self._known = np.pad(self._known, ((0, 0), (0, more)), constant_values=_NOT_FOUND)
        codes = np.unique(codes[self._known[0, codes] == _NOT_FOUND])
        if len(codes):
            self._known[:, codes] = self._table([*map(self._names_of, codes.tolist())])
