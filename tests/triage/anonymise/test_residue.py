"""What replacing leaves of identifiers that people marked."""

import pytest

from tests.cases import cases_beside
from triage.anonymise.held import Residue, is_covered, is_touched
from triage.decide.precedence import Identifier
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__)

PATRICE = (7, 14, "PRE")


def _found(*spans: tuple[int, int]) -> list[Identifier]:
    return [Identifier(*span, IdentifierType.PRE, "evidence") for span in spans]


@pytest.mark.parametrize(
    ("spans", "touched", "covered"), CASES["an_identifier_is_gone_when_no_character"]
)
def test_an_identifier_is_gone_when_no_character_stands(
    spans: list[tuple[int, int]], touched: bool, covered: bool
) -> None:
    assert is_touched(PATRICE, _found(*spans)) is touched
    assert is_covered(PATRICE, _found(*spans)) is covered


@pytest.mark.parametrize("kind", ["NOM_LIE", "AUTRE", ""])
def test_an_identifier_of_an_open_or_unknown_type_counts_as_direct(kind: str) -> None:
    residue = Residue()
    residue.add([(0, 5, kind)], [])
    assert [one.marked for one in residue.by_severity] == [1, 0]
