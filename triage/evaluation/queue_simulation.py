"""What an expert's decisions bring, simulated on labelled messages: ``make queue``.

A model is learnt from the first messages. On the later ones an expert decides the queue as the
labels say, and the model learns from that::

    python -m triage.evaluation.queue_simulation labelled.csv -o folder
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.dictionaries import Lexicon, label_messages, load_lexicon
from triage.reports.charts import Series, curve, series_of
from triage.reports.document import Column, Figure, Part, Report, Table
from triage.reports.figures import figure_png
from triage.reports.intervals import bootstrap_by_group
from triage.reports.measures import auc
from triage.reports.render import report_markdown

from ..decide.agreement import actions as agreed
from ..decide.pipeline import Triage
from ..decide.policy import Policy, PolicyName, act, promise
from ..decide.seek_hide import verdicts
from ..errors import TriageError
from ..model.learn import TrainingTable, fit, training_table
from ..model.learnt import Model, named_features
from ..model.store import cache_folder
from ..model.training import TrainingOptions
from ..queue.learning import (
    FEWEST_DECIDED,
    DecidedCorpus,
    Gain,
    area_gained,
    gain,
    learn_from_queue,
)
from ..queue.order import keys
from ..queue.records import Answer
from ..vocabulary import DEFAULT_FEATURES, Action, IdentifierType, Span, Spans
from .about import made_from
from .corpus import Corpus, read_corpus
from .measures import expert_share

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]

# As many messages of the benchmark have ids up to 4000, the paper's training data.
FIRST = 3892
# Of the later messages those whose queue is decided; on the others the model is tested.
_CORPUS = 8000
_MAX_LEAK = 0.02
_SEEDS = range(10)
_SEEDS_TO_LEARN = range(3)
_AFTER = (50, 100, 200, 300, 500)
_CHECKED = (100, 300)

OURS = "the queue's order"
RANDOM = "at random"


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, and write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m triage.evaluation.queue_simulation", description=__doc__
    )
    parser.add_argument("labelled", help="messages with labels, senders and spans")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the report's folder")
    parser.add_argument(
        "--train-first", type=int, default=FIRST, help="learn from so many (default: %(default)s)"
    )
    parser.add_argument("--corpus", type=int, default=_CORPUS, help="decide the queue of so many")
    given = parser.parse_args(arguments)
    corpus = read_corpus(given.labelled)
    parts = simulate(corpus, given.train_first, given.corpus)
    write(parts, corpus, Path(given.labelled), given.output)


def simulate(
    corpus: Corpus, first: int = FIRST, size: int = _CORPUS, lexicon: Lexicon | None = None
) -> tuple[Part, ...]:
    """Simulate the expert's work.

    Parameters
    ----------
    corpus : Corpus
        With senders and spans.
    first : int
        How many messages the model is learnt from.
    size : int
        How many of those behind them are the corpus whose queue teaches the model; it is tested
        on the others.
    lexicon : Lexicon, optional
        The French pack by default.

    Raises
    ------
    TriageError
        If there are no spans, or the numbers leave nothing to learn from or to test on.
    """
    if corpus.spans is None:
        raise TriageError("the expert marks identifiers as the file does: it needs a column spans")
    if not 0 < first < first + size < len(corpus.messages):
        raise TriageError(
            f"of {len(corpus.messages):,} messages the first {first:,} and {size:,} behind them "
            "leave none to test on: choose smaller --train-first and --corpus"
        )
    desk = _Desk(corpus, first, lexicon or load_lexicon("fr", cache=cache_folder()))
    return _orders_part(desk), _learning_part(desk, size)


def write(parts: tuple[Part, ...], corpus: Corpus, source: Path, folder: Path) -> None:
    """Write the report as Markdown, and its figures as PNG.

    Parameters
    ----------
    parts : tuple of Part
    corpus : Corpus
    source : Path
        The file; its folder is not told.
    folder : Path
        Made if it is missing.
    """
    about = made_from(corpus, f"python -m triage.evaluation.queue_simulation {source.name}", source)
    report = Report("What the expert's decisions bring", about, parts)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_bytes(report_markdown(report).encode())
    for figure in report.figures:
        (folder / "figures" / f"{figure.name}.png").write_bytes(figure_png(figure))


def left_after(order: ArrayLike, per_item: ArrayLike) -> _Floats:
    """Return how much is left before the first decision and after each, in an order of items.

    Parameters
    ----------
    order : array_like of int, shape (n_items,)
    per_item : array_like of float, shape (n_items,)
        The amount that the decision of each takes off.

    Raises
    ------
    ValueError
        If the order does not name every item once.

    Examples
    --------
    >>> left_after([2, 0, 1], [1, 0, 4]).tolist()
    [5.0, 1.0, 0.0, 0.0]
    """
    items, each = np.asarray(order, dtype=np.int64), np.asarray(per_item, dtype=np.float64)
    if not np.array_equal(np.sort(items), np.arange(len(each))):
        msg = f"an order names each of {len(each)} items once"
        raise ValueError(msg)
    done: _Floats = np.concatenate([[0.0], np.cumsum(each[items])])
    return float(each.sum()) - done


class _Desk:
    """The model learnt from the first messages, and the messages behind them."""

    def __init__(self, corpus: Corpus, first: int, lexicon: Lexicon) -> None:
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

    def decided(self, model: Model, where: slice) -> "_Decided":
        """Decide some messages as a corpus of their own."""
        triage = Triage(self.lexicon, model, policy=Policy(PolicyName.GUARDED, _MAX_LEAK))
        found = triage.decide(
            self.corpus.messages[where], self.senders[where], corpus_evidence=True
        )
        return _Decided(
            self.corpus.messages[where],
            self.corpus.is_ta[where],
            np.array(found.model_score),
            model.manifest.ta_from,
            _plain(agreed(found.seek_hide, found.model)),
            _plain(found.action),
        )

    def held_out(self) -> "_Decided":
        """Decide the first messages with scores of models that did not see their senders."""
        where, words = slice(self.first), self.model.words
        score = self.table.corpus_held_out
        if words is None or score is None:
            raise TypeError("the model weighs words")
        labelled = label_messages(self.corpus.messages[where], self.lexicon)
        seek_hide, vote = verdicts(labelled), self.model.predict(score)
        promised = promise(words.voter.held_out, _MAX_LEAK, Policy().min_precision)
        return _Decided(
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
class _Decided:
    """Messages of known label, their scores, and their actions under both policies."""

    messages: list[str]
    is_ta: _Bools
    score: _Floats
    ta_from: float
    agreement: NDArray[np.str_]
    guarded: NDArray[np.str_]

    def share_leaked(self, action: NDArray[np.str_]) -> float:
        """Return the leak."""
        return float((action[self.is_ta] == Action.NTA).mean())

    def queue(self, action: NDArray[np.str_]) -> "_Queue":
        """Return the expert's items."""
        number: dict[str, int] = {}
        expert = np.flatnonzero(action == Action.EXPERT)
        for i in expert.tolist():
            number.setdefault(self.messages[i], len(number))
        item = np.array([number.get(text, -1) for text in self.messages])
        return _Queue(self, action, item, len(number))


@dataclass(frozen=True)
class _Queue:
    """The expert's items: the item of each message, -1 where the machine alone decides."""

    decided: _Decided
    action: NDArray[np.str_]
    item: _Ints
    n_items: int

    def per_item(self, of_message: _Bools) -> _Floats:
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
    def released(self) -> _Bools:
        """Return what would be released if the rest of the queue were left to the model's vote."""
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
            OURS: np.array(keys(score.tolist(), ta_from, size.tolist())),
            "nearest to the threshold": np.abs(score - ta_from),
            "would be released, highest score first": np.where(score < ta_from, -score, score),
            "highest score first": -score,
        }
        found = {name: [np.argsort(key, kind="stable")] for name, key in by.items()}
        runs = [np.random.default_rng(seed).permutation(self.n_items) for seed in _SEEDS]
        return found | {RANDOM: runs}


def _orders_part(desk: _Desk) -> Part:
    later = desk.decided(desk.model, slice(desk.first, None))
    guarded, agreement = later.queue(later.guarded), later.queue(later.agreement)
    held_out = desk.held_out()
    chosen_on = held_out.queue(held_out.guarded)
    n_missed = int((chosen_on.per_item(chosen_on.released & held_out.is_ta) > 0).sum())
    return Part(
        "orders",
        "In which order the queue is decided",
        (
            f"A model was learnt from the first {desk.first:,} messages; the "
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


def _orders_table(queue: _Queue, title: str) -> Table:
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
        (
            Column("order"),
            *(Column(f"leak after {share}", ".2%") for share in ("10%", "25%", "50%")),
            Column("leak, mean", ".2%"),
            Column("harmless ones anonymised, mean", ",.0f"),
            Column("TA among the first 100", ".0f"),
        ),
        tuple(rows),
        "Leak, and NTA messages of the queue that would be anonymised, if the rest were left to "
        "the model's vote; after a share of the items, and the mean over all numbers of "
        f"decisions. At random: mean of {len(_SEEDS)} runs.",
    )


def _effort_figure(
    name: str, title: str, alt: str, lines: Sequence[Series], y_label: str, *, percent: bool = True
) -> Figure:
    draw = curve(lines, x_label="items decided", y_label=y_label, percent="y" if percent else "")
    return Figure(name, title, alt, draw)


def _leak_figure(queue: _Queue) -> Figure:
    orders = queue.orders()
    lines = [series_of(name, [queue.leak(order) for order in orders[name]]) for name in _SHOWN]
    ours = lines[0].y
    start, half = (float(np.asarray(ours)[i]) for i in (0, queue.n_items // 2))
    chance = float(np.asarray(lines[-1].y)[queue.n_items // 2])
    return _effort_figure(
        "leak",
        "Leak if the rest of the queue were left to the model's vote",
        f"The leak falls from {start:.1%} with no decision to {half:.1%} after half of the items "
        f"in the queue's order, {chance:.1%} at random.",
        lines,
        "leak",
    )


_SHOWN = (OURS, "nearest to the threshold", "highest score first", RANDOM)


def _workload_figure(guarded: _Queue, agreement: _Queue) -> Figure:
    lines = [
        series_of(name, [queue.workload(np.arange(queue.n_items))])
        for name, queue in (("guarded policy", guarded), ("agreement table", agreement))
    ]
    start = float(np.asarray(lines[0].y)[0])
    return _effort_figure(
        "workload",
        "Workload left",
        f"The workload falls in a straight line, from {start:.1%} to nothing after "
        f"{guarded.n_items:,} items under the guarded policy; most items are one message.",
        lines,
        "messages that are the expert's",
    )


@dataclass(frozen=True, eq=False)
class _Tested:
    """What a model gives on the messages behind the corpus, and how it scores them."""

    score: _Floats
    area: float
    leak: float
    workload: float
    guarded_leak: float
    guarded_workload: float
    share_at_5: float
    share_at_2: float

    @classmethod
    def of(cls, decided: _Decided) -> "_Tested":
        return cls(
            decided.score,
            auc(decided.score, decided.is_ta),
            decided.share_leaked(decided.agreement),
            float((decided.agreement == Action.EXPERT).mean()),
            decided.share_leaked(decided.guarded),
            float((decided.guarded == Action.EXPERT).mean()),
            expert_share(decided.score, decided.is_ta, 0.05),
            expert_share(decided.score, decided.is_ta, 0.02),
        )

    def cells(self) -> tuple[float, ...]:
        """Return what the table shows of it."""
        return (
            self.area,
            self.leak,
            self.workload,
            self.guarded_leak,
            self.guarded_workload,
            self.share_at_5,
            self.share_at_2,
        )


class _Lesson:
    """A corpus whose queue teaches the model, and the messages on which that is tested."""

    def __init__(self, desk: _Desk, size: int) -> None:
        self.desk = desk
        self.corpus = slice(desk.first, desk.first + size)
        self.tested = slice(desk.first + size, None)
        decided = desk.decided(desk.model, self.corpus)
        self.queue = decided.queue(decided.guarded)
        self.orders = self.queue.orders()
        self.triage = Triage(desk.lexicon, desk.model)

    def test(self, model: Model) -> _Tested:
        """Decide the messages behind the corpus."""
        return _Tested.of(self.desk.decided(model, self.tested))

    def answered(self, order: _Ints, after: int) -> DecidedCorpus:
        """Return the corpus with the answers to the first items."""
        known = np.isin(self.queue.item, order[:after])
        is_ta = self.queue.decided.is_ta
        answers = [
            (Answer.TA if ta else Answer.NTA) if here else None
            for here, ta in zip(known.tolist(), is_ta.tolist(), strict=True)
        ]
        spans: list[Spans] = [
            _spans(of) if answer is Answer.TA else ()
            for of, answer in zip(self.desk.spans[self.corpus], answers, strict=True)
        ]
        return DecidedCorpus(
            self.queue.decided.messages, self.desk.senders[self.corpus], answers, spans
        )

    def after(self, order: _Ints, after: int) -> _Tested | None:
        """Learn from the first items, and test; None where they are too few to learn from."""
        told = self.answered(order, after)
        if min(told.is_ta.sum(), (~told.is_ta).sum()) < FEWEST_DECIDED:
            return None
        return self.test(learn_from_queue(self.triage, told))

    def difference(self, before: _Tested, after: _Tested) -> tuple[float, float, float]:
        """Return by how much the area grows on the tested messages, with its 95 % interval."""
        groups, is_ta = (
            of[self.tested] for of in (self.desk.corpus.groups, self.desk.corpus.is_ta)
        )
        found = bootstrap_by_group(area_gained, groups, before.score, after.score, is_ta)
        return found.estimate, found.low, found.high

    def anew(self) -> _Tested:
        """Learn again from the labelled messages and all that were decided, and test."""
        decided = np.flatnonzero(self.queue.item >= 0) + self.corpus.start
        rows = [*range(self.desk.first), *decided.tolist()]
        return self.test(self.desk.model_of(self.desk.table_of(rows)))


def _spans(found: Sequence[tuple[int, int, str]]) -> Spans:
    """Return the spans of a file; of what type they are teaches nothing."""
    return tuple(Span(start, end, IdentifierType.PRE) for start, end, _ in found)


def _learning_part(desk: _Desk, size: int) -> Part:
    lesson = _Lesson(desk, size)
    n_items = lesson.queue.n_items
    counts = [count for count in _AFTER if count < n_items] + [n_items]
    before = lesson.test(desk.model)
    ours = [lesson.after(lesson.orders[OURS][0], count) for count in counts]
    nearest = [lesson.after(lesson.orders[_SHOWN[1]][0], count) for count in counts]
    chance = [
        [lesson.after(lesson.orders[RANDOM][seed], count) for count in counts[:-1]] + ours[-1:]
        for seed in _SEEDS_TO_LEARN
    ]
    runs = {OURS: [ours], _SHOWN[1]: [nearest], RANDOM: chance}
    return Part(
        "learning",
        "What the model learns from the decisions",
        (
            f"The {size:,} messages behind the first {desk.first:,} are triaged under the guarded "
            f"policy, and {n_items:,} items come into the queue. After so many decisions the "
            "weights of word evidence are adapted to what was marked; nothing of the first "
            "messages is needed but the model. It is tested on the "
            f"{len(desk.corpus.messages) - desk.first - size:,} messages behind these, "
            f"{_share_met(lesson):.0%} of them of senders met in the queue's corpus.",
            _learning_table(counts, before, runs, lesson),
            _gains_table(lesson, counts, before, ours),
            _learning_figure("learning-area", "area under ROC", counts, before, runs),
            _learning_figure("learning-leak", "leak", counts, before, runs),
        ),
    )


_Runs = dict[str, list[list[_Tested | None]]]


def _share_met(lesson: _Lesson) -> float:
    senders = np.array(lesson.desk.senders)
    return float(np.isin(senders[lesson.tested], senders[lesson.corpus]).mean())


def _learning_table(counts: list[int], before: _Tested, runs: _Runs, lesson: _Lesson) -> Table:
    rows: list[tuple[str | int | float | None, ...]] = [("as it was", 0, *before.cells())]
    for name, of_name in runs.items():
        for i, count in enumerate(counts):
            if count == counts[-1] and name != OURS:
                continue
            tested = [run[i] for run in of_name]
            rows.append((name, count, *_mean(tested)))
    rows.append(("learnt anew, all labels at hand", counts[-1], *lesson.anew().cells()))
    return Table(
        "On later messages, after learning from the decisions",
        (
            Column("items decided"),
            Column("how many", ",d"),
            Column("area under ROC", ".4f"),
            Column("leak", ".1%"),
            Column("workload", ".1%"),
            Column("guarded: leak", ".1%"),
            Column("guarded: workload", ".1%"),
            Column("expert share at leak 5%", ".1%"),
            Column("expert share at leak 2%", ".1%"),
        ),
        tuple(rows),
        "The last columns: what experts must read when messages are ranked by score, so that the "
        "leak is this; they do not depend on where the thresholds lie. "
        f"Empty where fewer than {FEWEST_DECIDED} of either answer were decided. At random: mean "
        f"of {len(_SEEDS_TO_LEARN)} runs. The last row is for who still has the labelled messages: "
        "words and trees learnt again from them and the decided ones.",
    )


_N_CELLS = 7


def _mean(tested: Sequence[_Tested | None]) -> tuple[float | None, ...]:
    cells = [one.cells() for one in tested if one is not None]
    if len(cells) < len(tested):
        return (None,) * _N_CELLS
    return tuple(np.mean(cells, axis=0).tolist())


def _gains_table(
    lesson: _Lesson, counts: list[int], before: _Tested, ours: Sequence[_Tested | None]
) -> Table:
    rows: list[tuple[str | int | float | None, ...]] = []
    for count, tested in zip(counts, ours, strict=True):
        if tested is None or (count not in _CHECKED and count != counts[-1]):
            continue
        found = gain(lesson.triage, lesson.answered(lesson.orders[OURS][0], count))
        if found is not None:
            rows.append((count, *_gain_cells(found), *lesson.difference(before, tested)))
    return Table(
        "What the decided items say of it, by cross-validation grouped by sender",
        (
            Column("items decided", ",d"),
            Column("TA"),
            Column("area before", ".3f"),
            Column("area after", ".3f"),
            Column("difference", "+.3f"),
            Column("from", "+.3f"),
            Column("to", "+.3f"),
            Column("missed before"),
            Column("missed after"),
            Column("false alarms before"),
            Column("false alarms after"),
            Column("later messages: difference", "+.4f"),
            Column("later: from", "+.4f"),
            Column("later: to", "+.4f"),
        ),
        tuple(rows),
        "Items come into the queue because they are doubtful: their areas say nothing of the "
        "corpus, and only the difference counts (95 % intervals, bootstrap by sender). The last "
        "columns are what was gained on the messages behind, of which few are doubtful.",
    )


def _gain_cells(found: Gain) -> tuple[int | float, ...]:
    return (
        found.n_ta,
        found.before.area,
        found.after.area,
        found.area.estimate,
        found.area.low,
        found.area.high,
        found.before.missed,
        found.after.missed,
        found.before.false_alarms,
        found.after.false_alarms,
    )


def _learning_figure(
    name: str, what: str, counts: list[int], before: _Tested, runs: _Runs
) -> Figure:
    is_leak = what == "leak"

    def value(tested: _Tested | None) -> float:
        if tested is None:
            return float("nan")
        return tested.guarded_leak if is_leak else tested.area

    at = [0, *counts]
    lines = [
        series_of(line, [[value(before), *map(value, run)] for run in of_line], at)
        for line, of_line in runs.items()
    ]
    start, *_, end = np.asarray(lines[0].y).tolist()
    shown = f"{start:.1%} to {end:.1%}" if is_leak else f"{start:.4f} to {end:.4f}"
    policy = " under the guarded policy" if is_leak else ""
    return _effort_figure(
        name,
        f"{what[0].upper()}{what[1:]} on later messages{policy}, after learning",
        f"On later messages the {what}{policy} goes from {shown} when all items are decided.",
        lines,
        what,
        percent=is_leak,
    )


if __name__ == "__main__":
    main()
