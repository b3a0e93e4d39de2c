"""Dates as people and programs write them: their parts, in which order, and where they stand."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

_WORD = r"[^\W\d_]{3,12}"
_NUMERIC = (
    r"(?P<one>[0-9]{1,4}|[HR][0-9]{1,2})(?P<sep> ?[-/.] ?)(?P<two>[0-9]{1,2})(?P=sep)"
    r"(?P<three>[0-9]{4}|[HR]?[0-9]{1,2})"
)
_DAY_THEN_WORD = (
    rf"(?:{_WORD}\.?,? )?(?P<day>[0-9]{{1,2}})(?:er|st|nd|rd|th|\.)?(?P<sep> )(?:de )?"
    rf"(?P<month>{_WORD}\.?)(?:,? (?:de )?(?P<year>[0-9]{{4}}))?"
)
_WORD_THEN_DAY = (
    rf"(?:{_WORD}\.?, )?(?P<month>{_WORD}\.?)(?P<sep> )(?P<day>[0-9]{{1,2}})"
    r"(?:,? (?P<year>[0-9]{4}))?"
)
_TIME = (
    r"(?P<hour>[0-9]{1,2})(?:[:.h]| h )(?P<minute>[0-9]{2})"
    r"(?:(?:[:.]| min )(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?(?: s)?)?"
)
_BETWEEN = r"(?P<between>[^0-9]{1,20})"
_AFTER = r"(?P<after>[^0-9]{0,20}?)(?P<zone>Z| ?UTC| ?GMT| ?[+-][0-9]{2}:?[0-9]{2})?"
_FORMS = (
    *(
        re.compile(rf"{day}(?:{_BETWEEN}{_TIME}{_AFTER})?")
        for day in (_NUMERIC, _DAY_THEN_WORD, _WORD_THEN_DAY)
    ),
    re.compile(rf"{_TIME}{_BETWEEN}{_NUMERIC}(?P<after>)(?P<zone>)"),
)
_LONGEST = 70
_YEAR_FIRST = {"year": "one", "month": "two", "day": "three"}
_DAY_FIRST = {"day": "one", "month": "two", "year": "three"}
_MONTH_FIRST = {"month": "one", "day": "two", "year": "three"}
_IN_WORDS = {"day": "day", "month": "month", "year": "year"}
_POINTS = re.compile(r"[\s.,،״\"']")
# Words such as à, um or klo before the hour; an abbreviation of hour, or a zone, after it.
_LONGEST_LINK = 5
_AFTER_HOUR = re.compile(r"| ?[A-Z]{3,4}| ?ч\.?")
_YEARS = range(1000, 9000)
_YEAR_DIGITS = 4
_CENTURY = 2000
_MONTHS = 12
_NOON = 12
_ISO = "year-month-day"
# From 1980 to 2100; no telephone number of ten digits begins with 1.
_SECONDS = range(315_532_800, 4_102_444_800)
_SECONDS_A_DAY = 86_400
_AS_ZERO = bytes.maketrans(b"123456789", b"0" * 9)
_EPOCHS = (b"0" * 10, b"0" * 13)
_TWO_NUMBERS = re.compile(r"\s*([0-9]{1,2})[-/. ]+([0-9]{1,2})")


class WrittenDate(NamedTuple):
    """A date in a text: its match, the group of each of its parts, and its time.

    Of numbers alone the first is taken for the day if none is a year; they are `is_open` then.
    """

    found: re.Match[str]
    groups: Mapping[str, str]
    time: time | None

    @property
    def is_open(self) -> bool:
        """True if the day and the month may be each other's."""
        return self.groups is _DAY_FIRST or self.groups is _MONTH_FIRST

    @property
    def form(self) -> str:
        """The order of the parts, and what stands between them."""
        present = [name for _, end, name in self._places(*self.groups) if end > 0]
        form = self.found["sep"].join(present)
        return form if self.found.start("hour") else f"hour, {form}"

    def part(self, name: str) -> str:
        """Return the year, the month or the day as it is written."""
        return self.found[self.groups[name]] or ""

    def swapped(self) -> "WrittenDate":
        """Return the same with the month before the day."""
        return self._replace(groups=_MONTH_FIRST)

    @property
    def day(self) -> date | None:
        """The day in the calendar; None where there is none such."""
        year, month = self.part("year"), self.part("month")
        if not year.isdecimal():
            return None
        century = 0 if len(year) == _YEAR_DIGITS else _CENTURY
        number = int(month) if month.isdecimal() else month_of(month)
        return existing(int(year) + century, number, int(self.part("day")))

    @property
    def moment(self) -> datetime | None:
        """The day with its time, midnight where there is none."""
        day = self.day
        return datetime.combine(day, self.time or time()) if day else None

    def with_day(self, day: date) -> str:
        """Return another date written alike, without the name of the day of the week."""
        width = min(len(self.part("month")), len(self.part("day")))
        if not self.part("month").isdecimal():
            width = 1 + self.part("day").startswith("0")
        text, places = self.found.string, self._places(*self.groups)
        for first, end, name in reversed(places):
            written, number = text[first:end], getattr(day, name)
            new = f"{number:0{width}}" if name != "year" else f"{number:04}"[-len(written) :]
            if not written.isdecimal():
                new = _month_like(written, number)
            text = text[:first] + new + text[end:]
        return text[places[0][0] :] if self.found.start("hour") else text

    def only(self, *names: str) -> str:
        text, places = self.found.string, self._places(*names)
        others = self._places(*(name for name in self.groups if name not in names))
        if any(places[0] < other < places[-1] for other in others):
            return " ".join(text[start:end] for start, end, _ in places)
        return text[places[0][0] : places[-1][1]]

    def _places(self, *names: str) -> list[tuple[int, int, str]]:
        return sorted((*self.found.span(self.groups[name]), name) for name in names)


def read_date(text: str) -> WrittenDate | None:
    """Read a text that is a date, with or without a time, and nothing else."""
    if len(text) > _LONGEST:
        return None
    found = next((found for form in _FORMS if (found := form.fullmatch(text))), None)
    if found is None:
        return None
    groups = _IN_WORDS
    if "one" in found.re.groupindex:
        one = found["one"]
        groups = _YEAR_FIRST if len(one) == _YEAR_DIGITS or not one.isdecimal() else _DAY_FIRST
    elif not month_of(found["month"]):
        return None
    clock = _time(found) if found["hour"] else None
    written = WrittenDate(found, groups, clock)
    is_whole = len(written.part("year")) == _YEAR_DIGITS if found["hour"] is None else clock
    return written if is_whole else None


def _time(found: re.Match[str]) -> time | None:
    """Return the time of a date; None where the words beside it are no marks."""
    is_known, is_afternoon = _marks(found["between"], found["after"])
    if not is_known:
        return None
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if is_afternoon is not None:
        hour = hour % _NOON + _NOON * is_afternoon
    try:
        return time(hour, minute, second, tzinfo=_zone(found["zone"]))
    except ValueError:
        return None


@lru_cache(1000)
def _marks(between: str, after: str) -> tuple[bool, bool | None]:
    """Return whether the words beside an hour are known, and the half of the day they tell."""
    before, behind = (_POINTS.sub("", words).casefold() for words in (between, after))
    is_afternoon = _halves().get(before, _halves().get(behind))
    is_link = len(before) <= _LONGEST_LINK and _AFTER_HOUR.fullmatch(after) is not None
    return is_afternoon is not None or is_link, is_afternoon


def _zone(written: str | None) -> timezone | None:
    if not written:
        return None
    digits = re.sub("[^0-9]", "", written)
    if not digits:
        return UTC
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if "-" in written else offset)


def existing(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def read_epoch(cell: object) -> datetime | None:
    """Return the moment, in UTC, of seconds or milliseconds since 1970; None of anything else."""
    text = "" if isinstance(cell, bool) else str(cell)
    if not re.fullmatch("[1-9][0-9]{8,12}", text):
        return None
    seconds = int(text) * _SECONDS_A_DAY // epoch_day(cell)
    return (
        datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None) if seconds in _SECONDS else None
    )


def epoch_day(cell: object) -> int:
    """Return what a day adds to a number that counts from 1970: seconds, or milliseconds."""
    return _SECONDS_A_DAY if int(str(cell)) in _SECONDS else 1000 * _SECONDS_A_DAY


def is_typed(cell: object) -> bool:
    """Return whether a cell that is no text is a date, or counts from 1970."""
    return isinstance(cell, date) or read_epoch(cell) is not None


def moment_of(cell: object) -> datetime | None:
    """Return when something was, by a cell of any type; None where that is no date."""
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    written = read_date(cell.strip()) if isinstance(cell, str) else None
    return written.moment if written else read_epoch(cell)


class DateTally:
    """Counts the cells of a column that are dates, and whether their day or month comes first."""

    def __init__(self) -> None:
        self._n_cells = self._n_dated = self._n_day_first = self._n_month_first = 0
        self._first: WrittenDate | None = None
        self._shapes: dict[bytes, WrittenDate | None] = {}

    def add(self, cells: Sequence[object]) -> None:
        texts = [cell for cell in cells if isinstance(cell, str)]
        self._n_cells += len(cells)
        self._n_dated += sum(is_typed(cell) for cell in cells if not isinstance(cell, str))
        # There are few shapes, which differ in more than their digits.
        together = "\0".join(texts).encode(errors="replace").translate(_AS_ZERO)
        for shape, n_times in Counter(together.split(b"\0")).items():
            if shape not in self._shapes:
                self._shapes[shape] = read_date(shape.decode().strip())
            written = self._shapes[shape]
            self._first = self._first or written
            if written or shape in _EPOCHS:
                self._n_dated += n_times
        if self._first and self._first.is_open:
            numbers = [found for text in texts if (found := _TWO_NUMBERS.match(text))]
            self._n_day_first += sum(int(found[1]) > _MONTHS for found in numbers)
            self._n_month_first += sum(int(found[2]) > _MONTHS for found in numbers)

    def said(self, column: str) -> str:
        """Return what is not ordinary: another form than ISO 8601, rows without a date."""
        if not self._n_dated:
            return f"no dates in {column}" if self._n_cells else ""
        first = self._first
        if first and first.is_open and self._n_month_first > self._n_day_first:
            first = first.swapped()
        form = f" as {first.form}" if first and first.form != _ISO else ""
        n_missing = self._n_cells - self._n_dated
        missing = f", none in {n_missing:,} of {self._n_cells:,} rows" if n_missing else ""
        return f"dates in {column}{form}{missing}" if form or missing else ""


def month_of(word: str) -> int:
    """Return the month that a word names, in full or by its beginning; 0 where it names none."""
    return _named(word)[0]


@lru_cache(1000)
def _named(word: str) -> tuple[int, str]:
    """Return the month that a word names, and the first language in which it does so alone."""
    folded = _folded(word.removesuffix("."))
    for language, months in _data()["months"].items():
        fitting = [n for n, month in enumerate(months, 1) if _folded(month).startswith(folded)]
        if len(fitting) == 1:
            return fitting[0], language
    return 0, ""


def _month_like(written: str, number: int) -> str:
    """Return a month as another one is written: its language, in full or short, its capitals."""
    own, language = _named(written)
    months = _data()["months"][language]
    short = _data()["short"].get(language) or [month[:3] for month in months]
    has_point = written.endswith(".")
    if len(written) - has_point == len(months[own - 1]) != len(short[own - 1]):
        month = months[number - 1]
    else:
        month = short[number - 1]
        if has_point and month != months[number - 1]:
            month = month.removesuffix(".") + "."
        elif not has_point and short[own - 1].endswith("."):
            month = month.removesuffix(".")
    if written.isupper():
        return month.upper()
    return month.capitalize() if written[:1].isupper() else month.lower()


def _folded(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@cache
def _data() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("dates.toml").read_text(encoding="utf-8"))


@cache
def _halves() -> dict[str, bool]:
    halves = _data()["halves"]
    return dict.fromkeys(halves["am"], False) | dict.fromkeys(halves["pm"], True)
