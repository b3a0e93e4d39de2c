"""Words in their context (KWIC), one below the other."""

import re
from collections.abc import Iterable, Iterator

from triage.reports.document import printable

from .check import Left

_WIDTH = 30
_BREAKS = re.compile(r"\s")


def lines_of(places: Iterable[Left]) -> Iterator[str]:
    """Yield a line for each place; characters that control a terminal are replaced."""
    for one in places:
        left, right = one.before[-_WIDTH:].rjust(_WIDTH), one.behind[:_WIDTH].ljust(_WIDTH)
        where = f"row {one.row}" if one.row else "header"
        line = _BREAKS.sub(" ", f"{left}[{one.text}]{right}")
        yield printable(f"  {line}  {where}, {one.column}")
