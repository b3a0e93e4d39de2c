"""Dates in XLSX: numbers of days that a format shows as dates."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

ShownAs = Callable[[float, bool], object]
"""Makes a date of a number of days; the second argument: whether days count from 1904."""

_DATES = {*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)}
_ELAPSED_TIME = 46
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_NO_FIELD = re.compile(r'"[^"]*"|\[[^\]]*\]|[\\_*].')
_FIELD = re.compile("[dmyhs]", re.IGNORECASE)
# Excel counts a 29 February 1900, so that days before are one off.
_BASE, _BASE_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_MARCH_1900 = 60
_MS_OF_DAY = 86_400_000
_LAST_DAY = 2_957_000


def shown_by(number: str, code: str | None) -> ShownAs | None:
    """Return what a number format makes of numbers; None where they stay numbers.

    Parameters
    ----------
    number : str
        Of the format; those below 164 are known to every program.
    code : str, optional
        How a format of the file's own is written.

    Examples
    --------
    >>> shown_by("164", "yyyy-mm-dd")(40801.0, False)
    datetime.date(2011, 9, 15)
    >>> shown_by("165", '[Red]0.0" days"') is None
    True
    """
    if code is None:
        known = int(number) if number.isdecimal() and len(number) < len("164") else 0
        if known == _ELAPSED_TIME:
            return _duration
        return _date if known in _DATES else None
    first = code.partition(";")[0]
    if _ELAPSED.search(first):
        return _duration
    is_date = first.lower() != "general" and _FIELD.search(_NO_FIELD.sub("", first))
    return _date if is_date else None


def iso_date(told: str) -> object:
    """Return the date that is written as ISO 8601 has it; what is none as it is.

    Examples
    --------
    >>> iso_date("2011-09-15T07:28:00"), iso_date("Coucou")
    (datetime.datetime(2011, 9, 15, 7, 28), 'Coucou')
    """
    try:
        return datetime.fromisoformat(told) if "T" in told else date.fromisoformat(told)
    except ValueError:
        return told


def _duration(days: float, from_1904: bool) -> object:  # noqa: ARG001
    return timedelta(milliseconds=round(days * _MS_OF_DAY)) if abs(days) < _LAST_DAY else days


def _date(days: float, from_1904: bool) -> object:
    """Return a date, a time, or both: the time alone within the first day."""
    if not 0 <= days < _LAST_DAY:
        return days
    elapsed = timedelta(milliseconds=round(days * _MS_OF_DAY))
    if elapsed < timedelta(days=1):
        return (datetime.min + elapsed).time()
    if not from_1904:
        elapsed += timedelta(days=days < _MARCH_1900)
    found = (_BASE_1904 if from_1904 else _BASE) + elapsed
    return found.date() if found.time() == time() else found
