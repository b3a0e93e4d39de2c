"""Why a message was decided as it was: the words that decided, for people to read."""

from collections.abc import Sequence

import numpy as np

from dictionaries import Kind, Label, LabelledMessages, LabelledWord

from .seek_hide import LABELS
from .verdicts import Verdict

_DECIDING = {
    Verdict.TA: (Label.DICTIONARY,),
    Verdict.UNTAGGED: (Label.AMBIGUOUS, Label.UNKNOWN),
    Verdict.NTA: (),
}
_MOST_WORDS = 12


def reason(word: LabelledWord, labelled: LabelledMessages) -> str:
    """Return the lists and the rule behind a word's label.

    Examples
    --------
    >>> from dictionaries import label_messages, load_lexicon
    >>> labelled = label_messages(["nicoooolllaassss"], load_lexicon("fr"))
    >>> reason(labelled.labels[0], labelled)
    'first_names, further_first_names; letter_repetitions: nicolas'
    """
    if word.kind is not Kind.WORD:
        return word.kind.value
    lists = ", ".join(labelled.lexicon.names(word.lists)) or "in no list"
    return f"{lists}; {word.rule}: {word.read_as}" if word.rule else lists


def evidence(labelled: LabelledMessages, verdicts: Sequence[Verdict]) -> list[str]:
    """Return for each message the words that decided Seek&Hide's verdict.

    A message that it calls NTA has none: no word of it was more than a word.

    Returns
    -------
    list of str, length n_messages
        ``«Patrice» DICTIONARY (first_names) | …``, at most twelve words.
    """
    words = labelled.words
    deciding = np.zeros((len(Verdict), len(LABELS)), dtype=bool)
    for verdict, labels in _DECIDING.items():
        for label in labels:
            deciding[tuple(Verdict).index(verdict), LABELS.index(label)] = True
    of_message = np.array([tuple(Verdict).index(verdict) for verdict in verdicts], dtype=np.int64)
    of_form = np.array([LABELS.index(word.label) for word in labelled.labels], dtype=np.int64)
    decides = deciding[of_message[words.message], of_form[words.form]].nonzero()[0]
    found: list[list[int]] = [[] for _ in verdicts]
    for form, message in zip(words.form[decides].tolist(), words.message[decides].tolist(), strict=True):
        found[message].append(form)
    shown = {form: _shown(labelled.labels[form], labelled) for form in set(words.form[decides].tolist())}
    return [" | ".join(shown[form] for form in _first(forms)) for forms in found]


def _first(forms: list[int]) -> list[int]:
    return list(dict.fromkeys(forms))[:_MOST_WORDS]


def _shown(word: LabelledWord, labelled: LabelledMessages) -> str:
    return f"«{word.text}» {word.label} ({reason(word, labelled)})"
