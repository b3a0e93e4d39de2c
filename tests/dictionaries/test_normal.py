"""Case, accents and apostrophes are written one way before words are compared."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries.normal import each, fold, normal

TEXT = st.text(alphabet="abcÀÉÈÇçéœŒñï'’`\u0301 \n", max_size=30)


@pytest.mark.parametrize(
    ("of", "written", "expected"),
    [
        *((normal, one, "l'été") for one in ("L'Été", "L’été", "l‘ÉTÉ", "L`Été", "l´été")),
        (normal, "lʼe\u0301te\u0301", "l'été"),
        (normal, "C`EST", "c'est"),
        *(
            (of, f"Pat{unseen}rice", "patrice")
            for of in (normal, fold)
            for unseen in "\u00ad\u200b\u200d\u2060\ufeff\u200e"
        ),
        *((fold, one, "desole") for one in ("Désolé", "DÈSOLÈ")),
        (fold, "sœur ex æquo", "soeur ex aequo"),
        (fold, "Noël ça où île", "noel ca ou ile"),
        (fold, "Nuñez Łukasz Søren Weiß Dvořák", "nunez lukasz soren weiss dvorak"),
        (fold, "e\u0301te\u0301\nhiver\n\nNoël", "ete\nhiver\n\nnoel"),
    ],
)
def test_one_way_to_write(of: Callable[[str], str], written: str, expected: str) -> None:
    assert of(written) == expected


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
