"""What a report says, before it is rendered as a page, as text or as data."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Cell = str | int | float | None
Draw = Callable[["Axes"], None]

_NAME = re.compile(r"[\w-]+")
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_UNSHOWN = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    format : str
        How its numbers are written, such as ``.3f``, ``,d`` or ``.1%``.
    paper : bool
        Whether it holds the paper's own figures; every rendering says so.

    Examples
    --------
    >>> leak = Column("leak", ".1%", paper=True)
    >>> leak.heading, leak.shown(0.0312), leak.shown(float("nan")), leak.shown(None)
    ('leak (paper)', '3.1%', '–', '')
    """

    name: str
    format: str = ""
    paper: bool = False

    @property
    def heading(self) -> str:
        """The name, with the paper named as the source where it is."""
        named = not self.paper or "paper" in self.name.casefold()
        return self.name if named else f"{self.name} (paper)"

    def shown(self, cell: Cell) -> str:
        """Return a cell as one line of text: nothing for None, a dash for nan.

        Raises
        ------
        ValueError
            If the column's format is none for such a number.
        """
        if cell is None:
            return ""
        if isinstance(cell, str):
            return _BREAKS.sub(" ", cell)
        return "–" if math.isnan(cell) else format(cell, self.format)


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns.

    Attributes
    ----------
    title : str
    columns : tuple of Column
        Their headings differ.
    rows : tuple of tuple of (str, int, float or None)
        As many cells in each as there are columns.
    note : str
        What a reader must know to read it, shown below it.

    Raises
    ------
    ValueError
        If a row is shorter or longer than the columns, or two columns have one heading.

    Examples
    --------
    >>> table = Table("Leak", (Column("policy"), Column("leak", ".1%")), (("strict", 0.02),))
    >>> table.shown_rows(), table.to_the_right
    ([['strict', '2.0%']], [False, True])
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        _check_distinct(f"headings of the table {self.title!r}", self.headings)
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                expected = f"{len(self.columns)} columns, row {number} has {len(row)} cells"
                msg = f"the table {self.title!r} has {expected}"
                raise ValueError(msg)

    @property
    def headings(self) -> list[str]:
        """Return what stands above each column."""
        return [column.heading for column in self.columns]

    @property
    def to_the_right(self) -> list[bool]:
        """Return whether each column holds numbers, which align to the right."""
        filled = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return [
            bool(column.format) or any(isinstance(cell, int | float) for cell in cells)
            for column, cells in zip(self.columns, filled, strict=True)
        ]

    def shown_rows(self) -> list[list[str]]:
        """Return every cell as text."""
        return [
            [column.shown(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]


@dataclass(frozen=True)
class Figure:
    """A drawing.

    Attributes
    ----------
    name : str
        What its files are called, of letters, digits, hyphens and underscores.
    title : str
    alt : str
        What it shows, in a sentence, for those who do not see it.
    draw : callable
        Draws on the matplotlib axes that it is given.
    width, height : float
        In inches.
    """

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
    """Text that keeps its lines and blanks, such as a tree.

    Attributes
    ----------
    title : str
    text : str
    """

    title: str
    text: str


# A string is a paragraph of plain text.
Block = str | Table | Figure | Listing


@dataclass(frozen=True)
class Part:
    """A chapter of a report.

    Attributes
    ----------
    name : str
        What links call it, of letters, digits, hyphens and underscores.
    title : str
    blocks : tuple of (str, Table, Figure or Listing)
    """

    name: str
    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class Report:
    """A whole report.

    Attributes
    ----------
    title : str
    about : tuple of (str, str)
        Where it comes from: the command, the data, the version.
    parts : tuple of Part

    Raises
    ------
    ValueError
        If two entries of `about`, two parts or two figures have one name.
    """

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
    r"""Replace the characters that a terminal would obey, or that UTF-8 cannot encode.

    Words of messages may hold any.

    Examples
    --------
    >>> printable("red: \x1b[31m")
    'red: �[31m'
    """
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
