"""Findings of a check, each with how sure it is, told as facts, as lines and as a page."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from triage.dictionaries.normal import folded
from triage.reports.page import Listing, Report, printable

from ..vocabulary import Severity
from .words import TEXTS

Certainty = StrEnum("Certainty", ["UNDECIDED", "ADDED", "CERTAIN", "LIKELY", "POSSIBLE", "PLANNED"])
# Nothing is published while there is something of these.
OPEN = frozenset({Certainty.UNDECIDED, Certainty.ADDED, Certainty.CERTAIN})
# What is found beside messages and columns is told as of this column.
DOCUMENT = "document"
# So many characters stand around a finding.
CONTEXT = 40
# What of a finding identifies somebody.
SHOWN = ("before", "text", "behind")
ORDER: dict[str, int] = {certainty.value: place for place, certainty in enumerate(Certainty)}


@dataclass(frozen=True)
class Left:
    certainty: Certainty
    reason: str
    severity: Severity | None
    row: int
    column: str = ""
    start: int = 0
    replaced: int = 0
    before: str = ""
    text: str = ""
    behind: str = ""


def grouped(left: Iterable[Left], key: Callable[[Left], Hashable]) -> list[list[Left]]:
    """Return findings by a key, the most certain and most frequent first."""
    by = defaultdict[Hashable, list[Left]](list)
    for one in sorted(left, key=lambda one: ORDER[one.certainty]):
        by[key(one)].append(one)
    return sorted(by.values(), key=lambda of: (ORDER[of[0].certainty], -len(of)))


@dataclass
class Checked:
    """Findings in a file, the number of spellings looked for, and the residue to be expected.

    `further` are those in files that hold its messages again: what stands there and not in it.
    """

    rows: int
    replaced: int | None
    left: list[Left]
    sought: str = "names and forms alone, which surrogates have too: nothing to compare with"
    expected: str = ""
    further: dict[str, "Checked"] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """True if nothing certain is left, and each message was decided and has an original."""
        return all(one.certainty not in OPEN for one in self.left)

    @property
    def result(self) -> str:
        """The verdict, with the residue that is to be expected where nothing certain is left."""
        if not self.is_clean:
            line = "NOT clean: something certain is left, or a message that nobody decided"
            if self.replaced is not None or all(not one.text for one in self.left):
                return line
            return f"{line}; surrogates look so, too: --key-table or --against tells them apart"
        expected = f"; to be expected: {self.expected}" if self.expected else ""
        known = any(one.certainty is not Certainty.PLANNED for one in self.left)
        return f"nothing {'certain' if known else 'known'} is left{expected}"

    def keep(self, is_answered: Callable[[Left], bool]) -> "Checked":
        """Return the same, with the findings that people answered as kept by choice."""
        left = [
            replace(one, certainty=Certainty.PLANNED) if is_answered(one) else one
            for one in self.left
        ]
        return replace(self, left=left)

    def spellings(self) -> list[list[Left]]:
        def alike(one: Left) -> tuple[str, str, str]:
            return folded(one.text), one.reason, one.severity or ""

        written = (one for one in self.left if one.text)
        return grouped(sorted(written, key=alike), lambda one: (one.certainty, *alike(one)))

    def counts(self) -> dict[tuple[str, str, str], int]:
        found = Counter((str(one.certainty), one.severity or "", one.reason) for one in self.left)
        return dict(sorted(found.items(), key=lambda pair: (ORDER[pair[0][0]], pair[0])))

    def facts(self) -> dict[str, Any]:
        """Return what a record tells of it: counts alone."""
        found = [
            {"certainty": sure, "severity": str(grave), "reason": reason, "findings": n}
            for (sure, grave, reason), n in self.counts().items()
        ]
        told = {"rows": self.rows, "spellings": self.replaced, "clean": self.is_clean}
        return told | {"found": found}


def title_of(places: Sequence[Left]) -> str:
    """Return a spelling as it is written first, how often it stands and was replaced, and why."""
    one = places[0]
    sure = " ".join(filter(None, (one.certainty, one.severity)))
    replaced = f", {one.replaced:,} replaced" if one.replaced else ""
    text = printable(" ".join(one.text.split()))
    return f"{sure}: {text} ({len(places):,} left{replaced}): {one.reason}"


_MOST_PLACES = 50
_WIDTH = 30


def page_of_check(checked: Checked) -> Report:
    sought = TEXTS.said("left.forms") if checked.replaced is None else f"{checked.replaced:,}"
    about = (
        ("Rows looked through", f"{checked.rows:,}"),
        ("Spellings replaced", sought),
        ("Result", checked.result),
    )
    by_reason = TEXTS.table(
        "summary.by_reason", [(*kind, n) for kind, n in checked.counts().items()]
    )
    whole = [(one.row, one.certainty.value, one.reason) for one in checked.left if not one.text]
    tables = [by_reason, *([TEXTS.table("summary.whole", whole)] if whole else [])]
    parts = [TEXTS.part("summary", TEXTS.said("summary.holds_words"), *tables)]
    for sure in (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE):
        if found := [one for one in checked.spellings() if one[0].certainty is sure]:
            rows = [(one[0].text, len(one), one[0].replaced, one[0].reason) for one in found]
            spelt = TEXTS.table("summary.by_spelling", rows)
            parts.append(TEXTS.part(sure.value, spelt, *map(_places, found)))
    return Report(TEXTS.said("check.title"), about, tuple(parts))


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
        line = re.sub(r"\s", " ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {where}, {one.column}")
