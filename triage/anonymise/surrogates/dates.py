"""Surrogates of dates of birth, and of ages."""

import re
import unicodedata
from bisect import bisect
from collections.abc import Callable
from functools import partial

from triage.dictionaries.pack import Pack

from ..entity import Entity
from ..keys import Keyed
from ..written_dates import Part, WrittenDate, month_of, read_date
from .names import cased_like
from .numbers import code, code_like, other_signs
from .scope import Scope, Writer

# How far the year moves at most; farther where all dates are taken.
_YEARS = 3
_FIRST_YEAR, _YEARS_THERE_ARE = 1000, 9000
# Every month has so many days.
_DAYS, _MONTHS = 28, 12
_TWO_DIGITS = 10
# Ages stay in their band: pupils stay pupils, and who is of age stays so.
_BANDS: tuple[int, ...] = (0, 3, 6, 11, 15, 18, 21, 25, *range(30, 1_005, 5))
_AGE = re.compile("[0-9]{1,3}")
_AGES = re.compile("[0-9]{1,3}(?: [0-9]{1,3})*")


def birth_date(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make another date in the same form: another day and month, some years before or after."""
    date = read_date(reference, pack)
    if date is None:
        return partial(code_like, pack, other_signs(keyed, reference, longer))
    moved = (1 + keyed.below(_YEARS + longer)) * (1 - 2 * keyed.below(2))
    year = _FIRST_YEAR + (date.year + moved - _FIRST_YEAR) % _YEARS_THERE_ARE
    pairs = (date.day, _DAYS), (date.month, _MONTHS)
    day, month = (
        1 + keyed.below(most) if longer else _number_like(keyed, number, most)
        for number, most in pairs
    )
    return partial(_date_like, pack, WrittenDate(day, month, year, ()))


def _number_like(keyed: Keyed, number: int, most: int) -> int:
    """Return a number from 1 with as many digits."""
    if number < _TWO_DIGITS:
        return 1 + keyed.below(_TWO_DIGITS - 1)
    return _TWO_DIGITS + keyed.below(most - _TWO_DIGITS + 1)


def _date_like(pack: Pack, date: WrittenDate, written: str) -> str:
    written = unicodedata.normalize("NFKC", written)
    own = read_date(written, pack)
    if own is None:
        return f"{date.day:02}/{date.month:02}/{date.year:04}"
    for part, start, end in reversed(own.places):
        written = written[:start] + _part_like(pack, date, part, written[start:end]) + written[end:]
    return written


def _part_like(pack: Pack, date: WrittenDate, part: Part, written: str) -> str:
    """Return a part of a date as one is written: a month in words, a year of two digits."""
    if part is Part.MONTH and month_of(written, pack):
        month = pack.dates.names[date.month - 1]
        is_short = len(written) < len(pack.dates.names[month_of(written, pack) - 1])
        return cased_like(month[: _short(pack, month)] if is_short else month, written)
    if part is Part.YEAR:
        return f"{date.year:04}"[-len(written) :]
    width = len(written) if written.isdigit() else 1
    return f"{date.day if part is Part.DAY else date.month:0{width}}"


def _short(pack: Pack, month: str) -> int:
    """Return how many letters of a month tell it from the others."""
    return next(n for n in range(3, len(month) + 1) if month_of(month[:n], pack) or n == len(month))


def age(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes an age of the same band, another for each age of the band."""
    if not _AGES.fullmatch(reference):
        return code(scope, entity, reference)
    return partial(_age_like, partial(_moved, scope.key, entity.sender))


def _moved(key: bytes, sender: str, number: int) -> int:
    band = bisect(_BANDS, number)
    first, size = _BANDS[band - 1], _BANDS[band] - _BANDS[band - 1]
    step = 1 + Keyed(key, "age", sender, str(first)).below(size - 1)
    return first + (number - first + step) % size


def _age_like(moved: Callable[[int], int], written: str) -> str:
    written = unicodedata.normalize("NFKC", written)
    return _AGE.sub(lambda found: f"{moved(int(found[0])):0{len(found[0])}}", written)
