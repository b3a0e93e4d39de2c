"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps leak and precision within bounds by two
thresholds on the model's score (`triage.decide.promise`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..vocabulary import Action, Prediction, Verdict
from .promise import Promise

Cell = tuple[str, str, str]

TABLE = {
    (Verdict.TA, Prediction.TA): Action.TA,
    (Verdict.TA, Prediction.NTA): Action.EXPERT,
    (Verdict.NTA, Prediction.TA): Action.EXPERT,
    (Verdict.NTA, Prediction.NTA): Action.NTA,
    (Verdict.UNTAGGED, Prediction.TA): Action.TA,
    (Verdict.UNTAGGED, Prediction.NTA): Action.NTA,
}


def actions(seek_hide: Iterable[Verdict], model: Iterable[Prediction]) -> list[Action]:
    """Return the action for each message by the agreement table."""
    return [TABLE[votes] for votes in zip(seek_hide, model, strict=True)]


def act(
    promised: Promise | None,
    seek_hide: Sequence[Verdict],
    model: Sequence[Prediction],
    score: NDArray[np.float64],
    by_form: NDArray[np.bool_] | None = None,
) -> list[Action]:
    """Return the action for each message."""
    found = actions(seek_hide, model) if promised is None else _guarded(promised, seek_hide, score)
    # Seek&Hide says TA of such a message, but in its strict reading it may say nothing.
    for i in np.flatnonzero(by_form).tolist() if by_form is not None else ():
        if found[i] is Action.NTA:
            found[i] = Action.EXPERT
    return found


def _guarded(
    promised: Promise, seek_hide: Sequence[Verdict], score: NDArray[np.float64]
) -> list[Action]:
    is_ta = np.array([verdict is Verdict.TA for verdict in seek_hide], dtype=np.bool_)
    found = [(score < promised.low) & ~is_ta, (score >= promised.low) & (score >= promised.high)]
    actions: list[Action] = _GUARDED[np.select(found, [0, 1], 2)].tolist()
    return actions


_GUARDED = np.array([Action.NTA, Action.TA, Action.EXPERT], dtype=object)


@dataclass
class CellCounts:
    """Counts of messages by Seek&Hide's verdict, the model's vote and the action."""

    cells: Counter[Cell] = field(default_factory=Counter)

    def add(self, verdicts: Iterable[str], votes: Iterable[str], actions: Iterable[str]) -> None:
        """Count further messages."""
        self.cells.update(zip(verdicts, votes, actions, strict=True))

    @property
    def total(self) -> int:
        """All messages."""
        return self.cells.total()

    def of_action(self, action: str) -> int:
        """Return how many messages have this action."""
        return sum(n for (_, _, decided), n in self.cells.items() if decided == action)

    def share(self, count: int) -> float:
        """Return a count as a share of all messages, 0 where there are none."""
        return count / self.total if self.total else 0.0

    def lines(self, order: Sequence[Cell], actions: Sequence[str]) -> Iterator[str]:
        r"""Yield the counts as lines of a table for the terminal."""
        rows = [(*cell, self.cells[cell]) for cell in order]
        rows += [("all", "", action, self.of_action(action)) for action in actions]
        yield f"{'Seek&Hide':<10}{'model':<7}{'action':<8}{'messages':>9}{'share':>9}"
        for verdict, vote, action, n in rows:
            yield f"{verdict:<10}{vote:<7}{action:<8}{n:>9,}{self.share(n):>8.1%}"
