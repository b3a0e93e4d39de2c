"""Labelled messages, and what is prepared once where the first are learnt from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages
from triage.features import feature_set
from triage.reports.page import Texts

from ..decide.find import ScoredMessages
from ..decide.pipeline import Triage, gather
from ..decide.policy import covered
from ..decide.verdicts import verdicts
from ..errors import refusals
from ..model.annotated import AnnotatedMessages, Spans, read_annotated
from ..model.learn import MIN_OF_EACH, balanced_rows, check_labels, learn
from ..model.learnt import Model
from ..progress import StartProgress
from ..settings import Reading
from ..vocabulary import Verdict

TEXTS = Texts(Path(__file__).with_name("texts.toml"))
refused = refusals(TEXTS.figures("refused"))


class AnnotatedCorpus(AnnotatedMessages):
    def marked(self, what: str) -> list[Spans]:
        """Return the marked identifiers, on which `what` is measured."""
        if self.spans is None:
            raise refused("unmarked", what=what)
        return self.spans

    def only(self, rows: Sequence[int]) -> AnnotatedMessages:
        return AnnotatedMessages(
            [self.messages[i] for i in rows],
            [self.labels[i] for i in rows],
            [self.senders[i] for i in rows] if self.senders else None,
            [self.spans[i] for i in rows] if self.spans else None,
        )

    def learn(self, rows: Sequence[int], lexicon: Lexicon, seed: int = 0) -> Model:
        model = learn(self.only(rows), lexicon, cover=covered, seed=seed)
        if not model.voter.held_out.is_ta.any():
            raise refused("too_few", fewest=MIN_OF_EACH)
        return model


@dataclass(frozen=True)
class Prepared:
    """A corpus with the labels of its words and its features; the `first` are learnt from."""

    corpus: AnnotatedCorpus
    labelled: LabelledMessages
    names: tuple[str, ...]
    values: NDArray[np.float64]
    first: int
    n_folds: int = 10
    seed: int = 0
    show_words: bool = False
    progress: StartProgress | None = None

    @cached_property
    def labels(self) -> NDArray[np.str_]:
        return np.array(self.corpus.labels)

    @property
    def lexicon(self) -> Lexicon:
        return self.labelled.lexicon

    @cached_property
    def readings(self) -> dict[str, list[Verdict]]:
        return {"default": verdicts(self.labelled), "strict": verdicts(self.labelled, strict=True)}

    @cached_property
    def balanced(self) -> NDArray[np.int64]:
        """The rows of the first messages, balanced once as in the paper."""
        return balanced_rows(self.corpus.is_ta[: self.first], self.seed)

    @property
    def later(self) -> slice:
        return slice(self.first, None)

    @cached_property
    def model(self) -> Model:
        """The model of the default features, learnt from the first messages."""
        return self.corpus.learn(range(self.first), self.lexicon, self.seed)


def prepare(
    corpus: AnnotatedCorpus, lexicon: Lexicon, features: str = "patel2013", first: int | None = None
) -> Prepared:
    """Label the words and compute the features; by default 4,000 or two thirds are learnt from."""
    check_labels(np.array(corpus.labels, dtype=str))
    chosen = feature_set(features)
    if chosen.weighs_words:
        raise refused("weighed_features", features=features)
    n = len(corpus.messages)
    if first is not None and not 0 < first < n:
        raise refused("nothing_to_test_on", first=first, n=n)
    first = first or min(4000, n * 2 // 3)
    for name, is_ta in (("first", corpus.is_ta[:first]), ("later", corpus.is_ta[first:])):
        if is_ta.all() or not is_ta.any():
            raise refused("one_label", which=name, n=len(is_ta))
    labelled = label_messages(corpus.messages, lexicon)
    return Prepared(corpus, labelled, chosen.features, chosen.compute(labelled), first)


def weighed(triage: Triage, labelled: LabelledMessages, senders: Sequence[str]) -> ScoredMessages:
    """Weigh the words of messages that are a corpus of their own."""
    scored = triage.score(labelled, senders)
    return triage.weigh(scored, gather(scored))


def read_corpus(
    path: str,
    reading: Reading | None = None,
    *,
    label_column: str = "label",
    second_label: str | None = None,
    every_row: bool = True,
) -> AnnotatedCorpus:
    columns = {"label_column": label_column, "second_label": second_label}
    annotated = read_annotated(path, reading, every_row=every_row, **columns)
    if not annotated.messages:
        raise refused("no_message", path=path)
    senders = annotated.senders if any(annotated.senders or ()) else None
    return AnnotatedCorpus(**(vars(annotated) | {"senders": senders}))
