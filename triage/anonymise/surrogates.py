"""Invented identifiers: they stand for a name, a place, a number, an address.

A surrogate must

- be the same for all spellings of an entity in its scope (the corpus, or a sender), and no other
  entity's there;
- be no identifier that is replaced anywhere in the corpus; if it is a number, a code or a made-up
  word, no word of the corpus at all (ages aside: every corpus holds most numbers of two digits);
- follow from the key and the identifiers of the corpus, not from their order;
- keep what makes a text read on: gender, first sound, frequency and length of a name, the size of a
  town, the form of a number, but so that the number is nobody's;
- be written like its identifier: capitals, accents, stretched letters, signs.

Telephone numbers are kept for fiction (`FOR_FICTION`). Abroad, where no regulator keeps any, the
first digits stay that leave a number which the country's plan gives to nobody (libphonenumber).
Numbers with a key have one that does not hold, number plates letters that no plate has, addresses
of the net come from what is kept for examples (RFC 2606 for e-mail and the web), and coordinates
are open sea. Streets and schools stay what they are.
"""

import re
import unicodedata
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, count
from string import ascii_uppercase, digits
from typing import NamedTuple, cast

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack, any_of
from triage.dictionaries.recognisers.checks import luhn

from ..decide.find import POSSESSIVE
from ..vocabulary import IdentifierType
from . import entities, pools
from .entities import TOKEN, WORD, Abroad, BirthDate, Entity, Spelling, StyleContext, canonical
from .keys import Keyed, digest
from .pools import ANY, CLASSES, Scope, Slot, Writer, cased_like, plain, words_like
from .words import refused

_FRANCE = "33"
# So many French numbers of each form are kept for fiction.
_BLOCK = 10_000
_OF_AMERICA = re.compile("[2-9][0-9]{2}[2-9][0-9]{6}")
_SUBSCRIBER = 9
# Shorter ones are no telephone numbers of anybody's; they are replaced as codes are.
_SHORTEST = 4
# First digits of a number from abroad that stay; how many numbers behind them tell whether some are
# nobody's; and how often one of those is drawn.
_KEPT, _SAMPLE, _TRIES_ABROAD = (2, 1, 0), 400, 4_000
# So often a surrogate of a length is tried before a longer one is, and so often one of this form
# before another.
_CODE_TRIES, _MOST_TRIES = 20, 200
_LENGTH_OF_NONE = 4
_LONGEST_CODE = 200


def telephone(scope: Scope, entity: Entity, reference: str) -> Writer:
    found = "".join(re.findall("[0-9]", reference))
    if 0 < len(found) < _SHORTEST:
        return code(scope, entity, found)
    french = entities.OF_FRANCE.fullmatch(reference) is not None
    countries = scope.lexicon.pack.pack.countries
    at_home = entities.is_home(countries)
    # As Quebec writes its own.
    dialled = f"+1{reference}" if at_home and _OF_AMERICA.fullmatch(reference) else reference
    possible = [] if french and at_home else entities.numbers_abroad(dialled, countries)
    if not (possible or at_home or found):
        possible = [_example_of(countries[0])]
    for abroad in possible[:1]:
        for other in _invented(Keyed(scope.key, "telephone", *entity), abroad):
            if scope.take(other, f"{abroad.country}{other}"):
                return partial(_with_digits, f"+{abroad.country} {other}", other)
    part = len(found) if 0 < len(found) <= _SUBSCRIBER and "+" not in reference else 0
    start = Keyed(scope.key, "telephone", *entity).below(_BLOCK)
    forms = entities.FOR_FICTION[_FRANCE]
    # Those of its region first, or mobile ones, the last, in place of what is none of France.
    own = next((form for form in forms if french and form[0] == reference[1]), forms[-1])
    for form in sorted(forms, key=lambda form: form != own):
        for i in range(_BLOCK) if (form, part) not in scope.used_up else ():
            number = f"0{form.rstrip('_')}{(start + i) % _BLOCK:04}"
            if scope.take(number[-part:]):
                return partial(_telephone_like, number, part=part, french=french)
        scope.used_up.add((form, part))
    raise refused("too_many_telephones", n=len(forms) * _BLOCK)


def _example_of(country: str) -> Abroad:
    """Return a mobile number as those of a country are, for one whose digits are not told."""
    import phonenumbers

    kind = phonenumbers.PhoneNumberType.MOBILE
    number = phonenumbers.example_number_for_type(country.upper(), kind)
    digits = phonenumbers.national_significant_number(cast(phonenumbers.PhoneNumber, number))
    return Abroad(str(phonenumbers.country_code_for_region(country.upper())), digits)


def _invented(keyed: Keyed, number: Abroad) -> Iterator[str]:
    """Yield digits in place of a number's, the most alike first; numbers for fiction lead."""
    forms = [
        "".join(own if sign == "." else sign for sign, own in zip(form, number.digits, strict=True))
        for form in entities.FOR_FICTION.get(number.country, ())
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
        tries = _TRIES_ABROAD if _leaves_some(number.country, begun, len(number.digits)) else 0
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


def _telephone_like(number: str, written: str, *, part: int, french: bool) -> str:
    """Return a number, its digits set where the identifier has its own."""
    own = number[-part:] if part else number[-_SUBSCRIBER:]
    is_in_place = french or len(re.findall("[0-9]", written)) == part
    pairs = " ".join(re.findall("..", number))
    otherwise = f"+33 {pairs[1:]}" if written.lstrip().startswith(("+", "00")) else pairs
    return _with_digits(otherwise, own, written) if is_in_place else otherwise


def _with_digits(otherwise: str, digits: str, written: str) -> str:
    """Return a number with other last digits, or something else for fewer digits, or letters."""
    places = [match.start() for match in re.finditer("[0-9]", written)]
    if len(places) < len(digits) or any(map(str.isalpha, written)):
        return otherwise
    characters = list(written)
    for place, digit in zip(places[-len(digits) :], digits, strict=True):
        characters[place] = digit
    return "".join(characters)


def code(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a code: a letter for a letter, a digit for a digit."""
    found = scope.code(
        ("code", *entity),
        lambda keyed, attempt: other_signs(keyed, reference, attempt // _CODE_TRIES),
    )
    return partial(_code_like, scope.lexicon.pack, found)


def other_signs(
    keyed: Keyed, reference: str, longer: int = 0, *, letters: str = ascii_uppercase
) -> str:
    """Return a letter for each letter, a digit for each digit, and so many digits behind."""
    shape = "".join(filter(str.isalnum, reference))[:_LONGEST_CODE]
    zeros = longer if shape else _LENGTH_OF_NONE + longer
    signs = (digits if sign.isdigit() else letters for sign in shape + "0" * zeros)
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


def of_form(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a number that is nobody's: the first that is free in all its spellings."""
    pack, texts = scope.lexicon.pack, scope.written[entity]
    known = _FORMS.get(entity.kind, ())
    forms = (one.make for one in known if re.fullmatch(one.pattern, reference))
    own = next(forms, _MAKERS.get(entity.kind, _others))

    def tried(attempt: int) -> Writer | None:
        keyed = Keyed(scope.key, "form", *entity, str(attempt))
        make = own if attempt < _MOST_TRIES else _others
        return make(pack, keyed, reference, attempt // _CODE_TRIES)

    return next(one for one in map(tried, count()) if one and scope.take(*map(one, texts)))


def _others(pack: Pack, keyed: Keyed, reference: str, longer: int) -> Writer:
    return partial(_code_like, pack, other_signs(keyed, reference, longer))


def _company_holds(signs: str) -> bool:
    number = signs[4:] if signs.startswith("FR") else signs
    return luhn(number) or luhn(number[:9])


# Whether the check digits of a number hold. To a check that only computes, those of an account that
# are 00 are what 97 is.
_HOLDS: dict[str, Callable[[str], bool]] = {
    "": lambda _: False,
    "account": lambda signs: int("".join(str(int(i, 36)) for i in signs[4:] + signs[:4])) % 97 == 1,
    "card": luhn,
    "company": _company_holds,
}


class _Form(NamedTuple):
    """A form of numbers (surrogates.toml), and what makes another number of it."""

    pattern: str
    mask: str
    check: str = ""
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
        return None if _HOLDS[self.check](signs) else partial(_code_like, pack, signs)


_FORMS = {
    IdentifierType(kind): [_Form(**one) for one in forms] for kind, forms in entities.FORMS.items()
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


_DIGITS_RUN = re.compile("[0-9]+")
# Other letters are those of a code of a place; these three are in none (Open Location Code).
_IN_NO_CODE = "AIO"
_IN_COORDINATES = "[^A-Z]|GEO|LAT(?:ITUDE)?|LONG?(?:ITUDE)?|LNG|[NSEWO]"


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
    found, whole = [], 0
    for run, fraction in zip(runs, is_fraction, strict=True):
        if fraction:
            found.append(other_signs(keyed, run[0]))
            continue
        found.append("0" if whole % per_coordinate == 0 else f"{keyed.below(60):0{len(run[0])}}")
        whole += 1
    if longer:
        found[-1] += "." * (not is_fraction[-1]) + other_signs(keyed, "0" * longer)

    like = partial(words_like, found, _DIGITS_RUN, like=lambda run, _: run)
    return partial(like, like("", reference))


# How far the year moves at most; farther where all dates are taken.
_YEARS = 3
_FIRST_YEAR, _YEARS_THERE_ARE = 1000, 9000
# Every month has so many days.
_DAYS, _MONTHS = 28, 12
_TWO_DIGITS = 10


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


# In so long a name the end tells its gender.
_TELLING = 5
_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
# Also of a name in front of another word, as in *zoedupont*.
_LONGEST_NAME = 30
_MOST_STRETCHED = 30


def name_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of a name, given as `canonical` returns it; as they are, those that stay."""
    pack, kind, parts = lexicon.pack, entity.kind, WORD.findall(reference)
    links, first = pack.entities.links, pools.first_names(pack)
    is_one = len(parts) < 2 or links.issuperset(parts) or kind not in _OF_PARTS
    if is_one or (kind is IdentifierType.PRE and reference in first.pool):
        yield _name_slot(pack, kind, reference, entity.name, entity.sender)
        return
    is_compound = _is_known(lexicon, reference)
    for i, part in enumerate(parts):
        # Before the last word of a full name, first names are such.
        is_first = i < len(parts) - 1 and first.genders.get(part) and not is_compound
        kind = IdentifierType.PRE if is_first else entity.kind
        yield part if part in links else _name_slot(pack, kind, part, part, entity.sender)


def _is_known(lexicon: Lexicon, reference: str) -> bool:
    """Return whether a name is in a list, such as a compound (Jean-Luc): a full name is not."""
    held = lexicon.held(reference)
    return bool(held & lexicon.dictionary) or reference in pools.first_names(lexicon.pack).genders


def _name_slot(pack: Pack, kind: IdentifierType, word: str, name: str, sender: str) -> Slot:
    """Return the slot of a word of the name of a person, a place or a brand."""
    purpose, word, given = (kind.value, name, sender), word[:_LONGEST_NAME], pack.surrogates
    match kind:
        case IdentifierType.LIE:
            towns = pools.places(pack)
            return Slot(purpose, word, towns.pool, towns.classes(word), given.town)
        case IdentifierType.MAR:
            return Slot(purpose, word, endings=given.brand)
        case _ if len(word) == 1:
            return Slot(purpose, word, pools.initials())
        case IdentifierType.NOM:
            return Slot(purpose, word, pools.last_names(pack), endings=given.last_name)
    first = pools.first_names(pack)
    ending = first.endings.get(word[-2:], ANY) if len(word) >= _TELLING else ANY
    gender = first.genders.get(word) or ending
    endings = {"m": given.male, "f": given.female}.get(gender, given.male + given.female)
    # Compounds of as many parts come first.
    kinds = dict.fromkeys((gender + "-" * word.count("-"), gender, ANY))
    return Slot(purpose, word, first.pool, (*kinds,), endings)


def name(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a name in the case, accents, stretching and signs of another, or short."""
    surrogate = scope.words(name_slots(scope.lexicon, entity, reference))
    if len(surrogate) == 1:
        surrogate = surrogate[0].split("-")
    joiner = "-" if _is_known(scope.lexicon, reference) else " "
    is_ascii = pools.first_names(scope.lexicon.pack).written.get(reference, "").isascii()
    parts = WORD.findall(reference)
    letters = "".join(part[0] for part in parts)
    has_initials = len(letters) < len(reference) and len(parts) == len(surrogate)

    def write(written: str) -> str:
        written, words = unicodedata.normalize("NFC", written), surrogate
        ending = possessive[0] if (possessive := POSSESSIVE.search(written)) else ""
        written = written.removesuffix(ending)
        parts = WORD.findall(written)
        if has_initials and fold("".join(parts)) == letters:
            words = [word[0] for word in words]
            words = words if len(parts) > 1 else ["".join(words)]
        if not is_ascii and written.isascii():
            split = (unicodedata.normalize("NFD", word) for word in words)
            words = ["".join(c for c in one if not unicodedata.combining(c)) for one in split]
        start = "".join(parts) or written
        otherwise = joiner.join(cased_like(word, start) for word in words)
        return words_like(words, WORD, otherwise, written, _stretched_like) + ending

    return write


def _stretched_like(word: str, part: str) -> str:
    stretch = re.search(r"([^\W\d_])\1{2,}$", fold(part))
    if stretch and word[-1:].isalpha():
        word += word[-1] * min(len(stretch[0]) - 1, _MOST_STRETCHED)
    return cased_like(word, part)


_POSTCODE, _DEPARTMENT = 5, 2
# So many letters beside a digit are of a code: BN3 2AB. No British postcode ends in these.
_OF_CODE, _IN_NO_POSTCODE = 2, "CIKMOV"
# So often an address is tried before a longer one is.
_TRIES = 30
# They are kept for examples (RFC 2606).
DOMAINS = ("example.com", "example.net", "example.org")
_RUN = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_NO_NAME = "a" * 6
# Of a name in front of another word, as in *zoedupont*.
_SHORTEST_NAME = 4
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


def place_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of an address or an organisation; as they are, those that stay.

    Letters of a code, as of a British postcode, are yielded as capitals.
    """
    pack, tokens = lexicon.pack, TOKEN.findall(reference)
    is_name = _names_of(pack, entity.kind)
    for i, token in enumerate(tokens):
        beside = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
        if is_name(token) and len(token) == _OF_CODE and any(map(str.isdigit, beside)):
            yield token.upper()
        elif is_name(token):
            slot = _place_slot(pack, entity, tokens, i)
            yield slot if len(tokens) > 1 else replace(slot, purpose=tuple(entity))
        else:
            yield token
    if not tokens:
        yield from pack.surrogates.street_type.split()
        yield Slot(tuple(entity), reference, endings=pack.surrogates.street)


def _names_of(pack: Pack, kind: IdentifierType) -> Callable[[str], bool]:
    """Return what tells names from words that stay: what a street or an organisation is."""
    of_streets, others = pack.addresses.kept, pack.entities.links | entities.organisations(pack)
    kept: Set[str] = of_streets if kind in (IdentifierType.ADR, IdentifierType.CPO) else others
    return lambda token: not (token.isdigit() or token in kept or len(token) == 1)


def named_place(scope: Scope, entity: Entity, reference: str) -> Writer:
    pack = scope.lexicon.pack
    slots = [*place_slots(scope.lexicon, entity, reference)]
    words = scope.words(slots)
    # A word alone is taken as such.
    if len(slots) > 1 or words == slots:
        postcodes = pools.places(pack).postcodes
        town = next((postcodes[word] for word in reversed(words) if word in postcodes), "")
        words = scope.code(("address", *entity), partial(_numbered, words, town)).split()
    is_name = _names_of(pack, entity.kind)

    def like(word: str, token: str) -> str:
        return cased_like(word, token) if is_name(word) or word.isdigit() else token

    return partial(words_like, words, TOKEN, " ".join(words), like=like)


def _numbered(words: Sequence[str], postcode: str, keyed: Keyed, attempt: int) -> str:
    """Return an address with other numbers; a postcode is that of the town while it is free."""

    def other(number: str) -> str:
        if number.isupper():
            return "".join(keyed.of(_IN_NO_POSTCODE) for _ in number)
        digits = "".join(keyed.of("0123456789" if i else "123456789") for i in range(len(number)))
        if len(number) != _POSTCODE or not postcode:
            return digits
        return postcode[:_DEPARTMENT] + digits[_DEPARTMENT:] if attempt else postcode

    longer = ["1"] * (attempt // _TRIES)
    every = (*words, *longer)
    return " ".join(other(one) if one.isdigit() or one.isupper() else one for one in every)


def _place_slot(pack: Pack, entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    name, before = tokens[i], tokens[i - 1] if i else ""
    in_organisation = not entities.organisations(pack).isdisjoint(tokens)
    of_organisation = in_organisation and entity.kind is not IdentifierType.ADR
    given = pack.surrogates
    if (
        entity.kind is IdentifierType.CPO
        or any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i])
        or ((of_organisation or before in given.of) and name in pools.places(pack).sizes)
    ):
        classes = pools.places(pack).classes(name)
        classes = classes if classes[0] in CLASSES else ("village",)
        purpose = (IdentifierType.LIE.value, name, entity.sender)
        return Slot(purpose, name, pools.places(pack).pool, classes, given.town)
    article = before if before in given.articles else ""
    slot = partial(Slot, (IdentifierType.ADR.value, article, name, entity.sender), name)
    if article:
        return slot(pools.street_names(pack), (article,), given.street)
    if gender := pools.first_names(pack).genders.get(name):
        return slot(pools.first_names(pack).pool, (gender,), given.last_name)
    if entity.kind is IdentifierType.ORG and not of_organisation:
        return slot(endings=given.brand)
    return slot(pools.last_names(pack), endings=given.last_name)


def handle(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a handle: that of a name, a word, other digits."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return code(scope, entity, reference)
    if len(runs) == 1:
        # A name alone would be that of the person.
        found = [scope.word(Slot(tuple(entity), runs[0]))]
    else:
        found = scope.code(("handle", *entity), _maker(scope, entity, runs, " ")).split()
    return partial(words_like, found, TOKEN, "".join(found))


def _maker(
    scope: Scope, entity: Entity, runs: Sequence[str], joiner: str
) -> Callable[[Keyed, int], str]:
    """Return what makes a handle or an e-mail address: other words and digits, the same signs."""
    words = [_word_of(scope, entity, run) if run[0].isalnum() else run for run in runs]

    def make(keyed: Keyed, attempt: int) -> str:
        pairs = zip(words, runs, strict=True)
        made = joiner.join(word or other_signs(keyed, run) for word, run in pairs)
        # Behind a name that has no digits, some tell two apart.
        return made + (other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else "")

    return make


def _word_of(scope: Scope, entity: Entity, run: str) -> str:
    """Return what stands for a word of a handle or an e-mail address; empty for a number."""
    if run.isdigit():
        return ""
    slots, left = list[Slot](), run
    # A name may stand in front of another word.
    for length in range(min(len(run), _LONGEST_NAME), _SHORTEST_NAME - 1, -1):
        if slot := _person_slot(scope, run[:length], entity.sender):
            slots, left = [slot], run[length:]
            break
    if left:
        slots.append(_person_slot(scope, left, entity.sender) or Slot((*entity, left), left))
    return "".join(plain(scope.word(slot)) for slot in slots)


def _person_slot(scope: Scope, word: str, sender: str) -> Slot | None:
    """Return the slot of a word that is a person's name, in a list or in the messages."""
    pack = scope.lexicon.pack
    name = entities.short_forms(pack).get(fold(word), fold(word))
    for kind in (IdentifierType.PRE, IdentifierType.NOM):
        slot = _name_slot(pack, kind, name, name, sender)
        if name in slot.pool or slot.purpose in scope.given:
            return slot
    return None


def mail_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an e-mail address: that of the names in it."""
    local = reference.partition("@")[0]
    runs = _RUN.findall(local if any(map(str.isalnum, local)) else _NO_NAME)
    make = _maker(scope, entity, runs, "")
    address = scope.code(
        ("mail", *entity),
        lambda keyed, attempt: f"{make(keyed, attempt)}@{DOMAINS[keyed.below(len(DOMAINS))]}",
    )

    def write(written: str) -> str:
        spelt_at, spelt_dot, *_ = entities.spelt(scope.lexicon.pack)
        new, at = address, spelt_at.search(written)
        if at and "@" not in written:
            local, _, domain = address.partition("@")
            dot = spelt_dot.search(written, at.end())
            new = local + at[0] + domain.replace(".", dot[0] if dot else ".")
        return new.upper() if written.isupper() else new

    return write


def web_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a web address, about as long as the real one."""
    domain = DOMAINS[Keyed(scope.key, "domain", *entity).below(len(DOMAINS))]
    length = min(max(len(reference) - len(domain) - 1, _SHORTEST_PATH), _LONGEST_PATH)
    # The first word is like no other; more are there for the length.
    path = scope.word(Slot(tuple(entity), (reference + _NO_NAME)[: min(length, _SEGMENT)]))
    keyed = Keyed(scope.key, "path", *entity)
    while len(path) < length - 1:
        path += "/" + pools.pronounceable(keyed, min(length - len(path) - 1, _SEGMENT))
    address = f"{domain}/{path}"

    def write(written: str) -> str:
        # What the identifier begins with stays: ``https://www.`` or nothing.
        prefix = entities.WEB_PREFIX.match(written.strip())
        return (prefix[0] if prefix else "") + (address.upper() if written.isupper() else address)

    return write


_Maker = Callable[[Scope, Entity, str], Writer]
"""Makes what writes the surrogate of an entity, given the longest of its canonical names."""
_WRITERS: dict[IdentifierType, _Maker] = {
    **dict.fromkeys((*_FORMS, *_MAKERS), of_form),
    **dict.fromkeys((IdentifierType.ADR, IdentifierType.CPO, IdentifierType.ORG), named_place),
    **dict.fromkeys((IdentifierType.COD, IdentifierType.LNK, IdentifierType.NUM), code),
    IdentifierType.TEL: telephone,
    IdentifierType.MEL: mail_address,
    IdentifierType.URL: web_address,
    IdentifierType.PSD: handle,
    IdentifierType.AGE: age,
}
_SLOTS: dict[_Maker, Callable[[Lexicon, Entity, str], Iterator[Slot | str]]]
_SLOTS = {named_place: place_slots, name: name_slots}
"""The words to be invented by what makes writers of names."""


def surrogate_writers(
    context: StyleContext, invented: Mapping[Spelling, Entity]
) -> dict[Entity, Writer]:
    """Return what writes the surrogate of each entity as each of its spellings is written."""
    key, lexicon = context.key, context.lexicon
    spellings: dict[Entity, list[Spelling]] = defaultdict(list)
    for spelling, entity in invented.items():
        spellings[entity].append(spelling)
    references: dict[Entity, str] = {}
    slots: dict[Entity, list[Slot]] = {}
    makers: dict[Entity, _Maker] = {}
    for entity, several in spellings.items():
        names = {canonical(one.text, one.type, lexicon) for one in several}
        references[entity] = longest = min(names, key=lambda name: (-len(name), name))
        makers[entity] = maker = _maker_of(lexicon.pack, entity, longest)
        words = _SLOTS[maker](lexicon, entity, longest) if maker in _SLOTS else ()
        slots[entity] = [one for one in words if isinstance(one, Slot)]
    texts = {*(one.text for one in context.spellings), *references.values()}
    corpus, hidden = (
        {plain(word) for word in (*context.corpus_words, *texts)},
        pools.bare_words(texts),
    )
    written = {entity: [one.text for one in several] for entity, several in spellings.items()}
    scopes = {one.sender: Scope(key, lexicon, corpus, hidden, written) for one in references}
    for spelling, text in context.chosen.items():
        if found := invented.get(spelling):
            # A name that is spelt in full has it in all spellings.
            is_full = fold(spelling.text) == references[found] and text.isalpha()
            is_whole = is_full and len(slots[found]) == 1
            scopes[found.sender].give(text, slots[found][0] if is_whole else None)

    def turn(one: tuple[str, Slot]) -> tuple[object, ...]:
        # Neither the corpus nor the alphabet says who chooses first.
        slot = one[1]
        return digest(key, "order", *slot.purpose), slot.name, slot.kinds, slot.endings

    every = [(entity.sender, slot) for entity, several in slots.items() for slot in several]
    for sender, slot in sorted(every, key=turn):
        scopes[sender].word(slot)
    return {
        entity: makers[entity](scopes[entity.sender], entity, references[entity])
        for entity in sorted(references, key=lambda entity: digest(key, "order", *entity))
    }


def _maker_of(pack: Pack, entity: Entity, reference: str) -> _Maker:
    first, kind = TOKEN.findall(reference)[:1], entity.kind
    if kind is IdentifierType.LIE and not entities.organisations(pack).isdisjoint(first):
        return named_place
    if kind in (IdentifierType.LNK, IdentifierType.GPS) and entities.is_link(reference):
        return web_address
    return _WRITERS.get(kind, name)
