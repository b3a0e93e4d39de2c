"""Checks that need the words of a pack, and towns beside postcodes; all look into its lists."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import cached_property

from ..lexicon import ALL_LAST_NAMES, Lexicon, load_lexicon
from ..lists import DictionaryError
from ..normal import fold, folded
from ..pack import Pack, any_of, pairs

_NUMBERED = re.compile(
    r"[^\W\d_]{3,}(?:[^\W\d]|[.-])*\d{1,8}[^\W\d_]{0,3}|\d{1,4}[^\W\d_]{4,}\d*|(?=\w{6}).*[a-z][A-Z].*"
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
# In 2000 each day is real; of years in two digits those are leap years that are so in 20xx.
_LEAP_YEAR, _SHORT = 2000, 100
# Shorter words that no list holds are abbreviations of chats.
_SHORTEST_UNKNOWN = 5
# Telephone numbers of France are known by more than their digits.
_WITH_FORMS = "fr"
# Digits as they are counted, up or down, are no telephone number.
_COUNTED = ("01234567890", "9876543210")
# What no family is called by, where it stands without a title.
_WORDS = ("inflected_forms", "dicollecte_forms")
# The distance before a postcode within which its town begins.
_REACH = 80


class WordChecks:
    """The checks, by the names of ``recognisers.toml``; a list that a pack lacks holds nothing."""

    def __init__(self, pack: Pack, write: Callable[[str], str]) -> None:
        def held_by(*lists: str) -> Callable[[str], bool]:
            return lambda w: bool(self._lexicon.lists_of(fold(w)) & self._lexicon.bits(*lists))

        self.pack, self._write = pack, write
        self.is_ordinary = held_by("frequent_forms", "sms_forms")
        self.is_common = held_by("commonest_forms", "sms_forms")
        self.is_first_name = held_by("first_names", "common_first_names")
        self._is_nickname, self._is_city = held_by("nicknames"), held_by("cities")
        self._is_last_name = held_by(*ALL_LAST_NAMES)
        self._is_word, self._is_place = held_by(*_WORDS), held_by("cities", "countries")
        self._is_word_or_thing = held_by(*_WORDS, "brands", "languages", "countries")
        self._is_known = held_by("frequent_forms", "sms_forms", "inflected_forms")
        self._is_brand = held_by("brands")
        self._saints = pairs(pack.addresses.saints)
        self._regions = [one.upper() for one in pack.pack.countries if one != _WITH_FORMS]
        self._quantity = re.compile(rf"\d+{any_of(pack.handles.units)}\d*", re.IGNORECASE)
        # Where the name of a town begins and ends.
        settings = pack.postcodes
        word = rf"(?!(?i:{settings.town_suffix}))[^\W\d_](?:['’-]?[^\W\d_]){{1,30}}"
        town = rf"(?P<town>(?:{settings.elided})?{word}(?: {word}){{0,4}})"
        self._behind = re.compile(rf"[ ,:\n-]{{1,3}}{town}")
        self._before = re.compile(rf"(?<![\w'’-]){town}(?:[ ,:\n-]{{1,3}}| ?\()\Z")
        self._suffix = re.compile(
            rf"(?i: \d{{1,2}} ?{any_of(settings.districts)}\b"
            rf"| {settings.town_suffix}(?: \d{{1,2}}(?!\w))?)"
        )
        self._is_sure = re.compile(write("{sure_domains}")).fullmatch
        self._article = re.compile(f"(?i:{any_of(settings.articles)})")

    def lacks(self, check: str) -> bool:
        """Return whether the pack has nothing to check by."""
        if check == "name_first":
            return not self.pack.signatures.behind_initials
        is_of_country = check.endswith("number_of_country")
        return is_of_country and bool(self.pack.pack.countries) and not self._regions

    @cached_property
    def _lexicon(self) -> Lexicon:
        return load_lexicon(self.pack.language)

    def is_town(self, name: str) -> bool:
        """Return whether a town is called so; its words may stand apart, "st" is "saint"."""
        joined = f"-{fold(name).replace(' ', '-')}-"
        for short, full in self._saints.items():
            joined = joined.replace(f"-{short}-", f"-{full}-")
        return self._is_city(joined[1:-1])

    def spelt_name(self, name: str) -> bool:
        word = name.replace(" ", "")
        is_name = self.is_first_name(word) or self._is_nickname(word)
        return is_name and not self.is_common(word)

    def mail_name(self, name: str) -> bool:
        """Tell "zoe at free.fr" from "look at free.fr"."""
        return not self.is_ordinary(name.partition(" ")[0])

    def full_mail_name(self, name: str) -> bool:
        first, last, *_ = name.split(" ")
        return self.is_first_name(first) and not self.is_ordinary(last)

    def site(self, address: str) -> bool:
        """Tell "zoe.app" from "vu.app" and "demain.biz", full stops without a space behind."""
        label, dot, domain = address.rpartition(".")
        if "/" in address or "." in label or not dot or self._is_sure(domain):
            return True
        return not (self.is_ordinary(label) or self.is_ordinary(domain) or label.isdigit())

    def password(self, written: str) -> bool:
        settings = self.pack.passwords
        is_participle = written.lower().endswith(settings.participles)
        is_word = is_participle or folded(written) in settings.no_passwords
        return not (written.isalpha() and is_word)

    def unknown_password(self, written: str) -> bool:
        return self.password(written) and self._is_unknown(written)

    def handle(self, token: str) -> bool:
        is_no_name = token.lower() in self.pack.handles.no_names or self._quantity.fullmatch(token)
        if is_no_name or self.is_ordinary(token):
            return False
        # Two words that a sign joins are one nobody writes otherwise: "chat_noir".
        parts = filter(None, re.split(r"[._-]+", token))
        return "_" in token.strip("_") or not all(map(self.is_ordinary, parts))

    def marked_handle(self, token: str) -> bool:
        """Return whether a handle has a sign, digits or capitals as no word has."""
        has_sign = "_" in token or "." in token or bool(_NUMBERED.fullmatch(token))
        is_site = token.lower().endswith((".com", ".fr", ".net", ".org"))
        return has_sign and not is_site and not token.isdigit() and self.handle(token)

    def mention(self, handle: str) -> bool:
        return handle[1:].lower() not in self.pack.handles.no_names

    def short_name(self, name: str) -> bool:
        return fold(name).replace(".", "") not in self.pack.signatures.no_names

    name_first = short_name

    def name_or_no_word(self, name: str) -> bool:
        is_sure = name[0].isupper() or len(name) == 1
        return self.short_name(name) and (is_sure or not self.is_ordinary(name))

    def surname(self, name: str) -> bool:
        if fold(name) in self.pack.signatures.last_names:
            return True
        if self.is_common(name):  # *Mme Petit*, but *MADAME EST LA*
            return self._is_last_name(name) and name.istitle()
        return name[0].isupper() or self._is_last_name(name)

    def surname_behind_of(self, name: str) -> bool:
        """Tell "mme de villiers" from "mme de repos"."""
        return self.surname(name) and not self.is_ordinary(name)

    def given_name(self, name: str) -> bool:
        return self.is_first_name(name) or not self.is_ordinary(name)

    def relative(self, name: str) -> bool:
        """Tell "uncle bill" from "aunty may come": a common word needs a capital."""
        return self.is_first_name(name) and (name[0].isupper() or not self.is_common(name))

    def family(self, name: str) -> bool:
        """Return whether a word where families stand is a surname: no *chez les voisins*."""
        if name[0].isupper() and fold(name) in self.pack.signatures.last_names:
            return True
        is_word = self.is_ordinary(name) or self._is_word_or_thing(name)
        return not is_word and (name[0].isupper() or self._is_last_name(name))

    def singular(self, name: str) -> bool:
        """Tell "chez les boulanger" from "chez les boulangers": a surname that is a word."""
        is_plural = name[-1].lower() in "sxz"
        return not is_plural and self._is_last_name(name) and not self.is_ordinary(name)

    def called_name(self, name: str) -> bool:
        """Tell "bravo max" from "bravo monsieur" and "bravo paris": a word without a capital."""
        is_name = self.is_first_name(name) or self._is_nickname(name)
        is_other = self.is_ordinary(name) or self._is_place(name)
        return is_name and name.islower() and self._is_word(name) and not is_other

    def surname_of_word(self, name: str) -> bool:
        """Tell "Poisson m'a mis 4" from "Maman m'a appelé": a word that is a surname."""
        if fold(name) in self.pack.signatures.last_names:
            return True
        is_name = self._is_word(name) and self._is_last_name(name)
        return is_name and not (self.is_ordinary(name) or self.is_first_name(name))

    def said_name(self, name: str) -> bool:
        return not self.is_common(name) or self.surname(name)

    def birth_date(self, text: str) -> bool:
        """Tell a real date from other numbers."""
        numbers: list[str] = re.findall(r"\d+", text)
        if word := re.search(r"[^\W\d_]{3,}", text):
            months = enumerate(self.pack.dates.months, 1)
            is_of = (i for i, month in months if re.fullmatch(f"(?i:{month})", word[0]))
            numbers.insert(1, str(next(is_of, 0)))
        elif len(numbers) == 1:
            numbers = [text[:2], text[2:4], text[4:]]
        elif len(numbers[0]) > len("31"):
            numbers.reverse()
        day, month, year = map(int, (*numbers, str(_LEAP_YEAR))[:3])
        with suppress(ValueError):
            real = date(year + _LEAP_YEAR if year < _SHORT else year, month, day)
            return _FIRST_YEAR <= real.year <= _LAST_YEAR
        return False

    def school(self, phrase: str) -> bool:
        return self._names_place("school", phrase)

    def house(self, phrase: str) -> bool:
        return self._names_place("employers.houses", phrase)

    def _names_place(self, kind: str, phrase: str) -> bool:
        """Return whether the words behind a kind of house name one."""
        match = re.match(self._write(f"(?i:{{{kind}}}(?: {{schools.links}})? ?)"), phrase)
        name = phrase[match.end() :] if match else ""
        if not name:
            return False
        *first, last = name.split(" ")
        titles = self.pack.schools.titles
        if first and first[-1].lower() in titles:
            return last.lower() not in titles
        is_capital = self._is_capital(name)
        if self.is_town(name) and (is_capital or not self.is_ordinary(name)):
            return True
        if first and all(map(self.is_first_name, first)):
            return not self.is_common(last)
        if is_capital:
            return not self.is_common(_bare(last))
        return not first and not self.is_first_name(last) and self._is_unknown(last)

    def firm(self, name: str) -> bool:
        if self.brand(name) or self.is_first_name(name) or self.is_town(name):
            return self.brand(name)
        if self._is_capital(name):
            return not all(map(self.is_ordinary, name.split(" ")))
        return self._is_unknown(name)

    def brand(self, name: str) -> bool:
        is_listed = self._is_brand(name.replace(" ", "-"))
        return is_listed or name.lower() in self.pack.employers.firms

    def sender(self, name: str) -> bool:
        return self.brand(name) and not self.is_first_name(name)

    def _is_unknown(self, word: str) -> bool:
        is_long = " " not in word and len(word) >= _SHORTEST_UNKNOWN
        return is_long and not self._is_known(_bare(word))

    def _is_capital(self, name: str) -> bool:
        *others, last = name.split(" ")
        links = self.pack.schools.in_names
        return last[0].isupper() and all(word[0].isupper() or word in links for word in others)

    def place(self, name: str) -> bool:
        last = re.split("[ '’]", name)[-1]
        return last[0].isupper() or not self.is_ordinary(last)

    def uncommon(self, name: str) -> bool:
        return not self.is_common(re.split("[ '’]", name)[-1])

    def uncommon_place(self, name: str) -> bool:
        return self.place(name) and self.uncommon(name)

    def number_of_country(self, written: str, *, is_sure: bool = True) -> bool:
        """Return whether one of the pack's countries, or one abroad, may have a number."""
        # Loaded when it is needed first: most messages hold no number.
        import phonenumbers

        # Dialled from abroad, or from another area, it need not be one that is given out.
        is_sure = is_sure and written.lstrip("( ")[:1] not in "+0"
        is_right = phonenumbers.is_valid_number if is_sure else phonenumbers.is_possible_number
        for region in self._regions or (None,):
            with suppress(phonenumbers.NumberParseException):
                if is_right(phonenumbers.parse(written, region)):
                    return True
        return False

    def possible_number_of_country(self, written: str) -> bool:
        return self.number_of_country(written, is_sure=False)

    def said_number(self, written: str) -> bool:
        """Return whether words and figures together are a number of the pack's countries."""
        part, digits_of = self._spoken
        digits = "".join(
            next((digits_of_word for word, digits_of_word in digits_of if word.fullmatch(one)), one)
            for one in part.findall(written)
        )
        if digits == re.sub(r"\D", "", written) or any(digits in one for one in _COUNTED):
            return False
        is_french = _WITH_FORMS in self.pack.pack.countries and re.fullmatch(r"0[1-9]\d{8}", digits)
        return bool(is_french) or self.number_of_country(digits)

    @cached_property
    def _spoken(self) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]]]:
        """The parts of said numbers, and the digits of words."""
        digits_of = _digits_of(self.pack).items()
        words = [(re.compile(f"(?i:{word})"), digits) for word, digits in digits_of]
        return re.compile(self._write("(?i:{said_part})")), words

    def _is_of_postcode(self, name: str) -> bool:
        """Tell a town from what a number counts: "34000 personnes", "10000 tours"."""
        settings = self.pack.postcodes
        words = [word for word in re.split("[ -]", name) if word.lower() not in settings.links]
        if not words:
            return False
        is_capital = all(word[0].isupper() for word in words)
        if self.is_town(name) or self.is_town(self._article.sub("", name)):
            is_plain = len(words) > 1 or name.lower() in settings.large_towns
            return is_plain or is_capital or not self.is_ordinary(name)
        is_other = self.is_ordinary(words[0]) or self.is_first_name(words[0])
        is_whole = name.split(" ")[-1].lower() not in settings.links
        return is_whole and is_capital and (len(words) > 1 or not is_other)

    def with_town(self, postcode: re.Match[str]) -> tuple[int, int] | None:
        """Return where a postcode stands with the town behind it or before it; None without."""
        text, (start, end) = postcode.string, postcode.span()

        def longest(words: list[str], *, is_before: bool) -> str:
            """Return the longest name of a town next to the postcode; empty if there is none."""
            n = len(words)
            parts = (words[i:] if is_before else words[: n - i] for i in range(n))
            return next(filter(self._is_of_postcode, map(" ".join, parts)), "")

        match = self._behind.match(text, end)
        if match and (name := longest(match["town"].split(" "), is_before=False)):
            town_end = match.start("town") + len(name)
            suffix = self._suffix.match(text, town_end)
            return start, suffix.end() if suffix else town_end
        first = max(0, start - _REACH)
        match = self._before.search(text[first:start])
        if match and (name := longest(match["town"].split(" "), is_before=True)):
            is_bracketed = text[start - 1] == "(" and text[end : end + 1] == ")"
            return first + match.end("town") - len(name), end + is_bracketed
        return None


def _bare(word: str) -> str:
    """Return a word without an elided word before it."""
    return word.replace("’", "'").rpartition("'")[2]


def _digits_of(pack: Pack) -> dict[str, str]:
    """Return the digits of each expression of a word, in which a space is a hyphen, too."""
    entries = [one.partition("=") for one in pack.telephone.said]
    for digits, sign, words in entries:
        if not (digits.isdecimal() and words):
            wrong = f"{pack.location('telephone')}: said holds {digits}{sign}{words}"
            raise DictionaryError(f"{wrong} where digits and words are wanted: 78=seventy eight")
    return {words.replace(" ", "[ -]"): digits for digits, _, words in entries}


# Expressions that are made of the words of a pack: of said digits, the longest first ("soixante dix
# huit" is 78), and of a place behind the words before years.
MADE: dict[str, Callable[[Pack], str]] = {
    "said_digits": lambda pack: any_of(sorted(_digits_of(pack), key=len, reverse=True)),
    "of_time": lambda pack: any_of(rf"(?<=\b{word} )" for word in pack.codes.before_years),
}
