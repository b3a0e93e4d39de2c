"""Orders in which the expert can decide the queue, simulated on labelled messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.dictionaries import Lexicon, label_messages
from triage.reports.charts import Series, curve, series_of
from triage.reports.document import Figure, Part, Table

from ..decide.agreement import actions as agreed
from ..decide.pipeline import Triage
from ..decide.policy import Policy, PolicyName, act
from ..decide.promise import promise
from ..decide.seek_hide import verdicts
from ..model.learn import TrainingTable, fit, training_table
from ..model.learnt import Model, named_features
from ..model.training import TrainingOptions
from ..queue.fill import learning_order
from ..queue.learning import FEWEST_DECIDED
from ..vocabulary import DEFAULT_FEATURES, Action
from .corpus import AnnotatedCorpus
from .measures import Mask

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

_MAX_LEAK = 0.02
_SEEDS = range(10)

OURS = "the queue's order"
NEAREST = "nearest to the threshold"
RANDOM = "at random"
_SHOWN = (OURS, NEAREST, "highest score first", RANDOM)


def left_after(order: ArrayLike, per_item: ArrayLike) -> _Floats:
    """Return how much is left before the first decision and after each, in an order of items."""
    items, each = np.asarray(order, dtype=np.int64), np.asarray(per_item, dtype=np.float64)
    if not np.array_equal(np.sort(items), np.arange(len(each))):
        msg = f"an order names each of {len(each)} items once"
        raise ValueError(msg)
    done: _Floats = np.concatenate([[0.0], np.cumsum(each[items])])
    return float(each.sum()) - done


class Simulation:
    """The model learnt from the first messages, and the messages behind them."""

    def __init__(self, corpus: AnnotatedCorpus, first: int, lexicon: Lexicon) -> None:
        self.corpus, self.first, self.lexicon = corpus, first, lexicon
        self.senders = corpus.senders or [""] * len(corpus.messages)
        self.spans = corpus.spans or []
        self._options = TrainingOptions()

    @cached_property
    def table(self) -> TrainingTable:
        """Return what the model is learnt from."""
        return self.table_of(range(self.first))

    def table_of(self, rows: Sequence[int]) -> TrainingTable:
        """Compute what a model of these messages is learnt from."""
        corpus = self.corpus
        return training_table(
            label_messages([corpus.messages[i] for i in rows], self.lexicon),
            [corpus.labels[i] for i in rows],
            named_features(DEFAULT_FEATURES),
            self._options,
            spans=[self.spans[i] for i in rows],
            senders=[self.senders[i] for i in rows],
        )

    def model_of(self, table: TrainingTable) -> Model:
        """Learn a model."""
        return fit(table, named_features(DEFAULT_FEATURES), self.lexicon, self._options)

    @cached_property
    def model(self) -> Model:
        """The model that the queue is made with."""
        return self.model_of(self.table)

    def decided(self, model: Model, where: slice) -> "DecidedMessages":
        """Decide some messages as a corpus of their own."""
        triage = Triage(self.lexicon, model, policy=Policy(PolicyName.GUARDED, _MAX_LEAK))
        found = triage.decide(
            self.corpus.messages[where], self.senders[where], corpus_evidence=True
        )
        return DecidedMessages(
            self.corpus.messages[where],
            self.corpus.is_ta[where],
            np.array(found.model_score),
            model.manifest.ta_from,
            _plain(agreed(found.seek_hide, found.model)),
            _plain(found.action),
        )

    def held_out(self) -> "DecidedMessages":
        """Decide the first messages with scores of models that did not see their senders."""
        where, words = slice(self.first), self.model.words
        score = self.table.corpus_held_out
        if words is None or score is None:
            raise TypeError("the model weighs words")
        labelled = label_messages(self.corpus.messages[where], self.lexicon)
        seek_hide, vote = verdicts(labelled), self.model.predict(score)
        promised = promise(words.voter.held_out, _MAX_LEAK, Policy().min_precision)
        return DecidedMessages(
            self.corpus.messages[where],
            self.corpus.is_ta[where],
            score,
            self.model.manifest.ta_from,
            _plain(agreed(seek_hide, vote)),
            _plain(act(promised, seek_hide, vote, score)),
        )


def _plain(actions: Sequence[Action]) -> NDArray[np.str_]:
    return np.array([action.value for action in actions])


@dataclass(frozen=True)
class DecidedMessages:
    """Messages of known label, their scores, and their actions under both policies."""

    messages: list[str]
    is_ta: Mask
    score: _Floats
    ta_from: float
    agreement: NDArray[np.str_]
    guarded: NDArray[np.str_]

    def share_leaked(self, action: NDArray[np.str_]) -> float:
        """Return the leak."""
        return float((action[self.is_ta] == Action.NTA).mean())

    def queue(self, action: NDArray[np.str_]) -> "ItemsToDecide":
        """Return the expert's items."""
        number: dict[str, int] = {}
        expert = np.flatnonzero(action == Action.EXPERT)
        for i in expert.tolist():
            number.setdefault(self.messages[i], len(number))
        item = np.array([number.get(text, -1) for text in self.messages])
        return ItemsToDecide(self, action, item, len(number))


@dataclass(frozen=True)
class ItemsToDecide:
    """The expert's items: the item of each message, -1 where the machine alone decides."""

    decided: DecidedMessages
    action: NDArray[np.str_]
    item: _Ints
    n_items: int

    def per_item(self, of_message: Mask) -> _Floats:
        """Count messages by item."""
        here = self.item >= 0
        counted = np.bincount(self.item[here], of_message[here], self.n_items)
        return counted.astype(np.float64)

    @cached_property
    def scores(self) -> _Floats:
        """The score of each item: of its first message that is the expert's."""
        expert = np.flatnonzero((self.item >= 0) & (self.action == Action.EXPERT))
        found = np.zeros(self.n_items)
        found[self.item[expert[::-1]]] = self.decided.score[expert[::-1]]
        return found

    @property
    def released(self) -> Mask:
        """Return the messages released if the rest of the queue were left to the model's vote."""
        vote_nta = self.decided.score < self.decided.ta_from
        return np.where(self.action == Action.EXPERT, vote_nta, self.action == Action.NTA)

    def leak(self, order: _Ints) -> _Floats:
        """Return the leak after each decision, if the rest were left to the model's vote."""
        leaked = self.released & self.decided.is_ta
        of_items = left_after(order, self.per_item(leaked))
        of_machine = int((leaked & (self.item < 0)).sum())
        return (of_items + of_machine) / int(self.decided.is_ta.sum())

    def workload(self, order: _Ints) -> _Floats:
        """Return the share of messages that are still the expert's after each decision."""
        open_ = left_after(order, self.per_item(self.action == Action.EXPERT))
        return open_ / len(self.item)

    def harmless(self, order: _Ints) -> _Floats:
        """Return how many NTA messages of the queue would be anonymised by the model's vote."""
        return left_after(order, self.per_item(~self.released & ~self.decided.is_ta))

    def n_ta(self, order: _Ints, after: int) -> int:
        """Return how many of the first items are TA."""
        return int((self.per_item(self.decided.is_ta)[order[:after]] > 0).sum())

    def orders(self) -> dict[str, list[_Ints]]:
        """Return the orders that are compared, by name; several runs of that by chance."""
        score, ta_from = self.scores, self.decided.ta_from
        size = self.per_item(np.ones(len(self.item), dtype=np.bool_)).astype(int)
        by = {
            OURS: np.array(learning_order(score.tolist(), ta_from, size.tolist())),
            NEAREST: np.abs(score - ta_from),
            "would be released, highest score first": np.where(score < ta_from, -score, score),
            "highest score first": -score,
        }
        found = {name: [np.argsort(key, kind="stable")] for name, key in by.items()}
        runs = [np.random.default_rng(seed).permutation(self.n_items) for seed in _SEEDS]
        return found | {RANDOM: runs}


def orders_part(simulation: Simulation) -> Part:
    """Compare the orders by the leak that is left after each decision."""
    later = simulation.decided(simulation.model, slice(simulation.first, None))
    guarded, agreement = later.queue(later.guarded), later.queue(later.agreement)
    held_out = simulation.held_out()
    chosen_on = held_out.queue(held_out.guarded)
    n_missed = int((chosen_on.per_item(chosen_on.released & held_out.is_ta) > 0).sum())
    return Part(
        "orders",
        "In which order the queue is decided",
        (
            f"A model was learnt from the first {simulation.first:,} messages; the "
            f"{len(later.is_ta):,} later ones were triaged as a corpus of their own. An expert "
            "then decides item by item, as the labels say. What is not decided yet is not "
            "released, so that the leak is that of the machine's own decisions however early the "
            f"expert stops: {later.share_leaked(later.guarded):.2%} under the guarded policy "
            f"(--max-leak {_MAX_LEAK:g}), {later.share_leaked(later.agreement):.2%} under the "
            "agreement table. Each decision takes off its workload in any order. The order counts "
            "for who stops early and leaves the rest to the model's vote, and for what the model "
            "learns.",
            "The queue's order takes in turn what the model would anonymise and what it would "
            "release, of both the highest scores first. To begin nearest to the threshold, or with "
            "what would be released, takes off the leak sooner, but shows the expert hundreds of "
            "items with hardly any identifier among them, from which a model learns little "
            f"(below), and nothing before {FEWEST_DECIDED} are found. On the first messages only "
            f"{n_missed:,} TA items would be released by the model's vote, too few to tell the "
            "orders apart by their leak; what was chosen is the order that brings identifiers "
            "early, with the later messages in view, so that its figures on them flatter it a "
            "little.",
            _orders_table(guarded, "Guarded policy, later messages"),
            _orders_table(agreement, "Agreement table, later messages"),
            _orders_table(
                chosen_on,
                "Guarded policy, first messages, scored out of fold",
            ),
            _leak_figure(guarded),
            _workload_figure(guarded, agreement),
        ),
    )


def _orders_table(queue: ItemsToDecide, title: str) -> Table:
    at = [int(queue.n_items * share) for share in (0.1, 0.25, 0.5)]
    rows = []
    for name, runs in queue.orders().items():
        leak = np.mean([queue.leak(order) for order in runs], axis=0)
        harmless = np.mean([queue.harmless(order).mean() for order in runs])
        n_ta = np.mean([queue.n_ta(order, 100) for order in runs])
        rows.append((name, *leak[at].tolist(), float(leak.mean()), float(harmless), float(n_ta)))
    n_ta_all = queue.n_ta(np.arange(queue.n_items), queue.n_items)
    return Table(
        f"{title}: {queue.n_items:,} items, {n_ta_all:,} of them TA",
        {
            "order": "",
            **{f"leak after {share}": ".2%" for share in ("10%", "25%", "50%")},
            "leak, mean": ".2%",
            "harmless ones anonymised, mean": ",.0f",
            "TA among the first 100": ".0f",
        },
        rows,
        "Leak, and NTA messages of the queue that would be anonymised, if the rest were left to "
        "the model's vote; after a share of the items, and the mean over all numbers of "
        f"decisions. At random: mean of {len(_SEEDS)} runs.",
    )


def effort_figure(
    name: str, title: str, alt: str, lines: Sequence[Series], y_label: str, *, percent: bool = True
) -> Figure:
    """Return a figure of lines over the number of decided items."""
    draw = curve(lines, x_label="items decided", y_label=y_label, percent="y" if percent else "")
    return Figure(name, title, alt, draw)


def _leak_figure(queue: ItemsToDecide) -> Figure:
    orders = queue.orders()
    lines = [series_of(name, [queue.leak(order) for order in orders[name]]) for name in _SHOWN]
    ours = lines[0].y
    start, half = (float(np.asarray(ours)[i]) for i in (0, queue.n_items // 2))
    chance = float(np.asarray(lines[-1].y)[queue.n_items // 2])
    return effort_figure(
        "leak",
        "Leak if the rest of the queue were left to the model's vote",
        f"The leak falls from {start:.1%} with no decision to {half:.1%} after half of the items "
        f"in the queue's order, {chance:.1%} at random.",
        lines,
        "leak",
    )


def _workload_figure(guarded: ItemsToDecide, agreement: ItemsToDecide) -> Figure:
    lines = [
        series_of(name, [queue.workload(np.arange(queue.n_items))])
        for name, queue in (("guarded policy", guarded), ("agreement table", agreement))
    ]
    start = float(np.asarray(lines[0].y)[0])
    return effort_figure(
        "workload",
        "Workload left",
        f"The workload falls in a straight line, from {start:.1%} to nothing after "
        f"{guarded.n_items:,} items under the guarded policy; most items are one message.",
        lines,
        "messages that are the expert's",
    )
