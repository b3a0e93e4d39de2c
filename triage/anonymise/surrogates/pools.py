"""The names and places that surrogates are drawn from."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from triage.dictionaries.normal import fold

DATA = Path(__file__).parents[1] / "data"

# Classes of towns, and how many inhabitants each has at least.
CLASSES = {"city": 100_000, "town": 20_000, "small town": 5_000, "village": 2_000}
ABROAD, COUNTRY = "abroad", "country"
_ANY = ""
_FROM = 3
# Of nam_dict's 13 degrees of frequency.
_COMMON_FROM = 3
# How much longer or shorter than the identifier a name may be, the nearest first.
_OFFSETS = (0, 1, -1, 2, -2)


class Pool(NamedTuple):
    """Words to draw from, by a class and their length."""

    name: str
    words: dict[tuple[str, int], list[str]]

    def near(self, classes: tuple[str, ...], length: int) -> Iterator[tuple[str, list[str]]]:
        """Yield what words of about a length are called by, and the words, the best ones first."""
        for kind in classes:
            for offset in _OFFSETS:
                words = self.words.get((kind, length + offset))
                if words:
                    yield f"{self.name} {kind} {length + offset}", words


class FirstNames(NamedTuple):
    """First names of France to draw from, and the genders of all that are known."""

    pool: Pool
    genders: dict[str, str]

    def gender(self, name: str) -> str:
        """Return the gender of a first name, folded: ``m``, ``f``, ``u`` (both); empty: unknown."""
        return self.genders.get(name, _ANY)


@cache
def first_names() -> FirstNames:
    """Return the first names: of each gender and of all, those common in France apart once more.

    Examples
    --------
    >>> [first_names().gender(name) for name in ("nicolas", "zoe", "camille", "zorglub")]
    ['m', 'f', 'u', '']
    """
    genders: dict[str, str] = {}
    words: dict[tuple[str, int], list[str]] = defaultdict(list)
    for row in _rows("first_names.csv"):
        name, gender = row["name"], row["gender"]
        genders.setdefault(fold(name), gender)
        if int(row["frequency"]) and name.isalpha() and len(name) >= _FROM:
            is_common = int(row["frequency"]) >= _COMMON_FROM
            for kind in {gender, _ANY}:
                words[kind, len(name)].append(name.capitalize())
                if is_common:
                    words[f"{kind} common", len(name)].append(name.capitalize())
    return FirstNames(Pool("first names", dict(words)), genders)


@cache
def last_names() -> Pool:
    """Return the last names."""
    return _pool("last names", ((_ANY, row["name"]) for row in _rows("last_names.csv")))


@cache
def street_names() -> Pool:
    """Return names of streets that many towns have, by the article before them."""
    rows = _rows("street_names.csv")
    return _pool("street names", ((row["article"], row["name"]) for row in rows))


class Places(NamedTuple):
    """Towns and countries to draw from, and the classes of all that are known."""

    pool: Pool
    sizes: dict[str, str]

    def classes(self, name: str) -> tuple[str, ...]:
        """Return the classes that may stand for a place, the best one first.

        A town stands for a town of its size, else for a smaller one; what is unknown is small.

        Examples
        --------
        >>> places().classes("montpellier")[0], places().classes("japon")
        ('city', ('country',))
        """
        size = self.sizes.get(name, "village")
        sizes = list(CLASSES)
        return tuple(sizes[sizes.index(size) :]) if size in CLASSES else (size,)


@cache
def places() -> Places:
    """Return the places."""
    rows = [(row["size"], row["name"]) for row in _rows("places.csv")]
    sizes = {re.sub(r"[\W_]+", "-", fold(name)): size for size, name in rows}
    order = list(CLASSES)
    for name in sorted(
        sizes, key=lambda name: order.index(sizes[name]) if sizes[name] in order else 9
    ):
        # People say Palavas for Palavas-les-Flots, and mean the largest of that name.
        if head := _HEAD.match(name):
            sizes.setdefault(head[1], sizes[name])
    return Places(_pool("places", iter(rows)), sizes)


_HEAD = re.compile(r"([^-]{3,})-(?:lez|les|sur|sous|en|aux?|du|de|la|le)-")


def _pool(name: str, pairs: Iterator[tuple[str, str]]) -> Pool:
    words: dict[tuple[str, int], list[str]] = defaultdict(list)
    for kind, word in pairs:
        if word.isalpha() and len(word) >= _FROM:
            words[kind, len(word)].append(word)
    return Pool(name, dict(words))


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
