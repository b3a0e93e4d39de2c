"""Streets of postal addresses: a number, the type of the street, its name.

Every name is short, so the time is linear in the length of the message.
"""

import re
from dataclasses import dataclass
from functools import cache

from triage.dictionaries.address_words import KnownWords, Tokens
from triage.dictionaries.pack import Section
from triage.dictionaries.recognisers.recogniser import any_of

_MOST_NAME_WORDS = 7
_LONGEST_ABBREVIATION = 5
_DAY = re.compile(r"[1-9]|[12][0-9]|3[01]")
_YEAR = re.compile("(?:19)?[0-9]{2}")
_ROMAN = re.compile("[ivx]{1,4}")
_LETTERS = ("a", "b", "c", "d")


@dataclass(frozen=True, slots=True)
class _Forms:
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


class StreetReader:
    """Reads streets, and the names and postcodes that all parts of an address share."""

    def __init__(self, tokens: Tokens, known: KnownWords) -> None:
        self._tokens = tokens
        self._known = known
        self.words = known.words
        self.forms = _forms(known.words)
        self._at = tokens.at

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
        return self._at(i) in self.words.street_types or self._at(i) in self.words.weak_street_types

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

    # Names

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

    # Postcodes

    def _postcode(self, i: int) -> int:
        end = i
        if self.forms.postcode.fullmatch(self._at(i)):
            end = i + 1
        elif self.forms.postcode_start.fullmatch(self._at(i)) and re.fullmatch(
            "[0-9]{3}", self._at(i + 1)
        ):
            end = i + 2
        return i if self._at(end) in self.words.units or self._at(end) == "€" else end
