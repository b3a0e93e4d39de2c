"""The names and places of a pack that surrogates are drawn from, and what its lists tell of them.

Words of a pool that may stand for a name begin with the same sound, so that elisions stay right;
those of its kind (gender, size of a town), frequency and length come first.
"""

import csv
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from math import gcd
from string import ascii_uppercase
from typing import NamedTuple

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold, without_runs
from triage.dictionaries.pack import Pack

from .entities import TOKEN, Entity, short_forms
from .keys import Keyed

# The folder of a pack that holds the names and places.
FOLDER = "surrogates"

# Classes of towns, and how many inhabitants each has at least.
CLASSES = {"city": 100_000, "town": 20_000, "small town": 5_000, "village": 2_000}
ABROAD, COUNTRY = "abroad", "country"
ANY = ""
_SHORTEST = 3
# What two letters at the end of a name say of its gender.
_TELLING, _SURE = 8, 0.85

_SOUND = re.compile("(?P<h>h)|(?P<vowel>[aeiouœæ]|y(?![aeiou]))")


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """Return a text's letters and digits, without case and accents."""
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 16)
def bare(word: str) -> str:
    """Return a word so that its stretched forms are one with it."""
    return without_runs(plain(word))


def bare_words(texts: Iterable[str]) -> set[str]:
    """Return texts and the words in them, each so that its stretched forms are one with it."""
    return {bare(word) for text in texts for word in (text, *TOKEN.findall(text))} - {""}


def sound(word: str) -> str:
    """Return what a word begins with: ``vowel``, ``h`` (elided or not), or ``consonant``."""
    found = _SOUND.match(fold(word))
    return found.lastgroup or "consonant" if found else "consonant"


Listed = tuple[str, str, bool]
"""A word, its kind, and whether it is common."""
Alike = tuple[str, str, bool | None, range]
"""A class of words: kind, sound, whether they are common (None: some are), and lengths."""


class Pool:
    def __init__(self, listed: Iterable[Listed]) -> None:
        self._common: dict[str, bool] = {}
        self._words: dict[tuple[str, str, bool | None, int], list[str]] = defaultdict(list)
        for word, kind, is_common in listed:
            self._common[fold(word)], begin = is_common, sound(word)
            # Compounds are left to compounds.
            for one in {kind, ANY} if word.isalpha() else {kind}:
                for frequency in (is_common, None):
                    self._words[one, begin, frequency, len(word)].append(word)

    def __contains__(self, name: str) -> bool:
        return name in self._common

    def alike(self, name: str, kinds: Iterable[str]) -> Iterator[Alike]:
        """Yield what words that may stand for a name share, the most alike first."""
        is_common = self._common.get(name, False)
        for kind in kinds:
            # So many letters may differ, and the word is as frequent or not; the nearest first.
            for most, as_frequent in ((1, True), (2, True), (2, False), (30, False)):
                lengths = range(len(name) - most, len(name) + most + 1)
                yield kind, sound(name), is_common if as_frequent else None, lengths

    def words(self, alike: Alike) -> list[str]:
        kind, begin, is_common, lengths = alike
        every = (self._words.get((kind, begin, is_common, length), ()) for length in lengths)
        return [word for words in every for word in words]


NO_WORDS = Pool(())


class FirstNames(NamedTuple):
    """First names to draw from, and what is known of all that the list holds.

    By folded name, its gender, ``m``, ``f`` or ``u`` (both), and how it is written.
    """

    pool: Pool
    genders: dict[str, str]
    written: dict[str, str]
    endings: dict[str, str]


@cache
def first_names(pack: Pack) -> FirstNames:
    """Return the first names, full and not short forms, by gender; compounds by themselves."""
    genders: dict[str, str] = {}
    written: dict[str, str] = {}
    listed: dict[str, Listed] = {}
    short, letters = short_forms(pack), re.compile(f"[{pack.surrogates.letters}-]+")
    rows = sorted(_rows(pack, "first_names.csv"), key=lambda row: -int(row["frequency"]))
    # Of two names that could be taken for each other, the commoner one is drawn.
    for row in rows:
        name, gender = row["name"], row["gender"]
        folded = fold(name)
        genders.setdefault(folded, gender)
        written.setdefault(folded, name)
        is_full = short.get(folded, folded) == folded
        if len(name) >= _SHORTEST and is_full and letters.fullmatch(name):
            # Most names of a list have its lowest frequency.
            is_common = row["frequency"] != rows[-1]["frequency"]
            titled = re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), name)
            # Names of as many parts are of one kind.
            listed.setdefault(bare(name), (titled, gender + "-" * name.count("-"), is_common))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, gender in genders.items():
        counts[name[-2:]][gender] += 1
    # Where it is clear.
    endings = {
        ending: gender
        for ending, count in counts.items()
        for gender, n in count.most_common(1)
        if n >= _TELLING and n >= _SURE * count.total()
    }
    return FirstNames(Pool(listed.values()), genders, written, endings)


@cache
def last_names(pack: Pack) -> Pool:
    """Return the last names that are no first names; for others, some that are put together."""
    given = pack.surrogates
    listed = ((row["name"], ANY, True) for row in _rows(pack, "last_names.csv"))
    made = ((stem + ending, ANY, False) for stem in given.stems for ending in given.family_endings)
    return Pool(_distinct([*listed, *made], map(bare, first_names(pack).genders)))


@cache
def street_names(pack: Pack) -> Pool:
    """Return names of streets that many towns have, by the article before them."""
    rows = _rows(pack, "street_names.csv")
    return Pool(_distinct((row["name"], row["article"], False) for row in rows))


@cache
def initials() -> Pool:
    """Return letters; where those are used up, two of them."""
    letters = [(letter, ANY, True) for letter in ascii_uppercase]
    pairs = ((one + other, ANY, False) for one in ascii_uppercase for other in "bdfgjkpvwz")
    return Pool([*letters, *pairs])


class Towns(NamedTuple):
    """Towns and countries to draw from, and what is known of all."""

    pool: Pool
    sizes: dict[str, str]
    postcodes: dict[str, str]

    def classes(self, name: str) -> tuple[str, ...]:
        """Return the classes that may stand for a place, the best one first."""
        size, sizes = self.sizes.get(name, "village"), [*CLASSES]
        return tuple(sizes[sizes.index(size) :]) if size in CLASSES else (size,)


@cache
def places(pack: Pack) -> Towns:
    """Return the places; names of people and towns without a postcode are not drawn."""
    rows = [(row["size"], row["name"]) for row in _rows(pack, "places.csv")]
    sizes = {re.sub(r"[\W_]+", "-", fold(name)): size for size, name in rows}
    rank, head = [*CLASSES], re.compile(rf"([^-]{{3,}})-(?:{pack.surrogates.town_head})-")
    for name in sorted(
        sizes, key=lambda name: rank.index(sizes[name]) if sizes[name] in rank else 9
    ):
        # People say Palavas for Palavas-les-Flots, and mean the largest of that name.
        if found := head.match(name):
            sizes.setdefault(found[1], sizes[name])
    people = {*first_names(pack).genders, *(row["name"] for row in _rows(pack, "last_names.csv"))}
    postcodes = {row["name"]: row["postcode"] for row in _rows(pack, "postcodes.csv")}
    drawn = ((n, size, False) for size, n in rows if size not in CLASSES or n in postcodes)
    return Towns(Pool(_distinct(drawn, map(bare, people))), sizes, postcodes)


def is_drawn(word: str, pack: Pack) -> bool:
    pools = first_names(pack).pool, last_names(pack), places(pack).pool, initials()
    return any(fold(word) in pool for pool in pools)


def _distinct(listed: Iterable[Listed], others: Iterable[str] = ()) -> Iterator[Listed]:
    """Yield the words that can be drawn, none twice, and none of others."""
    seen = set(others)
    for one in listed:
        word = one[0]
        if word.isalpha() and len(word) >= _SHORTEST and bare(word) not in seen:
            seen.add(bare(word))
            yield one


def _rows(pack: Pack, name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of the pack; none where it has no such names."""
    for folder in pack.folders:
        path = folder / FOLDER / name
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)


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


@dataclass
class Scope:
    """The surrogates of a scope: no two the same, none a word or a replaced name of the corpus."""

    key: bytes
    lexicon: Lexicon
    corpus: Set[str]
    replaced: Set[str]
    written: Mapping[Entity, Sequence[str]]
    # By the purpose of a slot.
    given: dict[tuple[str, ...], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    # Of what nothing is free any more.
    used_up: set[tuple[object, object]] = field(default_factory=set)

    def take(self, *codes: str) -> bool:
        """Take all ways in which a code is written if they are free; return whether they were."""
        forms = {*map(plain, codes)}
        is_free = all(forms) and forms.isdisjoint(self.taken) and forms.isdisjoint(self.corpus)
        self.taken |= forms if is_free else set()
        return is_free

    def give(self, word: str, slot: Slot | None = None) -> None:
        """Give a word to a slot, or away, whether or not it is free."""
        self.taken |= {bare(word), plain(word)}
        if slot:
            self.given[slot.purpose] = word

    def word(self, slot: Slot) -> str:
        if slot.purpose not in self.given:
            for word in self._candidates(slot):
                # However stretched, it is nobody's surrogate, and no part that is replaced.
                key, is_taken = bare(word), plain(word) in self.taken
                is_replaced = not self.replaced.isdisjoint(bare_words([word]))
                if key and not (is_taken or key in self.taken or is_replaced):
                    break
            self.give(word, slot)
        return self.given[slot.purpose]

    def words(self, parts: Iterable[Slot | str]) -> list[str]:
        return [part if isinstance(part, str) else self.word(part) for part in parts]

    def code(self, purpose: Sequence[str], make: Callable[[Keyed, int], str]) -> str:
        """Return the first free one of the codes that are made of keyed choices, one each try."""
        codes = (make(Keyed(self.key, *purpose, str(n)), n) for n in count())
        return next(filter(self.take, codes))

    def _candidates(self, slot: Slot) -> Iterator[str]:
        """Yield the words that may stand for a name, the best ones first, without end."""
        keyed = Keyed(self.key, "name", *slot.purpose)
        for alike in slot.pool.alike(slot.name, slot.kinds):
            if (slot.pool, alike) not in self.used_up:
                words = slot.pool.words(alike)
                if n := len(words):
                    start, step = keyed.below(n), 1 + keyed.below(n)
                    while gcd(step, n) > 1:
                        step += 1
                    yield from (words[(start + i * step) % n] for i in range(n))
                self.used_up.add((slot.pool, alike))
        keyed = Keyed(self.key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(len(slot.name), _SHORTEST_WORD), _LONGEST_WORD) + attempt // _TRIES
            word = pronounceable(keyed, length, slot.endings, begins=sound(slot.name))
            if not self.lexicon.held(word) and word not in self.corpus:
                yield word


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


def cased_like(word: str, written: str) -> str:
    """Return a word in capitals, with a capital or without one, as another is written."""
    if written.isupper() and sum(map(str.isalpha, written)) > 1:
        return word.upper()
    if written[:1].islower():
        return word.lower()
    return word[:1].upper() + word[1:].lower()


def words_like(
    words: Sequence[str],
    parts: re.Pattern[str],
    otherwise: str,
    written: str,
    like: Callable[[str, str], str] = cased_like,
) -> str:
    """Return an identifier with other words in place of its parts, or what is so otherwise."""
    written = unicodedata.normalize("NFC", written)
    if len(parts.findall(written)) != len(words):
        return otherwise
    left = iter(words)
    return parts.sub(lambda part: like(next(left), part[0]), written)
