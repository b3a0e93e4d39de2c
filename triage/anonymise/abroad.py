"""Telephone numbers of other countries than France: numbers that nobody has.

Where a regulator keeps numbers for fiction, these are drawn: Ofcom (Great Britain), NANPA (North
America), ACMA (Australia), ComReg (Ireland), Bundesnetzagentur (Germany), PTS (Sweden). Else the
first digits stay that leave a number which the country's plan gives to nobody (libphonenumber).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple, cast

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
    valid = (one for one in possible if one.is_valid or _is_fiction(one))
    found = [f"+{one.country}{one.digits}" for one in valid]
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
            found.append(
                Abroad(str(number.country_code), digits, phonenumbers.is_valid_number(number))
            )
    # No plan gives out those for fiction, which examples are full of.
    return sorted(found, key=lambda one: (not _is_fiction(one), not one.is_valid))


def _is_fiction(number: Abroad) -> bool:
    forms = (form.replace("_", ".") for form in FOR_FICTION.get(number.country, ()))
    return any(re.fullmatch(form, number.digits) for form in forms)


def example_of(country: str) -> Abroad:
    """Return a mobile number as those of a country are, for one whose digits are not told."""
    import phonenumbers

    kind = phonenumbers.PhoneNumberType.MOBILE
    number = phonenumbers.example_number_for_type(country.upper(), kind)
    digits = phonenumbers.national_significant_number(cast(phonenumbers.PhoneNumber, number))
    return Abroad(str(phonenumbers.country_code_for_region(country.upper())), digits)


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
