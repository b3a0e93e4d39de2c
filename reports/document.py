"""The content of a report, before it is rendered as a page, as text or as data."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Cell = str | int | float | None
Draw = Callable[["Axes"], None]

PAPER = "(paper)"

_NAME = re.compile(r"[\w-]+")
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_UNSHOWN = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]")


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns."""

    title: str
    columns: Mapping[str, str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                expected = f"{len(self.columns)} columns, row {number} has {len(row)} cells"
                msg = f"the table {self.title!r} has {expected}"
                raise ValueError(msg)

    @property
    def headings(self) -> list[str]:
        """Return the headings, in order."""
        return list(self.columns)

    @property
    def of_paper(self) -> list[bool]:
        """Return whether each column holds the paper's own figures."""
        return [heading.endswith(PAPER) for heading in self.columns]

    @property
    def to_the_right(self) -> list[bool]:
        """Return whether each column holds numbers, which align to the right."""
        filled = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return [
            bool(form) or any(isinstance(cell, int | float) for cell in cells)
            for form, cells in zip(self.columns.values(), filled, strict=True)
        ]

    def shown_rows(self) -> list[list[str]]:
        """Return every cell as one line of text: nothing for None, a dash for nan."""
        formats = list(self.columns.values())
        return [[_shown(*cell) for cell in zip(row, formats, strict=True)] for row in self.rows]


def _shown(cell: Cell, form: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return _BREAKS.sub(" ", cell)
    return "–" if math.isnan(cell) else format(cell, form)


@dataclass(frozen=True)
class Figure:
    """A drawing: `name` is the stem of its files, `alt` describes it to those who do not see it."""

    name: str
    title: str
    alt: str
    draw: Draw
    width: float = 7.0
    height: float = 4.0

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class Listing:
    """Preformatted text, such as a tree."""

    title: str
    text: str


# A string is a paragraph of plain text.
Block = str | Table | Figure | Listing


@dataclass(frozen=True)
class Part:
    """A chapter of a report; its name, the target of links, is like that of a figure."""

    name: str
    title: str
    blocks: Sequence[Block]

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class Report:
    """A whole report; `about` names the command, the data and the versions behind it."""

    title: str
    about: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        _check_distinct("entries about the report", (term for term, _ in self.about))
        _check_distinct("names of parts", (part.name for part in self.parts))
        _check_distinct("names of figures", (figure.name for figure in self.figures))

    @property
    def figures(self) -> list[Figure]:
        """All figures, in order."""
        return [block for part in self.parts for block in part.blocks if isinstance(block, Figure)]


def printable(text: str) -> str:
    r"""Replace control characters and those that UTF-8 cannot encode: messages may hold any."""
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        msg = f"a name has letters, digits, hyphens and underscores alone, unlike {name!r}"
        raise ValueError(msg)


def _check_distinct(what: str, names: Iterable[str]) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        msg = f"{what} must differ, repeated: {', '.join(map(repr, repeated))}"
        raise ValueError(msg)
