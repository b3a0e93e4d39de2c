"""Adapting the weights of word evidence to a corpus, by some marked messages of it.

The weights stay what they are but for what the marked words tell: a logistic regression that is
pulled towards them instead of towards zero. Words of other messages, of which nobody has said
anything, hold the weights in place as if each were as likely an identifier as they say; else a
few doubtful messages would change what is known of all words (Kirkpatrick et al., *Overcoming
catastrophic forgetting in neural networks*, PNAS 114, 2017).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.word_evidence import (
    FeatureNames,
    SeenWords,
    WordFeatures,
    WordWeights,
    probability,
)

# Chosen on the first 4,000 messages of 88milSMS: a third learnt, a third decided, a third tested.
_STRENGTH = 0.1  # inverse of the penalty on squared changes of weights
_UNTOLD_WEIGHT = 0.1
# As in learning from marked words.
_LOWERED_WEIGHT = 0.2
_FEWEST_OCCURRENCES = 2
_SMALLEST_WEIGHT = 0.005

_Floats = NDArray[np.float64]


def adapt_words(
    weights: WordWeights,
    told: LabelledMessages,
    marked: NDArray[np.bool_],
    others: LabelledMessages,
) -> WordWeights:
    """Adapt weights to a corpus.

    Parameters
    ----------
    weights : WordWeights
    told : LabelledMessages
        Messages of which is known which words are identifiers; of n_words words.
    marked : ndarray of bool, shape (n_words,)
        These words.
    others : LabelledMessages
        Further messages of the corpus.

    Returns
    -------
    WordWeights
        The strongest first. Features that the weights do not name yet get one where they are
        seen twice.
    """
    names = FeatureNames(weights.weights, grows=True)
    rows = _Rows.of(WordFeatures(told.lexicon, names), told, marked, others)
    known = np.zeros(len(names.columns) + 1)
    known[1 : len(weights.weights) + 1] = [*weights.weights.values()]
    seen = np.bincount(rows.columns[: rows.n_told].ravel(), minlength=len(known))
    free = seen >= _FEWEST_OCCURRENCES
    free[0] = False
    change, shift = _change(rows, known, weights.intercept, free)
    adapted = known + change
    found = {
        name: round(float(adapted[column]), 4)
        for name, column in names.columns.items()
        if abs(adapted[column]) >= _SMALLEST_WEIGHT
    }
    ordered = sorted(found.items(), key=lambda item: (-abs(item[1]), item[0]))
    return WordWeights(round(weights.intercept + shift, 4), dict(ordered))


@dataclass(frozen=True)
class _Rows:
    """The words to learn from: their features, whether each is an identifier, what each counts.

    The first `n_told` are those of marked messages as they stand. Of words of which nothing is
    told the target is NaN.
    """

    columns: NDArray[np.int32]
    target: _Floats
    weight: _Floats
    n_told: int

    @classmethod
    def of(
        cls,
        reader: WordFeatures,
        told: LabelledMessages,
        marked: NDArray[np.bool_],
        others: LabelledMessages,
    ) -> "_Rows":
        seen, untold = reader.see(told), reader.see(others)
        lowered = reader.see(told, lowered=marked)
        here = seen.places.is_candidate
        again = here & marked
        parts = (
            (_of(seen, here), marked[here].astype(np.float64), 1.0),
            (_of(lowered, again), np.ones(int(again.sum())), _LOWERED_WEIGHT),
            (
                (rest := _of(untold, untold.places.is_candidate)),
                np.full(len(rest), np.nan),
                _UNTOLD_WEIGHT,
            ),
        )
        return cls(
            np.vstack([columns for columns, _, _ in parts]),
            np.concatenate([target for _, target, _ in parts]),
            np.concatenate([np.full(len(target), weight) for _, target, weight in parts]),
            int(here.sum()),
        )


def _of(seen: SeenWords, words: NDArray[np.bool_]) -> NDArray[np.int32]:
    return seen.columns[words]


def _change(
    rows: _Rows, known: _Floats, intercept: float, free: NDArray[np.bool_]
) -> tuple[_Floats, float]:
    """Return by how much the weights and the intercept change."""
    from scipy.optimize import minimize

    before = intercept + known[rows.columns].sum(axis=1)
    target = np.where(np.isnan(rows.target), probability(before), rows.target)
    table = _table(rows.columns, free)

    def loss(change: _Floats) -> tuple[float, _Floats]:
        log_odds = before + table @ change[:-1] + change[-1]
        wrong = rows.weight * (probability(log_odds) - target)
        likely = rows.weight @ (np.logaddexp(0, log_odds) - target * log_odds)
        slope = np.append(table.T @ wrong, wrong.sum()) + change / _STRENGTH
        return float(likely + change @ change / (2 * _STRENGTH)), slope

    found = minimize(loss, np.zeros(table.shape[1] + 1), jac=True, method="L-BFGS-B").x
    change = np.zeros(len(known))
    change[free] = found[:-1]
    return change, float(found[-1])


def _table(columns: NDArray[np.int32], free: NDArray[np.bool_]) -> Any:  # noqa: ANN401 (scipy)
    """Return which of the features that may change hold of each word."""
    from scipy.sparse import csr_matrix

    place = np.cumsum(free) - 1
    kept = free[columns]
    ends = np.concatenate([[0], kept.sum(axis=1).cumsum()])
    cells = (np.ones(int(ends[-1])), place[columns[kept]], ends)
    return csr_matrix(cells, shape=(len(columns), int(free.sum())))
