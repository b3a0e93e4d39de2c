"""Social security numbers: sex, year, month, department, commune, order, key."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.grouped import END, GAP, START, then
from triage.dictionaries.recognisers.recogniser import Recogniser, before, behind

# Corsica's departments are 2A and 2B.
_NUMBER = rf"[1-478]{then(4)}{GAP}(?:\d{GAP}\d|2 ?[ab]){then(6)}"
_KEY = r"[ \n.\-/(,]{0,3}+(?:cl[eé][ :.=]{0,3}+)?+\d ?\d"


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of social security numbers."""
    triggers, between = words["nir"]["triggers"], words["announced"]["between"]
    return (
        Recogniser(
            "nir",
            Kind.NIR,
            re.compile(f"(?i:{START}{_NUMBER}{_KEY}{END})"),
            gate="[0-9]{2}",
            check=checks.nir,
            digits=14,
            score=0.97,
            examples=("2 95 10 99 126 111 93",),
            counterexamples=("2 95 10 99 126 111 94",),
        ),
        # The key is often left out.
        Recogniser(
            "nir_announced",
            Kind.NIR,
            re.compile(f"(?i:{behind(triggers, between, f'{_NUMBER}(?:{_KEY})?+')}(?!\\d))"),
            gate="[0-9]{2}",
            check=checks.has_nir_form,
            digits=12,
            score=0.87,
            examples=("num de secu : 2951099126111",),
            counterexamples=("la secu m'a rembourse 45,30",),
        ),
        Recogniser(
            "nir_before",
            Kind.NIR,
            re.compile(
                f"(?i:{before(triggers, words['announced']['few'], f'{_NUMBER}(?:{_KEY})?+')})"
            ),
            gate="[0-9]{2}",
            check=checks.has_nir_form,
            digits=12,
            score=0.87,
            examples=("2951099126111 c'est mon num de secu",),
            counterexamples=("45,30 de la secu",),
        ),
    )
