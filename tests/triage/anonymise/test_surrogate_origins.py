"""Surrogates have the origin of the names that they stand for."""

import pytest

from triage.anonymise.entity import Spelling
from triage.anonymise.styles import StyleContext, make_style
from triage.anonymise.surrogates.pools import Listed, Pool, first_names, origin_of
from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import load_pack
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

KEYS = [bytes([i] * 32) for i in range(5)]
PRE, NOM = IdentifierType.PRE, IdentifierType.NOM
FRENCH = load_pack("fr")
ENGLISH = load_pack("en")


@pytest.fixture(scope="module")
def english() -> Lexicon:
    """The lists of the English pack."""
    return load_lexicon("en")


def _surrogate(lexicon: Lexicon, key: bytes, name: str, type_: IdentifierType = PRE) -> str:
    spelling = Spelling(name, type_)
    return make_style(StyleName.SURROGATE, StyleContext(lexicon, key, [spelling]))(spelling)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("name", "origin"),
    [("Karim", "arabic"), ("Samira", "arabic"), ("Mehmet", "turkish"), ("João", "iberian")],
)
def test_a_french_surrogate_keeps_origin_and_gender(
    key: bytes, name: str, origin: str, french: Lexicon
) -> None:
    found = _surrogate(french, key, name)
    gender = first_names(FRENCH).gender
    assert origin_of(FRENCH, found) == origin
    assert gender(fold(found)) == gender(fold(name))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["Thomas", "Élodie", "Nicolas"])
def test_other_names_are_not_replaced_by_names_of_an_origin(
    key: bytes, name: str, french: Lexicon
) -> None:
    assert not origin_of(FRENCH, _surrogate(french, key, name))


@pytest.mark.parametrize("key", KEYS)
def test_each_part_of_a_full_name_keeps_its_origin(key: bytes, english: Lexicon) -> None:
    found = _surrogate(english, key, "Wei Ling Tan", NOM).split()
    assert [origin_of(ENGLISH, word) for word in found] == ["chinese"] * 3


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("name", "origin"), [("Goh", "chinese"), ("Lee", "chinese"), ("Sharma", "indian")]
)
def test_a_last_name_keeps_its_origin(key: bytes, name: str, origin: str, english: Lexicon) -> None:
    assert origin_of(ENGLISH, _surrogate(english, key, name, NOM)) == origin


def _names(n: int, origin: str, start: str) -> list[Listed]:
    return [Listed(f"{start}{letter}lo", "m", origin=origin) for letter in "abcdefghij"[:n]]


def test_enough_names_of_an_origin_are_a_ring_of_their_own() -> None:
    own = _names(8, "arabic", "K")
    pool = Pool("names", [*own, *_names(10, "", "B")])
    assert pool.rings[pool.ring_of["kalo"]] == [one.word for one in own]


def test_too_few_names_of_an_origin_stand_among_all_others() -> None:
    pool = Pool("names", [*_names(7, "arabic", "K"), *_names(10, "", "B")])
    assert pool.ring_of["kalo"] == pool.ring_of["balo"]
