"""Postal addresses, each as one span, by rules on street types and postcodes.

After the symbolic method of Lecointe (2018, section 3.2.1): rules around the type of the street,
around the postcode, and around words that announce an address. Here they are a small grammar over
words, in the place of some sixty expressions: an address is a run of elements (street, building,
flat, postcode, town) that together are evidence enough. Every element is short, so the time is
linear in the length of the message.
"""

import re
from dataclasses import dataclass

from triage.dictionaries.address_words import (
    BOXES,
    COMPLEMENTS,
    GENERIC,
    LINKS,
    MONTHS,
    NOTHING_KNOWN,
    RESIDENCES,
    STREET_TYPES,
    SUFFIXES,
    TITLES,
    TRIGGERS,
    UNITS,
    WEAK_STREET_TYPES,
    KnownWords,
    Tokens,
    words_of,
)
from triage.dictionaries.labels import Kind
from triage.dictionaries.legible import Legible
from triage.dictionaries.patterns import Span

_MOST_ELEMENTS = 7
_MOST_NAME_WORDS = 7
_MOST_TOWN_TOKENS = 9
_TRIGGER_REACH = 7

# An address has a number, or a word that announces it; most messages have neither.
_DIGIT = re.compile("[0-9]")
_IN_TRIGGERS = ("abit", "adr", "log", "nage", "domicile", "livr", "courri", "colis", "gps", "jhab")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}(?:bis|ter|quater|[a-df])?")
_PLAIN_NUMBER = re.compile(r"[1-9][0-9]{0,3}[a-f]?")
_POSTCODE = re.compile(r"(?:0[1-9]|[1-8][0-9]|9[0-8])[0-9]{3}")
_DEPARTMENT = re.compile(r"0[1-9]|[1-8][0-9]|9[0-5]")
_PLACE = re.compile(r"(?<!\d)\d{2} ?\d{3}(?!\d)")
_ORDINAL = re.compile(r"[1-9][0-9]?(?:er|e|eme|ieme)")
_DISTRICT = re.compile(r"(?:[1-9]|1[0-9]|20)(?:er|e|eme)?")
_ROMAN = re.compile(r"[ivx]{1,4}|1er|ier")
_CITIES_WITH_DISTRICTS = frozenset({"paris", "lyon", "marseille"})
_TOWN_LINKS = words_of("sur en les lez le la de d du aux sous l saint st sainte ste")
_STREET_ADJECTIVES = words_of("neuve haute basse vieille grande longue courte")
# Types that are no abbreviation: a full stop behind them ends the sentence.
_WRITTEN_OUT = words_of(
    """
    rue place route quai cours cite villa clos mas voie cour hall bloc tour porte etage
    """
)
_LONGEST_ABBREVIATION = 5


_BEGINNINGS = STREET_TYPES | WEAK_STREET_TYPES | RESIDENCES | COMPLEMENTS | BOXES
_BEGINNINGS |= {"rdc", "grand", "grande"}
# From the number of a street to its type: "12-14 bis, rue".
_TYPE_REACH = 6


@dataclass(frozen=True, slots=True)
class _Element:
    """A part of an address: what it is, and the token behind its last one."""

    kind: str
    end: int


def addresses(message: str, known: KnownWords = NOTHING_KNOWN) -> list[Span]:
    """Find the postal addresses of a message.

    Parameters
    ----------
    message : str
    known : KnownWords
        What lists say of words. Without it towns are known by their postcode alone, and a name in
        lower case ends sooner.

    Returns
    -------
    list of Span
        In order, not overlapping, of the kind ADR.

    Examples
    --------
    >>> def found(text):
    ...     return [text[span.start : span.end] for span in addresses(text)]
    >>> found("Viens au 12 bis rue des Lilas 34000 Montpellier, bât B, j'y suis")
    ['12 bis rue des Lilas 34000 Montpellier, bât B']
    >>> found("je suis en route, 2 places quai 12")
    []
    """
    legible = Legible.of(message)
    if not _is_possible(legible.text):
        return []
    tokens = Tokens(legible.text)
    if _BEGINNINGS.isdisjoint(tokens.folded) and not _PLACE.search(legible.text):
        return []
    return [Span(*legible.span(*ends), Kind.ADR) for ends in _Reader(tokens, known).spans()]


def _is_possible(message: str) -> bool:
    if _DIGIT.search(message):
        return True
    lowered = message.lower()
    return any(part in lowered for part in _IN_TRIGGERS)


class _Reader:
    """Reads the tokens of one message.

    A method that reads takes where to begin and returns the token behind the last one it read:
    where it began, if it found nothing.
    """

    def __init__(self, tokens: Tokens, known: KnownWords) -> None:
        self._tokens = tokens
        self._known = known
        self._at = tokens.at

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
        """Return where the address that begins here ends; i if none does."""
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
        """Leave at once the words that begin no address, nearly all of them."""
        word = self._at(i)
        if not word[:1].isdigit():
            return word in _BEGINNINGS
        if _POSTCODE.fullmatch(word) or _DEPARTMENT.fullmatch(word):
            return True
        return any(self._at(j) in _BEGINNINGS for j in range(i + 1, i + _TYPE_REACH))

    def _is_enough(self, i: int, kinds: list[str]) -> bool:
        if "numbered street" in kinds or {"postcode", "town"} <= set(kinds):
            return True
        if "street" in kinds:
            return "postcode" in kinds or self._is_announced(i)
        if "residence" in kinds:
            return len(kinds) > 1
        return ("box" in kinds and len(kinds) > 1) or kinds.count("complement") > 1

    def _is_announced(self, i: int) -> bool:
        return any(self._at(j) in TRIGGERS for j in range(i - _TRIGGER_REACH, i))

    def _behind_separator(self, i: int) -> int:
        """Step over what may stand between two elements: a comma, a dash, a full stop, "à"."""
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

    # Streets

    def _numbered_street(self, i: int) -> int:
        end = self._number(i)
        if end == i:
            return i
        begin = end + (self._at(end) == ",")
        found = self._street(begin, strict=False)
        return found if found > begin else i

    def _number(self, i: int) -> int:
        if not _NUMBER.fullmatch(self._at(i)) or self._is_decimal(i):
            return i
        end = i + 1
        if self._at(end) in ("-", "/") and _NUMBER.fullmatch(self._at(end + 1)):
            end += 2
        if self._at(end) in SUFFIXES:
            return end + 1
        # The letter of "12 b rue", not the word of "12 a partir de".
        is_letter = self._at(end) in ("a", "b", "c", "d") and self._is_street_type(
            end + 1 + (self._at(end + 1) == ",")
        )
        return end + is_letter

    def _is_street_type(self, i: int) -> bool:
        return self._at(i) in STREET_TYPES or self._at(i) in WEAK_STREET_TYPES

    def _is_decimal(self, i: int) -> bool:
        """Tell the 5 of "12,5" and of "18:05", not the street number of "porte 11,157 rue"."""
        if len(self._at(i)) > 2:
            return False
        before = self._at(i - 1) in (",", ".", ":", "/", "+") and self._tokens.is_glued(i)
        return before and self._at(i - 2).isdigit() and self._tokens.is_glued(i - 1)

    def _street(self, i: int, strict: bool) -> int:
        """Read the type and the name of a street; strictly where it has no number before it."""
        kind = self._at(i)
        if kind in ("grand", "grande") and not strict:
            return self._grand_rue(i)
        is_weak = kind in WEAK_STREET_TYPES
        if not (is_weak or kind in STREET_TYPES):
            return i
        name = self._behind_full_stop(i + 1)
        end = self._name(name, is_weak or strict)
        return end if end > name else i

    def _grand_rue(self, i: int) -> int:
        j = i + 1 + (self._at(i + 1) in ("-", "'"))
        if self._at(j) != "rue":
            return i
        end = self._name(j + 1, is_weak=True)
        return max(end, j + 1)

    def _behind_full_stop(self, i: int) -> int:
        """Step over the full stop of an abbreviation."""
        word = self._at(i - 1)
        is_short = len(word) <= _LONGEST_ABBREVIATION and word not in _WRITTEN_OUT
        return i + (is_short and self._at(i) == "." and self._tokens.is_glued(i))

    def _name(self, i: int, is_weak: bool) -> int:
        """Read the name of a street: links, a first word, and what belongs to it."""
        first = self._behind_links(i)
        if self._is_date(first):
            return first + 2 + bool(re.fullmatch(r"(?:19)?[0-9]{2}", self._at(first + 2)))
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
        is_day = re.fullmatch(r"[1-9]|[12][0-9]|3[01]|1er", self._at(i)) is not None
        return is_day and self._at(i + 1) in MONTHS

    def _behind_links(self, i: int) -> int:
        end = i
        while end < i + 5 and (self._at(end) in LINKS or self._is_apostrophe(end)):
            end += 1
        return end

    def _is_apostrophe(self, i: int) -> bool:
        return self._at(i) == "'" or (i < len(self._tokens) and self._tokens.raw[i] in "’´`")

    def _can_begin_name(self, i: int, first: int, is_weak: bool) -> bool:
        word = self._at(first)
        if not word.isalpha() or len(word) < 2 or word in UNITS or word in _NO_NAMES:
            return False
        if self._is_proper(first) or word in TITLES or word in _STREET_ADJECTIVES:
            return True
        links = {self._at(j) for j in range(i, first)} - {"'"}
        if links & {"du", "des", "les", "aux"} or {"de", "la"} <= links or {"de", "l"} <= links:
            return True
        if self._postcode(first + 1) > first + 1:
            return True
        return not is_weak and not self._known.is_frequent(word)

    def _is_proper(self, i: int) -> bool:
        """Tell a word that is a name by its capital or by the lists."""
        word = self._at(i)
        if not word:
            return False
        if self._tokens.is_capital(i) or self._known.is_name(word):
            return True
        if self._known.is_frequent(word):
            return False
        return self._known.is_town(word) or not self._known.is_word(word)

    def _further_name_word(self, i: int) -> int:
        """Return where the next word of a name ends; i if the name ends here."""
        if self._at(i) == "-" and self._tokens.is_glued(i) and self._tokens.is_glued(i + 1):
            return i + 2 if self._at(i + 1).isalnum() else i
        i_after = self._behind_full_stop(i)
        if self._tokens.is_on_new_line(i_after):
            return i
        if self._at(i) == "et" and self._known.is_first_name(self._at(i - 1)):
            return i + 2 if self._known.is_first_name(self._at(i + 1)) else i
        word = self._behind_links(i_after)
        if word > i_after:
            return word + 1 if self._can_follow_link(word) else i
        return i_after + 1 if self._can_follow(i_after) else i

    def _can_follow_link(self, i: int) -> bool:
        if not self._is_name_word(i):
            return False
        is_title = self._at(i) in TITLES or self._at(i) in GENERIC
        return is_title or self._tokens.is_capital(i) or not self._known.is_frequent(self._at(i))

    def _is_name_word(self, i: int) -> bool:
        word = self._at(i)
        if word in COMPLEMENTS or word in BOXES or word in _NO_NAMES or word == "cedex":
            return False
        return word.isalpha() and len(word) > 1

    def _can_follow(self, i: int) -> bool:
        word, before = self._at(i), self._last_word(i)
        if (_ROMAN.fullmatch(word) and self._tokens.raw[i] != word) or word == "1er":
            return True
        if not self._is_name_word(i):
            return False
        if before in TITLES:
            return True
        if before in GENERIC and self._is_proper(i):
            return True
        if self._known.is_frequent(word) and not self._known.is_name(word):
            return False
        return self._wants_more(before) or self._tokens.is_capital(i) or self._is_family_name(i)

    def _last_word(self, i: int) -> str:
        """Return the word before a token, a full stop left out."""
        return self._at(i - 2) if self._at(i - 1) == "." else self._at(i - 1)

    def _wants_more(self, before: str) -> bool:
        """Return whether a name follows: behind an initial or a first name."""
        return len(before) == 1 or self._known.is_first_name(before)

    def _is_family_name(self, i: int) -> bool:
        """Tell a second name, as in "rue Bouisson Bertrand", written in lower case."""
        return self._known.is_name(self._at(i)) and not self._known.is_word(self._at(i - 1))

    def _number_behind(self, i: int) -> int:
        """Read a number that stands behind the name: "rue des Lilas 12", "rue X au 12"."""
        j = i + (self._at(i) == ",")
        is_said = self._at(j) in ("au", "o", "n", "no", "num", "numero", "nr")
        j += is_said
        j += is_said and self._at(j) in ("°", "º", ".", "o")
        end = self._number(j)
        if end == j or self._at(end) in UNITS or self._numbered_street(j) > j:
            return i
        return end if is_said or self._is_at_a_limit(end) else i

    def _is_at_a_limit(self, i: int) -> bool:
        """Whether what stands here leaves a number alone: an end, a sign, a postcode, a town."""
        word = self._at(i)
        if not word or not word[0].isalnum():
            return word not in ("%", "€", "/", ":", "°")
        if self._tokens.is_on_new_line(i) or self._tokens.is_capital(i):
            return True
        if self._known.is_frequent(word) or self._known.is_town(word):
            return True
        return self._postcode(i) > i or word in COMPLEMENTS

    # Buildings

    def _residence(self, i: int) -> int:
        if self._at(i) not in RESIDENCES:
            return i
        begin = self._behind_full_stop(i + 1)
        # "Le Parc", "La Colline": behind a street type such names are none.
        begin += self._at(begin) in ("le", "la") and self._is_name_word(begin + 1)
        end = self._name(begin, is_weak=False) if self._at(begin) not in GENERIC else begin + 1
        return end if end > begin else i

    def _numbered_residence(self, i: int) -> int:
        name = self._residence(i)
        behind = self._number_behind(name) if name > i else name
        return behind if behind > name else i

    def _complement(self, i: int) -> int:
        if self._at(i) == "rdc":
            return i + 1
        if _ORDINAL.fullmatch(self._at(i)) and self._at(i + 1) in ("etage", "etg"):
            return i + 2
        if self._at(i) not in COMPLEMENTS:
            return i
        begin = self._behind_full_stop(i + 1)
        begin += self._at(begin) in ("n", "no", "numero")
        begin += self._at(begin) == "°"
        return begin + 1 if self._is_complement_value(begin) else i

    def _is_complement_value(self, i: int) -> bool:
        value = self._at(i)
        if _PLAIN_NUMBER.fullmatch(value):
            return self._at(i + 1) not in UNITS
        if not re.fullmatch("[a-z][0-9]{0,3}", value) or self._is_apostrophe(i + 1):
            return False
        return self._tokens.raw[i] != value or len(value) > 1 or self._is_closed(i + 1)

    def _is_closed(self, i: int) -> bool:
        """Tell the letter of "bat b, 3e étage" from the word of "bat a côté"."""
        word = self._at(i)
        opens = self._postcode(i) > i or word in COMPLEMENTS or word[:1].isdigit()
        return opens or not word or not word[0].isalnum()

    def _box(self, i: int) -> int:
        if self._at(i) not in BOXES or not re.fullmatch("[0-9]{2,6}", self._at(i + 1)):
            return i
        return i + 2

    # Postcode and town

    def _place(self, i: int, before: list[_Element]) -> _Element | None:
        kinds = {element.kind for element in before}
        if "postcode" in kinds:
            return None if "town" in kinds or not self._was_postcode(before) else self._town_of(i)
        end = self._postcode(i)
        if end > i and (before or self._looks_like_town(end) or self._known_town(end) > end):
            return _Element("postcode", end)
        if "town" in kinds or not before:
            return None
        return self._town_without_postcode(i)

    def _was_postcode(self, before: list[_Element]) -> bool:
        return before[-1].kind == "postcode"

    def _postcode(self, i: int) -> int:
        end = i
        if _POSTCODE.fullmatch(self._at(i)):
            end = i + 1
        elif _DEPARTMENT.fullmatch(self._at(i)) and re.fullmatch("[0-9]{3}", self._at(i + 1)):
            end = i + 2
        return i if self._at(end) in UNITS or self._at(end) == "€" else end

    def _town_of(self, i: int) -> _Element | None:
        """Read the town behind a postcode, known or not."""
        end = self._known_town(i)
        if end == i:
            end = self._unknown_town(i)
        return _Element("town", self._behind_town(i, end)) if end > i else None

    def _town_without_postcode(self, i: int) -> _Element | None:
        begin = i + (self._at(i) == "a")
        if self._looks_like_town(begin):
            return _Element("town", self._behind_town(begin, self._rest_of_town(begin + 1)))
        end = self._known_town(begin)
        is_word = self._known.is_frequent(self._at(begin)) and end == begin + 1
        if end == begin or (is_word and not self._tokens.is_capital(begin)):
            return None
        return _Element("town", self._behind_town(begin, end))

    def _looks_like_town(self, i: int) -> bool:
        """Tell Trifouilly-les-Oies and Saint Glinglin, which no list needs to hold."""
        if self._at(i) in ("saint", "sainte"):
            return self._at(i + 1) == "-" or self._is_proper(i + 1)
        joins = self._at(i + 1) == "-" and self._at(i + 3) == "-"
        return joins and self._at(i).isalpha() and self._at(i + 2) in _TOWN_LINKS

    def _known_town(self, i: int) -> int:
        """Return where the longest town of the lists that begins here ends."""
        for end in range(min(i + _MOST_TOWN_TOKENS, len(self._tokens)), i, -1):
            words = [self._at(j) for j in range(i, end) if self._at(j) not in ("-", "'")]
            if all(word.isalpha() for word in words) and self._is_town(words):
                return end
        return i

    def _is_town(self, words: list[str]) -> bool:
        full = ["saint" if word == "st" else "sainte" if word == "ste" else word for word in words]
        return self._known.is_town("-".join(full).replace("-l-", "-l'").replace("-d-", "-d'"))

    def _unknown_town(self, i: int) -> int:
        first = i + (self._at(i) in ("le", "la", "les", "l"))
        first += self._is_apostrophe(first)
        if not self._at(first).isalpha() or self._tokens.is_on_new_line(first + 1):
            return i
        is_saint = self._at(first) in ("saint", "sainte", "st", "ste")
        is_common = self._known.is_frequent(self._at(first)) and not self._is_proper(first)
        if is_common and not is_saint:
            return i
        return self._rest_of_town(first + 1)

    def _rest_of_town(self, i: int) -> int:
        """Read on while hyphens or little words bind: Castelnau-le-Lez, Aix en Provence."""
        end = i
        for _ in range(_MOST_TOWN_TOKENS):
            if self._at(end) == "-" and self._tokens.is_glued(end) and self._at(end + 1).isalpha():
                end += 2 + 2 * self._is_apostrophe(end + 2)
            elif self._at(end - 1) in _TOWN_LINKS and self._can_follow_link(end):
                end += 1
            elif self._at(end) in _TOWN_LINKS and self._is_proper(self._behind_town_links(end)):
                end = self._behind_town_links(end) + 1
            else:
                break
        return end

    def _behind_town_links(self, i: int) -> int:
        end = i
        while end < i + 3 and (self._at(end) in _TOWN_LINKS or self._is_apostrophe(end)):
            end += 1
        return end

    def _behind_town(self, i: int, end: int) -> int:
        """Read what follows a town: a district of Paris, CEDEX and its number."""
        if self._at(i) in _CITIES_WITH_DISTRICTS and _DISTRICT.fullmatch(self._at(end)):
            end += self._at(end + 1) not in UNITS and not self._tokens.is_glued(end + 1)
        if self._at(end) == "cedex":
            end += 1
            end += bool(re.fullmatch("[0-9]{1,2}", self._at(end)))
        return end


# Words behind a number and a street type that say where, and name no street: "2 rue d'ici".
_NO_NAMES = words_of(
    """
    plus ici la cote derriere devant apres avant chez moi toi lui barree ou est et qui que
    quoi sens ciel autre autres meme dessus dessous droite gauche merde ouf fou
    """
)
