"""The French lists are what their notes say, and hold nothing that spoils the labels."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.dictionaries.splitting import split
from tools.french import ABROAD, LAST, RECENT
from triage.dictionaries import Kind, Label, LabelledWord, Lexicon, Role, WordList
from triage.dictionaries.lexicon import COMMON, FIRST_NAMES, FREQUENT, KNOWN_FIRST_NAMES
from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import PACKS, load_pack

PACK = PACKS / "fr"
FOLDERS = sorted(path.parent for path in PACK.glob("*/note.toml"))
NAMES = [folder.name for folder in FOLDERS]
LICENCES = (PACKS / "LICENCES.md").read_text(encoding="utf-8")
MEGABYTE = 1_000_000

LabelOne = Callable[[str], LabelledWord]


def note(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "note.toml").read_text(encoding="utf-8"))


def in_list(lexicon: Lexicon, name: str) -> WordList:
    return next(words for words in lexicon.lists if words.name == name)


def every_list(folders: list[Path] = FOLDERS) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("folder", folders, ids=[folder.name for folder in folders])


# Notes and files.


def test_every_folder_is_a_list() -> None:
    folders = {folder for folder in PACK.iterdir() if folder.is_dir()}
    assert folders == {*FOLDERS, PACK / "surrogates"}


@every_list()
def test_a_folder_holds_items_a_note_and_perhaps_exceptions(folder: Path) -> None:
    files = {path.name for path in folder.iterdir()}
    assert {"items.txt", "note.toml"} <= files <= {"items.txt", "note.toml", "exceptions.txt"}


@every_list()
def test_a_note_says_what_the_list_is_and_where_it_comes_from(folder: Path) -> None:
    about = note(folder)
    for key in ("title", "source", "version", "licence", "made"):
        assert about[key].strip() == about[key] != ""
    assert about["role"] in tuple(Role)


@every_list()
def test_a_note_counts_the_entries(folder: Path, lexicon: Lexicon) -> None:
    assert note(folder)["entries"] == len(in_list(lexicon, folder.name).words)


@every_list()
def test_the_licence_of_a_list_that_is_not_ours_is_told(folder: Path) -> None:
    if note(folder)["source"] == "written for this project":
        assert note(folder)["licence"] == "MIT"
    else:
        assert f"`{folder.name}`" in LICENCES


def test_the_lists_are_under_six_megabytes() -> None:
    assert sum(path.stat().st_size for folder in FOLDERS for path in folder.iterdir()) < (
        6 * MEGABYTE
    )


@pytest.mark.parametrize(
    "path", sorted(PACK.glob("*/*.txt")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_a_file_is_plain_utf_8(path: Path) -> None:
    content = path.read_bytes()
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in content
    assert content.endswith(b"\n")
    assert not content.endswith(b"\n\n")
    assert content.decode("utf-8")


@every_list([folder for folder in FOLDERS if note(folder).get("normalised")])
def test_a_list_that_says_so_is_normalised(folder: Path) -> None:
    text = (folder / "items.txt").read_text(encoding="utf-8")
    assert normal(text) == text
    assert not re.search(r"[#\t ]|\n\n", text)


# Entries.


@every_list()
def test_a_list_holds_no_word_twice(folder: Path, lexicon: Lexicon) -> None:
    words = Counter(in_list(lexicon, folder.name).words)
    assert [word for word, n in words.items() if n > 1] == []


@every_list()
def test_an_entry_is_one_word_as_words_are_searched(folder: Path, lexicon: Lexicon) -> None:
    words = in_list(lexicon, folder.name).words
    assert normal("\n".join(words)).split() == list(words)


@every_list([folder for folder in FOLDERS if (folder / "exceptions.txt").exists()])
def test_an_exception_takes_something_off_once(folder: Path, lexicon: Lexicon) -> None:
    exceptions = read_words(folder / "exceptions.txt")
    assert set(exceptions) - set(in_list(lexicon, folder.name).words) == set()
    assert [word for word, n in Counter(exceptions).items() if n > 1] == []


@pytest.mark.parametrize(
    "name",
    [
        *("first_names", "further_first_names", RECENT, ABROAD),
        *("last_names", LAST, "nicknames"),
        "frequent_forms",
        "countries",
    ],
)
def test_an_entry_is_found_as_it_is_split(name: str, lexicon: Lexicon) -> None:
    words = in_list(lexicon, name).words
    apart = {word for word in words if [part.text for part in split(word)] != [word]}
    assert apart <= {"jusqu'alors", "jusqu'ici", "quelqu'un"}


@pytest.mark.parametrize("name", ["first_names", "further_first_names", "last_names", "nicknames"])
def test_a_name_is_made_of_letters(name: str, lexicon: Lexicon) -> None:
    words = in_list(lexicon, name).words
    letters = r"(?:[^\W\d_]\u0307?)+"  # a Turkish İ in lower case is an i with a dot above
    assert [w for w in words if not re.fullmatch(rf"{letters}(?:['-]{letters})*", w)] == []


# What the lists are for.


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (("first_names", "further_first_names", "last_names", "nicknames"), Role.DICTIONARY),
        (("inflected_forms", "dicollecte_forms", "sms_forms"), Role.ANTI_DICTIONARY),
        (("cities", "countries", "places", "languages", "calendar"), Role.ANTI_DICTIONARY),
        (("brands", "public_persons", "famous_names", "foreign_words"), Role.ANTI_DICTIONARY),
        (("pronouns", "frequent_forms"), Role.FEATURE),
    ],
)
def test_the_roles_of_the_lists(names: tuple[str, ...], role: Role, lexicon: Lexicon) -> None:
    assert {in_list(lexicon, name).role for name in names} == {role}


def test_the_lists_that_the_rules_ask_are_there() -> None:
    assert {FREQUENT, *COMMON, *FIRST_NAMES} <= set(NAMES)


def test_first_names_of_france_are_at_most_25_000(lexicon: Lexicon) -> None:
    both = set().union(*(in_list(lexicon, name).entries for name in KNOWN_FIRST_NAMES))
    assert 4_000 < len(both) <= 25_000


@pytest.mark.parametrize("name", [RECENT, ABROAD, LAST])
def test_names_from_afar_are_no_frequent_words(name: str, lexicon: Lexicon) -> None:
    entries = in_list(lexicon, name).entries
    for words in ("frequent_forms", "commonest_forms", "pronouns", "sms_forms"):
        assert entries & in_list(lexicon, words).entries == set()


@pytest.mark.parametrize(
    "name", ["Ayden", "Nolhan", "Kaïs", "Cataleya", "Zoubida", "Khady", "Ndeye"]
)
def test_names_of_recent_years_and_from_abroad_are_names(name: str, label: LabelOne) -> None:
    assert label(name).label is Label.DICTIONARY


@pytest.mark.parametrize(
    ("name", "in_the_paper"),
    [("sms_forms", 739), ("inflected_forms", 105_595), ("cities", 9_463), ("countries", 194)],
)
def test_a_list_is_as_long_as_the_papers(name: str, in_the_paper: int, lexicon: Lexicon) -> None:
    assert len(in_list(lexicon, name).entries) >= in_the_paper


def test_at_least_900_sms_forms_have_each_their_standard_french() -> None:
    lines = (PACK / "sms_forms/items.txt").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    assert len(cells) >= 900
    assert [row for row in cells if len(row) != 2 or not all(cell.strip() for cell in row)] == []


def test_the_standard_french_of_sms_forms_is_made_of_words(label: LabelOne) -> None:
    lines = (PACK / "sms_forms/items.txt").read_text(encoding="utf-8").splitlines()
    standard = {re.sub(r"\([^)]*\)", "", line.split("\t")[1]) for line in lines}
    words = {word.text for text in standard for word in split(text) if word.kind is Kind.WORD}
    labels = {word: label(word).label for word in words}
    not_words = {w for w, found in labels.items() if found in (Label.DICTIONARY, Label.UNKNOWN)}
    assert not_words <= {"blu-ray"}


def test_frequent_forms_are_words_and_nobodys_names(lexicon: Lexicon) -> None:
    frequent = in_list(lexicon, "frequent_forms").entries
    forms = ("inflected_forms", "dicollecte_forms")
    assert frequent <= set().union(*(in_list(lexicon, name).words for name in forms))
    assert not frequent & set(in_list(lexicon, "first_names").words)
    assert not frequent & set(in_list(lexicon, "last_names").words)


def test_the_two_lists_of_forms_share_none(lexicon: Lexicon) -> None:
    lefff, dicollecte = (
        set(in_list(lexicon, name).words) for name in ("inflected_forms", "dicollecte_forms")
    )
    assert not lefff & dicollecte


@pytest.mark.parametrize("name", ["famous_names", "foreign_words"])
def test_a_list_made_less_the_names_holds_none(name: str, lexicon: Lexicon) -> None:
    words = in_list(lexicon, name).entries
    assert not words & set(in_list(lexicon, "first_names").words)
    assert not words & set(in_list(lexicon, "last_names").words)


# Words and names that a list must not spoil.

FREQUENT_NAMES = """
Alexandre Amandine Amélie Anaïs Antoine Audrey Aurélie Benjamin Camille Caroline Cédric Céline
Christophe Damien David Delphine Élodie Émilie Emma Enzo Éric Fabien Florian Guillaume Hugo Inès
Isabelle Jérémy Jessica Julie Julien Karim Kevin Laetitia Laura Léa Lola Lucas Manon Marion Maxime
Mehdi Mélanie Michel Mohamed Morgane Nathalie Nicolas Olivier Patrice Philippe Sandrine Sarah
Sébastien Sophie Stéphanie Sylvie Thomas Valérie Vincent Yasmine Yves
"""
FREQUENT_WORDS = """
Coucou salut bonjour bonsoir bonne nuit journée merci pardon désolé oui non ouais ok peut-être
demain hier aujourd'hui matin midi soir week-end lundi samedi janvier août Pâques je tu il elle on
nous vous ils elles moi toi lui mon ma ton ta son sa ce ça qui que quoi où quand comment pourquoi
suis es est sommes êtes sont ai as a avons avez ont vais vas va allons vont fais fait peux peut veux
veut dois doit sais voir dire venir passer prendre appelle rappelle réponds bisous bises biz amour
chéri coeur maman papa frère soeur ami copine train bus voiture maison fac cours boulot appart resto
ciné fête anniversaire café bière pizza euros heures minutes
"""


def test_frequent_first_names_are_names(label: LabelOne) -> None:
    labels = {name: label(name).label for name in FREQUENT_NAMES.split()}
    assert labels == dict.fromkeys(labels, Label.DICTIONARY)


def test_names_that_are_words_too_are_ambiguous(label: LabelOne) -> None:
    words = ("Pierre", "Rose", "Jean", "Romain", "Marine", "Clémentine")
    assert {label(word).label for word in words} == {Label.AMBIGUOUS}


def test_frequent_words_of_messages_are_no_names(label: LabelOne) -> None:
    labels = {word: label(word).label for word in FREQUENT_WORDS.split()}
    assert labels == dict.fromkeys(labels, Label.ANTI_DICTIONARY)


def test_no_list_of_names_holds_a_pronoun(lexicon: Lexicon) -> None:
    names = ("first_names", "further_first_names", "last_names", "nicknames")
    held = set().union(*(in_list(lexicon, name).entries for name in names))
    assert held & in_list(lexicon, "pronouns").entries == set()


# Settings.


@pytest.mark.parametrize("name", [*vars(load_pack("fr").addresses)])
def test_words_of_addresses_are_in_lower_case_without_accents(name: str) -> None:
    words = getattr(load_pack("fr").addresses, name)
    assert words
    assert isinstance(words, str) or all(fold(word) == word for word in words)
