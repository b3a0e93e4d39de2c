"""The table of gathered evidence: written, merged, sent and condensed."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from triage.features.counts import Integers

WORD_TOTALS = ("n", "log_odds", "inside", "capitals", "with_capital", "names", "unknown")
CONTEXT_TOTALS = ("n", "names")
WORD_COLUMNS = (*WORD_TOTALS, "highest", "second_highest")
NEIGHBOUR_COLUMNS = ("n_before", "names_before", "n_behind", "names_behind")
PAIR_COLUMNS = ("n", "log_odds")
SENDER_COLUMNS = ("starting", "starting_capital", "inside", "inside_capital")
NOT_KNOWN = -1
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
        kept = replace(
            self,
            words=[self.words[i] for i in words],
            of_words=self.of_words[words],
            neighbours=[self.neighbours[i] for i in neighbours],
            of_neighbours=self.of_neighbours[neighbours],
            pairs=pairs[pairs[:, 1] != NOT_KNOWN],
        )
        return kept, int((n >= FEWEST_USES).sum()) - len(words)


def _most_frequent(which: Integers, n: Integers, most: int) -> Integers:
    """Return numbers of what is most frequent, in order; of what is as frequent, the first."""
    return np.sort(which[np.argsort(-n[which], kind="stable")[:most]])


def _may_tell(n: Integers, names: Integers) -> NDArray[np.bool_]:
    """Return which contexts `CorpusEvidence` may say of that they give names away."""
    return (n >= FEWEST_BESIDE) & (n <= MOST_BESIDE) & (LEAST_PART * names >= n - 1)
