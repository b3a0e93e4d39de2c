"""Words that are one edit apart are found, variants of names too, and no others."""

from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from triage.dictionaries.edits import NameVariants, one_edit_from, with_a_letter_less

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


@given(st.lists(WORDS, max_size=20), WORDS)
def test_exactly_the_words_one_edit_away_are_found(words: list[str], word: str) -> None:
    assert set(one_edit_from(word, with_a_letter_less(words))) == one_edit_away(word) & set(words)
    assert one_edit_from(word[:4], with_a_letter_less([word[:3]])) == []


def distance(one: str, other: str) -> int:
    """Return the distance of Levenshtein, from its definition."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i, j in product(range(1, len(one) + 1), range(1, len(other) + 1)):
        change = table[i - 1, j - 1] + (one[i - 1] != other[j - 1])
        table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
    return table[len(one), len(other)]


@given(st.lists(NAME, max_size=8), st.dictionaries(NAME, st.integers(1, 4).map(float), max_size=8))
@example(["zaba"], {"zbbb": 1.0, "zbba": 2.0, "zabb": 2.0})
def test_a_variant_is_of_the_strongest_name_within_the_distance(
    unknown: list[str], established: dict[str, float]
) -> None:
    variant_of = NameVariants(established)
    for word in unknown:
        near = [
            name
            for name in sorted(established)
            if name != word
            and distance(word, name) <= (1 if len(name) <= 5 else 2)
            and min(len(word), len(name)) >= 4
        ]
        assert variant_of(word) == max(near, key=established.__getitem__, default="")
