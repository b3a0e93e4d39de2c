"""Corpus evidence: what the other occurrences of a word, and its sender's habits, say of it.

A name comes back. What is counted needs no labels: it is gathered from the whole file that is
being classified, in a first pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages
from triage.dictionaries.edits import variants
from triage.features.counts import PairCounts, Totals, TwoHighest
from triage.features.places import Habit
from triage.features.traits import Traits
from triage.features.word_evidence import NO_CANDIDATE, ScoredWords, probability

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
    "capital starting",
    "capital inside",
    "starting",
    "context before gives names away",
    "context behind gives names away",
    "variant of a name",
)
FAMILIES = {
    "other occurrences": COLUMNS[1:3] + COLUMNS[5:6],
    "capitals of the word elsewhere": COLUMNS[3:5],
    "sender's habits": COLUMNS[6:10],
    "contexts that give names away": COLUMNS[13:15],
    "spelling variants": COLUMNS[15:16],
}
# The log odds of a word of which nothing is known.
_UNKNOWN = -4.0
STRONGEST = 13.0
_MOST_CERTAIN = 9.2
# Reffay et al. (2012), section 4.3.
_MOST_OCCURRENCES = 50
_LEAST_SHARE = 0.2
_FEWEST_OCCURRENCES = 2
_FIRST_NAME = "DICTIONARY first name"
_NAME = "<first name>"
_NOWHERE = ""


@dataclass(frozen=True)
class _Occurrences:
    """The words of a chunk, as they are counted: one row for each word that is no sign."""

    at: NDArray[np.int64]
    word: NDArray[np.int64]
    sender: NDArray[np.int64]
    is_told: NDArray[np.bool_]
    before: NDArray[np.int64]
    behind: NDArray[np.int64]
    log_odds: NDArray[np.float64]
    is_capital: NDArray[np.bool_]
    starts: NDArray[np.bool_]
    is_inside: NDArray[np.bool_]
    is_name: NDArray[np.bool_]
    is_unknown: NDArray[np.bool_]


class CorpusEvidence:
    """Gathers, chunk by chunk, what a corpus says of its words, then tells it of each occurrence.

    What it holds grows with the distinct words, and with those of each sender.
    """

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._senders: dict[str, int] = {}
        self._neighbours: dict[str, int] = {}
        self._word = Totals("n", "log_odds", "inside", "capitals", "names", "unknown")
        self._strongest = TwoHighest()
        self._sender = Totals("starting", "starting_capital", "inside", "inside_capital")
        self._before = Totals("n", "names")
        self._behind = Totals("n", "names")
        self._of_sender = PairCounts()
        self._variant: NDArray[np.float64] | None = None

    def add(self, labelled: LabelledMessages, scored: ScoredWords, senders: Sequence[str]) -> None:
        """Count the words of some messages.

        Parameters
        ----------
        labelled : LabelledMessages
            Of n_messages messages.
        scored : ScoredWords
            Their words.
        senders : sequence of str, length n_messages
            Empty where it is not known who sent a message.
        """
        seen = self._occurrences(labelled, scored, senders)
        inside = seen.is_inside
        self._word.add(
            seen.word,
            n=1,
            log_odds=seen.log_odds,
            inside=inside,
            capitals=inside & seen.is_capital,
            names=seen.is_name,
            unknown=seen.is_unknown,
        )
        self._strongest.add(seen.word, probability(seen.log_odds))
        self._sender.add(
            seen.sender,
            starting=seen.starts & seen.is_told,
            starting_capital=seen.starts & seen.is_capital & seen.is_told,
            inside=~seen.starts & seen.is_told,
            inside_capital=~seen.starts & seen.is_capital & seen.is_told,
        )
        self._before.add(seen.before, n=1, names=seen.is_name)
        self._behind.add(seen.behind, n=1, names=seen.is_name)
        told = seen.is_told
        self._of_sender.add(seen.sender[told], seen.word[told], seen.log_odds[told])
        self._variant = None

    def finish(self) -> None:
        """Do what is done once, when all has been added."""
        self._of_sender.settle()
        self._variants()

    def columns(
        self, labelled: LabelledMessages, scored: ScoredWords, senders: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return what the corpus says of each word of messages that were added to it.

        What a word itself added is taken off: evidence is what the others say.

        Parameters
        ----------
        labelled : LabelledMessages
            Of n_messages messages.
        scored : ScoredWords
            Their words.
        senders : sequence of str, length n_messages

        Returns
        -------
        ndarray of float, shape (n_words, len(COLUMNS))
            For words that are numbers or signs only the first column.
        """
        seen = self._occurrences(labelled, scored, senders)
        table = np.zeros((len(scored.log_odds), len(COLUMNS)))
        table[:, 1:3] = _UNKNOWN
        table[:, 0] = np.clip(scored.log_odds, -STRONGEST, STRONGEST)
        table[seen.at, 1:] = np.column_stack(
            [
                *self._other_occurrences(seen),
                *self._capitals_elsewhere(seen),
                self._strongest.other(seen.word, probability(seen.log_odds)),
                *self._habits(seen),
                self._gives_away(self._before, seen.before, seen.is_name),
                self._gives_away(self._behind, seen.behind, seen.is_name),
                self._variants()[seen.word],
            ]
        )
        return table

    def _occurrences(
        self, labelled: LabelledMessages, scored: ScoredWords, senders: Sequence[str]
    ) -> _Occurrences:
        traits, where = scored.traits, scored.places
        of_form = np.array([_number(self._words, t.folded) for t in traits], dtype=np.int64)
        neighbour = [_number(self._neighbours, _as_neighbour(t)) for t in traits]
        neighbour.append(_number(self._neighbours, _NOWHERE))
        of_neighbour = np.array(neighbour, dtype=np.int64)
        is_word = np.array([t.is_word for t in traits], dtype=np.bool_)
        is_name = np.array([t.group == _FIRST_NAME for t in traits], dtype=np.bool_)
        is_unknown = np.array([t.group == Label.UNKNOWN for t in traits], dtype=np.bool_)
        sender = np.array([_number(self._senders, s) for s in senders], dtype=np.int64)
        is_told = np.array([bool(s) for s in senders], dtype=np.bool_)
        at = np.flatnonzero(is_word[where.form])
        form = where.form[at]
        return _Occurrences(
            at,
            of_form[form],
            sender[labelled.words.message[at]],
            is_told[labelled.words.message[at]],
            of_neighbour[where.neighbours[-1][at]],
            of_neighbour[where.neighbours[1][at]],
            np.clip(scored.log_odds[at], -_MOST_CERTAIN, _MOST_CERTAIN),
            where.is_capital[at],
            where.starts[at],
            # Where all words have capitals, a capital inside a sentence tells nothing.
            ~where.starts[at] & np.isin(where.habit[at], (Habit.NONE_INSIDE, Habit.SOME_INSIDE)),
            is_name[form],
            is_unknown[form],
        )

    def _other_occurrences(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return the shrunk mean log odds of the word from its sender, and from others."""
        told = seen.is_told
        n_here, sum_here = np.ones(len(seen.at)), seen.log_odds.copy()
        n_here[told], sum_here[told] = self._of_sender.get(seen.sender[told], seen.word[told])
        n_all, sum_all = self._word["n"][seen.word], self._word["log_odds"][seen.word]
        same = _mean_or_unknown(sum_here - seen.log_odds, n_here - 1)
        return same, _mean_or_unknown(sum_all - sum_here, n_all - n_here)

    def _capitals_elsewhere(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return the share of capitals inside sentences elsewhere, and the log of how many."""
        n = self._word["inside"][seen.word] - seen.is_inside
        capitals = self._word["capitals"][seen.word] - (seen.is_inside & seen.is_capital)
        return (capitals + 0.1) / (n + 1), np.log1p(n)

    def _habits(self, seen: _Occurrences) -> tuple[NDArray[np.float64], ...]:
        """Return what a capital, or none, is worth from this sender."""
        of, inside = self._sender, ~seen.starts
        starts, told = seen.starts & seen.is_told, seen.is_told
        starting_capital = of["starting_capital"][seen.sender] - (starts & seen.is_capital)
        starting_all = of["starting"][seen.sender] - starts
        inside_capital = of["inside_capital"][seen.sender] - (inside & told & seen.is_capital)
        inside_all = of["inside"][seen.sender] - (inside & told)
        starting = (starting_capital + 1) / (starting_all + 2)
        inside_share = np.log((inside_capital + 0.5) / (inside_all + 10))
        capital, starts = seen.is_capital, seen.starts
        return (
            starting * (capital & starts),
            starting * (~capital & starts),
            inside_share * (capital & ~starts),
            inside_share * (~capital & ~starts),
            (capital & starts).astype(float),
            (capital & ~starts).astype(float),
            starts.astype(float),
        )

    def _gives_away(
        self, contexts: Totals, context: NDArray[np.int64], is_name: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Tell which contexts stand beside a known name often enough elsewhere."""
        n, names = contexts["n"][context], contexts["names"][context] - is_name
        rare = (n <= _MOST_OCCURRENCES) & (n - 1 >= _FEWEST_OCCURRENCES)
        is_word = context != self._neighbours[_NOWHERE]
        tells = rare & is_word & (names >= _LEAST_SHARE * (n - 1))
        return np.asarray(tells, dtype=np.float64)

    def _variants(self) -> NDArray[np.float64]:
        """Return of each word how strong the name is that it is a variant of; 0 if of none."""
        if self._variant is None:
            of = self._word
            strength = of["log_odds"] / np.maximum(of["n"], 1)
            is_name = (of["names"] > 0) & (strength > 0) & (of["n"] >= _FEWEST_OCCURRENCES)
            spelled = list(self._words)
            established = {spelled[i]: float(strength[i]) for i in np.flatnonzero(is_name)}
            unknown = [spelled[i] for i in np.flatnonzero(of["unknown"] > 0)]
            self._variant = np.zeros(len(spelled))
            for word, name in variants(unknown, established).items():
                self._variant[self._words[word]] = min(established[name], -_UNKNOWN)
        return self._variant


@dataclass(frozen=True)
class CorpusWeights:
    """What was learnt of corpus evidence: a weight for each of its columns.

    Parameters
    ----------
    intercept : float
    weights : dict of str to float
        By the names of `corpus_evidence.COLUMNS`; in units of log odds.
    """

    intercept: float
    weights: dict[str, float]

    def log_odds(
        self, columns: NDArray[np.float64], is_candidate: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the log odds that each word identifies someone.

        Parameters
        ----------
        columns : ndarray of float, shape (n_words, n_columns)
        is_candidate : ndarray of bool, shape (n_words,)

        Returns
        -------
        ndarray of float, shape (n_words,)
        """
        weights = np.array([self.weights[name] for name in COLUMNS])
        return np.where(is_candidate, columns @ weights + self.intercept, NO_CANDIDATE)


def _mean_or_unknown(sums: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(n > 0, sums / (n + 1), _UNKNOWN)


def _number(numbers: dict[str, int], item: str) -> int:
    return numbers.setdefault(item, len(numbers))


def _as_neighbour(traits: Traits) -> str:
    """Return how a neighbour is counted: a known name as one, so that contexts hold none."""
    if traits.group == _FIRST_NAME:
        return _NAME
    return traits.folded or traits.context
