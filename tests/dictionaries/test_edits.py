"""Words that are one edit apart are found, and no others."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.dictionaries.edits import OneEdit, is_swap

LETTERS = "abc"
WORDS = st.text(alphabet=LETTERS, min_size=6, max_size=8)


def one_edit_away(word: str) -> set[str]:
    """Every word one edit away, by trying all edits."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    less = {left + right[1:] for left, right in cuts if right}
    more = {left + letter + right for left, right in cuts for letter in LETTERS}
    other = {left + letter + right[1:] for left, right in cuts if right for letter in LETTERS}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    return (less | more | other | swapped) - {word}


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("surment", id="a letter less"),
        pytest.param("surrement", id="a letter more"),
        pytest.param("suremant", id="another letter"),
        pytest.param("suremnet", id="two letters swapped"),
        pytest.param("urement", id="the first letter less"),
        pytest.param("surementt", id="the last letter doubled"),
    ],
)
def test_one_edit_is_found(word: str) -> None:
    assert OneEdit(["demain", "surement", "seulement"])(word) == ["surement"]


@pytest.mark.parametrize("word", ["surement", "surmnt", "srument"[::-1], "chocolat", ""])
def test_none_and_two_edits_are_not_found(word: str) -> None:
    assert OneEdit(["demain", "surement", "seulement"])(word) == []


def test_short_and_long_words_are_left_aside() -> None:
    near = OneEdit(["merci", "anticonstitutionnellement"])
    assert near("merdi") == near("anticonstitutionnelement") == []


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=20), WORDS)
def test_exactly_the_words_one_edit_away_are_found(words: list[str], word: str) -> None:
    assert set(OneEdit(words)(word)) == one_edit_away(word) & set(words)


@settings(max_examples=60, deadline=None)
@given(WORDS, st.integers(min_value=0, max_value=4))
def test_neighbours_that_changed_places_are_a_swap(word: str, at: int) -> None:
    other = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    assert is_swap(word, other) == (word != other)


@pytest.mark.parametrize("other", ["caroline", "carolina", "carolin", "aroclnie", "enilorac"])
def test_other_differences_are_no_swap(other: str) -> None:
    assert not is_swap("caroline", other)
