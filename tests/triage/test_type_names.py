"""Every type has its names."""

import re
from pathlib import Path

import pytest

from triage.type_names import OURS, TYPE_NAMES
from triage.vocabulary import IdentifierType

DOCS = Path(__file__).parents[2] / "docs"
# The names of Presidio's recognisers of all countries, and of its mapping of models.
PRESIDIO = {
    *("CREDIT_CARD", "CRYPTO", "DATE_TIME", "EMAIL_ADDRESS", "IBAN_CODE", "IP_ADDRESS", "URL"),
    *("LOCATION", "PERSON", "PHONE_NUMBER", "AGE", "ID", "ORGANIZATION"),
}


def test_every_type_has_names_in_the_order_of_the_types() -> None:
    assert [*TYPE_NAMES] == [*IdentifierType]


@pytest.mark.parametrize("type_", IdentifierType)
def test_names_are_presidios_or_said_to_be_ours(type_: IdentifierType) -> None:
    names = TYPE_NAMES[type_]
    assert (names.presidio in PRESIDIO) != (names.presidio in OURS)
    assert re.fullmatch(r'<[a-zA-Z]+(?: type="[A-Za-z]+")?>', names.tei)


def test_no_two_types_are_called_alike() -> None:
    assert len({names.one for names in TYPE_NAMES.values()}) == len(IdentifierType)
    assert len({names.several for names in TYPE_NAMES.values()}) == len(IdentifierType)


def test_the_documentation_shows_the_table() -> None:
    shown = (DOCS / "reference" / "types.md").read_text(encoding="utf-8")
    for type_, names in TYPE_NAMES.items():
        ours = " *" if names.presidio in OURS else ""
        row = f"| {type_.value} | {names.one} | {names.presidio}{ours} | `{names.tei}` |"
        assert row in shown
