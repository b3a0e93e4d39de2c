"""Dates of birth as people write them: what their parts say, and where these stand."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

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


_DAY, _MONTH, _YEAR = Part
# What numbers (d: of two digits, y: of four, n: others) and months in words (m) are, in order.
_ORDERS = {
    re.compile("[dn][dnm][dny]"): (_DAY, _MONTH, _YEAR),
    re.compile("y[dn][dn]"): (_YEAR, _MONTH, _DAY),
    re.compile("[dn][dnm]"): (_DAY, _MONTH),
    re.compile("m[dny]|[dn]y"): (_MONTH, _YEAR),
    re.compile("[dy]"): (_YEAR,),
}


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


def read_date(text: str, pack: Pack) -> WrittenDate | None:
    """Read a date; return None where the text is none."""
    spans = _spans(text, pack)
    shape = "".join(_sign(text[start:end], pack) for start, end in spans)
    order = next((order for form, order in _ORDERS.items() if form.fullmatch(shape)), ())
    if not order:
        return None
    places = tuple((part, *span) for part, span in zip(order, spans, strict=True))
    found = dict.fromkeys(Part, 0)
    for part, start, end in places:
        token = text[start:end]
        found[part] = month_of(token, pack) or int(re.sub("[^0-9]", "", token))
    day, month, year = (found[part] for part in Part)
    if _YEAR in order and year < 100:
        year += 1900 if year >= _CENTURY_FROM else 2000
    if day > _LAST_DAY or month > _LAST_MONTH:
        return None
    return WrittenDate(day, month, year, places)


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


def _spans(text: str, pack: Pack) -> list[tuple[int, int]]:
    """Return where the numbers and the names of months of a text stand."""
    tokens = _token(pack).finditer(text)
    spans = [one.span() for one in tokens if "0" <= one[0][0] <= "9" or month_of(one[0], pack)]
    if len(spans) == 1 and text[slice(*spans[0])].isdigit():
        start, end = spans[0]
        if widths := _RUNS.get(end - start):
            starts = [start + sum(widths[:i]) for i in range(len(widths))]
            return [(one, one + width) for one, width in zip(starts, widths, strict=True)]
    return spans


def _sign(token: str, pack: Pack) -> str:
    """Return what a token of a date may be, as in `_ORDERS`."""
    if month_of(token, pack):
        return "m"
    return {2: "d", _YEAR_DIGITS: "y"}.get(len(token), "n")
