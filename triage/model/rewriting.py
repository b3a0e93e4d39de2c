"""Messages as if some of their words were written without capitals."""

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, label_messages


def without_capitals(labelled: LabelledMessages, which: NDArray[np.bool_]) -> LabelledMessages:
    """Label messages anew with some words in lower case."""
    words, texts = labelled.words, list(labelled.messages)
    for i in np.flatnonzero(which).tolist():
        message, start = words.message[i], int(words.start[i])
        end = start + len(words.forms[words.form[i]].text)
        text = texts[message]
        texts[message] = text[:start] + lowered(text[start:end]) + text[end:]
    again = label_messages(texts, labelled.lexicon)
    same = _n_words(again) == _n_words(labelled)
    if same.all():
        return again
    kept = zip(same.tolist(), texts, labelled.messages, strict=True)
    return label_messages([new if is_same else old for is_same, new, old in kept], labelled.lexicon)


def lowered(text: str) -> str:
    """Return a text of the same length in lower case."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _n_words(labelled: LabelledMessages) -> NDArray[np.int64]:
    return np.bincount(labelled.words.message, minlength=labelled.words.n_messages)
