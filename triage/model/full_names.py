"""Last names beside a first name that is certain: *lucas poilpray*, *Le Goff Marie*.

What stands there reads as a name unless it is a common word; in lower case a list must hold it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, LabelledMessages, LabelledWord, Lexicon
from triage.dictionaries.lexicon import ALL_LAST_NAMES, COMMON, FIRST_NAMES, LAST_NAMES
from triage.dictionaries.normal import folded

from ..vocabulary import CERTAIN_FROM, SUSPECT_FROM

_BEFORE, _BEHIND = -1, 1
_MOST_PARTICLES = 2
_SHORTEST = 3


class LastName(NamedTuple):
    """The words of a last name, by their places in the table of words, and the name beside it."""

    first: int
    last: int
    beside: int


def last_names(labelled: LabelledMessages, evidence: NDArray[np.float64]) -> list[LastName]:
    """Return the last names that stand beside first names that are certain."""
    reader = _Reader(labelled)
    strong = evidence >= CERTAIN_FROM
    found = [
        one
        for name in np.flatnonzero(evidence >= SUSPECT_FROM).tolist()
        if reader.is_first_name(name)
        for one in (reader.behind(name), reader.before(name))
        if one and (strong[name] or reader.is_no_word(one.last))
    ]
    return [one for one in found if not strong[one.first : one.last + 1].all()]


class _Reader:
    """Reads the words of messages beside one another."""

    def __init__(self, labelled: LabelledMessages) -> None:
        self._table, self._labels = labelled.words, labelled.labels
        self._messages = labelled.messages
        self._lists = _Lists(labelled.lexicon)
        self._particles = labelled.lexicon.pack.titles.particles

    def is_first_name(self, place: int) -> bool:
        return self._lists.is_first_name(self._word(place))

    def is_no_word(self, place: int) -> bool:
        """Return whether a word is a last name and nothing else by the lists."""
        return self._lists.is_last_name_alone(self._word(place))

    def behind(self, name: int) -> LastName | None:
        """Return the last name behind a first name, with its particles."""
        first = at = name + 1
        while at < first + _MOST_PARTICLES and self._is_particle(at):
            at += 1
        if self._are_joined(name, at) and self._lists.is_last_name(self._word(at), _BEHIND):
            return LastName(first, at, name)
        return None

    def before(self, name: int) -> LastName | None:
        """Return the last name before a first name, with its particles."""
        last = first = name - 1
        if last < 0 or not self._are_joined(last, name):
            return None
        if not self._lists.is_last_name(self._word(last), _BEFORE):
            return None
        while last - first < _MOST_PARTICLES and first > 0 and self._is_particle(first - 1):
            if not self._are_joined(first - 1, last):
                break
            first -= 1
        return LastName(first, last, name)

    def _word(self, place: int) -> LabelledWord:
        found: LabelledWord = self._labels[self._table.form[place]]
        return found

    def _is_particle(self, place: int) -> bool:
        is_there = place < len(self._table.form)
        return is_there and self._word(place).text.lower() in self._particles

    def _are_joined(self, first: int, last: int) -> bool:
        """Return whether words follow each other in a message, a space or a hyphen between them."""
        message = self._table.message
        if last >= len(message) or message[first] != message[last]:
            return False
        text = self._messages[message[first]]
        return all(self._gap(text, place) in ("", " ", "-") for place in range(first, last))

    def _gap(self, text: str, place: int) -> str:
        end = self._table.start[place] + len(self._word(place).text)
        return text[end : self._table.start[place + 1]]


class _Lists:
    """Tells names from words by the lists of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        def bits(*names: str) -> int:
            return sum(lexicon.bit.get(name, 0) for name in names)

        self._lexicon = lexicon
        self._first, self._last = bits(*FIRST_NAMES), bits(*LAST_NAMES, ALL_LAST_NAMES)
        self._common = bits("commonest_forms", "sms_forms")
        self._frequent = bits(*COMMON, "commonest_forms")
        self._places = bits("cities", "countries", "places")

    def is_first_name(self, word: LabelledWord) -> bool:
        return word.kind in (Kind.WORD, Kind.NAME) and bool(word.lists & self._first)

    def is_last_name(self, word: LabelledWord, side: int) -> bool:
        """Return whether a word reads as a last name before or behind a first name."""
        if word.kind is not Kind.WORD or len(word.text) < _SHORTEST or word.text[-1] in "'’":
            return False
        lists = self._held(word)
        is_capital = word.text[0].isupper()
        if side == _BEHIND and is_capital:
            return not lists & self._common
        is_possible = side == _BEHIND or is_capital
        other = self._frequent | (0 if is_capital else self._places)
        return is_possible and bool(lists & self._last) and not lists & other

    def is_last_name_alone(self, word: LabelledWord) -> bool:
        lists = self._held(word)
        return bool(lists & self._last) and not lists & self._lexicon.anti_dictionary

    def _held(self, word: LabelledWord) -> int:
        plain = folded(word.text)
        return word.lists | self._lexicon.exact.get(plain) | self._lexicon.folded.get(plain)


def within(names: Sequence[LastName]) -> Iterator[int]:
    """Yield the places of all words of some last names."""
    for one in names:
        yield from range(one.first, one.last + 1)
