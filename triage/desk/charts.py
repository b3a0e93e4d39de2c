"""Charts as numbers that a template draws in SVG; each has a table beside it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

RADIUS = 54.0


@dataclass(frozen=True)
class Ring:
    """A ring of which a part is filled."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        """The part that is filled; all of it where there is nothing."""
        return self.part / self.whole if self.whole else 1.0

    @property
    def length(self) -> float:
        """The length of the ring, in units of the drawing."""
        return 2 * math.pi * RADIUS

    @property
    def filled(self) -> float:
        """The length of the part that is filled."""
        return self.length * self.share


@dataclass(frozen=True)
class Bar:
    """A bar: its label, its count, and its width in percent of the widest."""

    label: str
    n: int
    width: float


def bars(counts: Mapping[str, int]) -> list[Bar]:
    """Return bars, the longest first."""
    most = max(counts.values(), default=0) or 1
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [Bar(label, n, round(100 * n / most, 1)) for label, n in ordered]
