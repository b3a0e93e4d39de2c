"""Dates of birth as people write them: what their parts say, and where these stand."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import any_of

_SHORTEST_MONTH = 3
# Digits without a sign between them: 12031987, 120387.
_RUNS = {8: (2, 2, 4), 6: (2, 2, 2)}
_YEAR_DIGITS = 4
_LAST_DAY, _LAST_MONTH = 31, 12
# Two digits from here on are of the last century.
_CENTURY_FROM = 30


class Part(StrEnum):
    """A part of a date."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True)
class WrittenDate:
    """A date in a text: its parts, and where they stand there, in order."""

    day: int
    month: int
    year: int
    places: tuple[tuple[Part, int, int], ...]

    @property
    def name(self) -> str:
        """What all ways to write this date have in common."""
        return f"{self.year:04}-{self.month:02}-{self.day:02}"


class _Token(NamedTuple):
    start: int
    end: int
    text: str


def read_date(text: str, pack: Pack) -> WrittenDate | None:
    """Read a date; return None where the text is none."""
    tokens = _tokens(text, pack)
    order = _order(tokens, pack)
    if not order:
        return None
    found = dict.fromkeys(Part, 0)
    for part, token in zip(order, tokens, strict=True):
        found[part] = month_of(token.text, pack) or int(re.sub("[^0-9]", "", token.text))
    day, month, year = (found[part] for part in Part)
    if Part.YEAR in order and year < 100:
        year += 1900 if year >= _CENTURY_FROM else 2000
    if day > _LAST_DAY or month > _LAST_MONTH:
        return None
    places = ((part, token.start, token.end) for part, token in zip(order, tokens, strict=True))
    return WrittenDate(day, month, year, tuple(places))


def month_of(word: str, pack: Pack) -> int:
    """Return the month that a word names, in full or short; 0 where it names none."""
    folded = fold(word)
    if len(folded) < _SHORTEST_MONTH:
        return 0
    found = [i for i, month in enumerate(_folded(pack), 1) if month.startswith(folded)]
    return found[0] if len(found) == 1 else 0


@cache
def _folded(pack: Pack) -> tuple[str, ...]:
    return tuple(map(fold, pack.dates.names))


@cache
def _token(pack: Pack) -> re.Pattern[str]:
    ordinal = any_of(pack.dates.ordinals)
    return re.compile(rf"[0-9]{{1,8}}(?:{ordinal}\b)?|[^\W\d_]{{1,12}}", re.IGNORECASE)


def _tokens(text: str, pack: Pack) -> list[_Token]:
    """Return the numbers and names of months of a text."""
    matches = [match for match in _token(pack).finditer(text) if _says_something(match[0], pack)]
    if len(matches) == 1 and (widths := _RUNS.get(len(matches[0][0]))):
        ends = [matches[0].start() + sum(widths[: i + 1]) for i in range(len(widths))]
        starts = [matches[0].start(), *ends]
        return [_Token(a, b, text[a:b]) for a, b in zip(starts, ends, strict=False)]
    return [_Token(*match.span(), match[0]) for match in matches]


def _says_something(token: str, pack: Pack) -> bool:
    return "0" <= token[0] <= "9" or month_of(token, pack) > 0


def _order(tokens: list[_Token], pack: Pack) -> tuple[Part, ...]:
    """Return which part of a date each token is; nothing where they are none."""
    named = tuple(month_of(token.text, pack) > 0 for token in tokens)
    is_long = tuple(
        len(token.text) == _YEAR_DIGITS and not month_of(token.text, pack) for token in tokens
    )
    day, month, year = Part
    match named, is_long:
        case ((False, True, False), (False, _, _)) | ((False, False, False), (False, False, _)):
            return day, month, year
        case ((False, False, False), (True, False, False)):
            return year, month, day
        case ((False, True), (False, _)) | ((False, False), (False, False)):
            return day, month
        case ((True, False), _) | ((False, False), (False, True)):
            return month, year
        case ((False,), _) if len(tokens[0].text) in (2, _YEAR_DIGITS):
            return (year,)
    return ()
