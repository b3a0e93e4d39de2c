"""Every type has its names."""

import re
from pathlib import Path

from triage.vocabulary import TYPE_NAMES, IdentifierType

TYPES = Path(__file__).parents[2] / "docs" / "reference" / "types.md"
# The names of Presidio's recognisers of all countries, and of its mapping of models.
PRESIDIO = {
    *("CREDIT_CARD", "CRYPTO", "DATE_TIME", "EMAIL_ADDRESS", "IBAN_CODE", "IP_ADDRESS", "URL"),
    *("LOCATION", "PERSON", "PHONE_NUMBER", "AGE", "ID", "ORGANIZATION"),
}
# Made like them for what it has no name for.
OURS = {"FR_NIR", "FR_SIREN", "FR_VEHICLE_REGISTRATION", "USERNAME"}


def test_every_type_has_names_of_its_own_which_the_documentation_shows() -> None:
    assert [*TYPE_NAMES] == [*IdentifierType]
    shown = TYPES.read_text(encoding="utf-8")
    for type_, names in TYPE_NAMES.items():
        assert (names.presidio in PRESIDIO) != (names.presidio in OURS)
        assert re.fullmatch(r'<[a-zA-Z]+(?: type="[A-Za-z]+")?>', names.tei)
        ours = " *" if names.presidio in OURS else ""
        assert f"| {type_.value} | {names.one} | {names.presidio}{ours} | `{names.tei}` |" in shown
    for called in ("one", "several"):
        assert len({getattr(one, called) for one in TYPE_NAMES.values()}) == len(IdentifierType)
