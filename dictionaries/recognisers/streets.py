"""Street addresses that one expression finds; `triage.dictionaries.addresses` finds others."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recogniser of street addresses."""
    street = any_of(pack.streets.types)
    link = any_of(pack.streets.links)
    capital = f"(?-i:[{pack.streets.capitals}])"
    suffix = any_of((*pack.streets.suffixes, r"[a-dA-D]\b"))
    form = (
        rf"\b\d{{1,4}}(?: ?{suffix})?,? {{1,2}}{street} (?:{link} ?)?"
        rf"[^\W\d_]['’\w-]{{1,30}}(?: {capital}[\w'’-]{{1,30}}){{0,4}}"
        rf"(?:,? {{0,2}}\d{{5}}(?: {capital}[\w'’-]{{1,40}}){{0,3}})?"
    )
    return (
        Recogniser(
            "street",
            Kind.ADR,
            re.compile(f"(?i:{form})"),
            gate="[0-9]",
            near=pack.streets.near,
            score=0.85,
        ),
    )
