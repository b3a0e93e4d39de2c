"""Why one message is decided as it is: each word's label, the two votes, the action."""

from dataclasses import dataclass

from dictionaries import Kind, label_messages

from .evidence import reason
from .pipeline import Triage


@dataclass(frozen=True)
class ExplainedWord:
    """A word of the message, its label, and the lists and the rule behind it."""

    text: str
    label: str
    reason: str


@dataclass(frozen=True)
class Explanation:
    """A message's decision and what it came from.

    Parameters
    ----------
    words : list of ExplainedWord
        In order, punctuation left out.
    features : dict of str to float
        What the model was given.
    seek_hide, model, action : str
    model_score : float
    """

    words: list[ExplainedWord]
    features: dict[str, float]
    seek_hide: str
    model: str
    model_score: float
    action: str


def explain(triage: Triage, message: str) -> Explanation:
    """Explain the decision on one message.

    Examples
    --------
    >>> explained = explain(Triage.load("fr"), "Coucou Patrice")
    >>> explained.words[1].label, explained.action
    ('DICTIONARY', 'TA')
    """
    labelled = label_messages([message], triage.lexicon)
    decided = triage.decide_labelled(labelled)
    forms = [labelled.labels[form] for form in labelled.words.form]
    return Explanation(
        words=[
            ExplainedWord(word.text, str(word.label), reason(word, labelled))
            for word in forms
            if word.kind is not Kind.PUNCTUATION
        ],
        features=triage.features_of(labelled),
        seek_hide=str(decided.seek_hide[0]),
        model=str(decided.model[0]),
        model_score=decided.model_score[0],
        action=str(decided.action[0]),
    )


def explanation_text(explained: Explanation) -> str:
    """Return an explanation as a table for the terminal."""
    width = min(24, max((len(word.text) for word in explained.words), default=0)) + 2
    lines = [f"{w.text:<{width}}{w.label:<17}{w.reason}" for w in explained.words]
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
