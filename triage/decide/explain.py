"""Explain the decision of one message: each word's label and evidence, the votes, the action."""

from dataclasses import dataclass, field

from triage.dictionaries import Kind, label_messages

from ..model.find import ScoredMessages
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
    scored = triage.score(label_messages([message], triage.lexicon), [""])
    decided = triage.decide_scored(scored)
    return Explanation(
        words=[word for word in _words(triage, scored) if word is not None],
        features=triage.features_of(scored),
        seek_hide=str(decided.seek_hide[0]),
        model=str(decided.model[0]),
        model_score=decided.model_score[0],
        action=str(decided.action[0]),
    )


def _words(triage: Triage, scored: ScoredMessages) -> list[ExplainedWord | None]:
    labelled = scored.labelled
    forms = [labelled.labels[form] for form in labelled.words.form]
    numbers = [None if p is None else round(p, 4) for p in scored.evidence]
    because = triage.scorer.reasons(labelled) if triage.scorer else [[] for _ in forms]
    return [
        None
        if word.kind is Kind.PUNCTUATION
        else ExplainedWord(
            word.text,
            str(word.label),
            reason(word, labelled),
            number,
            told if number is not None and number >= CARRIES else [],
        )
        for word, number, told in zip(forms, numbers, because, strict=True)
    ]


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
    return "\n".join(
        [
            *lines,
            "",
            f"Seek&Hide: {explained.seek_hide}",
            f"model:     {explained.model} (score {explained.model_score:.2f}; {features})",
            f"action:    {explained.action}",
        ]
    )
