"""A component for spaCy: the decision on each document, and its identifiers.

``nlp.add_pipe("sms_triage")`` sets ``doc._.triage`` and ``doc.spans["identifiers"]``. Needs
``pip install '.[spacy]'``.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.util import minibatch

from .decide.find import scored_identifiers
from .decide.pipeline import Triage, load_once
from .settings import Setup

SPANS = "identifiers"
# Where a document keeps the decision.
_KEPT = "sms_triage"


class DocTriage(NamedTuple):
    """The decision on a document; the fields are the columns of ``triage classify``."""

    seek_hide: str
    model: str
    model_score: float
    action: str
    evidence: str


def _decision(doc: Doc) -> DocTriage | None:
    """Return the decision on a document, which keeps plain values, so that it can be stored."""
    stored = doc.user_data.get(_KEPT)
    return DocTriage(**stored) if stored else None


class SmsTriage:
    """Decide documents, each by itself, and mark their identifiers."""

    def __init__(self, triage: Triage, spans_key: str = SPANS) -> None:
        self._triage = triage
        self._spans_key = spans_key

    def __call__(self, doc: Doc) -> Doc:
        """Decide a document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 1000) -> Iterator[Doc]:
        """Decide documents in batches."""
        key = self._spans_key
        for docs in minibatch(stream, batch_size):
            scored = self._triage.weighed([doc.text for doc in docs])
            decided = self._triage.decide_scored(scored)
            identifiers = scored_identifiers(scored, decided.action)
            rows: Iterable[Any] = decided.rows()
            for doc, row, of_doc in zip(docs, rows, identifiers, strict=True):
                doc.user_data[_KEPT] = DocTriage(*row)._asdict()
                # Whole tokens.
                spans = [
                    doc.char_span(one.start, one.end, one.type.value, alignment_mode="expand")
                    for one in of_doc
                ]
                rules = [one.rule.value for one in of_doc]
                about = {"scores": [one.score for one in of_doc], "rules": rules}
                doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=about)
            yield from docs


@Language.factory(  # type: ignore[untyped-decorator]  # spaCy is no part of a usual install
    "sms_triage",
    assigns=["doc._.triage", "doc.spans"],
    default_config={"model": None, "policy": None, "spans_key": SPANS, "language": None},
)
def create(
    nlp: Language,
    name: str,  # noqa: ARG001
    model: str | None,
    policy: str | None,
    spans_key: str,
    language: str | None,
) -> SmsTriage:
    """Make the component of a pipeline, by default in the language of its documents."""
    setup = Setup.of({"language": language or nlp.lang, "model": model, "policy": policy})
    return SmsTriage(load_once(setup), spans_key)


# An import is enough to read documents that were stored.
Doc.set_extension("triage", getter=_decision, force=True)
