"""Postal addresses, each as one span, by rules on street types and postcodes.

After the symbolic method of Lecointe (2018, section 3.2.1): rules around the type of the street,
around the postcode, and around words that announce an address. Here they are a small grammar over
words instead of some sixty expressions: an address is a run of elements (street, building,
flat, postcode, town) that together are evidence enough. Every element is short, so the time is
linear in the length of the message.
"""

import re
from dataclasses import dataclass
from functools import cache

from triage.dictionaries.address_words import KnownWords, Tokens, nothing_known
from triage.dictionaries.kinds import Kind, Span
from triage.dictionaries.normal import Legible
from triage.dictionaries.pack import Section, pairs
from triage.dictionaries.streets import StreetReader

_MOST_ELEMENTS = 7
_MOST_TOWN_TOKENS = 9
_TRIGGER_REACH = 7
# From the number of a street to its type: "12-14 bis, rue".
_TYPE_REACH = 6

_DIGIT = re.compile("[0-9]")
_PLAIN_NUMBER = re.compile(r"[1-9][0-9]{0,3}[a-f]?")
_PLACE = re.compile(r"(?<!\d)\d{2} ?\d{3}(?!\d)")


@cache
def _beginnings(words: Section) -> frozenset[str]:
    """Return the words that addresses begin with."""
    buildings = words.residences | words.complements | words.boxes | words.ground_floors
    found: frozenset[str] = words.street_types | words.weak_street_types | words.great | buildings
    return found


@dataclass(frozen=True, slots=True)
class _Element:
    """A part of an address: its kind, and the index behind its last token."""

    kind: str
    end: int


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


class _Reader(StreetReader):
    """Reads whole addresses."""

    def __init__(self, tokens: Tokens, known: KnownWords) -> None:
        super().__init__(tokens, known)
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

    # Buildings

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

    # Postcode and town

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
