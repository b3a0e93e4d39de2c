"""Dates as people and programs write them: their parts, the order and the places of these."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from triage.data.errors import compiled, words_of

_FORMS = [compiled(form, words_of("dates")["parts"]) for form in words_of("dates")["forms"]]
# Those in which the day and the month may be each other's.
_SWAPPABLE = (_FORMS[1], _FORMS[-1])
_LONGEST = 70
_PARTS = ("year", "month", "day")
_POINTS = re.compile(r"[\s.,،״\"']")
# Words such as à, um or klo before the hour; an abbreviation of hour, or a zone, after it.
_LONGEST_LINK = 5
_AFTER_HOUR = re.compile(r"| ?[A-Z]{3,4}| ?ч\.?")
_FIRST_YEAR = 1992
# From 1980 to 2100; no telephone number of ten digits begins with 1.
_SECONDS = range(315_532_800, 4_102_444_800)
_SECONDS_A_DAY = 86_400
_AS_ZERO = bytes.maketrans(b"123456789", b"0" * 9)
_EPOCHS = (b"0" * 10, b"0" * 13)
_TWO_NUMBERS = re.compile(r"\s*([0-9]{1,2})[-/. ]+([0-9]{1,2})")


class WrittenDate(NamedTuple):
    """A date in a text: its match and its time; of numbers alone, the day is first if it can be."""

    match: re.Match[str]
    time: time | None
    is_swapped: bool = False

    @property
    def is_open(self) -> bool:
        """True if the day and the month may be each other's."""
        return self.match.re in _SWAPPABLE

    @property
    def form(self) -> str:
        """The order of the parts, and what stands between them."""
        parts = [name for _, _, name in self._places(*_PARTS) if self.part(name)]
        form = self.match["sep"].join(parts)
        return form if self.match.start("hour") else f"hour, {form}"

    def part(self, name: str) -> str:
        return self.match[self._group(name)] or ""

    @property
    def orders(self) -> list["WrittenDate"]:
        """The date as it is read, and with the day and the month swapped if they may be."""
        return [self, self._replace(is_swapped=True)] if self.is_open else [self]

    @property
    def day(self) -> date | None:
        """The day in the calendar; None where there is none such."""
        year, month = self.part("year"), self.part("month")
        if not year.isdecimal():
            return None
        century = 0 if len(year) == 4 else 2000
        number = int(month) if month.isdecimal() else _named(month)[0]
        return existing(int(year) + century, number, int(self.part("day")))

    @property
    def moment(self) -> datetime | None:
        day = self.day
        return datetime.combine(day, self.time or time()) if day else None

    def with_day(self, day: date) -> str:
        """Return another date written alike, without the name of the day of the week."""
        width = min(len(self.part("month")), len(self.part("day")))
        if not self.part("month").isdecimal():
            width = 1 + self.part("day").startswith("0")
        text, places = self.match.string, self._places(*_PARTS)
        for first, end, name in reversed(places):
            written, number = text[first:end], getattr(day, name)
            new = f"{number:0{width}}" if name != "year" else f"{number:04}"[-len(written) :]
            if not written.isdecimal():
                new = _month_like(written, number)
            text = text[:first] + new + text[end:]
        return text[places[0][0] :] if self.match.start("hour") else text

    def only(self, *names: str) -> str:
        """Return some parts as they are written: 09/2011 of 17/09/2011, 9/2011 of 9/17/2011."""
        text, places = self.match.string, self._places(*names)
        others = self._places(*(name for name in _PARTS if name not in names))
        if any(places[0] < other < places[-1] for other in others):
            return self.match["sep"].join(text[start:end] for start, end, _ in places)
        return text[places[0][0] : places[-1][1]]

    def _places(self, *names: str) -> list[tuple[int, int, str]]:
        return sorted((*self.match.span(self._group(name)), name) for name in names)

    def _group(self, name: str) -> str:
        return {"day": "month", "month": "day"}.get(name, name) if self.is_swapped else name


def read_date(text: str, *, month_first: bool = False) -> WrittenDate | None:
    """Read a date that is the whole text; `month_first` is for numbers alone, as in 9/17/2011."""
    forms = _FORMS if len(text) <= _LONGEST else []
    match = next((match for form in forms if (match := form.fullmatch(text))), None)
    if match is None or not (match["month"].isdecimal() or _named(match["month"])[0]):
        return None
    is_swapped = month_first and match.re in _SWAPPABLE
    if match["hour"] is None:
        has_year = len(match["year"] or "") == 4
        return WrittenDate(match, None, is_swapped) if has_year else None
    is_known, is_afternoon = _marks(match["between"], match["after"])
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if is_afternoon is not None:
        hour = hour % 12 + 12 * is_afternoon
    try:
        digits = re.sub("[^0-9]", "", match["zone"] or "0000")
        offset = timedelta(hours=int(digits[:2] or 0), minutes=int(digits[2:] or 0))
        zone = timezone(-offset if "-" in (match["zone"] or "") else offset)
        clock = time(hour, minute, second, tzinfo=zone if match["zone"] else None)
    except ValueError:
        return None
    return WrittenDate(match, clock, is_swapped) if is_known else None


@lru_cache(1000)
def _marks(between: str, after: str) -> tuple[bool, bool | None]:
    """Return whether the words beside an hour are known, and the half of the day they tell."""
    first, second = (_POINTS.sub("", words).casefold() for words in (between, after))
    halves = words_of("dates")["halves"]
    for word in (first, second):
        if word in halves["am"] or word in halves["pm"]:
            return True, word in halves["pm"]
    return len(first) <= _LONGEST_LINK and _AFTER_HOUR.fullmatch(after) is not None, None


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
    if seconds not in _SECONDS:
        return None
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def epoch_day(cell: object) -> int:
    """Return the length of a day in the unit of a number that counts from 1970: (milli)seconds."""
    return _SECONDS_A_DAY if int(str(cell)) in _SECONDS else 1000 * _SECONDS_A_DAY


def moment_of(cell: object, *, month_first: bool = False) -> datetime | None:
    """Return the moment in a cell of any type; None where it is no date."""
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    written = read_date(cell.strip(), month_first=month_first) if isinstance(cell, str) else None
    return written.moment if written else read_epoch(cell)


def days_of(cell: object, *, month_first: bool | None = None) -> list[date]:
    """Return the days that a cell may be, by its type or as written, in either order by default."""
    if isinstance(cell, date):
        return [cell]
    text = cell.strip() if isinstance(cell, str) else ""
    written = read_date(text, month_first=bool(month_first))
    orders = [] if not written else written.orders if month_first is None else [written]
    return [day for one in orders if (day := one.day)]


def is_recent_date(cell: object) -> bool:
    """Return whether a cell is a date, and no number alone, since there are text messages."""
    return any(day.year >= _FIRST_YEAR for day in days_of(cell))


class DateTally:
    """Counts the cells of a column that are dates, and whether their day or month comes first."""

    def __init__(self) -> None:
        self._n_cells = self._n_dated = self._n_day_first = self._n_month_first = 0
        self._first: WrittenDate | None = None
        self._shapes: dict[bytes, WrittenDate | None] = {}

    def add(self, cells: Sequence[object]) -> None:
        texts = [cell for cell in cells if isinstance(cell, str)]
        self._n_cells += len(cells)
        typed = [cell for cell in cells if not isinstance(cell, str)]
        self._n_dated += sum(moment_of(cell) is not None for cell in typed)
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
            numbers = [match for text in texts if (match := _TWO_NUMBERS.match(text))]
            self._n_day_first += sum(int(match[1]) > 12 for match in numbers)
            self._n_month_first += sum(int(match[2]) > 12 for match in numbers)

    @property
    def month_first(self) -> bool:
        return self._n_month_first > self._n_day_first

    @property
    def is_settled(self) -> bool:
        """True if the cells tell that the day comes first, or the month."""
        first, counts = self._first, (self._n_day_first, self._n_month_first)
        return self._n_dated > 0 and (not (first and first.is_open) or any(counts))

    def note(self, column: str) -> str:
        """Return what is unusual: another form than ISO 8601, rows without a date."""
        if not self._n_dated:
            return f"no dates in {column}" if self._n_cells else ""
        first = self._first
        form = first.orders[-1 if self.month_first else 0].form if first else ""
        form = f" as {form}" if form not in ("", "year-month-day") else ""
        n_missing = self._n_cells - self._n_dated
        missing = f", none in {n_missing:,} of {self._n_cells:,} rows" if n_missing else ""
        return f"dates in {column}{form}{missing}" if form or missing else ""


@lru_cache(1000)
def _named(word: str) -> tuple[int, str]:
    """Return the month that a word begins, and the first language in which it begins no other."""
    beginning = plain(word.removesuffix("."))
    for language, months in words_of("dates")["months"].items():
        fitting = [n for n, month in enumerate(months, 1) if plain(month).startswith(beginning)]
        if len(fitting) == 1:
            return fitting[0], language
    return 0, ""


def _month_like(written: str, number: int) -> str:
    """Return a month as another one is written: its language, in full or short, its capitals."""
    written_month, language = _named(written)
    months: list[str] = words_of("dates")["months"][language]
    short: list[str] = words_of("dates")["short"].get(language) or [month[:3] for month in months]
    has_point = written.endswith(".")
    if len(written) - has_point == len(months[written_month - 1]) != len(short[written_month - 1]):
        month = months[number - 1]
    else:
        month = short[number - 1]
        if has_point and month != months[number - 1]:
            month = month.removesuffix(".") + "."
        elif not has_point and short[written_month - 1].endswith("."):
            month = month.removesuffix(".")
    if written.isupper():
        return month.upper()
    return month.capitalize() if written[:1].isupper() else month.lower()


def plain(word: str) -> str:
    """Return a word in small letters without accents."""
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
