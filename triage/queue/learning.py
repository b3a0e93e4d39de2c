"""Adapting a model to a corpus by the expert's decisions, and measuring the gain.

The weights of word evidence are adapted; trees, thresholds and weights of corpus evidence stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, label_messages
from triage.features.learn import adapt_words, folds_by_group, marked_words
from triage.reports.measures import Interval, auc, bootstrap_by_group

from ..decide.pipeline import Triage, gather
from ..model.annotated import AnnotatedMessages, groups_of
from ..model.learnt import LearntWords, Model
from ..vocabulary import Spans
from .queue import Queue
from .records import Answer
from .words import refused

Scores = NDArray[np.float64]
# Fewer of either do not generalise.
MIN_DECIDED = 10
# More take longer without effect, both on the weights and on the comparison of two models.
_MAX_OTHERS = 8000


@dataclass(frozen=True)
class DecidedCorpus:
    messages: Sequence[str]
    senders: Sequence[str]
    answers: Sequence[Answer | None]
    spans: Sequence[Spans]

    @cached_property
    def items(self) -> NDArray[np.int64]:
        """The first message of each decided text, shape (n_items,)."""
        first: dict[str, int] = {}
        for number, answer in enumerate(self.answers):
            if answer in (Answer.TA, Answer.NTA):
                first.setdefault(self.messages[number], number)
        return np.array([*first.values()], dtype=np.int64)

    @cached_property
    def is_ta(self) -> NDArray[np.bool_]:
        return np.array([self.answers[i] is Answer.TA for i in self.items], dtype=np.bool_)

    @property
    def n_each(self) -> tuple[int, int]:
        """The numbers of decided texts that are TA, and NTA."""
        n_ta = int(self.is_ta.sum())
        return n_ta, len(self.is_ta) - n_ta


def _spread(n: int) -> list[int]:
    """Return the numbers below n: all, or some thousands at even distances."""
    return [int(i) for i in np.linspace(0, n - 1, min(n, _MAX_OTHERS))]


@dataclass(frozen=True)
class Gain:
    """Gain of learning from the decided items, on items whose senders were held out."""

    n_ta: int
    n_nta: int
    before: dict[str, float]
    after: dict[str, float]
    # Above 0, the items are separated better than chance explains.
    area: Interval


def decided_corpus(queue: Queue) -> DecidedCorpus:
    people = queue.resolved()
    rows = [(people.get(item), sender, text) for item, sender, text, *_ in queue.messages()]
    decided, senders, texts = zip(*rows, strict=True) if rows else ((), (), ())
    answers = [one.answer if one else None for one in decided]
    return DecidedCorpus(texts, senders, answers, [one.spans if one else () for one in decided])


def add_decisions(annotated: AnnotatedMessages, corpus: DecidedCorpus, queue: str) -> None:
    if annotated.spans is not None:
        spans = (corpus.spans[i] for i in corpus.items)
        annotated.spans += [[(s.start, s.end, s.type.value) for s in of_text] for of_text in spans]
    if annotated.senders is not None:
        # The same sender number may denote somebody else in another file.
        senders = [corpus.senders[i] for i in corpus.items]
        annotated.senders += [f"{queue}: {sender}" if sender else "" for sender in senders]
    annotated.messages += [corpus.messages[i] for i in corpus.items]
    annotated.labels += ["TA" if is_ta else "NTA" for is_ta in corpus.is_ta]


def learn_from_queue(triage: Triage, corpus: DecidedCorpus) -> Model:
    """Adapt a model to a corpus by the expert's decisions."""
    learner, (n_ta, n_nta) = _QueueLearner(triage, corpus), corpus.n_each
    if min(n_ta, n_nta) < MIN_DECIDED:
        raise refused("too_few", n_ta=n_ta, n_nta=n_nta, fewest=MIN_DECIDED)
    return learner.learn(np.arange(len(corpus.items)))


def gain(triage: Triage, corpus: DecidedCorpus) -> Gain | None:
    """Estimate the gain of `learn_from_queue` by cross-validation with folds grouped by sender."""

    def area_gained(before: Scores, after: Scores, is_ta: NDArray[np.bool_]) -> float:
        return auc(after, is_ta) - auc(before, is_ta)

    learner, is_ta = _QueueLearner(triage, corpus), corpus.is_ta
    if min(corpus.n_each) < MIN_DECIDED:
        return None
    groups = np.array(groups_of([corpus.senders[i] for i in corpus.items], len(is_ta)))
    before = learner.scores(triage.model, np.arange(len(is_ta)))
    after = np.zeros(len(is_ta))
    for training, testing in folds_by_group(is_ta, groups, seed=0):
        after[testing] = learner.scores(learner.learn(training), testing)
    measured = []
    for score in (before, after):
        vote = score >= triage.model.manifest.ta_from
        missed, false_alarms = int((is_ta & ~vote).sum()), int((~is_ta & vote).sum())
        counts = {"missed": missed, "false_alarms": false_alarms}
        measured.append({"area": auc(score, is_ta)} | counts)
    area = bootstrap_by_group(area_gained, groups, before, after, is_ta)
    return Gain(*corpus.n_each, measured[0], measured[1], area)


class _QueueLearner:
    """Adapts a model by some of the decided items, and scores others in their corpus."""

    def __init__(self, triage: Triage, corpus: DecidedCorpus) -> None:
        if triage.scorer is None or triage.model.words is None:
            raise refused("no_words", features=triage.model.manifest.features)
        self._triage, self._corpus = triage, corpus
        self._words: LearntWords = triage.model.words

    @cached_property
    def _whole(self) -> tuple[LabelledMessages, list[str]]:
        """The messages that give the evidence of the corpus: the decided ones and some others."""
        compared = {*_spread(len(self._corpus.messages)), *self._corpus.items.tolist()}
        return self._labelled(sorted(compared))

    @cached_property
    def _others(self) -> LabelledMessages:
        """Texts that were not decided: all, or some thousands from the whole corpus."""
        messages = self._corpus.messages
        decided = {messages[number] for number in self._corpus.items}
        undecided = [text for text in dict.fromkeys(messages) if text not in decided]
        return label_messages([undecided[i] for i in _spread(len(undecided))], self._triage.lexicon)

    def _labelled(self, messages: Sequence[int]) -> tuple[LabelledMessages, list[str]]:
        texts = [self._corpus.messages[i] for i in messages]
        senders = [self._corpus.senders[i] for i in messages]
        return label_messages(texts, self._triage.lexicon), senders

    def learn(self, items: NDArray[np.int64]) -> Model:
        """Return a model adapted by these items, numbered as in `DecidedCorpus.items`."""
        numbers = self._corpus.items[items].tolist()
        labelled, senders = self._labelled(numbers)
        spans = [[(*s[:2], str(s.type)) for s in self._corpus.spans[i]] for i in numbers]
        marked, message = marked_words(labelled, spans), labelled.words.message
        # Of a TA message in which nothing is marked, the likeliest word is meant.
        scored = self._triage.score(labelled, senders).words
        has_mark = np.zeros(len(items), dtype=np.bool_)
        has_mark[message[marked]] = True
        is_bare = (self._corpus.is_ta[items] & ~has_mark)[message]
        if scored is not None and is_bare.any():
            bare = np.flatnonzero(is_bare)
            order = bare[np.lexsort((scored.log_odds[bare], message[bare]))]
            marked[order[np.append(np.diff(message[order]) > 0, True)]] = True
        weights = adapt_words(self._words.words, labelled, marked, self._others)
        model = self._triage.model
        learnt_from = f"{model.manifest.words_from}, then {len(items):,} decisions"
        return replace(
            model,
            manifest=replace(model.manifest, words_from=learnt_from),
            words=replace(self._words, words=weights),
        )

    def scores(self, model: Model, items: NDArray[np.int64]) -> Scores:
        triage = Triage(self._triage.lexicon, model)
        whole = triage.score(*self._whole)
        scored = triage.score(*self._labelled(self._corpus.items[items].tolist()))
        return np.array(triage.decide_scored(triage.weigh(scored, gather(whole))).model_score)
