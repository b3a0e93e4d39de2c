"""Codes behind the words that announce them."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recogniser of codes."""
    codes = words["codes"]
    no_quantity = rf"(?!\d+{any_of(codes['units'])}\b)"
    code = rf"{no_quantity}(?:[A-Z]{{0,3}}\d[\dA-Z]{{2,14}}[A-Z*#]?|[A-Z]\d{{2,8}})(?!\w)"
    return (
        Recogniser(
            "code",
            Kind.COD,
            re.compile(f"(?i:{behind(codes['triggers'], codes['between'], code)})"),
            gate="[0-9]",
            score=0.8,
            examples=("le code c'est 45B78",),
            counterexamples=("code promo ete2024",),
        ),
    )
