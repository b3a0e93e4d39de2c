"""Numbers that France gives: of social security, number plates, companies."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers import checks
from triage.dictionaries.recognisers.recogniser import (
    END,
    GAP,
    START,
    Recogniser,
    any_of,
    before,
    behind,
    then,
)

# Corsica's departments are 2A and 2B.
_NIR = rf"[1-478]{then(4)}{GAP}(?:\d{GAP}\d|2 ?[ab]){then(6)}"


def social_security(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of social security numbers."""
    triggers, between = pack.nir.triggers, pack.announced.between
    key = rf"[ \n.\-/(,]{{0,3}}+(?:{pack.nir.key}[ :.=]{{0,3}}+)?+\d ?\d"
    return (
        Recogniser(
            "nir",
            Kind.NIR,
            re.compile(f"(?i:{START}{_NIR}{key}{END})"),
            gate="[0-9]{2}",
            check=checks.nir,
            digits=14,
            score=0.97,
        ),
        # The key is often left out.
        Recogniser(
            "nir_announced",
            Kind.NIR,
            re.compile(f"(?i:{behind(triggers, between, f'{_NIR}(?:{key})?+')}(?!\\d))"),
            gate="[0-9]{2}",
            check=checks.has_nir_form,
            digits=12,
            score=0.87,
        ),
        Recogniser(
            "nir_before",
            Kind.NIR,
            re.compile(f"(?i:{before(triggers, pack.announced.few, f'{_NIR}(?:{key})?+')})"),
            gate="[0-9]{2}",
            check=checks.has_nir_form,
            digits=12,
            score=0.87,
        ),
    )


_PLATE_START, _PLATE_END = r"(?<![^\W_])(?<![\w][-'’.])", r"(?![^\W_])(?![-'’]\w)"
# I, O and U are not used, as they look like 1, 0 and V; nor is SS.
_LETTER = "[A-HJ-NP-TV-Z]"
_PAIR = rf"(?!SS){_LETTER}{{2}}"
_PLATE_GAP = r" ?+[-./_]?+ ?+"
_JOINED = rf"{_PAIR}\d{{3}}{_PAIR}"
_HYPHENS = rf"{_PAIR} ?+[-_./·] ?+\d{{3}} ?+[-_./·] ?+{_PAIR}"
_DEPARTMENT = r"(?:0[1-9]|[1-8]\d|9[0-5]|2[AB]|97[1-6])"


def plates(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of number plates."""
    own = pack.plate
    # "ma clio 3 grise"
    between = [*pack.announced.between, "[1-9]"]
    # "de 150 ch", "la 200 km": words and units are no letters of a plate.
    no_word = rf"(?!(?i:{any_of(own.no_letters)})(?![A-Za-z]))"
    pairs = rf"{no_word}{_PAIR}{_PLATE_GAP}\d{{3}}{_PLATE_GAP}{no_word}{_PAIR}"
    old_letters = rf"{no_word}{_LETTER}{{2,3}}"
    old = rf"[1-9]\d{{2,3}}{_PLATE_GAP}{old_letters}{_PLATE_GAP}{_DEPARTMENT}"
    old_spaced = rf"[1-9]\d{{2,3}}[ -]{old_letters}[ -]{_DEPARTMENT}"
    return (
        Recogniser(
            "plate",
            Kind.IMM,
            re.compile(
                rf"{_PLATE_START}(?:{_JOINED}|(?i:{_HYPHENS})|{pairs}|{old_spaced}){_PLATE_END}"
            ),
            gate="[0-9]{3}",
            score=0.9,
        ),
        Recogniser(
            "plate_lower_case",
            Kind.IMM,
            re.compile(f"{_PLATE_START}(?i:{pairs}){_PLATE_END}"),
            gate="[0-9]{3}",
            score=0.5,
        ),
        Recogniser(
            "plate_announced",
            Kind.IMM,
            re.compile(f"(?i:{behind(own.triggers, between, f'(?:{pairs}|{old}){_PLATE_END}')})"),
            gate="[0-9]{3}",
            score=0.8,
        ),
    )


_SIREN = rf"\d{then(8)}"
_SIRET = rf"\d{then(13)}"
_FRENCH_VAT = rf"fr{then(2, '[0-9a-z]')}{then(9)}"
_VAT = rf"(?:{_FRENCH_VAT}|[a-z]{{2}}{then(7)}(?:{then(1)}){{0,5}}+)"


def companies(pack: Pack) -> tuple[Recogniser, ...]:
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
