"""Measures of labels, of scores and of what was decided, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from triage.reports.measures import Interval, auc, bootstrap_share, clopper_pearson, upper_bound

from ..vocabulary import Action

CLASSES = ("NTA", "TA")
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Triaged:
    """Measures of messages of known label that were decided."""

    leak: Interval
    leak_by_sender: Interval | None
    most_leaked: float
    workload: float
    workload_by_sender: Interval | None
    precision: float


def triaged(actions: Sequence[Action], is_ta: Mask, groups: NDArray[np.str_], seed: int) -> Triaged:
    """Measure decided messages, of the senders `groups`."""
    decided = np.array(actions)
    leaked = is_ta & (decided == Action.NTA)
    expert = decided == Action.EXPERT
    return Triaged(
        clopper_pearson(int(leaked.sum()), int(is_ta.sum())),
        by_sender(leaked, is_ta, groups, seed),
        upper_bound(int(leaked.sum()), int(is_ta.sum())),
        float(expert.mean()),
        by_sender(expert, np.ones(len(expert), dtype=np.bool_), groups, seed),
        share(is_ta, decided == Action.TA),
    )


def by_sender(hits: Mask, among: Mask, groups: NDArray[np.str_], seed: int) -> Interval | None:
    """Return the bootstrap interval of the share of hits, senders (groups) drawn again."""
    if not 0 < hits.sum() < among.sum():
        return None
    return bootstrap_share(hits, among, groups, seed=seed)


def ends(interval: Interval | None) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of an interval as cells of a table."""
    return (interval.low, interval.high) if interval else (None, None)


def share(hits: Mask, among: Mask) -> float:
    """Return the share of hits among some messages, nan of none."""
    return float(hits[among].mean()) if among.any() else float("nan")


def area_under_roc(score: NDArray[np.float64], is_ta: Mask) -> float:
    """Return the area under the ROC curve, nan where one label is missing."""
    return auc(score, is_ta) if is_ta.any() and not is_ta.all() else float("nan")


def expert_share(
    score: NDArray[np.float64], is_ta: Mask, leak: float, precision: float = 0.95
) -> float:
    """Return the share of messages that experts must read for a given leak, ranked by score."""
    order = np.argsort(-score, kind="stable")
    enough = np.flatnonzero(np.cumsum(is_ta[order]) / np.arange(1, len(order) + 1) >= precision)
    high = score[order[enough[-1]]] if len(enough) else np.inf
    low = np.quantile(score[is_ta], leak)
    return float(((score >= low) & (score < high)).mean())


class ClassMeasures(NamedTuple):
    """Measures of one class; nan where one divides nothing by nothing."""

    precision: float
    recall: float
    f_measure: float


# No generated comparison: arrays do not compare to one truth value.
@dataclass(frozen=True, eq=False)
class Confusion:
    """Predicted labels against true ones."""

    matrix: NDArray[np.int64]
    by_class: dict[str, ClassMeasures]
    accuracy: float
    balanced_accuracy: float


def confusion(true: NDArray[np.str_], predicted: NDArray[np.str_]) -> Confusion:
    """Compare predicted labels with true ones."""
    matrix = confusion_matrix(true, predicted, labels=CLASSES)
    measures = precision_recall_fscore_support(
        true, predicted, labels=CLASSES, zero_division=np.nan
    )
    precision, recall, f_measure, _ = (measure.tolist() for measure in measures)
    rows = map(ClassMeasures, precision, recall, f_measure)
    return Confusion(
        matrix,
        dict(zip(CLASSES, rows, strict=True)),
        float(np.trace(matrix) / matrix.sum()),
        float(np.nanmean(recall)),
    )
