"""Social security numbers: sex, year, month, department, commune, order, key."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.grouped import END, GAP, START, then
from triage.dictionaries.recognisers.recogniser import Recogniser, before, behind

# Corsica's departments are 2A and 2B.
_NUMBER = rf"[1-478]{then(4)}{GAP}(?:\d{GAP}\d|2 ?[ab]){then(6)}"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of social security numbers."""
    triggers, between = pack.nir.triggers, pack.announced.between
    key = rf"[ \n.\-/(,]{{0,3}}+(?:{pack.nir.key}[ :.=]{{0,3}}+)?+\d ?\d"
    return (
        Recogniser(
            "nir",
            Kind.NIR,
            re.compile(f"(?i:{START}{_NUMBER}{key}{END})"),
            gate="[0-9]{2}",
            check=checks.nir,
            digits=14,
            score=0.97,
        ),
        # The key is often left out.
        Recogniser(
            "nir_announced",
            Kind.NIR,
            re.compile(f"(?i:{behind(triggers, between, f'{_NUMBER}(?:{key})?+')}(?!\\d))"),
            gate="[0-9]{2}",
            check=checks.has_nir_form,
            digits=12,
            score=0.87,
        ),
        Recogniser(
            "nir_before",
            Kind.NIR,
            re.compile(f"(?i:{before(triggers, pack.announced.few, f'{_NUMBER}(?:{key})?+')})"),
            gate="[0-9]{2}",
            check=checks.has_nir_form,
            digits=12,
            score=0.87,
        ),
    )
