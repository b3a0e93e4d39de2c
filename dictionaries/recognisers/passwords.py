"""Passwords and keys of wireless networks, which may be words, behind what announces them."""

import re
from collections.abc import Callable

from triage.dictionaries.kinds import Kind
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.codes import SIGNS, no_code
from triage.dictionaries.recognisers.quantities import no_quantity
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of
from triage.dictionaries.sections import Passwords

_ANNOUNCED = r" {0,2}(?:[:=]|[-=]>|→|👉)[ \n\"«“']{0,3}"
# Something in it that no word has: a digit, a sign or a capital between letters.
_NO_WORD = r"(?=[^\s]{0,40}?(?:\d|(?-i:[a-z][A-Z])|[^\W_][@#$%&*!?+=_][^\W_]))"
_STRONG = rf"{_NO_WORD}[^\s,;:]{{2,62}}[^\s.,;:?)\]»\"”'’…]"
_HEX_GROUPS = r"(?-i:(?=[A-F -]{0,14}\d)[0-9A-F]{2,5}(?:[ \-][0-9A-F]{2,5}){2,12})(?!\w)"
_WORD = r"[^\W\d_]{3,30}(?![\w'’@-])"
_FEWEST_OF_WIFI = 8


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of passwords."""
    given = pack.passwords
    return tuple(
        Recogniser(
            name,
            Kind.COD,
            re.compile(f"(?i:{form})"),
            gate=given.gate,
            near=any_of(given.near),
            check=_check(given),
            score=0.92,
        )
        for name, form in _forms(given, no_code(pack) + no_quantity(pack)).items()
    )


def _forms(given: Passwords, no_code_here: str) -> dict[str, str]:
    """Return the forms: behind a sign or a verb anything, otherwise what is no word."""
    strong = rf"{_HEX_GROUPS}|{no_code_here}{_STRONG}"
    little = rf"(?: {{1,2}}{any_of([*given.between, *given.still])}(?!\w)){{0,5}}"
    some_words = r"(?: {1,2}[^\W\d_][\w'’-]{0,19}){0,4}"
    verbs = any_of(given.verbs)
    verb = rf"{SIGNS}{verbs}(?!\w)(?: {any_of(given.still)})?"
    trigger = rf"(?<!\w){any_of(given.triggers)}(?!\w)"
    wifi = rf"(?<!\w){any_of(given.wifi)}(?!\w)"
    clause_end = rf"(?= {{0,2}}(?:$|[^\w ]|{any_of(given.clauses)}\b))"
    announced = rf"(?:{little}|{some_words}{verb}){SIGNS}"
    return {
        "password": rf"{trigger}{announced}(?P<{FOUND}>{strong})",
        "password_behind_a_sign": (
            rf"(?:{trigger}|{wifi}){some_words}{_ANNOUNCED}(?:{verbs} )?"
            rf"(?P<{FOUND}>{strong}|{_WORD})"
        ),
        "password_behind_a_verb": (
            rf"{trigger}{little}{verb} [\"«“']? ?(?P<{FOUND}>{_WORD}){clause_end}"
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


def _check(given: Passwords) -> Callable[[str], bool]:
    def is_password(written: str) -> bool:
        is_word = written.isalpha()
        return not is_word or not (
            folded(written) in given.no_passwords or written.lower().endswith(given.participles)
        )

    return is_password
