"""Traces of what was replaced: the ways in which a word can give a replaced spelling away.

Each distinct word is compared once with all that was replaced, in time that grows with the length
of the word alone; what depends on the words beside it is decided where it stands.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from triage.dictionaries import Kind, Label, LabelledWord, Labeller
from triage.dictionaries.address_words import KnownWords, street_types
from triage.dictionaries.edits import NameVariants, OneEdit
from triage.dictionaries.normal import folded

from ..vocabulary import IdentifierType
from .comparison import NO_SPELLINGS, Sought, Whole
from .entity import canonical


class Trace(StrEnum):
    """The ways in which something is found; the value tells a person."""

    SAME = "a spelling that was replaced elsewhere"
    VARIANT = "a variant of a spelling that was replaced"
    MISSPELT = "a spelling that was replaced, with one letter changed"
    ALIKE = "a spelling that was replaced, with two letters changed"
    GLUED = "a spelling that was replaced, joined to another word"
    HANDLE = "a handle that holds a spelling that was replaced"
    INITIALS = "initials of a full name that was replaced"
    ADDRESS = "part of an address that was replaced"
    NUMBER = "a number that was replaced, or may be a telephone number"
    FORM = "an identifier known by its form"
    EVIDENCE = "a word that stands where names stand"
    NAME = "a name of the dictionaries"


class Match(NamedTuple):
    """A trace, and the spelling that was replaced; empty where none was."""

    trace: Trace
    spelling: str = ""


_SHORTEST_GLUED, _LONGEST_GLUED = 4, 30
_SHORTEST_REST = 2
_SHORTEST_MISSPELT = 4
_COMMON = (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
_SHORTEST_STREET = 3
_POSTCODE = 5
_NO_LETTERS = re.compile(r"[\W\d_]+")


class Traces:
    """Finds what a word has in common with what was replaced."""

    def __init__(self, sought: Sought, labeller: Labeller) -> None:
        self._sought = sought
        self._lexicon = labeller.lexicon
        words = {
            folded(word.text): word.label
            for word in labeller.label([*sought.spellings]).labels
            if word.kind is Kind.WORD
        }
        counts = {word: sought.spellings[word] for word in words if word in sought.spellings}
        # A common word that was replaced once may have been a mistake.
        names = {word: n for word, n in counts.items() if n > 1 or words[word] not in _COMMON}
        self._names = {word for word in names if words[word] is not Label.ANTI_DICTIONARY}
        self._canonical = {self._of_entity(name): name for name in sorted(self._names)}
        self._counts = counts
        long_names = (name for name in sorted(names) if len(name) >= _SHORTEST_MISSPELT)
        self._misspelt = OneEdit(long_names, shortest=_SHORTEST_MISSPELT - 1)
        self._alike = NameVariants({name: float(n) for name, n in names.items()})
        known = KnownWords.of(labeller.lexicon)
        types = street_types(known.words)
        self._streets = {word for whole in sought.wholes for word in _street_words(whole, known)}
        self.initials = {
            (first[0], last[0])
            for whole in sought.wholes
            if not types.intersection(whole)
            for first, last in pairwise(whole)
            if first.isalpha() and last.isalpha()
        }
        self.first_initials = {first for first, _ in self.initials} - {"m"}
        self.last_initials = {last for _, last in self.initials} - {"a", "y"}

    def _of_entity(self, word: str) -> str:
        return canonical(word, IdentifierType.PRE, self._lexicon)

    def of(self, word: LabelledWord) -> Match | None:
        """Return how a word, by itself, gives away what was replaced, or that it is a name."""
        if word.kind in NO_SPELLINGS:
            return None
        written = folded(word.text)
        if written in self._sought.spellings:
            return Match(Trace.SAME, written)
        if written in self._sought.inserted:
            return None
        if word.kind.is_identifier:
            return Match(Trace.FORM)
        if written in self._streets:
            return Match(Trace.ADDRESS, written)
        if word.kind is not Kind.WORD:
            return None
        return next(self._found(word, written), None)

    def _found(self, word: LabelledWord, written: str) -> Iterator[Match]:
        # A word of the language may be a mistyped name, and nothing else.
        is_word = word.label is Label.ANTI_DICTIONARY and not word.rule
        if not is_word and (spelling := self._canonical.get(self._of_entity(written))) is not None:
            yield Match(Trace.VARIANT, spelling)
        if any(map(str.isdigit, written)):
            if spelling := self._held(written):
                yield Match(Trace.HANDLE, spelling)
        elif not is_word and (spelling := self._glued(written)):
            yield Match(Trace.GLUED, spelling)
        if near := self._misspelt(written):
            yield Match(Trace.MISSPELT, max(near, key=self._counts.__getitem__))
        if spelling := self._alike(written):
            yield Match(Trace.ALIKE, spelling)
        if word.label is Label.DICTIONARY:
            yield Match(Trace.NAME)

    def _glued(self, written: str) -> str:
        """Return the name that a word begins or ends with, beside a common word or a hyphen."""
        if not _SHORTEST_GLUED + _SHORTEST_REST <= len(written) <= _LONGEST_GLUED:
            return ""
        for at in range(_SHORTEST_REST, len(written) - _SHORTEST_REST + 1):
            head, tail = written[:at], written[at:]
            for name, rest in ((tail, head), (head, tail)):
                bare = name.strip("-'")
                is_name = len(bare) >= _SHORTEST_GLUED and bare in self._names
                if is_name and (bare != name or self._is_common(rest.strip("-'"))):
                    return bare
        return ""

    def _is_common(self, word: str) -> bool:
        lists = self._lexicon.exact.get(word) | self._lexicon.folded.get(word)
        return bool(lists & self._lexicon.common)

    def _held(self, written: str) -> str:
        """Return a name that stands in a handle, a long one rather."""
        for letters in _NO_LETTERS.split(written[:_LONGEST_GLUED]):
            n = len(letters)
            spans = ((a, b) for a in range(n) for b in range(n, a + _SHORTEST_GLUED - 1, -1))
            for start, end in spans:
                if letters[start:end] in self._names:
                    return letters[start:end]
        return ""


def _street_words(whole: Whole, known: KnownWords) -> Iterator[str]:
    """Yield the words of an address that tell which one it is, its postcode among them."""
    words = known.words
    if not street_types(words).intersection(whole):
        return
    no_names = street_types(words) | words.links | words.titles
    no_names |= words.complements | words.residences
    postcode = next((i for i, word in enumerate(whole) if _is_postcode(word)), None)
    telling = [word for word in whole[:postcode] if word.isalpha() and word not in no_names]
    if postcode is not None:
        yield whole[postcode]
    elif len(telling) > 1 and known.is_town(telling[-1]):
        telling.pop()
    yield from (word for word in telling if len(word) >= _SHORTEST_STREET)


def _is_postcode(word: str) -> bool:
    return word.isdecimal() and len(word) == _POSTCODE
