"""Dates of birth, birthdays, and ages: "34 ans", not "il y a 3 ans" nor "3 ans d'ancienneté"."""

import re
from collections.abc import Callable, Sequence
from datetime import date

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_FIRST_YEAR = 1900
# In 2000 each day is real; of years in two digits those are leap years that are so in 20xx.
_LEAP_YEAR = 2000
_SHORT = 100
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:(?:19|20)\d\d|['’]?\d\d)"
_NUMERIC = (
    rf"{_DAY}(?: ?[/.-] ?){_MONTH}(?:(?: ?[/.-] ?){_YEAR})?|{_DAY} {_MONTH} {_YEAR}"
    rf"|(?:19|20)\d\d[/.-]\d\d[/.-]\d\d|\d\d\d\d(?:\d\d){{1,2}}"
)
_END = r"(?!\w|[/:€%]|[.,-]\d)"
_GAP = r"[ ,:=()?'’\n]{1,3}"
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[^\W\d_]{3,}")


def births(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of dates and years of birth."""
    birth, months = pack.birth, pack.dates.months
    written = rf"{_DAY}{birth.of_month}{any_of(months)}\.?(?:[ .-]{{0,2}}{_YEAR}(?!\d|h))?"
    day = rf"(?:{_NUMERIC}|{written}){_END}"
    filler = rf"(?:{_GAP}{any_of(birth.between)}(?!\w)){{0,6}}"
    born = rf"{any_of(birth.born)}(?!\w)"
    announced = rf"(?:{born}|{any_of(birth.triggers)}(?!\w){birth.not_of_people})"
    behind = rf"(?<!\w){announced}{filler}{_GAP}(?P<{FOUND}>{day})"
    before = (
        rf"(?<![\w/.,-])(?P<{FOUND}>{day})(?:{_GAP}{any_of(birth.between_behind)}){{0,4}}(?:{_GAP}|['’])"
        rf"{any_of(birth.triggers)}(?!\w){birth.not_of_people}"
    )
    month_and_year = rf"(?P<{FOUND}>(?:{any_of(months)} )?{_YEAR})"
    year = rf"(?<!\w){born}{filler}{_GAP}{any_of(birth.year_links)} {month_and_year}{_END}"
    is_date = _date_check(months)
    return (
        Recogniser(
            "birth_date",
            Kind.DDN,
            re.compile(f"(?i:{behind})"),
            gate="[0-9]",
            near=birth.near,
            check=is_date,
            score=0.93,
        ),
        Recogniser(
            "birth_date_before",
            Kind.DDN,
            re.compile(f"(?i:{before})"),
            gate="[0-9]",
            near=birth.near,
            check=is_date,
            score=0.92,
        ),
        Recogniser(
            "birth_year",
            Kind.DDN,
            re.compile(f"(?i:{year})"),
            gate="[0-9]",
            near=birth.near,
            score=0.8,
        ),
    )


def _date_check(months: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells a real date from other numbers."""
    names = [re.compile(f"(?i:{month})") for month in months]

    def is_date(text: str) -> bool:
        numbers: list[str] = _NUMBER.findall(text)
        if word := _NAME.search(text):
            month = next((i for i, name in enumerate(names, 1) if name.fullmatch(word[0])), 0)
            numbers.insert(1, str(month))
        elif len(numbers) == 1:
            numbers = [text[:2], text[2:4], text[4:]]
        elif len(numbers[0]) > len("31"):
            numbers.reverse()
        day, month, year = map(int, (*numbers, str(_LEAP_YEAR))[:3])
        if year < _SHORT:
            year += _LEAP_YEAR
        return _is_real(year, month, day)

    return is_date


def _is_real(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return _FIRST_YEAR <= year < _FIRST_YEAR + 2 * _SHORT


_AGE = r"\d{1,3}"
_OLDEST = 119


def ages(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of ages, which are off unless asked for: most identify nobody."""
    given = pack.ages
    years = any_of(given.years)
    about = rf"(?:{any_of(given.about)} ){{0,2}}"
    in_years = rf"{any_of((_AGE, given.numbers))}[ -]?{years}(?!\w)"
    other_before = rf"(?<!\w){any_of(given.other_before)}[ ,:]{{1,3}}{about}{in_years}"
    other_behind = rf"(?![ ,]{{0,2}}{any_of(given.other_behind)}(?!\w))"
    triggers = rf"(?<!\w){any_of(given.triggers)}[ ,:=]{{1,3}}{about}"
    return (
        Recogniser(
            "age",
            Kind.AGE,
            re.compile(rf"(?i:{other_before}|(?<![\w.,/+-])(?P<{FOUND}>{in_years}){other_behind})"),
            gate=years,
            check=_is_age,
            score=0.7,
            is_on=False,
        ),
        Recogniser(
            "age_said",
            Kind.AGE,
            re.compile(rf"(?i:{triggers}(?P<{FOUND}>{_AGE})(?![\w€%]|[.,:/]\d))"),
            gate="[0-9]",
            check=_is_age,
            score=0.65,
            is_on=False,
        ),
    )


def _is_age(text: str) -> bool:
    number = re.match(r"\d+", text)
    return not number or 0 < int(number[0]) <= _OLDEST
