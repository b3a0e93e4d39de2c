"""Invented identifiers: they stand for a name, a place, a number, an address.

A surrogate is the same for all spellings of an entity in its scope (the corpus, or a sender), and
no other entity's there. It is no identifier that is replaced anywhere in the corpus; a number, a
code or a made-up word is no word of the corpus at all (ages aside: every corpus holds most numbers
of two digits). It follows from the key and the identifiers of the corpus, not from their order. It
keeps what makes a text read on: gender, first sound, frequency and length of a name, the size of a
town, the form of a number, but so that the number is nobody's. It is written like its identifier:
capitals, accents, stretched letters, signs. Streets and schools stay what they are.
"""

import csv
import re
import unicodedata
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import accumulate, count
from math import gcd
from string import ascii_uppercase, digits
from typing import NamedTuple

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold, without_runs
from triage.dictionaries.pack import Pack, any_of
from triage.dictionaries.recognisers.checks import luhn

from ..decide.find import POSSESSIVE
from ..vocabulary import IdentifierType
from . import entities
from .entities import TOKEN, WORD, BirthDate, Entity, Spelling, StyleContext, canonical
from .keys import Keyed, digest
from .words import refused

# The folder of a pack that holds the names and places.
FOLDER = "surrogates"

# Classes of towns, and how many inhabitants each has at least.
CLASSES = {"city": 100_000, "town": 20_000, "small town": 5_000, "village": 2_000}
ABROAD, COUNTRY = "abroad", "country"
ANY = ""
_SHORTEST_DRAWN = 3
# What two letters at the end of a name say of its gender.
_FEWEST, _SURE = 8, 0.85
_SOUND = re.compile("(?P<h>h)|(?P<vowel>[aeiouœæ]|y(?![aeiou]))")
Listed = tuple[str, str, bool]
"""A word, its kind, and whether it is common."""
Alike = tuple[str, str, bool | None, range]
"""A class of words: kind, sound, whether they are common (None: some are), and lengths."""
Writer = Callable[[str], str]
"""Writes a surrogate as its identifier is written."""
_Like = Callable[[str, str], str]
_Make = Callable[[Keyed, int], str]
"""Makes a code of keyed choices, one that differs each time it is tried."""
# Shorter words that are made up are mostly words.
_SHORTEST_WORD, _LONGEST_WORD = 5, 30
_CONSONANTS, _VOWELS = "bcdfgjlmnprstv", "aeiou"
_SUBSCRIBER = 9
# Shorter ones are no telephone numbers of anybody's; they are replaced as codes are.
_SHORTEST = 4
# First digits of a number that stay; how many numbers behind them tell whether some are
# nobody's; and how often one of those is drawn.
_KEPT, _SAMPLE, _TRIES_ABROAD = (2, 1, 0), 400, 4_000
# So often a word or an address, or a code, is tried before a longer one is, and a code of a form
# before one of another.
_TRIES, _CODE_TRIES, _MOST_TRIES = 30, 20, 200
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
# In so long a name the end tells its gender.
_TELLING = 5
_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
# Also of a name in front of another word, as in *zoedupont*.
_SHORTEST_NAME, _LONGEST_NAME, _MOST_STRETCHED = 4, 30, 30
_POSTCODE, _DEPARTMENT = 5, 2
# So many letters beside a digit are of a code: BN3 2AB. No British postcode ends in these.
_OF_CODE, _IN_NO_POSTCODE = 2, "CIKMOV"
# They are kept for examples (RFC 2606).
DOMAINS = ("example.com", "example.net", "example.org")
_RUN = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_NO_NAME = "a" * 6
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """Return a text's letters and digits, without case and accents."""
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 16)
def bare(word: str) -> str:
    """Return a word so that its stretched forms are one with it."""
    return without_runs(plain(word))


def bare_words(texts: Iterable[str]) -> set[str]:
    """Return texts and the words in them, each so that its stretched forms are one with it."""
    return {bare(word) for text in texts for word in (text, *TOKEN.findall(text))} - {""}


def sound(word: str) -> str:
    """Return what a word begins with: ``vowel``, ``h`` (elided or not), or ``consonant``."""
    found = _SOUND.match(fold(word))
    return found.lastgroup or "consonant" if found else "consonant"


class Pool:
    """Words to draw for a name, of the same sound, so that elisions stay right."""

    def __init__(self, listed: Iterable[Listed]) -> None:
        self._common: dict[str, bool] = {}
        self._words: dict[tuple[str, str, bool | None, int], list[str]] = defaultdict(list)
        for word, kind, is_common in listed:
            self._common[fold(word)], begin = is_common, sound(word)
            # Compounds are left to compounds.
            for one in {kind, ANY} if word.isalpha() else {kind}:
                for frequency in (is_common, None):
                    self._words[one, begin, frequency, len(word)].append(word)

    def __contains__(self, name: str) -> bool:
        return name in self._common

    def alike(self, name: str, kinds: Iterable[str]) -> Iterator[Alike]:
        """Yield what words that may stand for a name share, the most alike first."""
        is_common = self._common.get(name, False)
        for kind in kinds:
            # So many letters may differ, and the word is as frequent or not; the nearest first.
            for most, as_frequent in ((1, True), (2, True), (2, False), (30, False)):
                lengths = range(len(name) - most, len(name) + most + 1)
                yield kind, sound(name), is_common if as_frequent else None, lengths

    def words(self, alike: Alike) -> list[str]:
        kind, begin, is_common, lengths = alike
        every = (self._words.get((kind, begin, is_common, length), ()) for length in lengths)
        return [word for words in every for word in words]


NO_WORDS = Pool(())


class FirstNames(NamedTuple):
    """First names to draw from, and by folded name what is known of all that the list holds."""

    pool: Pool
    # m, f or u (both).
    genders: dict[str, str]
    written: dict[str, str]
    endings: dict[str, str]


@cache
def first_names(pack: Pack) -> FirstNames:
    """Return the first names, full and not short forms, by gender; compounds by themselves."""
    genders, written, listed = dict[str, str](), dict[str, str](), dict[str, Listed]()
    short, letters = entities.short_forms(pack), re.compile(f"[{pack.surrogates.letters}-]+")
    rows = sorted(_rows(pack, "first_names.csv"), key=lambda row: -int(row["frequency"]))
    # Of two names that could be taken for each other, the commoner one is drawn.
    for row in rows:
        name, gender, folded = row["name"], row["gender"], fold(row["name"])
        genders.setdefault(folded, gender)
        written.setdefault(folded, name)
        is_full = short.get(folded, folded) == folded
        if len(name) >= _SHORTEST_DRAWN and is_full and letters.fullmatch(name):
            # Most names of a list have its lowest frequency.
            is_common = row["frequency"] != rows[-1]["frequency"]
            titled = re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), name)
            # Names of as many parts are of one kind.
            listed.setdefault(bare(name), (titled, gender + "-" * name.count("-"), is_common))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, gender in genders.items():
        counts[name[-2:]][gender] += 1
    # Where it is clear.
    endings = {
        ending: gender
        for ending, count in counts.items()
        for gender, n in count.most_common(1)
        if n >= _FEWEST and n >= _SURE * count.total()
    }
    return FirstNames(Pool(listed.values()), genders, written, endings)


@cache
def last_names(pack: Pack) -> Pool:
    """Return the last names that are no first names; for others, some that are put together."""
    given = pack.surrogates
    listed = ((row["name"], ANY, True) for row in _rows(pack, "last_names.csv"))
    made = ((stem + ending, ANY, False) for stem in given.stems for ending in given.family_endings)
    return Pool(_distinct([*listed, *made], map(bare, first_names(pack).genders)))


@cache
def street_names(pack: Pack) -> Pool:
    """Return names of streets that many towns have, by the article before them."""
    rows = _rows(pack, "street_names.csv")
    return Pool(_distinct((row["name"], row["article"], False) for row in rows))


@cache
def initials() -> Pool:
    """Return letters; where those are used up, two of them."""
    letters = [(letter, ANY, True) for letter in ascii_uppercase]
    pairs = ((one + other, ANY, False) for one in ascii_uppercase for other in "bdfgjkpvwz")
    return Pool([*letters, *pairs])


class Towns(NamedTuple):
    """Towns and countries to draw from, and what is known of all."""

    pool: Pool
    sizes: dict[str, str]
    postcodes: dict[str, str]

    def classes(self, name: str) -> tuple[str, ...]:
        """Return the classes that may stand for a place, the best one first."""
        size, sizes = self.sizes.get(name, "village"), [*CLASSES]
        return tuple(sizes[sizes.index(size) :]) if size in CLASSES else (size,)


@cache
def places(pack: Pack) -> Towns:
    """Return the places; names of people and towns without a postcode are not drawn."""
    rows = [(row["size"], row["name"]) for row in _rows(pack, "places.csv")]
    sizes = {re.sub(r"[\W_]+", "-", fold(name)): size for size, name in rows}
    rank = {size: place for place, size in enumerate(CLASSES)}
    head = re.compile(rf"([^-]{{3,}})-(?:{pack.surrogates.town_head})-")
    for name in sorted(sizes, key=lambda name: rank.get(sizes[name], len(rank))):
        # People say Palavas for Palavas-les-Flots, and mean the largest of that name.
        if found := head.match(name):
            sizes.setdefault(found[1], sizes[name])
    people = {*first_names(pack).genders, *(row["name"] for row in _rows(pack, "last_names.csv"))}
    postcodes = {row["name"]: row["postcode"] for row in _rows(pack, "postcodes.csv")}
    drawn = ((n, size, False) for size, n in rows if size not in CLASSES or n in postcodes)
    return Towns(Pool(_distinct(drawn, map(bare, people))), sizes, postcodes)


def _distinct(listed: Iterable[Listed], others: Iterable[str] = ()) -> Iterator[Listed]:
    """Yield the words that can be drawn, none twice, and none of others."""
    seen = set(others)
    for one in listed:
        word = one[0]
        if word.isalpha() and len(word) >= _SHORTEST_DRAWN and bare(word) not in seen:
            seen.add(bare(word))
            yield one


def _rows(pack: Pack, name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of the pack; none where it has no such names."""
    for folder in pack.folders:
        path = folder / FOLDER / name
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)


@dataclass(frozen=True)
class Slot:
    """A word to be invented: whose it is, and what it is to be like."""

    purpose: tuple[str, ...]
    name: str
    pool: Pool = NO_WORDS
    kinds: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = ("",)


@dataclass
class Scope:
    """The surrogates of a scope: no two the same, none a word or a replaced name of the corpus."""

    key: bytes
    lexicon: Lexicon
    corpus: Set[str]
    replaced: Set[str]
    written: Mapping[Entity, Sequence[str]]
    # By the purpose of a slot.
    given: dict[tuple[str, ...], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    # Of what nothing is free any more.
    used_up: set[tuple[object, object]] = field(default_factory=set)

    def take(self, *codes: str) -> bool:
        """Take all ways in which a code is written if they are free; return whether they were."""
        forms = {*map(plain, codes)}
        is_free = all(forms) and forms.isdisjoint(self.taken) and forms.isdisjoint(self.corpus)
        self.taken |= forms if is_free else set()
        return is_free

    def give(self, word: str, slot: Slot | None = None) -> None:
        """Give a word to a slot, or away, whether or not it is free."""
        self.taken |= {bare(word), plain(word)}
        if slot:
            self.given[slot.purpose] = word

    def word(self, slot: Slot) -> str:
        if slot.purpose not in self.given:
            for word in self._candidates(slot):
                # However stretched, it is nobody's surrogate, and no part that is replaced.
                key, is_taken = bare(word), plain(word) in self.taken
                is_replaced = not self.replaced.isdisjoint(bare_words([word]))
                if key and not (is_taken or key in self.taken or is_replaced):
                    break
            self.give(word, slot)
        return self.given[slot.purpose]

    def code(self, purpose: Sequence[str], make: _Make) -> str:
        """Return the first free one of the codes that are made of keyed choices, one each try."""
        codes = (make(Keyed(self.key, *purpose, str(n)), n) for n in count())
        return next(filter(self.take, codes))

    def _candidates(self, slot: Slot) -> Iterator[str]:
        """Yield the words that may stand for a name, the best ones first, without end."""
        keyed = Keyed(self.key, "name", *slot.purpose)
        for alike in slot.pool.alike(slot.name, slot.kinds):
            if (slot.pool, alike) not in self.used_up:
                words = slot.pool.words(alike)
                if n := len(words):
                    start, step = keyed.below(n), 1 + keyed.below(n)
                    while gcd(step, n) > 1:
                        step += 1
                    yield from (words[(start + i * step) % n] for i in range(n))
                self.used_up.add((slot.pool, alike))
        keyed = Keyed(self.key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(len(slot.name), _SHORTEST_WORD), _LONGEST_WORD) + attempt // _TRIES
            word = pronounceable(keyed, length, slot.endings, begins=sound(slot.name))
            if not self.lexicon.held(word) and word not in self.corpus:
                yield word


def pronounceable(
    keyed: Keyed, length: int, endings: tuple[str, ...] = ("",), *, begins: str = ""
) -> str:
    """Make up a pronounceable word in small letters, with one of the endings if it has room."""
    ending = endings[keyed.below(len(endings))]
    if length < len(ending) + 2:
        ending = ""
    letters: list[str] = []
    vowel = not ending or ending[0] not in _VOWELS + "y"
    while len(letters) + len(ending) < length:
        letters.append(keyed.of(_VOWELS if vowel else _CONSONANTS))
        vowel = not vowel
    is_vowel = letters[-1] in _VOWELS if letters else ending[:1] in _VOWELS
    if begins == "h":
        letters[-1:] = ["h"] if not is_vowel else [letters[-1], "h"]
    elif begins and is_vowel is not (begins == "vowel"):
        letters.append(keyed.of(_CONSONANTS if is_vowel else _VOWELS))
    return "".join(reversed(letters)) + ending


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
    left = iter(words)
    return parts.sub(lambda part: like(next(left), part[0]), written)


# Where no regulator keeps numbers for fiction, the first digits stay that leave a number which the
# country's plan gives to nobody (libphonenumber).
def telephone(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a number of the same country that is nobody's."""
    found = "".join(re.findall("[0-9]", reference))
    if 0 < len(found) < _SHORTEST:
        return of_form(scope, entity, found)
    countries = scope.lexicon.pack.pack.countries
    is_french = entities.OF_FRANCE.fullmatch(reference) and "fr" in (countries or ("fr",))
    own = [entities.Telephone("33", reference[1:])] if is_french else []
    possible = own or entities.numbers_abroad(reference, countries)
    # What is no number of any country has a part of one at home, or a whole one in its place.
    number = possible[0] if possible else entities.mobile_number(countries)
    is_part = len(found) <= _SUBSCRIBER and "+" not in reference
    n_set = len(number.digits) if possible else is_part * len(found)
    keyed = Keyed(scope.key, "telephone", *entity)
    for other in _invented(scope, keyed, number, n_set):
        if scope.take(other[-n_set:], f"0{other}", f"{number.country}{other}"):
            return partial(_telephone_like, f"+{number.country}{other}", n_set)
    raise refused("too_many_telephones")


def _invented(scope: Scope, keyed: Keyed, number: entities.Telephone, n_set: int) -> Iterator[str]:
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
        begun = own[:kept]
        for _ in range(_TRIES_ABROAD if _leaves_some(country, begun, len(own)) else 0):
            drawn = begun + "".join(keyed.of(digits) for _ in own[kept:])
            if drawn != own and not _is_given_out(country, drawn):
                yield drawn


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


def _telephone_like(number: str, n_set: int, written: str) -> str:
    """Return a number, its last digits set where another has its own, or as it is dialled."""
    places = [match.start() for match in re.finditer("[0-9]", written)]
    if not 0 < n_set <= len(places) or any(map(str.isalpha, written)):
        import phonenumbers as phones

        is_abroad = written.lstrip().startswith(("+", "00"))
        form = "INTERNATIONAL" if is_abroad else "NATIONAL"
        return phones.format_number(phones.parse(number), getattr(phones.PhoneNumberFormat, form))
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


def of_form(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a number that is nobody's: the first that is free in all its spellings."""
    pack, texts = scope.lexicon.pack, scope.written[entity]
    known = entities.FORMS.get(entity.kind, ())
    forms = (partial(_masked, one) for one in known if re.fullmatch(one["pattern"], reference))
    own = next(forms, _MAKERS.get(entity.kind, _others))
    purpose = "form" if known or entity.kind in _MAKERS else "code"

    def tried(attempt: int) -> Writer | None:
        keyed = Keyed(scope.key, purpose, *entity, str(attempt))
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
    found, whole = [], count()
    for run, fraction in zip(runs, is_fraction, strict=True):
        if fraction:
            found.append(other_signs(keyed, run[0]))
        elif next(whole) % per_coordinate == 0:
            found.append("0")
        else:
            found.append(f"{keyed.below(60):0{len(run[0])}}")
    if longer:
        found[-1] += "." * (not is_fraction[-1]) + other_signs(keyed, "0" * longer)
    like = partial(words_like, found, _DIGITS_RUN, like=lambda run, _: run)
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


def age(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes an age of the same band, another for each age of the band."""
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
"""Make what writes a number, given how many signs it is to be longer."""
_CODES = (IdentifierType.COD, IdentifierType.LNK, IdentifierType.NUM)


def name_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of a name, given as `canonical` returns it; as they are, those that stay."""
    pack, kind, parts = lexicon.pack, entity.kind, WORD.findall(reference)
    links, first = pack.entities.links, first_names(pack)
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
    return bool(held & lexicon.dictionary) or reference in first_names(lexicon.pack).genders


def _name_slot(pack: Pack, kind: IdentifierType, word: str, name: str, sender: str) -> Slot:
    """Return the slot of a word of the name of a person, a place or a brand."""
    purpose, word, given = (kind.value, name, sender), word[:_LONGEST_NAME], pack.surrogates
    match kind:
        case IdentifierType.LIE:
            towns = places(pack)
            return Slot(purpose, word, towns.pool, towns.classes(word), given.town)
        case IdentifierType.MAR:
            return Slot(purpose, word, endings=given.brand)
        case _ if len(word) == 1:
            return Slot(purpose, word, initials())
        case IdentifierType.NOM:
            return Slot(purpose, word, last_names(pack), endings=given.last_name)
    first = first_names(pack)
    ending = first.endings.get(word[-2:], ANY) if len(word) >= _TELLING else ANY
    gender = first.genders.get(word) or ending
    endings = {"m": given.male, "f": given.female}.get(gender, given.male + given.female)
    # Compounds of as many parts come first.
    kinds = dict.fromkeys((gender + "-" * word.count("-"), gender, ANY))
    return Slot(purpose, word, first.pool, (*kinds,), endings)


def name(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a name in the case, accents, stretching and signs of another, or short."""
    slots = name_slots(scope.lexicon, entity, reference)
    surrogate = [one if isinstance(one, str) else scope.word(one) for one in slots]
    if len(surrogate) == 1:
        surrogate = surrogate[0].split("-")
    joiner = "-" if _is_known(scope.lexicon, reference) else " "
    is_ascii = first_names(scope.lexicon.pack).written.get(reference, "").isascii()
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


def place_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of an address or an organisation; as they are, those that stay."""
    pack, tokens = lexicon.pack, TOKEN.findall(reference)
    is_name = _names_of(pack, entity.kind)
    for i, token in enumerate(tokens):
        beside = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
        if is_name(token) and len(token) == _OF_CODE and any(map(str.isdigit, beside)):
            # Letters of a code, as of a British postcode.
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
    """Return what writes an address or an organisation with other names and numbers."""
    pack = scope.lexicon.pack
    slots = [*place_slots(scope.lexicon, entity, reference)]
    words = [one if isinstance(one, str) else scope.word(one) for one in slots]
    postcodes = places(pack).postcodes
    postcode = next((postcodes[word] for word in reversed(words) if word in postcodes), "")

    def numbered(keyed: Keyed, attempt: int) -> str:
        made = []
        for word in (*words, *["1"] * (attempt // _TRIES)):
            new = word
            if word.isdigit():
                new = "".join(keyed.of(digits if i else digits[1:]) for i in range(len(word)))
            elif word.isupper():
                new = "".join(keyed.of(_IN_NO_POSTCODE) for _ in word)
            if word.isdigit() and len(word) == _POSTCODE and postcode:
                # That of the town while it is free.
                new = postcode[:_DEPARTMENT] + new[_DEPARTMENT:] if attempt else postcode
            made.append(new)
        return " ".join(made)

    # A word alone is taken as such.
    if len(slots) > 1 or words == slots:
        words = scope.code(("address", *entity), numbered).split()
    is_name = _names_of(pack, entity.kind)

    def like(word: str, token: str) -> str:
        return cased_like(word, token) if is_name(word) or word.isdigit() else token

    return partial(words_like, words, TOKEN, " ".join(words), like=like)


def _place_slot(pack: Pack, entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    name, before = tokens[i], tokens[i - 1] if i else ""
    in_organisation = not entities.organisations(pack).isdisjoint(tokens)
    of_organisation = in_organisation and entity.kind is not IdentifierType.ADR
    given = pack.surrogates
    if (
        entity.kind is IdentifierType.CPO
        or any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i])
        or ((of_organisation or before in given.of) and name in places(pack).sizes)
    ):
        classes = places(pack).classes(name)
        classes = classes if classes[0] in CLASSES else ("village",)
        purpose = (IdentifierType.LIE.value, name, entity.sender)
        return Slot(purpose, name, places(pack).pool, classes, given.town)
    article = before if before in given.articles else ""
    slot = partial(Slot, (IdentifierType.ADR.value, article, name, entity.sender), name)
    if article:
        return slot(street_names(pack), (article,), given.street)
    if gender := first_names(pack).genders.get(name):
        return slot(first_names(pack).pool, (gender,), given.last_name)
    if entity.kind is IdentifierType.ORG and not of_organisation:
        return slot(endings=given.brand)
    return slot(last_names(pack), endings=given.last_name)


def handle(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a handle: that of a name, a word, other digits."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return of_form(scope, entity, reference)
    if len(runs) == 1:
        # A name alone would be that of the person.
        found = [scope.word(Slot(tuple(entity), runs[0]))]
    else:
        found = scope.code(("handle", *entity), _maker(scope, entity, runs, " ")).split()
    return partial(words_like, found, TOKEN, "".join(found))


def _maker(scope: Scope, entity: Entity, runs: list[str], joiner: str) -> _Make:
    """Return what makes a handle or an e-mail address: other words and digits, the same signs."""
    words = []
    for run in runs:
        slots, left = list[Slot](), run if run[0].isalnum() and not run.isdigit() else ""
        # A name may stand in front of another word.
        for length in range(min(len(left), _LONGEST_NAME), _SHORTEST_NAME - 1, -1):
            if slot := _person_slot(scope, run[:length], entity.sender):
                slots, left = [slot], run[length:]
                break
        if left:
            slots.append(_person_slot(scope, left, entity.sender) or Slot((*entity, left), left))
        words.append("".join(plain(scope.word(slot)) for slot in slots))

    def make(keyed: Keyed, attempt: int) -> str:
        pairs = zip(words, runs, strict=True)
        signs = ((word, other_signs(keyed, run) if run.isdigit() else run) for word, run in pairs)
        made = joiner.join(word or other for word, other in signs)
        # Behind a name that has no digits, some tell two apart.
        return made + (other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else "")

    return make


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
        path += "/" + pronounceable(keyed, min(length - len(path) - 1, _SEGMENT))
    address = f"{domain}/{path}"

    def write(written: str) -> str:
        # What the identifier begins with stays: ``https://www.`` or nothing.
        prefix = entities.WEB_PREFIX.match(written.strip())
        return (prefix[0] if prefix else "") + (address.upper() if written.isupper() else address)

    return write


_Maker = Callable[[Scope, Entity, str], Writer]
"""Makes what writes the surrogate of an entity, given the longest of its canonical names."""
_WRITERS: dict[IdentifierType, _Maker] = {
    **dict.fromkeys((*map(IdentifierType, entities.FORMS), *_MAKERS, *_CODES), of_form),
    **dict.fromkeys((IdentifierType.ADR, IdentifierType.CPO, IdentifierType.ORG), named_place),
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
    references, slots = dict[Entity, str](), dict[Entity, list[Slot]]()
    makers: dict[Entity, _Maker] = {}
    for entity, several in spellings.items():
        names = {canonical(one.text, one.type, lexicon) for one in several}
        references[entity] = longest = min(names, key=lambda name: (-len(name), name))
        makers[entity] = maker = _maker_of(lexicon.pack, entity, longest)
        words = _SLOTS[maker](lexicon, entity, longest) if maker in _SLOTS else ()
        slots[entity] = [one for one in words if isinstance(one, Slot)]
    texts = {*(one.text for one in context.spellings), *references.values()}
    corpus = {plain(word) for word in (*context.corpus_words, *texts)}
    written = {entity: [one.text for one in several] for entity, several in spellings.items()}
    told = key, lexicon, corpus, bare_words(texts), written
    scopes = {one.sender: Scope(*told) for one in references}
    for spelling, text in context.chosen.items():
        if found := invented.get(spelling):
            # A name that is spelt in full has it in all spellings.
            is_full = fold(spelling.text) == references[found] and text.isalpha()
            is_whole = is_full and len(slots[found]) == 1
            scopes[found.sender].give(text, slots[found][0] if is_whole else None)
    # Neither the corpus nor the alphabet says who chooses first.
    every = [
        ((digest(key, "order", *slot.purpose), slot.name, slot.kinds, slot.endings), sender, slot)
        for (_, _, sender), several in slots.items()
        for slot in several
    ]
    for _, sender, slot in sorted(every, key=lambda one: one[0]):
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
