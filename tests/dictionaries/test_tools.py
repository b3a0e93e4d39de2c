"""Lists are built of tables of people without the words of others, and say what they are of."""

import gzip
import tomllib
from pathlib import Path

import pytest

from tools.french import OtherLists, recent_first_names
from tools.sources import write_list

NOTE = """
title = "Names"
role = "dictionary"
source = "Faker \\"fr_FR\\""
version = "Faker 1.2.3 (a table 1.2); 7.0"
licence = "MIT"
made = "Of one word: é."
entries = 9
normalised = true
"""
BIRTHS = """
prenom,births,first_year
ZELVIANE,10,1990
ZELVIANNE,9,1990
ZELVIANA,5000,1989
ZELVIANE-ROSE,50,2001
DEMAIN,5000,1995
"""


@pytest.fixture(scope="module")
def others() -> OtherLists:
    return OtherLists()


def test_a_note_gets_the_number_of_entries_and_the_versions_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.toml"
    note.write_text(NOTE, encoding="utf-8")
    monkeypatch.setattr("importlib.metadata.version", {"Faker": "40.1"}.__getitem__)
    write_list(tmp_path, ["Zoé", "L’Éléa", "zoé"])
    assert (tmp_path / "items.txt").read_text(encoding="utf-8") == "l'éléa\nzoé\n"
    about = {"entries": 2, "version": "Faker 40.1 (a table 1.2); 7.0"}
    assert tomllib.loads(note.read_text(encoding="utf-8")) == tomllib.loads(NOTE) | about


def test_recent_names_were_given_since_1990_to_ten_children(
    tmp_path: Path, others: OtherLists
) -> None:
    births = tmp_path / "births.csv.gz"
    births.write_bytes(gzip.compress(BIRTHS.strip().encode()))
    assert recent_first_names(births, others) == {"zelviane"}


@pytest.mark.parametrize(
    ("name", "often", "is_free"),
    [
        *((word, True, False) for word in ("demain", "stp", "je", "cétait", "zo")),
        ("aria", False, False),
        ("aria", True, True),
        ("bacchus", True, False),  # taken off a list of names by hand
    ],
)
def test_no_frequent_word_is_taken_for_a_name(
    name: str, often: bool, is_free: bool, others: OtherLists
) -> None:
    assert others.leave_free(name, often) is is_free
