"""Explain the decision of one message: each word's label and evidence, the votes, the action."""

from collections.abc import Mapping
from typing import Any

from triage.dictionaries import Kind
from triage.features.word_evidence import probability

from .pipeline import Triage
from .seek_hide import CARRIES, reason


def explain(triage: Triage, message: str) -> dict[str, Any]:
    """Explain the decision on one message by its words, the features of the model and the votes."""
    scored = triage.weighed([message])
    labelled, decided = scored.labelled, triage.decide_scored(scored)
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
        "action": str(decided.action[0]),
    }


def explanation_lines(explained: Mapping[str, Any]) -> list[str]:
    """Return an explanation as a table for the terminal."""
    width, lines = min(24, max((len(one["text"]) for one in explained["words"]), default=0)), []
    for word in explained["words"]:
        number = "" if word["evidence"] is None else f"{word['evidence']:.2f}  "
        lines.append(f"{word['text']:<{width}}  {word['label']:<17}{number}{word['reason']}")
        if word["because"]:
            lines.append(" " * (width + 19) + "because: " + "; ".join(word["because"]))
    told = ", ".join(f"{name} {value:g}" for name, value in explained["features"].items() if value)
    lines += ["", f"Seek&Hide: {explained['seek_hide']}"]
    lines += [f"model:     {explained['model']} (score {explained['model_score']:.2f}; {told})"]
    return [*lines, f"action:    {explained['action']}"]
