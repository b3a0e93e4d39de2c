"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps residue, leak and precision within bounds by
thresholds on the model's score and on the risk (`triage.decide.promise`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..model.coverage import Coverage
from ..vocabulary import Action, Prediction, Verdict
from .promise import PLACE, Promise, guarded

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
    by_form: NDArray[np.bool_],
    covered: Coverage | None = None,
) -> list[Action]:
    """Return the action for each message; `by_form`: it holds an identifier of form."""
    if promised is not None:
        numbers = guarded(promised, score, by_form, covered)
    else:
        agreed = [PLACE[action] for action in actions(seek_hide, model)]
        numbers = np.array(agreed, dtype=np.int64)
        # Seek&Hide says TA of such a message, but in its strict reading it may say nothing.
        numbers[by_form & (numbers == PLACE[Action.NTA])] = PLACE[Action.EXPERT]
    found: list[Action] = _ACTIONS[numbers].tolist()
    return found


_ACTIONS = np.array([*Action], dtype=object)


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
