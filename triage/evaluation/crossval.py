"""Cross-validation: the paper's (Table 6), and one that does not flatter."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.reports.document import Column, Part, Table
from triage.reports.measures import auc

from ..model.training import balanced_rows
from .corpus import Prepared
from .measures import Confusion, confusion
from .models import Progress, bagged, fitted, folds, single_tree, ta_score

CLASSES = ("NTA", "TA")
PAPER_ACCURACY = {"random": 0.5, "decision tree": 0.778, "bagged trees": 0.794}
PAPER_CLASSES = {"NTA": (0.842, 0.724, 0.778), "TA": (0.758, 0.864, 0.807)}
PAPER_MATRIX = {"NTA": (383, 72), "TA": (146, 457)}


def cross_validation(prepared: Prepared, n_folds: int, seed: int, progress: Progress) -> Part:
    """Cross-validate on the training messages: balanced once as in the paper, and grouped.

    Raises
    ------
    TriageError
        If there are too few messages or senders for the folds.
    """
    rows = np.arange(prepared.first)
    labels = np.array(prepared.corpus.labels)[rows]
    values = prepared.values[rows]
    balanced = balanced_rows(labels == "TA", seed)
    paper_way, ours, single = _paper_way(
        values[balanced], labels[balanced], n_folds, seed, progress
    )
    blocks: list[Any] = [
        f"The first {prepared.first:,} messages, of which {int((labels == 'TA').sum()):,} are TA. "
        f"As in the paper "
        f"the data are balanced once, {len(balanced):,} messages, and cross-validated in "
        f"{n_folds} stratified folds.",
        paper_way,
        *_class_tables(ours),
    ]
    if prepared.corpus.senders:
        blocks += _honest(prepared, rows, labels, n_folds, seed, single, progress)
    else:
        blocks.append("No column of senders: the folds could not be grouped by sender.")
    return Part("cross-validation", "Cross-validation (the paper's Table 6)", tuple(blocks))


def _paper_way(
    values: NDArray[np.float64],
    labels: NDArray[np.str_],
    n_folds: int,
    seed: int,
    progress: Progress,
) -> tuple[Table, Confusion, float]:
    accuracies: dict[str, list[float]] = {"decision tree": [], "bagged trees": []}
    predicted = np.empty(len(labels), dtype=labels.dtype)
    for train, test in folds(labels == "TA", None, n_folds, seed):
        for name, estimator in (
            ("decision tree", single_tree(seed)),
            ("bagged trees", bagged(seed)),
        ):
            guess = fitted(estimator, values, labels, train).predict(values[test])
            accuracies[name].append(float((guess == labels[test]).mean()))
            if name == "bagged trees":
                predicted[test] = guess
        progress("cross-validation")
    rows = [("random", 0.5, None, None, None, PAPER_ACCURACY["random"])]
    rows += [_accuracy_row(name, found) for name, found in accuracies.items()]
    table = Table(
        "Accuracy, balanced once",
        (
            Column("model"),
            Column("accuracy", ".3f"),
            Column("standard deviation", ".3f"),
            Column("95 % from", ".3f"),
            Column("to", ".3f"),
            Column("accuracy", ".3f", paper=True),
        ),
        tuple(rows),
        "Interval of the mean over the folds, by Student's t; folds share training messages, so "
        "it is a little narrow.",
    )
    measured = confusion(labels.tolist(), predicted.tolist(), CLASSES)
    return table, measured, measured.accuracy


def _accuracy_row(name: str, found: list[float]) -> tuple[Any, ...]:
    from scipy import stats

    mean, deviation = float(np.mean(found)), float(np.std(found, ddof=1))
    half = float(stats.t.ppf(0.975, len(found) - 1)) * deviation / len(found) ** 0.5
    return name, mean, deviation, mean - half, mean + half, PAPER_ACCURACY[name]


def _class_tables(measured: Confusion) -> list[Table]:
    matrix = Table(
        "Confusion matrix of the bagged trees, summed over the folds",
        (
            Column("model says"),
            Column("really NTA", ",d"),
            Column("really TA", ",d"),
            Column("really NTA", ",d", paper=True),
            Column("really TA", ",d", paper=True),
        ),
        tuple(
            (
                label,
                int(measured.matrix[0, CLASSES.index(label)]),
                int(measured.matrix[1, CLASSES.index(label)]),
                *PAPER_MATRIX[label],
            )
            for label in CLASSES
        ),
    )
    return [matrix, class_table("Precision, recall and F of each class", measured, PAPER_CLASSES)]


def class_table(
    title: str, measured: Confusion, paper: dict[str, tuple[float, float, float]] | None = None
) -> Table:
    """Return precision, recall and F of each class, beside the paper's where there are some."""
    columns = [Column("class"), *(Column(name, ".3f") for name in ("precision", "recall", "F"))]
    if paper:
        columns += [Column(name, ".3f", paper=True) for name in ("precision", "recall", "F")]
    rows = [
        (c.label, c.precision, c.recall, c.f_measure, *(paper[c.label] if paper else ()))
        for c in measured.by_class
    ]
    return Table(title, tuple(columns), tuple(rows))


def out_of_fold(
    prepared: Prepared, rows: NDArray[np.int64], n_folds: int, seed: int, progress: Progress
) -> NDArray[np.float64]:
    """Return the model's score of each message, learnt from other senders' messages."""
    labels, values = np.array(prepared.corpus.labels)[rows], prepared.values[rows]
    score = np.empty(len(rows))
    for train, test in folds(labels == "TA", prepared.corpus.groups[rows], n_folds, seed):
        score[test] = ta_score(fitted(bagged(seed), values, labels, train), values[test])
        progress("cross-validation by sender")
    return score


def _honest(
    prepared: Prepared,
    rows: NDArray[np.int64],
    labels: NDArray[np.str_],
    n_folds: int,
    seed: int,
    flattering: float,
    progress: Progress,
) -> list[Any]:
    score = out_of_fold(prepared, rows, n_folds, seed, progress)
    measured = confusion(labels.tolist(), np.where(score > 0.5, "TA", "NTA").tolist(), CLASSES)
    nta, ta = measured.by_class
    blocks: list[Any] = [
        f"By sender: here all messages of a sender are in one fold, only the training folds are "
        f"balanced, and the "
        f"scores are on messages as they come, of which {(labels == 'TA').mean():.1%} are TA.",
        Table(
            "Grouped by sender, natural distribution",
            (Column("measure"), Column("value", ".3f")),
            (
                ("balanced accuracy", measured.balanced_accuracy),
                ("accuracy", measured.accuracy),
                ("area under the ROC curve", auc(score, labels == "TA")),
            ),
        ),
        class_table("Precision, recall and F of each class, natural distribution", measured),
    ]
    if not np.isnan(ta.precision):
        n_ta = int((labels == "TA").sum())
        blocks.append(
            f"On balanced data the bagged trees reach an accuracy of {flattering:.3f}; the fair "
            f"counterpart, the balanced accuracy by sender, is {measured.balanced_accuracy:.3f}. "
            f"What differs most is the precision of TA: {ta.precision:.3f} on messages as they "
            "come. On balanced data half of what is classified is TA, so that a share of "
            f"{1 - nta.recall:.1%} of NTA messages taken for TA hardly shows; on messages as they "
            f"come there are {(len(labels) - n_ta) / n_ta:.1f} NTA messages for each TA message."
        )
    return blocks
