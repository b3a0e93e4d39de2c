"""Surrogates of a scope, none twice, and the words that are made up.

A name of the lists has the place of another one in its ring, turned by the key; what is in no list
enters a ring where its own keyed hash stands. Neither depends on what else a corpus holds, unless
somebody has the place, or a sender who alone writes the name also writes its surrogate.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice

from triage.dictionaries import Lexicon

from ..entity import TOKEN, Spelling
from ..keys import Keyed, digest
from .comparing import bare, plain
from .pools import Pool, sound

Writer = Callable[[str], str]
"""Writes a surrogate as its identifier is written."""

# Shorter words that are made up are mostly words.
_SHORTEST_WORD, _LONGEST_WORD = 5, 30
# So often a word of a length is tried before a longer one is.
_TRIES = 30

_CONSONANTS, _VOWELS = "bcdfgjlmnprstv", "aeiou"
PLAIN = ("",)


class Neighbours:
    """The identifiers in the messages of each known sender."""

    def __init__(self, spellings: Iterable[Spelling]) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)
        for one in spellings:
            if one.sender:
                self._names[one.sender].add(bare(one.text))
                self._names[one.sender].update(map(bare, TOKEN.findall(one.text)))

    def have(self, word: str, sender: str) -> bool:
        """Return whether a word, however stretched, is an identifier in a sender's messages."""
        return sender in self._names and bare(word) in self._names[sender]


@dataclass(frozen=True)
class Slot:
    """A word to be invented."""

    purpose: tuple[str, ...]
    name: str
    pool: Pool | None = None
    kinds: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = PLAIN

    @property
    def is_listed(self) -> bool:
        """Return whether the pool holds the name itself."""
        return self.pool is not None and self.name in self.pool.ring_of


@dataclass
class Wanted:
    """A slot, the spellings that it stands for, and the senders of the messages that hold them."""

    slot: Slot
    own: set[str] = field(default_factory=set)
    senders: set[str] = field(default_factory=set)

    @property
    def sender(self) -> str:
        """The one who alone writes them; empty for several, or if nobody knows."""
        return next(iter(self.senders)) if len(self.senders) == 1 else ""


class Rings:
    """The order of the names of each ring, which follows from a key alone."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._orders: dict[tuple[str, str], list[tuple[bytes, str]]] = {}
        self._places: dict[tuple[str, str], dict[str, int]] = {}

    def after(self, pool: Pool, name: str, turn: Callable[[str, int], int]) -> Iterator[str]:
        """Yield the names of the ring that holds one, from another one's place on."""
        ring = pool.ring_of[name]
        order = self._order(pool, ring)
        at = self._places[pool.name, ring][bare(name)] + turn(ring, len(order))
        yield from (order[(at + i) % len(order)][1] for i in range(len(order)))

    def of(self, pool: Pool, ring: str, purpose: tuple[str, ...]) -> Iterator[str]:
        """Yield the names of a ring, from a place on that follows from a purpose."""
        order = self._order(pool, ring)
        at = Keyed(self._key, "place", ring, *purpose).below(len(order))
        yield from (order[(at + i) % len(order)][1] for i in range(len(order)))

    def _order(self, pool: Pool, ring: str) -> list[tuple[bytes, str]]:
        if (pool.name, ring) not in self._orders:
            order = sorted((digest(self._key, "ring", word), word) for word in pool.rings[ring])
            self._orders[pool.name, ring] = order
            self._places[pool.name, ring] = {bare(word): i for i, (_, word) in enumerate(order)}
        return self._orders[pool.name, ring]


class Scope:
    """The surrogates of a scope, in which no two may be the same."""

    def __init__(
        self,
        key: bytes,
        lexicon: Lexicon,
        sender: str = "",
        *,
        rings: Rings,
        neighbours: Neighbours,
        corpus: Collection[str] = frozenset(),
    ) -> None:
        self.key = key
        self.lexicon = lexicon
        self._sender = sender
        self._rings = rings
        self._neighbours = neighbours
        self._corpus = corpus
        self._taken: set[str] = set()
        self._codes: set[str] = set()
        self._words: dict[tuple[str, ...], str] = {}

    def take(self, word: str, wanted: Wanted | None = None) -> bool:
        """Take a word if it is free, however it is stretched; return whether it was."""
        key = bare(word)
        free = bool(key) and key not in self._taken and plain(word) not in self._codes
        if free and wanted:
            free = key not in wanted.own and not self._neighbours.have(word, wanted.sender)
        if free:
            self._taken.add(key)
            self._codes.add(plain(word))
        return free

    def take_code(self, code: str) -> bool:
        """Take a number or a code if it is free; return whether it was."""
        return self.take_codes([code])

    def take_codes(self, codes: Iterable[str]) -> bool:
        """Take all ways in which a code is written if they are free; return whether they were."""
        keys = {plain(code) for code in codes}
        free = "" not in keys and keys.isdisjoint(self._codes) and keys.isdisjoint(self._corpus)
        if free:
            self._codes |= keys
        return free

    def give(self, slot: Slot, word: str) -> None:
        """Give a slot a word, whether or not it is free."""
        self._words[slot.purpose] = word
        self._taken.add(bare(word))
        self._codes.add(plain(word))

    def reserve(self, wanted: Iterable[Wanted]) -> None:
        """Choose the words of slots: first the places of listed names, no two of which are one."""
        # Who comes first gets the first choice: neither the corpus nor the alphabet says who.
        left = []
        wanted = [one for one in wanted if not self.holds(one.slot)]
        for one in sorted(wanted, key=lambda one: digest(self.key, "order", *one.slot.purpose)):
            first = next(self._drawn(one.slot), "") if one.slot.is_listed else ""
            if first and self.take(first, one):
                self._words[one.slot.purpose] = first
            else:
                left.append(one)
        for one in left:
            self._choose(one)

    def word(self, slot: Slot) -> str:
        """Return the word of a slot, the same one whenever it is asked for."""
        if slot.purpose not in self._words:
            self._choose(Wanted(slot, {bare(slot.name)}))
        return self._words[slot.purpose]

    def holds(self, slot: Slot) -> bool:
        """Return whether the word of a slot was asked for."""
        return slot.purpose in self._words

    def _choose(self, wanted: Wanted) -> None:
        candidates = (*self._drawn(wanted.slot),)
        found = next((word for word in candidates if self.take(word, wanted)), None)
        self._words[wanted.slot.purpose] = found or self._make_up(wanted)

    def _drawn(self, slot: Slot) -> Iterator[str]:
        """Yield the names of the pool that may stand for one, the best ones first."""
        if slot.pool is None:
            return
        ring = self._rings.after(slot.pool, slot.name, self._turn) if slot.is_listed else iter(())
        yield from islice(ring, 1)
        for other in slot.pool.open_rings(slot.name, slot.kinds):
            yield from self._rings.of(slot.pool, other, slot.purpose)
        yield from ring

    def _turn(self, ring: str, n: int) -> int:
        """Return by how many places a ring of names is turned, never by none."""
        return 1 + Keyed(self.key, "turn", self._sender, ring).below(n - 1) if n > 1 else 0

    def _make_up(self, wanted: Wanted) -> str:
        slot = wanted.slot
        keyed = Keyed(self.key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(len(slot.name), _SHORTEST_WORD), _LONGEST_WORD) + attempt // _TRIES
            word = pronounceable(keyed, length, slot.endings, begins=sound(slot.name))
            listed = self.lexicon.exact.get(word) or self.lexicon.folded.get(word)
            if not listed and word not in self._corpus and self.take(word, wanted):
                break
        return word


def pronounceable(
    keyed: Keyed, length: int, endings: tuple[str, ...] = PLAIN, *, begins: str = ""
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
