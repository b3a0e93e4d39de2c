"""Contexts in which identifiers stand (Reffay et al., 4.3 and annex 1), on either side of a word.

A context is the word beside, or the two words beside where that is too frequent to tell. Words that
identify somebody stand in it as their type, so that those that prove good can be kept in a file for
another corpus. A name that nobody has found yet may stand there: only its owner may read the file.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.data import OutputFile, create_output
from triage.data.errors import whole_characters

from .corpus import EDGE, NO_NAME, TYPES, Corpus
from .known import number_of, read_rows

COLUMNS = ("side", "context", "identifiers", "words")

# Annex 1: a context of one word is extended where it occurs more often, and a context is kept where
# this share of its words are identifiers.
MOST_FREQUENT = 50
LEAST_RATE = 0.2
# A context that was met less often says little.
_FEWEST = 2
# So many words of average contexts are added to those of a context before its rate is taken.
_SMOOTHING = 3.0
_LEAST = 1e-4


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


# By so many words all others are moved, so that each comes to stand where that beside it was.
_STEP = {Side.LEFT: 1, Side.RIGHT: -1}


class Context(NamedTuple):
    """Words beside a word, in reading order, with how many identifiers stand there of how many."""

    side: Side
    words: tuple[str, ...]
    names: int
    total: int

    @property
    def rate(self) -> float:
        return self.names / self.total

    def __str__(self) -> str:
        said = " ".join(self.words)
        return f"{said} …" if self.side is Side.LEFT else f"… {said}"


class _Table(NamedTuple):
    """The contexts of one size and side: of each word its context, and counts by context."""

    of_word: NDArray[np.int64]
    names: NDArray[np.float64]
    total: NDArray[np.float64]


class Contexts:
    def __init__(
        self, corpus: Corpus, types: NDArray[np.int64], good: Iterable[Context] = ()
    ) -> None:
        self._corpus = corpus
        self._types = types
        self._is_name = types != NO_NAME
        self._is_word = corpus.is_word | self._is_name
        self._said = np.where(self._is_name, len(corpus.forms) + types, corpus.form)
        self._base = max(float(self._is_name.sum()) / max(1, int(self._is_word.sum())), _LEAST)
        added = {(one.side, one.words): one for one in good}
        self._n_said = len(corpus.forms) + len(TYPES)
        self._tables = {
            (side, size): self._table(side, size, added.values())
            for side in Side
            for size in (1, 2)
        }

    def _table(self, side: Side, size: int, added: Iterable[Context]) -> _Table:
        distinct, of_word = np.unique(self._keys(side, size), return_inverse=True)
        of_word = of_word.reshape(-1)
        # A word inside of an identifier has another one of the same beside it.
        beside = np.roll(self._types, _STEP[side])
        counted = self._is_word & ~((self._types == beside) & self._is_name)
        total, names = (
            np.bincount(of_word[words], minlength=len(distinct)).astype(np.float64)
            for words in (counted, counted & self._is_name)
        )
        for one in added:
            if (one.side, len(one.words)) == (side, size):
                at = np.flatnonzero(distinct == self._key_of(one.words))
                names[at] += one.names
                total[at] += one.total
        return _Table(of_word, names, total)

    def _keys(self, side: Side, size: int) -> NDArray[np.int64]:
        """Return a number for the context of each word."""
        step = _STEP[side]
        beside = np.roll(self._said, step)
        if size == 1:
            return beside
        # Behind the edge of a message another one begins.
        edge = self._corpus.number[EDGE]
        behind = np.where(beside == edge, edge, np.roll(self._said, 2 * step))
        first, second = (behind, beside) if side is Side.LEFT else (beside, behind)
        return first * self._n_said + second

    def _key_of(self, words: tuple[str, ...]) -> int:
        """Return the number of a context; -1 where the corpus lacks a word of it."""
        key = 0
        for word in words:
            is_type = word.startswith("<") and word.endswith(">") and word[1:-1] in TYPES
            known = self._corpus.number.get(word, -1)
            number = len(self._corpus.forms) + TYPES.index(word[1:-1]) if is_type else known
            if number < 0:
                return -1
            key = key * self._n_said + number
        return key

    def log_odds(self) -> NDArray[np.float64]:
        """Return of each word the log odds that it identifies somebody, from both sides."""
        odds = -logit(np.array(self._base))
        for side in Side:
            # The rate of a context, or that of its one word where two are seldom met.
            rate: NDArray[np.float64] = np.full(len(self._said), self._base)
            for size in (1, 2):
                table = self._tables[side, size]
                names, total = table.names[table.of_word], table.total[table.of_word]
                rate = (names + _SMOOTHING * rate) / (total + _SMOOTHING)
            odds = odds + logit(rate)
        return odds

    def good(self) -> Iterator[Context]:
        """Yield the contexts that are worth keeping, by side, size and words."""
        for (side, size), table in self._tables.items():
            wide = self._tables[side, 1]
            is_frequent = wide.total[wide.of_word] > MOST_FREQUENT
            rate = table.names / np.maximum(table.total, 1)
            is_good = ((table.names >= _FEWEST) & (rate >= LEAST_RATE))[table.of_word]
            is_wanted = is_frequent if size == 2 else ~is_frequent
            here = np.flatnonzero(is_good & is_wanted & self._is_name).tolist()
            found = {int(table.of_word[word]): word for word in here}
            yield from sorted(self._context(side, size, word) for word in found.values())

    def best(self, word: int) -> Context | None:
        """Return the context of a word that gives it away most, if one does."""
        found = (self._context(side, size, word) for side, size in self._tables)
        good = [one for one in found if one.names >= _FEWEST and one.rate >= LEAST_RATE]
        return max(good, key=lambda one: (one.rate, one.names), default=None)

    def _context(self, side: Side, size: int, word: int) -> Context:
        table = self._tables[side, size]
        number = table.of_word[word]
        counts = int(table.names[number]), int(table.total[number])
        return Context(side, self.words(side, size, word), *counts)

    def words(self, side: Side, size: int, word: int) -> tuple[str, ...]:
        """Return the words beside a word, those that identify somebody as their types."""
        forms, shown = self._corpus.forms, list[str]()
        for _ in range(size):
            # Nothing stands behind the edge of a message.
            word -= _STEP[side] if not shown or shown[-1] != EDGE else 0
            said = int(self._said[word])
            shown.append(forms[said] if said < len(forms) else f"<{TYPES[said - len(forms)]}>")
        return tuple(reversed(shown)) if side is Side.LEFT else tuple(shown)


def logit(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds of rates, which are kept off 0 and 1."""
    rate = np.clip(rate, _LEAST, 1 - _LEAST)
    odds: NDArray[np.float64] = np.log(rate / (1 - rate))
    return odds


def contexts_output(
    path: str | Path, contexts: Iterable[Context], *, overwrite: bool = False
) -> OutputFile:
    """Return an output that holds contexts, to be committed."""
    output = create_output(path, COLUMNS, private=True, guard_formulas=True, overwrite=overwrite)
    output.write(
        [one.side.value, whole_characters(" ".join(one.words)), one.names, one.total]
        for one in contexts
    )
    return output


def read_contexts(path: str | Path) -> list[Context]:
    return read_rows(path, ("context", *COLUMNS), _read_context)


def _read_context(cells: Mapping[str, str]) -> Context:
    words = tuple(cells["context"].split())
    names, total = (int(number_of(cells[name]) or 0) for name in COLUMNS[2:])
    if cells["side"] not in [*Side]:
        raise ValueError(f"its side is none of {', '.join(Side)}")
    if len(words) not in (1, 2) or not 0 <= names <= total or total == 0:
        raise ValueError("it is no context of one or two words, with counts")
    return Context(Side(cells["side"]), words, names, total)
