"""Corpus evidence: what the other occurrences of a word, and its sender's habits, say of it.

All that is counted are whole numbers: the sum is the same however the messages are divided.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.edits import NameVariants
from triage.dictionaries.growing import Numbered

from .word_evidence import NO_WORD, UNITS, Column, Habit, ScoredWords, probability, units

Integers = NDArray[np.int64]

COLUMNS = (
    *("word evidence", "same sender", "other senders", "capitals inside", "times seen inside"),
    "strongest other",
    *(f"{one} starting, sender starts with capitals" for one in ("capital", "no capital")),
    *(f"{one} inside, sender's capitals inside" for one in ("capital", "no capital")),
    *(f"context {side} gives names away" for side in ("before", "behind")),
    *("variant of a name", "times with this capital", "names with capitals"),
)
# The log odds of a word of which nothing is known.
_UNKNOWN = -4.0
STRONGEST = 13.0
# The share of names written with a capital in a corpus of which nothing is known, and how many
# names that counts as.
_USUAL_SHARE = 0.8
_AS_MANY = 10
_WORD_TOTALS = ("n", "log_odds", "inside", "capitals", "with_capital", "names", "unknown")
_NEIGHBOUR_COLUMNS = ("n_before", "names_before", "n_behind", "names_behind")
_SENDER_COLUMNS = ("starting", "starting_capital", "inside", "inside_capital")
_NOT_KNOWN = -1
# The log odds of a word count up to these, in units.
_MOST_CERTAIN = round(9.2 * UNITS)
# Sums are exact up to there.
_MOST = 1 << 53
# Reffay et al. (2012), section 4.3: of a context. Words used less often are left out of condensed
# evidence.
_FEWEST, _MOST_OCCURRENCES, _LEAST_SHARE = 2, 50, 0.2
_LEAST_PART = round(1 / _LEAST_SHARE)
# Two numbers are one of twice as many bits.
_BITS = 32
_LOWEST = -(1 << 31)
_MANY_PAIRS = 250_000


class TwoHighest:
    """Keeps the two highest values for things that are numbered from 0."""

    def __init__(self) -> None:
        self._values: Integers = np.full((2, 1), _LOWEST, dtype=np.int64)

    def add(self, number: Integers, value: Integers) -> None:
        """Take in values between -2**31 and 2**31."""
        self._values = self.table(int(number.max(initial=-1)) + 2).T
        met = np.flatnonzero(np.bincount(number))
        among = np.concatenate([value, *self._values[:, met]]) - _LOWEST
        # Number and value in one: sorting is fast that way.
        ranked = np.sort((np.concatenate([number, met, met]) << _BITS) + among)
        last = np.flatnonzero(np.diff(ranked >> _BITS, append=-1))
        self._values[:, met] = (ranked[[last, last - 1]] & ((1 << _BITS) - 1)) + _LOWEST

    def other(self, number: Integers, value: Integers) -> Integers:
        """Return for each value the highest of its number but itself; `_LOWEST` without."""
        first, second = self._values.take(number, axis=1)
        highest: Integers = np.where(value >= first, second, first)
        return highest

    def table(self, n: int) -> Integers:
        """Return the highest and the second highest of `n` numbers, or of all; shape (n, 2)."""
        missing = max(0, n - self._values.shape[1])
        return np.pad(self._values, ((0, 0), (0, missing)), constant_values=_LOWEST).T


class PairCounts:
    """Counts and sums for pairs of numbers, in memory that grows with the distinct pairs."""

    def __init__(self) -> None:
        # In order; the first is no pair.
        self._keys: Integers = np.array([-1], dtype=np.int64)
        # There are more pairs than anything else: counts of one take half the room of sums.
        self._n: NDArray[Any] = np.zeros(1, dtype=np.int32)
        self._sums: Integers = np.zeros(1, dtype=np.int64)
        self._waiting: list[tuple[Integers, Integers, Integers]] = []
        self._n_waiting = 0

    def __len__(self) -> int:
        self.settle()
        return len(self._keys) - 1

    def add(
        self, one: Integers, other: Integers, n: Integers, value: Integers, *, known: bool = False
    ) -> None:
        """Take in pairs, how often each came, and the sums of their values.

        Those of `known` pairs alone, given once each, are added to what was met before.
        """
        if known:
            self.settle()
        self._waiting.append(((one << _BITS) | other, n, value))
        self._n_waiting += len(value)
        # Sorting waits until a part of all has come: so that it does not grow quadratic.
        if known or self._n_waiting > max(len(self._keys) // 8, _MANY_PAIRS):
            self.settle(known)

    def get(self, one: Integers, other: Integers) -> tuple[Integers, Integers]:
        """Return the counts and the sums of pairs; 0 of a pair that was not taken in."""
        self.settle()
        at, is_known = self._find((one << _BITS) | other)
        return self._n.take(at) * is_known, self._sums.take(at) * is_known

    def _find(self, keys: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """Return where pairs stand, and which are known."""
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return at, self._keys.take(at) == keys

    def slices(self) -> Iterator[Integers]:
        self.settle()
        for start in range(1, len(self._keys), _MANY_PAIRS):
            some = slice(start, start + _MANY_PAIRS)
            keys = self._keys[some]
            pairs = keys >> _BITS, keys & ((1 << _BITS) - 1)
            yield np.column_stack([*pairs, self._n[some], self._sums[some]])

    def settle(self, known: bool = False) -> None:
        """Add up all pairs that wait, or those of them that are known."""
        if not self._waiting:
            return
        keys, n, sums = map(np.concatenate, zip(*self._waiting, strict=True))
        self._waiting, self._n_waiting = [], 0
        if not (known or (keys[1:] > keys[:-1]).all()):  # of a table they are in order
            order = np.argsort(keys)
            keys, n, sums = (one.take(order) for one in (keys, n, sums))
            first = np.flatnonzero(np.diff(keys, prepend=-2))
            keys, n, sums = keys[first], *(np.add.reduceat(one, first) for one in (n, sums))
        at, is_known = self._find(keys)
        self._n[at[is_known]] += n[is_known]
        self._sums[at[is_known]] += sums[is_known]
        if known:
            return
        # Column by column: two of the longest arrays need not be there at a time.
        keys, n, sums = (one[~is_known] for one in (keys, n, sums))
        at = np.searchsorted(self._keys, keys)
        self._keys = np.insert(self._keys, at, keys)
        self._n = np.insert(self._n, at, n)
        self._sums = np.insert(self._sums, at, sums)


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
        for table, known, columns in (
            (self.of_words, self.words, (*_WORD_TOTALS, "highest", "second_highest")),
            (self.of_neighbours, self.neighbours, _NEIGHBOUR_COLUMNS),
            (self.of_senders, self.senders, _SENDER_COLUMNS),
            (self.pairs, [], ("sender", "word", "n", "log_odds")),
        ):
            n_rows = len(self.pairs) if table is self.pairs else len(known)
            if table.dtype != np.int64 or table.shape != (n_rows, len(columns)):
                raise ValueError("its tables have another shape")
            if any(one >= other for one, other in pairwise(known)):
                raise ValueError("a name is in it twice, or out of order")
        n, log_odds, inside, capitals, with_capital, names, unknown, first, second = self.of_words.T
        n_before, names_before, n_behind, names_behind = self.of_neighbours.T
        starting, starting_capital, inside_of_sender, inside_capital = self.of_senders.T
        sender, word, times, pair_log_odds = self.pairs.T
        key = sender * len(self.words) + word
        for part, whole in (
            *((part, n) for part in (1, inside, with_capital, names, unknown)),
            *((capitals, inside), (names_before, n_before), (names_behind, n_behind)),
            *((starting_capital, starting), (inside_capital, inside_of_sender)),
            *((abs(log_odds), n * _MOST_CERTAIN), (abs(pair_log_odds), times * _MOST_CERTAIN)),
            (second - _LOWEST, first - _LOWEST),
            (first + _MOST_CERTAIN, 2 * _MOST_CERTAIN),
            *((sender, len(self.senders) - 1), (word, len(self.words) - 1), (1, times)),
        ):
            if np.any(part < 0) or np.any(part > whole) or np.any(whole > _MOST):
                raise ValueError("it counts what cannot be")
        if (np.diff(key) <= 0).any():
            raise ValueError("a pair of a sender and a word is in it twice, or out of order")

    def condensed(self, most_words: int) -> "tuple[EvidenceTable, int]":
        """Leave out what changes no evidence: words used once, neighbours that tell nothing."""
        n = self.of_words[:, 0]
        words = _most_frequent(np.flatnonzero(n >= _FEWEST), n, most_words)
        n_before, names_before, n_behind, names_behind = self.of_neighbours.T
        # Of contexts that may give names away.
        telling = np.zeros(len(n_before), dtype=np.bool_)
        for times, names in ((n_before, names_before), (n_behind, names_behind)):
            is_some = (times > _FEWEST) & (times <= _MOST_OCCURRENCES)
            telling |= is_some & (_LEAST_PART * names >= times - 1)
        n_beside = n_before + n_behind
        neighbours = _most_frequent(np.flatnonzero(telling), n_beside, most_words)
        now = np.full(len(self.words), _NOT_KNOWN, dtype=np.int64)
        now[words] = np.arange(len(words))
        pairs = self.pairs.copy()
        pairs[:, 1] = now[pairs[:, 1]]
        kept = self._only(words, neighbours, pairs=pairs[pairs[:, 1] != _NOT_KNOWN])
        return kept, int((n >= _FEWEST).sum()) - len(words)

    def shards(self, n: int) -> "Iterator[EvidenceTable]":
        """Yield words, neighbours and senders in so many parts, each in the same; no pairs."""
        of_word, of_neighbour, of_sender = (
            np.array([crc32(one.encode("utf-8", "surrogatepass")) % n for one in names])
            for names in (self.words, self.neighbours, self.senders)
        )
        for shard in range(n):
            words, neighbours, senders = (
                np.flatnonzero(of == shard) for of in (of_word, of_neighbour, of_sender)
            )
            yield self._only(
                words,
                neighbours,
                senders=[self.senders[i] for i in senders],
                of_senders=self.of_senders[senders],
                pairs=self.pairs[:0],
            )

    def _only(self, words: Integers, neighbours: Integers, **others: Any) -> "EvidenceTable":  # noqa: ANN401
        return replace(
            self,
            words=[self.words[i] for i in words],
            of_words=self.of_words[words],
            neighbours=[self.neighbours[i] for i in neighbours],
            of_neighbours=self.of_neighbours[neighbours],
            **others,
        )


def _most_frequent(which: Integers, n: Integers, most: int) -> Integers:
    """Return numbers of what is most frequent, in order; of what is as frequent, the first."""
    return np.sort(which[np.argsort(-n[which], kind="stable")[:most]])


class Counted:
    """Adds up columns of values for strings, numbered in the order in which they come."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._columns: Integers = np.zeros((len(names), 1), dtype=np.int64)
        self.known: Numbered[str] = Numbered()
        # Their numbers here by those that word indexes gave them.
        self.of_index: dict[Numbered[str], Integers] = {}

    def __getitem__(self, name: str) -> Integers:
        """Return a column, over the numbers met so far and more, for -1 the last."""
        column: Integers = self._columns[self._names.index(name)]
        return column

    def add(self, number: Integers, **values: NDArray[Any]) -> None:
        missing = int(number.max(initial=-1)) + 2 - self._columns.shape[1]
        if missing > 0:
            room = max(missing, self._columns.shape[1])
            self._columns = np.pad(self._columns, ((0, 0), (0, room)))
        for name, value in values.items():
            # Exact: sums stay far below 2**53.
            some = (number.compress(value),) if value.dtype == np.bool_ else (number, value)
            more = np.bincount(*some).astype(np.int64)
            self[name][: len(more)] += more

    def numbers(
        self, theirs: Numbered[str], of_word: NDArray[np.int32], words: NDArray[np.int32], new: bool
    ) -> Integers:
        """Return the numbers here of words, each of which has one of what an index numbers."""
        known = self.of_index.get(theirs, np.zeros(0, dtype=np.int64))
        if len(known) < len(theirs):
            known = np.pad(known, (0, 2 * len(theirs)), constant_values=_NOT_KNOWN)
            self.of_index[theirs] = known
        found: Integers = known.take(of_word).take(words)
        if (missing := of_word[words[found == _NOT_KNOWN]]).size:
            for one in np.unique(missing).tolist():
                item = theirs.items_in_order[one]
                known[one] = self.known[item] if new else self.known.get(item, _NOT_KNOWN)
            found = known.take(of_word).take(words)
        return found

    def merge(self, items: list[str], table: Integers) -> Integers:
        """Add a table with a row for each string; return the numbers of these."""
        number = np.array([*map(self.known.__getitem__, items)], dtype=np.int64)
        self.add(number, **dict(zip(self._names, table.T, strict=True)))
        return number

    def arranged(self, in_order: bool) -> tuple[list[str], Integers, Integers]:
        """Return strings, perhaps in order, their table, and where each stood before."""
        items, n = self.known.items_in_order, len(self.known)
        places = sorted(range(n), key=items.__getitem__) if in_order else range(n)
        before = np.array([*places], dtype=np.int64)
        table = np.pad(self._columns, ((0, 0), (0, n)))[:, :n].T[before]
        return [items[i] for i in places], table, before


class CorpusEvidence:
    """Counts what a corpus says of its words, chunk by chunk, and looks it up per occurrence."""

    def __init__(self, parts: Iterable[EvidenceTable] = ()) -> None:
        self.words, self._highest = Counted(*_WORD_TOTALS), TwoHighest()
        self.neighbours = Counted(*_NEIGHBOUR_COLUMNS)
        self.senders, self.of_sender = Counted(*_SENDER_COLUMNS), PairCounts()
        self._variant: NDArray[np.float64] | None = None
        self._near = NameVariants({})
        for part in parts:
            self.merge(part)

    def add(self, scored: ScoredWords, senders: Sequence[str], *, with_pairs: bool = True) -> None:
        """Count the words of some messages, each of which has a sender.

        Without pairs, what each sender does with each word is left to `with_pairs_of`.
        """
        seen = _Occurrences(self, scored, senders, new=True)
        every = np.ones(len(seen.word), dtype=np.bool_)
        self.words.add(
            seen.word,
            n=every,
            log_odds=seen.log_odds,
            inside=seen.is_inside,
            capitals=seen.is_inside & seen.is_capital,
            with_capital=seen.is_capital,
            names=seen.is_name,
            unknown=seen.is_unknown,
        )
        self._highest.add(seen.word, seen.log_odds)
        before, behind = seen.neighbours
        self.neighbours.add(before, n_before=every, names_before=seen.is_name)
        self.neighbours.add(behind, n_behind=every, names_behind=seen.is_name)
        self._variant = None
        known = seen.has_sender
        where = {"starting": known & seen.starts, "inside": known & ~seen.starts}
        capitals = {f"{place}_capital": here & seen.is_capital for place, here in where.items()}
        self.senders.add(seen.sender, **where, **capitals)
        if with_pairs:
            self._add_pairs(seen)

    def _add_pairs(self, seen: "_Occurrences") -> None:
        is_known = (seen.word != _NOT_KNOWN) & (seen.sender != _NOT_KNOWN)
        by = np.flatnonzero(seen.has_sender & is_known)
        once = np.ones(len(by), dtype=np.int64)
        self.of_sender.add(seen.sender.take(by), seen.word.take(by), once, seen.log_odds.take(by))

    @property
    def lacks_pairs(self) -> bool:
        """Tell if pairs of a sender and a word are unknown though there are senders."""
        known = self.senders.known
        return len(known) > ("" in known) and not len(self.of_sender)

    def with_pairs_of(self, scored: ScoredWords, senders: Sequence[str]) -> "CorpusEvidence":
        """Return this evidence with the pairs of messages, which are all those of their senders."""
        own = copy(self)
        own.of_sender = PairCounts()
        own._add_pairs(_Occurrences(own, scored, senders))
        return own

    def merge(
        self, part: EvidenceTable, pairs: Iterable[Integers] = (), *, for_own: bool = False
    ) -> None:
        """Add what was gathered of other messages of the corpus, with further pairs of it.

        For the use of messages that were added here, only pairs of a sender and a word that they
        hold themselves are needed; there are more pairs than anything else.
        """
        n_totals = len(_WORD_TOTALS)
        word = self.words.merge(part.words, part.of_words[:, :n_totals])
        highest = np.concatenate([*part.of_words[:, n_totals:].T])
        self._highest.add(np.concatenate([word, word]), highest)
        self.neighbours.merge(part.neighbours, part.of_neighbours)
        sender = self.senders.merge(part.senders, part.of_senders)
        for its_sender, its_word, *counts in (some.T for some in (part.pairs, *pairs)):
            self.of_sender.add(sender[its_sender], word[its_word], *counts, known=for_own)
        self._variant = None

    def table(self, *, in_order: bool = True, with_pairs: bool = True) -> EvidenceTable:
        """Return all that was gathered, perhaps without pairs of a sender and a word."""
        words, of_words, word_at = self.words.arranged(in_order)
        neighbours, of_neighbours, _ = self.neighbours.arranged(in_order)
        senders, of_senders, sender_at = self.senders.arranged(in_order)
        of_words = np.column_stack([of_words, self._highest.table(len(words))[word_at]])
        some = self.of_sender.slices() if with_pairs else ()
        pairs = np.concatenate([np.zeros((0, 4), dtype=np.int64), *some])
        # Where each stands now, by where it stood.
        for column, at in enumerate((sender_at, word_at)):
            pairs[:, column] = np.argsort(at)[pairs[:, column]]
        if in_order:
            pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        return EvidenceTable(words, of_words, neighbours, of_neighbours, senders, of_senders, pairs)

    @property
    def n_repeated(self) -> int:
        # Words used once are left out of condensed evidence.
        n = self.words["n"]
        return int(n[n >= _FEWEST].sum())

    @property
    def names_with_capitals(self) -> float:
        """The share of known first names inside sentences that have a capital."""
        capitals = int(self.words["capitals"][self._known_names].sum())
        return (capitals + _USUAL_SHARE * _AS_MANY) / (self.n_names + _AS_MANY)

    @property
    def n_names(self) -> int:
        return int(self.words["inside"][self._known_names].sum())

    @property
    def _known_names(self) -> Integers:
        # Words used once are left out of condensed evidence.
        of = self.words
        return np.flatnonzero((of["names"] > 0) & (of["n"] >= _FEWEST))

    def finish(self) -> None:
        self.of_sender.settle()
        self._variants()

    def columns(
        self, scored: ScoredWords, senders: Sequence[str], at: Integers | None = None
    ) -> NDArray[np.float64]:
        """Return what the corpus says of words of messages that were added to it."""
        at = np.arange(len(scored.log_odds)) if at is None else at
        seen = _Occurrences(self, scored, senders, at)
        table = np.zeros((len(at), len(COLUMNS)), order="F")
        table[:, 1:3] = _UNKNOWN
        table[:, 0] = np.clip(scored.log_odds.take(at), -STRONGEST, STRONGEST)
        table[:, -1] = self.names_with_capitals
        is_word = scored.index.column(Column.IS_WORD).take(scored.places.number.take(at)) > 0
        is_known, of = seen.word != _NOT_KNOWN, self.words
        inside = seen.is_inside & is_known
        n_inside = of["inside"].take(seen.word) - inside
        capitals = of["capitals"].take(seen.word) - (inside & seen.is_capital)
        strongest = self._highest.other(seen.word, seen.log_odds)
        with_capital = of["with_capital"].take(seen.word)
        alike = np.where(seen.is_capital, with_capital, of["n"].take(seen.word) - with_capital)
        # The shrunk mean log odds of the word from its sender, and from others.
        by, n_here, sum_here = seen.has_sender, np.ones_like(seen.word), seen.log_odds.copy()
        n_here[by], sum_here[by] = self.of_sender.get(seen.sender[by], seen.word[by])
        n_others = (of["n"].take(seen.word) - n_here) * is_known
        found = (
            _mean_or_unknown(sum_here - seen.log_odds, n_here - 1),
            _mean_or_unknown(of["log_odds"].take(seen.word) - sum_here, n_others),
            (capitals + 0.1) / (n_inside + 1),
            np.log1p(n_inside),
            np.where(strongest == _LOWEST, 0.0, probability(strongest / UNITS)),
            *self._habits(seen),
            *(self._gives_away(seen, i, side) for i, side in enumerate(("before", "behind"))),
            self._strength_as_variant(seen),
            np.log1p(np.where(is_known, alike, 1)),
        )
        for i, column in enumerate(found, 1):
            table[is_word, i] = column
        return table

    def _habits(self, seen: "_Occurrences") -> Iterator[NDArray[np.float64]]:
        """Yield what a capital, or none, is worth from this sender: starting, and inside."""
        own = seen.has_sender & (seen.sender != _NOT_KNOWN)
        capital, starts, inside = seen.is_capital, seen.starts, ~seen.starts

        def others(name: str, here: NDArray[np.bool_]) -> Integers:
            found: Integers = self.senders[name].take(seen.sender) - (here & own)
            return found

        n_capital = others("starting_capital", starts & capital)
        starting = (n_capital + 1) / (others("starting", starts) + 2)
        yield starting * (capital & starts)
        yield starting * (~capital & starts)
        share = others("inside_capital", inside & capital) + 0.5
        log_share = np.log(share / (others("inside", inside) + 10))
        yield log_share * (capital & inside)
        yield log_share * (~capital & inside)

    def _gives_away(self, seen: "_Occurrences", i: int, side: str) -> NDArray[np.bool_]:
        """Tell which contexts stand beside a known name often enough elsewhere."""
        context, is_word = seen.neighbours[i], seen.have_neighbours[i]
        n = self.neighbours[f"n_{side}"].take(context)
        names = self.neighbours[f"names_{side}"].take(context) - seen.is_name
        rare = (n <= _MOST_OCCURRENCES) & (n - 1 >= _FEWEST)
        tells: NDArray[np.bool_] = rare & is_word & (names >= _LEAST_SHARE * (n - 1))
        return tells

    def _strength_as_variant(self, seen: "_Occurrences") -> NDArray[np.float64]:
        """Return how strong the name is that a word is a variant of; 0 if of none."""
        variant, spelled = self._variants(), self.words.known.items_in_order
        for i in np.unique(seen.word[np.isnan(variant.take(seen.word))]).tolist():
            variant[i] = self._near.strength(spelled[i])
        strength: NDArray[np.float64] = variant.take(seen.word)
        used_once = seen.is_unknown & (seen.word == _NOT_KNOWN)
        spelling, at = np.unique(seen.spelling[used_once], return_inverse=True)
        found = [self._near.strength(seen.spellings[i]) for i in spelling.tolist()]
        strength[used_once] = np.array(found, dtype=np.float64)[at]
        return np.minimum(strength, -_UNKNOWN)

    def _variants(self) -> NDArray[np.float64]:
        """Return the strength of the name for each known word; NaN if nobody has asked yet."""
        if self._variant is None:
            strength = self.words["log_odds"] / UNITS / np.maximum(self.words["n"], 1)
            is_name, spelled = self._known_names, self.words.known.items_in_order
            names = is_name[strength[is_name] > 0].tolist()
            self._near = NameVariants({spelled[i]: float(strength[i]) for i in names})
            # The last is that of words that are not known.
            self._variant = np.zeros(len(spelled) + 1)
            self._variant[np.flatnonzero(self.words["unknown"] > 0)] = np.nan
        return self._variant


class _Occurrences:
    """The words of a chunk, as they are counted: one row for each word that is no sign."""

    def __init__(
        self,
        counted: CorpusEvidence,
        scored: ScoredWords,
        senders: Sequence[str],
        rows: Integers | None = None,
        *,
        new: bool = False,
    ) -> None:
        where, index, known = scored.places, scored.index, counted.senders.known
        meet = known.__getitem__ if new else lambda one: known.get(one, _NOT_KNOWN)
        rows = np.arange(len(where.number)) if rows is None else rows
        at = rows.compress(index.column(Column.IS_WORD).take(where.number.take(rows)) > 0)
        number, message, habit = where.number.take(at), where.message.take(at), where.habit.take(at)
        spelling, neighbour = index.column(Column.SPELLING), index.column(Column.NEIGHBOUR)
        self.sender = np.array([*map(meet, senders)], dtype=np.int64).take(message)
        self.has_sender = np.array([*map(bool, senders)], dtype=np.bool_).take(message)
        self.spelling, self.spellings = spelling.take(number), index.spellings.items_in_order
        self.word = counted.words.numbers(index.spellings, spelling, number, new)
        # The neighbour before and the one behind, and whether they are any.
        beside = [where.neighbour(offset).take(at) for offset in (-1, 1)]
        self.neighbours = [
            counted.neighbours.numbers(index.neighbours, neighbour, one, new) for one in beside
        ]
        self.have_neighbours = [one != NO_WORD for one in beside]
        self.log_odds = np.clip(units(scored.log_odds.take(at)), -_MOST_CERTAIN, _MOST_CERTAIN)
        self.is_capital, self.starts = where.is_capital.take(at), where.starts.take(at)
        # Where all words have capitals, a capital inside a sentence tells nothing.
        tells = (habit == Habit.NONE_INSIDE) | (habit == Habit.SOME_INSIDE)
        self.is_inside = ~self.starts & tells
        self.is_name = index.column(Column.IS_FIRST_NAME).take(number).astype(np.bool_)
        self.is_unknown = index.column(Column.IS_UNKNOWN).take(number).astype(np.bool_)


def _mean_or_unknown(sums: Integers, n: Integers) -> NDArray[np.float64]:
    """Return the mean of log odds, shrunk as if there were one more, of 0."""
    return np.where(n > 0, sums / UNITS / (np.maximum(n, 0) + 1), _UNKNOWN)
