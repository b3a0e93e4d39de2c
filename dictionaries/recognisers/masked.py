"""Identifiers that somebody has replaced already."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import Recogniser

# The marks of the published corpus (<PRE_7>, <ADR_LIE_21>) and of the paper (<PRE_7_17316>).
_MASKED = r"<[A-Z]{3}(?:_[A-Z]{3}){0,3}(?:_[0-9A-Za-z]{1,12}){1,2}>"


def recognisers(_: Pack) -> tuple[Recogniser, ...]:
    """Return the recogniser of marks."""
    return (
        Recogniser(
            "masked",
            Kind.MASKED,
            re.compile(_MASKED),
            gate="<[a-z]{3}_",
            score=1.0,
        ),
    )
