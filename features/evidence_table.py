"""The table of gathered evidence: written, merged, sent and condensed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .counts import LOWEST, Integers
from .word_evidence import UNITS

WORD_TOTALS = ("n", "log_odds", "inside", "capitals", "with_capital", "names", "unknown")
WORD_COLUMNS = (*WORD_TOTALS, "highest", "second_highest")
NEIGHBOUR_COLUMNS = ("n_before", "names_before", "n_behind", "names_behind")
PAIR_COLUMNS = ("n", "log_odds")
SENDER_COLUMNS = ("starting", "starting_capital", "inside", "inside_capital")
_OF_PAIRS = ("sender", "word", *PAIR_COLUMNS)
NOT_KNOWN = -1
# The log odds of a word count up to these, in units.
MOST_CERTAIN = round(9.2 * UNITS)
# Sums are exact up to there.
_MOST = 1 << 53
# Reffay et al. (2012), section 4.3: of a context.
MOST_OCCURRENCES = 50
LEAST_SHARE = 0.2
FEWEST_OCCURRENCES = 2
# What a condensed table holds: of words, neighbours and names beside them.
FEWEST_USES = 2
FEWEST_BESIDE, MOST_BESIDE = FEWEST_OCCURRENCES + 1, MOST_OCCURRENCES
LEAST_PART = 5


@dataclass(frozen=True)
class EvidenceTable:
    """Gathered evidence, as a rule in an order that depends on nothing but the messages."""

    words: list[str]
    of_words: Integers
    neighbours: list[str]
    of_neighbours: Integers
    senders: list[str]
    of_senders: Integers
    pairs: Integers

    def check(self) -> None:
        """Check evidence that came from elsewhere: ValueError if it can be no sum of messages."""
        n, log_odds, inside, capitals, with_capital, names, unknown, first, second = _columns(
            self.of_words, self.words, WORD_COLUMNS
        )
        n_before, names_before, n_behind, names_behind = _columns(
            self.of_neighbours, self.neighbours, NEIGHBOUR_COLUMNS
        )
        starting, starting_capital, inside_of_sender, inside_capital = _columns(
            self.of_senders, self.senders, SENDER_COLUMNS
        )
        sender, word, times, pair_log_odds = _columns(self.pairs, self.pairs, _OF_PAIRS)
        key = sender * len(self.words) + word
        for part, whole in (
            *((part, n) for part in (inside, with_capital, names, unknown)),
            (capitals, inside),
            (names_before, n_before),
            (names_behind, n_behind),
            (starting_capital, starting),
            (inside_capital, inside_of_sender),
            (abs(log_odds), n * MOST_CERTAIN),
            (abs(pair_log_odds), times * MOST_CERTAIN),
            (second - LOWEST, first - LOWEST),
            (first + MOST_CERTAIN, np.full_like(first, 2 * MOST_CERTAIN)),
            (sender, np.full_like(sender, len(self.senders) - 1)),
            (word, np.full_like(word, len(self.words) - 1)),
            (np.ones_like(n), n),
            (np.ones_like(times), times),
        ):
            if (part < 0).any() or (part > whole).any() or (whole > _MOST).any():
                raise ValueError("it counts what cannot be")
        if (np.diff(key) <= 0).any():
            raise ValueError("a pair of a sender and a word is in it twice, or out of order")

    def condensed(self, most_words: int) -> "tuple[EvidenceTable, int]":
        """Leave out what changes no evidence: words used once, neighbours that tell nothing."""
        n = self.of_words[:, 0]
        words = _most_frequent(np.flatnonzero(n >= FEWEST_USES), n, most_words)
        n_before, names_before, n_behind, names_behind = self.of_neighbours.T
        telling = _may_tell(n_before, names_before) | _may_tell(n_behind, names_behind)
        n_beside = n_before + n_behind
        neighbours = _most_frequent(np.flatnonzero(telling), n_beside, most_words)
        now = np.full(len(self.words), NOT_KNOWN, dtype=np.int64)
        now[words] = np.arange(len(words))
        pairs = self.pairs.copy()
        pairs[:, 1] = now[pairs[:, 1]]
        kept = self._only(words, neighbours, pairs=pairs[pairs[:, 1] != NOT_KNOWN])
        return kept, int((n >= FEWEST_USES).sum()) - len(words)

    def shards(self, n: int) -> "Iterator[EvidenceTable]":
        """Yield words and neighbours in so many parts, each always in the same one; no senders."""
        nothing = np.zeros((0, len(SENDER_COLUMNS)), dtype=np.int64)
        of_word, of_neighbour = (
            np.array([crc32(one.encode("utf-8", "surrogatepass")) % n for one in names])
            for names in (self.words, self.neighbours)
        )
        for shard in range(n):
            here = (np.flatnonzero(of == shard) for of in (of_word, of_neighbour))
            yield self._only(*here, senders=[], of_senders=nothing, pairs=nothing)

    def _only(self, words: Integers, neighbours: Integers, **others: Any) -> "EvidenceTable":  # noqa: ANN401
        return replace(
            self,
            words=[self.words[i] for i in words],
            of_words=self.of_words[words],
            neighbours=[self.neighbours[i] for i in neighbours],
            of_neighbours=self.of_neighbours[neighbours],
            **others,
        )


def _columns(
    table: NDArray[np.generic], known: Sequence[str] | Integers, names: Sequence[str]
) -> Integers:
    """Return the columns of a table that has a row for each of what is known, each once."""
    if table.dtype != np.int64 or table.shape != (len(known), len(names)):
        raise ValueError("its tables have another shape")
    if isinstance(known, list) and any(one >= other for one, other in pairwise(known)):
        raise ValueError("a name is in it twice, or out of order")
    return table.astype(np.int64, copy=False).T


def _most_frequent(which: Integers, n: Integers, most: int) -> Integers:
    """Return numbers of what is most frequent, in order; of what is as frequent, the first."""
    return np.sort(which[np.argsort(-n[which], kind="stable")[:most]])


def _may_tell(n: Integers, names: Integers) -> NDArray[np.bool_]:
    """Return which contexts `CorpusEvidence` may say of that they give names away."""
    return (n >= FEWEST_BESIDE) & (n <= MOST_BESIDE) & (LEAST_PART * names >= n - 1)
