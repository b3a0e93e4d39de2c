"""Lists of names from large tables hold no words of the pack."""

import gzip
from pathlib import Path

import pytest

from triage.dictionaries.build_names import WordsOfPack, recent_first_names


@pytest.fixture(scope="module")
def words() -> WordsOfPack:
    """What the lists of the pack take for words."""
    return WordsOfPack()


@pytest.fixture
def births(tmp_path: Path) -> Path:
    """A small table of first names."""
    path = tmp_path / "births.csv.gz"
    rows = [
        "prenom,births,first_year",
        "ZELVIANE,10,1990",
        "ZELVIANNE,9,1990",
        "ZELVIANA,5000,1989",
        "ZELVIANE-ROSE,50,2001",
        "DEMAIN,5000,1995",
    ]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(rows))
    return path


def test_recent_names_were_given_since_1990_to_ten_children(
    births: Path, words: WordsOfPack
) -> None:
    assert recent_first_names(births, words) == {"zelviane"}


@pytest.mark.parametrize("name", ["demain", "stp", "je", "cétait", "zo"])
def test_frequent_words_and_short_ones_are_never_free(name: str, words: WordsOfPack) -> None:
    assert not words.is_free(name, often=True)


def test_a_rare_word_is_free_as_a_common_name(words: WordsOfPack) -> None:
    assert (words.is_free("aria"), words.is_free("aria", often=True)) == (False, True)


def test_what_was_taken_off_a_list_by_hand_stays_off(words: WordsOfPack) -> None:
    assert not words.is_free("bacchus", often=True)
