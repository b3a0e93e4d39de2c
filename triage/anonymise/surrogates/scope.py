"""Surrogates of a scope, none twice and none of the corpus, and the words that are made up."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold, without_runs

from ..keys import Keyed
from .pools import Pool

Writer = Callable[[str], str]
"""Writes a surrogate as its identifier is written."""

_SEPARATORS = re.compile(r"[\W_]+")
_LONGEST_WORD = 30
# So often a word of a length is tried before a longer one is.
_TRIES = 30

_CONSONANTS, _VOWELS = "bcdfgjlmnprstv", "aeiou"
# What a word that is made up ends in, so that it reads like one of its kind.
MALE = ("el", "in", "ien", "ot", "an", "ic")
FEMALE = ("elle", "ine", "ette", "ia", "anne")
NICKNAME = ("ou", "i", "o", "inou", "ette")
LAST_NAME = ("ard", "ier", "eau", "el", "in", "on")
TOWN = ("ac", "an", "y", "ville", "ens", "ieu")
BRAND = ("ix", "ora", "ium", "eo", "is")
STREET = ("iers", "ettes", "ines", "els")
PLAIN = ("",)


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """Return a text's letters and digits, without case and accents.

    Examples
    --------
    >>> plain("06 39-98"), plain("Zoé")
    ('063998', 'zoe')
    """
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 16)
def bare(word: str) -> str:
    """Return a word so that its stretched forms are one with it.

    Examples
    --------
    >>> bare("Zoééééé"), bare("Emma")
    ('zoe', 'ema')
    """
    return without_runs(plain(word))


class CorpusWords:
    """The words of a corpus and their parts, as surrogates are compared with them."""

    def __init__(self, words: Iterable[str]) -> None:
        self.plain: set[str] = set()
        for word in words:
            self.plain.add(plain(word))
            self.plain.update(plain(part) for part in _SEPARATORS.split(word) if part != word)
        self.bare = {bare(word) for word in self.plain}


@dataclass(frozen=True)
class Slot:
    """A word to be invented.

    Parameters
    ----------
    purpose : tuple of str
        One purpose, one word.
    length : int
        About so long.
    pool : Pool, optional
        To draw it from.
    classes : tuple of str
        Of the pool, the best one first.
    endings : tuple of str
        Of a word that is made up where the pool is used up.
    """

    purpose: tuple[str, ...]
    length: int
    pool: Pool | None = None
    classes: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = PLAIN


class Scope:
    """The surrogates of a scope, in which no two may be the same.

    A word that is made up is in none of the lists of the lexicon.
    """

    def __init__(self, key: bytes, lexicon: Lexicon, corpus: CorpusWords) -> None:
        self.key = key
        self.lexicon = lexicon
        self._corpus = corpus
        self._taken: set[str] = set()
        self._codes: set[str] = set()
        self._words: dict[tuple[str, ...], str] = {}
        self._used_up: set[str] = set()

    def take(self, word: str) -> bool:
        """Take a word if it is free, however it is stretched; return whether it was."""
        key = bare(word)
        free = bool(key) and key not in self._corpus.bare and key not in self._taken
        if free:
            self._taken.add(key)
        return free

    def take_code(self, code: str) -> bool:
        """Take a number or a code if it is free; return whether it was."""
        key = plain(code)
        free = bool(key) and key not in self._corpus.plain and key not in self._codes
        if free:
            self._codes.add(key)
        return free

    def take_codes(self, codes: Iterable[str]) -> bool:
        """Take all ways in which a code is written if they are free; return whether they were."""
        keys = {plain(code) for code in codes}
        free = "" not in keys and keys.isdisjoint(self._codes)
        free = free and keys.isdisjoint(self._corpus.plain)
        if free:
            self._codes |= keys
        return free

    def word(self, slot: Slot) -> str:
        """Return the word of a slot, the same one whenever it is asked for."""
        if slot.purpose not in self._words:
            self._words[slot.purpose] = self._draw(slot) or self._make_up(slot)
        return self._words[slot.purpose]

    def _draw(self, slot: Slot) -> str:
        """Draw a word from the pool; return nothing where none of about this length is left."""
        for name, words in slot.pool.near(slot.classes, slot.length) if slot.pool else ():
            if name in self._used_up:
                continue
            start = Keyed(self.key, "surrogate", name, *slot.purpose).below(len(words))
            for word in words[start:] + words[:start]:
                if self.take(word):
                    return word
            self._used_up.add(name)
        return ""

    def _make_up(self, slot: Slot) -> str:
        keyed = Keyed(self.key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(slot.length, 1), _LONGEST_WORD) + attempt // _TRIES
            word = pronounceable(keyed, length, slot.endings)
            listed = self.lexicon.exact.get(word) or self.lexicon.folded.get(word)
            if not listed and self.take(word):
                break
        return word


def pronounceable(keyed: Keyed, length: int, endings: tuple[str, ...] = PLAIN) -> str:
    """Make up a pronounceable word in small letters, with one of the endings if it has room.

    Examples
    --------
    >>> len(pronounceable(Keyed(b"key"), 7, TOWN))
    7
    """
    ending = endings[keyed.below(len(endings))]
    if length < len(ending) + 2:
        ending = ""
    letters: list[str] = []
    vowel = not ending or ending[0] not in _VOWELS + "y"
    while len(letters) + len(ending) < length:
        letters.append(keyed.of(_VOWELS if vowel else _CONSONANTS))
        vowel = not vowel
    return "".join(reversed(letters)) + ending
