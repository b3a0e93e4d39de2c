"""Other models on the same folds: what a user asks for first."""

import numpy as np
from numpy.typing import NDArray

from triage.reports.document import Cell, Column, Part
from triage.reports.document import Table as ReportTable
from triage.reports.measures import auc

from ..model.training import balanced_rows
from .corpus import Prepared
from .crossval import CLASSES
from .measures import confusion
from .models import Candidate, Progress, Table, candidates, fitted, folds, ta_score

Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


def comparison(prepared: Prepared, n_folds: int, seed: int, jobs: int, progress: Progress) -> Part:
    """Cross-validate several models by sender, on messages as they come."""
    rows = np.arange(prepared.first)
    labels = np.array(prepared.corpus.labels)[rows]
    texts = np.array(prepared.corpus.messages, dtype=object)[rows]
    split = list(folds(labels == "TA", prepared.corpus.groups[rows], n_folds, seed))
    from joblib import Parallel, delayed

    found = Parallel(n_jobs=jobs)(
        delayed(_measure)(
            candidate, texts if candidate.reads_text else prepared.values[rows], labels, split, seed
        )
        for candidate in candidates(seed)
    )
    progress("comparison")
    return Part(
        "comparison",
        "Other models on the same folds",
        (
            f"{n_folds} folds grouped by sender over the first {prepared.first:,} messages; "
            f"training folds balanced once, but "
            "for the models that balance their bags; tested on messages as they come. A "
            "comparison only: the model that "
            "classifies stays the bagged trees, since people can read them.",
            ReportTable(
                "Models",
                (
                    Column("model"),
                    *(
                        Column(name, ".3f")
                        for name in (
                            "balanced accuracy",
                            "area under ROC",
                            "recall of TA",
                            "precision of TA",
                            "accuracy",
                        )
                    ),
                ),
                tuple(found),
            ),
        ),
    )


def _measure(
    candidate: Candidate, values: Table, labels: NDArray[np.str_], split: Folds, seed: int
) -> tuple[Cell, ...]:
    score = np.empty(len(labels))
    for train, test in split:
        rows = train
        if not candidate.balances_itself:
            rows = train[balanced_rows(labels[train] == "TA", seed)]
        score[test] = ta_score(fitted(candidate.estimator, values, labels, rows), values[test])
    predicted = np.where(score > 0.5, "TA", "NTA")
    measured = confusion(labels.tolist(), predicted.tolist(), CLASSES)
    ta = measured.by_class[CLASSES.index("TA")]
    return (
        candidate.name,
        measured.balanced_accuracy,
        auc(score, labels == "TA"),
        ta.recall,
        ta.precision,
        measured.accuracy,
    )
