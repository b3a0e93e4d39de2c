"""Postal addresses, each as one span, by a small grammar (after Lecointe, 2018, section 3.2.1).

An address is a run of elements (street, building, flat, postcode, town) that together are evidence
enough. Every element and every name is short: the time is linear in the length of the message.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property

from .kinds import FoundSpan, Kind
from .lexicon import COMMON, FIRST_NAMES, Lexicon
from .normal import Legible, fold, normal
from .pack import Section, any_of, pairs

# A run of letters and digits, else one sign. Of a run, so many characters are read.
_TOKEN = re.compile(r"[^\W_]++|[^\w\s]|_")
_LONGEST = 40

_MAX_ELEMENTS = 7
_MAX_TOWN_TOKENS = 9
_MAX_NAME_WORDS, _MAX_LINKS = 7, 5
_TRIGGER_REACH = 7
# From the number of a street to its type: "12-14 bis, rue".
_TYPE_REACH = 6
_LONGEST_ABBREVIATION = 5

_DIGIT = re.compile("[0-9]")
_PLACE = re.compile(r"(?<!\d)\d{2} ?\d{3}(?!\d)")
_DAY = re.compile(r"[1-9]|[12][0-9]|3[01]")
_YEAR = re.compile("(?:19)?[0-9]{2}")
# The kind of an element that is an address by itself: a street, or a residence, with a number.
_WHOLE = "numbered street"


class KnownWords:
    """The words of addresses of a language, in lower case without accents, and their forms."""

    def __init__(self, lexicon: Lexicon) -> None:
        def held_by(*names: str) -> Callable[[str], bool]:
            bits = lexicon.bits(*names)
            return lambda word: bool(lexicon.lists_of(word) & bits)

        self.is_town, self.is_first_name = held_by("cities"), held_by(*FIRST_NAMES)
        names = (*FIRST_NAMES, "last_names", "common_first_names", "famous_names")
        self.is_name, self.is_frequent = held_by(*names), held_by("commonest_forms", "sms_forms")
        self.last_names = lexicon.pack.signatures.last_names
        self.is_place = held_by("cities", "places")
        self.is_code = re.compile(any_of(lexicon.pack.codes.triggers)).fullmatch
        self.is_word = held_by("inflected_forms", "dicollecte_forms", *COMMON)
        self.words: Section = lexicon.pack.addresses
        words = self.words
        self.street_types = frozenset(words.street_types | words.weak_street_types)
        buildings = words.residences | words.complements | words.boxes | words.ground_floors
        self.beginnings = self.street_types | words.great | buildings
        self.saints = pairs(words.saints)
        self.no_names = words.complements | words.boxes | words.no_names | words.town_suffixes
        suffixes = any_of(sorted(words.suffixes))
        self.number = re.compile(rf"[1-9][0-9]{{0,3}}(?:{suffixes}|[a-df])?").fullmatch
        self.postcode = re.compile(words.postcode).fullmatch
        self.postcode_start = re.compile(words.postcode_start).fullmatch
        self.ordinal = re.compile(rf"[1-9][0-9]?{any_of(words.floor_ordinals)}").fullmatch
        self.district = re.compile(rf"(?:[1-9]|1[0-9]|20){any_of(words.ordinals)}?").fullmatch


class Tokens:
    """A message cut into runs of letters and digits and single signs."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.raw = _TOKEN.findall(message)
        self.folded = fold(normal("\n".join(raw[:_LONGEST] for raw in self.raw))).split("\n")
        # Where a message has small letters.
        self._capitals_tell = any(raw[1:].islower() for raw in self.raw)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(self.message)]

    def at(self, i: int) -> str:
        """Return a token, folded; an empty string beyond the ends."""
        return self.folded[i] if 0 <= i < len(self.folded) else ""

    def is_glued(self, i: int) -> bool:
        return 0 < i < len(self.raw) and self.spans[i - 1][1] == self.spans[i][0]

    def is_on_new_line(self, i: int) -> bool:
        is_inside = 0 < i < len(self.raw)
        return is_inside and "\n" in self.message[self.spans[i - 1][1] : self.spans[i][0]]

    def is_capital(self, i: int) -> bool:
        raw = self.raw[i] if 0 <= i < len(self.raw) else ""
        return raw[:1].isupper() and not raw[1:].isupper() and self._capitals_tell


class Beginning(IntEnum):
    """The parts of an address that a word, or the number before it, may begin."""

    NOTHING = 0
    ADDRESS = 1
    STREET = 2


def beginning(word: str, known: KnownWords) -> Beginning:
    """Return the part that a word may begin; only the sure types of streets begin a street."""
    folded = fold(word)
    if folded in known.words.street_types:
        return Beginning.STREET
    first = folded.split("-")[0]
    is_one = folded in known.beginnings or first in known.words.great or _PLACE.fullmatch(word)
    return Beginning.ADDRESS if is_one else Beginning.NOTHING


def addresses(message: str, known: KnownWords) -> list[FoundSpan]:
    """Find the postal addresses of a message, in order and not overlapping."""
    legible = Legible.of(message)
    text = legible.text
    # Most messages have neither a number nor a word that announces an address.
    lowered = "" if _DIGIT.search(text) else text.lower()
    if lowered and not any(part in lowered for part in known.words.in_triggers):
        return []
    reader = _AddressReader(text, known)
    if known.beginnings.isdisjoint(reader.folded) and not _PLACE.search(text):
        return []
    return [FoundSpan(*legible.span(*ends), Kind.ADR) for ends in reader.address_spans()]


def streets(message: str, known: KnownWords) -> list[FoundSpan]:
    """Find the streets that a message names, be it without a number."""
    legible = Legible.of(message)
    reader, types = _AddressReader(legible.text, known), known.words.street_types
    begins = (i for i, word in enumerate(reader.folded) if word in types)
    ends = ((i, reader.street(i, strict=True)) for i in begins)
    spans = [(reader.spans[i][0], reader.spans[end - 1][1]) for i, end in ends if end > i]
    return [FoundSpan(*legible.span(*span), Kind.ADR) for span in spans]


class _AddressReader(Tokens):
    """Reads whole addresses; each method that reads returns the index behind what it has read."""

    def __init__(self, text: str, known: KnownWords) -> None:
        super().__init__(text)
        self._known, self._words = known, known.words

    def address_spans(self) -> list[tuple[int, int]]:
        end, begins = 0, self._known.beginnings
        # Most words begin no address.
        return [
            (self.spans[i][0], self.spans[end - 1][1])
            for i, word in enumerate(self.folded)
            if (word in begins or word[:1].isdigit()) and i >= end and (end := self._address(i)) > i
        ]

    def _address(self, i: int) -> int:
        word, known = self.at(i), self._known
        if word[:1].isdigit() and not (known.postcode(word) or known.postcode_start(word)):
            ahead = (self.at(j) for j in range(i + 1, i + _TYPE_REACH))
            if known.beginnings.isdisjoint(ahead):
                return i
        kinds: list[str] = []
        end = i
        while len(kinds) < _MAX_ELEMENTS:
            begin = end
            if kinds:
                # A full stop ends an address, but not as in "rue Maillol.95270.Viarmes".
                inside = self.at(end) == "." and self.is_glued(end + 1)
                begin += inside or self.at(end) in (",", "-", ";")
            readings = self._elements(begin, kinds)
            kind, behind = next((one for one in readings if one[1] > begin), ("", begin))
            if not kind:
                break
            kinds.append(kind)
            end = behind
        if _WHOLE in kinds or {"postcode", "town"} <= {*kinds}:
            return end
        if "street" in kinds:
            triggers = (self.at(j) in self._words.triggers for j in range(i - _TRIGGER_REACH, i))
            return end if "postcode" in kinds or any(triggers) else i
        is_part = ("residence" in kinds or "box" in kinds) and len(kinds) > 1
        return end if is_part or kinds.count("complement") > 1 else i

    def _elements(self, i: int, kinds: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Yield the kind of each element that may stand here, and the index behind it."""
        yield _WHOLE, self._numbered_street(i)
        if self.at(i) in self._words.residences:
            begin = self._behind_full_stop(i + 1)
            # "Le Parc", "La Colline": behind a street type such names are none.
            begin += self.at(begin) in self._words.articles and self._is_name_word(begin + 1)
            is_generic = self.at(begin) in self._words.generic
            residence = begin + 1 if is_generic else self._name(begin, is_weak=False)
            if residence > begin:
                numbered = self._number_behind(residence)
                yield _WHOLE if numbered > residence else "residence", numbered
        yield "complement", self._complement(i)
        is_box = self.at(i) in self._words.boxes and re.fullmatch("[0-9]{2,6}", self.at(i + 1))
        yield "box", i + 2 if is_box else i
        if not {_WHOLE, "street"} & {*kinds}:
            street = self.street(i, strict=True)
            numbered = self._number_behind(street) if street > i else i
            yield (_WHOLE, numbered) if numbered > street else ("street", street)
        yield from self._places(i, kinds)

    def _numbered_street(self, i: int) -> int:
        end = self._number(i)
        begin = end + (self.at(end) == ",")
        if self.at(i - 1) in self._words.said_numbers:  # "au 12 de la rue Foch"
            begin = self._behind_any(begin, self._words.links, _MAX_LINKS)
        street = self.street(begin, strict=False) if end > i else begin
        return street if street > begin else i

    def _number(self, i: int) -> int:
        number, glued = self._known.number, self.is_glued
        # The 5 of "12,5" and of "18:05", but not the 157 of "porte 11,157 rue".
        is_behind_sign = self.at(i - 1) in (",", ".", ":", "/", "+") and glued(i)
        is_part = is_behind_sign and self.at(i - 2).isdigit() and glued(i - 1)
        # The year of "22-07-1979 rue du stade".
        is_year = self.at(i - 1) == self.at(i - 3) in ("-", ".", "/") and len(self.at(i)) == 4
        is_other = is_year or (is_part and len(self.at(i)) <= 2)
        if is_other or not number(self.at(i)):
            return i
        end = i + 1
        if self.at(end) in ("-", "/") and number(self.at(end + 1)):
            end += 2
        # The letter of "12 b rue", not the word of "12 a partir de".
        behind = self.at(end + 1 + (self.at(end + 1) == ","))
        is_letter = self.at(end) in ("a", "b", "c", "d") and behind in self._known.street_types
        return end + (self.at(end) in self._words.suffixes or is_letter)

    def street(self, i: int, strict: bool) -> int:
        """Read the type and the name of a street; strictly where it has no number before it."""
        kind = self.at(i)
        if kind in self._words.great and not strict:
            behind = i + 1 + (self.at(i + 1) in ("-", "'"))
            is_great = self.at(behind) in self._words.of_great
            return max(self._name(behind + 1, is_weak=True), behind + 1) if is_great else i
        if kind not in self._known.street_types:
            return i
        name = self._behind_full_stop(i + 1)
        end = self._name(name, strict or kind in self._words.weak_street_types)
        return end if end > name else i

    def _number_behind(self, i: int) -> int:
        """Read a number behind the name: "rue des Lilas 12", "rue X au 12"."""
        j = i + (self.at(i) == ",")
        is_said = self.at(j) in self._words.said_numbers
        j += is_said
        j += is_said and self.at(j) in ("°", "º", ".", "o")
        end = self._number(j)
        if end == j or self.at(end) in self._words.units or self._numbered_street(j) > j:
            return i
        if is_said:
            return end
        # The number is complete where an end, a sign or a town follows.
        word = self.at(end)
        if not word[:1].isalnum():
            return i if word in ("%", "€", "/", ":", "°") else end
        is_other = self._known.is_frequent(word) or self._known.is_town(word)
        is_new = self.is_on_new_line(end) or self.is_capital(end)
        is_part = self._postcode(end) > end or word in self._words.complements
        return end if is_new or is_other or is_part else i

    def _name(self, i: int, is_weak: bool) -> int:
        """Read the name of a street: links, a first word, and further ones."""
        first = self._behind_any(i, self._words.links, _MAX_LINKS)
        is_day = _DAY.fullmatch(self.at(first)) or self.at(first) in self._words.first_days
        if is_day and self.at(first + 1) in self._words.months:
            return first + 2 + bool(_YEAR.fullmatch(self.at(first + 2)))
        initial = first - (self.at(first) == ".")
        first = self._behind_initial(initial) if initial >= i else first
        is_initial = first > initial >= i
        words, word = self._words, self.at(first)
        if not word.isalpha() or len(word) < 2 or word in words.units or word in words.no_names:
            return i
        links = {self.at(j) for j in range(i, first)} - {"'"}
        is_sure = (
            is_initial
            or word in words.titles
            or word in words.street_adjectives
            or any(links.issuperset(together.split()) for together in words.naming)
            or self._is_proper(first)
            or self._postcode(first + 1) > first + 1
        )
        if not is_sure and (is_weak or self._known.is_frequent(word)):
            return i
        end = first + 1
        for _ in range(_MAX_NAME_WORDS):
            end = self._further_name_word(end)
        return end

    def _behind_initial(self, i: int) -> int:
        """Step over the initial of "rue J. Jaurès"."""
        has_stop = self.at(i + 1) == "."
        end = i + 1 + has_stop
        is_initial = len(self.at(i)) == 1 and self.at(i).isalpha() and self._is_name_word(end)
        is_capital = is_initial and self.raw[i].isupper() and self.is_capital(end)
        return end if is_initial and (has_stop or is_capital) else i

    def _behind_any(self, i: int, links: frozenset[str], limit: int) -> int:
        end = i
        while end < i + limit and (self.at(end) in links or self.at(end) == "'"):
            end += 1
        return end

    def _behind_full_stop(self, i: int) -> int:
        word = self.at(i - 1)
        is_short = len(word) <= _LONGEST_ABBREVIATION and word not in self._words.written_out
        return i + (is_short and self.at(i) == "." and self.is_glued(i))

    def _further_name_word(self, i: int) -> int:
        """Read the next word of a name, with the links before it."""
        if self.at(i) == "-" and self.is_glued(i) and self.is_glued(i + 1):
            return i + 2 if self.at(i + 1).isalnum() else i
        begin = self._behind_full_stop(i)
        if self.is_on_new_line(begin):
            return i
        if self.at(i) in self._words.conjunctions and self._known.is_first_name(self.at(i - 1)):
            return i + 2 if self._known.is_first_name(self.at(i + 1)) else i
        tail = self._behind_any(begin, self._words.tail_links, _MAX_LINKS)
        if tail > begin and self.at(tail) in self._words.tails:
            return tail + 1
        word = self._behind_any(begin, self._words.links, _MAX_LINKS)
        follows = self._can_follow_link if word > begin else self._can_follow
        return word + 1 if follows(word) else i

    def _can_follow(self, i: int) -> bool:
        word, words = self.at(i), self._words
        before = self.at(i - 2) if self.at(i - 1) == "." else self.at(i - 1)
        is_roman = re.fullmatch("[ivx]{1,4}", word) and self.raw[i] != word
        is_first = word in words.first or word in words.first_days
        if is_roman or (is_first and self.at(i + 1) not in words.floors):
            return True
        if not self._is_name_word(i):
            return False
        if before in words.titles or (before in words.generic and self._is_proper(i)):
            return True
        if word in words.street_adjectives:
            return True
        if self._known.is_frequent(word) and not self._known.is_name(word):
            # "rue Louis Blanc", "rue Auguste Comte"
            is_last_name = word in self._known.last_names or word in words.titles
            return self._known.is_first_name(before) and is_last_name
        # Behind an initial or a first name; "rue Bouisson Bertrand" in lower case.
        if len(before) == 1 or self._known.is_first_name(before) or self.is_capital(i):
            return True
        return self._known.is_name(word) and not self._known.is_word(self.at(i - 1))

    def _can_follow_link(self, i: int) -> bool:
        if not self._is_name_word(i):
            return False
        is_title = self.at(i) in self._words.titles or self.at(i) in self._words.generic
        return is_title or self.is_capital(i) or not self._known.is_frequent(self.at(i))

    def _is_name_word(self, i: int) -> bool:
        return len(word := self.at(i)) > 1 and word.isalpha() and word not in self._known.no_names

    def _is_proper(self, i: int) -> bool:
        word, known = self.at(i), self._known
        if not word or self.is_capital(i) or known.is_name(word):
            return bool(word)
        return not known.is_frequent(word) and (known.is_town(word) or not known.is_word(word))

    def _postcode(self, i: int) -> int:
        end = i
        if self._known.postcode(self.at(i)):
            end = i + 1
        elif self._known.postcode_start(self.at(i)):
            end = i + 2 if re.fullmatch("[0-9]{3}", self.at(i + 1)) else i
        return i if self.at(end) in self._words.units or self.at(end) == "€" else end

    def _complement(self, i: int) -> int:
        words = self._words
        if self.at(i) in words.ground_floors:
            return i + 1 + (self.at(i + 1) in words.sides)
        is_floor = self.at(i + 1) in words.floors | words.sides
        if is_floor and self._known.ordinal(self.at(i)):
            return i + 2 + (self.at(i + 2) in words.sides)
        # The code of a door is none: "code porte 4582B".
        if self.at(i) not in words.complements or self._known.is_code(self.at(i - 1)):
            return i
        begin = self._behind_full_stop(i + 1)
        begin += self.at(begin) in words.numbers
        begin += self.at(begin) == "°"
        value, behind = self.at(begin), self.at(begin + 1)
        if re.fullmatch(r"[1-9][0-9]{0,3}[a-f]?", value):
            return begin + 1 if behind not in words.units else i
        if not re.fullmatch("[a-z][0-9]{0,3}", value) or behind == "'":
            return i
        # The letter of "bat b, 3e étage", not the word of "bat a côté".
        is_inside = behind in words.complements | words.residences
        is_value = self.raw[begin] != value or len(value) > 1 or is_inside
        is_last = not behind[:1].isalnum() or behind[0].isdigit()
        return begin + 1 if is_value or is_last or self._postcode(begin + 1) > begin + 1 else i

    def _places(self, i: int, kinds: Sequence[str]) -> Iterator[tuple[str, int]]:
        if "postcode" in kinds:
            if "town" not in kinds and kinds[-1] == "postcode":
                end = self._known_town(i)
                yield "town", self._behind_town(i, end if end > i else self._unknown_town(i))
            return
        end = self._postcode(i)
        # "rue de la Dôle 8, 1203 Genève"
        is_abroad = _WHOLE in kinds and re.fullmatch("[1-9][0-9]{3}", self.at(i))
        if is_abroad and self.is_capital(i + 1) and self._known.is_place(self.at(i + 1)):
            yield "postcode", i + 1
        if end > i and (kinds or self._looks_like_town(end) or self._known_town(end) > end):
            yield "postcode", end
        if not kinds or "town" in kinds:
            return
        begin = i + (self.at(i) in self._words.towards)
        if self._looks_like_town(begin):
            yield "town", self._behind_town(begin, self._rest_of_town(begin + 1))
            return
        end = self._known_town(begin)
        is_word = self._known.is_frequent(self.at(begin)) and end == begin + 1
        if end > begin and (not is_word or self.is_capital(begin)):
            yield "town", self._behind_town(begin, end)

    def _looks_like_town(self, i: int) -> bool:
        """Recognise Trifouilly-les-Oies and Saint Glinglin, in a list or not."""
        if self.at(i) in self._known.saints.values():
            return self.at(i + 1) == "-" or self._is_proper(i + 1)
        joins = self.at(i + 1) == "-" and self.at(i + 3) == "-"
        return joins and self.at(i).isalpha() and self.at(i + 2) in self._words.town_links

    def _known_town(self, i: int) -> int:
        """Read the longest town of the lists that begins here."""
        for end in range(min(i + _MAX_TOWN_TOKENS, len(self.raw)), i, -1):
            words = [self.at(j) for j in range(i, end) if self.at(j) not in ("-", "'")]
            if all(word.isalpha() for word in words):
                town = "-".join(self._known.saints.get(word, word) for word in words)
                if self._known.is_town(town.replace("-l-", "-l'").replace("-d-", "-d'")):
                    return end
        return i

    def _unknown_town(self, i: int) -> int:
        first = i + (self.at(i) in self._words.town_articles)
        first += self.at(first) == "'"
        word, saints = self.at(first), self._known.saints
        if not word.isalpha() or self.is_on_new_line(first + 1):
            return i
        is_common = self._known.is_frequent(word) and not self._is_proper(first)
        if is_common and word not in saints and word not in saints.values():
            return i
        return self._rest_of_town(first + 1)

    def _rest_of_town(self, i: int) -> int:
        """Read the words that hyphens or links bind: Castelnau-le-Lez, Aix en Provence."""
        end, links = i, self._words.town_links
        for _ in range(_MAX_TOWN_TOKENS):
            proper = self._behind_any(end, links, 3)
            if self.at(end) == "-" and self.is_glued(end) and self.at(end + 1).isalpha():
                is_elided = self.at(end + 2) == "'" and self.at(end + 3) != ""
                end += 4 if is_elided else 2
            elif self.at(end - 1) in links and self._can_follow_link(end):
                end += 1
            elif self.at(end) in links and self._is_proper(proper):
                end = proper + 1
            else:
                break
        return end

    def _behind_town(self, i: int, end: int) -> int:
        """Read the suffix of a town: a district of Paris, CEDEX and its number."""
        is_city = end > i and self.at(i) in self._words.cities_with_districts
        if is_city and self._known.district(self.at(end)):
            end += not (self.at(end + 1) in self._words.units or self.is_glued(end + 1))
        if end > i and self.at(end) in self._words.town_suffixes:
            end += 1
            end += bool(re.fullmatch("[0-9]{1,2}", self.at(end)))
        return end
