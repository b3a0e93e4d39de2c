"""Coverage of a sample of messages by a language pack, and faults of the pack."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from triage.dictionaries import Kind, Label, Lexicon, label_messages
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import load_pack
from triage.dictionaries.recognisers import Recognisers, available

from ..vocabulary import Verdict
from .seek_hide import verdicts

_MOST = 40


@dataclass(frozen=True)
class SampleCheck:
    """Coverage of the words of a sample by a pack."""

    n_messages: int
    n_words: int
    known: float
    untagged: float
    unknown: tuple[tuple[str, int], ...]
    ambiguous: tuple[tuple[str, int], ...]


def check_sample(messages: Sequence[str], lexicon: Lexicon, most: int = _MOST) -> SampleCheck:
    """Return what a pack knows of messages."""
    labelled = label_messages(messages, lexicon)
    counts = {label: Counter[str]() for label in Label}
    for number, n in sorted(Counter(labelled.words.form.tolist()).items()):
        word = labelled.labels[number]
        if word.kind is Kind.WORD:
            counts[word.label][folded(word.text)] += n
    n_words = sum(found.total() for found in counts.values())
    unknown, ambiguous = (
        tuple(sorted(counts[label].items(), key=lambda one: (-one[1], one[0]))[:most])
        for label in (Label.UNKNOWN, Label.AMBIGUOUS)
    )
    known = 1 - counts[Label.UNKNOWN].total() / max(n_words, 1)
    untagged = verdicts(labelled).count(Verdict.UNTAGGED) / max(len(messages), 1)
    return SampleCheck(len(messages), n_words, known, untagged, unknown, ambiguous)


def problems(language: str) -> list[str]:
    """Return which examples of recognisers are not true."""
    recognisers = available(language)
    load_pack(language).check_expressions()
    find = Recognisers(recognisers).find
    found = []
    for one in recognisers:
        missed = [text for text in one.examples if one.kind not in {s.kind for s in find(text)}]
        found += [f"[examples.{one.name}]: {text!r} is not found" for text in missed]
        wrong = [text for text in one.counterexamples if any(Recognisers([one]).find(text))]
        found += [f"[examples.{one.name}]: {text!r} is found" for text in wrong]
    return found
