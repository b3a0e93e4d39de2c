"""Codes of doors, cards and telephones, those sent to confirm who somebody is, and passwords."""

import re
from collections.abc import Callable

from triage.dictionaries.kinds import Kind
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import Pack, Section
from triage.dictionaries.recognisers.recogniser import (
    FOUND,
    Recogniser,
    any_of,
    behind,
    no_quantity,
)

_SIGNS = r"[ \n:,;.=>«\"“(→👉🔑🔐🔒\-]{1,5}"
# 14h30, 12/05, 35/40: hours, dates and marks.
_NO_HOUR = r"(?!\d{1,2}[/:h.]\d)(?!\d{1,3}/\d)"
_END = r"(?!\w|[,./]\d)"
_SIGN_BY_SIGN = r"\d(?: [\dA-F]){4,7}"
# As it is written: 4 5 1 2, 4 5 a 1 2, 45 12, 482-913, 45 B 12, 4512 A, 45B78, A-1234, *4512#.
_CODE = (
    rf"[*#]?(?:\d(?:[ .\-]\d){{3,7}}|{_SIGN_BY_SIGN}|\d\d(?: \d\d){{1,4}}|\d{{3}}[ \-]\d{{3}}"
    r"|\d{2,4} (?-i:[A-F]) ?\d{1,4}"
    r"|\d{2,6} ?(?-i:[A-F])|[A-Z]{0,3}-?\d[\dA-Z]{2,14}|[A-Z]\d{2,8})(?!\w)[*#]?"
)
_NO_YEAR = r"(?!(?:19|20)\d\d(?!\w))"
_OF_DIGITS = r"(?:\d{4,8}|\d{3}[ \-]\d{3})"
_OF_DOOR = r"(?:\d{2,6}[A-F]\d{0,4}|[A-F]\d{3,6})"


def codes(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of codes."""
    forms = {
        "code": _behind(pack),
        "another_code": _another(pack),
        "code_before": _before(pack),
        "code_of_something": _of_something(pack),
        "code_to_type": _to_type(pack),
    }
    return tuple(
        Recogniser(
            name,
            Kind.COD,
            re.compile(f"(?i:{form})"),
            gate="[0-9]",
            near=any_of(pack.codes.near),
            score=0.8,
        )
        for name, form in forms.items()
    )


def _no_code(pack: Pack) -> str:
    """Return an expression that matches where no hour, no date and no year "of" stands."""
    before = any_of(rf"(?<=\b{word} )" for word in pack.codes.before_years)
    return rf"{_NO_HOUR}(?!{before}(?:19|20)\d\d(?!\w))"


def _code(pack: Pack) -> str:
    return rf"{_no_code(pack)}{no_quantity(pack)}{_CODE}{_END}"


def _behind(pack: Pack) -> str:
    given = pack.codes
    return behind(given.triggers, given.between, _code(pack), signs=_SIGNS)


def _another(pack: Pack) -> str:
    """Return the form of a code behind another one."""
    first = _behind(pack).replace(f"?P<{FOUND}>", "?:")
    then = any_of(pack.codes.then)
    return rf"{first}(?: {{0,2}}{then}){{1,2}} {{1,2}}(?P<{FOUND}>{_code(pack)})"


def _before(pack: Pack) -> str:
    """Return the form of a code that is called one afterwards."""
    given = pack.codes
    called = any_of((*given.triggers, *pack.passwords.triggers))
    is_one = rf"{any_of(given.copulas)} {any_of(given.whose)} {called}(?!\w)"
    to_confirm = rf"{any_of(given.code_words)} {any_of(given.to)}{any_of(given.aims)}"
    return (
        rf"(?<![\w/.,:+-])(?P<{FOUND}>(?:G-)?{_NO_YEAR}(?:{_OF_DIGITS}|{_OF_DOOR}))"
        rf" {{0,2}}(?:{is_one}|{to_confirm})"
    )


def _of_something(pack: Pack) -> str:
    """Return the form of a code with any word between, if it is of no other kind of code."""
    given = pack.codes
    something = rf"(?!{any_of(given.no_codes)}(?!\w))[^\W\d_][\w'-]{{1,19}}"
    announced = rf"(?: ?[:=]| {any_of(given.said)}){{1,2}} ?| "
    between = any_of(given.between)
    code = rf"{_NO_YEAR}{no_quantity(pack)}(?:{_OF_DIGITS}|{_OF_DOOR})"
    return (
        rf"(?<!\w){any_of(given.code_words)} (?:{between} ){{0,2}}{something}(?:{announced})"
        rf"(?P<{FOUND}>{code}[*#]?){_END}"
    )


def _to_type(pack: Pack) -> str:
    given = pack.codes
    return behind(given.typing, given.between, rf"(?:{_OF_DOOR}|{_SIGN_BY_SIGN}){_END}", most=2)


_ANNOUNCED = r" {0,2}(?:[:=]|[-=]>|→|👉)[ \n\"«“']{0,3}"
# Something in it that no word has: a digit, a sign or a capital between letters.
_NO_WORD = r"(?=[^\s]{0,40}?(?:\d|(?-i:[a-z][A-Z])|[^\W_][@#$%&*!?+=_][^\W_]))"
_STRONG = rf"{_NO_WORD}[^\s,;:]{{2,62}}[^\s.,;:?)\]»\"”'’…]"
_HEX_GROUPS = r"(?-i:(?=[A-F -]{0,14}\d)[0-9A-F]{2,5}(?:[ \-][0-9A-F]{2,5}){2,12})(?!\w)"
_WORD = r"[^\W\d_]{3,30}(?![\w'’@-])"
_FEWEST_OF_WIFI = 8


def passwords(pack: Pack) -> tuple[Recogniser, ...]:
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
        for name, form in _forms(given, _no_code(pack) + no_quantity(pack)).items()
    )


def _forms(given: Section, no_code_here: str) -> dict[str, str]:
    """Return the forms: behind a sign or a verb anything, otherwise what is no word."""
    strong = rf"{_HEX_GROUPS}|{no_code_here}{_STRONG}"
    little = rf"(?: {{1,2}}{any_of([*given.between, *given.still])}(?!\w)){{0,5}}"
    some_words = r"(?: {1,2}[^\W\d_][\w'’-]{0,19}){0,4}"
    verbs = any_of(given.verbs)
    verb = rf"{_SIGNS}{verbs}(?!\w)(?: {any_of(given.still)})?"
    trigger = rf"(?<!\w){any_of(given.triggers)}(?!\w)"
    wifi = rf"(?<!\w){any_of(given.wifi)}(?!\w)"
    clause_end = rf"(?= {{0,2}}(?:$|[^\w ]|{any_of(given.clauses)}\b))"
    announced = rf"(?:{little}|{some_words}{verb}){_SIGNS}"
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
            rf"(?:{trigger}|{wifi}){some_words}{_SIGNS}"
            rf"(?<=[\"«“])(?P<{FOUND}>[^\"»”\n]{{3,40}})(?= ?[\"»”])"
        ),
        "wifi_key": (
            rf"{wifi}{announced}(?=[^\s]{{{_FEWEST_OF_WIFI}}}|(?-i:[A-F\d]{{2,5}} ))"
            rf"(?P<{FOUND}>{strong})"
        ),
    }


def _check(given: Section) -> Callable[[str], bool]:
    def is_password(written: str) -> bool:
        is_word = written.isalpha()
        return not is_word or not (
            folded(written) in given.no_passwords or written.lower().endswith(given.participles)
        )

    return is_password
