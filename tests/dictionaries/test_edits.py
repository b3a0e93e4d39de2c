"""Words that are one edit apart are found, variants of names too, and no others."""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triage.dictionaries.edits import OneEdit, distance_within, is_swap, variants

LETTERS = "abc"
WORDS = st.text(alphabet=LETTERS, min_size=6, max_size=8)
WORD = st.text("abz", max_size=8)
NAME = st.text("abzm", min_size=3, max_size=9)


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


@given(st.lists(WORDS, max_size=20), WORDS)
def test_exactly_the_words_one_edit_away_are_found(words: list[str], word: str) -> None:
    assert set(OneEdit(words)(word)) == one_edit_away(word) & set(words)


@given(WORDS, st.integers(min_value=0, max_value=4))
def test_neighbours_that_changed_places_are_a_swap(word: str, at: int) -> None:
    other = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    assert is_swap(word, other) == (word != other)


@pytest.mark.parametrize("other", ["caroline", "carolina", "carolin", "aroclnie", "enilorac"])
def test_other_differences_are_no_swap(other: str) -> None:
    assert not is_swap("caroline", other)


# Variants of names.


def distance(one: str, other: str) -> int:
    """Return the distance of Levenshtein, from its definition."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i, j in product(range(1, len(one) + 1), range(1, len(other) + 1)):
        change = table[i - 1, j - 1] + (one[i - 1] != other[j - 1])
        table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
    return table[len(one), len(other)]


def most(name: str) -> int:
    return 1 if len(name) <= 5 else 2


@given(WORD, WORD, st.integers(0, 3))
@example("patrice", "maurice", 2)
@example("", "", 0)
def test_a_distance_is_that_of_levenshtein(one: str, other: str, limit: int) -> None:
    assert distance_within(one, other, limit) == (distance(one, other) <= limit)


@given(WORD, WORD, st.integers(0, 3))
def test_a_distance_is_the_same_both_ways(one: str, other: str, limit: int) -> None:
    assert distance_within(one, other, limit) == distance_within(other, one, limit)


@given(st.lists(NAME, max_size=8), st.dictionaries(NAME, st.integers(1, 4).map(float), max_size=8))
def test_a_variant_is_of_the_strongest_name_within_the_distance(
    unknown: list[str], established: dict[str, float]
) -> None:
    found = variants(unknown, established)
    for word in unknown:
        near = [
            name
            for name in sorted(established)
            if name != word
            and distance(word, name) <= most(name)
            and min(len(word), len(name)) >= 4
        ]
        if near:
            assert found[word] == max(near, key=established.__getitem__)
        else:
            assert word not in found


@given(st.lists(NAME), st.lists(NAME))
def test_no_word_is_a_variant_of_itself(unknown: list[str], names: list[str]) -> None:
    found = variants(unknown, dict.fromkeys(names, 1.0))
    assert all(word != name for word, name in found.items())
    assert set(found) <= set(unknown)
    assert set(found.values()) <= set(names)


@pytest.mark.parametrize("word", ["lila", "lolla", "lole", "kola", "clola"])
def test_a_short_name_may_differ_by_one_letter(word: str) -> None:
    assert variants([word], {"lola": 1.0}) == ({word: "lola"})


@pytest.mark.parametrize("word", ["loal", "lilo", "laola" + "a", "lo"])
def test_a_short_name_may_not_differ_by_two(word: str) -> None:
    assert variants([word], {"lola": 1.0}) == {}


@pytest.mark.parametrize("word", ["patrcie", "patrise", "batrixe", "patri", "patriceuh"])
def test_a_longer_name_may_differ_by_two_letters(word: str) -> None:
    assert variants([word], {"patrice": 1.0}) == {word: "patrice"}


@pytest.mark.parametrize("word", ["patr", "patriciennes", "batrixa", "crayon"])
def test_a_longer_name_may_not_differ_by_three(word: str) -> None:
    assert variants([word], {"patrice": 1.0}) == {}


def test_the_name_with_the_strongest_evidence_is_taken() -> None:
    assert variants(["lila"], {"lola": 1.0, "lina": 3.0}) == {"lila": "lina"}


def test_of_names_as_strong_the_first_of_the_alphabet_is_taken() -> None:
    for names in (("lola", "lina"), ("lina", "lola")):
        assert variants(["lila"], dict.fromkeys(names, 2.0)) == {"lila": "lina"}


def test_an_established_name_can_be_a_variant_of_another() -> None:
    assert variants(["lola"], {"lola": 1.0, "lila": 2.0}) == {"lola": "lila"}


@pytest.mark.parametrize(("word", "name"), [("zoa", "zoe"), ("zoea", "zoe"), ("lol", "lola")])
def test_words_and_names_of_three_letters_are_too_near_each_other(word: str, name: str) -> None:
    assert variants([word], {name: 1.0}) == {}


def test_words_and_names_of_more_than_14_letters_are_left_alone() -> None:
    assert variants(["z" * 15], {"z" * 14: 1.0}) == {}
    assert variants(["z" * 14], {"z" * 15: 1.0}) == {}
    assert variants(["z" * 13], {"z" * 14: 1.0}) == {"z" * 13: "z" * 14}


def test_nothing_is_a_variant_of_nothing() -> None:
    assert variants([], {"lola": 1.0}) == variants(["lola"], {}) == {}


def test_a_word_of_100000_letters_costs_nothing() -> None:
    long = "zo" * 50_000
    assert variants([long, "lila"], {"lola": 1.0, long: 2.0}) == {"lila": "lola"}


def test_emoji_and_lone_surrogates_are_letters_like_others() -> None:
    assert variants(["lo\ud800a"], {"lola": 1.0}) == {"lo\ud800a": "lola"}
    assert variants(["😂😂😂😂"], {"lola": 1.0}) == {}


def test_a_thousand_similar_names_are_compared() -> None:
    names = {"".join(letters): 1.0 for letters in product("abcdefghij", repeat=3)}
    names = {"zor" + name: strength for name, strength in names.items()}
    found = variants(["x" + name for name in names], names)
    assert len(found) == 1000


def test_shorter_words_are_kept_if_asked() -> None:
    near = OneEdit(["jean", "lou"], shortest=3)
    assert [near(word) for word in ("jaen", "jen", "loup")] == [["jean"], ["jean"], ["lou"]]
    assert OneEdit(["jean"])("jaen") == []
