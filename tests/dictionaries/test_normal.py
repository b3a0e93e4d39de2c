"""Case, accents and apostrophes are written one way before words are compared."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries.normal import each, fold, normal


@pytest.mark.parametrize(
    "written", ["L'Été", "L’été", "l‘ÉTÉ", "lʼe\u0301te\u0301", "L`Été", "l´été"]
)
def test_one_way_to_write_case_accents_and_apostrophes(written: str) -> None:
    assert normal(written) == "l'été"


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u200e"])
def test_what_is_not_seen_makes_no_other_word(unseen: str) -> None:
    assert normal(f"Pat{unseen}rice") == fold(f"Pat{unseen}rice") == "patrice"


def test_the_backquote_of_a_plain_text_is_an_apostrophe() -> None:
    assert normal("C`EST") == "c'est"


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Désolé", "desole"),
        ("DÈSOLÈ", "desole"),
        ("sœur", "soeur"),
        ("ex æquo", "ex aequo"),
        ("Noël ça où île", "noel ca ou ile"),
        ("Nuñez Łukasz Søren Weiß", "nunez lukasz soren weiss"),
        ("e\u0301te\u0301", "ete"),
        ("Dvořák", "dvorak"),
    ],
)
def test_folding_takes_accents_and_ligatures_off(written: str, folded: str) -> None:
    assert fold(written) == folded


def test_folding_leaves_line_breaks() -> None:
    assert fold("été\nhiver\n\nNoël") == "ete\nhiver\n\nnoel"


@given(st.text(alphabet="abcÀÉÈÇçéœŒñ'’`\u0301 \n", max_size=30))
def test_what_is_normal_stays_as_it_is(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@given(st.text(alphabet="abcÀÉÈÇçéœŒñï'’ \n", max_size=30))
def test_composed_and_decomposed_accents_are_the_same(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert normal(decomposed) == normal(text)
    assert fold(decomposed) == fold(text)


@given(st.text(alphabet="abcÀÉÈÇçéœŒñï'’ \n", max_size=30))
def test_french_folds_to_ascii(text: str) -> None:
    assert fold(normal(text)).isascii()


@given(st.lists(st.text(max_size=6)))
@pytest.mark.parametrize("of", [normal, fold])
def test_many_words_are_read_together_as_each_by_itself(
    of: Callable[[str], str], words: list[str]
) -> None:
    assert each(of, words) == [*map(of, words)]
