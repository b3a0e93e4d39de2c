"""What replacing leaves of identifiers that people marked."""

import pytest

from triage.anonymise.residue import Marked, Residue, is_covered, is_touched
from triage.decide.precedence import Identifier
from triage.vocabulary import IdentifierType

PATRICE = (7, 14, "PRE")


def _found(*spans: tuple[int, int]) -> list[Identifier]:
    return [Identifier(*span, IdentifierType.PRE, "evidence") for span in spans]


@pytest.mark.parametrize(
    ("spans", "touched", "covered"),
    [
        ([(7, 14)], True, True),
        ([(0, 20)], True, True),
        ([(7, 10), (10, 14)], True, True),
        ([(7, 13)], True, False),
        ([(13, 20)], True, False),
        ([(14, 20)], False, False),
        ([(0, 7)], False, False),
        ([], False, False),
    ],
)
def test_an_identifier_is_gone_when_no_character_stands(
    spans: list[tuple[int, int]], touched: bool, covered: bool
) -> None:
    assert is_touched(PATRICE, _found(*spans)) is touched
    assert is_covered(PATRICE, _found(*spans)) is covered


def test_direct_and_indirect_identifiers_are_counted_apart() -> None:
    residue = Residue()
    messages: list[tuple[list[Marked], list[Identifier]]] = [
        ([PATRICE, (15, 20, "LIE"), (30, 33, "PRE")], _found((7, 14))),
        ([(0, 5, "LIE")], []),
        ([], []),
    ]
    for marked, found in messages:
        residue.add(marked, found)
    assert residue.n_messages == 3
    assert [(one.marked, one.untouched, one.messages) for one in residue.by_severity] == [
        (2, 1, 1),
        (2, 2, 2),
    ]


@pytest.mark.parametrize("kind", ["NOM_LIE", "AUTRE", ""])
def test_an_identifier_of_an_open_or_unknown_type_counts_as_direct(kind: str) -> None:
    residue = Residue()
    residue.add([(0, 5, kind)], [])
    assert [one.marked for one in residue.by_severity] == [1, 0]
