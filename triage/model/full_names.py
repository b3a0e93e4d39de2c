"""Last names beside a first name that is certain: *lucas poilpray*, *Le Goff Marie*.

What stands there reads as a name unless it is a common word; in lower case a list must hold it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, LabelledMessages, LabelledWord
from triage.dictionaries.lexicon import ALL_LAST_NAMES, COMMON, FIRST_NAMES, LAST_NAMES
from triage.dictionaries.normal import folded

from ..vocabulary import CERTAIN_FROM, SUSPECT_FROM

_MOST_PARTICLES = 2
_SHORTEST = 3
_JOINTS = ("", " ", "-")


class LastName(NamedTuple):
    """The words of a last name, by their places in the table of words, and the name beside it."""

    first: int
    last: int
    beside: int


class Neighbours:
    """Reads the words of messages beside one another."""

    def __init__(self, labelled: LabelledMessages) -> None:
        self._table, self._labels = labelled.words, labelled.labels
        self._messages = labelled.messages

    def word(self, place: int) -> LabelledWord:
        found: LabelledWord = self._labels[self._table.form[place]]
        return found

    def text(self, place: int) -> str:
        """Return a word as it is written; a full stop where there is none."""
        return self.word(place).text if 0 <= place < len(self._table.form) else "."

    def gap(self, place: int) -> str | None:
        """Return what stands between a word and the next; None where they share no message."""
        message = self._table.message
        if not 0 <= place < len(message) - 1 or message[place] != message[place + 1]:
            return None
        end = self._table.start[place] + len(self.text(place))
        text: str = self._messages[message[place]]
        return text[end : self._table.start[place + 1]]

    def around(self, place: int) -> tuple[str, str]:
        """Return what stands before a word in its message, and behind it."""
        text: str = self._messages[self._table.message[place]]
        start = int(self._table.start[place])
        return text[:start], text[start + len(self.text(place)) :]


def last_names(labelled: LabelledMessages, evidence: NDArray[np.float64]) -> list[LastName]:
    """Return the last names that stand beside first names that are certain."""
    reader, strong = _Reader(labelled), evidence >= CERTAIN_FROM
    return [
        one
        for name in np.flatnonzero(evidence >= SUSPECT_FROM).tolist()
        if reader.is_first_name(reader.word(name))
        for one in (reader.behind(name), reader.before(name))
        if one and (strong[name] or reader.is_last_name_alone(reader.word(one.last)))
        if not strong[one.first : one.last + 1].all()
    ]


def within(names: list[LastName]) -> list[int]:
    """Return the places of all words of some last names."""
    return [place for one in names for place in range(one.first, one.last + 1)]


class _Reader(Neighbours):
    """Tells names from words by the lists of a lexicon, and reads last names beside first ones."""

    def __init__(self, labelled: LabelledMessages) -> None:
        super().__init__(labelled)
        self._lexicon = lexicon = labelled.lexicon

        def bits(*names: str) -> int:
            return sum(lexicon.bit.get(name, 0) for name in names)

        self._first, self._last = bits(*FIRST_NAMES), bits(*LAST_NAMES, ALL_LAST_NAMES)
        self._common = bits("commonest_forms", "sms_forms")
        self._frequent = bits(*COMMON, "commonest_forms")
        self._places = bits("cities", "countries", "places")
        self._particles = lexicon.pack.titles.particles

    def behind(self, name: int) -> LastName | None:
        at = name + 1
        while at <= name + _MOST_PARTICLES and self.text(at).lower() in self._particles:
            at += 1
        is_joined = all(self.gap(place) in _JOINTS for place in range(name, at))
        is_name = is_joined and self._is_last_name(self.word(at), is_behind=True)
        return LastName(name + 1, at, name) if is_name else None

    def before(self, name: int) -> LastName | None:
        last = first = name - 1
        is_joined = self.gap(last) in _JOINTS
        if not (is_joined and self._is_last_name(self.word(last), is_behind=False)):
            return None
        while last - first < _MOST_PARTICLES and self.text(first - 1).lower() in self._particles:
            if self.gap(first - 1) not in _JOINTS:
                break
            first -= 1
        return LastName(first, last, name)

    def is_first_name(self, word: LabelledWord) -> bool:
        return word.kind in (Kind.WORD, Kind.NAME) and bool(word.lists & self._first)

    def _is_last_name(self, word: LabelledWord, *, is_behind: bool) -> bool:
        """Return whether a word reads as a last name before or behind a first name."""
        if word.kind is not Kind.WORD or len(word.text) < _SHORTEST or word.text[-1] in "'’":
            return False
        lists, is_capital = self._held(word), word.text[0].isupper()
        if is_behind and is_capital:
            return not lists & self._common
        other = self._frequent | (0 if is_capital else self._places)
        return (is_behind or is_capital) and bool(lists & self._last) and not lists & other

    def is_last_name_alone(self, word: LabelledWord) -> bool:
        lists = self._held(word)
        return bool(lists & self._last) and not lists & self._lexicon.anti_dictionary

    def _held(self, word: LabelledWord) -> int:
        plain = folded(word.text)
        return word.lists | self._lexicon.exact.get(plain) | self._lexicon.folded.get(plain)
