"""The English lists and recognisers are what their notes say, and read messages as people do."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.dictionaries.recognisers.case_files import ENGLISH_CASES, Case, read_cases
from triage.dictionaries import Kind, Label, LabelledWord, Lexicon, label_messages, load_lexicon
from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import normal
from triage.dictionaries.pack import PACKS, load_pack
from triage.dictionaries.recognisers import available, shipped
from triage.dictionaries.spelling import rules_of

PACK = PACKS / "en"
FOLDERS = sorted(path.parent for path in PACK.glob("*/note.toml"))
LICENCES = (PACKS / "LICENCES.md").read_text(encoding="utf-8")
ENGLISH = LICENCES.partition("## English")[2]
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def english() -> Lexicon:
    return load_lexicon("en")


def note(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "note.toml").read_text(encoding="utf-8"))


def only(text: str, english: Lexicon) -> LabelledWord:
    (word,) = label_messages([text], english).labels
    return word


every_list = pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])


@every_list
def test_a_note_says_what_the_list_is_and_counts_its_entries(folder: Path) -> None:
    about = note(folder)
    assert all(about[key].strip() for key in ("title", "role", "source", "version", "made"))
    assert about["entries"] == len(read_words(folder / "items.txt"))


@every_list
def test_the_licence_of_a_list_that_is_not_ours_is_told(folder: Path) -> None:
    if note(folder)["source"] == "written for this project":
        assert note(folder)["licence"] == "MIT"
    else:
        assert f"`{folder.name}`" in ENGLISH


@every_list
def test_a_list_is_normalised_and_holds_no_word_twice(folder: Path) -> None:
    words = read_words(folder / "items.txt")
    assert len(set(words)) == len(words)
    assert [word for word in words if normal(word) != word] == []


def test_the_pack_is_under_three_megabytes() -> None:
    assert sum(path.stat().st_size for path in PACK.rglob("*.*")) < 3 * MEGABYTE


def test_nine_hundred_forms_of_text_messages_and_those_of_singapore_apart() -> None:
    assert len(read_words(PACK / "sms_forms" / "items.txt")) >= 900
    assert {"lah", "lor", "meh", "leh", "sia"} <= {*read_words(PACK / "singlish" / "items.txt")}


NAMES = ("Oliver", "Saravanan", "Nurul", "Thilini", "Xiuying", "Boonkiat", "Siobhan", "Tan", "xh")
WORDS = (
    "will",
    "you",
    "dear",
    "uncle",
    "machan",
    "bro",
    "lah",
    "liao",
    "tmr",
    "becoz",
    "Singapore",
)


@pytest.mark.parametrize("name", NAMES)
def test_people_who_write_english_are_called_so(name: str, english: Lexicon) -> None:
    assert only(name, english).label in (Label.DICTIONARY, Label.AMBIGUOUS)


@pytest.mark.parametrize("word", [*WORDS, "recommendations"])
def test_nobody_is_called_so(word: str, english: Lexicon) -> None:
    assert only(word, english).label is Label.ANTI_DICTIONARY


def test_a_name_that_is_a_word_is_ambiguous(english: Lexicon) -> None:
    assert {only(word, english).label for word in ("Grace", "mark", "Joy")} == {Label.AMBIGUOUS}


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("cnfrmd", "vowels_omitted"),
        ("untilschool", "two_words"),
        ("2morning", "concatenation"),
        ("tomorrowwww", "letter_repetitions"),
        ("hahahaha", ""),
        ("today's", "parts"),
    ],
)
def test_spellings_of_text_messages_are_read(written: str, rule: str, english: Lexicon) -> None:
    word = only(written, english)
    assert word.label is Label.ANTI_DICTIONARY
    assert not rule or word.rule == rule


def test_a_possessive_is_that_of_the_name(english: Lexicon) -> None:
    assert only("Rajesh's", english).label is Label.DICTIONARY


def test_the_rules_are_those_of_english() -> None:
    assert "apostrophe_omitted" not in {rule.__name__ for rule in rules_of(load_pack("en"))}


# Recognisers.


def found(case: Case) -> tuple[tuple[int, int], ...]:
    spans = shipped("en").find(case.text)
    return tuple((span.start, span.end) for span in spans if span.kind == case.type)


@pytest.mark.parametrize("case", read_cases(ENGLISH_CASES), ids=str)
def test_identifiers_are_found_whole_and_nothing_else(case: Case) -> None:
    assert found(case) == case.spans


def test_numbers_of_france_are_not_looked_for() -> None:
    assert {one.name for one in available("en")}.isdisjoint({"nir", "siret", "plate"})


def test_an_at_sign_for_a_place_is_no_mail_address() -> None:
    assert Kind.MEL not in {span.kind for span in shipped("en").find("PARTY at 12pm. Be ready")}
