"""Seek&Hide's verdict by the labels of words (paper, section 3), and why a message is TA."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord
from triage.features.messages import LABELS, count_labels
from triage.features.word_evidence import ScoredWords, probability

from ..vocabulary import Verdict
from .find import scored_identifiers

if TYPE_CHECKING:
    from .pipeline import Triage

_VERDICTS = np.array([*Verdict], dtype=object)
_NUMBER = {verdict: number for number, verdict in enumerate(Verdict)}
_DECIDING = {
    Verdict.TA: (Label.DICTIONARY,),
    Verdict.NTA: (),
    Verdict.UNTAGGED: (Label.AMBIGUOUS, Label.UNKNOWN),
}
_DECIDES = np.array([[label in _DECIDING[verdict] for label in LABELS] for verdict in Verdict])
# A word carries a score from this evidence on; weaker ones are noise of everyday words.
CARRIES = 0.05
_MOST_WORDS = 12
# A cell of evidence stays readable, and within what a spreadsheet's cell holds, whatever is typed.
_LONGEST_WORD = 60


def verdicts(labelled: LabelledMessages, strict: bool = False) -> list[Verdict]:
    """Return Seek&Hide's verdict on each message."""
    counts = count_labels(labelled)
    named = counts[:, LABELS.index(Label.DICTIONARY)] > 0
    doubtful = counts[:, [LABELS.index(Label.AMBIGUOUS), LABELS.index(Label.UNKNOWN)]].any(axis=1)
    found = [(named, _NUMBER[Verdict.TA]), (doubtful, _NUMBER[Verdict.UNTAGGED])]
    which, number = zip(*(reversed(found) if strict else found), strict=True)
    said: list[Verdict] = _VERDICTS[np.select(which, number, _NUMBER[Verdict.NTA])].tolist()
    return said


def evidence(
    labelled: LabelledMessages, verdicts: Sequence[Verdict], scored: ScoredWords | None = None
) -> list[str]:
    """Return for each message the words that decided Seek&Hide's verdict or carried the score."""
    words = labelled.words
    of_message = np.array([*map(_NUMBER.__getitem__, verdicts)], dtype=np.int64)
    is_shown = _DECIDES[of_message.take(words.message), labelled.label]
    score = np.zeros(len(words.form)) if scored is None else probability(scored.log_odds)
    at = np.flatnonzero(is_shown | (score >= CARRIES))
    at = at[np.lexsort((-score[at], words.message[at]))]
    # Of a word that comes again, the strongest occurrence.
    _, first = np.unique((words.message[at].astype(np.int64) << 32) | words.form[at], True)
    at = at[np.sort(first)]
    labels = labelled.labels
    shown = {form: _shown(labels[form], labelled) for form in set(words.form[at].tolist())}
    texts = [shown[form] for form in words.form[at].tolist()]
    if scored is not None:
        texts = [f"{text} {one:.2f}" for text, one in zip(texts, score[at].tolist(), strict=True)]
    ends = np.searchsorted(words.message[at], np.arange(len(verdicts) + 1)).tolist()
    return [
        " | ".join(texts[first : min(end, first + _MOST_WORDS)]) for first, end in pairwise(ends)
    ]


def _shown(word: LabelledWord, labelled: LabelledMessages) -> str:
    return f"«{_short(word.text)}» {word.label} ({reason(word, labelled)})"


def reason(word: LabelledWord, labelled: LabelledMessages) -> str:
    """Return the lists and the rule behind a word's label."""
    if word.kind is not Kind.WORD:
        return word.kind.value
    lexicon = labelled.lexicon
    lists = ", ".join(lexicon.names(lexicon.deciding(word.lists))) or "in no list"
    return f"{lists}; {word.rule}: {_short(word.read_as)}" if word.rule else lists


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"


def explain(triage: "Triage", message: str) -> dict[str, Any]:
    """Explain the decision on one message: its words, the model's features, votes, finds, risk."""
    scored = triage.weighed([message])
    labelled, decided = scored.labelled, triage.decide_scored(scored)
    (found,) = scored_identifiers(scored, decided.action)
    promised, covered = triage.promise(), decided.covered
    forms = [labelled.labels[form] for form in labelled.words.form]
    numbers: list[float | None] = [None] * len(forms)
    because: list[list[str]] = [[] for _ in forms]
    if triage.scorer and scored.words:
        numbers = [round(one, 4) for one in probability(scored.words.log_odds).tolist()]
        because = triage.scorer.reasons(labelled)
    words = [
        {
            "text": word.text,
            "label": str(word.label),
            "reason": reason(word, labelled),
            "evidence": number,
            "because": told if number is not None and number >= CARRIES else [],
        }
        for word, number, told in zip(forms, numbers, because, strict=True)
        if word.kind is not Kind.PUNCTUATION
    ]
    values = triage.features.compute(labelled, scored.words)[0].round(4).tolist()
    return {
        "words": words,
        "features": dict(zip(triage.features.features, values, strict=True)),
        "seek_hide": str(decided.seek_hide[0]),
        "model": str(decided.model[0]),
        "model_score": decided.model_score[0],
        "identifiers": [
            {"text": message[one.start : one.end], "type": str(one.type), "rule": str(one.rule)}
            for one in found
        ],
        "risk": None if covered is None else float(covered.risk[0]),
        "read_from": None if promised is None else promised.risk_from,
        "action": str(decided.action[0]),
    }
