"""Street addresses that one expression finds; `triage.dictionaries.addresses` finds others."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recogniser of street addresses.

    A number, a street type, a name up to the end of the clause, perhaps a postcode.
    """
    street = any_of(words["streets"]["types"])
    link = any_of(words["streets"]["links"])
    form = (
        rf"\b\d{{1,4}}(?: ?(?:bis|ter|[a-dA-D]\b))?,? {{1,2}}{street} (?:{link} ?)?"
        r"[^\W\d_]['’\w-]{1,30}(?: (?-i:[A-ZÉÈ])[\w'’-]{1,30}){0,4}"
        r"(?:,? {0,2}\d{5}(?: (?-i:[A-ZÉÈ])[\w'’-]{1,40}){0,3})?"
    )
    return (
        Recogniser(
            "street",
            Kind.ADR,
            re.compile(f"(?i:{form})"),
            gate="[0-9]",
            near=words["streets"]["near"],
            score=0.85,
            examples=("rdv 12 rue des Lilas",),
            counterexamples=("2 place de ciné",),
        ),
    )
