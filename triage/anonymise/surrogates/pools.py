"""The names and places that surrogates are drawn from, in rings of those that are alike.

The lists alone say which names share a ring: neither a key nor a corpus does. Within a ring each
name has another one's place (`triage.anonymise.surrogates.scope`), so that no two names of the
lists ever have the same surrogate.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ..entity import short_forms
from .comparing import bare

# The folder of a pack that holds the names and places.
FOLDER = "surrogates"

# Classes of towns, and how many inhabitants each has at least.
CLASSES = {"city": 100_000, "town": 20_000, "small town": 5_000, "village": 2_000}
ABROAD, COUNTRY = "abroad", "country"
_ANY = ""
_FROM, _SHORT = 3, 5
# Of nam_dict's 13 degrees of frequency.
_COMMON_FROM = 3
# Fewer names would tell too much of each other.
_FEWEST = 8
_LONGEST_SIZE = 6
# What two letters at the end of a name say of its gender.
_TELLING, _SURE, _LONG_ENOUGH = 8, 0.85, 5

_SOUND = re.compile("(?P<h>h)|(?P<vowel>[aeiouœæ]|y(?![aeiou]))")


def sound(word: str) -> str:
    """Return what a word begins with: ``vowel``, ``h`` (elided or not), or ``consonant``."""
    found = _SOUND.match(fold(word))
    return found.lastgroup or "consonant" if found else "consonant"


def size(word: str) -> int:
    """Return a class of length: words of one class differ by one letter, unless very long."""
    return min(max(len(word) // 2, 1), _LONGEST_SIZE)


class Listed(NamedTuple):
    """A name of a list, of which kind it is, and what else it shares with those of its ring."""

    word: str
    kind: str
    is_common: bool = False
    band: str = ""
    origin: str = ""

    def classes_of_origin(self) -> list[tuple[object, ...]]:
        """Return what names of a ring of one origin share, the closest class first."""
        alike = (self.origin, self.kind, sound(self.word))
        return [(*alike, self.is_common, size(self.word)), (*alike, size(self.word))]

    def classes(self) -> list[tuple[object, ...]]:
        """Return what names of any other ring share, the closest class first."""
        alike = (self.kind, sound(self.word), self.is_common)
        return [(*alike, self.band, size(self.word)), (*alike, size(self.word))]

    @property
    def wide_classes(self) -> list[tuple[object, ...]]:
        """What else they may have in common where there are but few of a class."""
        alike = (self.kind, sound(self.word))
        return [(*alike, self.is_common), alike]


class Pool:
    """Names to draw from."""

    def __init__(
        self, name: str, listed: Iterable[Listed], others: Iterable[Listed] | None = None
    ) -> None:
        self.name = name
        self.rings: dict[str, list[str]] = {}
        self.ring_of: dict[str, str] = {}
        every = list(listed)
        for ring, names in _rings(every).items():
            self.rings[ring] = [one.word for one in names]
            self.ring_of.update((fold(one.word), ring) for one in names)
        for one in (one for one in every if not one.is_common) if others is None else others:
            self._open({one.kind, _ANY}, one.word)
        for one in (one for one in every if one.origin):
            self._open({kind_of_origin(one.origin, one.kind)}, one.word)

    def _open(self, kinds: Iterable[str], word: str) -> None:
        # Compounds are left to compounds.
        for kind in kinds if word.isalpha() else ():
            for length in range(len(word) - 1, len(word) + 2):
                self.rings.setdefault(_open_ring(kind, sound(word), length), []).append(word)

    def open_rings(self, name: str, kinds: Iterable[str]) -> Iterator[str]:
        """Yield the rings of names like one that is not listed, the best ones first."""
        # There are not enough short names.
        length = max(len(name), _SHORT)
        rings = (_open_ring(k, sound(name), length + i) for k in kinds for i in (0, 2, -2))
        yield from (ring for ring in rings if ring in self.rings)


def kind_of_origin(origin: str, kind: str) -> str:
    """Return the kind of names of an origin that stand for those that are not listed."""
    return f"{origin} {kind}"


def _open_ring(kind: str, begins: str, length: int) -> str:
    return f"open {kind} {begins} {length}"


def _rings(listed: list[Listed]) -> dict[str, list[Listed]]:
    """Part names into rings of those that are alike, none too small if that can be."""
    of_origin, few = _parted([one for one in listed if one.origin], Listed.classes_of_origin)
    rings, left = _parted([one for one in listed if not one.origin] + few, Listed.classes)
    first = {ring: names[0] for ring, names in rings.items()}
    for one in left:
        rings.setdefault(_nearest(one, first), []).append(one)
    return rings | of_origin


def _parted(
    listed: list[Listed], classes_of: Callable[[Listed], list[tuple[object, ...]]]
) -> tuple[dict[str, list[Listed]], list[Listed]]:
    """Return the rings of the classes of two levels that have enough names, and what is left."""
    rings: dict[str, list[Listed]] = {}
    left = listed
    for level in range(2):
        classes: dict[tuple[object, ...], list[Listed]] = defaultdict(list)
        for one in left:
            classes[classes_of(one)[level]].append(one)
        large = {kind: names for kind, names in classes.items() if len(names) >= _FEWEST}
        rings |= {f"{level} {' '.join(map(str, kind))}": names for kind, names in large.items()}
        left = [one for one in left if classes_of(one)[level] not in large]
    return rings, left


def _nearest(one: Listed, first: Mapping[str, Listed]) -> str:
    """Return the ring, by its first name, of names like one and about as long."""
    for level, wide in enumerate(one.wide_classes):
        alike = [ring for ring, name in first.items() if name.wide_classes[level] == wide]
        if alike:
            return min(alike, key=lambda ring: abs(size(first[ring].word) - size(one.word)))
    return " ".join(map(str, one.wide_classes[-1]))


class FirstNames(NamedTuple):
    """First names to draw from, and what is known of all that the list holds."""

    pool: Pool
    genders: dict[str, str]
    written: dict[str, str]
    endings: dict[str, str]

    def gender(self, name: str) -> str:
        """Return the gender of a first name, folded: ``m``, ``f``, ``u`` (both); empty: unknown."""
        return self.genders.get(name, _ANY)

    def likely_gender(self, name: str) -> str:
        """Return the gender of a name, or that of most names that end like it; empty: unknown."""
        ending = self.endings.get(name[-2:], _ANY) if len(name) >= _LONG_ENOUGH else _ANY
        return self.gender(name) or ending


@cache
def first_names(pack: Pack) -> FirstNames:
    """Return the first names: rings of one gender, of common and of rare names."""
    genders: dict[str, str] = {}
    written: dict[str, str] = {}
    listed: dict[str, Listed] = {}
    short = short_forms(pack)
    letters = re.compile(f"[{pack.surrogates.letters}-]+")
    full = {*short.values()}
    # Of two names that could be taken for each other, the commoner one is drawn.
    for row in sorted(_rows(pack, "first_names.csv"), key=lambda row: -int(row["frequency"])):
        name, gender, frequency = row["name"], row["gender"], int(row["frequency"])
        folded = fold(name)
        genders.setdefault(folded, gender)
        written.setdefault(folded, name)
        is_full = folded not in short or short[folded] == folded
        if len(name) >= _FROM and is_full and letters.fullmatch(name):
            band = "known" if frequency else "new"
            band += " with short forms" * (folded in full)
            kind = gender + "-" * name.count("-")
            is_common = frequency >= _COMMON_FROM
            origin = row.get("origin") or _ANY
            listed.setdefault(bare(name), Listed(_titled(name), kind, is_common, band, origin))
    pool = Pool("first names", listed.values())
    return FirstNames(pool, genders, written, _endings(genders))


def _endings(genders: dict[str, str]) -> dict[str, str]:
    """Return the gender of most names that end in two letters, where it is clear."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, gender in genders.items():
        counts[name[-2:]][gender] += 1
    most = {ending: count.most_common(1)[0] for ending, count in counts.items()}
    return {
        ending: gender
        for ending, (gender, n) in most.items()
        if n >= _TELLING and n >= _SURE * counts[ending].total()
    }


def _titled(name: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), name)


@cache
def last_names(pack: Pack) -> Pool:
    """Return the last names that are no first names; for others, some that are put together."""
    known = {bare(name) for name in first_names(pack).genders}
    words = _listed(((_ANY, row["name"]) for row in _rows(pack, "last_names.csv")), known)
    listed = [one._replace(origin=origin_of(pack, one.word)) for one in words]
    known.update(bare(one.word) for one in listed)
    given = pack.surrogates
    made = ((_ANY, stem + ending) for stem in given.stems for ending in given.family_endings)
    return Pool("last names", listed, _listed(made, known))


def origin_of(pack: Pack, name: str) -> str:
    """Return where a first or last name of the lists comes from; empty if that is not clear."""
    return _origins(pack).get(fold(name), _ANY)


@cache
def _origins(pack: Pack) -> dict[str, str]:
    tables = ("last_names.csv", "first_names.csv")
    rows = (row for table in tables for row in _rows(pack, table))
    return {fold(row["name"]): origin for row in rows if (origin := row.get("origin"))}


@cache
def street_names(pack: Pack) -> Pool:
    """Return names of streets that many towns have, by the article before them."""
    rows = _rows(pack, "street_names.csv")
    return Pool("street names", _listed(((row["article"], row["name"]) for row in rows), set()))


class Places(NamedTuple):
    """Towns and countries to draw from, and what is known of all."""

    pool: Pool
    sizes: dict[str, str]
    postcodes: dict[str, str]

    def classes(self, name: str) -> tuple[str, ...]:
        """Return the classes that may stand for a place, the best one first."""
        size = self.sizes.get(name, "village")
        sizes = list(CLASSES)
        return tuple(sizes[sizes.index(size) :]) if size in CLASSES else (size,)


@cache
def places(pack: Pack) -> Places:
    """Return the places; names of people and towns without a postcode are not drawn."""
    rows = [(row["size"], row["name"]) for row in _rows(pack, "places.csv")]
    sizes = {re.sub(r"[\W_]+", "-", fold(name)): size for size, name in rows}
    order, head = list(CLASSES), re.compile(rf"([^-]{{3,}})-(?:{pack.surrogates.town_head})-")
    for name in sorted(
        sizes, key=lambda name: order.index(sizes[name]) if sizes[name] in order else 9
    ):
        # People say Palavas for Palavas-les-Flots, and mean the largest of that name.
        if found := head.match(name):
            sizes.setdefault(found[1], sizes[name])
    people = {
        *first_names(pack).genders,
        *(fold(row["name"]) for row in _rows(pack, "last_names.csv")),
    }
    postcodes = {row["name"]: row["postcode"] for row in _rows(pack, "postcodes.csv")}
    drawn = [(size, name) for size, name in rows if size not in CLASSES or name in postcodes]
    return Places(Pool("places", _listed(drawn, {*map(bare, people)})), sizes, postcodes)


@cache
def _drawn(pack: Pack) -> frozenset[str]:
    pools = first_names(pack).pool, last_names(pack), places(pack).pool
    return frozenset(fold(w) for pool in pools for words in pool.rings.values() for w in words)


def is_drawn(word: str, pack: Pack) -> bool:
    """Return whether a word may be a surrogate of a person or a place."""
    return fold(word) in _drawn(pack)


def _listed(pairs: Iterable[tuple[str, str]], others: set[str]) -> Iterator[Listed]:
    """Yield the words that can be drawn, none twice, and none of others."""
    seen = set(others)
    for kind, word in pairs:
        if word.isalpha() and len(word) >= _FROM and bare(word) not in seen:
            seen.add(bare(word))
            yield Listed(word, kind)


def _rows(pack: Pack, name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of the pack; none where it has no such names."""
    for folder in pack.folders:
        path = folder / FOLDER / name
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)
