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
_VERDICTS = tuple(_DECIDING)
_DECIDES = np.array([[label in labels for label in LABELS] for labels in _DECIDING.values()])
_MOST_WORDS = 12
# A cell of evidence stays readable, and within what a spreadsheet's cell holds, whatever is typed.
_LONGEST_WORD = 60


def reason(word: LabelledWord, labelled: LabelledMessages) -> str:
    """Return the lists and the rule behind a word's label.

    Parameters
    ----------
    word : LabelledWord
    labelled : LabelledMessages
        That the word comes from.

    Examples
    --------
    >>> from dictionaries import label_messages, load_lexicon
    >>> labelled = label_messages(["nicoooolllaassss"], load_lexicon("fr"))
    >>> lists, rule = reason(labelled.labels[0], labelled).split("; ")
    >>> "first_names" in lists, rule
    (True, 'letter_repetitions: nicolas')
    """
    if word.kind is not Kind.WORD:
        return word.kind.value
    lists = ", ".join(labelled.lexicon.names(word.lists)) or "in no list"
    return f"{lists}; {word.rule}: {_short(word.read_as)}" if word.rule else lists


def evidence(labelled: LabelledMessages, verdicts: Sequence[Verdict]) -> list[str]:
    """Return for each message the words that decided Seek&Hide's verdict.

    A message that it calls NTA has none: no word of it was more than a word.

    Parameters
    ----------
    labelled : LabelledMessages
    verdicts : sequence of Verdict, length n_messages

    Returns
    -------
    list of str, length n_messages
        ``«Patrice» DICTIONARY (first_names) | …``, at most twelve words.
    """
    words = labelled.words
    of_message = np.array([_VERDICTS.index(verdict) for verdict in verdicts], dtype=np.int64)
    of_form = np.array([LABELS.index(word.label) for word in labelled.labels], dtype=np.int64)
    decides = _DECIDES[of_message[words.message], of_form[words.form]].nonzero()[0]
    shown: dict[int, str] = {}
    found: dict[int, list[str]] = {}
    for form, message in zip(
        words.form[decides].tolist(), words.message[decides].tolist(), strict=True
    ):
        if form not in shown:
            shown[form] = _shown(labelled.labels[form], labelled)
        found.setdefault(message, []).append(shown[form])
    return [_join(found.get(message, ())) for message in range(len(verdicts))]


def _join(shown: Sequence[str]) -> str:
    return " | ".join(list(dict.fromkeys(shown))[:_MOST_WORDS])


def _shown(word: LabelledWord, labelled: LabelledMessages) -> str:
    return f"«{_short(word.text)}» {word.label} ({reason(word, labelled)})"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"
