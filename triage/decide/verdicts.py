"""Seek&Hide's verdict on a message, and the words that decided or carried it."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord
from triage.features.messages import LABELS, count_labels
from triage.features.word_evidence import ScoredWords, probability

from ..vocabulary import Verdict

_NUMBER = {verdict: number for number, verdict in enumerate(Verdict)}
# Seek&Hide's verdict follows from the labels of words (paper, section 3).
_DECIDING = {
    Verdict.TA: (Label.DICTIONARY,),
    Verdict.NTA: (),
    Verdict.UNTAGGED: (Label.AMBIGUOUS, Label.UNKNOWN),
}
_DECIDES = np.array([[label in _DECIDING[verdict] for label in LABELS] for verdict in Verdict])
# A word carries a score from this evidence on; weaker ones are noise of everyday words.
CARRIES = 0.05
_MAX_WORDS = 12
# A cell of evidence stays readable, and within what a spreadsheet's cell holds, whatever is typed.
_LONGEST_WORD = 60


def verdicts(labelled: LabelledMessages, strict: bool = False) -> list[Verdict]:
    counts = count_labels(labelled)
    has_name = counts[:, LABELS.index(Label.DICTIONARY)] > 0
    has_doubt = counts[:, [LABELS.index(Label.AMBIGUOUS), LABELS.index(Label.UNKNOWN)]].any(axis=1)
    conditions = [(has_name, _NUMBER[Verdict.TA]), (has_doubt, _NUMBER[Verdict.UNTAGGED])]
    masks, number = zip(*(reversed(conditions) if strict else conditions), strict=True)
    all_verdicts = [*Verdict]
    return [all_verdicts[one] for one in np.select(masks, number, _NUMBER[Verdict.NTA]).tolist()]


def evidence_texts(
    labelled: LabelledMessages, verdicts: Sequence[Verdict], scored: ScoredWords | None = None
) -> list[str]:
    """Return for each message the words that decided Seek&Hide's verdict or carried the score."""
    words = labelled.words
    of_message = np.array([*map(_NUMBER.__getitem__, verdicts)], dtype=np.int64)
    is_shown = _DECIDES[of_message.take(words.message), labelled.label]
    score = np.zeros(len(words.form)) if scored is None else probability(scored.log_odds)
    rows = np.flatnonzero(is_shown | (score >= CARRIES))
    rows = rows[np.lexsort((-score[rows], words.message[rows]))]
    # Of a word that comes again, the strongest occurrence.
    _, first = np.unique((words.message[rows].astype(np.int64) << 32) | words.form[rows], True)
    rows = rows[np.sort(first)]
    labels, forms = labelled.labels, words.form[rows].tolist()
    text_of = {
        form: f"«{_short(word.text)}» {word.label} ({reason(word, labelled)})"
        for form, word in ((form, labels[form]) for form in {*forms})
    }
    texts = [text_of[form] for form in forms]
    if scored is not None:
        texts = [f"{text} {one:.2f}" for text, one in zip(texts, score[rows].tolist(), strict=True)]
    ends = np.searchsorted(words.message[rows], np.arange(len(verdicts) + 1)).tolist()
    return [
        " | ".join(texts[first : min(end, first + _MAX_WORDS)]) for first, end in pairwise(ends)
    ]


def reason(word: LabelledWord, labelled: LabelledMessages) -> str:
    """Return the lists and the rule behind a word's label."""
    if word.kind is not Kind.WORD:
        return word.kind.value
    lexicon = labelled.lexicon
    lists = ", ".join(lexicon.names(lexicon.deciding(word.lists))) or "in no list"
    return f"{lists}; {word.rule}: {_short(word.read_as)}" if word.rule else lists


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"
