"""Corpus evidence: of a word, from its other occurrences and the habits of its sender.

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
# The log odds of a word without evidence.
_UNKNOWN = -4.0
STRONGEST = 13.0
# The share of names written with a capital in a corpus of which nothing is known, and how many
# names that counts as.
_USUAL_SHARE = 0.8
_N_USUAL_NAMES = 10
_WORD_TOTALS = ("n", "log_odds", "inside", "capitals", "with_capital", "names", "unknown")
_NEIGHBOUR_COLUMNS = ("n_before", "names_before", "n_behind", "names_behind")
_SENDER_COLUMNS = ("starting", "starting_capital", "inside", "inside_capital")
_NOT_KNOWN = -1
# The log odds of a word count up to these, in units.
_MAX_LOG_ODDS = round(9.2 * UNITS)
# Sums are exact up to there.
_MAX_SUM = 1 << 53
# Reffay et al. (2012), section 4.3: of a context. Words used less often are left out of condensed
# evidence.
_MIN_OCCURRENCES, _MAX_OCCURRENCES, _MIN_SHARE = 2, 50, 0.2
_MIN_PART = round(1 / _MIN_SHARE)
# Two numbers are packed into one of twice as many bits.
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
        numbers = np.flatnonzero(np.bincount(number))
        values = np.concatenate([value, *self._values[:, numbers]]) - _LOWEST
        # Number and value packed into one integer: it is sorted faster than two.
        keys = np.sort((np.concatenate([number, numbers, numbers]) << _BITS) + values)
        last = np.flatnonzero(np.diff(keys >> _BITS, append=-1))
        self._values[:, numbers] = (keys[[last, last - 1]] & ((1 << _BITS) - 1)) + _LOWEST

    def highest_of_others(self, number: Integers, value: Integers) -> Integers:
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
        # Sorted; the first is no pair, so that no look-up is in an empty array.
        self._keys: Integers = np.array([-1], dtype=np.int64)
        # There are more pairs than anything else; a count fits into half the bytes of a sum.
        self._n: NDArray[Any] = np.zeros(1, dtype=np.int32)
        self._sums: Integers = np.zeros(1, dtype=np.int64)
        self._waiting: list[tuple[Integers, Integers, Integers]] = []
        self._n_waiting = 0

    def __len__(self) -> int:
        self.settle()
        return len(self._keys) - 1

    def add(
        self, row: Integers, col: Integers, n: Integers, sums: Integers, *, only_known: bool = False
    ) -> None:
        """Add pairs, how often each came, and the sums of their values.

        With `only_known`, pairs are given once each, and those not added before are left out.
        """
        if only_known:
            self.settle()
        self._waiting.append(((row << _BITS) | col, n, sums))
        self._n_waiting += len(sums)
        # Sorting waits until a part of all has come: so that it does not grow quadratic.
        if only_known or self._n_waiting > max(len(self._keys) // 8, _MANY_PAIRS):
            self.settle(only_known)

    def get(self, row: Integers, col: Integers) -> tuple[Integers, Integers]:
        """Return the counts and the sums of pairs; 0 of a pair that was not added."""
        self.settle()
        places, is_known = self._find((row << _BITS) | col)
        return self._n.take(places) * is_known, self._sums.take(places) * is_known

    def _find(self, keys: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """Return the places of pairs, and which of them are known."""
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return places, self._keys.take(places) == keys

    def slices(self) -> Iterator[Integers]:
        self.settle()
        for start in range(1, len(self._keys), _MANY_PAIRS):
            part = slice(start, start + _MANY_PAIRS)
            keys = self._keys[part]
            pairs = keys >> _BITS, keys & ((1 << _BITS) - 1)
            yield np.column_stack([*pairs, self._n[part], self._sums[part]])

    def settle(self, only_known: bool = False) -> None:
        """Add up all pairs that wait, or those of them that were added before."""
        if not self._waiting:
            return
        keys, n, sums = map(np.concatenate, zip(*self._waiting, strict=True))
        self._waiting, self._n_waiting = [], 0
        if not (only_known or (keys[1:] > keys[:-1]).all()):  # of a table they are in order
            order = np.argsort(keys)
            keys, n, sums = (one.take(order) for one in (keys, n, sums))
            row = np.flatnonzero(np.diff(keys, prepend=-2))
            keys, n, sums = keys[row], *(np.add.reduceat(one, row) for one in (n, sums))
        places, is_known = self._find(keys)
        self._n[places[is_known]] += n[is_known]
        self._sums[places[is_known]] += sums[is_known]
        if only_known:
            return
        # Column by column: two of the longest arrays need not be there at a time.
        keys, n, sums = (one[~is_known] for one in (keys, n, sums))
        places = np.searchsorted(self._keys, keys)
        self._keys = np.insert(self._keys, places, keys)
        self._n = np.insert(self._n, places, n)
        self._sums = np.insert(self._sums, places, sums)


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
        for table, strings, columns in (
            (self.of_words, self.words, (*_WORD_TOTALS, "highest", "second_highest")),
            (self.of_neighbours, self.neighbours, _NEIGHBOUR_COLUMNS),
            (self.of_senders, self.senders, _SENDER_COLUMNS),
            (self.pairs, [], ("sender", "word", "n", "log_odds")),
        ):
            n_rows = len(self.pairs) if table is self.pairs else len(strings)
            if table.dtype != np.int64 or table.shape != (n_rows, len(columns)):
                raise ValueError("its tables have another shape")
            if any(one >= other for one, other in pairwise(strings)):
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
            *((abs(log_odds), n * _MAX_LOG_ODDS), (abs(pair_log_odds), times * _MAX_LOG_ODDS)),
            (second - _LOWEST, first - _LOWEST),
            (first + _MAX_LOG_ODDS, 2 * _MAX_LOG_ODDS),
            *((sender, len(self.senders) - 1), (word, len(self.words) - 1), (1, times)),
        ):
            if np.any(part < 0) or np.any(part > whole) or np.any(whole > _MAX_SUM):
                raise ValueError("it counts what cannot be")
        if (np.diff(key) <= 0).any():
            raise ValueError("a pair of a sender and a word is in it twice, or out of order")

    def condensed(self, most_words: int) -> "tuple[EvidenceTable, int]":
        """Leave out what changes no evidence: words used once, neighbours that tell nothing."""
        n = self.of_words[:, 0]
        words = _most_frequent(np.flatnonzero(n >= _MIN_OCCURRENCES), n, most_words)
        n_before, names_before, n_behind, names_behind = self.of_neighbours.T
        # Whether a context may give names away.
        is_telling = np.zeros(len(n_before), dtype=np.bool_)
        for times, names in ((n_before, names_before), (n_behind, names_behind)):
            is_rare = (times > _MIN_OCCURRENCES) & (times <= _MAX_OCCURRENCES)
            is_telling |= is_rare & (_MIN_PART * names >= times - 1)
        n_total = n_before + n_behind
        neighbours = _most_frequent(np.flatnonzero(is_telling), n_total, most_words)
        new_number = np.full(len(self.words), _NOT_KNOWN, dtype=np.int64)
        new_number[words] = np.arange(len(words))
        pairs = self.pairs.copy()
        pairs[:, 1] = new_number[pairs[:, 1]]
        condensed = self._only(words, neighbours, pairs=pairs[pairs[:, 1] != _NOT_KNOWN])
        return condensed, int((n >= _MIN_OCCURRENCES).sum()) - len(words)

    def shards(self, n: int) -> "Iterator[EvidenceTable]":
        """Yield `n` parts of words, neighbours and senders, by their checksums; no pairs."""
        of_word, of_neighbour, of_sender = (
            np.array([crc32(one.encode("utf-8", "surrogatepass")) % n for one in names])
            for names in (self.words, self.neighbours, self.senders)
        )
        for shard in range(n):
            words, neighbours, senders = (
                np.flatnonzero(shard_of == shard) for shard_of in (of_word, of_neighbour, of_sender)
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


def _most_frequent(numbers: Integers, n: Integers, maximum: int) -> Integers:
    """Return, in order, the numbers with the highest `n`; of equal ones, the first."""
    return np.sort(numbers[np.argsort(-n[numbers], kind="stable")[:maximum]])


class Counted:
    """Adds up columns of values for strings, numbered in the order in which they come."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._columns: Integers = np.zeros((len(names), 1), dtype=np.int64)
        self.known: Numbered[str] = Numbered()
        # For each index of words, the numbers here of its strings.
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
            arguments = (number.compress(value),) if value.dtype == np.bool_ else (number, value)
            sums = np.bincount(*arguments).astype(np.int64)
            self[name][: len(sums)] += sums

    def numbers(
        self, index: Numbered[str], item: NDArray[np.int32], words: NDArray[np.int32], new: bool
    ) -> Integers:
        """Return the numbers here of `words`; `item` is the string of each word in `index`."""
        number_of = self.of_index.get(index, np.zeros(0, dtype=np.int64))
        if len(number_of) < len(index):
            number_of = np.pad(number_of, (0, 2 * len(index)), constant_values=_NOT_KNOWN)
            self.of_index[index] = number_of
        numbers: Integers = number_of.take(item).take(words)
        if (missing := item[words[numbers == _NOT_KNOWN]]).size:
            for i in np.unique(missing).tolist():
                string = index.items_in_order[i]
                number_of[i] = self.known[string] if new else self.known.get(string, _NOT_KNOWN)
            numbers = number_of.take(item).take(words)
        return numbers

    def merge(self, items: list[str], table: Integers) -> Integers:
        """Add a table with a row for each string; return the numbers of these."""
        number = np.array([*map(self.known.__getitem__, items)], dtype=np.int64)
        self.add(number, **dict(zip(self._names, table.T, strict=True)))
        return number

    def arranged(self, in_order: bool) -> tuple[list[str], Integers, Integers]:
        """Return strings, their table, and the number of each; perhaps in alphabetical order."""
        items, n = self.known.items_in_order, len(self.known)
        places = sorted(range(n), key=items.__getitem__) if in_order else range(n)
        order = np.array([*places], dtype=np.int64)
        table = np.pad(self._columns, ((0, 0), (0, n)))[:, :n].T[order]
        return [items[i] for i in places], table, order


class CorpusEvidence:
    """Counts the evidence of a corpus, chunk by chunk, and looks it up for each occurrence."""

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
        chunk = _Occurrences(self, scored, senders, new=True)
        each = np.ones(len(chunk.word), dtype=np.bool_)
        self.words.add(
            chunk.word,
            n=each,
            log_odds=chunk.log_odds,
            inside=chunk.is_inside,
            capitals=chunk.is_inside & chunk.is_capital,
            with_capital=chunk.is_capital,
            names=chunk.is_name,
            unknown=chunk.is_unknown,
        )
        self._highest.add(chunk.word, chunk.log_odds)
        before, behind = chunk.neighbours
        self.neighbours.add(before, n_before=each, names_before=chunk.is_name)
        self.neighbours.add(behind, n_behind=each, names_behind=chunk.is_name)
        self._variant = None
        has_sender = chunk.has_sender
        places = {"starting": has_sender & chunk.starts, "inside": has_sender & ~chunk.starts}
        capitals = {f"{place}_capital": is_at & chunk.is_capital for place, is_at in places.items()}
        self.senders.add(chunk.sender, **places, **capitals)
        if with_pairs:
            self._add_pairs(chunk)

    def _add_pairs(self, chunk: "_Occurrences") -> None:
        is_known = (chunk.word != _NOT_KNOWN) & (chunk.sender != _NOT_KNOWN)
        rows = np.flatnonzero(chunk.has_sender & is_known)
        pairs = chunk.sender.take(rows), chunk.word.take(rows)
        self.of_sender.add(*pairs, np.ones(len(rows), dtype=np.int64), chunk.log_odds.take(rows))

    @property
    def lacks_pairs(self) -> bool:
        """Return whether pairs of a sender and a word are unknown though there are senders."""
        senders = self.senders.known
        return len(senders) > ("" in senders) and not len(self.of_sender)

    def with_pairs_of(self, scored: ScoredWords, senders: Sequence[str]) -> "CorpusEvidence":
        """Return this evidence with the pairs of messages, which are all those of their senders."""
        evidence = copy(self)
        evidence.of_sender = PairCounts()
        evidence._add_pairs(_Occurrences(evidence, scored, senders))
        return evidence

    def merge(
        self, part: EvidenceTable, pairs: Iterable[Integers] = (), *, only_known: bool = False
    ) -> None:
        """Add what was gathered of other messages of the corpus, with further pairs of it.

        With `only_known`, pairs of a sender and a word that were not added here are left out: only
        those are looked up of the messages added here, and there are more pairs than anything else.
        """
        n_totals = len(_WORD_TOTALS)
        word = self.words.merge(part.words, part.of_words[:, :n_totals])
        highest = np.concatenate([*part.of_words[:, n_totals:].T])
        self._highest.add(np.concatenate([word, word]), highest)
        self.neighbours.merge(part.neighbours, part.of_neighbours)
        sender = self.senders.merge(part.senders, part.of_senders)
        for row, col, *counts in (some.T for some in (part.pairs, *pairs)):
            self.of_sender.add(sender[row], word[col], *counts, only_known=only_known)
        self._variant = None

    def table(self, *, in_order: bool = True, with_pairs: bool = True) -> EvidenceTable:
        """Return all that was gathered, perhaps without pairs of a sender and a word."""
        words, of_words, word_at = self.words.arranged(in_order)
        neighbours, of_neighbours, _ = self.neighbours.arranged(in_order)
        senders, of_senders, sender_at = self.senders.arranged(in_order)
        of_words = np.column_stack([of_words, self._highest.table(len(words))[word_at]])
        slices = self.of_sender.slices() if with_pairs else ()
        pairs = np.concatenate([np.zeros((0, 4), dtype=np.int64), *slices])
        # The place of a number in an order is the inverse of that order.
        for column, order in enumerate((sender_at, word_at)):
            pairs[:, column] = np.argsort(order)[pairs[:, column]]
        if in_order:
            pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        return EvidenceTable(words, of_words, neighbours, of_neighbours, senders, of_senders, pairs)

    @property
    def n_repeated(self) -> int:
        # Words used once are left out of condensed evidence.
        n = self.words["n"]
        return int(n[n >= _MIN_OCCURRENCES].sum())

    @property
    def names_with_capitals(self) -> float:
        """The share of known first names inside sentences that have a capital."""
        capitals = int(self.words["capitals"][self._known_names].sum())
        return (capitals + _USUAL_SHARE * _N_USUAL_NAMES) / (self.n_names + _N_USUAL_NAMES)

    @property
    def n_names(self) -> int:
        return int(self.words["inside"][self._known_names].sum())

    @property
    def _known_names(self) -> Integers:
        # Words used once are left out of condensed evidence.
        words = self.words
        return np.flatnonzero((words["names"] > 0) & (words["n"] >= _MIN_OCCURRENCES))

    def finish(self) -> None:
        self.of_sender.settle()
        self._variants()

    def columns(
        self, scored: ScoredWords, senders: Sequence[str], rows: Integers | None = None
    ) -> NDArray[np.float64]:
        """Return the columns of evidence (`COLUMNS`) for words of messages that were added."""
        rows = np.arange(len(scored.log_odds)) if rows is None else rows
        chunk = _Occurrences(self, scored, senders, rows)
        table = np.zeros((len(rows), len(COLUMNS)), order="F")
        table[:, 1:3] = _UNKNOWN
        table[:, 0] = np.clip(scored.log_odds.take(rows), -STRONGEST, STRONGEST)
        table[:, -1] = self.names_with_capitals
        is_word = scored.index.column(Column.IS_WORD).take(scored.places.number.take(rows)) > 0
        is_known, counts = chunk.word != _NOT_KNOWN, self.words
        inside = chunk.is_inside & is_known
        n_inside = counts["inside"].take(chunk.word) - inside
        capitals = counts["capitals"].take(chunk.word) - (inside & chunk.is_capital)
        strongest = self._highest.highest_of_others(chunk.word, chunk.log_odds)
        n, with_capital = counts["n"].take(chunk.word), counts["with_capital"].take(chunk.word)
        alike = np.where(chunk.is_capital, with_capital, n - with_capital)
        # The shrunk mean log odds of the word from its sender, and from others.
        n_own, sum_own, sent = np.ones_like(chunk.word), chunk.log_odds.copy(), chunk.has_sender
        n_own[sent], sum_own[sent] = self.of_sender.get(chunk.sender[sent], chunk.word[sent])
        n_others = (n - n_own) * is_known
        columns = (
            _mean_or_unknown(sum_own - chunk.log_odds, n_own - 1),
            _mean_or_unknown(counts["log_odds"].take(chunk.word) - sum_own, n_others),
            (capitals + 0.1) / (n_inside + 1),
            np.log1p(n_inside),
            np.where(strongest == _LOWEST, 0.0, probability(strongest / UNITS)),
            *self._habits(chunk),
            *(self._gives_away(chunk, i, side) for i, side in enumerate(("before", "behind"))),
            self._strength_as_variant(chunk),
            np.log1p(np.where(is_known, alike, 1)),
        )
        for i, column in enumerate(columns, 1):
            table[is_word, i] = column
        return table

    def _habits(self, chunk: "_Occurrences") -> Iterator[NDArray[np.float64]]:
        """Yield the habits of the sender for words with and without capitals: starting, inside."""
        is_known = chunk.has_sender & (chunk.sender != _NOT_KNOWN)
        capital, starts, inside = chunk.is_capital, chunk.starts, ~chunk.starts

        def of_others(name: str, is_counted: NDArray[np.bool_]) -> Integers:
            counts: Integers = self.senders[name].take(chunk.sender) - (is_counted & is_known)
            return counts

        n_capital = of_others("starting_capital", starts & capital)
        starting = (n_capital + 1) / (of_others("starting", starts) + 2)
        yield starting * (capital & starts)
        yield starting * (~capital & starts)
        share = of_others("inside_capital", inside & capital) + 0.5
        log_share = np.log(share / (of_others("inside", inside) + 10))
        yield log_share * (capital & inside)
        yield log_share * (~capital & inside)

    def _gives_away(self, chunk: "_Occurrences", i: int, side: str) -> NDArray[np.bool_]:
        """Return whether each context stands beside known names often enough elsewhere."""
        context, is_word = chunk.neighbours[i], chunk.have_neighbours[i]
        n = self.neighbours[f"n_{side}"].take(context)
        names = self.neighbours[f"names_{side}"].take(context) - chunk.is_name
        rare = (n <= _MAX_OCCURRENCES) & (n - 1 >= _MIN_OCCURRENCES)
        gives_away: NDArray[np.bool_] = rare & is_word & (names >= _MIN_SHARE * (n - 1))
        return gives_away

    def _strength_as_variant(self, chunk: "_Occurrences") -> NDArray[np.float64]:
        """Return how strong the name is that a word is a variant of; 0 if of none."""
        variant, words = self._variants(), self.words.known.items_in_order
        for i in np.unique(chunk.word[np.isnan(variant.take(chunk.word))]).tolist():
            variant[i] = self._near.strength(words[i])
        strength: NDArray[np.float64] = variant.take(chunk.word)
        used_once = chunk.is_unknown & (chunk.word == _NOT_KNOWN)
        spelling, place = np.unique(chunk.spelling[used_once], return_inverse=True)
        strengths = [self._near.strength(chunk.spellings[i]) for i in spelling.tolist()]
        strength[used_once] = np.array(strengths, dtype=np.float64)[place]
        return np.minimum(strength, -_UNKNOWN)

    def _variants(self) -> NDArray[np.float64]:
        """Return the strength of the name for each known word; NaN if nobody has asked yet."""
        if self._variant is None:
            strength = self.words["log_odds"] / UNITS / np.maximum(self.words["n"], 1)
            is_name, words = self._known_names, self.words.known.items_in_order
            names = is_name[strength[is_name] > 0].tolist()
            self._near = NameVariants({words[i]: float(strength[i]) for i in names})
            # The last is that of words that are not known.
            self._variant = np.zeros(len(words) + 1)
            self._variant[np.flatnonzero(self.words["unknown"] > 0)] = np.nan
        return self._variant


class _Occurrences:
    """The words of a chunk, column by column; signs are left out."""

    def __init__(
        self,
        counted: CorpusEvidence,
        scored: ScoredWords,
        senders: Sequence[str],
        rows: Integers | None = None,
        *,
        new: bool = False,
    ) -> None:
        places, index, numbered = scored.places, scored.index, counted.senders.known
        number_of = numbered.__getitem__ if new else lambda one: numbered.get(one, _NOT_KNOWN)
        rows = np.arange(len(places.number)) if rows is None else rows
        rows = rows.compress(index.column(Column.IS_WORD).take(places.number.take(rows)) > 0)
        number, message = places.number.take(rows), places.message.take(rows)
        spelling, neighbour = index.column(Column.SPELLING), index.column(Column.NEIGHBOUR)
        self.sender = np.array([*map(number_of, senders)], dtype=np.int64).take(message)
        self.has_sender = np.array([*map(bool, senders)], dtype=np.bool_).take(message)
        self.spelling, self.spellings = spelling.take(number), index.spellings.items_in_order
        self.word = counted.words.numbers(index.spellings, spelling, number, new)
        # The neighbour before and the one behind, and whether each is a word.
        neighbours = [places.neighbour(offset).take(rows) for offset in (-1, 1)]
        self.neighbours = [
            counted.neighbours.numbers(index.neighbours, neighbour, one, new) for one in neighbours
        ]
        self.have_neighbours = [one != NO_WORD for one in neighbours]
        self.log_odds = np.clip(units(scored.log_odds.take(rows)), -_MAX_LOG_ODDS, _MAX_LOG_ODDS)
        self.is_capital, self.starts = places.is_capital.take(rows), places.starts.take(rows)
        # Where all words have capitals, a capital inside a sentence tells nothing.
        habit = places.habit.take(rows)
        tells = (habit == Habit.NONE_INSIDE) | (habit == Habit.SOME_INSIDE)
        self.is_inside = ~self.starts & tells
        self.is_name = index.column(Column.IS_FIRST_NAME).take(number).astype(np.bool_)
        self.is_unknown = index.column(Column.IS_UNKNOWN).take(number).astype(np.bool_)


def _mean_or_unknown(sums: Integers, n: Integers) -> NDArray[np.float64]:
    """Return the mean of log odds, shrunk as if there were one more, of 0."""
    return np.where(n > 0, sums / UNITS / (np.maximum(n, 0) + 1), _UNKNOWN)
