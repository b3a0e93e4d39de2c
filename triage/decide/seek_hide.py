"""Seek&Hide's verdict on a message, from the labels of its words (paper, section 3)."""

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Label, LabelledMessages

from ..vocabulary import Verdict

LABELS = tuple(Label)


def count_labels(labelled: LabelledMessages) -> NDArray[np.int64]:
    """Count the words of each label in each message."""
    words = labelled.words
    label = labelled.label_of_form[words.form]
    cell = words.message.astype(np.int64) * len(LABELS) + label
    counts = np.bincount(cell, minlength=words.n_messages * len(LABELS))
    return counts.reshape(words.n_messages, len(LABELS))


def verdicts(labelled: LabelledMessages, strict: bool = False) -> list[Verdict]:
    """Return Seek&Hide's verdict on each message."""
    counts = count_labels(labelled)
    named = counts[:, LABELS.index(Label.DICTIONARY)] > 0
    doubtful = counts[:, [LABELS.index(Label.AMBIGUOUS), LABELS.index(Label.UNKNOWN)]].any(axis=1)
    order = (doubtful, named) if strict else (named, doubtful)
    names = (Verdict.UNTAGGED, Verdict.TA) if strict else (Verdict.TA, Verdict.UNTAGGED)
    code = np.select(order, (0, 1), 2)
    return [(*names, Verdict.NTA)[i] for i in code]


def holds_identifier(labelled: LabelledMessages) -> NDArray[np.bool_]:
    """Return which messages hold an identifier that is known by its form; shape (n_messages,)."""
    words = labelled.words
    of_form = np.array([word.kind.is_identifier for word in labelled.labels], dtype=np.bool_)
    found = np.zeros(words.n_messages, dtype=np.bool_)
    found[words.message[of_form[words.form]]] = True
    return found
