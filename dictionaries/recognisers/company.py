"""Numbers of companies: SIREN, SIRET and VAT."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.grouped import END, START, then
from triage.dictionaries.recognisers.recogniser import Recogniser, before, behind

_SIREN = rf"\d{then(8)}"
_SIRET = rf"\d{then(13)}"
_FRENCH_VAT = rf"fr{then(2, '[0-9a-z]')}{then(9)}"
_VAT = rf"(?:{_FRENCH_VAT}|[a-z]{{2}}{then(7)}(?:{then(1)}){{0,5}}+)"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of companies' numbers."""
    own, between = pack.company, pack.announced.between
    either = f"(?:{_SIRET}|{_SIREN})"
    return (
        Recogniser(
            "siret",
            Kind.SIR,
            re.compile(rf"{START}\d{{3}}[ .-]\d{{3}}[ .-]\d{{3}}[ .-]\d{{5}}{END}"),
            gate="[0-9]{2}",
            check=checks.siret,
            digits=14,
            score=0.9,
        ),
        Recogniser(
            "siret_announced",
            Kind.SIR,
            re.compile(f"(?i:{behind(own.triggers, between, either)}{END})"),
            gate="[0-9]{2}",
            digits=9,
            score=0.75,
        ),
        Recogniser(
            "siret_before",
            Kind.SIR,
            re.compile(f"(?i:{before(own.triggers, pack.announced.few, either)})"),
            gate="[0-9]{2}",
            digits=9,
            score=0.7,
        ),
        Recogniser(
            "vat",
            Kind.SIR,
            re.compile(f"(?i:{START}{_FRENCH_VAT}(?![^\\W_]))"),
            gate="[0-9]{2}",
            check=checks.vat,
            digits=9,
            score=0.9,
        ),
        Recogniser(
            "vat_announced",
            Kind.SIR,
            re.compile(f"(?i:{behind(own.vat, between, _VAT)}(?![^\\W_]))"),
            gate="[0-9]{2}",
            digits=8,
            score=0.7,
        ),
    )
