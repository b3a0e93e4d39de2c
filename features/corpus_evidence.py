"""Corpus evidence: what the other occurrences of a word, and its sender's habits, say of it.

A name comes back. What is counted needs no labels: it is gathered from the whole file that is
being classified, in a first pass. Parts of a corpus can be gathered apart and merged: all that is
counted are whole numbers, so the sum is the same however the messages are divided.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.edits import NameVariants
from triage.dictionaries.growing import Numbered

from .counts import LOWEST, Integers, PairCounts, Totals, TwoHighest
from .evidence_table import (
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
from .places import Habit
from .word_evidence import UNITS, ScoredWords, probability, units
from .word_index import NO_WORD, Column

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
        self, theirs: Numbered[str], of_word: NDArray[np.int32], words: NDArray[np.int32], new: bool
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
        self._words, self._neighbours = _Names(), _Names()
        self._word, self._highest = Totals(*WORD_TOTALS), TwoHighest()
        self._neighbour = Totals(*NEIGHBOUR_COLUMNS)
        self._forget_senders()
        self._variant: NDArray[np.float64] | None = None
        self._established: dict[str, float] = {}
        self._near = NameVariants({})

    def _forget_senders(self) -> None:
        self._senders: Numbered[str] = Numbered()
        self._sender, self._of_sender = Totals(*SENDER_COLUMNS), PairCounts()

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
        rest._words, rest._neighbours = _Names(self._words.known), _Names(self._neighbours.known)
        rest._forget_senders()
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

    def merge(
        self, part: EvidenceTable, pairs: Iterable[Integers] = (), *, for_own: bool = False
    ) -> None:
        """Add what was gathered of other messages of the corpus, with further pairs of it.

        For the use of messages that were added here, only pairs of a sender and a word that they
        hold themselves are needed; there are more pairs than anything else.
        """
        word, neighbour, sender = (
            np.array([*map(numbers.__getitem__, items)], dtype=np.int64)
            for numbers, items in (
                (self._words.known, part.words),
                (self._neighbours.known, part.neighbours),
                (self._senders, part.senders),
            )
        )
        *totals, highest, second = part.of_words.T
        self._word.add(word, **dict(zip(WORD_TOTALS, totals, strict=True)))
        self._highest.add(np.concatenate([word, word]), np.concatenate([highest, second]))
        of_neighbours = zip(NEIGHBOUR_COLUMNS, part.of_neighbours.T, strict=True)
        self._neighbour.add(neighbour, **dict(of_neighbours))
        self._sender.add(sender, **dict(zip(SENDER_COLUMNS, part.of_senders.T, strict=True)))
        add = self._of_sender.add_known if for_own else self._of_sender.add
        for its_sender, its_word, n, log_odds in (some.T for some in (part.pairs, *pairs)):
            add(sender[its_sender], word[its_word], n, log_odds)
        self._variant = None

    def pair_slices(self) -> Iterator[Integers]:
        """Yield the pairs of a sender and a word of `table`, some at a time."""
        yield from self._of_sender.slices()

    def table(self, *, in_order: bool = True, with_pairs: bool = True) -> EvidenceTable:
        """Return all that was gathered, perhaps without pairs of a sender and a word."""
        (words, word_at), (senders, sender_at), (neighbours, neighbour_at) = (
            _arranged(names.items_in_order, in_order)
            for names in (self._words.known, self._senders, self._neighbours.known)
        )
        some = self.pair_slices() if with_pairs else ()
        pairs = np.concatenate([np.zeros((0, 4), dtype=np.int64), *some])
        # Where each stands now, by where it stood.
        pairs[:, 0], pairs[:, 1] = (
            np.argsort(sender_at)[pairs[:, 0]],
            np.argsort(word_at)[pairs[:, 1]],
        )
        of_words = [self._word.table(len(words)), self._highest.table(len(words))]
        return EvidenceTable(
            words,
            np.column_stack(of_words)[word_at],
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
        capitals = int(self._word["capitals"][self._known_names].sum())
        return (capitals + _USUAL_SHARE * _AS_MANY) / (self.n_names + _AS_MANY)

    @property
    def n_names(self) -> int:
        """The number of known first names inside sentences."""
        return int(self._word["inside"][self._known_names].sum())

    @property
    def _known_names(self) -> Integers:
        # Words used once are left out of condensed evidence.
        of = self._word
        return np.flatnonzero((of["names"] > 0) & (of["n"] >= FEWEST_OCCURRENCES))

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
        strongest = self._highest.other(seen.word, seen.log_odds)
        found = (
            *self._other_occurrences(seen),
            *self._capitals_elsewhere(seen),
            np.where(strongest == LOWEST, 0.0, probability(strongest / UNITS)),
            *self._habits(seen),
            self._gives_away(seen, "before", seen.before, seen.before_is_word),
            self._gives_away(seen, "behind", seen.behind, seen.behind_is_word),
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
        where, index, known = scored.places, scored.index, self._senders
        meet = known.__getitem__ if new or new_senders else lambda one: known.get(one, NOT_KNOWN)
        sender = np.array([*map(meet, senders)], dtype=np.int64)
        has_sender = np.array([*map(bool, senders)], dtype=np.bool_)
        asked = np.arange(len(where.number)) if asked is None else asked
        at = asked[index.column(Column.IS_WORD)[where.number[asked]] > 0]
        number, message = where.number[at], where.message[at]
        before, behind = where.beside(-1)[at], where.beside(1)[at]
        starts, habit = where.starts[at], where.habit[at]
        spelling, neighbour = index.column(Column.SPELLING), index.column(Column.NEIGHBOUR)
        return _Occurrences(
            word=self._words.numbers(index.spellings, spelling, number, new),
            sender=sender[message],
            has_sender=has_sender[message],
            before=self._neighbours.numbers(index.neighbours, neighbour, before, new),
            behind=self._neighbours.numbers(index.neighbours, neighbour, behind, new),
            before_is_word=before != NO_WORD,
            behind_is_word=behind != NO_WORD,
            log_odds=np.clip(units(scored.log_odds[at]), -MOST_CERTAIN, MOST_CERTAIN),
            is_capital=where.is_capital[at],
            starts=starts,
            # Where all words have capitals, a capital inside a sentence tells nothing.
            is_inside=~starts & ((habit == Habit.NONE_INSIDE) | (habit == Habit.SOME_INSIDE)),
            is_name=index.column(Column.IS_FIRST_NAME)[number].astype(np.bool_),
            is_unknown=index.column(Column.IS_UNKNOWN)[number].astype(np.bool_),
            spelling=spelling[number],
            spellings=index.spellings.items_in_order,
        )

    def _other_occurrences(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return the shrunk mean log odds of the word from its sender, and from others."""
        by, is_known = seen.has_sender, seen.word != NOT_KNOWN
        n_here, sum_here = np.ones_like(seen.word), seen.log_odds.copy()
        n_here[by], sum_here[by] = self._of_sender.get(seen.sender[by], seen.word[by])
        n_others = (self._word["n"][seen.word] - n_here) * is_known
        others = _mean_or_unknown(self._word["log_odds"][seen.word] - sum_here, n_others)
        return _mean_or_unknown(sum_here - seen.log_odds, n_here - 1), others

    def _capitals_elsewhere(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return the share of capitals inside sentences elsewhere, and the log of how many."""
        inside = seen.is_inside & (seen.word != NOT_KNOWN)
        n = self._word["inside"][seen.word] - inside
        capitals = self._word["capitals"][seen.word] - (inside & seen.is_capital)
        return (capitals + 0.1) / (n + 1), np.log1p(n)

    def _habits(self, seen: _Occurrences) -> Iterator[NDArray[np.float64]]:
        """Yield what a capital, or none, is worth from this sender: starting, and inside."""
        own = seen.has_sender & (seen.sender != NOT_KNOWN)
        capital, starts, inside = seen.is_capital, seen.starts, ~seen.starts

        def others(name: str, here: NDArray[np.bool_]) -> Integers:
            found: Integers = self._sender[name][seen.sender] - (here & own)
            return found

        starting = (others("starting_capital", starts & capital) + 1) / (
            others("starting", starts) + 2
        )
        yield starting * (capital & starts)
        yield starting * (~capital & starts)
        share = others("inside_capital", inside & capital) + 0.5
        log_share = np.log(share / (others("inside", inside) + 10))
        yield log_share * (capital & inside)
        yield log_share * (~capital & inside)

    def _gives_away(
        self, seen: _Occurrences, side: str, context: Integers, is_word: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Tell which contexts stand beside a known name often enough elsewhere."""
        n = self._neighbour[f"n_{side}"][context]
        names = self._neighbour[f"names_{side}"][context] - seen.is_name
        rare = (n <= MOST_OCCURRENCES) & (n - 1 >= FEWEST_OCCURRENCES)
        tells: NDArray[np.bool_] = rare & is_word & (names >= LEAST_SHARE * (n - 1))
        return tells

    def _strength_as_variant(self, seen: _Occurrences) -> NDArray[np.float64]:
        """Return how strong the name is that a word is a variant of; 0 if of none."""
        variant, spelled = self._variants(), self._words.known.items_in_order
        asked = np.unique(seen.word)
        for i in asked[np.isnan(variant[asked])].tolist():
            variant[i] = self._strongest(spelled[i])
        strength: NDArray[np.float64] = variant[seen.word]
        used_once = seen.is_unknown & (seen.word == NOT_KNOWN)
        spelling, at = np.unique(seen.spelling[used_once], return_inverse=True)
        found = [self._strongest(seen.spellings[i]) for i in spelling.tolist()]
        strength[used_once] = np.array(found, dtype=np.float64)[at]
        return strength

    def _strongest(self, word: str) -> float:
        name = self._near(word)
        return min(self._established[name], -_UNKNOWN) if name else 0.0

    def _with_this_capital(self, seen: _Occurrences) -> NDArray[np.float64]:
        """Return the log of how often the word begins as it does here, with a capital or not."""
        with_capital = self._word["with_capital"][seen.word]
        n = np.where(seen.is_capital, with_capital, self._word["n"][seen.word] - with_capital)
        return np.log1p(np.where(seen.word == NOT_KNOWN, 1, n))

    def _variants(self) -> NDArray[np.float64]:
        """Return the strength of the name for each known word; NaN if nobody has asked yet."""
        if self._variant is None:
            strength = self._word["log_odds"] / UNITS / np.maximum(self._word["n"], 1)
            is_name, spelled = self._known_names, self._words.known.items_in_order
            names = is_name[strength[is_name] > 0].tolist()
            self._established = {spelled[i]: float(strength[i]) for i in names}
            self._near = NameVariants(self._established)
            # The last is that of words that are not known.
            self._variant = np.zeros(len(spelled) + 1)
            self._variant[np.flatnonzero(self._word["unknown"] > 0)] = np.nan
        return self._variant


def _arranged(items: list[str], in_order: bool) -> tuple[list[str], Integers]:
    """Return strings, perhaps in order, and where each stood before."""
    if not in_order:
        return [*items], np.arange(len(items))
    before = np.array(sorted(range(len(items)), key=items.__getitem__), dtype=np.int64)
    return [items[i] for i in before], before


def _mean_or_unknown(sums: Integers, n: Integers) -> NDArray[np.float64]:
    """Return the mean of log odds, shrunk as if there were one more, of 0."""
    return np.where(n > 0, sums / UNITS / (np.maximum(n, 0) + 1), _UNKNOWN)
