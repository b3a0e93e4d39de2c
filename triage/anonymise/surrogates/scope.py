"""Surrogates of a scope, none twice: words drawn from pools or made up, and codes.

The key says which of the words that are alike stands for a name, and whose choice comes first: the
order of messages does not. A word that somebody has, or that is replaced itself, is passed over.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import count
from math import gcd

from triage.dictionaries import Lexicon

from ..keys import Keyed, digest
from .pools import NO_WORDS, Alike, Pool, bare, plain, sound

Writer = Callable[[str], str]
"""Writes a surrogate as its identifier is written."""

# Shorter words that are made up are mostly words.
_SHORTEST_WORD, _LONGEST_WORD = 5, 30
# So often a word of a length is tried before a longer one is.
_TRIES = 30
_CONSONANTS, _VOWELS = "bcdfgjlmnprstv", "aeiou"


@dataclass(frozen=True)
class Slot:
    """A word to be invented: whose it is, and what it is to be like."""

    purpose: tuple[str, ...]
    name: str
    pool: Pool = NO_WORDS
    kinds: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Corpus:
    """What stands in a corpus: its words, and those of the identifiers that are replaced."""

    words: Set[str]
    replaced: Set[str]


class Scope:
    """The surrogates of a scope, in which no two may be the same."""

    def __init__(self, key: bytes, lexicon: Lexicon, corpus: Corpus) -> None:
        self.key = key
        self.lexicon = lexicon
        self._corpus = corpus
        self._taken: set[str] = set()
        self._words: dict[tuple[str, ...], str] = {}
        self._used_up: set[tuple[Pool, Alike]] = set()

    def take(self, *codes: str) -> bool:
        """Take all ways in which a code is written if they are free; return whether they were."""
        forms = {*map(plain, codes)}
        free = all(forms) and forms.isdisjoint(self._taken) and forms.isdisjoint(self._corpus.words)
        if free:
            self._taken |= forms
        return free

    def give(self, word: str, slot: Slot | None = None) -> None:
        """Give a word to a slot, or away, whether or not it is free."""
        self._taken |= {bare(word), plain(word)}
        if slot:
            self._words[slot.purpose] = word

    def reserve(self, slots: Iterable[Slot]) -> None:
        """Choose the words of slots, in an order that neither the corpus nor the alphabet says."""

        def place(slot: Slot) -> tuple[bytes, str, tuple[str, ...], tuple[str, ...]]:
            return digest(self.key, "order", *slot.purpose), slot.name, slot.kinds, slot.endings

        for slot in sorted(slots, key=place):
            self.word(slot)

    def word(self, slot: Slot) -> str:
        """Return the word of a slot, the same one whenever it is asked for."""
        if slot.purpose not in self._words:
            self.give(next(filter(self._is_free, self._candidates(slot))), slot)
        return self._words[slot.purpose]

    def words(self, parts: Iterable[Slot | str]) -> list[str]:
        """Return the words of slots; as they are, those that stay."""
        return [part if isinstance(part, str) else self.word(part) for part in parts]

    def holds(self, slot: Slot) -> bool:
        """Return whether the word of a slot was asked for."""
        return slot.purpose in self._words

    def code(self, purpose: Sequence[str], make: Callable[[Keyed, int], str]) -> str:
        """Return the first free one of the codes that are made of keyed choices, one each try."""
        for attempt in count():
            found = make(Keyed(self.key, *purpose, str(attempt)), attempt)
            if self.take(found):
                break
        return found

    def _is_free(self, word: str) -> bool:
        """Return whether a word, however stretched, is nobody's surrogate and not replaced."""
        key = bare(word)
        return bool(key) and not (
            key in self._corpus.replaced or key in self._taken or plain(word) in self._taken
        )

    def _candidates(self, slot: Slot) -> Iterator[str]:
        """Yield the words that may stand for a name, the best ones first, without end."""
        keyed = Keyed(self.key, "name", *slot.purpose)
        for alike in slot.pool.alike(slot.name, slot.kinds):
            if (slot.pool, alike) not in self._used_up:
                yield from _in_turn(slot.pool.words(alike), keyed)
                self._used_up.add((slot.pool, alike))
        keyed = Keyed(self.key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(len(slot.name), _SHORTEST_WORD), _LONGEST_WORD) + attempt // _TRIES
            word = pronounceable(keyed, length, slot.endings, begins=sound(slot.name))
            listed = self.lexicon.exact.get(word) or self.lexicon.folded.get(word)
            if not listed and word not in self._corpus.words:
                yield word


def _in_turn(words: Sequence[str], keyed: Keyed) -> Iterator[str]:
    """Yield all of some words, from a keyed place on, in keyed steps."""
    n = len(words)
    if n:
        start, step = keyed.below(n), 1 + keyed.below(n)
        while gcd(step, n) > 1:
            step += 1
        yield from (words[(start + i * step) % n] for i in range(n))


def pronounceable(
    keyed: Keyed, length: int, endings: tuple[str, ...] = ("",), *, begins: str = ""
) -> str:
    """Make up a pronounceable word in small letters, with one of the endings if it has room."""
    ending = endings[keyed.below(len(endings))]
    if length < len(ending) + 2:
        ending = ""
    letters: list[str] = []
    vowel = not ending or ending[0] not in _VOWELS + "y"
    while len(letters) + len(ending) < length:
        letters.append(keyed.of(_VOWELS if vowel else _CONSONANTS))
        vowel = not vowel
    is_vowel = letters[-1] in _VOWELS if letters else ending[:1] in _VOWELS
    if begins == "h":
        letters[-1:] = ["h"] if not is_vowel else [letters[-1], "h"]
    elif begins and is_vowel is not (begins == "vowel"):
        letters.append(keyed.of(_CONSONANTS if is_vowel else _VOWELS))
    return "".join(reversed(letters)) + ending
