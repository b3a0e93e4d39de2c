"""Entities: the real things that spellings stand for, such as all variants of a name.

What counts as one: case, accents, stretching (*Léaaaa*), the known short forms of first names
(``surrogates/short_forms.txt`` of the pack); for patterns, how they are written (*+33 6*, *06.*).
Misspelt names stay apart, as two names that are one letter apart are mostly two names; the table
of entities is where a person brings them together.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from ipaddress import ip_address
from itertools import product
from pathlib import Path
from typing import NamedTuple, cast

from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import COMMON_FIRST_NAMES, KNOWN_FIRST_NAMES
from triage.dictionaries.normal import Legible, fold, normal, shorter_runs, without_runs
from triage.dictionaries.pack import Pack, any_of, pairs

from ..decide.find import POSSESSIVE
from ..decide.people import kind_of
from ..vocabulary import IdentifierType

# Rarer lists have stretched spellings of the same names.
_FIRST = (*KNOWN_FIRST_NAMES, "nicknames")
NAME_LISTS = {
    IdentifierType.PRE: _FIRST,
    IdentifierType.SUR: _FIRST,
    IdentifierType.NOM: ("last_names", "famous_names", "first_names"),
    IdentifierType.LIE: ("cities", "places", "countries"),
    IdentifierType.MAR: ("brands",),
}
WORD = re.compile(r"[^\W_]+")
# Beyond it a stretched name is not searched for, only shortened: it bounds the work on a word.
_LONGEST = 60
TOKEN = re.compile(r"[0-9]+|[^\W\d_]+")
# It names nobody where it stands alone, in an address that is spelt.
DOMAIN_END = re.compile("com|net|org|eu|fr|be|ch|ca|uk")
WEB_PREFIX = re.compile(r"(?:[a-z][a-z0-9+.-]{0,20}://)?(?:www\.)?", re.IGNORECASE)
_WITH_LETTERS = re.compile(r"[\dOoIl+()./·_ \n-]++")
OF_FRANCE = re.compile("0[1-9][0-9]{8}")
_OF_AMERICA = re.compile("[2-9][0-9]{2}[2-9][0-9]{6}")
# A mobile number without its first zero, or without the sign of abroad.
_MOBILE = re.compile("(?:33)?([67][0-9]{8})")
_SURROGATES = tomllib.loads(Path(__file__).with_name("surrogates.toml").read_text(encoding="utf-8"))
FOR_FICTION: dict[str, list[str]] = _SURROGATES["telephones"]
FORMS: dict[str, list[dict[str, str]]] = _SURROGATES["forms"]
# Digits without a sign between them: 12031987, 120387.
_GLUED = re.compile("([0-9]{2})([0-9]{2})([0-9]{2}|[0-9]{4})")
_SHORTEST_MONTH = 3
_LAST_DAY, _LAST_MONTH = 31, 12
# Two digits from here on are of the last century.
_CENTURY_FROM = 30
_DAY, _MONTH, _YEAR = _PARTS = ("day", "month", "year")
# What numbers (d: of two digits, y: of four, n: others) and months in words (m) are, in order.
_ORDERS = {
    re.compile("[dn][dnm][dny]"): (_DAY, _MONTH, _YEAR),
    re.compile("y[dn][dn]"): (_YEAR, _MONTH, _DAY),
    re.compile("m[dn][dny]"): (_MONTH, _DAY, _YEAR),
    re.compile("[dn][dnm]"): (_DAY, _MONTH),
    re.compile("m[dny]|[dn]y"): (_MONTH, _YEAR),
    re.compile("[dy]"): (_YEAR,),
}


@cache
def organisations(pack: Pack) -> frozenset[str]:
    """Return the words for schools and other organisations, as `canonical` writes them."""
    words: frozenset[str] = pack.entities.organisations
    return words | {*map(without_runs, words)}


@dataclass(frozen=True)
class Spelling:
    """An identifier as it is written, in whose messages (empty where unknown)."""

    text: str
    type: IdentifierType
    sender: str = ""


class Entity(NamedTuple):
    """A real thing that spellings stand for: its kind (`kind_of`), and what they have in common."""

    kind: IdentifierType
    name: str
    sender: str = ""


@dataclass(frozen=True)
class StyleContext:
    """The spellings of a corpus, how often each is found, and what they stand for."""

    lexicon: Lexicon
    key: bytes = b""
    spellings: Mapping[Spelling, int] = field(default_factory=dict)
    corpus_words: Set[str] = frozenset()
    per_sender: bool = False
    entities: Mapping[Spelling, str] = field(default_factory=dict)
    chosen: Mapping[Spelling, str] = field(default_factory=dict)
    # Whose name a spelling is, and the names of people that stand nowhere.
    persons: Mapping[Spelling, str] = field(default_factory=dict)
    unseen: Collection[Spelling] = ()
    # The names of people in spellings that hold more than one: *bisousSolveig*, *solveig34*.
    held: Mapping[Spelling, str] = field(default_factory=dict)

    def canonical(self, spelling: Spelling) -> str:
        return self.held.get(spelling) or canonical(spelling.text, spelling.type, self.lexicon)

    def entity(self, spelling: Spelling) -> Entity:
        name = self.entities.get(spelling)
        name = self.canonical(spelling) if name is None else name
        return Entity(kind_of(spelling.type), name, spelling.sender if self.per_sender else "")


@lru_cache(1 << 16)
def canonical(text: str, type: IdentifierType, lexicon: Lexicon) -> str:  # noqa: A002
    """Return the canonical form of an identifier, the same for all its variants; never empty."""
    if by_form := _BY_FORM.get(type):
        return by_form(Legible.of(text).text, lexicon.pack) or text
    # fold() leaves what compatibility letters (a Greek omega sign, a wide A) are put together of.
    name = unicodedata.normalize("NFKC", POSSESSIVE.sub("", text))
    words, accented = WORD.findall(fold(name)), WORD.findall(normal(name))
    if len(accented) != len(words):
        accented = words
    if type is IdentifierType.LIE:
        saints = pairs(lexicon.pack.addresses.saints)
        words = [saints.get(word, word) for word in words]
    links = lexicon.pack.entities.links
    short = short_forms(lexicon.pack) if kind_of(type) is IdentifierType.PRE else {}
    find = partial(_find, lexicon, type, short)
    if whole := find("-".join(words), "-".join(accented)):
        return whole
    # Numbers stay, other words that no list holds lose their runs of a letter.
    name = "-".join(
        word
        if word in links
        else find(word, written) or (word if any(map(str.isdigit, word)) else without_runs(word))
        for word, written in zip(words, accented, strict=True)
    )
    return name or text


def _find(
    lexicon: Lexicon, type_: IdentifierType, short: Mapping[str, str], word: str, accented: str
) -> str:
    """Return the name that a word is, stretched or not; empty where it is none."""
    lists, common = lexicon.bits(*NAME_LISTS[type_]), COMMON_FIRST_NAMES

    def is_known(form: str) -> bool:
        return form in short or bool(lexicon.lists_of(form) & lists)

    if is_known(word):
        return short.get(word, word)
    # Two letters may be one too many (Nicoo), but rather belong (Mmmmichelle).
    for double, written in product(((2,), (2, 1)), (accented, word)):
        runs = shorter_runs(written, double) if len(written) <= _LONGEST else ()
        if forms := [*filter(is_known, runs)]:
            # The most frequent name.
            lists_of = {one: lexicon.lists_of(one) for one in forms}
            bits = [lexicon.bit.get(name, 0) for name in common]
            name = fold(max(forms, key=lambda one: sum(bool(lists_of[one] & bit) for bit in bits)))
            return short.get(name, name)
    return ""


@cache
def short_forms(pack: Pack) -> dict[str, str]:
    """Return the known short forms of first names, and what each is short for."""
    forms: dict[str, str] = {}
    for line in pack.lines("surrogates/short_forms.txt"):
        full, _, short = line.partition("\t")
        forms.update(dict.fromkeys(fold(short).split(), fold(full)))
    return forms


class Telephone(NamedTuple):
    """The code of a country, digits behind it, and if none are for fiction, or somebody's."""

    country: str
    digits: str
    rank: tuple[bool, bool] = (False, False)


def numbers_abroad(reference: str, countries: Sequence[str]) -> list[Telephone]:
    """Return the numbers abroad that a text may be, first those that somebody may have."""
    # Loaded when it is needed first: most messages hold no number from abroad.
    import phonenumbers

    regions = [code.upper() for code in countries if code != "fr"]
    numbers = []
    for region in ["ZZ"] if reference.startswith("+") else regions:
        with suppress(phonenumbers.NumberParseException):
            number = phonenumbers.parse(reference, region)
            reason = phonenumbers.is_possible_number_with_reason(number)
            if reason == phonenumbers.ValidationResult.IS_POSSIBLE:
                country = str(number.country_code)
                digits = phonenumbers.national_significant_number(number)
                # No plan gives out those for fiction, which examples are full of.
                forms = (form.replace("_", ".") for form in FOR_FICTION.get(country, ()))
                is_fiction = any(re.fullmatch(form, digits) for form in forms)
                is_valid = phonenumbers.is_valid_number(number)
                numbers.append(Telephone(country, digits, (not is_fiction, not is_valid)))
    return sorted(numbers, key=lambda one: one.rank)


def mobile_number(countries: Sequence[str]) -> Telephone:
    """Return an example of a mobile number of the first country, by default of France."""
    import phonenumbers as phones

    region, kind = next(iter(countries), "fr").upper(), phones.PhoneNumberType.MOBILE
    number = cast(phones.PhoneNumber, phones.example_number_for_type(region, kind))
    return Telephone(str(number.country_code), phones.national_significant_number(number))


def _telephone(text: str, pack: Pack) -> str:
    """Return the digits of a number as it is dialled at home in France, else from abroad."""
    if _WITH_LETTERS.fullmatch(text):
        # Letters that stand for digits among digits: O6 39 98 l2 34.
        text = text.translate(str.maketrans("OoIl", "0011"))
    digits = "".join(re.findall("[0-9]", text.replace("(0)", "")))
    if text.lstrip().startswith("+") or digits.startswith("00"):
        digits = digits.removeprefix("00")
        if digits.startswith("33"):
            return "0" + digits.removeprefix("33").removeprefix("0")
        return f"+{digits}" if digits else digits
    countries = pack.pack.countries
    if not countries or "fr" in countries:
        if mobile := _MOBILE.fullmatch(digits):
            return f"0{mobile[1]}"
        if OF_FRANCE.fullmatch(digits):
            return digits
        # As Quebec writes its own.
        if _OF_AMERICA.fullmatch(digits):
            return f"+1{digits}"
    groups = re.findall("[0-9]+", text)
    possible = [one for one in numbers_abroad("".join(groups), countries) if not all(one.rank)]
    dialled = [f"+{one.country}{one.digits}" for one in possible]
    for number in dialled:
        import phonenumbers

        form = phonenumbers.PhoneNumberFormat.NATIONAL
        at_home = phonenumbers.format_number(phonenumbers.parse(number), form)
        if re.findall("[0-9]+", at_home) == groups:
            return number
    return dialled[0] if dialled else digits


def is_link(text: str) -> bool:
    return re.search(r"[a-z]/|/[a-z]|[a-z]\.[a-z]", text, re.IGNORECASE) is not None


@cache
def spelt(pack: Pack) -> dict[re.Pattern[str], str]:
    """Return the words for the signs of an e-mail address in a language: @, dot, others."""
    settings = pack.entities
    at, dot = (
        re.compile(rf" ?[\[(]? ?\b(?:{words})\b ?[\])]? ?", re.IGNORECASE)
        for words in (settings.spelt_at, settings.spelt_dot)
    )
    others = pairs(settings.spelt_signs).items()
    return {at: "@", dot: "."} | {
        re.compile(f" ?{re.escape(word)} ?"): sign for word, sign in others
    }


def _mail_address(text: str, pack: Pack) -> str:
    """Return an e-mail address, its signs as such where they are spelt."""
    address = " ".join(text.lower().split())
    if "@" not in address:
        for written, sign in spelt(pack).items():
            address = written.sub(sign, address, count=sign == "@")
    return address.replace(" ", "") if "@" in address else address


def _web_address(text: str, _: Pack) -> str:
    """Return a web address without what browsers do not need; capitals count behind the host."""
    host, slash, path = WEB_PREFIX.sub("", text.strip(), count=1).partition("/")
    return (host.lower() + slash + path).rstrip("/")


@cache
def labels(pack: Pack) -> re.Pattern[str]:
    """Return the expression of words inside of a number that say what its parts are."""
    return re.compile(rf"\b(?:{pack.entities.labels})\b", re.IGNORECASE)


def _signs(text: str, pack: Pack) -> str:
    return "".join(filter(str.isalnum, labels(pack).sub("", text) if " " in text else text)).upper()


def _crypto_address(text: str, _: Pack) -> str:
    """Return a crypto address; its case counts where it is mixed, unless it is hexadecimal."""
    address = "".join(text.split())
    is_mixed = not (address.islower() or address.isupper() or address[:2].lower() == "0x")
    return address if is_mixed else address.lower()


def _age(text: str, pack: Pack) -> str:
    numbers = re.findall("[0-9]+", text)
    return " ".join(number.lstrip("0") or "0" for number in numbers) or _signs(text, pack)


class BirthDate(NamedTuple):
    """A date of birth, or what is told of it, and where its parts stand in a text, in order."""

    day: int
    month: int
    year: int
    places: tuple[tuple[str, int, int], ...] = ()


def read_birth_date(text: str, pack: Pack) -> BirthDate | None:
    # The module keeps the expressions that it has compiled.
    token = rf"[0-9]{{1,8}}(?:{any_of(pack.dates.ordinals)}\b)?|[^\W\d_]{{1,12}}"
    tokens = re.finditer(token, text, re.IGNORECASE)
    spans = [one.span() for one in tokens if "0" <= one[0][0] <= "9" or month_of(one[0], pack)]
    if len(spans) == 1 and (glued := _GLUED.fullmatch(text, *spans[0])):
        spans = [glued.span(part) for part in (1, 2, 3)]
    shape, numbers = "", list[int]()
    for word in (text[start:end] for start, end in spans):
        month, figures = month_of(word, pack), re.sub("[^0-9]", "", word)
        number = "d" if len(figures) == 2 else "y" if len(figures) == len(word) == 4 else "n"
        shape += "m" if month else number
        numbers.append(month or int(figures))
    order = next((order for form, order in _ORDERS.items() if form.fullmatch(shape)), ())
    date = dict.fromkeys(_PARTS, 0) | dict(zip(order, numbers, strict=False))
    day, month, year = date.values()
    if not order or day > _LAST_DAY or month > _LAST_MONTH:
        return None
    if _YEAR in order and year < 100:
        year += 1900 if year >= _CENTURY_FROM else 2000
    places = tuple((part, *span) for part, span in zip(order, spans, strict=True))
    return BirthDate(day, month, year, places)


@cache
def month_of(word: str, pack: Pack) -> int:
    """Return the month that a word names, in full or short; 0 where it names none."""
    months, folded = map(fold, pack.dates.names), fold(word)
    numbers = [i for i, month in enumerate(months, 1) if month.startswith(folded)]
    return numbers[0] if len(numbers) == 1 and len(folded) >= _SHORTEST_MONTH else 0


def _date(text: str, pack: Pack) -> str:
    date = read_birth_date(text, pack)
    return f"{date.year:04}-{date.month:02}-{date.day:02}" if date else _signs(text, pack)


def _net_address(text: str, _: Pack) -> str:
    """Return an IP address as it is shortened, a MAC address without its signs."""
    address = text.strip().lower()
    if re.fullmatch("(?:[0-9a-f]{2}[:.-]?){5}[0-9a-f]{2}", address):
        return "".join(filter(str.isalnum, address))
    with suppress(ValueError):
        return ip_address(address).compressed
    return address


def _position(text: str, pack: Pack) -> str:
    if is_link(text):
        return _web_address(text, pack)
    return re.sub(" ?([,;:°'\"]) ?", r"\1", " ".join(text.split())).upper()


_BY_FORM: dict[str, Callable[[str, Pack], str]] = {
    **dict.fromkeys(("COD", "IBA", "CRT", "NIR", "SIR", "IMM", "NUM"), _signs),
    **dict.fromkeys(
        ("ADR", "CPO", "ORG"),
        lambda text, pack: " ".join(
            pack.abbreviations.get(w, w) for w in TOKEN.findall(fold(text))
        ),
    ),
    "TEL": _telephone,
    "MEL": _mail_address,
    "URL": _web_address,
    "CRY": _crypto_address,
    "AGE": _age,
    "IPA": _net_address,
    "GPS": _position,
    "DDN": _date,
    "PSD": lambda text, _: text.strip().lstrip("@").lower(),
    "LNK": lambda text, pack: (_web_address if is_link(text) else _signs)(text, pack),
}
