"""Both methods together (paper, Table 2, with the numbers that the paper did not measure)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from triage.reports.charts import Point, Series, curve
from triage.reports.document import Figure, Part, Table

from ..decide.agreement import TABLE, actions
from ..model.learnt import TA_FROM
from ..vocabulary import Action, Prediction, Verdict
from .corpus import Prepared
from .measures import Mask, Triaged, ends, triaged
from .models import bagged, fitted, ta_score

# Of fewer TA messages one alone moves the leak by more than 2 %.
_FEWEST_TA = 50
_THRESHOLDS = np.round(np.arange(0.02, 0.99, 0.02), 2)


def combined(prepared: Prepared, seed: int) -> Part:
    """Measure the agreement table on the later messages, and what other policies would give."""
    later = prepared.later
    is_ta, groups = prepared.corpus.is_ta[later], prepared.corpus.groups[later]
    model = fitted(bagged(seed), prepared.values, prepared.labels, np.arange(prepared.first))
    score = ta_score(model, prepared.values[later])
    default, strict = prepared.default[later], prepared.strict[later]
    ours = triaged(_agree(default, score, TA_FROM), is_ta, groups, seed)
    return Part(
        "combined",
        "Both methods together (the paper's Table 2)",
        (
            f"Learnt from the first {prepared.first:,} messages, measured on the {len(is_ta):,} "
            f"later ones, of which {is_ta.mean():.1%} are TA. The paper gives the table "
            "without numbers.",
            _cells(default, score, is_ta),
            _in_words(ours),
            _policies(default, strict, score, is_ta, groups, seed),
            _curves(default, strict, score, is_ta)
            if is_ta.sum() >= _FEWEST_TA
            else f"The curve of leak against workload is not drawn: with {int(is_ta.sum()):,} TA "
            f"messages it would be steps of chance. It takes {_FEWEST_TA}.",
        ),
    )


def _in_words(measured: Triaged) -> str:
    """Return the leak and the workload in sentences that a data steward can quote."""
    leak, work = measured.leak_by_sender, measured.workload_by_sender
    between = (
        f"; by bootstrap over senders between {leak.low:.1%} and {leak.high:.1%}" if leak else ""
    )
    from_to = f" (95 % interval {work.low:.1%} to {work.high:.1%})" if work else ""
    return (
        f"Leak: {measured.leak.estimate:.1%} of the TA messages would be released as they stand; "
        f"at most {measured.most_leaked:.1%} of TA released, 95 % confidence "
        f"(Clopper–Pearson{between}). Workload: {measured.workload:.1%} of the messages go to the "
        f"expert{from_to}."
    )


def _vote(score: NDArray[np.float64], ta_from: float) -> list[Prediction]:
    return [Prediction.TA if value >= ta_from else Prediction.NTA for value in score.round(4)]


def _agree(verdicts: Sequence[Verdict], score: NDArray[np.float64], ta_from: float) -> list[Action]:
    return actions(verdicts, _vote(score, ta_from))


def _cells(verdicts: Sequence[Verdict], score: NDArray[np.float64], is_ta: Mask) -> Table:
    found, votes = np.array(verdicts), np.array(_vote(score, TA_FROM))
    rows = []
    for (verdict, vote), action in TABLE.items():
        here = (found == verdict) & (votes == vote)
        share = float(is_ta[here].mean()) if here.any() else None
        rows.append(
            (str(verdict), str(vote), str(action), int(here.sum()), float(here.mean()), share)
        )
    return Table(
        "The cells of the agreement table",
        {
            "Seek&Hide": "",
            "learnt model": "",
            "action": "",
            "messages": ",d",
            "share": ".1%",
            "of them truly TA": ".1%",
        },
        rows,
    )


def _policies(
    default: Sequence[Verdict],
    strict: Sequence[Verdict],
    score: NDArray[np.float64],
    is_ta: Mask,
    groups: NDArray[np.str_],
    seed: int,
) -> Table:
    votes = _vote(score, TA_FROM)
    policies: dict[str, list[Action]] = {
        "agreement table (the default)": _agree(default, score, TA_FROM),
        "agreement table, model votes TA from 0.5": _agree(default, score, 0.5),
        "agreement table, strict reading": _agree(strict, score, TA_FROM),
        "agreement table, untagged to the expert": [
            Action.EXPERT if verdict is Verdict.UNTAGGED else action
            for verdict, action in zip(default, _agree(default, score, TA_FROM), strict=True)
        ],
        "Seek&Hide alone, untagged to the expert": [_ALONE[verdict] for verdict in default],
        "Seek&Hide alone, strict, untagged to the expert": [_ALONE[verdict] for verdict in strict],
        "learnt model alone": [Action(vote.value) for vote in votes],
    }
    measured = {name: triaged(decided, is_ta, groups, seed) for name, decided in policies.items()}
    rows = [
        (
            name,
            *(one.leak.estimate, one.leak.low, one.leak.high),
            *(one.workload, *ends(one.workload_by_sender)),
            one.precision,
        )
        for name, one in measured.items()
    ]
    shares = [
        f"{what}{end}" for what in ("leak", "workload") for end in ("", ": 95 % from", ": to")
    ]
    return Table(
        "What each policy and reading gives",
        {"policy": "", **dict.fromkeys(shares, ".1%"), "precision of TA": ".3f"},
        rows,
        "Leak: Clopper–Pearson. Workload: bootstrap over senders.",
    )


_ALONE = {Verdict.TA: Action.TA, Verdict.NTA: Action.NTA, Verdict.UNTAGGED: Action.EXPERT}


def _curves(
    default: Sequence[Verdict],
    strict: Sequence[Verdict],
    score: NDArray[np.float64],
    is_ta: Mask,
) -> Figure:
    series = []
    for name, verdicts in (("default reading", default), ("strict reading", strict)):
        points = [_leak_and_work(_agree(verdicts, score, t), is_ta) for t in _THRESHOLDS]
        series.append(Series(name, [w for _, w in points], [leak for leak, _ in points]))
    leak, work = _leak_and_work(_agree(default, score, TA_FROM), is_ta)
    return Figure(
        "leak-workload",
        "Leak against workload, as the model's threshold moves",
        f"With the threshold {TA_FROM} the leak is {leak:.1%} and the workload {work:.1%}.",
        curve(
            series,
            x_label="workload: share of messages for the expert",
            y_label="leak: share of TA released",
            percent="xy",
            points=[Point(f"the default, TA from {TA_FROM}", work, leak)],
        ),
    )


def _leak_and_work(decided: Sequence[Action], is_ta: Mask) -> tuple[float, float]:
    found = np.array(decided)
    leaked = (found == Action.NTA) & is_ta
    return float(leaked.sum() / is_ta.sum()), float((found == Action.EXPERT).mean())
