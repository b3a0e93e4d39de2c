"""The set ``evidence``: a message by the evidence of its words, their labels, and the twelve."""

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages
from triage.features import patel2013
from triage.features.word_evidence import ScoredWords, probability

_LABELS = tuple(Label)
_NUMBER = {label: number for number, label in enumerate(_LABELS)}
_TITLES = {
    Label.DICTIONARY: "Dictionary",
    Label.ANTI_DICTIONARY: "AntiDictionary",
    Label.AMBIGUOUS: "Ambiguous",
    Label.UNKNOWN: "Unknown",
}
_LEVELS = {"Above05": 0.05, "Above20": 0.2, "Above50": 0.5, "Above80": 0.8}
_HIGHEST = ("Highest", "SecondHighest", "ThirdHighest")
# What changes with corpus evidence; the others are the same with and without.
WEIGHED = (*_HIGHEST, "NoisyOr", *_LEVELS, *(f"Strongest{title}" for title in _TITLES.values()))
RISING = (*_HIGHEST, "NoisyOr", *_LEVELS)
NAMES = (*WEIGHED, *_TITLES.values(), "CapitalsInside", "Patterns", *patel2013.NAMES)


def evidence(labelled: LabelledMessages, scored: ScoredWords) -> NDArray[np.float64]:
    """Return the features of each message.

    Parameters
    ----------
    labelled : LabelledMessages
        Of n_messages messages and n_words words.
    scored : ScoredWords
        Their words.

    Returns
    -------
    ndarray of float, shape (n_messages, 30)
        Probabilities from 0 to 1 for the highest scores and their noisy-or (that at least one
        word identifies someone, were they independent); Strongest… is 1 for the label of the
        likeliest word; the others are counts, and the twelve of the paper.
    """
    return np.column_stack(
        [
            weighed(labelled, scored.log_odds),
            *_counts_of_labels(labelled),
            _capitals_inside(labelled, scored),
            _patterns(labelled),
            patel2013.patel2013(labelled),
        ]
    )


def weighed(labelled: LabelledMessages, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the features that depend on the evidence of words, in the order of `WEIGHED`.

    Parameters
    ----------
    labelled : LabelledMessages
        Of n_messages messages and n_words words.
    log_odds : ndarray of float, shape (n_words,)

    Returns
    -------
    ndarray of float, shape (n_messages, 12)
    """
    words = labelled.words
    message = words.message.astype(np.int64)
    score = probability(log_odds)
    order = np.lexsort((-score, message))
    first = np.searchsorted(message[order], np.arange(words.n_messages + 1))
    highest = [_ranked(score[order], first, rank) for rank in range(len(_HIGHEST))]
    none = np.bincount(message, np.log1p(-np.minimum(score, _SURE)), words.n_messages)
    above = [
        np.bincount(message[score > level], minlength=words.n_messages)
        for level in _LEVELS.values()
    ]
    label = _label_of_form(labelled)[words.form[order]]
    strongest = _ranked(label + 1, first, 0)
    return np.column_stack(
        [*highest, 1 - np.exp(none), *above, *(strongest == i for i in range(1, len(_LABELS) + 1))]
    ).astype(np.float64)


_SURE = 1 - 1e-9


def _ranked(
    values: NDArray[np.generic], first: NDArray[np.int64], rank: int
) -> NDArray[np.float64]:
    """Return the value of this rank in each message; 0 where it has fewer words."""
    at = first[:-1] + rank
    found = np.zeros(len(at))
    there = at < first[1:]
    found[there] = values[at[there]]
    return found


def _label_of_form(labelled: LabelledMessages) -> NDArray[np.int64]:
    return np.array([_NUMBER[word.label] for word in labelled.labels], dtype=np.int64)


def _counts_of_labels(labelled: LabelledMessages) -> NDArray[np.int64]:
    words = labelled.words
    cell = _label_of_form(labelled)[words.form] * words.n_messages + words.message
    counts = np.bincount(cell, minlength=len(_LABELS) * words.n_messages)
    return counts.reshape(len(_LABELS), words.n_messages)


def _capitals_inside(labelled: LabelledMessages, scored: ScoredWords) -> NDArray[np.int64]:
    """Count the capitals inside sentences on words that are unknown or ambiguous."""
    words = labelled.words
    doubtful = np.isin(_label_of_form(labelled), _DOUBTFUL)[words.form]
    here = doubtful & scored.places.is_capital & ~scored.places.starts
    return np.bincount(words.message[here], minlength=words.n_messages)


_DOUBTFUL = (_LABELS.index(Label.UNKNOWN), _LABELS.index(Label.AMBIGUOUS))


def _patterns(labelled: LabelledMessages) -> NDArray[np.int64]:
    """Count the identifiers that are found by their form."""
    words = labelled.words
    of_form = np.array([word.kind.is_identifier for word in labelled.labels], dtype=np.bool_)
    return np.bincount(words.message[of_form[words.form]], minlength=words.n_messages)
