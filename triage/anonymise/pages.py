"""The page of what a check found, told in words and tables."""

import re
from collections.abc import Iterable, Iterator

from triage.reports.page import Block, Listing, Part, Report, Table, printable

from .check import Certainty, Checked, Left

_MOST_PLACES = 50
_WIDTH = 30
_BREAKS = re.compile(r"\s")
_TITLES = {
    Certainty.CERTAIN: "Certain: most probably identify somebody",
    Certainty.LIKELY: "Likely: worth a look",
    Certainty.POSSIBLE: "Possible: most identify nobody",
}


_HOLDS_WORDS = (
    "This page holds words of messages: it may identify people. triage mine asks of each "
    "spelling whether it is to be replaced."
)


def page_of_check(checked: Checked) -> Report:
    """Return the page of what was found."""
    sought = "names and forms alone" if checked.replaced is None else f"{checked.replaced:,}"
    about = (
        ("Rows looked through", f"{checked.rows:,}"),
        ("Spellings replaced", sought),
        ("Result", checked.result),
    )
    rows = [(*kind, n) for kind, n in checked.counts().items()]
    columns = {"certainty": "", "severity": "", "reason": "", "findings": ",d"}
    blocks: list[Block] = [_HOLDS_WORDS, Table("Findings by reason", columns, rows)]
    whole = [(one.row, one.certainty.value, one.reason) for one in checked.left if not one.text]
    if whole:
        columns = {"row": ",d", "certainty": "", "reason": ""}
        blocks.append(Table("Whole messages", columns, whole))
    parts = [Part("summary", "Findings", tuple(blocks))]
    spellings = checked.spellings()
    for certainty, title in _TITLES.items():
        found = [one for one in spellings if one[0].certainty is certainty]
        if found:
            parts.append(Part(certainty.value, title, (_table(found), *map(_places, found))))
    return Report("What an anonymised file still holds", about, tuple(parts))


def _table(found: list[list[Left]]) -> Table:
    rows = [(one[0].text, len(one), one[0].replaced, one[0].reason) for one in found]
    columns = {"spelling": "", "left": ",d", "replaced elsewhere": ",d", "why": ""}
    return Table("By spelling", columns, rows)


def _places(spelling: list[Left]) -> Listing:
    lines = [*lines_of(spelling[:_MOST_PLACES])]
    if more := len(spelling) - len(lines):
        lines.append(f"  and {more:,} more")
    return Listing(spelling[0].text, "\n".join(lines))


def lines_of(places: Iterable[Left]) -> Iterator[str]:
    """Yield a line for each place; characters that control a terminal are replaced."""
    for one in places:
        left, right = one.before[-_WIDTH:].rjust(_WIDTH), one.behind[:_WIDTH].ljust(_WIDTH)
        where = f"row {one.row}" if one.row else "header"
        line = _BREAKS.sub(" ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {where}, {one.column}")
