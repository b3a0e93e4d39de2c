"""Checks that need the words of a pack; each is made from the pack, and None where it has none."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from triage.dictionaries.lists import DictionaryError
from triage.dictionaries.normal import fold, folded
from triage.dictionaries.pack import NEVER, Pack
from triage.dictionaries.recognisers.known import PackWords, known_words
from triage.dictionaries.recognisers.recogniser import any_of

Check = Callable[[str], bool]
Write = Callable[[str], str]

# Ends of web addresses that are no words.
_SURE_DOMAINS = frozenset({"com", "fr", "net", "org", "eu", "info", "tv"})


def _mail_name(pack: Pack, _: Write) -> Check:
    """Tell "zoe at free.fr" from "look at free.fr"."""
    is_ordinary = known_words(pack).is_ordinary
    return lambda found: not is_ordinary(found.partition(" ")[0])


def _full_mail_name(pack: Pack, _: Write) -> Check:
    known = known_words(pack)

    def is_full_name(found: str) -> bool:
        first, last, *_ = found.split(" ")
        return known.is_first_name(first) and not known.is_ordinary(last)

    return is_full_name


def _site(pack: Pack, _: Write) -> Check:
    """Tell "zoe.app" from "vu.app" and "demain.biz", full stops without a space behind."""
    is_ordinary = known_words(pack).is_ordinary

    def is_site(address: str) -> bool:
        label, dot, domain = address.rpartition(".")
        if "/" in address or "." in label or not dot or domain in _SURE_DOMAINS:
            return True
        return not (is_ordinary(label) or is_ordinary(domain) or label.isdigit())

    return is_site


def _password(pack: Pack, _: Write) -> Check:
    given = pack.passwords

    def is_password(written: str) -> bool:
        return not written.isalpha() or not (
            folded(written) in given.no_passwords or written.lower().endswith(given.participles)
        )

    return is_password


def before_years(pack: Pack) -> str:
    """Return the expression of a place behind the words before years."""
    return any_of(rf"(?<=\b{word} )" for word in pack.codes.before_years)


_BETWEEN_HALVES = re.compile(r"[._-]+")
_SITES = (".com", ".fr", ".net", ".org")
_NUMBERED = re.compile(r"[a-z]{3,}[a-z._-]*\d{1,8}[a-z]{0,3}|\d{1,4}[a-z]{4,}\d*", re.IGNORECASE)


def _handle(pack: Pack, _: Write) -> Check:
    no_names, is_ordinary = pack.handles.no_names, known_words(pack).is_ordinary
    quantity = re.compile(rf"\d+{any_of(pack.handles.units)}\d*", re.IGNORECASE)

    def is_handle(token: str) -> bool:
        if token.lower() in no_names or quantity.fullmatch(token) or is_ordinary(token):
            return False
        # Two words that a sign joins are one nobody writes otherwise: "chat_noir".
        is_joined = "_" in token.strip("_")
        return is_joined or any(
            not is_ordinary(part) for part in _BETWEEN_HALVES.split(token) if part
        )

    return is_handle


def _marked_handle(pack: Pack, write: Write) -> Check:
    """Tell what has a sign or digits as handles have, and words have not."""
    is_handle = _handle(pack, write)

    def is_marked(token: str) -> bool:
        has_sign = "_" in token.strip("_") or "." in token or bool(_NUMBERED.fullmatch(token))
        is_site = token.lower().endswith(_SITES)
        return has_sign and not is_site and not token.isdigit() and is_handle(token)

    return is_marked


def _mention(pack: Pack, _: Write) -> Check:
    no_names = pack.handles.no_names
    return lambda handle: handle[1:].lower() not in no_names


_FIRST_YEAR, _LAST_YEAR = 1900, 2099
# In 2000 each day is real; of years in two digits those are leap years that are so in 20xx.
_LEAP_YEAR, _SHORT = 2000, 100
_NAME_OF_MONTH = re.compile(r"[^\W\d_]{3,}")


def _birth_date(pack: Pack, _: Write) -> Check:
    """Tell a real date from other numbers."""
    names = [re.compile(f"(?i:{month})") for month in pack.dates.months]

    def is_date(text: str) -> bool:
        numbers: list[str] = re.findall(r"\d+", text)
        if word := _NAME_OF_MONTH.search(text):
            month = next((i for i, name in enumerate(names, 1) if name.fullmatch(word[0])), 0)
            numbers.insert(1, str(month))
        elif len(numbers) == 1:
            numbers = [text[:2], text[2:4], text[4:]]
        elif len(numbers[0]) > len("31"):
            numbers.reverse()
        day, month, year = map(int, (*numbers, str(_LEAP_YEAR))[:3])
        try:
            real = date(year + _LEAP_YEAR if year < _SHORT else year, month, day)
        except ValueError:
            return False
        return _FIRST_YEAR <= real.year <= _LAST_YEAR

    return is_date


# Shorter words that no list holds are abbreviations of chats.
_SHORTEST_UNKNOWN = 5


@dataclass(frozen=True, slots=True)
class _Names:
    """Tells names of houses and firms from other words."""

    links: frozenset[str]
    titles: frozenset[str]
    firms: frozenset[str]
    known: PackWords

    @classmethod
    def of(cls, pack: Pack) -> "_Names":
        schools = pack.schools
        return cls(schools.in_names, schools.titles, pack.employers.firms, known_words(pack))

    def is_place(self, name: str) -> bool:
        """Tell of what stands behind a kind of house whether it names one."""
        if not name:
            return False
        *first, last = name.split(" ")
        if first and first[-1].lower() in self.titles:
            return last.lower() not in self.titles
        is_capital = self._is_capital(name)
        if self.known.is_town(name) and (is_capital or not self.known.is_ordinary(name)):
            return True
        if first and all(map(self.known.is_first_name, first)):
            return not self.known.is_common(last)
        if is_capital:
            return not self.known.is_common(_bare(last))
        return not first and not self.known.is_first_name(last) and self._is_unknown(last)

    def is_firm(self, name: str) -> bool:
        """Tell of what a firm's name may stand for whether it is one, and nobody's home."""
        if self.is_brand(name):
            return True
        if self.known.is_first_name(name) or self.known.is_town(name):
            return False
        if self._is_capital(name):
            return not all(map(self.known.is_ordinary, name.split(" ")))
        return self._is_unknown(name)

    def is_brand(self, name: str) -> bool:
        """Return whether a list of brands or firms holds it."""
        return self.known.is_brand(name.replace(" ", "-")) or name.lower() in self.firms

    def _is_unknown(self, word: str) -> bool:
        """Return whether it is one word, no abbreviation of chats, and not of the language."""
        is_long = " " not in word and len(word) >= _SHORTEST_UNKNOWN
        return is_long and not self.known.is_word(_bare(word))

    def _is_capital(self, name: str) -> bool:
        *others, last = name.split(" ")
        return last[0].isupper() and all(word[0].isupper() or word in self.links for word in others)


def _bare(word: str) -> str:
    """Return a word without what is elided before it."""
    return word.replace("’", "'").rpartition("'")[2]


def _named(kind: str) -> Callable[[Pack, Write], Check]:
    """Return what tells of such a kind of house and a name whether the name is one."""

    def make(pack: Pack, write: Write) -> Check:
        before = re.compile(write(f"(?i:{kind}(?: {{schools.links}})? ?)"))
        is_place = _Names.of(pack).is_place

        def is_named(found: str) -> bool:
            match = before.match(found)
            return bool(match and is_place(found[match.end() :]))

        return is_named

    return make


def _place(pack: Pack, _: Write) -> Check:
    is_ordinary = known_words(pack).is_ordinary

    def is_name(found: str) -> bool:
        last = re.split("[ '’]", found)[-1]
        return last[0].isupper() or not is_ordinary(last)

    return is_name


def _uncommon(pack: Pack, _: Write) -> Check:
    is_common = known_words(pack).is_common
    return lambda found: not is_common(re.split("[ '’]", found)[-1])


def _uncommon_place(pack: Pack, write: Write) -> Check:
    is_name, is_uncommon = _place(pack, write), _uncommon(pack, write)
    return lambda found: is_name(found) and is_uncommon(found)


def _short_name(pack: Pack, _: Write) -> Check:
    no_names = pack.signatures.no_names
    return lambda found: fold(found) not in no_names


def _name_or_no_word(pack: Pack, write: Write) -> Check:
    is_name, is_ordinary = _short_name(pack, write), known_words(pack).is_ordinary

    def is_name_or_no_word(found: str) -> bool:
        is_sure = found[0].isupper() or len(found) == 1
        return is_name(found) and (is_sure or not is_ordinary(found))

    return is_name_or_no_word


def _surname(pack: Pack, _: Write) -> Check:
    known = known_words(pack)
    return lambda found: (
        not known.is_common(found) and (found[0].isupper() or known.is_last_name(found))
    )


# Those of France are known by more than their digits.
_WITH_FORMS = frozenset({"fr"})


def _regions(pack: Pack) -> tuple[str, ...]:
    countries = pack.pack.countries
    return tuple(country.upper() for country in countries if country not in _WITH_FORMS)


def _number_of(regions: tuple[str, ...], *, is_sure: bool) -> Check:
    """Return what tells of a number whether one of these countries, or one abroad, may have it."""

    def is_telephone(written: str) -> bool:
        # Loaded when it is needed first: most messages hold no number.
        import phonenumbers

        is_right = phonenumbers.is_valid_number if is_sure else phonenumbers.is_possible_number
        for region in regions or (None,):
            try:
                if is_right(phonenumbers.parse(written, region)):
                    return True
            except phonenumbers.NumberParseException:
                continue
        return False

    return is_telephone


def _number_of_country(pack: Pack, *, is_sure: bool) -> Check | None:
    regions = _regions(pack)
    is_french_alone = pack.pack.countries and not regions
    return None if is_french_alone else _number_of(regions, is_sure=is_sure)


# Digits as they are counted, up or down, are no telephone number.
_COUNTED = ("01234567890", "9876543210")


def _digits_of(pack: Pack) -> dict[str, str]:
    """Return the digits of each expression of a word, in which a space is a hyphen, too."""
    said = [one.partition("=") for one in pack.telephone.said]
    for digits, sign, words in said:
        if not (digits.isdecimal() and words):
            wrong = f"{pack.where('telephone')}: said holds {digits}{sign}{words}"
            raise DictionaryError(f"{wrong} where digits and words are wanted: 78=seventy eight")
    return {words.replace(" ", "[ -]"): digits for digits, _, words in said}


def said_digits(pack: Pack) -> str:
    """Return the expression of said digits, the longest first: "soixante dix huit" is 78."""
    return any_of(sorted(_digits_of(pack), key=len, reverse=True))


def _said_number(pack: Pack, write: Write) -> Check:
    """Tell of words and figures whether together they are a number of the pack's countries."""
    digits_of = {re.compile(one, re.IGNORECASE): said for one, said in _digits_of(pack).items()}
    part = re.compile(write("{said_part}"), re.IGNORECASE)
    is_valid = _number_of(_regions(pack), is_sure=True)
    is_french = re.compile(r"0[1-9]\d{8}" if "fr" in pack.pack.countries else NEVER).fullmatch

    def is_said_number(written: str) -> bool:
        digits = "".join(
            next((said for word, said in digits_of.items() if word.fullmatch(one)), one)
            for one in part.findall(written)
        )
        if digits == re.sub(r"\D", "", written) or any(digits in one for one in _COUNTED):
            return False
        return bool(is_french(digits)) or is_valid(digits)

    return is_said_number


CHECKS_OF_WORDS: dict[str, Callable[[Pack, Write], Check | None]] = {
    "birth_date": _birth_date,
    "brand": lambda pack, _: _Names.of(pack).is_brand,
    "firm": lambda pack, _: _Names.of(pack).is_firm,
    "full_mail_name": _full_mail_name,
    "handle": _handle,
    "house": _named("{employers.houses}"),
    "mail_name": _mail_name,
    "marked_handle": _marked_handle,
    "mention": _mention,
    "name_first": lambda pack, write: (
        _short_name(pack, write) if pack.signatures.behind_initials else None
    ),
    "name_or_no_word": _name_or_no_word,
    "number_of_country": lambda pack, _: _number_of_country(pack, is_sure=True),
    "password": _password,
    "place": _place,
    "possible_number_of_country": lambda pack, _: _number_of_country(pack, is_sure=False),
    "said_number": _said_number,
    "school": _named("{school}"),
    "short_name": _short_name,
    "site": _site,
    "surname": _surname,
    "uncommon": _uncommon,
    "uncommon_place": _uncommon_place,
}
