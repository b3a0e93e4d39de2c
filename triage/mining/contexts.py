"""Contexts in which identifiers stand (Reffay et al., 4.3 and annex 1), on either side of a word.

A context is the word beside, or the two words beside where that is too frequent to tell. Words that
identify somebody stand in it as their type, so that a context can be used on another corpus.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .corpus import EDGE, NO_NAME, TYPES, Corpus

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
    """The side of a word on which a context stands."""

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
        """The share of identifiers among the words that stand there."""
        return self.names / self.total

    def __str__(self) -> str:
        said = " ".join(self.words)
        return f"{said} …" if self.side is Side.LEFT else f"… {said}"


@dataclass(frozen=True)
class _Table:
    """The contexts of one size and side: of each word its context, and counts by context."""

    of_word: NDArray[np.int64]
    names: NDArray[np.float64]
    total: NDArray[np.float64]


class Contexts:
    """The contexts of a corpus, counted."""

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
        self._tables = {
            (side, size): self._table(side, size, added) for side in Side for size in (1, 2)
        }

    def _table(
        self, side: Side, size: int, added: dict[tuple[Side, tuple[str, ...]], Context]
    ) -> _Table:
        keys = self._keys(side, size)
        distinct, of_word = np.unique(keys, return_inverse=True)
        of_word = of_word.reshape(-1)
        counted = self._is_word & ~self._is_inside(side)
        total, names = (
            np.bincount(of_word[words], minlength=len(distinct)).astype(np.float64)
            for words in (counted, counted & self._is_name)
        )
        for one in added.values():
            if (one.side, len(one.words)) == (side, size):
                key = self._key_of(one.words)
                at = int(np.searchsorted(distinct, key)) if key is not None else len(distinct)
                if at < len(distinct) and distinct[at] == key:
                    names[at] += one.names
                    total[at] += one.total
        return _Table(of_word, names, total)

    def _is_inside(self, side: Side) -> NDArray[np.bool_]:
        """Return which words have another one of the same identifier on a side."""
        beside = np.roll(self._types, _STEP[side])
        is_same: NDArray[np.bool_] = (self._types == beside) & self._is_name
        return is_same

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

    @property
    def _n_said(self) -> int:
        return len(self._corpus.forms) + len(TYPES)

    def _key_of(self, words: tuple[str, ...]) -> int | None:
        """Return the number of a context; None where the corpus lacks a word of it."""
        key = 0
        for word in words:
            number = self._number_of(word)
            if number is None:
                return None
            key = key * self._n_said + number
        return key

    def _number_of(self, word: str) -> int | None:
        if word.startswith("<") and word.endswith(">") and word[1:-1] in TYPES:
            return len(self._corpus.forms) + TYPES.index(word[1:-1])
        return self._corpus.number.get(word)

    def log_odds(self) -> NDArray[np.float64]:
        """Return of each word the log odds that it identifies somebody, from both sides."""
        base = logit(np.array(self._base))
        sides = [self._rates(side) for side in Side]
        odds: NDArray[np.float64] = sum((logit(rate) for rate in sides), -base)
        return odds

    def _rates(self, side: Side) -> NDArray[np.float64]:
        """Return the rate of each word's context, that of one word where two are seldom met."""
        rate: NDArray[np.float64] = np.full(len(self._said), self._base)
        for size in (1, 2):
            table = self._tables[side, size]
            names, total = table.names[table.of_word], table.total[table.of_word]
            rate = (names + _SMOOTHING * rate) / (total + _SMOOTHING)
        return rate

    def good(self) -> Iterator[Context]:
        """Yield the contexts that are worth keeping, by side, size and words."""
        for side in Side:
            wide = self._tables[side, 1]
            is_frequent = wide.total[wide.of_word] > MOST_FREQUENT
            for size in (1, 2):
                at = is_frequent if size == 2 else ~is_frequent
                yield from self._good(side, size, at)

    def _good(self, side: Side, size: int, at: NDArray[np.bool_]) -> Iterator[Context]:
        table = self._tables[side, size]
        rate = table.names / np.maximum(table.total, 1)
        is_good = (table.names >= _FEWEST) & (rate >= LEAST_RATE)
        here = np.flatnonzero(is_good[table.of_word] & at & self._is_name)
        found = {int(table.of_word[word]): word for word in here.tolist()}
        yield from sorted(
            Context(side, self.words(side, size, word), int(table.names[n]), int(table.total[n]))
            for n, word in found.items()
        )

    def best(self, word: int) -> Context | None:
        """Return the context of a word that gives it away most, if one does."""
        found = []
        for (side, size), table in self._tables.items():
            number = table.of_word[word]
            one = Context(
                side,
                self.words(side, size, word),
                int(table.names[number]),
                int(table.total[number]),
            )
            if one.names >= _FEWEST and one.rate >= LEAST_RATE:
                found.append(one)
        return max(found, key=lambda one: (one.rate, one.names), default=None)

    def words(self, side: Side, size: int, word: int) -> tuple[str, ...]:
        """Return the words beside a word, those that identify somebody as their types."""
        shown: list[str] = []
        for _ in range(size):
            # Nothing stands behind the edge of a message.
            word -= _STEP[side] if not shown or shown[-1] != EDGE else 0
            shown.append(self._shown(int(self._said[word])))
        return tuple(reversed(shown)) if side is Side.LEFT else tuple(shown)

    def _shown(self, number: int) -> str:
        forms = self._corpus.forms
        return forms[number] if number < len(forms) else f"<{TYPES[number - len(forms)]}>"


def logit(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds of rates, which are kept off 0 and 1."""
    rate = np.clip(rate, _LEAST, 1 - _LEAST)
    odds: NDArray[np.float64] = np.log(rate / (1 - rate))
    return odds
