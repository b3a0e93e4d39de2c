"""Telephone numbers whose digits are said in words: "zéro six douze trente-quatre ..."."""

import re
from collections.abc import Callable

from triage.dictionaries.errors import DictionaryError
from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.countries import is_national
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of

_SEPARATOR = r"[ \n.,;:/-]{1,3}"
_PARTS_BEHIND = "{3,15}+"
# Digits as they are counted, up or down, are no telephone number.
_COUNTED = ("01234567890", "9876543210")


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recogniser of telephone numbers in words, perhaps with figures between them."""
    digits_of = _said(pack)
    # The longest first: "soixante dix huit" is 78, not 60 and 18.
    words = any_of(sorted(digits_of, key=len, reverse=True))
    part = rf"(?>{words}(?!\w)|\d{{1,4}}(?!\w))"
    return (
        Recogniser(
            "telephone_said",
            Kind.TEL,
            re.compile(rf"(?i:(?<![\w@#]){part}(?:{_SEPARATOR}{part}){_PARTS_BEHIND})"),
            gate=pack.telephone.said_gate,
            check=_check(re.compile(part, re.IGNORECASE), digits_of, is_national(pack)),
            score=0.85,
            is_shortened=True,
        ),
    )


def _said(pack: Pack) -> dict[str, str]:
    """Return the digits of each expression of a word, in which a space is a hyphen, too."""
    said = [one.partition("=") for one in pack.telephone.said]
    for digits, sign, words in said:
        if not (digits.isdecimal() and words):
            wrong = f"{pack.where('telephone')}: said holds {digits}{sign}{words}"
            raise DictionaryError(f"{wrong} where digits and words are wanted: 78=seventy eight")
    return {words.replace(" ", "[ -]"): digits for digits, _, words in said}


def _check(
    part: re.Pattern[str], digits_of: dict[str, str], is_number: Callable[[str], bool]
) -> Callable[[str], bool]:
    """Return what tells of words and figures whether together they are such a number."""
    words = {re.compile(one, re.IGNORECASE): digits for one, digits in digits_of.items()}

    def is_said_number(written: str) -> bool:
        digits = "".join(
            next((as_said for word, as_said in words.items() if word.fullmatch(one)), one)
            for one in part.findall(written)
        )
        is_said = digits != re.sub(r"\D", "", written)
        return is_said and not any(digits in one for one in _COUNTED) and is_number(digits)

    return is_said_number
