"""The page of what a check found: counts, and each spelling with its places; it holds messages."""

from collections.abc import Iterator

from triage.reports.document import Block, Listing, Part, Report, Table

from .check import Checked, LeftSpelling
from .concordance import lines_of
from .grading import Certainty

_MOST_PLACES = 50
_TITLES = {
    Certainty.CERTAIN: "Certain: most probably identify somebody",
    Certainty.LIKELY: "Likely: worth a look",
    Certainty.POSSIBLE: "Possible: most identify nobody",
}


def page(checked: Checked) -> Report:
    """Return the page of what was found."""
    sought = "names and forms alone" if checked.replaced is None else f"{checked.replaced:,}"
    about = (
        ("Rows looked through", f"{checked.rows:,}"),
        ("Spellings replaced", sought),
        ("Result", "nothing certain is left" if checked.is_clean else "NOT clean"),
    )
    parts = [Part("summary", "Findings", (*_summary(checked),))]
    spellings = checked.spellings()
    for certainty, title in _TITLES.items():
        found = [one for one in spellings if one.first.certainty is certainty]
        if found:
            parts.append(Part(certainty.value, title, (_table(found), *map(_places, found))))
    return Report("What an anonymised file still holds", about, tuple(parts))


def _summary(checked: Checked) -> Iterator[Block]:
    yield (
        "This page holds words of messages: it may identify people. triage mine asks of each "
        "spelling whether it is to be replaced."
    )
    rows = [(*kind, n) for kind, n in checked.counts().items()]
    columns = {"certainty": "", "severity": "", "reason": "", "findings": ",d"}
    yield Table("Findings by reason", columns, rows)
    whole = [(one.row, one.certainty.value, one.reason) for one in checked.left if not one.text]
    if whole:
        yield Table("Whole messages", {"row": ",d", "certainty": "", "reason": ""}, whole)


def _table(found: list[LeftSpelling]) -> Table:
    rows = [
        (one.first.text, len(one.places), one.first.replaced, one.first.reason) for one in found
    ]
    columns = {"spelling": "", "left": ",d", "replaced elsewhere": ",d", "why": ""}
    return Table("By spelling", columns, rows)


def _places(spelling: LeftSpelling) -> Listing:
    lines = [*lines_of(spelling.places[:_MOST_PLACES])]
    if more := len(spelling.places) - len(lines):
        lines.append(f"  and {more:,} more")
    return Listing(spelling.first.text, "\n".join(lines))
