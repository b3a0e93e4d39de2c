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
        """Count further messages.

        Parameters
        ----------
        verdicts, votes, actions : iterable of str, length n_messages

        Raises
        ------
        ValueError
            If they are not equally long.
        """
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


def cells_table(counts: CellCounts, order: Sequence[Cell], actions: Sequence[str]) -> str:
    """Return the counts as a table for the terminal.

    Parameters
    ----------
    counts : CellCounts
    order : sequence of (verdict, vote, action)
        The rows; all are shown, also those without messages.
    actions : sequence of str
        The totals below them.

    Returns
    -------
    str
        Lines without an end.

    Examples
    --------
    >>> print(cells_table(CellCounts(Counter({("TA", "NTA", "EXPERT"): 1_234})),
    ...                   [("TA", "NTA", "EXPERT")], ["NTA"]))
    Seek&Hide model  action   messages    share
    TA        NTA    EXPERT      1,234  100.0%
    all              NTA             0    0.0%
    """
    rows = [(*cell, counts.cells[cell]) for cell in order]
    rows += [("all", "", action, counts.of_action(action)) for action in actions]
    head = f"{'Seek&Hide':<10}{'model':<7}{'action':<8}{'messages':>9}{'share':>9}"
    return "\n".join([head, *(_line(*row, counts.share(row[-1])) for row in rows)])


def _line(verdict: str, vote: str, action: str, count: int, share: float) -> str:
    return f"{verdict:<10}{vote:<7}{action:<8}{count:>9,}{share:>8.1%}"
