"""Learning how corpus evidence weighs beside the evidence of a word in its place."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.corpus_evidence import COLUMNS, STRONGEST, CorpusEvidence, CorpusWeights
from triage.features.learn_words import Folds, LearntWords, regression
from triage.features.word_evidence import NO_CANDIDATE


def learn_corpus(
    labelled: LabelledMessages,
    learnt: LearntWords,
    senders: Sequence[str],
    folds: Folds,
    without: Collection[str] = (),
) -> tuple[CorpusWeights, NDArray[np.float64]]:
    """Learn the weights of corpus evidence.

    Parameters
    ----------
    labelled : LabelledMessages
        Of n_messages messages, which are the corpus too.
    learnt : LearntWords
    senders : sequence of str, length n_messages
    folds : list of (training rows, held-out rows)
    without : collection of str
        Columns that are left out, to see what they are worth.

    Returns
    -------
    weights : CorpusWeights
    held_out : ndarray of float, shape (n_words,)
        The log odds of each word by weights learnt without its sender.
    """
    corpus = CorpusEvidence()
    corpus.add(labelled, learnt.held_out, senders)
    columns = corpus.columns(labelled, learnt.held_out, senders)
    lowered = _lowered(columns, learnt)
    used = np.array([name not in without for name in COLUMNS])
    message, is_candidate = labelled.words.message, learnt.held_out.places.is_candidate
    held_out = np.full(len(columns), NO_CANDIDATE)
    for (training, testing), marked in zip(folds, learnt.marked_without, strict=True):
        here = np.flatnonzero(np.isin(message, training) & is_candidate)
        fitted = _fit(columns, lowered, marked, here, used)
        tested = np.isin(message, testing)
        held_out[tested] = fitted.log_odds(columns[tested], is_candidate[tested])
    weights = _fit(columns, lowered, learnt.marked, np.flatnonzero(is_candidate), used)
    return weights, held_out


def _lowered(columns: NDArray[np.float64], learnt: LearntWords) -> NDArray[np.float64]:
    """Return the columns as they were if words were written without capitals."""
    table = columns.copy()
    table[:, 0] = np.maximum(learnt.held_out_lowered, -STRONGEST)
    at = {name: i for i, name in enumerate(COLUMNS)}
    for place in ("starting, sender starts with capitals", "inside, sender's capitals inside"):
        capital, none = at[f"capital {place}"], at[f"no capital {place}"]
        table[:, none] += table[:, capital]
        table[:, capital] = 0
    table[:, [at["capital starting"], at["capital inside"]]] = 0
    return table


def _fit(
    columns: NDArray[np.float64],
    lowered: NDArray[np.float64],
    marked: NDArray[np.bool_],
    here: NDArray[np.int64],
    used: NDArray[np.bool_],
) -> CorpusWeights:
    again = here[marked[here]]
    if not len(again) or len(again) == len(here):  # nothing to tell apart: the word itself stays
        own = float(used[0])
        return CorpusWeights(0.0, dict.fromkeys(COLUMNS, 0.0) | {COLUMNS[0]: own})
    table = np.vstack([columns[here], lowered[again]]) * used
    coefficients, intercept = regression(table, marked, here, again)
    found = {name: round(float(w), 4) for name, w in zip(COLUMNS, coefficients, strict=True)}
    return CorpusWeights(round(intercept, 4), found)
