"""E-mail addresses and web addresses."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.recogniser import Recogniser

_MAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
_DOMAINS = "com|fr|net|org|eu|be|ch|info|tv"
_DOMAIN = rf"(?<![\w.@-])(?:[\w-]{{1,63}}\.){{1,4}}(?:{_DOMAINS})\b"
_REST = r"[^\s<>\"]{0,2000}+"
_URL = rf"(?i:https?://|www\.){_REST}|{_DOMAIN}(?:/{_REST})?"
_TRAILING = ".,;:!?)]}»\"'’"


def recognisers(_: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of addresses on the net."""
    return (
        Recogniser(
            "mail",
            Kind.MEL,
            re.compile(_MAIL),
            gate="@",
            score=0.95,
            examples=("écris à zoe.martin@exemple.fr",),
            counterexamples=("@ demain",),
        ),
        Recogniser(
            "url",
            Kind.URL,
            re.compile(_URL),
            gate=rf"://|w\.|\.(?:{_DOMAINS})\b",
            score=0.9,
            examples=("va voir www.exemple.fr/zoe",),
            counterexamples=("ok.merci",),
            trim=_TRAILING,
        ),
    )
