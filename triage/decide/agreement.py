"""The agreement table (paper, Table 2): two votes, one action, and counts of messages by both."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..vocabulary import Action, Prediction, Verdict

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
    """Return the action for each message."""
    return [TABLE[votes] for votes in zip(seek_hide, model, strict=True)]


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
