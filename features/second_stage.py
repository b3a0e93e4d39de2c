"""The second stage of word evidence: boosted trees weigh a word anew, with what its corpus says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages

from . import corpus_evidence
from .corpus_evidence import STRONGEST, CorpusEvidence
from .messages import length_of
from .trees import Forest
from .word_evidence import NO_CANDIDATE, OFFSETS, UNITS, Column, ScoredWords, WordWeights, units

_NEIGHBOURS = tuple(f"evidence of the word at {offset:+d}" for offset in OFFSETS)
COLUMNS = (*corpus_evidence.COLUMNS, "spelled like a name", *_NEIGHBOURS, "length")
_STARTING = "capital starting, sender starts with capitals"
_WITH_CAPITAL, _WITHOUT_CAPITAL = COLUMNS.index(_STARTING), COLUMNS.index(f"no {_STARTING}")
# Words below, nine in ten and one in two hundred identifiers, are not scored by trees. Chosen on
# the first 4,000 messages of 88milSMS, grouped by sender.
_MIN_LOG_ODDS = -7.0
# The number of words used twice from which on the trees of a corpus count in full.
_ENOUGH_WORDS = 10_000
# Where at most this share of names has a capital, or fewer names were met, the robust trees decide
# alone; from the higher share on those of a corpus as it is written.
_CAPITALS = (0.35, 0.6)
_ENOUGH_NAMES = 50
_SHORTEST_PART, _LONGEST_PART = 2, 4
_MAX_KNOWN = 300_000
Speller = Callable[[str], float]


def parts_of(spelling: str) -> list[str]:
    """Return the runs of two to four letters of a word, with a space before and behind it."""
    text = f" {spelling} "
    return [
        text[start : start + length]
        for length in range(_SHORTEST_PART, _LONGEST_PART + 1)
        for start in range(len(text) - length + 1)
    ]


def speller(learnt: WordWeights) -> Speller:
    """Return a function to the log odds that a word, in lower case without accents, is a name."""
    numbers = units([*learnt.weights.values()]).tolist()
    weights: dict[str, int] = dict(zip(learnt.weights, numbers, strict=True))
    intercept = int(units(learnt.intercept))

    @lru_cache(_MAX_KNOWN)
    def log_odds(spelling: str) -> float:
        return (intercept + sum(weights.get(part, 0) for part in {*parts_of(spelling)})) / UNITS

    return log_odds


@dataclass(frozen=True)
class WordTrees:
    """The learnt evidence of words in their corpus: of one that is written with capitals, of any.

    Trees of a corpus as it is written are better where names have capitals, and much worse where
    they have none than those that learnt of copies without capitals, too.
    """

    spelling: WordWeights
    written: Forest
    robust: Forest

    @cached_property
    def _speller(self) -> Speller:
        return speller(self.spelling)

    def log_odds(
        self,
        labelled: LabelledMessages,
        scored: ScoredWords,
        senders: Sequence[str],
        corpus: CorpusEvidence,
    ) -> NDArray[np.float64]:
        log_odds = scored.log_odds.copy()
        rows, table = trees_input(labelled, scored, senders, corpus, self._speller)
        log_odds[rows] = self.mixed(corpus, table, log_odds[rows])
        return log_odds

    def mixed(
        self, corpus: CorpusEvidence, table: NDArray[np.float64], first_stage: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the log odds of words of a corpus, mixed with those of the first stage."""
        # Without a corpus the trees weigh one half.
        trust = min(1.0, (1 + corpus.n_repeated / _ENOUGH_WORDS) / 2)
        share = 0.0
        if corpus.n_names >= _ENOUGH_NAMES:
            share = float(np.interp(corpus.names_with_capitals, _CAPITALS, (0, 1)))
        starting = np.flatnonzero(table[:, _WITH_CAPITAL])
        lowered = table[starting]
        lowered[:, _WITHOUT_CAPITAL], lowered[:, _WITH_CAPITAL] = lowered[:, _WITH_CAPITAL], 0
        log_odds = (1 - trust) * first_stage
        for forest, weight in ((self.written, share), (self.robust, 1 - share)):
            if weight:
                total = forest.total(table)
                total[starting] = np.maximum(total[starting], forest.total(lowered))
                log_odds += trust * weight * total / UNITS
        return log_odds


def trees_input(
    labelled: LabelledMessages,
    scored: ScoredWords,
    senders: Sequence[str],
    corpus: CorpusEvidence,
    speller: Speller,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows of the words that trees score, and their table (`WordTrees.log_odds`)."""
    rows = np.flatnonzero(scored.places.is_candidate & (scored.log_odds > _MIN_LOG_ODDS))
    numbers = scored.index.column(Column.SPELLING).take(scored.places.number.take(rows))
    distinct, place = np.unique(numbers, return_inverse=True)
    spellings = scored.index.spellings.items_in_order
    spelled = [speller(spellings[number]) for number in distinct.tolist()]
    message, last = scored.places.message, max(len(scored.log_odds) - 1, 0)
    evidence, neighbours = np.clip(scored.log_odds, -STRONGEST, STRONGEST), []
    for offset in OFFSETS:
        beside = np.clip(rows + offset, 0, last)
        is_same = (message.take(beside) == message.take(rows)) & (beside == rows + offset)
        neighbours.append(np.where(is_same, evidence.take(beside), NO_CANDIDATE))
    table = np.column_stack(
        [
            corpus.columns(scored, senders, rows),
            np.array(spelled, dtype=np.float64)[place],
            *neighbours,
            labelled.of_form(length_of).take(labelled.words.form.take(rows)),
        ]
    )
    return rows, table.astype(np.float32).astype(np.float64)
