"""A report as GitHub's Markdown."""

import re
from collections.abc import Iterable
from urllib.parse import quote

from triage.reports.document import Block, Figure, Listing, Part, Report, Table, printable

# Also `$`, which starts a formula at GitHub. An underscore within a word emphasises nothing, and an
# ampersand that starts no entity is one.
_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
# What starts a heading, a list, a rule or a quotation.
_START = re.compile(r"^(\d*)([#+\-.)](?=[\s#-]|$)|>)")


def report_markdown(report: Report, figures: str = "figures") -> str:
    r"""Return a report as GitHub's Markdown.

    Parameters
    ----------
    report : Report
        Its texts are plain: what Markdown would read as marks is escaped.
    figures : str
        The folder with the figures as PNG, as seen from the Markdown file.

    Returns
    -------
    str
        Ends with a line end.

    Examples
    --------
    >>> from triage.reports.document import Column
    >>> table = Table("Leak", (Column("policy"), Column("leak", ".1%")), (("a|b", 0.02),))
    >>> report = Report("Results", (("seed", "0"),), (Part("leak", "Leak", (table,)),))
    >>> print(report_markdown(report))
    # Results
    <BLANKLINE>
    - **seed**: 0
    <BLANKLINE>
    ## Leak
    <BLANKLINE>
    **Leak**
    <BLANKLINE>
    | policy | leak |
    | :--- | ---: |
    | a\|b | 2.0% |
    """
    about = "\n".join(f"- **{_inline(term)}**: {_inline(value)}" for term, value in report.about)
    parts = (_part(part, figures) for part in report.parts)
    return printable(_stacked(f"# {_inline(report.title)}", about, *parts) + "\n")


def _part(part: Part, figures: str) -> str:
    return _stacked(f"## {_inline(part.title)}", *(_block(block, figures) for block in part.blocks))


def _block(block: Block, figures: str) -> str:
    match block:
        case str():
            return _paragraph(block)
        case Table():
            return _stacked(_title(block.title), _table(block), _paragraph(block.note))
        case Figure():
            image = f"![{_inline(block.alt)}]({quote(f'{figures}/{block.name}.png')})"
            return _stacked(_title(block.title), image)
        case Listing():
            return _stacked(_title(block.title), _fenced(block.text))


def _stacked(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)


def _title(title: str) -> str:
    return f"**{_inline(title)}**" if title else ""


def _paragraph(text: str) -> str:
    return _START.sub(r"\1\\\2", _inline(text))


def _table(table: Table) -> str:
    rule = ("---:" if right else ":---" for right in table.to_the_right)
    rows = (map(_inline, row) for row in [table.headings, *table.shown_rows()])
    heading, *body = map(_row, rows)
    return "\n".join([heading, _row(rule), *body])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fenced(text: str) -> str:
    """Put text between fences longer than any within it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _inline(text: str) -> str:
    """Return plain text on one line, such that Markdown shows it as it is."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split())).replace("<", "&lt;")
