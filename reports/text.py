"""A part of a report for the terminal."""

import textwrap

from triage.reports.document import Block, Figure, Listing, Part, Table, printable

_WIDTH = 88
_GAP = "  "


def part_text(part: Part) -> str:
    """Return a part as text in lines, with aligned tables and without its figures.

    Parameters
    ----------
    part : Part

    Returns
    -------
    str
        Without a line end after the last line.

    Examples
    --------
    >>> from triage.reports.document import Column
    >>> columns = Column("model"), Column("accuracy", ".1%"), Column("accuracy", ".1%", paper=True)
    >>> table = Table("Table 6", columns, (("tree", 0.8512, 0.87), ("baseline", 0.5, None)))
    >>> print(part_text(Part("folds", "Cross-validation", ("Ten folds.", table))))
    Cross-validation
    ================
    <BLANKLINE>
    Ten folds.
    <BLANKLINE>
    Table 6
    <BLANKLINE>
    model     accuracy  accuracy (paper)
    --------  --------  ----------------
    tree         85.1%             87.0%
    baseline     50.0%
    """
    title = f"{part.title}\n{'=' * len(part.title)}"
    return printable(_stacked(title, *map(_block, part.blocks)))


def _block(block: Block) -> str:
    match block:
        case str():
            return _wrapped(block)
        case Table():
            return _stacked(block.title, _table(block), _wrapped(block.note))
        case Listing():
            return _stacked(block.title, block.text.rstrip("\n"))
        case Figure():
            return ""


def _stacked(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(table: Table) -> str:
    headings, rows = table.headings, table.shown_rows()
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    to_the_right = table.to_the_right
    return "\n".join(_line(cells, widths, to_the_right) for cells in [headings, rule, *rows])


def _line(cells: list[str], widths: list[int], to_the_right: list[bool]) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, to_the_right, strict=True)
    )
    return _GAP.join(padded).rstrip()
