"""spaCy: the documents of a ``DocBin``, for training and for pipelines.

The identifiers are in ``doc.ents`` and, as those of the component of `triage.spacy`, in
``doc.spans["identifiers"]``; the decision is in ``doc.cats``, the id in ``doc.user_data``. Tokens
are words of this program, cut where identifiers begin and end.
"""

from collections.abc import Iterable
from typing import Any

from triage.data.errors import require, writing
from triage.data.values import whole_characters

from ...vocabulary import Prediction, Spans
from .marks import solid
from .records import Destination, Exported
from .tokens import tokens

_SPANS = "identifiers"


def write_docbin(to: Destination, items: Iterable[Exported]) -> int:
    """Write messages as documents of spaCy; return how many."""
    kit, vocab = require("spacy.tokens", "spacy"), require("spacy.vocab", "spacy").Vocab()
    documents = kit.DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    with to.stage() as stage:
        for item in items:
            documents.add(_document(kit, vocab, item))
        with writing(stage.name):
            stage.file.write(documents.to_bytes())
        stage.commit()
    return len(documents)


def _document(kit: Any, vocab: Any, item: Exported) -> Any:  # noqa: ANN401  # spaCy is untyped here
    text = whole_characters(item.text)
    spans = solid(text, item.marked)
    words, spaces = _words(text, spans)
    document = kit.Doc(vocab, words=words, spaces=spaces)
    document.spans[_SPANS] = [document.char_span(s.start, s.end, s.type.value) for s in spans]
    document.set_ents(list(document.spans[_SPANS]))
    if item.decision:
        document.cats = {vote.value: float(item.decision is vote) for vote in Prediction}
    document.user_data["id"] = whole_characters(item.id)
    return document


def _words(text: str, spans: Spans) -> tuple[list[str], list[bool]]:
    """Return the tokens of a text, and after which a space stands; other white space is a token."""
    words: list[str] = []
    spaces: list[bool] = []
    at = 0
    for start, end in [*tokens(text, spans), (len(text), len(text))]:
        between = text[at:start]
        if words and between.startswith(" "):
            spaces[-1], between = True, between[1:]
        for word in (between, text[start:end]):
            if word:
                words.append(word)
                spaces.append(False)
        at = end
    return words, spaces
