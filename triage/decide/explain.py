"""Explain the decision of one message: each word's label and evidence, the votes, the action."""

from dataclasses import dataclass, field

from triage.dictionaries import Kind
from triage.features.word_evidence import probability

from .pipeline import Triage
from .seek_hide import CARRIES, reason


@dataclass(frozen=True)
class ExplainedWord:
    """A word of the message."""

    text: str
    label: str
    reason: str
    evidence: float | None = None
    because: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Explanation:
    """A message's decision and what it came from."""

    words: list[ExplainedWord]
    features: dict[str, float]
    seek_hide: str
    model: str
    model_score: float
    action: str


def explain(triage: Triage, message: str) -> Explanation:
    """Explain the decision on one message."""
    scored = triage.weighed([message])
    labelled = scored.labelled
    decided = triage.decide_scored(scored)
    forms = [labelled.labels[form] for form in labelled.words.form]
    numbers: list[float | None] = [None] * len(forms)
    because: list[list[str]] = [[] for _ in forms]
    if triage.scorer and scored.words:
        numbers = [round(one, 4) for one in probability(scored.words.log_odds).tolist()]
        because = triage.scorer.reasons(labelled)
    words = [
        ExplainedWord(
            word.text,
            str(word.label),
            reason(word, labelled),
            number,
            told if number is not None and number >= CARRIES else [],
        )
        for word, number, told in zip(forms, numbers, because, strict=True)
        if word.kind is not Kind.PUNCTUATION
    ]
    values = triage.features.compute(labelled, scored.words)[0].round(4).tolist()
    features = dict(zip(triage.features.features, values, strict=True))
    votes = str(decided.seek_hide[0]), str(decided.model[0]), decided.model_score[0]
    return Explanation(words, features, *votes, str(decided.action[0]))


def explanation_text(explained: Explanation) -> str:
    """Return an explanation as a table for the terminal."""
    width = min(24, max((len(word.text) for word in explained.words), default=0))
    lines = []
    for word in explained.words:
        number = "" if word.evidence is None else f"{word.evidence:.2f}  "
        lines.append(f"{word.text:<{width}}  {word.label:<17}{number}{word.reason}")
        if word.because:
            lines.append(" " * (width + 19) + "because: " + "; ".join(word.because))
    features = ", ".join(f"{name} {value:g}" for name, value in explained.features.items() if value)
    lines += ["", f"Seek&Hide: {explained.seek_hide}"]
    lines += [f"model:     {explained.model} (score {explained.model_score:.2f}; {features})"]
    return "\n".join([*lines, f"action:    {explained.action}"])
