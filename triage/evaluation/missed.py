"""Identifiers in messages released as NTA."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from triage.dictionaries import Kind, Label, label_messages
from triage.features.learn_words import marked_words
from triage.reports.document import Block, Table
from triage.reports.measures import upper_bound

from ..decide.pipeline import Triage
from ..model.annotated import Spans
from .corpus import AnnotatedCorpus
from .measures import Mask


def missed_identifiers(triage: Triage, corpus: AnnotatedCorpus, released: Mask) -> list[Block]:
    """Count the identifiers in released messages, by type and by the label of their words."""
    if corpus.spans is None:
        return []
    marked = np.flatnonzero([bool(spans) for spans in corpus.spans])
    if not len(marked):
        return ["The column spans marks no identifier."]
    spans = [corpus.spans[i] for i in marked]
    texts = [corpus.messages[i] for i in marked]
    tables = [_by_type(spans, released[marked]), _by_label(triage, texts, spans, released[marked])]
    return [*_disagreeing(corpus), *tables]


def _disagreeing(corpus: AnnotatedCorpus) -> list[str]:
    """Count the messages whose label and marks contradict each other."""
    is_marked = np.array([bool(spans) for spans in corpus.spans or []])
    unmarked, extra = int((corpus.is_ta & ~is_marked).sum()), int((~corpus.is_ta & is_marked).sum())
    if not unmarked + extra:
        return []
    return [
        "Labels and marks differ. Messages that are labelled TA and have no marked identifier: "
        f"{unmarked:,}; that are labelled NTA and have one: {extra:,}."
    ]


def _by_type(spans: list[Spans], released: Mask) -> Table:
    kinds = Counter(
        (kind, bool(out))
        for found, out in zip(spans, released, strict=True)
        for _, _, kind in found
    )
    return _missed_table("type", sorted({kind for kind, _ in kinds}), kinds)


def _by_label(triage: Triage, texts: list[str], spans: list[Spans], released: Mask) -> Table:
    labelled = label_messages(texts, triage.lexicon)
    words = labelled.words
    here = marked_words(labelled, spans).nonzero()[0]
    found = (
        (labelled.labels[form], bool(released[message]))
        for form, message in zip(words.form[here], words.message[here], strict=True)
    )
    labels = Counter(
        (str(word.label), out) for word, out in found if word.kind is not Kind.PUNCTUATION
    )
    return _missed_table("label", [str(label) for label in Label], labels)


def _missed_table(what: str, names: Iterable[str], counts: Counter[tuple[str, bool]]) -> Table:
    found = [(name, counts[name, True] + counts[name, False], counts[name, True]) for name in names]
    found.append(("all", sum(n for _, n, _ in found), sum(missed for _, _, missed in found)))
    counted, by = ("identifiers", what) if what == "type" else ("words", "the label of their words")
    return Table(
        f"Identifiers missed, by {by}",
        {
            what: "",
            counted: ",d",
            "in messages that end as NTA": ",d",
            "share": ".2%",
            "at most": ".2%",
        },
        [(name, n, missed, missed / n, upper_bound(missed, n)) for name, n, missed in found if n],
        "At most: one-sided, with 95 % confidence.",
    )
