"""Forms that are filled again: numbers that are nobody's, written as their identifiers are."""

import re
import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import accumulate, count
from string import ascii_uppercase, digits
from typing import TYPE_CHECKING

from triage.dictionaries.pack import Pack, any_of
from triage.dictionaries.recognisers.checks import luhn

from ..vocabulary import IdentifierType
from . import entities
from .entities import BirthDate, Entity
from .keys import Keyed
from .words import refused

if TYPE_CHECKING:
    from .surrogates import Scope

Writer = Callable[[str], str]
"""Writes a surrogate as its identifier is written."""
_Like = Callable[[str, str], str]
# So many digits or fewer may be a number at home without its zero, or the end of one.
_SUBSCRIBER = 9
# Shorter ones are no telephone numbers of anybody's; they are replaced as codes are.
_SHORTEST = 4
# First digits of a number that stay; how many numbers behind them tell whether some are nobody's;
# and how often one of those is drawn.
_KEPT, _SAMPLE, _DRAWN = (2, 1, 0), 400, 4_000
# So often a number is tried before a longer one is, and one of a form before one of another.
_TRIES, _MAX_TRIES = 20, 200
_LENGTH_OF_NONE = 4
_LONGEST_CODE = 200
_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_MAC = re.compile("[0-9a-f]{12}", re.IGNORECASE)
# Kept for documentation (RFC 5737, RFC 3849, RFC 9542).
_NETS, _NET6, _MAC_BLOCK = ("192.0.2", "198.51.100", "203.0.113"), "2001:db8:", "00005E0053"
_GROUPS = 6
_DIGITS_RUN = re.compile("[0-9]+")
# Other letters are those of a code of a place; these three are in none (Open Location Code).
_IN_NO_CODE = "AIO"
_IN_COORDINATES = "[^A-Z]|GEO|LAT(?:ITUDE)?|LONG?(?:ITUDE)?|LNG|[NSEWO]"
# How far the year moves at most; farther where all dates are taken.
_YEARS = 3
_FIRST_YEAR, _YEARS_THERE_ARE = 1000, 9000
# Every month has so many days.
_DAYS, _MONTHS = 28, 12
_TWO_DIGITS = 10
# Ages stay in their band: pupils stay pupils, and who is of age stays so.
_BANDS: tuple[int, ...] = (0, 3, 6, 11, 15, 18, 21, 25, *range(30, 1_005, 5))


def cased_like(word: str, written: str) -> str:
    """Return a word in capitals, with a capital or without one, as another is written."""
    if written.isupper() and sum(map(str.isalpha, written)) > 1:
        return word.upper()
    if written[:1].islower():
        return word.lower()
    return word[:1].upper() + word[1:].lower()


def words_like(
    words: list[str], parts: re.Pattern[str], otherwise: str, written: str, like: _Like = cased_like
) -> str:
    """Return an identifier with other words in place of its parts, or what is so otherwise."""
    written = unicodedata.normalize("NFC", written)
    if len(parts.findall(written)) != len(words):
        return otherwise
    rest = iter(words)
    return parts.sub(lambda part: like(next(rest), part[0]), written)


# Where no regulator keeps numbers for fiction, the first digits stay that leave a number which the
# country's plan gives to nobody (libphonenumber).
def telephone(scope: "Scope", entity: Entity, reference: str) -> Writer:
    """Return the writer of a number of the same country that is nobody's."""
    dialled = "".join(re.findall("[0-9]", reference))
    if 0 < len(dialled) < _SHORTEST:
        return of_form(scope, entity, dialled)
    countries = scope.lexicon.pack.pack.countries
    is_french = entities.OF_FRANCE.fullmatch(reference) and "fr" in (countries or ("fr",))
    french = [entities.Telephone("33", reference[1:])] if is_french else []
    possible = french or entities.numbers_abroad(reference, countries)
    # What is no number of any country has a part of one at home, or a whole one in its place.
    number = possible[0] if possible else entities.mobile_number(countries)
    is_part = len(dialled) <= _SUBSCRIBER and "+" not in reference
    n_set = len(number.digits) if possible else is_part * len(dialled)
    keyed = Keyed(scope.key, "telephone", *entity)
    for other in _invented(scope, keyed, number, n_set):
        if scope.take(other[-n_set:], f"0{other}", f"{number.country}{other}"):
            return partial(_telephone_like, f"+{number.country}{other}", n_set)
    raise refused("too_many_telephones")


def _invented(
    scope: "Scope", keyed: Keyed, number: entities.Telephone, n_set: int
) -> Iterator[str]:
    """Yield digits in place of a number's, the most alike first; numbers for fiction lead."""
    country, own = number.country, number.digits
    forms = [
        "".join(digit if sign == "." else sign for sign, digit in zip(form, own, strict=True))
        for form in entities.FOR_FICTION.get(country, ())
        if len(form) == len(own)
    ]
    # How many digits are the same before one differs.
    alike = {form: sum(map(own.startswith, accumulate(form))) for form in forms}
    for form in sorted(forms, key=alike.__getitem__, reverse=True):
        free = form.count("_")
        start = keyed.below(10**free)
        for i in range(10**free) if (form, n_set) not in scope.used_up else ():
            yield form.rstrip("_") + f"{(start + i) % 10**free:0{free}}"
        scope.used_up.add((form, n_set))
    for kept in _KEPT:
        prefix = own[:kept]
        for _ in range(_DRAWN if _leaves_some(country, prefix, len(own)) else 0):
            candidate = prefix + "".join(keyed.of(digits) for _ in own[kept:])
            if candidate != own and not _is_given_out(country, candidate):
                yield candidate


@cache
def _leaves_some(country: str, prefix: str, length: int) -> bool:
    """Return whether the plan of a country leaves numbers that begin so to nobody."""
    free = length - len(prefix)
    sample = range(0, 10**free, max(10**free // _SAMPLE, 1))
    return any(not _is_given_out(country, f"{prefix}{number:0{free}}") for number in sample)


def _is_given_out(country: str, digits: str) -> bool:
    """Return whether somebody may have a number by the plan of its country."""
    import phonenumbers

    if digits.startswith("0"):
        return True  # of which a plan may leave the zero out
    return phonenumbers.is_valid_number(phonenumbers.parse(f"+{country}{digits}"))


def _telephone_like(number: str, n_set: int, written: str) -> str:
    """Return a number, its last digits set where another has its own, or as it is dialled."""
    places = [match.start() for match in re.finditer("[0-9]", written)]
    if not 0 < n_set <= len(places) or any(map(str.isalpha, written)):
        import phonenumbers as phones

        forms, is_abroad = phones.PhoneNumberFormat, written.lstrip().startswith(("+", "00"))
        form = forms.INTERNATIONAL if is_abroad else forms.NATIONAL
        return phones.format_number(phones.parse(number), form)
    characters = list(written)
    for place, digit in zip(places[-n_set:], number[-n_set:], strict=True):
        characters[place] = digit
    return "".join(characters)


def other_signs(
    keyed: Keyed,
    reference: str,
    longer: int = 0,
    *,
    letters: str = ascii_uppercase,
    numbers: str = digits,
) -> str:
    """Return a letter for each letter, a digit for each digit, and so many digits behind."""
    shape = "".join(filter(str.isalnum, reference))[:_LONGEST_CODE]
    zeros = longer if shape else _LENGTH_OF_NONE + longer
    signs = (numbers if sign.isdigit() else letters for sign in shape + "0" * zeros)
    return "".join(map(keyed.of, signs))


def _code_like(pack: Pack, surrogate: str, written: str) -> str:
    """Return a code with its signs set where the identifier has its own, small ones small."""
    kept_words = entities.labels(pack).finditer(written) if " " in written else ()
    kept = {i for word in kept_words for i in range(*word.span())}
    places = [i for i, sign in enumerate(written) if sign.isalnum() and i not in kept]
    if not 0 < len(places) <= len(surrogate):
        return surrogate
    characters, all_small = list(written), written.islower()
    for place, sign in zip(places, surrogate, strict=False):
        own = written[place]
        if own.islower() or (all_small and not own.isalpha()):
            characters[place] = sign.lower()
        else:
            characters[place] = sign.upper() if own.isupper() else sign
    return "".join(characters) + surrogate[len(places) :]


def of_form(scope: "Scope", entity: Entity, reference: str) -> Writer:
    """Return the writer of a number of nobody, the first that is free in all its spellings."""
    pack, texts = scope.lexicon.pack, scope.written[entity]
    listed = entities.FORMS.get(entity.kind, ())
    forms = (partial(_masked, one) for one in listed if re.fullmatch(one["pattern"], reference))
    maker = next(forms, _MAKERS.get(entity.kind, _others))
    purpose = "form" if listed or entity.kind in _MAKERS else "code"

    def tried(attempt: int) -> Writer | None:
        keyed = Keyed(scope.key, purpose, *entity, str(attempt))
        make = maker if attempt < _MAX_TRIES else _others
        return make(pack, keyed, reference, attempt // _TRIES)

    return next(one for one in map(tried, count()) if one and scope.take(*map(one, texts)))


def _others(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    return partial(_code_like, pack, other_signs(keyed, reference, longer))


def _company_holds(signs: str) -> bool:
    number = signs[4:] if signs.startswith("FR") else signs
    return luhn(number) or luhn(number[:9])


# Whether the check digits of a number hold. To a check that only computes, those of an account that
# are 00 are what 97 is.
_HOLDS: dict[str, Callable[[str], bool]] = {
    "account": lambda signs: int("".join(str(int(i, 36)) for i in signs[4:] + signs[:4])) % 97 == 1,
    "card": luhn,
    "company": _company_holds,
}


def _masked(
    form: Mapping[str, str], pack: Pack, keyed: Keyed, reference: str, longer: int
) -> Writer | None:
    """Make another number of a form (surrogates.toml); None where it might be somebody's."""
    own, signs = re.fullmatch(form["pattern"], reference), ""
    letters, numbers = form.get("letters", ascii_uppercase), form.get("digits", digits)
    drawn = partial(other_signs, keyed, letters=letters, numbers=numbers)
    for sign, part in zip(form["mask"], own.groups("") if own else (), strict=True):
        signs += drawn(part) if sign == "#" else part if sign == "=" else sign * len(part)
    signs += drawn("0" * longer) if longer else ""
    is_somebodys = "check" in form and _HOLDS[form["check"]](signs)
    return None if is_somebodys else partial(_code_like, pack, signs)


def _net_address(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make an address of those kept for documentation, or where they are used up, of no use."""
    if _IPV4.search(reference):
        net = _NETS[keyed.below(len(_NETS))]
        if longer:  # 240.0.0.0/4 is nobody's (RFC 1112).
            net = f"{240 + keyed.below(15)}.{keyed.below(256)}.{keyed.below(256)}"
        return partial(_address_like, f"{net}.{keyed.below(256)}")
    if _MAC.fullmatch(reference):
        # Without a maker: an address that is given locally, with the second bit.
        block = f"02{other_signs(keyed, '0' * 8)}" if longer else _MAC_BLOCK
        return partial(_code_like, pack, f"{block}{keyed.below(256):02X}")
    if ":" in reference:
        n = min(len(re.findall("[0-9a-f]+", reference)), _GROUPS)
        groups = ":".join(f"{1 + keyed.below(65_535):x}" for _ in range(min(n + longer, _GROUPS)))
        return partial(_address_like, _NET6 + (groups if n == _GROUPS else f":{groups}"))
    return _others(pack, keyed, reference, longer)


def _address_like(address: str, written: str) -> str:
    """Return an address of the net with what stands around one of four numbers: a port."""
    if _IPV4.search(written) and "." in address:
        return _IPV4.sub(address, written, count=1)
    return address.upper() if written.isupper() else address


def _coordinates(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make coordinates within a degree of 0° N, 0° E: open sea; as many digits behind the point."""
    runs = [*_DIGITS_RUN.finditer(reference)]
    words = any_of(word.upper() for word in (*pack.places.links, *pack.places.directions))
    if not runs or not re.fullmatch(f"(?:{_IN_COORDINATES}|{words})*+", reference, re.ASCII):
        return partial(_code_like, pack, other_signs(keyed, reference, longer, letters=_IN_NO_CODE))
    is_fraction = [run.start() > 0 and reference[run.start() - 1] == "." for run in runs]
    if "." not in reference and "°" not in reference and len(runs) == 4:
        is_fraction = [False, True, False, True]
    n_whole = is_fraction.count(False)
    # Degrees alone, or with minutes, or with seconds, too: twice as many.
    per_coordinate = n_whole // 2 if n_whole in (4, 6) else 1
    numbers, place = [], count()
    for run, fraction in zip(runs, is_fraction, strict=True):
        if fraction:
            numbers.append(other_signs(keyed, run[0]))
        elif next(place) % per_coordinate == 0:
            numbers.append("0")
        else:
            numbers.append(f"{keyed.below(60):0{len(run[0])}}")
    if longer:
        numbers[-1] += "." * (not is_fraction[-1]) + other_signs(keyed, "0" * longer)
    like = partial(words_like, numbers, _DIGITS_RUN, like=lambda run, _: run)
    return partial(like, like("", reference))


def _birth_date(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make another date in the same form: another day and month, some years before or after."""
    date = entities.read_birth_date(reference, pack)
    if date is None:
        return _others(pack, keyed, reference, longer)
    moved = (1 + keyed.below(_YEARS + longer)) * (1 - 2 * keyed.below(2))
    year = _FIRST_YEAR + (date.year + moved - _FIRST_YEAR) % _YEARS_THERE_ARE
    new = []
    for number, most in ((date.day, _DAYS), (date.month, _MONTHS)):
        # As many digits, until all such dates are taken.
        first = 1 if longer or number < _TWO_DIGITS else _TWO_DIGITS
        last = most if longer or first > 1 else _TWO_DIGITS - 1
        new.append(first + keyed.below(last - first + 1))
    day, month = new
    return partial(_date_like, pack, BirthDate(day, month, year))


def _date_like(pack: Pack, date: BirthDate, written: str) -> str:
    """Return a date as one is written: a month in words, a year of two digits."""
    written, names = unicodedata.normalize("NFKC", written), pack.dates.names
    ordinals = pack.dates.ordinals
    own = entities.read_birth_date(written, pack)
    if own is None:
        return f"{date.day:02}/{date.month:02}/{date.year:04}"
    for part, start, end in reversed(own.places):
        token, number = written[start:end], getattr(date, part)
        width = len(token) if token.isdigit() else 1
        new = f"{number:04}"[-len(token) :] if part == "year" else f"{number:0{width}}"
        if part == "month" and (month := entities.month_of(token, pack)):
            new = names[date.month - 1]
            if len(token) < len(names[month - 1]):
                # As many letters as tell it from the others.
                shorter = (new[:n] for n in range(3, len(new)))
                new = next((one for one in shorter if entities.month_of(one, pack)), new)
            new = cased_like(new, token)
        elif part == "day" and not token.isdigit():
            # Such as 1st, 12th, but 1er, 12.
            unit = number % _TWO_DIGITS or _TWO_DIGITS
            is_named = unit < len(ordinals) and number // _TWO_DIGITS != 1
            others = ordinals[-1] if len(ordinals) > 1 else ""
            new += ordinals[unit - 1] if is_named or (number == 1 and ordinals) else others
        written = written[:start] + new + written[end:]
    return written


def age(scope: "Scope", entity: Entity, reference: str) -> Writer:
    """Return the writer of an age of the same band, another for each age of the band."""
    if not re.fullmatch("[0-9]{1,3}(?: [0-9]{1,3})*", reference):
        return of_form(scope, entity, reference)

    def moved(written: re.Match[str]) -> str:
        number = int(written[0])
        band = bisect(_BANDS, number)
        first, size = _BANDS[band - 1], _BANDS[band] - _BANDS[band - 1]
        step = 1 + Keyed(scope.key, "age", entity.sender, str(first)).below(size - 1)
        return f"{first + (number - first + step) % size:0{len(written[0])}}"

    return lambda written: re.sub("[0-9]{1,3}", moved, unicodedata.normalize("NFKC", written))


_MAKERS: dict[IdentifierType, Callable[[Pack, Keyed, str, int], Writer | None]] = {
    IdentifierType.DDN: _birth_date,
    IdentifierType.IPA: _net_address,
    IdentifierType.GPS: _coordinates,
}
"""The makers of writers of numbers, given how many signs longer they are to be."""
TYPES = (*map(IdentifierType, (*entities.FORMS, "COD", "LNK", "NUM")), *_MAKERS)
"""The types of which all identifiers are numbers with a form, or codes."""
