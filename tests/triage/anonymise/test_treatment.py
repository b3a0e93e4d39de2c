"""What becomes of identifiers by their types, and of spellings that are listed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.anonymise.plan import Treating
from triage.decide.find import Found, Identifier, Rule
from triage.settings import OfType
from triage.vocabulary import IdentifierType

PRE, NOM, LIE, URL = (IdentifierType[name] for name in ("PRE", "NOM", "LIE", "URL"))
KEEP, ASK = OfType.KEEP, OfType.ASK
TEXT = "Marine Rosa va au bar du coin, cf www.lebar.fr"
MARINE, BAR = Identifier(0, 6, PRE, Rule.EVIDENCE), Identifier(34, 46, URL, Rule.PATTERN)
MARINE_ROSA = Identifier(0, 11, PRE, Rule.EVIDENCE)
MARKED = BAR._replace(rule=Rule.EXPERT)
COIN = Identifier(18, 29, LIE, Rule.ALWAYS)


@pytest.mark.parametrize(
    ("treating", "found", "replaced", "kept"),
    [
        (Treating(), [MARINE, BAR], [MARINE, BAR], []),
        (Treating({URL: KEEP}), [MARINE, BAR], [MARINE], [BAR]),
        # Also where a person marked it.
        (Treating({URL: KEEP}), [MARKED], [], [MARKED]),
        (Treating(always={"Bar du Coin": LIE}), [], [COIN], []),
        (Treating({LIE: KEEP}, {"bar du coin": LIE}), [], [COIN], []),
        # What a person marked goes, and so does what a spelling is but a part of.
        (Treating(never=["Marine"]), [MARINE], [], [MARINE]),
        (Treating(never=["www.lebar.fr"]), [MARKED], [MARKED], []),
        (Treating(never=["Marine"]), [MARINE_ROSA], [MARINE_ROSA], []),
        # The longer of two listed spellings counts.
        (Treating(always={"bar": NOM, "bar du coin": LIE}), [], [COIN], []),
        # A listed spelling leaves the rest of what overlaps it.
        (
            Treating({PRE: KEEP}, {"Rosa va": NOM}),
            [MARINE_ROSA],
            [Identifier(7, 14, NOM, Rule.ALWAYS)],
            [Identifier(0, 7, PRE, Rule.EVIDENCE)],
        ),
    ],
)
def test_identifiers_are_replaced_or_kept(
    treating: Treating, found: list[Identifier], replaced: list[Identifier], kept: list[Identifier]
) -> None:
    treated = treating(Found(found), TEXT)
    assert (treated.identifiers, treated.kept) == (replaced, kept)


@pytest.mark.parametrize(("found", "is_asked"), [(BAR, True), (MARKED, False)])
def test_a_type_is_asked_about_unless_a_person_marked_it(found: Identifier, is_asked: bool) -> None:
    treated = Treating({URL: ASK})(Found([found]), TEXT)
    assert (treated.identifiers, treated.is_asked) == ([found], is_asked)


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
