"""Counts by the cells of the agreement table (paper, Table 2)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Cell = tuple[str, str, str]


@dataclass
class CellCounts:
    """How many messages fall in each cell: Seek&Hide's verdict, the model's vote, the action.

    Parameters
    ----------
    cells : Counter
        (verdict, vote, action) → messages.

    Examples
    --------
    >>> counts = CellCounts()
    >>> counts.add(["TA", "NTA"], ["TA", "TA"], ["TA", "EXPERT"])
    >>> counts.total, counts.of_action("EXPERT")
    (2, 1)
    """

    cells: Counter[Cell] = field(default_factory=Counter)

    def add(self, verdicts: Iterable[str], votes: Iterable[str], actions: Iterable[str]) -> None:
        """Count further messages."""
        for verdict, vote, action in zip(verdicts, votes, actions, strict=True):
            self.cells[str(verdict), str(vote), str(action)] += 1

    @property
    def total(self) -> int:
        """All messages."""
        return self.cells.total()

    def of_action(self, action: str) -> int:
        """Messages with this action."""
        return sum(n for (_, _, decided), n in self.cells.items() if decided == action)

    def share(self, count: int) -> float:
        """Return a count as a share of all messages, 0 where there are none."""
        return count / self.total if self.total else 0.0


def cells_table(counts: CellCounts, order: Sequence[Cell], actions: Sequence[str]) -> str:
    """Return the counts as a table for the terminal.

    Parameters
    ----------
    counts : CellCounts
    order : sequence of (verdict, vote, action)
        The rows; all are shown, also those without messages.
    actions : sequence of str
        The totals below them.
    """
    lines = [f"{'Seek&Hide':<10}{'model':<7}{'action':<8}{'messages':>9}{'share':>9}"]
    for verdict, vote, action in order:
        lines.append(
            f"{verdict:<10}{vote:<7}{action:<8}" + _numbers(counts, counts.cells[verdict, vote, action])
        )
    for action in actions:
        lines.append(f"{'all':<10}{'':<7}{action:<8}" + _numbers(counts, counts.of_action(action)))
    return "\n".join(lines)


def _numbers(counts: CellCounts, count: int) -> str:
    return f"{count:>9,}{counts.share(count):>8.1%} ".rstrip()
