"""Which spellings stand for one thing."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.anonymise.entity import Spelling, canonical, short_forms
from triage.anonymise.styles import StyleContext
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.vocabulary import IdentifierType

PRE, NOM, SUR = map(IdentifierType, ("PRE", "NOM", "SUR"))
CASES = cases_beside(__file__, "cases.toml")


def _names(type_: str, texts: Sequence[str], lexicon: Lexicon) -> set[str]:
    return {canonical(text, IdentifierType(type_), lexicon) for text in texts}


@pytest.mark.parametrize("case", CASES["one"])
def test_spellings_of_one_thing_are_one(case: list[str], french: Lexicon) -> None:
    type_, *texts = case
    assert len(_names(type_, texts, french)) == 1


@pytest.mark.parametrize("case", CASES["apart"])
def test_spellings_that_only_look_alike_are_not(case: list[str], french: Lexicon) -> None:
    type_, *texts = case
    assert len(_names(type_, texts, french)) == len(texts)


def test_an_entity_is_a_person_of_the_corpus_or_of_a_sender(french: Lexicon) -> None:
    entity = StyleContext(french).entity
    assert entity(Spelling("Nico", SUR)) == entity(Spelling("Nicolas", PRE, "s1"))
    assert entity(Spelling("Martin", PRE)) != entity(Spelling("Martin", NOM))
    of_sender = StyleContext(french, per_sender=True).entity
    assert of_sender(Spelling("Zoé", PRE, "s1")) != of_sender(Spelling("Zoé", PRE, "s2"))


def test_the_list_of_short_forms_is_sound(french: Lexicon) -> None:
    forms = short_forms(french.pack)
    assert len(forms) > 150
    assert not {*forms} & {*forms.values()}
    for short, full in forms.items():
        assert _names("PRE", [short, full], french) == {full}
    lines = french.pack.lines("surrogates/short_forms.txt")
    listed = [line.split("\t") for line in lines if not line.startswith("#")]
    short_ones = [fold(short) for _, several in listed for short in several.split()]
    assert len(short_ones) == len({*short_ones})
    assert len(listed) == len({fold(full) for full, _ in listed})


def test_a_very_long_stretch_takes_no_time(french: Lexicon) -> None:
    assert canonical("l" + "é" * 100_000, PRE, french)
    assert canonical("ab" * 100_000, PRE, french)


@given(st.text(st.characters(), max_size=30), st.sampled_from(IdentifierType))
def test_any_text_stands_for_something(french: Lexicon, text: str, type_: IdentifierType) -> None:
    assert bool(canonical(text, type_, french)) == bool(text)
