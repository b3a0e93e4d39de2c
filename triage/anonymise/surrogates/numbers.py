"""Surrogates of numbers and of other identifiers of form: written like them, and nobody's.

Telephone numbers are kept for fiction: ARCEP's numbering plan (decision 2018-0881) gives nobody the
numbers that begin as in `BLOCKS`. Numbers with a key have one that does not hold, number plates
letters that no plate has, addresses of the net come from what is kept for examples, and coordinates
are open sea.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from string import ascii_uppercase, digits
from typing import NamedTuple

from triage.dictionaries.pack import Pack, any_of
from triage.dictionaries.recognisers.checks import luhn

from ...errors import TriageError
from ...vocabulary import IdentifierType
from ..abroad import example_of, invented, is_home, numbers_abroad, with_digits
from ..entity import PARTS_OF_DATE, BirthDate, Entity, labels, month_of, read_birth_date
from ..keys import Keyed
from .pools import Scope, Writer, cased_like, words_like

# Blocks of 10,000 numbers, one for each region of landlines and one of mobiles.
BLOCKS = {"1": "019900", "2": "026191", "3": "035301", "4": "046571", "5": "053649", "6": "063998"}
_MOBILE = "6"
_BLOCK = 10_000
_OF_FRANCE = re.compile(r"0[1-9][0-9]{8}")
_OF_AMERICA = re.compile("[2-9][0-9]{2}[2-9][0-9]{6}")
_SUBSCRIBER = 9
# Shorter ones are no telephone numbers of anybody's; they are replaced as codes are.
_SHORTEST = 4
# So often a surrogate of a length is tried before a longer one is, and so often one of this form
# before another.
_TRIES, _MOST_TRIES = 20, 200
_LENGTH_OF_NONE = 4
_LONGEST = 200


def telephone(scope: Scope, entity: Entity, reference: str) -> Writer:
    found = "".join(re.findall("[0-9]", reference))
    if 0 < len(found) < _SHORTEST:
        return code(scope, entity, found)
    french = _OF_FRANCE.fullmatch(reference) is not None
    countries = scope.lexicon.pack.pack.countries
    at_home = is_home(countries)
    # As Quebec writes its own.
    dialled = f"+1{reference}" if at_home and _OF_AMERICA.fullmatch(reference) else reference
    possible = [] if french and at_home else numbers_abroad(dialled, countries)
    if not (possible or at_home or found):
        possible = [example_of(countries[0])]
    for abroad in possible[:1]:
        for other in invented(Keyed(scope.key, "telephone", *entity), abroad):
            if scope.take(other, f"{abroad.country}{other}"):
                return partial(with_digits, f"+{abroad.country} {other}", other)
    part = len(found) if 0 < len(found) <= _SUBSCRIBER and "+" not in reference else 0
    start = Keyed(scope.key, "telephone", *entity).below(_BLOCK)
    own = BLOCKS.get(reference[1] if french else _MOBILE, BLOCKS[_MOBILE])
    for block in dict.fromkeys((own, *BLOCKS.values())):
        for i in range(_BLOCK) if (block, part) not in scope.used_up else ():
            number = f"{block}{(start + i) % _BLOCK:04}"
            if scope.take(number[-part:]):
                return partial(_telephone_like, number, part=part, french=french)
        scope.used_up.add((block, part))
    raise TriageError(
        f"the corpus has more telephone numbers than the {len(BLOCKS) * _BLOCK:,} that are kept "
        "for fiction: use the style consistent"
    )


def _telephone_like(number: str, written: str, *, part: int, french: bool) -> str:
    """Return a number, its digits set where the identifier has its own."""
    own = number[-part:] if part else number[-_SUBSCRIBER:]
    is_in_place = french or len(re.findall("[0-9]", written)) == part
    pairs = " ".join(re.findall("..", number))
    otherwise = f"+33 {pairs[1:]}" if written.lstrip().startswith(("+", "00")) else pairs
    return with_digits(otherwise, own, written) if is_in_place else otherwise


def code(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a code: a letter for a letter, a digit for a digit."""
    found = scope.code(
        ("code", *entity), lambda keyed, attempt: other_signs(keyed, reference, attempt // _TRIES)
    )
    return partial(_code_like, scope.lexicon.pack, found)


def other_signs(
    keyed: Keyed, reference: str, longer: int = 0, *, letters: str = ascii_uppercase
) -> str:
    """Return a letter for each letter, a digit for each digit, and so many digits behind."""
    shape = "".join(filter(str.isalnum, reference))[:_LONGEST]
    zeros = longer if shape else _LENGTH_OF_NONE + longer
    signs = (digits if sign.isdigit() else letters for sign in shape + "0" * zeros)
    return "".join(map(keyed.of, signs))


def _code_like(pack: Pack, surrogate: str, written: str) -> str:
    """Return a code with its signs set where the identifier has its own, small ones small."""
    kept_words = labels(pack).finditer(written) if " " in written else ()
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


def of_form(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a number that is nobody's: the first that is free in all its spellings."""
    pack, texts = scope.lexicon.pack, scope.written[entity]
    forms = (one.make for one in _FORMS.get(entity.kind, ()) if one.pattern.fullmatch(reference))
    own = next(forms, _MAKERS.get(entity.kind, _others))

    def tried(attempt: int) -> Writer | None:
        keyed = Keyed(scope.key, "form", *entity, str(attempt))
        make = own if attempt < _MOST_TRIES else _others
        return make(pack, keyed, reference, attempt // _TRIES)

    return next(one for one in map(tried, count()) if one and scope.take(*map(one, texts)))


def _others(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    return partial(_code_like, pack, other_signs(keyed, reference, longer))


class _Form(NamedTuple):
    """A form of numbers: a sign of `mask` for each of theirs, its last one for all that follow.

    ``=`` keeps a sign, ``#`` draws another one, what else stands there is written. A number that
    `holds` by its check digits might be somebody's.
    """

    pattern: re.Pattern[str]
    mask: str
    holds: Callable[[str], bool] = lambda _: False
    letters: str = ascii_uppercase

    def make(self, pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer | None:
        """Make another number of the form; None where it might be somebody's."""

        def sign(one: str, own: str) -> str:
            if one == "#":
                return keyed.of(digits if own.isdigit() else self.letters)
            return own if one == "=" else one

        mask = self.mask.ljust(len(reference), self.mask[-1])
        behind = (keyed.of(digits) for _ in range(longer))
        signs = "".join([*map(sign, mask, reference), *behind])
        return None if self.holds(signs) else partial(_code_like, pack, signs)


def _company_holds(signs: str) -> bool:
    number = signs[4:] if signs.startswith("FR") else signs
    return luhn(number) or luhn(number[:9])


# An account of the same country with check digits that banks never give, of a French one (bank,
# branch, account, key) the key 00; a card of the same network; who has the same sex and is born in
# month 00, with the key 00; a company; a plate with letters that are on none, as they look like
# digits.
_FORMS: dict[IdentifierType, tuple[_Form, ...]] = {
    IdentifierType.IBA: (
        _Form(re.compile("[0-9]{10}[0-9A-Z]{11}[0-9]{2}"), "#" * 21 + "00"),
        _Form(
            re.compile("[A-Z]{2}[0-9]{2}[0-9A-Z]+"),
            "==00#",
            # To a check that only computes, the check digits 00 are what 97 is.
            lambda signs: int("".join(str(int(i, 36)) for i in signs[4:] + signs[:4])) % 97 == 1,
        ),
    ),
    IdentifierType.CRT: (_Form(re.compile("[0-9]{8,}"), "=#", luhn),),
    IdentifierType.NIR: (
        _Form(re.compile("[0-9]{5}[0-9A-Z]{2}[0-9]{6}(?:[0-9]{2})?"), "=##00" + "#" * 8 + "00"),
    ),
    IdentifierType.SIR: (
        _Form(re.compile("[0-9]{9}(?:[0-9]{5})?"), "#", _company_holds),
        _Form(re.compile("FR[0-9A-Z]{2}[0-9]{9}"), "==#", _company_holds),
    ),
    IdentifierType.IMM: (_Form(re.compile(".+", re.DOTALL), "#", letters="IO"),),
}

_CRYPTO_PREFIX = re.compile("0x|[a-z]{2,4}1(?=[a-z0-9]{20})|.", re.IGNORECASE | re.DOTALL)
# What all alphabets of addresses have in common: no 0, 1, b, i, l, o; of 0x…, hexadecimal digits.
_SMALL, _LARGE, _DIGITS = "acdefghjkmnpqrstuvwxyz", "ACDEFGHJKMNPQRSTUVWXYZ", "23456789"


def _crypto(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make an address that begins alike; of some 10^48, none is somebody's by chance."""
    prefix = match[0] if (match := _CRYPTO_PREFIX.match(reference)) else ""
    n_letters = 4 if prefix.lower() == "0x" else len(_SMALL)
    signs = {str.isdigit: _DIGITS, str.isupper: _LARGE[:n_letters], str.isalpha: _SMALL[:n_letters]}
    found = "".join(
        next((keyed.of(choice) for is_such, choice in signs.items() if is_such(sign)), "")
        for sign in reference[len(prefix) :] + "2" * longer
    )
    return partial(_code_like, pack, "".join(filter(str.isalnum, prefix)) + found)


_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_MAC = re.compile("[0-9a-f]{12}", re.IGNORECASE)
# Kept for documentation (RFC 5737, RFC 3849, RFC 9542).
_NETS, _NET6, _MAC_BLOCK = ("192.0.2", "198.51.100", "203.0.113"), "2001:db8:", "00005E0053"
_GROUPS = 6


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


_RUN = re.compile("[0-9]+")
# Other letters are those of a code of a place; these three are in none (Open Location Code).
_IN_NO_CODE = "AIO"
_IN_COORDINATES = "[^A-Z]|GEO|LAT(?:ITUDE)?|LONG?(?:ITUDE)?|LNG|[NSEWO]"


def _coordinates(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make coordinates within a degree of 0° N, 0° E: open sea; as many digits behind the point."""
    runs = [*_RUN.finditer(reference)]
    words = any_of(word.upper() for word in (*pack.places.links, *pack.places.directions))
    if not runs or not re.fullmatch(f"(?:{_IN_COORDINATES}|{words})*+", reference, re.ASCII):
        return partial(_code_like, pack, other_signs(keyed, reference, longer, letters=_IN_NO_CODE))
    is_fraction = [run.start() > 0 and reference[run.start() - 1] == "." for run in runs]
    if "." not in reference and "°" not in reference and len(runs) == 4:
        is_fraction = [False, True, False, True]
    n_whole = is_fraction.count(False)
    # Degrees alone, or with minutes, or with seconds, too: twice as many.
    per_coordinate = n_whole // 2 if n_whole in (4, 6) else 1
    found, whole = [], 0
    for run, fraction in zip(runs, is_fraction, strict=True):
        if fraction:
            found.append(other_signs(keyed, run[0]))
            continue
        found.append("0" if whole % per_coordinate == 0 else f"{keyed.below(60):0{len(run[0])}}")
        whole += 1
    if longer:
        found[-1] += "." * (not is_fraction[-1]) + other_signs(keyed, "0" * longer)

    like = partial(words_like, found, _RUN, like=lambda run, _: run)
    return partial(like, like("", reference))


# How far the year moves at most; farther where all dates are taken.
_YEARS = 3
_FIRST_YEAR, _YEARS_THERE_ARE = 1000, 9000
# Every month has so many days.
_DAYS, _MONTHS = 28, 12
_TWO_DIGITS = 10


def _birth_date(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    """Make another date in the same form: another day and month, some years before or after."""
    date = read_birth_date(reference, pack)
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
    own = read_birth_date(written, pack)
    if own is None:
        return f"{date.day:02}/{date.month:02}/{date.year:04}"
    for part, start, end in reversed(own.places):
        token, number = written[start:end], getattr(date, part)
        width = len(token) if token.isdigit() else 1
        new = f"{number:04}"[-len(token) :] if part == PARTS_OF_DATE[2] else f"{number:0{width}}"
        if part == PARTS_OF_DATE[1] and (month := month_of(token, pack)):
            new = names[date.month - 1]
            if len(token) < len(names[month - 1]):
                # As many letters as tell it from the others.
                new = next((new[:n] for n in range(3, len(new)) if month_of(new[:n], pack)), new)
            new = cased_like(new, token)
        elif part == PARTS_OF_DATE[0] and not token.isdigit():
            new += _ordinal(number, pack.dates.ordinals)
        written = written[:start] + new + written[end:]
    return written


def _ordinal(number: int, ordinals: Sequence[str]) -> str:
    """Return what stands behind an ordinal number: *1st*, *12th*, but *1er*, *12*."""
    unit = number % _TWO_DIGITS or _TWO_DIGITS
    is_named = unit < len(ordinals) and number // _TWO_DIGITS != 1
    others = ordinals[-1] if len(ordinals) > 1 else ""
    return ordinals[unit - 1] if is_named or (number == 1 and ordinals) else others


# Ages stay in their band: pupils stay pupils, and who is of age stays so.
_BANDS: tuple[int, ...] = (0, 3, 6, 11, 15, 18, 21, 25, *range(30, 1_005, 5))


def age(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes an age of the same band, another for each age of the band."""
    if not re.fullmatch("[0-9]{1,3}(?: [0-9]{1,3})*", reference):
        return code(scope, entity, reference)

    def moved(written: str) -> str:
        number = int(written)
        band = bisect(_BANDS, number)
        first, size = _BANDS[band - 1], _BANDS[band] - _BANDS[band - 1]
        step = 1 + Keyed(scope.key, "age", entity.sender, str(first)).below(size - 1)
        return f"{first + (number - first + step) % size:0{len(written)}}"

    return lambda written: re.sub(
        "[0-9]{1,3}", lambda found: moved(found[0]), unicodedata.normalize("NFKC", written)
    )


_MAKERS: dict[IdentifierType, Callable[[Pack, Keyed, str, int], Writer | None]] = {
    IdentifierType.CRY: _crypto,
    IdentifierType.DDN: _birth_date,
    IdentifierType.IPA: _net_address,
    IdentifierType.GPS: _coordinates,
}
"""Make what writes a number, given how many signs it is to be longer."""
OF_FORM = {*_FORMS, *_MAKERS}
