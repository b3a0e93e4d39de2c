"""Rules and a conditional random field, chained and united (Grouin 2013), beside word evidence.

Grouin learns a field over words, with the rules' lists among its features, and lets the rules
complete what it finds ("Anonymisation de documents cliniques", PhD thesis, UPMC, 2013, chapter 7).
Here the field sees the features of the first stage of word evidence; the rules are Seek&Hide's.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from triage.data.errors import require
from triage.dictionaries import Label, LabelledMessages, label_messages
from triage.features.feature_names import FeatureNames
from triage.features.learn_words import marked_words
from triage.features.word_evidence import WordFeatures, probability
from triage.reports.document import Cell, Part, Table

from ..decide.pipeline import Triage, gather
from ..model.training import TrainingOptions
from ..vocabulary import CERTAIN_FROM
from .corpus import Prepared
from .evidence_set import Learner
from .measures import Mask, share
from .models import Progress

_C1 = 0.1  # Grouin's penalty
_LEAST = 1e-9

_Numbers = NDArray[np.int64]


def chaining_part(prepared: Prepared, seed: int, progress: Progress) -> Part:
    """Learn from the training messages, and measure on the later ones which words are found."""
    require("pycrfsuite", "crf")
    spans = prepared.corpus.marked("what a random field finds")
    labelled, lexicon = prepared.labelled, prepared.labelled.lexicon
    marked = marked_words(labelled, spans)
    by_rules = _by_rules(labelled)
    names = FeatureNames(grows=True)
    WordFeatures(lexicon, names).see(
        label_messages(prepared.corpus.messages[prepared.training], lexicon)
    )
    names.grows = False
    columns = WordFeatures(lexicon, names).see(labelled).columns
    field = _found_by_field(prepared, columns)
    progress("random field")
    chained = _found_by_field(prepared, _with_rules(columns, by_rules, labelled))
    progress("random field")
    found = {
        "rules (Seek&Hide's dictionary and patterns)": by_rules,
        "random field": field,
        "rules, then a field that sees what they found": chained,
        "random field, completed by the rules (their union)": field | by_rules,
        f"word evidence from {CERTAIN_FROM:g} on": _by_evidence(prepared, seed),
    }
    progress("word evidence")
    return Part(
        "chaining",
        "Rules and a random field, chained and united",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the later ones. The "
            "field is a linear-chain CRF over the features of the first stage of word evidence, "
            "lists among them; the last row is both stages of word evidence.",
            _table(prepared, marked, found),
        ),
    )


def _by_rules(labelled: LabelledMessages) -> Mask:
    of_form = np.array([word.label is Label.DICTIONARY for word in labelled.labels], dtype=np.bool_)
    return of_form[labelled.words.form]


def _with_rules(
    columns: NDArray[np.int32], by_rules: Mask, labelled: LabelledMessages
) -> NDArray[np.int32]:
    """Add to the features of each word what the rules say of it and of the words beside it."""
    message = labelled.words.message
    same = message[1:] == message[:-1]
    before = np.append(False, by_rules[:-1] & same)[: len(message)]
    behind = np.append(by_rules[1:] & same, False)[: len(message)]
    first = int(columns.max(initial=0)) + 1
    said = [np.where(on, first + i, 0) for i, on in enumerate((by_rules, before, behind))]
    return np.column_stack([columns, *said]).astype(np.int32)


def _found_by_field(prepared: Prepared, columns: NDArray[np.int32]) -> Mask:
    """Learn a field from the training messages; return which words of all messages it finds."""
    from .crf import Crf, labels_of

    labelled, spans = prepared.labelled, prepared.corpus.spans or []
    messages = [*_sequences(labelled, columns)]
    examples = (
        (features, labels_of(tokens, spans[i]))
        for i, (features, tokens) in enumerate(messages[: prepared.first])
        if tokens
    )
    crf = Crf.learn(examples, c1=_C1)
    return marked_words(labelled, [crf.spans(features, tokens) for features, tokens in messages])


def _sequences(
    labelled: LabelledMessages, columns: NDArray[np.int32]
) -> Iterator[tuple[Sequence[Sequence[str]], list[tuple[int, int]]]]:
    """Yield the features and the ends of the words of each message."""
    words = labelled.words
    length = np.array([len(form.text) for form in words.forms], dtype=np.int64)[words.form]
    ends = [*zip(words.start.tolist(), (words.start + length).tolist(), strict=True)]
    features = [[str(number) for number in row if number] for row in columns.tolist()]
    first: _Numbers = np.searchsorted(words.message, np.arange(words.n_messages + 1))
    for start, stop in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        yield features[start:stop], ends[start:stop]


def _by_evidence(prepared: Prepared, seed: int) -> Mask:
    corpus, labelled = prepared.corpus, prepared.labelled
    model = Learner(prepared, TrainingOptions(seed=seed)).model("evidence")
    triage = Triage(labelled.lexicon, model)
    scored = triage.score(labelled, corpus.senders or [""] * len(corpus.messages))
    weighed = triage.weigh(scored, gather([scored])).words
    if weighed is None:
        raise TypeError("a model of the set evidence weighs words")
    return probability(weighed.log_odds) >= CERTAIN_FROM


def _table(prepared: Prepared, marked: Mask, found: dict[str, Mask]) -> Table:
    words, is_ta = prepared.labelled.words, prepared.corpus.is_ta[prepared.later]
    later = words.message >= prepared.first
    rows: list[tuple[Cell, ...]] = []
    for name, which in found.items():
        precision, recall = share(marked, which & later), share(which, marked & later)
        holds = np.bincount(words.message[which], minlength=words.n_messages)[prepared.later] > 0
        rows.append(
            (
                name,
                precision,
                recall,
                2 * precision * recall / max(precision + recall, _LEAST),
                share(~holds, is_ta),
                share(is_ta, holds),
            )
        )
    return Table(
        "Words that identify someone, and the messages that hold one, on the later messages",
        {
            "found by": "",
            **dict.fromkeys(("precision", "recall", "F"), ".3f"),
            "TA messages without any": ".1%",
            "TA among messages with one": ".3f",
        },
        rows,
    )
