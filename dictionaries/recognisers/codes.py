"""Codes of doors, cards and telephones, and those that are sent to confirm who somebody is."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.quantities import no_quantity
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, behind

SIGNS = r"[ \n:,;.=>«\"“(→👉🔑🔐🔒\-]{1,5}"
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


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
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


def no_code(pack: Pack) -> str:
    """Return an expression that matches where no hour, no date and no year "of" stands."""
    before = any_of(rf"(?<=\b{word} )" for word in pack.codes.before_years)
    return rf"{_NO_HOUR}(?!{before}(?:19|20)\d\d(?!\w))"


def _code(pack: Pack) -> str:
    return rf"{no_code(pack)}{no_quantity(pack)}{_CODE}{_END}"


def _behind(pack: Pack) -> str:
    codes = pack.codes
    return behind(codes.triggers, codes.between, _code(pack), signs=SIGNS)


def _another(pack: Pack) -> str:
    """Return the form of a code behind another one."""
    first = _behind(pack).replace(f"?P<{FOUND}>", "?:")
    then = any_of(pack.codes.then)
    return rf"{first}(?: {{0,2}}{then}){{1,2}} {{1,2}}(?P<{FOUND}>{_code(pack)})"


def _before(pack: Pack) -> str:
    """Return the form of a code that is called one afterwards."""
    codes = pack.codes
    called = any_of((*codes.triggers, *pack.passwords.triggers))
    is_one = rf"{any_of(codes.copulas)} {any_of(codes.whose)} {called}(?!\w)"
    to_confirm = rf"{any_of(codes.code_words)} {any_of(codes.to)}{any_of(codes.aims)}"
    return (
        rf"(?<![\w/.,:+-])(?P<{FOUND}>(?:G-)?{_NO_YEAR}(?:{_OF_DIGITS}|{_OF_DOOR}))"
        rf" {{0,2}}(?:{is_one}|{to_confirm})"
    )


def _of_something(pack: Pack) -> str:
    """Return the form of a code with any word between, if it is of no other kind of code."""
    codes = pack.codes
    something = rf"(?!{any_of(codes.no_codes)}(?!\w))[^\W\d_][\w'-]{{1,19}}"
    announced = rf"(?: ?[:=]| {any_of(codes.said)}){{1,2}} ?| "
    between = any_of(codes.between)
    code = rf"{_NO_YEAR}{no_quantity(pack)}(?:{_OF_DIGITS}|{_OF_DOOR})"
    return (
        rf"(?<!\w){any_of(codes.code_words)} (?:{between} ){{0,2}}{something}(?:{announced})"
        rf"(?P<{FOUND}>{code}[*#]?){_END}"
    )


def _to_type(pack: Pack) -> str:
    codes = pack.codes
    return behind(codes.typing, codes.between, rf"(?:{_OF_DOOR}|{_SIGN_BY_SIGN}){_END}", most=2)
