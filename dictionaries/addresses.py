"""Postal addresses, each as one span, by rules on street types and postcodes.

After the symbolic method of Lecointe (2018, section 3.2.1): rules around the type of the street,
around the postcode, and around words that announce an address. Here they are a small grammar over
words instead of some sixty expressions: an address is a run of elements (street, building,
flat, postcode, town) that together are evidence enough. Every element and every name is short, so
the time is linear in the length of the message.
"""

import re
from functools import cache
from typing import NamedTuple

from triage.dictionaries.address_words import KnownWords, Tokens, nothing_known, street_types
from triage.dictionaries.kinds import Kind, Span
from triage.dictionaries.normal import Legible
from triage.dictionaries.pack import Section, pairs
from triage.dictionaries.recognisers.recogniser import any_of

_MOST_ELEMENTS = 7
_MOST_TOWN_TOKENS = 9
_TRIGGER_REACH = 7
# From the number of a street to its type: "12-14 bis, rue".
_TYPE_REACH = 6

_DIGIT = re.compile("[0-9]")
_PLAIN_NUMBER = re.compile(r"[1-9][0-9]{0,3}[a-f]?")
_PLACE = re.compile(r"(?<!\d)\d{2} ?\d{3}(?!\d)")
_MOST_NAME_WORDS = 7
_LONGEST_ABBREVIATION = 5
_DAY = re.compile(r"[1-9]|[12][0-9]|3[01]")
_YEAR = re.compile("(?:19)?[0-9]{2}")
_ROMAN = re.compile("[ivx]{1,4}")
_LETTERS = ("a", "b", "c", "d")


@cache
def _beginnings(words: Section) -> frozenset[str]:
    """Return the words that addresses begin with."""
    buildings = words.residences | words.complements | words.boxes | words.ground_floors
    return frozenset(street_types(words) | words.great | buildings)


class _Forms(NamedTuple):
    """The expressions of numbers in the addresses of a language."""

    number: re.Pattern[str]
    postcode: re.Pattern[str]
    postcode_start: re.Pattern[str]
    ordinal: re.Pattern[str]
    district: re.Pattern[str]


@cache
def _forms(words: Section) -> _Forms:
    return _Forms(
        re.compile(rf"[1-9][0-9]{{0,3}}(?:{any_of(sorted(words.suffixes))}|[a-df])?"),
        re.compile(words.postcode),
        re.compile(words.postcode_start),
        re.compile(rf"[1-9][0-9]?{any_of(words.floor_ordinals)}"),
        re.compile(rf"(?:[1-9]|1[0-9]|20){any_of(words.ordinals)}?"),
    )


def addresses(message: str, known: KnownWords | None = None) -> list[Span]:
    """Find the postal addresses of a message, in order and not overlapping."""
    known = known or nothing_known()
    legible = Legible.of(message)
    if not _is_possible(legible.text, known.words):
        return []
    tokens = Tokens(legible.text)
    if _beginnings(known.words).isdisjoint(tokens.folded) and not _PLACE.search(legible.text):
        return []
    return [Span(*legible.span(*ends), Kind.ADR) for ends in _Reader(tokens, known).spans()]


def _is_possible(message: str, words: Section) -> bool:
    """Exclude most messages, which have neither a number nor a word that announces an address."""
    if _DIGIT.search(message):
        return True
    lowered = message.lower()
    return any(part in lowered for part in words.in_triggers)


class _Element(NamedTuple):
    """A part of an address: its kind, and the index behind its last token."""

    kind: str
    end: int


class _Reader:
    """Reads whole addresses; each method that reads returns the index behind what it has read."""

    def __init__(self, tokens: Tokens, known: KnownWords) -> None:
        self._tokens = tokens
        self._known = known
        self.words = known.words
        self.forms = _forms(known.words)
        self._at = tokens.at
        self._saints = pairs(known.words.saints)

    def spans(self) -> list[tuple[int, int]]:
        found = []
        i = 0
        while i < len(self._tokens):
            end = self._address(i)
            if end > i:
                found.append((self._tokens.start(i), self._tokens.end(end - 1)))
            i = max(end, i + 1)
        return found

    def _address(self, i: int) -> int:
        """Read an address."""
        if not self._can_begin(i):
            return i
        elements: list[_Element] = []
        end = i
        while len(elements) < _MOST_ELEMENTS:
            begin = self._behind_separator(end) if elements else i
            element = self._element(begin, elements)
            if element is None:
                break
            elements.append(element)
            end = element.end
        return end if self._is_enough(i, [element.kind for element in elements]) else i

    def _can_begin(self, i: int) -> bool:
        """Exclude quickly the words that begin no address, nearly all of them."""
        word = self._at(i)
        if not word[:1].isdigit():
            return word in _beginnings(self.words)
        if self.forms.postcode.fullmatch(word) or self.forms.postcode_start.fullmatch(word):
            return True
        return any(self._at(j) in _beginnings(self.words) for j in range(i + 1, i + _TYPE_REACH))

    def _is_enough(self, i: int, kinds: list[str]) -> bool:
        if "numbered street" in kinds or {"postcode", "town"} <= set(kinds):
            return True
        if "street" in kinds:
            triggers = (self._at(j) in self.words.triggers for j in range(i - _TRIGGER_REACH, i))
            return "postcode" in kinds or any(triggers)
        if "residence" in kinds:
            return len(kinds) > 1
        return ("box" in kinds and len(kinds) > 1) or kinds.count("complement") > 1

    def _behind_separator(self, i: int) -> int:
        """Step over a separator of two elements: a comma, a dash, a full stop inside a word."""
        if self._at(i) in (",", "-", ";"):
            return i + 1
        # A full stop ends an address, but not as in "rue Maillol.95270.Viarmes".
        if self._at(i) == "." and self._tokens.is_glued(i + 1):
            return i + 1
        return i

    def _element(self, i: int, before: list[_Element]) -> _Element | None:
        for kind, read in (
            ("numbered street", self._numbered_street),
            ("numbered street", self._numbered_residence),
            ("residence", self._residence),
            ("complement", self._complement),
            ("box", self._box),
        ):
            if (end := read(i)) > i:
                return _Element(kind, end)
        return self._street_element(i, before) or self._place(i, before)

    def _street_element(self, i: int, before: list[_Element]) -> _Element | None:
        if any("street" in element.kind for element in before):
            return None
        end = self._street(i, strict=True)
        if end == i:
            return None
        behind = self._number_behind(end)
        return _Element("numbered street", behind) if behind > end else _Element("street", end)

    def _numbered_street(self, i: int) -> int:
        end = self._number(i)
        if end == i:
            return i
        begin = end + (self._at(end) == ",")
        found = self._street(begin, strict=False)
        return found if found > begin else i

    def _number(self, i: int) -> int:
        if not self.forms.number.fullmatch(self._at(i)) or self._is_decimal(i):
            return i
        end = i + 1
        if self._at(end) in ("-", "/") and self.forms.number.fullmatch(self._at(end + 1)):
            end += 2
        if self._at(end) in self.words.suffixes:
            return end + 1
        # The letter of "12 b rue", not the word of "12 a partir de".
        is_letter = self._at(end) in _LETTERS and self._is_street_type(
            end + 1 + (self._at(end + 1) == ",")
        )
        return end + is_letter

    def _is_street_type(self, i: int) -> bool:
        return self._at(i) in street_types(self.words)

    def _is_decimal(self, i: int) -> bool:
        """Recognise the 5 of "12,5" and of "18:05", but not the 157 of "porte 11,157 rue"."""
        if len(self._at(i)) > 2:
            return False
        before = self._at(i - 1) in (",", ".", ":", "/", "+") and self._tokens.is_glued(i)
        return before and self._at(i - 2).isdigit() and self._tokens.is_glued(i - 1)

    def _street(self, i: int, strict: bool) -> int:
        """Read the type and the name of a street; strictly where it has no number before it."""
        kind = self._at(i)
        if kind in self.words.great and not strict:
            return self._great_street(i)
        is_weak = kind in self.words.weak_street_types
        if not (is_weak or kind in self.words.street_types):
            return i
        name = self._behind_full_stop(i + 1)
        end = self._name(name, is_weak or strict)
        return end if end > name else i

    def _great_street(self, i: int) -> int:
        j = i + 1 + (self._at(i + 1) in ("-", "'"))
        if self._at(j) not in self.words.of_great:
            return i
        end = self._name(j + 1, is_weak=True)
        return max(end, j + 1)

    def _number_behind(self, i: int) -> int:
        """Read a number behind the name: "rue des Lilas 12", "rue X au 12"."""
        j = i + (self._at(i) == ",")
        is_said = self._at(j) in self.words.said_numbers
        j += is_said
        j += is_said and self._at(j) in ("°", "º", ".", "o")
        end = self._number(j)
        if end == j or self._at(end) in self.words.units or self._numbered_street(j) > j:
            return i
        return end if is_said or self._is_at_a_limit(end) else i

    def _is_at_a_limit(self, i: int) -> bool:
        """Return whether a number before this token is complete: an end, a sign, a town follows."""
        word = self._at(i)
        if not word or not word[0].isalnum():
            return word not in ("%", "€", "/", ":", "°")
        if self._tokens.is_on_new_line(i) or self._tokens.is_capital(i):
            return True
        if self._known.is_frequent(word) or self._known.is_town(word):
            return True
        return self._postcode(i) > i or word in self.words.complements

    def _name(self, i: int, is_weak: bool) -> int:
        """Read the name of a street: links, a first word, and further ones."""
        first = self._behind_links(i)
        if self._is_date(first):
            return first + 2 + bool(_YEAR.fullmatch(self._at(first + 2)))
        if not self._can_begin_name(i, first, is_weak):
            return i
        end = first + 1
        for _ in range(_MOST_NAME_WORDS):
            further = self._further_name_word(end)
            if further == end:
                break
            end = further
        return end

    def _is_date(self, i: int) -> bool:
        is_day = _DAY.fullmatch(self._at(i)) or self._at(i) in self.words.first_days
        return bool(is_day) and self._at(i + 1) in self.words.months

    def _behind_links(self, i: int) -> int:
        end = i
        while end < i + 5 and (self._at(end) in self.words.links or self._is_apostrophe(end)):
            end += 1
        return end

    def _behind_full_stop(self, i: int) -> int:
        """Step over the full stop of an abbreviation."""
        word = self._at(i - 1)
        is_short = len(word) <= _LONGEST_ABBREVIATION and word not in self.words.written_out
        return i + (is_short and self._at(i) == "." and self._tokens.is_glued(i))

    def _can_begin_name(self, i: int, first: int, is_weak: bool) -> bool:
        word = self._at(first)
        if (
            not word.isalpha()
            or len(word) < 2
            or word in self.words.units
            or word in self.words.no_names
        ):
            return False
        if (
            self._is_proper(first)
            or word in self.words.titles
            or word in self.words.street_adjectives
        ):
            return True
        links = {self._at(j) for j in range(i, first)} - {"'"}
        if any(links.issuperset(together.split()) for together in self.words.naming):
            return True
        if self._postcode(first + 1) > first + 1:
            return True
        return not is_weak and not self._known.is_frequent(word)

    def _further_name_word(self, i: int) -> int:
        """Read the next word of a name, with the links before it."""
        if self._at(i) == "-" and self._tokens.is_glued(i) and self._tokens.is_glued(i + 1):
            return i + 2 if self._at(i + 1).isalnum() else i
        i_after = self._behind_full_stop(i)
        if self._tokens.is_on_new_line(i_after):
            return i
        if self._at(i) in self.words.conjunctions and self._known.is_first_name(self._at(i - 1)):
            return i + 2 if self._known.is_first_name(self._at(i + 1)) else i
        word = self._behind_links(i_after)
        if word > i_after:
            return word + 1 if self._can_follow_link(word) else i
        return i_after + 1 if self._can_follow(i_after) else i

    def _can_follow(self, i: int) -> bool:
        word = self._at(i)
        before = self._at(i - 2) if self._at(i - 1) == "." else self._at(i - 1)
        is_roman = _ROMAN.fullmatch(word) or word in self.words.first
        if (is_roman and self._tokens.raw[i] != word) or word in self.words.first_days:
            return True
        if not self._is_name_word(i):
            return False
        if before in self.words.titles:
            return True
        if before in self.words.generic and self._is_proper(i):
            return True
        if self._known.is_frequent(word) and not self._known.is_name(word):
            return False
        # Behind an initial or a first name; "rue Bouisson Bertrand" in lower case.
        if len(before) == 1 or self._known.is_first_name(before) or self._tokens.is_capital(i):
            return True
        return self._known.is_name(word) and not self._known.is_word(self._at(i - 1))

    def _can_follow_link(self, i: int) -> bool:
        if not self._is_name_word(i):
            return False
        is_title = self._at(i) in self.words.titles or self._at(i) in self.words.generic
        return is_title or self._tokens.is_capital(i) or not self._known.is_frequent(self._at(i))

    def _is_name_word(self, i: int) -> bool:
        word = self._at(i)
        if (
            word in self.words.complements
            or word in self.words.boxes
            or word in self.words.no_names
            or word in self.words.town_suffixes
        ):
            return False
        return word.isalpha() and len(word) > 1

    def _is_proper(self, i: int) -> bool:
        """Recognise a name by its capital or by the lists."""
        word = self._at(i)
        if not word:
            return False
        if self._tokens.is_capital(i) or self._known.is_name(word):
            return True
        if self._known.is_frequent(word):
            return False
        return self._known.is_town(word) or not self._known.is_word(word)

    def _is_apostrophe(self, i: int) -> bool:
        return self._at(i) == "'" or (i < len(self._tokens) and self._tokens.raw[i] in "’´`")

    def _postcode(self, i: int) -> int:
        end = i
        if self.forms.postcode.fullmatch(self._at(i)):
            end = i + 1
        elif self.forms.postcode_start.fullmatch(self._at(i)) and re.fullmatch(
            "[0-9]{3}", self._at(i + 1)
        ):
            end = i + 2
        return i if self._at(end) in self.words.units or self._at(end) == "€" else end

    def _residence(self, i: int) -> int:
        if self._at(i) not in self.words.residences:
            return i
        begin = self._behind_full_stop(i + 1)
        # "Le Parc", "La Colline": behind a street type such names are none.
        begin += self._at(begin) in self.words.articles and self._is_name_word(begin + 1)
        end = (
            self._name(begin, is_weak=False)
            if self._at(begin) not in self.words.generic
            else begin + 1
        )
        return end if end > begin else i

    def _numbered_residence(self, i: int) -> int:
        name = self._residence(i)
        behind = self._number_behind(name) if name > i else name
        return behind if behind > name else i

    def _complement(self, i: int) -> int:
        if self._at(i) in self.words.ground_floors:
            return i + 1
        if self.forms.ordinal.fullmatch(self._at(i)) and self._at(i + 1) in self.words.floors:
            return i + 2
        if self._at(i) not in self.words.complements:
            return i
        begin = self._behind_full_stop(i + 1)
        begin += self._at(begin) in self.words.numbers
        begin += self._at(begin) == "°"
        return begin + 1 if self._is_complement_value(begin) else i

    def _is_complement_value(self, i: int) -> bool:
        value = self._at(i)
        if _PLAIN_NUMBER.fullmatch(value):
            return self._at(i + 1) not in self.words.units
        if not re.fullmatch("[a-z][0-9]{0,3}", value) or self._is_apostrophe(i + 1):
            return False
        if self._tokens.raw[i] != value or len(value) > 1:
            return True
        # The letter of "bat b, 3e étage", not the word of "bat a côté".
        behind = self._at(i + 1)
        opens = (
            self._postcode(i + 1) > i + 1
            or behind in self.words.complements
            or behind[:1].isdigit()
        )
        return opens or not behind or not behind[0].isalnum()

    def _box(self, i: int) -> int:
        if self._at(i) not in self.words.boxes or not re.fullmatch("[0-9]{2,6}", self._at(i + 1)):
            return i
        return i + 2

    def _place(self, i: int, before: list[_Element]) -> _Element | None:
        kinds = {element.kind for element in before}
        if "postcode" in kinds:
            is_next = "town" not in kinds and before[-1].kind == "postcode"
            return self._town_of(i) if is_next else None
        end = self._postcode(i)
        if end > i and (before or self._looks_like_town(end) or self._known_town(end) > end):
            return _Element("postcode", end)
        if "town" in kinds or not before:
            return None
        return self._town_without_postcode(i)

    def _town_of(self, i: int) -> _Element | None:
        """Read the town behind a postcode, known or not."""
        end = self._known_town(i)
        if end == i:
            end = self._unknown_town(i)
        return _Element("town", self._behind_town(i, end)) if end > i else None

    def _town_without_postcode(self, i: int) -> _Element | None:
        begin = i + (self._at(i) in self.words.towards)
        if self._looks_like_town(begin):
            return _Element("town", self._behind_town(begin, self._rest_of_town(begin + 1)))
        end = self._known_town(begin)
        is_word = self._known.is_frequent(self._at(begin)) and end == begin + 1
        if end == begin or (is_word and not self._tokens.is_capital(begin)):
            return None
        return _Element("town", self._behind_town(begin, end))

    def _looks_like_town(self, i: int) -> bool:
        """Recognise Trifouilly-les-Oies and Saint Glinglin, in a list or not."""
        if self._at(i) in self._saints.values():
            return self._at(i + 1) == "-" or self._is_proper(i + 1)
        joins = self._at(i + 1) == "-" and self._at(i + 3) == "-"
        return joins and self._at(i).isalpha() and self._at(i + 2) in self.words.town_links

    def _known_town(self, i: int) -> int:
        """Read the longest town of the lists that begins here."""
        for end in range(min(i + _MOST_TOWN_TOKENS, len(self._tokens)), i, -1):
            words = [self._at(j) for j in range(i, end) if self._at(j) not in ("-", "'")]
            if all(word.isalpha() for word in words) and self._is_town(words):
                return end
        return i

    def _is_town(self, words: list[str]) -> bool:
        full = [self._saints.get(word, word) for word in words]
        return self._known.is_town("-".join(full).replace("-l-", "-l'").replace("-d-", "-d'"))

    def _unknown_town(self, i: int) -> int:
        first = i + (self._at(i) in self.words.town_articles)
        first += self._is_apostrophe(first)
        if not self._at(first).isalpha() or self._tokens.is_on_new_line(first + 1):
            return i
        is_saint = self._at(first) in {*self._saints, *self._saints.values()}
        is_common = self._known.is_frequent(self._at(first)) and not self._is_proper(first)
        if is_common and not is_saint:
            return i
        return self._rest_of_town(first + 1)

    def _rest_of_town(self, i: int) -> int:
        """Read the words that hyphens or links bind: Castelnau-le-Lez, Aix en Provence."""
        end = i
        for _ in range(_MOST_TOWN_TOKENS):
            if self._at(end) == "-" and self._tokens.is_glued(end) and self._at(end + 1).isalpha():
                end += 2 + 2 * self._is_apostrophe(end + 2)
            elif self._at(end - 1) in self.words.town_links and self._can_follow_link(end):
                end += 1
            elif self._at(end) in self.words.town_links and self._is_proper(
                self._behind_town_links(end)
            ):
                end = self._behind_town_links(end) + 1
            else:
                break
        return end

    def _behind_town_links(self, i: int) -> int:
        end = i
        while end < i + 3 and (self._at(end) in self.words.town_links or self._is_apostrophe(end)):
            end += 1
        return end

    def _behind_town(self, i: int, end: int) -> int:
        """Read the suffix of a town: a district of Paris, CEDEX and its number."""
        if self._at(i) in self.words.cities_with_districts and self.forms.district.fullmatch(
            self._at(end)
        ):
            end += self._at(end + 1) not in self.words.units and not self._tokens.is_glued(end + 1)
        if self._at(end) in self.words.town_suffixes:
            end += 1
            end += bool(re.fullmatch("[0-9]{1,2}", self._at(end)))
        return end
