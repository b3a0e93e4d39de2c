"""Corpus evidence: what the other occurrences of a word, and its sender's habits, say of it.

A name comes back. What is counted needs no labels: it is gathered from the whole file that is
being classified, in a first pass. Parts of a corpus can be gathered apart and merged: all that is
counted are whole numbers, so the sum is the same however the messages are divided.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.edits import NameVariants
from triage.dictionaries.growing import Numbered
from triage.features.counts import LOWEST, Integers, PairCounts, Totals, TwoHighest
from triage.features.evidence_table import (
    FEWEST_OCCURRENCES,
    LEAST_SHARE,
    MOST_CERTAIN,
    MOST_OCCURRENCES,
    NEIGHBOUR_COLUMNS,
    NOT_KNOWN,
    SENDER_COLUMNS,
    WORD_TOTALS,
    EvidenceTable,
)
from triage.features.places import Habit
from triage.features.word_evidence import UNITS, ScoredWords, probability, units
from triage.features.word_index import NO_WORD, Column

COLUMNS = (
    "word evidence",
    "same sender",
    "other senders",
    "capitals inside",
    "times seen inside",
    "strongest other",
    "capital starting, sender starts with capitals",
    "no capital starting, sender starts with capitals",
    "capital inside, sender's capitals inside",
    "no capital inside, sender's capitals inside",
    "context before gives names away",
    "context behind gives names away",
    "variant of a name",
    "times with this capital",
    "names with capitals",
)
# The log odds of a word of which nothing is known.
_UNKNOWN = -4.0
STRONGEST = 13.0
# The share of names written with a capital in a corpus of which nothing is known, and how many
# names that counts as.
_USUAL_SHARE = 0.8
_AS_MANY = 10


class _Names:
    """Strings and their numbers here, also by the numbers that word indexes gave them."""

    def __init__(self, known: Numbered[str] | None = None) -> None:
        self.known: Numbered[str] = Numbered() if known is None else known
        self._of_index: dict[Numbered[str], Integers] = {}

    def numbers(
        self,
        theirs: Numbered[str],
        of_word: NDArray[np.int32],
        words: NDArray[np.int32],
        *,
        new: bool,
    ) -> Integers:
        """Return the numbers here of words, each of which has one of what an index numbers."""
        known = self._of_index.get(theirs, np.zeros(0, dtype=np.int64))
        if len(known) < len(theirs):
            known = np.pad(known, (0, 2 * len(theirs)), constant_values=NOT_KNOWN)
            self._of_index[theirs] = known
        found: Integers = known[of_word].take(words)
        if (missing := of_word[words[found == NOT_KNOWN]]).size:
            for one in np.unique(missing).tolist():
                item = theirs.items_in_order[one]
                known[one] = self.known[item] if new else self.known.get(item, NOT_KNOWN)
            found = known[of_word].take(words)
        return found


@dataclass(frozen=True)
class _Occurrences:
    """The words of a chunk, as they are counted: one row for each word that is no sign."""

    at: Integers
    word: Integers
    sender: Integers
    has_sender: NDArray[np.bool_]
    before: Integers
    behind: Integers
    before_is_word: NDArray[np.bool_]
    behind_is_word: NDArray[np.bool_]
    log_odds: Integers
    is_capital: NDArray[np.bool_]
    starts: NDArray[np.bool_]
    is_inside: NDArray[np.bool_]
    is_name: NDArray[np.bool_]
    is_unknown: NDArray[np.bool_]
    spelling: NDArray[np.int32]
    spellings: list[str]


class CorpusEvidence:
    """Counts what a corpus says of its words, chunk by chunk, and looks it up per occurrence."""

    def __init__(self) -> None:
        self._words = _Names()
        self._neighbours = _Names()
        self._senders: Numbered[str] = Numbered()
        self._word = Totals(*WORD_TOTALS)
        self._highest = TwoHighest()
        self._sender = Totals(*SENDER_COLUMNS)
        self._neighbour = Totals(*NEIGHBOUR_COLUMNS)
        self._of_sender = PairCounts()
        self._variant: NDArray[np.float64] | None = None
        self._established: dict[str, float] = {}
        self._near = NameVariants({})

    @classmethod
    def of(cls, parts: Iterable[EvidenceTable]) -> "CorpusEvidence":
        """Return the sum of what was gathered of the parts of a corpus."""
        evidence = cls()
        for part in parts:
            evidence.merge(part)
        return evidence

    def add(self, scored: ScoredWords, senders: Sequence[str]) -> None:
        """Count the words of some messages, each of which has a sender."""
        seen = self._occurrences(scored, senders, new=True)
        self._word.add(
            seen.word,
            n=1,
            log_odds=seen.log_odds,
            inside=seen.is_inside,
            capitals=seen.is_inside & seen.is_capital,
            with_capital=seen.is_capital,
            names=seen.is_name,
            unknown=seen.is_unknown,
        )
        self._highest.add(seen.word, seen.log_odds)
        self._neighbour.add(seen.before, n_before=1, names_before=seen.is_name)
        self._neighbour.add(seen.behind, n_behind=1, names_behind=seen.is_name)
        self._add_senders(seen)
        self._variant = None

    def without_senders(self) -> "CorpusEvidence":
        """Return this evidence without what it holds of senders, to which theirs can be added."""
        rest = copy(self)
        rest._words = _Names(self._words.known)
        rest._neighbours = _Names(self._neighbours.known)
        rest._senders, rest._sender = Numbered(), Totals(*SENDER_COLUMNS)
        rest._of_sender = PairCounts()
        return rest

    def add_senders(self, scored: ScoredWords, senders: Sequence[str]) -> None:
        """Count what senders do, of words that are known already; arguments as for `add`."""
        self._add_senders(self._occurrences(scored, senders, new=False, new_senders=True))

    def _add_senders(self, seen: _Occurrences) -> None:
        starts, inside = seen.starts & seen.has_sender, ~seen.starts & seen.has_sender
        self._sender.add(
            seen.sender,
            starting=starts,
            starting_capital=starts & seen.is_capital,
            inside=inside,
            inside_capital=inside & seen.is_capital,
        )
        by = seen.has_sender & (seen.word != NOT_KNOWN)
        once = np.ones(int(by.sum()), dtype=np.int64)
        self._of_sender.add(seen.sender[by], seen.word[by], once, seen.log_odds[by])

    def merge(self, part: EvidenceTable) -> None:
        """Add what was gathered of other messages of the corpus."""
        self._of_sender.add(*self._merged_but_pairs(part)(part.pairs))

    def merge_for_own(self, part: EvidenceTable, pairs: Iterable[Integers] = ()) -> None:
        """Add what was gathered of other messages, as far as those that were added here need it.

        They need pairs of a sender and a word that they hold themselves; there are more pairs than
        anything else.
        """
        numbered = self._merged_but_pairs(part)
        for some in (part.pairs, *pairs):
            self._of_sender.add_known(*numbered(some))

    def _merged_but_pairs(
        self, part: EvidenceTable
    ) -> Callable[[Integers], tuple[Integers, Integers, Integers, Integers]]:
        """Add all but pairs; return a function that gives columns of pairs the numbers here."""
        word, neighbour = (
            np.array([*map(names.known.__getitem__, items)], dtype=np.int64)
            for names, items in ((self._words, part.words), (self._neighbours, part.neighbours))
        )
        sender = np.array([*map(self._senders.__getitem__, part.senders)], dtype=np.int64)
        self._word.add(word, **_named(WORD_TOTALS, part.of_words[:, :-2]))
        self._highest.add(np.concatenate([word, word]), part.of_words[:, -2:].T.ravel())
        self._neighbour.add(neighbour, **_named(NEIGHBOUR_COLUMNS, part.of_neighbours))
        self._sender.add(sender, **_named(SENDER_COLUMNS, part.of_senders))
        self._variant = None
        return lambda pairs: (sender[pairs[:, 0]], word[pairs[:, 1]], pairs[:, 2], pairs[:, 3])

    def pair_slices(self) -> Iterator[Integers]:
        """Yield the pairs of a sender and a word of `table`, some at a time."""
        yield from map(np.column_stack, self._of_sender.slices())

    def table(self, *, in_order: bool = True, with_pairs: bool = True) -> EvidenceTable:
        """Return all that was gathered, perhaps without pairs of a sender and a word."""
        known = self._words.known, self._senders, self._neighbours.known
        arranged = [_arranged(names.items_in_order, in_order) for names in known]
        (
            (words, word_at, new_word),
            (senders, sender_at, new_sender),
            (neighbours, neighbour_at, _),
        ) = arranged
        some = [*self.pair_slices()] if with_pairs else []
        pairs = np.concatenate([np.zeros((0, 4), dtype=np.int64), *some])
        pairs[:, 0], pairs[:, 1] = new_sender[pairs[:, 0]], new_word[pairs[:, 1]]
        more = len(words) - len(self._highest.first)
        highest = (
            np.pad(column, (0, more), constant_values=LOWEST)
            for column in (self._highest.first, self._highest.second)
        )
        return EvidenceTable(
            words,
            np.column_stack([self._word.table(len(words)), *highest])[word_at],
            neighbours,
            self._neighbour.table(len(neighbours))[neighbour_at],
            senders,
            self._sender.table(len(senders))[sender_at],
            pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))] if in_order else pairs,
        )

    @property
    def n_repeated(self) -> int:
        """Number of words used at least twice: those that the corpus tells something of."""
        # Words used once are left out of condensed evidence.
        n = self._word["n"]
        return int(n[n >= FEWEST_OCCURRENCES].sum())

    @property
    def names_with_capitals(self) -> float:
        """The share of known first names inside sentences that have a capital."""
        capitals, n = self._names_inside
        return (capitals + _USUAL_SHARE * _AS_MANY) / (n + _AS_MANY)

    @property
    def n_names(self) -> int:
        """The number of known first names inside sentences."""
        return self._names_inside[1]

    @property
    def _names_inside(self) -> tuple[int, int]:
        """The numbers of known first names inside sentences with a capital, and of all."""
        of = self._word
        # Words used once are left out of condensed evidence.
        known = (of["names"] > 0) & (of["n"] >= FEWEST_OCCURRENCES)
        return int(of["capitals"][known].sum()), int(of["inside"][known].sum())

    def finish(self) -> None:
        """Finish the counts, when all has been added."""
        self._of_sender.settle()
        self._variants()

    def columns(
        self, scored: ScoredWords, senders: Sequence[str], at: Integers | None = None
    ) -> NDArray[np.float64]:
        """Return what the corpus says of words of messages that were added to it."""
        at = np.arange(len(scored.log_odds)) if at is None else at
        seen = self._occurrences(scored, senders, at, new=False)
        table = np.zeros((len(at), len(COLUMNS)), order="F")
        table[:, 1:3] = _UNKNOWN
        table[:, 0] = np.clip(scored.log_odds[at], -STRONGEST, STRONGEST)
        table[:, -1] = self.names_with_capitals
        is_word = scored.index.column(Column.IS_WORD)[scored.places.number[at]] > 0
        found = (
            *self._other_occurrences(seen),
            *self._capitals_elsewhere(seen),
            self._strongest_other(seen),
            *self._habits(seen),
            self._gives_away("before", seen.before, seen.is_name, seen.before_is_word),
            self._gives_away("behind", seen.behind, seen.is_name, seen.behind_is_word),
            self._strength_as_variant(seen),
            self._with_this_capital(seen),
        )
        for i, column in enumerate(found, 1):
            table[is_word, i] = column
        return table

    def _occurrences(
        self,
        scored: ScoredWords,
        senders: Sequence[str],
        asked: Integers | None = None,
        *,
        new: bool,
        new_senders: bool = False,
    ) -> _Occurrences:
        where, index = scored.places, scored.index
        known, meet = self._senders, new or new_senders
        given = [known[s] if meet else known.get(s, NOT_KNOWN) for s in senders]
        sender = np.array(given, dtype=np.int64)
        has_sender = np.array([*map(bool, senders)], dtype=np.bool_)
        asked = np.arange(len(where.number)) if asked is None else asked
        at = asked[index.column(Column.IS_WORD)[where.number[asked]] > 0]
        number, message = where.number[at], where.message[at]
        before, behind = where.beside(-1)[at], where.beside(1)[at]
        of_neighbour, starts = index.column(Column.NEIGHBOUR), where.starts[at]
        habit = where.habit[at]
        word, before_it, behind_it = (
            names.numbers(theirs, of, numbers, new=new)
            for names, theirs, of, numbers in (
                (self._words, index.spellings, index.column(Column.SPELLING), number),
                (self._neighbours, index.neighbours, of_neighbour, before),
                (self._neighbours, index.neighbours, of_neighbour, behind),
            )
        )
        return _Occurrences(
            at=at,
            word=word,
            sender=sender[message],
            has_sender=has_sender[message],
            before=before_it,
            behind=behind_it,
            before_is_word=before != NO_WORD,
            behind_is_word=behind != NO_WORD,
            log_odds=np.clip(units(scored.log_odds[at]), -MOST_CERTAIN, MOST_CERTAIN),
            is_capital=where.is_capital[at],
            starts=starts,
            # Where all words have capitals, a capital inside a sentence tells nothing.
            is_inside=~starts & ((habit == Habit.NONE_INSIDE) | (habit == Habit.SOME_INSIDE)),
            is_name=index.column(Column.IS_FIRST_NAME)[number].astype(np.bool_),
            is_unknown=index.column(Column.IS_UNKNOWN)[number].astype(np.bool_),
            spelling=index.column(Column.SPELLING)[number],
            spellings=index.spellings.items_in_order,
        )

    def _other_occurrences(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return the shrunk mean log odds of the word from its sender, and from others."""
        by, is_known = seen.has_sender, seen.word != NOT_KNOWN
        n_here, sum_here = np.ones_like(seen.word), seen.log_odds.copy()
        n_here[by], sum_here[by] = self._of_sender.get(seen.sender[by], seen.word[by])
        n_all = _look_up(self._word["n"], seen.word)
        sum_all = _look_up(self._word["log_odds"], seen.word)
        others = _mean_or_unknown(sum_all - sum_here, (n_all - n_here) * is_known)
        return _mean_or_unknown(sum_here - seen.log_odds, n_here - 1), others

    def _capitals_elsewhere(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return the share of capitals inside sentences elsewhere, and the log of how many."""
        inside = seen.is_inside & (seen.word != NOT_KNOWN)
        n = _look_up(self._word["inside"], seen.word) - inside
        capitals = _look_up(self._word["capitals"], seen.word) - (inside & seen.is_capital)
        return (capitals + 0.1) / (n + 1), np.log1p(n)

    def _strongest_other(self, seen: _Occurrences) -> NDArray[np.float64]:
        is_known = seen.word != NOT_KNOWN
        other = np.full(len(seen.word), LOWEST, dtype=np.int64)
        other[is_known] = self._highest.other(seen.word[is_known], seen.log_odds[is_known])
        return np.where(other == LOWEST, 0.0, probability(other / UNITS))

    def _habits(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return what a capital, or none, is worth from this sender."""
        own = seen.has_sender & (seen.sender != NOT_KNOWN)
        capital, starts, inside = seen.is_capital, seen.starts, ~seen.starts

        def others(name: str, here: NDArray[np.bool_]) -> Integers:
            found: Integers = _look_up(self._sender[name], seen.sender) - (here & own)
            return found

        starting = (others("starting_capital", starts & capital) + 1) / (
            others("starting", starts) + 2
        )
        inside_share = np.log(
            (others("inside_capital", inside & capital) + 0.5) / (others("inside", inside) + 10)
        )
        return (
            starting * (capital & starts),
            starting * (~capital & starts),
            inside_share * (capital & inside),
            inside_share * (~capital & inside),
        )

    def _gives_away(
        self,
        side: str,
        context: Integers,
        is_name: NDArray[np.bool_],
        is_word: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Tell which contexts stand beside a known name often enough elsewhere."""
        n = _look_up(self._neighbour[f"n_{side}"], context)
        names = _look_up(self._neighbour[f"names_{side}"], context) - is_name
        rare = (n <= MOST_OCCURRENCES) & (n - 1 >= FEWEST_OCCURRENCES)
        tells = rare & is_word & (names >= LEAST_SHARE * (n - 1))
        return np.asarray(tells, dtype=np.float64)

    def _strength_as_variant(self, seen: _Occurrences) -> NDArray[np.float64]:
        """Return how strong the name is that a word is a variant of; 0 if of none."""
        variant, spelled = self._variants(), self._words.known.items_in_order
        asked = np.unique(seen.word[seen.word != NOT_KNOWN])
        for i in asked[np.isnan(variant[asked])].tolist():
            variant[i] = self._strongest(spelled[i])
        strength: NDArray[np.float64] = _look_up(variant, seen.word)
        used_once = seen.is_unknown & (seen.word == NOT_KNOWN)
        spelling, at = np.unique(seen.spelling[used_once], return_inverse=True)
        found = [self._strongest(seen.spellings[i]) for i in spelling.tolist()]
        strength[used_once] = np.array(found, dtype=np.float64)[at]
        return strength

    def _with_this_capital(self, seen: _Occurrences) -> NDArray[np.float64]:
        """Return the log of how often the word begins as it does here, with a capital or not."""
        with_capital = _look_up(self._word["with_capital"], seen.word)
        n = _look_up(self._word["n"], seen.word)
        found = np.where(seen.is_capital, with_capital, n - with_capital)
        return np.log1p(np.where(seen.word == NOT_KNOWN, 1, found))

    def _strongest(self, word: str) -> float:
        name = self._near(word)
        return min(self._established[name], -_UNKNOWN) if name else 0.0

    def _variants(self) -> NDArray[np.float64]:
        """Return the strength of the name for each known word; NaN if nobody has asked yet."""
        if self._variant is None:
            of = self._word
            strength = of["log_odds"] / UNITS / np.maximum(of["n"], 1)
            is_name = (of["names"] > 0) & (strength > 0) & (of["n"] >= FEWEST_OCCURRENCES)
            spelled = self._words.known.items_in_order
            self._established = {spelled[i]: float(strength[i]) for i in np.flatnonzero(is_name)}
            self._near = NameVariants(self._established)
            self._variant = np.zeros(len(spelled))
            self._variant[np.flatnonzero(of["unknown"] > 0)] = np.nan
        return self._variant


def _named(names: Sequence[str], columns: Integers) -> dict[str, Integers]:
    return dict(zip(names, columns.T, strict=True))


def _arranged(items: list[str], in_order: bool) -> tuple[list[str], Integers, Integers]:
    """Return strings, perhaps in order, where each stood before, and where each stands now."""
    if not in_order:
        same = np.arange(len(items))
        return [*items], same, same
    before = np.array(sorted(range(len(items)), key=items.__getitem__), dtype=np.int64)
    now = np.zeros(len(items), dtype=np.int64)
    now[before] = np.arange(len(items))
    return sorted(items), before, now


def _look_up(column: NDArray[Any], number: Integers) -> NDArray[Any]:
    """Return the values of these numbers; 0 where one is not known."""
    if not len(column):
        return np.zeros(len(number), dtype=column.dtype)
    return np.where(number == NOT_KNOWN, 0, column[number])


def _mean_or_unknown(sums: Integers, n: Integers) -> NDArray[np.float64]:
    """Return the mean of log odds, shrunk as if there were one more, of 0."""
    return np.where(n > 0, sums / UNITS / (np.maximum(n, 0) + 1), _UNKNOWN)
