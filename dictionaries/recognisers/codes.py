"""Codes of doors, cards and telephones, and those that are sent to confirm who somebody is."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.quantities import no_quantity
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, behind

SIGNS = r"[ \n:,;.=>«\"“(→👉🔑🔐🔒\-]{1,5}"
# 14h30, 12/05, 35/40: hours, dates and marks; a year behind "de" or "code".
NO_CODE = (
    r"(?!\d{1,2}[/:h.]\d)(?!\d{1,3}/\d)"
    r"(?!(?:(?<=\bde )|(?<=\bdu )|(?<=\bcode ))(?:19|20)\d\d(?!\w))"
)
_END = r"(?!\w|[,./]\d)"
# As it is written: 4 5 1 2, 45 12, 482-913, 45 B 12, 4512 A, 45B78, A-1234, *4512#.
_CODE = (
    r"[*#]?(?:\d(?:[ .\-]\d){3,7}|\d\d(?: \d\d){1,4}|\d{3}[ \-]\d{3}|\d{2,4} (?-i:[A-F]) ?\d{1,4}"
    r"|\d{2,6} ?(?-i:[A-F])|[A-Z]{0,3}-?\d[\dA-Z]{2,14}|[A-Z]\d{2,8})(?!\w)[*#]?"
)
_NO_YEAR = r"(?!(?:19|20)\d\d(?!\w))"
_OF_DIGITS = r"(?:\d{4,8}|\d{3}[ \-]\d{3})"
_OF_DOOR = r"(?:\d{2,6}[A-F]\d{0,4}|[A-F]\d{3,6})"


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of codes."""
    forms = {
        "code": (_behind(words), "mon pin c 4512", "code promo ete2024"),
        "another_code": (_another(words), "digicode 45B78 puis 12A", "code 45 puis 300 euros"),
        "code_before": (_before(words), "G-482913 est votre code", "2012 est le code"),
        "code_of_something": (_of_something(words), "code Amazonie : 482913", "code postal: 34000"),
        "code_to_type": (_to_type(words), "tape 45A78 en bas", "tape 3631"),
    }
    return tuple(
        Recogniser(
            name,
            Kind.COD,
            re.compile(f"(?i:{form})"),
            gate="[0-9]",
            near=any_of(words["codes"]["near"]),
            score=0.8,
            examples=(example,),
            counterexamples=(counterexample,),
        )
        for name, (form, example, counterexample) in forms.items()
    )


def _code(words: dict[str, dict[str, Any]]) -> str:
    return rf"{NO_CODE}{no_quantity(words)}{_CODE}{_END}"


def _behind(words: dict[str, dict[str, Any]]) -> str:
    codes = words["codes"]
    return behind(codes["triggers"], codes["between"], _code(words), signs=SIGNS)


def _another(words: dict[str, dict[str, Any]]) -> str:
    """Return the form of a code behind another one."""
    first = _behind(words).replace(f"?P<{FOUND}>", "?:")
    then = any_of(words["codes"]["then"])
    return rf"{first}(?: {{0,2}}{then}){{1,2}} {{1,2}}(?P<{FOUND}>{_code(words)})"


def _before(words: dict[str, dict[str, Any]]) -> str:
    """Return the form of a code that is called one afterwards."""
    codes = words["codes"]
    called = any_of((*codes["triggers"], *words["passwords"]["triggers"]))
    is_one = rf"{any_of(codes['copulas'])} {any_of(codes['whose'])} {called}(?!\w)"
    to_confirm = rf"codes? (?:de |d['’]){any_of(codes['aims'])}"
    return (
        rf"(?<![\w/.,:+-])(?P<{FOUND}>(?:G-)?{_NO_YEAR}(?:{_OF_DIGITS}|{_OF_DOOR}))"
        rf" {{0,2}}(?:{is_one}|{to_confirm})"
    )


def _of_something(words: dict[str, dict[str, Any]]) -> str:
    """Return the form of a code with any word between, if it is of no other kind of code."""
    codes = words["codes"]
    something = rf"(?!{any_of(codes['no_codes'])}(?!\w))[^\W\d_][\w'-]{{1,19}}"
    announced = r"(?: ?[:=]| est| c['’]?(?:est)?| is){1,2} ?| "
    code = rf"{_NO_YEAR}{no_quantity(words)}(?:{_OF_DIGITS}|{_OF_DOOR})"
    return (
        rf"(?<!\w)codes? (?:{any_of(codes['between'])} ){{0,2}}{something}(?:{announced})"
        rf"(?P<{FOUND}>{code}[*#]?){_END}"
    )


def _to_type(words: dict[str, dict[str, Any]]) -> str:
    codes = words["codes"]
    return behind(codes["typing"], codes["between"], rf"{_OF_DOOR}{_END}", most=2)
