"""Where a message is signed."""

import time

import pytest

from tests.cases import cases_beside
from triage.anonymise.table import signed
from triage.decide.find import Identifier, Rule
from triage.dictionaries.pack import load_pack
from triage.vocabulary import IdentifierType

FRENCH_PACK = load_pack("fr")

PRE, TEL = IdentifierType.PRE, IdentifierType.TEL
CASES = cases_beside(__file__, "cases.toml")


@pytest.mark.parametrize(
    ("text", "is_signed"),
    [*((text, True) for text in CASES["signed"]), *((text, False) for text in CASES["unsigned"])],
)
def test_a_message_is_signed_where_the_sender_gives_a_name(text: str, is_signed: bool) -> None:
    at = text.index("Marie")
    found = [Identifier(at, at + len("Marie"), PRE, Rule.EVIDENCE)]
    assert [*signed(text, found, FRENCH_PACK)] == found * is_signed


def test_of_first_and_last_name_the_first_signs() -> None:
    text = "Bien cordialement, Marie Dupont"
    marie = Identifier(19, 24, PRE, Rule.EVIDENCE)
    dupont = Identifier(25, 31, IdentifierType.NOM, Rule.EVIDENCE)
    assert [*signed(text, [marie, dupont], FRENCH_PACK)] == [marie]


def test_a_telephone_number_signs_nothing() -> None:
    assert not [*signed("Bisous, 0639981234", [Identifier(8, 18, TEL, Rule.PATTERN)], FRENCH_PACK)]


@pytest.mark.slow
@pytest.mark.parametrize("stretch", ["bisous ", "a plus, ", "\n ", "c'est ", "bonne a-", "Marie "])
def test_a_long_message_takes_a_time_in_proportion(stretch: str) -> None:
    text = stretch * (200_000 // len(stretch))
    found = [Identifier(at, at + 5, PRE, Rule.EVIDENCE) for at in range(0, len(text) - 7, 7)]
    start = time.process_time()
    assert len([*signed(text, found, FRENCH_PACK)]) <= len(found)
    assert time.process_time() - start < 5
