"""Case, accents and apostrophes are written one way before words are compared."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.dictionaries.normal import each, fold, normal

CASES = cases_beside(__file__)
TEXT = st.text(alphabet="abcÀÉÈÇçéœŒñï'’`\u0301 \n", max_size=30)


@pytest.mark.parametrize(("of", "written", "expected"), CASES["one_way"])
def test_one_way_to_write(of: str, written: str, expected: str) -> None:
    assert {"normal": normal, "fold": fold}[of](written) == expected


@given(TEXT)
def test_what_is_normal_stays_and_folds_to_ascii_composed_or_not(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert normal(normal(text)) == normal(decomposed) == normal(text)
    assert fold(normal(text)).isascii()
    assert fold(normal(decomposed)) == fold(normal(text))


@given(st.lists(st.text(max_size=6)))
@pytest.mark.parametrize("of", [normal, fold])
def test_many_words_are_read_together_as_each_by_itself(
    of: Callable[[str], str], words: list[str]
) -> None:
    assert each(of, words) == [*map(of, words)]
