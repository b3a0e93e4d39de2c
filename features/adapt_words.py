"""Adapting the weights of word evidence to a corpus, by some marked messages of it.

A logistic regression whose penalty pulls towards the given weights instead of towards zero. Words
of unlabelled messages hold the weights in place, with the probability that the weights give them as
target; else a few doubtful messages would change the weights of all words (Kirkpatrick et al.,
*Overcoming catastrophic forgetting in neural networks*, PNAS 114, 2017).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.feature_names import FeatureNames
from triage.features.learn_words import (
    FEWEST_OCCURRENCES,
    LOWERED_WEIGHT,
    changes,
    rounded_weights,
    sparse_table,
)
from triage.features.word_evidence import WordFeatures, WordWeights, probability

# Chosen on the first 4,000 messages of 88milSMS: a third learnt, a third decided, a third tested.
_STRENGTH = 0.1  # inverse of the penalty on squared changes of weights
_UNLABELLED_WEIGHT = 0.1

_Floats = NDArray[np.float64]


def adapt_words(
    weights: WordWeights,
    annotated: LabelledMessages,
    marked: NDArray[np.bool_],
    others: LabelledMessages,
) -> WordWeights:
    """Adapt weights to a corpus."""
    names = FeatureNames(weights.weights, grows=True)
    rows = _rows(WordFeatures(annotated.lexicon, names), annotated, marked, others)
    known = np.zeros(len(names.columns) + 1)
    known[1 : len(weights.weights) + 1] = [*weights.weights.values()]
    seen = np.bincount(rows.columns[: rows.n_annotated].ravel(), minlength=len(known))
    free = seen >= FEWEST_OCCURRENCES
    free[0] = False
    change, shift = _change(rows, known, weights.intercept, free)
    return rounded_weights(weights.intercept + shift, known + change, names)


class _Rows(NamedTuple):
    """The words to learn from; the first `n_annotated` are of annotated messages as written."""

    columns: NDArray[np.int32]
    target: _Floats
    weight: _Floats
    n_annotated: int


def _rows(
    reader: WordFeatures,
    annotated: LabelledMessages,
    marked: NDArray[np.bool_],
    others: LabelledMessages,
) -> _Rows:
    seen, unlabelled = reader.see(annotated), reader.see(others)
    lowered = reader.see(annotated, lowered=marked)
    here = seen.places.is_candidate
    again = here & marked
    rest = unlabelled.columns[unlabelled.places.is_candidate]
    targets = marked[here].astype(np.float64), np.ones(again.sum()), np.full(len(rest), np.nan)
    weights = 1.0, LOWERED_WEIGHT, _UNLABELLED_WEIGHT
    return _Rows(
        np.vstack([seen.columns[here], lowered.columns[again], rest]),
        np.concatenate(targets),
        np.repeat(weights, [len(target) for target in targets]),
        len(targets[0]),
    )


def _change(
    rows: _Rows, known: _Floats, intercept: float, free: NDArray[np.bool_]
) -> tuple[_Floats, float]:
    """Return the changes of the weights and of the intercept."""
    before = intercept + known[rows.columns].sum(axis=1)
    target = np.where(np.isnan(rows.target), probability(before), rows.target)
    found = changes(
        sparse_table(rows.columns, free)[:, free], before, target, rows.weight, _STRENGTH
    )
    change = np.zeros(len(known))
    change[free] = found[:-1]
    return change, float(found[-1])
