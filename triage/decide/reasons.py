"""The words that decided a message, for people to read."""

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord
from triage.features.word_evidence import ScoredWords, probability

from ..vocabulary import Verdict
from .seek_hide import LABELS

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
    """Return the lists and the rule behind a word's label."""
    if word.kind is not Kind.WORD:
        return word.kind.value
    lexicon = labelled.lexicon
    lists = ", ".join(lexicon.names(lexicon.deciding(word.lists))) or "in no list"
    return f"{lists}; {word.rule}: {_short(word.read_as)}" if word.rule else lists


def evidence(
    labelled: LabelledMessages,
    verdicts: Sequence[Verdict],
    scored: ScoredWords | None = None,
) -> list[str]:
    """Return for each message the words that decided Seek&Hide's verdict or carried the score."""
    words = labelled.words
    of_message = np.array([_VERDICTS.index(verdict) for verdict in verdicts], dtype=np.int64)
    decides = _DECIDES[of_message[words.message], labelled.label_of_form[words.form]]
    if scored is None:
        at, weighed = decides.nonzero()[0], None
    else:
        score = probability(scored.log_odds)
        at = (decides | (score >= CARRIES)).nonzero()[0]
        at = at[np.lexsort((-score[at], words.message[at]))]
        weighed = score[at].tolist()
    shown: dict[int, str] = {}
    found: dict[int, dict[int, str]] = {}
    for i, (form, message) in enumerate(
        zip(words.form[at].tolist(), words.message[at].tolist(), strict=True)
    ):
        if form not in shown:
            shown[form] = _shown(labelled.labels[form], labelled)
        number = "" if weighed is None else f" {weighed[i]:.2f}"
        # Of a word that comes again, the strongest occurrence.
        found.setdefault(message, {}).setdefault(form, shown[form] + number)
    return [_join(found.get(message, {}).values()) for message in range(len(verdicts))]


# A word carries a score from this evidence on; weaker ones are noise of everyday words.
CARRIES = 0.05


def _join(shown: Iterable[str]) -> str:
    return " | ".join(islice(shown, _MOST_WORDS))


def _shown(word: LabelledWord, labelled: LabelledMessages) -> str:
    return f"«{_short(word.text)}» {word.label} ({reason(word, labelled)})"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"
