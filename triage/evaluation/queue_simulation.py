"""Gains from an expert's decisions, simulated on labelled messages: ``make queue``.

A model is learnt from the first messages. On the later ones an expert decides the queue as the
labels say, and the model learns from that::

    python -m triage.evaluation.queue_simulation labelled.csv -o folder
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Lexicon
from triage.reports.charts import figure_png, series_of
from triage.reports.document import Cell, Figure, Part, Report, Table
from triage.reports.measures import auc, bootstrap_by_group
from triage.reports.render import report_markdown

from ..decide.pipeline import Triage
from ..errors import TriageError
from ..model.learnt import Model
from ..queue.learning import (
    FEWEST_DECIDED,
    DecidedCorpus,
    Gain,
    area_gained,
    gain,
    learn_from_queue,
)
from ..queue.records import Answer
from ..vocabulary import Action, IdentifierType, Span, Spans
from .corpus import AnnotatedCorpus, lexicon_of, read_corpus
from .measures import expert_share
from .provenance import made_from
from .queue_orders import (
    NEAREST,
    OURS,
    RANDOM,
    DecidedMessages,
    Simulation,
    effort_figure,
    orders_part,
)

_Ints = NDArray[np.int64]

# As many messages of the benchmark have ids up to 4000, the paper's training data.
FIRST = 3892
# Of the later messages those whose queue is decided; on the others the model is tested.
_CORPUS = 8000
_SEEDS_TO_LEARN = range(3)
_AFTER = (50, 100, 200, 300, 500)
_CHECKED = (100, 300)


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
    _write(parts, corpus, Path(given.labelled), given.output)


def simulate(
    corpus: AnnotatedCorpus, first: int = FIRST, size: int = _CORPUS, lexicon: Lexicon | None = None
) -> tuple[Part, ...]:
    """Simulate the expert's work."""
    if corpus.spans is None:
        raise TriageError("the expert marks identifiers as the file does: it needs a column spans")
    if not 0 < first < first + size < len(corpus.messages):
        raise TriageError(
            f"of {len(corpus.messages):,} messages the first {first:,} and {size:,} behind them "
            "leave none to test on: choose smaller --train-first and --corpus"
        )
    simulation = Simulation(corpus, first, lexicon or lexicon_of(corpus.messages))
    return orders_part(simulation), _learning_part(simulation, size)


def _write(parts: tuple[Part, ...], corpus: AnnotatedCorpus, source: Path, folder: Path) -> None:
    """Write the report on a file as Markdown, and its figures as PNG, to a folder."""
    about = made_from(corpus, f"python -m triage.evaluation.queue_simulation {source.name}", source)
    report = Report("What the expert's decisions bring", about, parts)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_bytes(report_markdown(report).encode())
    for figure in report.figures:
        (folder / "figures" / f"{figure.name}.png").write_bytes(figure_png(figure))


@dataclass(frozen=True, eq=False)
class _Tested:
    """The scores of a model on the messages behind the corpus, and measures by heading."""

    score: NDArray[np.float64]
    measures: dict[str, float]

    @classmethod
    def of(cls, decided: DecidedMessages) -> "_Tested":
        score, is_ta = decided.score, decided.is_ta
        measures = {
            "area under ROC": auc(score, is_ta),
            "leak": decided.share_leaked(decided.agreement),
            "workload": float((decided.agreement == Action.EXPERT).mean()),
            "guarded: leak": decided.share_leaked(decided.guarded),
            "guarded: workload": float((decided.guarded == Action.EXPERT).mean()),
            "expert share at leak 5%": expert_share(score, is_ta, 0.05),
            "expert share at leak 2%": expert_share(score, is_ta, 0.02),
        }
        return cls(score, measures)


class _Lesson:
    """A corpus whose queue teaches the model, and the messages on which that is tested."""

    def __init__(self, simulation: Simulation, size: int) -> None:
        self.simulation = simulation
        self.corpus = slice(simulation.first, simulation.first + size)
        self.tested = slice(simulation.first + size, None)
        decided = simulation.decided(simulation.model, self.corpus)
        self.queue = decided.queue(decided.guarded)
        self.orders = self.queue.orders()
        self.triage = Triage(simulation.lexicon, simulation.model)

    def test(self, model: Model) -> _Tested:
        """Decide the messages behind the corpus."""
        return _Tested.of(self.simulation.decided(model, self.tested))

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
            for of, answer in zip(self.simulation.spans[self.corpus], answers, strict=True)
        ]
        return DecidedCorpus(
            self.queue.decided.messages, self.simulation.senders[self.corpus], answers, spans
        )

    def after(self, order: _Ints, after: int) -> _Tested | None:
        """Learn from the first items, and test; None where they are too few to learn from."""
        answered = self.answered(order, after)
        if min(answered.is_ta.sum(), (~answered.is_ta).sum()) < FEWEST_DECIDED:
            return None
        return self.test(learn_from_queue(self.triage, answered))

    def difference(self, before: _Tested, after: _Tested) -> tuple[float, float, float]:
        """Return by how much the area grows on the tested messages, with its 95 % interval."""
        groups, is_ta = (
            of[self.tested] for of in (self.simulation.corpus.groups, self.simulation.corpus.is_ta)
        )
        found = bootstrap_by_group(area_gained, groups, before.score, after.score, is_ta)
        return found.estimate, found.low, found.high

    def anew(self) -> _Tested:
        """Learn again from the labelled messages and all that were decided, and test."""
        decided = np.flatnonzero(self.queue.item >= 0) + self.corpus.start
        rows = [*range(self.simulation.first), *decided.tolist()]
        return self.test(self.simulation.model_of(self.simulation.table_of(rows)))


def _spans(found: Sequence[tuple[int, int, str]]) -> Spans:
    """Return the spans of a file; of what type they are teaches nothing."""
    return tuple(Span(start, end, IdentifierType.PRE) for start, end, _ in found)


def _learning_part(simulation: Simulation, size: int) -> Part:
    lesson = _Lesson(simulation, size)
    n_items = lesson.queue.n_items
    counts = [count for count in _AFTER if count < n_items] + [n_items]
    before = lesson.test(simulation.model)
    ours = [lesson.after(lesson.orders[OURS][0], count) for count in counts]
    nearest = [lesson.after(lesson.orders[NEAREST][0], count) for count in counts]
    chance = [
        [lesson.after(lesson.orders[RANDOM][seed], count) for count in counts[:-1]] + ours[-1:]
        for seed in _SEEDS_TO_LEARN
    ]
    runs = {OURS: [ours], NEAREST: [nearest], RANDOM: chance}
    return Part(
        "learning",
        "What the model learns from the decisions",
        (
            f"The {size:,} messages behind the first {simulation.first:,} are triaged under the "
            f"guarded policy, and {n_items:,} items come into the queue. After so many decisions "
            "the weights of word evidence are adapted to what was marked; nothing of the first "
            "messages is needed but the model. It is tested on the "
            f"{len(simulation.corpus.messages) - simulation.first - size:,} messages behind these, "
            f"{_share_met(lesson):.0%} of them of senders met in the queue's corpus.",
            _learning_table(counts, before, runs, lesson),
            _gains_table(lesson, counts, before, ours),
            _learning_figure("learning-area", "area under ROC", counts, before, runs),
            _learning_figure("learning-leak", "leak", counts, before, runs),
        ),
    )


_Runs = dict[str, list[list[_Tested | None]]]


def _share_met(lesson: _Lesson) -> float:
    senders = np.array(lesson.simulation.senders)
    return float(np.isin(senders[lesson.tested], senders[lesson.corpus]).mean())


def _learning_table(counts: list[int], before: _Tested, runs: _Runs, lesson: _Lesson) -> Table:
    rows: list[tuple[Cell, ...]] = [("as it was", 0, *before.measures.values())]
    for name, of_name in runs.items():
        for i, count in enumerate(counts):
            if count == counts[-1] and name != OURS:
                continue
            tested = [run[i] for run in of_name]
            rows.append((name, count, *_mean(tested, len(before.measures))))
    rows.append(("learnt anew, all labels at hand", counts[-1], *lesson.anew().measures.values()))
    return Table(
        "On later messages, after learning from the decisions",
        {
            "items decided": "",
            "how many": ",d",
            **dict.fromkeys(before.measures, ".1%"),
            "area under ROC": ".4f",
        },
        rows,
        "The last columns: what experts must read when messages are ranked by score, so that the "
        "leak is this; they do not depend on where the thresholds lie. "
        f"Empty where fewer than {FEWEST_DECIDED} of either answer were decided. At random: mean "
        f"of {len(_SEEDS_TO_LEARN)} runs. The last row is for who still has the labelled messages: "
        "words and trees learnt again from them and the decided ones.",
    )


def _mean(tested: Sequence[_Tested | None], n_measures: int) -> tuple[float | None, ...]:
    cells = [list(one.measures.values()) for one in tested if one is not None]
    if len(cells) < len(tested):
        return (None,) * n_measures
    return tuple(np.mean(cells, axis=0).tolist())


def _gains_table(
    lesson: _Lesson, counts: list[int], before: _Tested, ours: Sequence[_Tested | None]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for count, tested in zip(counts, ours, strict=True):
        if tested is None or (count not in _CHECKED and count != counts[-1]):
            continue
        found = gain(lesson.triage, lesson.answered(lesson.orders[OURS][0], count))
        if found is not None:
            rows.append((count, *_gain_cells(found), *lesson.difference(before, tested)))
    return Table(
        "What the decided items say of it, by cross-validation grouped by sender",
        {
            "items decided": ",d",
            "TA": "",
            **dict.fromkeys(("area before", "area after"), ".3f"),
            **dict.fromkeys(("difference", "from", "to"), "+.3f"),
            **dict.fromkeys(("missed before", "missed after"), ""),
            **dict.fromkeys(("false alarms before", "false alarms after"), ""),
            **dict.fromkeys(("later messages: difference", "later: from", "later: to"), "+.4f"),
        },
        rows,
        "Items come into the queue because they are doubtful: their areas say nothing of the "
        "corpus, and only the difference counts (95 % intervals, bootstrap by sender). The last "
        "columns are what was gained on the messages behind, of which few are doubtful.",
    )


def _gain_cells(found: Gain) -> tuple[int | float, ...]:
    before, after, area = found.before, found.after, found.area
    return (
        found.n_ta,
        *(before.area, after.area),
        *(area.estimate, area.low, area.high),
        *(before.missed, after.missed),
        *(before.false_alarms, after.false_alarms),
    )


def _learning_figure(
    name: str, what: str, counts: list[int], before: _Tested, runs: _Runs
) -> Figure:
    is_leak = what == "leak"

    def value(tested: _Tested | None) -> float:
        if tested is None:
            return float("nan")
        return tested.measures["guarded: leak" if is_leak else "area under ROC"]

    at = [0, *counts]
    lines = [
        series_of(line, [[value(before), *map(value, run)] for run in of_line], at)
        for line, of_line in runs.items()
    ]
    start, *_, end = np.asarray(lines[0].y).tolist()
    shown = f"{start:.1%} to {end:.1%}" if is_leak else f"{start:.4f} to {end:.4f}"
    policy = " under the guarded policy" if is_leak else ""
    return effort_figure(
        name,
        f"{what[0].upper()}{what[1:]} on later messages{policy}, after learning",
        f"On later messages the {what}{policy} goes from {shown} when all items are decided.",
        lines,
        what,
        percent=is_leak,
    )


if __name__ == "__main__":
    main()
