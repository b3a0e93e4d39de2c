"""Dates of messages, made coarser or shifted, and written as they were."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from triage.data import as_text

from .keyed import Keyed


class Dates(StrEnum):
    """What becomes of the date of a message.

    DAY, MONTH, YEAR: the rest of it goes. SHIFT: all dates of a sender by the same number of days.
    """

    KEEP = "keep"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    SHIFT = "shift"
    DROP = "drop"


# At most so many days forwards or backwards: the season is hidden, too.
_LONGEST_SHIFT = 365
# Beyond these years a date is a mistake, and shifting could leave the calendar.
_YEARS = range(1000, 9000)
_TIME = (
    r"(?P<time>(?:(?:T|,? (?:à )?)[0-9]{1,2}[:h][0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?)?)"
)
_YEAR_FIRST = (
    r"(?P<year>[0-9]{4})(?P<between>[-/.])(?P<month>[0-9]{1,2})(?P=between)(?P<day>[0-9]{1,2})"
)
_DAY_FIRST = (
    r"(?P<day>[0-9]{1,2})(?P<between>[-/.])(?P<month>[0-9]{1,2})(?P=between)(?P<year>[0-9]{4})"
)
_FORMS = tuple(re.compile(form + _TIME) for form in (_YEAR_FIRST, _DAY_FIRST))


@dataclass(frozen=True)
class _Written:
    """A date and how it is written."""

    day: date
    year_first: bool
    between: str
    width: int
    time: str

    def as_day(self) -> str:
        return self._joined(f"{self.day.day:0{self.width}}", self.as_month())

    def as_month(self) -> str:
        return self._joined(f"{self.day.month:0{self.width}}", f"{self.day.year}")

    def _joined(self, smaller: str, larger: str) -> str:
        parts = (larger, smaller) if self.year_first else (smaller, larger)
        return self.between.join(parts)


def _read(text: str) -> _Written | None:
    """Read a date as ISO 8601 or French writes it: 2011-09-17T10:12:25, 17/09/2011 10h12."""
    for form in _FORMS:
        found = form.fullmatch(text)
        if found and int(found["year"]) in _YEARS:
            try:
                day = date(int(found["year"]), int(found["month"]), int(found["day"]))
            except ValueError:
                return None
            width = min(len(found["month"]), len(found["day"]))
            return _Written(day, form is _FORMS[0], found["between"], width, found["time"])
    return None


def is_date(cell: object) -> bool:
    """Return whether a cell is a date that `changed` can change: typed, ISO 8601 or French.

    Examples
    --------
    >>> is_date("2011-09-17T10:12:25"), is_date("17/09/2011 à 10h12"), is_date("samedi")
    (True, True, False)
    """
    if isinstance(cell, date):
        return cell.year in _YEARS
    return isinstance(cell, str) and _read(cell.strip()) is not None


def is_missing(cell: object) -> bool:
    """Return whether a cell says nothing."""
    # Nothing but NaN differs from itself.
    return not as_text(cell).strip() or cell != cell


def changed(cell: object, how: Dates, days: int = 0) -> object:
    """Return a date as it is to be written; a missing one stays.

    Parameters
    ----------
    cell : object
        A typed date keeps its type unless only month or year are left; text keeps its form.
    how : Dates
    days : int
        By how many SHIFT moves it.

    Raises
    ------
    ValueError
        If it is neither missing nor a date.

    Examples
    --------
    >>> changed("17/09/2011 10:12", Dates.MONTH), changed("2011-12-31 23:59", Dates.SHIFT, 1)
    ('09/2011', '2012-01-01 23:59')
    """
    if is_missing(cell) or how is Dates.KEEP:
        return cell
    if isinstance(cell, date):
        return _changed_typed(cell, how, days)
    written = _read(as_text(cell).strip())
    if written is None:
        raise ValueError("no date")
    if how is Dates.SHIFT:
        shifted = replace(written, day=written.day + timedelta(days))
        return shifted.as_day() + written.time
    if how is Dates.YEAR:
        return f"{written.day.year}"
    return written.as_day() if how is Dates.DAY else written.as_month()


def _changed_typed(cell: date, how: Dates, days: int) -> object:
    if how is Dates.YEAR:
        return f"{cell.year}"
    if how is Dates.MONTH:
        return f"{cell.year}-{cell.month:02}"
    if not isinstance(cell, datetime):
        return cell + timedelta(days)
    if how is Dates.DAY:
        return datetime.combine(cell.date(), time(tzinfo=cell.tzinfo))
    return datetime.combine(cell.date() + timedelta(days), cell.timetz())


def shift_of(key: bytes, *whose: str) -> int:
    """Return by how many days dates are shifted, never by none.

    Parameters
    ----------
    key : bytes
    *whose : str

    Examples
    --------
    >>> shift_of(b"key", "sender", "s07") == shift_of(b"key", "sender", "s07")
    True
    """
    drawn = Keyed(key, "shift of dates", *whose).below(2 * _LONGEST_SHIFT)
    return drawn - _LONGEST_SHIFT if drawn < _LONGEST_SHIFT else drawn - _LONGEST_SHIFT + 1
