"""Codes behind the words that announce them, and passwords, which may be words."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.lists import words_of
from triage.dictionaries.normal import folded
from triage.dictionaries.recognisers.quantities import no_quantity
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, behind

_SIGNS = r"[ \n:,;.=>«\"“(→👉\-]{1,5}"
# 14h30, 12/05, 35/40: hours, dates and marks; a year behind "de".
_NO_CODE = r"(?!\d{1,2}[/:h.]\d)(?!\d{1,3}/\d)(?!(?<=\b[dD][eu] )(?:19|20)\d\d(?!\w))"
_CODE_END = r"(?!\w|[,./]\d)"
# As it is written: 4 5 1 2, 45 12, 482-913, 45 B 12, 4512 A, 45B78, A-1234, *4512#.
_CODE = (
    r"[*#]?(?:\d(?:[ .\-]\d){3,7}|\d\d(?: \d\d){1,4}|\d{3}[ \-]\d{3}|\d{2,4} (?-i:[A-F]) ?\d{1,4}"
    r"|\d{2,6} ?(?-i:[A-F])|[A-Z]{0,3}-?\d[\dA-Z]{2,14}|[A-Z]\d{2,8})(?!\w)[*#]?"
)
_ONE_TIME = r"(?:\d{4,8}|\d{3}[ \-]\d{3})"

_ANNOUNCED = r" {0,2}(?:[:=]|[-=]>|→|👉)[ \n\"«“']{0,3}"
# Something in it that no word has: a digit, a sign or a capital between letters.
_NO_WORD = r"(?=[^\s]{0,40}?(?:\d|(?-i:[a-z][A-Z])|[^\W_][@#$%&*!?+=_][^\W_]))"
_STRONG = rf"{_NO_WORD}[^\s,;:]{{2,62}}[^\s.,;:?)\]»\"”'’…]"
_HEX_GROUPS = r"(?-i:(?=[A-F -]{0,14}\d)[0-9A-F]{2,5}(?:[ \-][0-9A-F]{2,5}){2,12})(?!\w)"
_WORD = r"[^\W\d_]{3,30}(?![\w'’@-])"
_CLAUSE_END = r"(?= {0,2}(?:$|[^\w ]|(?:et|ou|avec|pour|puis|tout en|en m[ai][jn])\b))"
_FEWEST_OF_WIFI = 8


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of codes and passwords."""
    return (*_codes(words), *_passwords(words))


def _codes(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    codes = words["codes"]
    code = rf"{_NO_CODE}{no_quantity(words)}{_CODE}{_CODE_END}"
    one = behind(codes["triggers"], codes["between"], code, signs=_SIGNS)
    first = one.replace(f"?P<{FOUND}>", "?:")
    another = rf"{first}(?: {{0,2}}{any_of(codes['then'])}){{1,2}} {{1,2}}(?P<{FOUND}>{code})"
    before = (
        rf"(?<![\w/.,:+-])(?P<{FOUND}>(?:G-)?(?!(?:19|20)\d\d(?!\w))(?:{_ONE_TIME}|\d{{2,6}}[A-F]))"
        rf" {{0,2}}{any_of(codes['copulas'])} {any_of(codes['whose'])} "
        rf"{any_of((*codes['triggers'], *words['passwords']['triggers']))}(?!\w)"
    )
    of_service = (
        rf"(?<!\w)codes? (?!{any_of(codes['no_codes'])}(?!\w))[^\W\d_][\w'-]{{1,19}}"
        rf"(?: ?[:=]| est| c['’]?est| is){{1,2}} ?(?P<{FOUND}>{no_quantity(words)}{_ONE_TIME})"
        rf"{_CODE_END}"
    )
    forms = {
        "code": (one, ("le code c'est 45B78", "mon pin c 4512"), ("code promo ete2024",)),
        "another code": (another, ("digicode 45B78 puis 12A",), ("code 45 puis 300 euros",)),
        "code before its trigger": (before, ("G-482913 est votre code",), ("2012 est le code",)),
        "code of a service": (of_service, ("code Amazonie : 482913",), ("code postal: 34000",)),
    }
    return tuple(
        Recogniser(
            name,
            Kind.COD,
            re.compile(f"(?i:{form})"),
            gate=codes["gate"],
            score=0.8,
            examples=examples,
            counterexamples=counterexamples,
        )
        for name, (form, examples, counterexamples) in forms.items()
    )


def _passwords(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    given = words["passwords"]
    strong = rf"{_HEX_GROUPS}|{_NO_CODE}{no_quantity(words)}{_STRONG}"
    little = rf"(?: {{1,2}}{any_of([*given['between'], *given['still']])}(?!\w)){{0,5}}"
    verb = rf"{_SIGNS}{any_of(given['verbs'])}(?!\w)(?: {any_of(given['still'])})?"
    trigger = rf"(?<!\w){any_of(given['triggers'])}(?!\w)"
    wifi = rf"(?<!\w){any_of(given['wifi'])}(?!\w)"
    some_words = r"(?: {1,2}[^\W\d_][\w'’-]{0,19}){0,4}"
    announced = rf"(?:{little}|{some_words}{verb}){_SIGNS}"
    forms = {
        # With a sign or a verb, anything; otherwise what is no word.
        "password": rf"{trigger}{announced}(?P<{FOUND}>{strong})",
        "password behind a sign": (
            rf"(?:{trigger}|{wifi}){some_words}{_ANNOUNCED}(?:{any_of(given['verbs'])} )?"
            rf"(?P<{FOUND}>{strong}|{_WORD})"
        ),
        "password behind a verb": (
            rf"{trigger}{little}{verb} [\"«“']? ?(?P<{FOUND}>{_WORD}){_CLAUSE_END}"
        ),
        "quoted password": (
            rf"(?:{trigger}|{wifi}){some_words}{_SIGNS}(?<=[\"«“(\s])"
            rf"(?P<{FOUND}>(?<=[\"«“])[^\"»”\n]{{3,40}})(?= ?[\"»”])"
        ),
        "wifi key": (
            rf"{wifi}{announced}(?=[^\s]{{{_FEWEST_OF_WIFI}}}|(?-i:[A-F\d]{{2,5}} ))"
            rf"(?P<{FOUND}>{strong})"
        ),
    }
    no_passwords = words_of(given["no_passwords"])

    def is_password(written: str) -> bool:
        return not written.isalpha() or not (
            folded(written) in no_passwords or written.lower().endswith(("é", "ée", "és", "ées"))
        )

    examples = {
        "password": ("mdp Chaussette34",),
        "password behind a sign": ("mdp: Chaussette!34", "wifi : licorne"),
        "password behind a verb": ("le mot de passe c'est azerty",),
        "quoted password": ('le mdp "petite licorne"',),
        "wifi key": ("le wifi c'est 4F5A77BC12",),
    }
    return tuple(
        Recogniser(
            name,
            Kind.COD,
            re.compile(f"(?i:{form})"),
            gate=given["gate"],
            check=is_password,
            score=0.75,
            examples=examples[name],
            counterexamples=("le mot de passe est trop long", "change ton mdp stp"),
        )
        for name, form in forms.items()
    )
