"""Recognisers: an expression, a validity check and a score for each form of identifiers."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..kinds import Kind
from ..normal import fold
from ..pack import NEVER

# The group of an expression that is the identifier, where it is not the whole match.
FOUND = "found"
# The group of what announces it, which is a first name.
BY = "by"
# Since when a person is known.
_YEAR = re.compile(r" \d{4}\Z")


class Place(NamedTuple):
    """The places of a find: the last piece with a letter, or beside or in what announces it."""

    # An expression of the shape of its piece (`triage.dictionaries.recognisers.search`).
    shape: str
    announced: frozenset[str] | str = ""
    # What announces it stands in this piece or so many pieces behind.
    offset: int = -1


@dataclass(frozen=True, slots=True)
class Recogniser:
    """Finds the identifiers of one form."""

    name: str
    kind: Kind
    form: re.Pattern[str]
    # Sets of texts: a message that holds no text of one of them is not searched.
    gates: tuple[frozenset[str], ...] = ()
    check: Callable[[str], bool] | None = None
    score: float = 0.8
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    is_on: bool = True
    digits: int = 0
    trim: str = ""
    is_shortened: bool = False
    place: Place | None = None
    announcer: Callable[[str], bool] | None = None
    # Where the whole identifier stands, of which a match is but a part.
    around: Callable[[re.Match[str]], tuple[int, int] | None] | None = None

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where the identifiers of a legible text stand."""
        form = self.form
        group = FOUND if FOUND in form.groupindex else 0
        for match in form.finditer(text):
            if self.announcer and not self.announcer(match[BY]):
                continue
            if self.around:
                if whole := self.around(match):
                    yield whole
                continue
            start, found = match.start(group), match[group] or ""
            # The valid beginning of what was found: all of it, unless it may be shortened.
            while found := found.rstrip(self.trim) if self.trim else found:
                if self.check is None or self.check(found):
                    yield start, start + len(found)
                    break
                found = "".join(found.rsplit(None, 1)[:-1]) if self.is_shortened else ""


def any_of(expressions: Iterable[str]) -> str:
    """Return an expression for any of several, of which the first that matches counts."""
    return f"(?:{'|'.join(expressions) or NEVER})"


_WRITTEN = {
    of[0]: f"[{of}]" for of in ("aàâäáãå", "cç", "eéèêë", "iîïíì", "nñ", "oôöóòõ", "uùûü", "yÿ")
}
_WRITTEN |= {" ": "[ -]{1,2}+", "'": "['’]"}


def any_name(names: Iterable[str]) -> str:
    """Return the expression of any of some names, the longest first, beginnings shared."""
    tree: dict[str, Any] = {}
    for name in sorted(names):
        node, plain = tree, fold(_YEAR.sub("", name)).replace("-", " ").replace("’", "'")
        for letter in " ".join(plain.split()):
            node = node.setdefault(letter, {})
        node[""] = {}
    return _branch(tree) if tree else NEVER


def _branch(tree: dict[str, Any]) -> str:
    ways = [
        _WRITTEN.get(letter, re.escape(letter)) + _branch(rest)
        for letter, rest in tree.items()
        if letter
    ]
    if not ways:
        return ""
    if "" in tree:
        return f"(?:{'|'.join(ways)})?"
    return any_of(ways) if len(ways) > 1 else ways[0]
