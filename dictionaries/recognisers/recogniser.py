"""Recognisers: an expression, a validity check and a score for each form of identifiers."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import NEVER

# The group of an expression that is the identifier, where it is not the whole match.
FOUND = "found"
_BY = "by"


class Place(NamedTuple):
    """The places of a find: the last piece with a letter, or beside or in what announces it."""

    # An expression of the shape of its piece (`triage.dictionaries.recognisers.search`).
    shape: str
    announced: frozenset[str] | str = ""
    # What announces it stands in this piece or so many pieces behind.
    offset: int = -1


@dataclass(frozen=True, slots=True)
class Recogniser:
    r"""Finds the identifiers of one form."""

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

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where the identifiers of a legible text stand."""
        form = self.form
        group = FOUND if FOUND in form.groupindex else 0
        for match in form.finditer(text):
            if self.announcer and not self.announcer(match[_BY]):
                continue
            start, _ = match.span(group)
            found = self._valid(match[group] or "")
            if found:
                yield start, start + len(found)

    def _valid(self, found: str) -> str:
        """Return the valid beginning of what was found: all of it, unless it may be shortened."""
        while found:
            found = found.rstrip(self.trim) if self.trim else found
            if self.check is None or self.check(found):
                return found
            found = "".join(found.rsplit(None, 1)[:-1]) if self.is_shortened else ""
        return ""


def any_of(expressions: Iterable[str]) -> str:
    """Return an expression for any of several, of which the first that matches counts."""
    parts: list[str] = []
    behind: dict[str, list[str]] = {}
    for expression in expressions:
        if _WITH_LETTER.fullmatch(expression):
            behind.setdefault(expression[0], []).append(expression[1:])
        else:  # it may match where others do: their order stays
            parts += [*_together(behind), expression]
            behind = {}
    return f"(?:{'|'.join([*parts, *_together(behind)]) or NEVER})"


# A letter that is not repeated, and no alternatives but between parentheses.
_PLAIN = r"[^|()\[\]\\]|\[[^]()]*\]|\\[^()]"
_WITH_LETTER = re.compile(
    rf"[a-zà-ÿ](?![*+?{{])(?:{_PLAIN}|\((?:{_PLAIN}|\||\((?:{_PLAIN}|\|)*\))*\))*"
)


def _together(behind: dict[str, list[str]]) -> list[str]:
    """Return expressions by their first letter and what may stand behind it."""
    return [
        letter + (rest[0] if len(rest) == 1 else f"(?:{'|'.join(rest)})")
        for letter, rest in behind.items()
    ]
