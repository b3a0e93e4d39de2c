"""The shipped lists are what their notes say, and hold nothing that spoils the labels."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.dictionaries.conftest import CATALAN
from tools.french import ABROAD, LAST, RECENT
from triage.dictionaries import Kind, Label, Lexicon, Role, label_messages
from triage.dictionaries.build_pack import check_sample, problems
from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import normal
from triage.dictionaries.pack import PACKS, load_pack
from triage.dictionaries.recognisers import available, shipped

FRENCH = PACKS / "fr"
FOLDERS = sorted(path.parent for name in ("fr", "en") for path in PACKS.glob(f"{name}/*/note.toml"))
MEGABYTE = 1_000_000
# The lists of names that are no tables of persons.
NAMES = ("first_names", "further_first_names", "last_names", "nicknames")


def note(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "note.toml").read_text(encoding="utf-8"))


def items(folder: Path) -> list[str]:
    return read_words(folder / "items.txt")


def entries(lexicon: Lexicon, *names: str) -> set[str]:
    return set().union(*(words.entries for words in lexicon.lists if words.name in names))


def every_list(folders: list[Path]) -> pytest.MarkDecorator:
    names = [f"{folder.parent.name}/{folder.name}" for folder in folders]
    return pytest.mark.parametrize("folder", folders, ids=names)


@every_list(FOLDERS)
def test_a_list_is_a_folder_whose_note_says_what_it_is_and_where_from(folder: Path) -> None:
    files = {path.name for path in folder.iterdir()}
    assert {"items.txt", "note.toml"} <= files <= {"items.txt", "note.toml", "exceptions.txt"}
    about = note(folder)
    for key in ("title", "source", "version", "licence", "made"):
        assert about[key].strip() == about[key] != ""
    assert about["role"] in tuple(Role)
    assert about["entries"] == len(items(folder))


@every_list(FOLDERS)
def test_an_entry_is_one_word_in_plain_utf_8_and_an_exception_takes_one_off(folder: Path) -> None:
    for path in folder.glob("*.txt"):
        content = path.read_bytes()
        assert not content.startswith(b"\xef\xbb\xbf")
        assert b"\r" not in content
        assert re.search(rb"[^\n]\n\Z", content)
        assert content.decode("utf-8")
        words = read_words(path)
        assert [word for word, n in Counter(words).items() if n > 1] == []
        assert normal("\n".join(words)).split() == words
        assert {*words} <= {*items(folder)}
    if note(folder).get("normalised"):
        text = (folder / "items.txt").read_text(encoding="utf-8")
        assert normal(text) == text
        assert not re.search(r"[#\t ]|\n\n", text)


@pytest.mark.parametrize(("language", "most"), [("fr", 7), ("en", 3)])
def test_a_pack_holds_lists_and_surrogates_and_is_small(language: str, most: int) -> None:
    folders = {folder for folder in (PACKS / language).iterdir() if folder.is_dir()}
    lists = {folder for folder in FOLDERS if folder.parent.name == language}
    assert folders == {*lists, PACKS / language / "surrogates"}
    assert sum(path.stat().st_size for one in lists for path in one.iterdir()) < most * MEGABYTE


@pytest.mark.parametrize(
    ("names", "others"),
    [
        # Names from large tables are no frequent words.
        ((RECENT, ABROAD, LAST), ("frequent_forms", "commonest_forms", "pronouns", "sms_forms")),
        (("famous_names", "foreign_words", "frequent_forms"), ("first_names", "last_names")),
        (("inflected_forms",), ("dicollecte_forms",)),
        (NAMES, ("pronouns",)),
    ],
)
def test_lists_share_no_entry(
    names: tuple[str, ...], others: tuple[str, ...], lexicon: Lexicon
) -> None:
    assert entries(lexicon, *names) & entries(lexicon, *others) == set()


def test_sms_forms_have_each_their_standard_french_which_is_made_of_words(lexicon: Lexicon) -> None:
    lines = (FRENCH / "sms_forms/items.txt").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    assert len(cells) >= 900
    assert [row for row in cells if len(row) != 2 or not all(cell.strip() for cell in row)] == []
    standard = [re.sub(r"\([^)]*\)", "", gloss) for _, gloss in cells]
    labels = [word for word in label_messages(standard, lexicon).labels if word.kind is Kind.WORD]
    no_words = {w.text for w in labels if w.label in (Label.DICTIONARY, Label.UNKNOWN)}
    assert no_words <= {"blu-ray"}


def test_the_rules_and_recognisers_of_france_are_not_those_of_english() -> None:
    assert "apostrophe_omitted" not in load_pack("en").spelling.rules
    assert {one.name for one in available("en")}.isdisjoint({"nir", "siret", "plate"})
    # An at sign for a place makes no mail address.
    assert Kind.MEL not in {span.kind for span in shipped("en").find("PARTY at 12pm. Be ready")}


def test_the_pack_of_a_linguist_elides_and_finds_numbers_of_its_countries(catalan: Lexicon) -> None:
    words = label_messages(["d'Oriol, l'avui"], catalan).labels
    assert [word.text for word in words] == ["d'", "Oriol", ",", "l'", "avui"]
    words = label_messages(["truca'm al 612 34 56 78, el codi és 4512"], catalan).labels
    assert {(w.text, w.kind) for w in words} >= {("612 34 56 78", Kind.TEL), ("4512", Kind.COD)}
    assert problems(CATALAN) == []


def test_a_sample_tells_what_is_still_to_be_listed(catalan: Lexicon) -> None:
    messages = ["Hola Jordi", "quedem amb la Neus ?", "la Neus i en Pau", "petons"]
    found = check_sample(messages, catalan)
    assert found["unknown"] == (("neus", 2), ("quedem", 1))
    assert found["ambiguous"] == (("pau", 1),)
    assert (found["n_messages"], found["n_words"], found["untagged"]) == (4, 12, 0.5)
