"""Write where the names that surrogates are drawn from come from, as a column of their tables.

Run by hand after the tables are built; the result is committed. The sources are packages of the
extra ``dictionaries``, and the folder that holds genderly's source distribution::

    python -m triage.anonymise.build_origins build/sources

Origins are few and coarse: each must have enough names of a gender, first sound and length.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

from triage.dictionaries.build_en import frequency, indian_genders
from triage.dictionaries.build_sources import nam_dict_rows
from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import FRENCH, PACKS

from .build_surrogates import write_rows
from .surrogates.pools import FOLDER

_ENGLISH = "en"
ARABIC, CHINESE, IBERIAN, INDIAN, TURKISH = "arabic", "chinese", "iberian", "indian", "turkish"
# The columns of nam_dict for each.
_COLUMNS = {ARABIC: (47,), CHINESE: (49,), IBERIAN: (5, 6), INDIAN: (50,), TURKISH: (46,)}
# Columns whose names are not told from these: Bosnia, Kosovo, Albania, Azerbaijan, Central Asia,
# Japan, Korea, Vietnam, other countries.
_SHARED = (29, 31, 36, 43, 45, 51, 52, 53, 54)
_OTHERS = {*range(54)} - {*_SHARED} - {column for found in _COLUMNS.values() for column in found}
# A name is of an origin if it is so many times as frequent there as in any other country.
_CLEARLY = 2

# What is rare at home may be met there because people came from elsewhere.
_RARE = 1

# A last name of one syllable, as Chinese ones are: Tan, Cheong.
_SYLLABLE = re.compile("[^aeiou]*[aeiouy]+(?:ng|[hkmnptw])?")


def first_name_origins(rows: Iterable[Mapping[str, str]], further: Mapping[str, str]) -> list[str]:
    """Return the origin of each row of a table of first names; empty where it is not clear."""
    seen = _frequencies()
    return [
        _clear(seen[name], int(row["frequency"])) if name in seen else further.get(name, "")
        for row in rows
        for name in [fold(row["name"])]
    ]


def _frequencies() -> dict[str, list[int]]:
    """Return how frequent nam_dict calls each name in each of its countries."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 55)
    for joined in (True, False):
        for _, name, columns in nam_dict_rows(joined):
            seen = found[fold(name)]
            seen[:] = [max(n, frequency(columns, i)) for i, n in enumerate(seen)]
    return dict(found)


def _clear(seen: list[int], at_home: int) -> str:
    most = {origin: max(seen[i] for i in columns) for origin, columns in _COLUMNS.items()}
    origin = max(most, key=lambda origin: most[origin])
    elsewhere = max(at_home if at_home > _RARE else 0, *(seen[i] for i in _OTHERS))
    return origin if most[origin] and most[origin] >= _CLEARLY * elsewhere else ""


def _indian(sources: Path, rows: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the names of the table of Indian ones that are rare in the U.S.A."""
    held = {fold(name) for name in indian_genders(sources)}
    rare = {row["name"] for row in rows if int(row["frequency"]) <= _RARE}
    return dict.fromkeys(held & rare, INDIAN)


def _algerian() -> dict[str, str]:
    return dict.fromkeys(map(fold, _faker("fr_DZ", "first_names")), ARABIC)


def chinese_last_names() -> set[str]:
    """Return the Chinese last names of the English pack, in small letters."""
    written = read_words(PACKS / _ENGLISH / "further_last_names" / "items.txt")
    return {name for name in written if _SYLLABLE.fullmatch(name)} - _last_names("en_IN")


def _english_last_names() -> dict[str, str]:
    indian = _last_names("en_IN") - _last_names("en_GB") - _last_names("en_US")
    return dict.fromkeys(indian, INDIAN) | dict.fromkeys(chinese_last_names(), CHINESE)


def _last_names(country: str) -> set[str]:
    return {fold(name) for name in _faker(country, "last_names")}


def _faker(country: str, what: str) -> Iterable[str]:
    provider = import_module(f"faker.providers.person.{country}").Provider
    names: Iterable[str] = getattr(provider, what)
    return names


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Iterable[Mapping[str, str]], origins: Iterable[str]) -> None:
    rows = list(rows)
    columns = [column for column in rows[0] if column != "origin"]
    cells = [
        (*(row[column] for column in columns), origin)
        for row, origin in zip(rows, origins, strict=True)
    ]
    write_rows(path, (*columns, "origin"), cells)


def main(sources: str) -> None:
    """Write the column of both packs."""
    path = PACKS / FRENCH / FOLDER / "first_names.csv"
    rows = _read(path)
    _write(path, rows, first_name_origins(rows, _algerian()))
    path = PACKS / _ENGLISH / FOLDER / "first_names.csv"
    rows = _read(path)
    _write(path, rows, first_name_origins(rows, _indian(Path(sources), rows)))
    path = PACKS / _ENGLISH / FOLDER / "last_names.csv"
    rows, known = _read(path), _english_last_names()
    _write(path, rows, [known.get(fold(row["name"]), "") for row in rows])


if __name__ == "__main__":
    main(sys.argv[1])
