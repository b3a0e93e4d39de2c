"""Spans of any types by a linear-chain conditional random field (CRF), learnt by CRFsuite.

A message is a sequence of tokens. Each has features, strings that the caller chooses, and a BILOU
label of a type: it begins a span (``B-ADR``), is inside one (``I-ADR``), is its last (``L-ADR``),
is a span by itself (``U-ADR``), or is outside all of them (``O``). Spans are ``(start, end, type)``
and tokens ``(start, end)``, in characters, the end behind the last one.

Lecointe ("Anonymisation des adresses postales", master's thesis, Inalco, 2018) finds addresses so,
see `address_crf`; Grouin ("Anonymisation de documents cliniques", PhD thesis, UPMC, 2013)
identifiers of all types. Needs python-crfsuite (the extra ``crf``).
"""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import pycrfsuite

from triage.reports.span_measures import Span

Token = tuple[int, int]
Features = Sequence[Sequence[str]]

_MAX_ITERATIONS = 150


class Crf:
    """A learnt conditional random field."""

    def __init__(self, tagger: pycrfsuite.Tagger) -> None:
        self._tagger = tagger

    @classmethod
    def learn(
        cls,
        examples: Iterable[tuple[Features, Sequence[str]]],
        *,
        c1: float = 0.0,
        c2: float = 0.01,
    ) -> Self:
        """Learn with L-BFGS; the same examples in the same order give the same weights."""
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c1": c1, "c2": c2, "max_iterations": _MAX_ITERATIONS})
        for features, labels in examples:
            trainer.append(features, labels)
        tagger = pycrfsuite.Tagger()
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model")
            trainer.train(path)
            tagger.open(path)  # Reads the whole file into memory.
        return cls(tagger)

    def spans(self, features: Features, tokens: Sequence[Token]) -> list[Span]:
        """Find the spans of a message, in order, none overlapping another."""
        return spans_of(self._tagger.tag(features), tokens)


def labels_of(tokens: Sequence[Token], spans: Iterable[Span]) -> list[str]:
    """Return the labels of tokens; a token that a span cuts belongs to the span."""
    labels = ["O"] * len(tokens)
    for start, end, type_ in spans:
        inside = [i for i, (first, last) in enumerate(tokens) if first < end and start < last]
        places = "U" if len(inside) == 1 else f"B{'I' * (len(inside) - 2)}L"
        for i, place in zip(inside, places, strict=False):
            labels[i] = f"{place}-{type_}"
    return labels


def spans_of(labels: Sequence[str], tokens: Sequence[Token]) -> list[Span]:
    """Return the spans of labels, also of labels that cannot follow one another."""
    spans: list[Span] = []
    unfinished = ""
    for label, (start, end) in zip(labels, tokens, strict=True):
        place, _, type_ = label.partition("-")
        if type_ and type_ == unfinished and place in "IL":
            spans[-1] = (spans[-1][0], end, type_)
        elif type_:
            spans.append((start, end, type_))
        unfinished = type_ if place in "BI" else ""
    return spans
