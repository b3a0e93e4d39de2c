"""What becomes of identifiers by their types, and of spellings that are listed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.anonymise.entity import Spelling
from triage.anonymise.styles import StyleContext, Styles, make_style, make_styles
from triage.anonymise.treatment import Treating
from triage.decide.find import Found
from triage.decide.precedence import Identifier, Rule
from triage.dictionaries import Lexicon
from triage.settings import OfType, StyleName
from triage.vocabulary import IdentifierType

PRE, NOM, LIE, URL = (IdentifierType[name] for name in ("PRE", "NOM", "LIE", "URL"))
KEEP, ASK = OfType.KEEP, OfType.ASK
TEXT = "Marine va au bar du coin, cf www.lebar.fr"
MARINE = Identifier(0, 6, PRE, Rule.EVIDENCE)
BAR = Identifier(26, 41, URL, Rule.PATTERN)


def texts(identifiers: list[Identifier], text: str = TEXT) -> list[str]:
    return [text[one.start : one.end] for one in identifiers]


def test_without_a_plan_all_that_was_found_is_replaced() -> None:
    found = Found([MARINE, BAR], ambiguous=1)
    assert Treating()(found, TEXT) == found


def test_a_type_that_is_kept_stands_and_is_told() -> None:
    treated = Treating({URL: KEEP})(Found([MARINE, BAR]), TEXT)
    assert (treated.identifiers, treated.kept, treated.is_asked) == ([MARINE], [BAR], False)


def test_a_type_to_ask_about_is_asked_and_would_be_replaced() -> None:
    treated = Treating({URL: ASK})(Found([MARINE, BAR]), TEXT)
    assert (treated.identifiers, treated.is_asked) == ([MARINE, BAR], True)


def test_what_a_person_marked_is_not_asked_about() -> None:
    marked = BAR._replace(rule=Rule.EXPERT)
    treated = Treating({URL: ASK})(Found([marked]), TEXT)
    assert (treated.identifiers, treated.is_asked) == ([marked], False)


def test_a_type_that_is_kept_stands_even_where_a_person_marked_it() -> None:
    assert Treating({URL: KEEP})(Found([BAR._replace(rule=Rule.EXPERT)]), TEXT).identifiers == []


def test_a_spelling_is_always_replaced_as_its_type() -> None:
    treated = Treating(always={"Bar du Coin": LIE})(Found([]), TEXT)
    assert treated.identifiers == [Identifier(13, 24, LIE, Rule.ALWAYS)]


def test_a_spelling_is_always_replaced_whatever_becomes_of_its_type() -> None:
    treating = Treating({LIE: KEEP}, {"bar du coin": LIE})
    assert texts(treating(Found([]), TEXT).identifiers) == ["bar du coin"]


def test_a_spelling_is_never_replaced_but_where_a_person_marked_it() -> None:
    treating = Treating(never=["Marine"])
    assert treating(Found([MARINE]), TEXT).kept == [MARINE]
    assert treating(Found([MARINE._replace(rule=Rule.EXPERT)]), TEXT).kept == []


def test_a_spelling_that_is_but_part_of_an_identifier_does_not_let_it_stand() -> None:
    home = Identifier(0, 18, IdentifierType.ADR, Rule.ADDRESS)
    assert Treating(never=["Marine"])(Found([home]), "12 rue Ste Marine").identifiers == [home]


def test_the_longer_of_two_listed_spellings_counts() -> None:
    treating = Treating(always={"Rosa": PRE}, never=["lycée Rosa Parks"])
    text = "au lycée rosa parks avec Rosa"
    treated = treating(Found([Identifier(9, 13, PRE, Rule.EVIDENCE)]), text)
    assert [one.start for one in treated.identifiers] == [25]


def test_a_listed_spelling_leaves_the_rest_of_what_overlaps_it() -> None:
    text = "Anna Rosa Luxembourg"
    found = Found([Identifier(0, 9, PRE, Rule.EVIDENCE)])
    treated = Treating({PRE: KEEP}, {"Rosa Luxembourg": NOM})(found, text)
    assert treated.identifiers == [Identifier(5, 20, NOM, Rule.ALWAYS)]
    assert treated.kept == [Identifier(0, 5, PRE, Rule.EVIDENCE)]


SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=6)


@given(SPANS, st.text("ab -", max_size=40))
def test_identifiers_stay_in_order_and_apart_and_no_listed_one_is_left(
    spans: list[tuple[int, int]], text: str
) -> None:
    identifiers: list[Identifier] = []
    for start, length in sorted(spans):
        if start + length <= len(text) and all(one.end <= start for one in identifiers):
            identifiers.append(Identifier(start, start + length, PRE, Rule.EVIDENCE))
    treated = Treating({PRE: KEEP}, {"ab": LIE, "b a": NOM})(Found(identifiers), text).identifiers
    assert all(one.end <= other.start for one, other in pairwise(treated))
    for listed in Treating(always={"ab": LIE, "b a": NOM}).always(text):
        assert any(one.start <= listed.start and listed.end <= one.end for one in treated)


# Styles by type.

KEY = bytes(range(32))


def test_each_type_has_its_style(french: Lexicon) -> None:
    styles = Styles(StyleName.TAG, {PRE: StyleName.SURROGATE, URL: StyleName.MASK})
    spellings = [Spelling("Marine", PRE), Spelling("Paris", LIE), Spelling("www.ici.fr", URL)]
    context = StyleContext(french, KEY, spellings)
    made = [make_styles(styles, context)(one) for one in spellings]
    assert made[1:] == ["<LIE_5>", "x" * 10]
    assert made[0].isalpha()
    assert made[0] != "Marine"


@pytest.mark.parametrize("name", StyleName)
def test_one_style_for_all_types_is_that_style(name: StyleName, french: Lexicon) -> None:
    spellings = [Spelling("Marine", PRE), Spelling("Dupont", NOM), Spelling("Paris", LIE)]
    context = StyleContext(french, KEY, spellings)
    one, several = make_style(name, context), make_styles(Styles(name), context)
    assert [*map(one, spellings)] == [*map(several, spellings)]


@pytest.mark.parametrize(
    ("styles", "needs"),
    [
        (Styles(), False),
        (Styles(StyleName.MASK, {PRE: StyleName.PAPER}), False),
        (Styles(StyleName.SURROGATE), True),
        (Styles(StyleName.TAG, {PRE: StyleName.CONSISTENT}), True),
        (Styles(StyleName.CONSISTENT, dict.fromkeys(IdentifierType, StyleName.TAG)), False),
    ],
)
def test_a_key_is_needed_if_the_style_of_one_type_needs_it(styles: Styles, needs: bool) -> None:
    assert styles.needs_key is needs
