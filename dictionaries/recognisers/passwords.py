"""Passwords and keys of wireless networks, which may be words, behind what announces them."""

import re
from collections.abc import Callable
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.lists import words_of
from triage.dictionaries.normal import folded
from triage.dictionaries.recognisers.codes import NO_CODE, SIGNS
from triage.dictionaries.recognisers.quantities import no_quantity
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_ANNOUNCED = r" {0,2}(?:[:=]|[-=]>|→|👉)[ \n\"«“']{0,3}"
# Something in it that no word has: a digit, a sign or a capital between letters.
_NO_WORD = r"(?=[^\s]{0,40}?(?:\d|(?-i:[a-z][A-Z])|[^\W_][@#$%&*!?+=_][^\W_]))"
_STRONG = rf"{_NO_WORD}[^\s,;:]{{2,62}}[^\s.,;:?)\]»\"”'’…]"
_HEX_GROUPS = r"(?-i:(?=[A-F -]{0,14}\d)[0-9A-F]{2,5}(?:[ \-][0-9A-F]{2,5}){2,12})(?!\w)"
_WORD = r"[^\W\d_]{3,30}(?![\w'’@-])"
_CLAUSE_END = r"(?= {0,2}(?:$|[^\w ]|(?:et|ou|avec|pour|puis|tout en|en m[ai][jn])\b))"
_FEWEST_OF_WIFI = 8
# What all triggers have in common, in pieces between spaces.
_GATE = r"mdp|m\.d\.p|pass|pwd|wi-?fi"
# "oublié", "changé".
_PARTICIPLES = ("é", "ée", "és", "ées")


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of passwords."""
    given = words["passwords"]
    examples = {
        "password": "mdp Chaussette34",
        "password_behind_a_sign": "mdp: Chaussette!34",
        "password_behind_a_verb": "le mot de passe c'est azerty",
        "quoted_password": 'le mdp "petite licorne"',
        "wifi_key": "le wifi c'est 4F5A77BC12",
    }
    return tuple(
        Recogniser(
            name,
            Kind.COD,
            re.compile(f"(?i:{form})"),
            gate=_GATE,
            near=any_of(given["near"]),
            check=_check(words_of(given["no_passwords"])),
            score=0.92,
            examples=(examples[name],),
            counterexamples=("le mot de passe est trop long", "change ton mdp stp"),
        )
        for name, form in _forms(given, no_quantity(words)).items()
    )


def _forms(given: dict[str, Any], no_quantity_here: str) -> dict[str, str]:
    """Return the forms: behind a sign or a verb anything, otherwise what is no word."""
    strong = rf"{_HEX_GROUPS}|{NO_CODE}{no_quantity_here}{_STRONG}"
    little = rf"(?: {{1,2}}{any_of([*given['between'], *given['still']])}(?!\w)){{0,5}}"
    some_words = r"(?: {1,2}[^\W\d_][\w'’-]{0,19}){0,4}"
    verbs = any_of(given["verbs"])
    verb = rf"{SIGNS}{verbs}(?!\w)(?: {any_of(given['still'])})?"
    trigger = rf"(?<!\w){any_of(given['triggers'])}(?!\w)"
    wifi = rf"(?<!\w){any_of(given['wifi'])}(?!\w)"
    announced = rf"(?:{little}|{some_words}{verb}){SIGNS}"
    return {
        "password": rf"{trigger}{announced}(?P<{FOUND}>{strong})",
        "password_behind_a_sign": (
            rf"(?:{trigger}|{wifi}){some_words}{_ANNOUNCED}(?:{verbs} )?"
            rf"(?P<{FOUND}>{strong}|{_WORD})"
        ),
        "password_behind_a_verb": (
            rf"{trigger}{little}{verb} [\"«“']? ?(?P<{FOUND}>{_WORD}){_CLAUSE_END}"
        ),
        "quoted_password": (
            rf"(?:{trigger}|{wifi}){some_words}{SIGNS}"
            rf"(?<=[\"«“])(?P<{FOUND}>[^\"»”\n]{{3,40}})(?= ?[\"»”])"
        ),
        "wifi_key": (
            rf"{wifi}{announced}(?=[^\s]{{{_FEWEST_OF_WIFI}}}|(?-i:[A-F\d]{{2,5}} ))"
            rf"(?P<{FOUND}>{strong})"
        ),
    }


def _check(no_passwords: frozenset[str]) -> Callable[[str], bool]:
    def is_password(written: str) -> bool:
        is_word = written.isalpha()
        return not is_word or not (
            folded(written) in no_passwords or written.lower().endswith(_PARTICIPLES)
        )

    return is_password
