"""The later messages (paper, section 6.3): learnt from the first, tested on those that follow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.reports.charts import Series, curve
from triage.reports.document import Column, Figure, Part, Table

from ..model.training import FEWEST, balanced_rows
from .corpus import Prepared
from .crossval import CLASSES
from .measures import area_under_roc, confusion
from .models import Classifier, Progress, bagged, fitted, single_tree, ta_score

PAPER = {"decision tree": 0.746, "bagged trees": 0.769}
_FEWEST_POINTS = 3
SIZES = (250, 500, 1000, 2000, 3000, 4000)


def later_messages(prepared: Prepared, seed: int, progress: Progress) -> Part:
    """Test on the messages that come later, with all, half and less of the training data."""
    n, following = prepared.first, prepared.following
    tests = {"all later ones": slice(n, None)}
    if n + following < len(prepared.corpus.messages):
        tests = {f"the next {following:,}": slice(n, n + following), **tests}
    first_test = next(iter(tests))
    rows: list[tuple[Any, ...]] = []
    learners = [("decision tree", single_tree(seed), n), ("bagged trees", bagged(seed), n)]
    half = _suffices(prepared, n // 2)
    if half:
        learners.append(("bagged trees", bagged(seed), n // 2))
    for name, estimator, size in learners:
        for test, where in tests.items():
            measured = _measured(prepared, estimator, size, where, seed)
            paper = PAPER[name] if size == n and test == first_test else None
            rows.append((name, size, test, *measured, paper))
            progress("later messages")
    return Part(
        "later-messages",
        "The later messages (the paper's section 6.3)",
        (
            f"Learnt from the first {n:,} messages{', or from half of them,' if half else ''} and "
            "tested on those that come later. The "
            "paper's accuracies are on its 4,000th to 5,999th message, without saying whether "
            "they were balanced.",
            Table(
                "Trained on the first, tested on later messages",
                (
                    Column("model"),
                    Column("learnt from", ",d"),
                    Column("tested on"),
                    Column("accuracy", ".3f"),
                    Column("balanced accuracy", ".3f"),
                    Column("area under ROC", ".3f"),
                    Column("accuracy", ".3f", paper=True),
                ),
                tuple(rows),
            ),
            _learning_curve(prepared, seed, progress),
        ),
    )


def _suffices(prepared: Prepared, size: int) -> bool:
    here = prepared.corpus.is_ta[:size]
    return min(int(here.sum()), int((~here).sum())) >= FEWEST


def _measured(
    prepared: Prepared, estimator: Classifier, size: int, where: slice, seed: int
) -> tuple[float, float, float]:
    """Return accuracy, balanced accuracy and area on some of the later messages."""
    labels = np.array(prepared.corpus.labels)
    score = _scores(prepared, estimator, size, seed)[where]
    predicted = np.where(score > 0.5, "TA", "NTA")
    measured = confusion(labels[where].tolist(), predicted.tolist(), CLASSES)
    area = area_under_roc(score, labels[where] == "TA")
    return measured.accuracy, measured.balanced_accuracy, area


def _scores(prepared: Prepared, estimator: Classifier, size: int, seed: int) -> NDArray[np.float64]:
    labels = np.array(prepared.corpus.labels)
    rows = np.arange(size)
    if not hasattr(estimator, "undersampling"):
        rows = balanced_rows(labels[:size] == "TA", seed)
    return ta_score(fitted(estimator, prepared.values, labels, rows), prepared.values)


def _learning_curve(prepared: Prepared, seed: int, progress: Progress) -> Figure | str:
    smaller = [size for size in SIZES if size < prepared.first and _suffices(prepared, size)]
    sizes = [*smaller, prepared.first]
    if len(sizes) < _FEWEST_POINTS:
        return (
            f"No learning curve is drawn: it takes {_FEWEST_POINTS} numbers of messages to learn "
            f"from, of {', '.join(map(str, SIZES))} and all; here there are {len(sizes)}."
        )
    balanced, area = [], []
    for size in sizes:
        measured = _measured(prepared, bagged(seed), size, prepared.later, seed)
        balanced.append(measured[1])
        area.append(measured[2])
        progress("learning curve")
    return Figure(
        "learning-curve",
        "Learning curve: the first messages learnt, all later ones tested",
        f"Balanced accuracy goes from {balanced[0]:.2f} with {sizes[0]} messages to "
        f"{balanced[-1]:.2f} with "
        f"{sizes[-1]}.",
        curve(
            [Series("balanced accuracy", sizes, balanced), Series("area under ROC", sizes, area)],
            x_label="messages learnt from",
            y_label="on the later messages",
        ),
    )
