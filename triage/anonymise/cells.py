"""Values of cells outside of messages: dates that are changed, and telephone numbers."""

import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from triage.data import as_text
from triage.data.dates import WrittenDate, epoch_day, read_date, read_epoch

from ..settings import Dates
from .keys import Keyed

# At most so many days forwards or backwards: the season is hidden, too.
_LONGEST_SHIFT = 365
# Beyond these years a date is a mistake, and shifting could leave the calendar.
_YEARS = range(1000, 9000)
_PARTS = {
    Dates.DAY: ("year", "month", "day"),
    Dates.MONTH: ("year", "month"),
    Dates.YEAR: ("year",),
}
_AS_ISO = {Dates.DAY: "%Y-%m-%d", Dates.MONTH: "%Y-%m", Dates.YEAR: "%Y"}


def is_date(cell: object) -> bool:
    """Return whether a cell is a date by its type or as it is written, and no mere number."""
    if isinstance(cell, date):
        return cell.year in _YEARS
    return isinstance(cell, str) and _written(cell) is not None


def is_date_or_epoch(cell: object) -> bool:
    """Return whether `change_date` can change a cell of a column of dates."""
    return is_date(cell) or read_epoch(cell) is not None


def _written(text: str) -> tuple[WrittenDate, date] | None:
    found = read_date(text.strip())
    day = found and found.day
    return (found, day) if found and day and day.year in _YEARS else None


def is_blank(cell: object) -> bool:
    """Return whether a cell says nothing."""
    # Nothing but NaN differs from itself.
    return not as_text(cell).strip() or cell != cell


def change_date(cell: object, how: Dates, days: int = 0) -> object:
    """Return a date as it is to be written; a blank one stays, SHIFT moves it by some days."""
    if is_blank(cell) or how is Dates.KEEP:
        return cell
    if isinstance(cell, date):
        return _change_typed(cell, how, days)
    if written := _written(as_text(cell)):
        found, day = written
        if how is Dates.SHIFT:
            return found.with_day(day + timedelta(days))
        return found.only(*_PARTS[how])
    moment = read_epoch(cell)
    if moment is None:
        raise ValueError("no date")
    if how is not Dates.SHIFT:
        return moment.strftime(_AS_ISO[how])
    moved = int(str(cell)) + days * epoch_day(cell)
    return moved if isinstance(cell, int) else str(moved)


def _change_typed(cell: date, how: Dates, days: int) -> object:
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
    """Return by how many days dates are shifted, never by none."""
    drawn = Keyed(key, "shift of dates", *whose).below(2 * _LONGEST_SHIFT)
    return drawn - _LONGEST_SHIFT if drawn < _LONGEST_SHIFT else drawn - _LONGEST_SHIFT + 1


_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_SEPARATED = re.compile(r"[+(]{0,2}[0-9][0-9 ().,/+\u00a0\u202f-]*")
# French numbers with or without their zero, which a spreadsheet takes off a number, and numbers
# with the code of a country. Seconds since 1970 begin with 1.
_TELEPHONE = re.compile(
    "(?:0|(?:00)?33)?[1-9][0-9]{8}|(?!(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2]))(?:00)?[2-9][0-9]{10,12}"
)
_WITHIN = re.compile("(?<![0-9])(?:33|0)?[67][0-9]{8}(?![0-9])")
# Numbers in a run have hardly a gap; telephone numbers have millions.
_WIDEST_GAP = 100
_FEWEST = 3


def telephone_in(cell: str) -> str:
    """Return the digits of a telephone number that a cell holds by itself; empty without one."""
    if _DECIMAL.fullmatch(cell) and not cell.isdecimal():
        value = float(cell)
        digits = str(int(value)) if value.is_integer() else ""
    elif _THOUSANDS.fullmatch(cell) or _SEPARATED.fullmatch(cell):
        digits = "".join(filter(str.isdecimal, cell))
    else:
        found = _WITHIN.search(cell)
        return found[0] if found else ""
    return digits if _TELEPHONE.fullmatch(digits) else ""


def is_run(numbers: Iterable[str]) -> bool:
    """Return whether numbers follow each other, as ids do, with few gaps and none twice."""
    found = sorted(map(int, numbers))
    if len(found) < _FEWEST:
        return not found
    return len(set(found)) == len(found) and found[-1] - found[0] < _WIDEST_GAP * len(found)
