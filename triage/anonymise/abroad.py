"""Telephone numbers of other countries than France: numbers that nobody has.

Where a regulator keeps numbers for fiction, these are drawn: Ofcom (Great Britain), NANPA (North
America), ACMA (Australia), ComReg (Ireland), Bundesnetzagentur (Germany), PTS (Sweden). Else the
first digits stay that leave a number which the country's plan gives to nobody (libphonenumber).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack, any_of

from .keys import Keyed

# By calling code: a dot keeps the digit of the number, an underscore is drawn.
FOR_FICTION = {
    "1": ("...55501__",),
    "44": (
        *("1134960___", "1144960___", "1154960___", "1164960___", "1174960___", "1184960___"),
        *("1214960___", "1314960___", "1414960___", "1514960___", "1614960___", "1914980___"),
        *("1632960___", "2079460___", "2896496___", "2920180___", "3069990___", "7700900___"),
        "8081570___",
    ),
    "46": ("3139006__", "4062804__", "8465004__", "9803192__"),
    "49": ("3023125___", "6990009___", "4066969___", "2214710___", "8999998___", "17139200__"),
    "61": tuple(f"{area}{block}____" for area in "2378" for block in ("5550", "7010")),
    "353": ("2091_____",),
}
# First digits that stay; how many numbers behind them tell whether some are nobody's; and how often
# one of those is drawn.
_KEPT, _SAMPLE, _TRIES = (2, 1, 0), 400, 4_000


class Abroad(NamedTuple):
    """A telephone number: the code of its country, its digits behind that, whether one has it."""

    country: str
    digits: str
    is_valid: bool = True


def is_home(countries: Sequence[str]) -> bool:
    """Return whether numbers that are dialled at home are those of France: by default they are."""
    return not countries or "fr" in countries


def as_from_abroad(written: str, countries: Sequence[str]) -> str:
    """Return the number of a country as it is dialled from abroad; empty if it is of none."""
    import phonenumbers

    groups, form = re.findall("[0-9]+", written), phonenumbers.PhoneNumberFormat.NATIONAL
    possible = numbers_abroad("".join(groups), countries)
    found = [f"+{one.country}{one.digits}" for one in possible if one.is_valid]
    for number in found:
        at_home = phonenumbers.format_number(phonenumbers.parse(number), form)
        if re.findall("[0-9]+", at_home) == groups:
            return number
    return found[0] if found else ""


def numbers_abroad(reference: str, countries: Sequence[str]) -> list[Abroad]:
    """Return what a number may be in countries but France, first what somebody may have."""
    # Loaded when it is needed first: most messages hold no number from abroad.
    import phonenumbers

    regions = [code.upper() for code in countries if code != "fr"]
    found = []
    for region in ["ZZ"] if reference.startswith("+") else regions:
        try:
            number = phonenumbers.parse(reference, region)
        except phonenumbers.NumberParseException:
            continue
        reason = phonenumbers.is_possible_number_with_reason(number)
        if reason == phonenumbers.ValidationResult.IS_POSSIBLE:
            digits = phonenumbers.national_significant_number(number)
            is_valid = phonenumbers.is_valid_number(number)
            found.append(Abroad(str(number.country_code), digits, is_valid))
    return sorted(found, key=lambda one: not one.is_valid)


def invented(keyed: Keyed, number: Abroad) -> Iterator[str]:
    """Yield digits in place of a number's, the most alike first; numbers for fiction lead."""
    forms = [
        "".join(own if sign == "." else sign for sign, own in zip(form, number.digits, strict=True))
        for form in FOR_FICTION.get(number.country, ())
        if len(form) == len(number.digits)
    ]
    # How many digits are the same before one differs.
    alike = {form: sum(map(number.digits.startswith, accumulate(form))) for form in forms}
    for form in sorted(filter(alike.get, forms), key=alike.__getitem__, reverse=True):
        free = form.count("_")
        start = keyed.below(10**free)
        for i in range(10**free):
            yield form.rstrip("_") + f"{(start + i) % 10**free:0{free}}"
    for kept in _KEPT:
        begun = number.digits[:kept]
        tries = _TRIES if _leaves_some(number.country, begun, len(number.digits)) else 0
        for _ in range(tries):
            digits = begun + "".join(keyed.of("0123456789") for _ in number.digits[kept:])
            if digits != number.digits and not _is_given_out(number.country, digits):
                yield digits


@cache
def _leaves_some(country: str, begun: str, length: int) -> bool:
    """Return whether the plan of a country leaves numbers that begin so to nobody."""
    free = length - len(begun)
    sample = range(0, 10**free, max(10**free // _SAMPLE, 1))
    return any(not _is_given_out(country, f"{begun}{number:0{free}}") for number in sample)


def _is_given_out(country: str, digits: str) -> bool:
    """Return whether somebody may have a number by the plan of its country."""
    import phonenumbers

    if digits.startswith("0"):
        return True  # of which a plan may leave the zero out
    return phonenumbers.is_valid_number(phonenumbers.parse(f"+{country}{digits}"))


def with_digits(otherwise: str, digits: str, written: str) -> str:
    """Return a number with other last digits, or something else for fewer digits, or letters."""
    places = [match.start() for match in re.finditer("[0-9]", written)]
    if len(places) < len(digits) or any(map(str.isalpha, written)):
        return otherwise
    characters = list(written)
    for place, digit in zip(places[-len(digits) :], digits, strict=True):
        characters[place] = digit
    return "".join(characters)


_SHORTEST_MONTH = 3
# Digits without a sign between them: 12031987, 120387.
_RUNS = {8: (2, 2, 4), 6: (2, 2, 2)}
_LAST_DAY, _LAST_MONTH = 31, 12
# Two digits from here on are of the last century.
_CENTURY_FROM = 30


_DAY, _MONTH, _YEAR = PARTS = ("day", "month", "year")
# What numbers (d: of two digits, y: of four, n: others) and months in words (m) are, in order.
_ORDERS = {
    re.compile("[dn][dnm][dny]"): (_DAY, _MONTH, _YEAR),
    re.compile("y[dn][dn]"): (_YEAR, _MONTH, _DAY),
    re.compile("m[dn][dny]"): (_MONTH, _DAY, _YEAR),
    re.compile("[dn][dnm]"): (_DAY, _MONTH),
    re.compile("m[dny]|[dn]y"): (_MONTH, _YEAR),
    re.compile("[dy]"): (_YEAR,),
}


class WrittenDate(NamedTuple):
    """A date in a text: its parts, and where they stand there, in order."""

    day: int
    month: int
    year: int
    places: tuple[tuple[str, int, int], ...] = ()


def read_date(text: str, pack: Pack) -> WrittenDate | None:
    spans = _spans(text, pack)

    def sign(word: str) -> str:
        if month_of(word, pack):
            return "m"
        n_digits = sum(map(str.isdigit, word))
        return "d" if n_digits == 2 else "y" if word.isdigit() and n_digits == 4 else "n"

    shape = "".join(sign(text[start:end]) for start, end in spans)
    order = next((order for form, order in _ORDERS.items() if form.fullmatch(shape)), ())
    places = tuple((part, *span) for part, span in zip(order, spans, strict=False))
    found = dict.fromkeys(PARTS, 0)
    for part, start, end in places:
        token = text[start:end]
        found[part] = month_of(token, pack) or int(re.sub("[^0-9]", "", token))
    day, month, year = found.values()
    if not order or day > _LAST_DAY or month > _LAST_MONTH:
        return None
    if _YEAR in order and year < 100:
        year += 1900 if year >= _CENTURY_FROM else 2000
    return WrittenDate(day, month, year, places)


@cache
def month_of(word: str, pack: Pack) -> int:
    """Return the month that a word names, in full or short; 0 where it names none."""
    months, folded = map(fold, pack.dates.names), fold(word)
    found = [i for i, month in enumerate(months, 1) if month.startswith(folded)]
    return found[0] if len(found) == 1 and len(folded) >= _SHORTEST_MONTH else 0


def _spans(text: str, pack: Pack) -> list[tuple[int, int]]:
    """Return where the numbers and the names of months of a text stand."""
    # The module keeps the expressions that it has compiled.
    token = rf"[0-9]{{1,8}}(?:{any_of(pack.dates.ordinals)}\b)?|[^\W\d_]{{1,12}}"
    tokens = re.finditer(token, text, re.IGNORECASE)
    spans = [one.span() for one in tokens if "0" <= one[0][0] <= "9" or month_of(one[0], pack)]
    if len(spans) == 1 and text[slice(*spans[0])].isdigit():
        start, end = spans[0]
        if widths := _RUNS.get(end - start):
            starts = [start + sum(widths[:i]) for i in range(len(widths))]
            return [(one, one + width) for one, width in zip(starts, widths, strict=True)]
    return spans
