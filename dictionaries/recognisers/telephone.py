"""Telephone numbers."""

import re
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.recogniser import Recogniser

_SIGN = r"[.\-/_·]"
_GAP = rf"(?:{_SIGN}| {{0,3}})"


def _french(*gaps: str) -> str:
    """Return the form of a French number, in pairs of digits with four gaps between them."""
    pairs = "".join(rf"{gap}\d\d" for gap in gaps)
    return rf"(?:(?:\+|00) {{0,2}}33{_GAP}(?:\(0\){_GAP})?|0)[1-9]{pairs}"


_FRENCH_NUMBER = _french(_GAP, _GAP, _GAP, _GAP)
_IN_THREES = rf"0[1-9]\d?(?:{_GAP}\d{{3}}){{2}}{_GAP}\d{{2}}|0[1-9]\d\d(?:{_GAP}\d{{3}}){{2}}"
# "06 - 39 - 98 - 12 - 34": the same sign throughout, and no longer list.
_SPACED = (
    rf"(?<!\d{_SIGN})(?<!\d{_SIGN} )(?<!\d {_SIGN} )"
    rf"0[1-9] {{0,2}}({_SIGN}{{1,3}}+) {{0,2}}\d\d(?: {{0,2}}\1 {{0,2}}\d\d){{3}}"
    r"(?! {0,2}\1 {0,2}\d)"
)
# A number that the end of a line breaks: no date with what stands below it, and no number of the
# line above with a whole telephone number below.
_LINE_END = r" {0,2}\n{1,2} {0,2}"
_NO_DAY = rf"(?<!\d[./-])(?!\d\d[./-](?:0\d|1[0-2])[./-]\d\d{_LINE_END})"
_BREAK = rf"{_LINE_END}(?!{_FRENCH_NUMBER})"
_BROKEN = "|".join(_french(*[_GAP] * i, _BREAK, *[_GAP] * (3 - i)) for i in range(4))
# A pair of digits on each line; six or more such lines are a column of numbers.
_STACKED = rf"(?<!\d\n)(?!(?:\d\d{_LINE_END}){{5}}\d){_french(_BREAK, _BREAK, _BREAK, _BREAK)}"
_EIGHT_DIGITS = r"(?=(?:[ .\-/()_·]{0,3}\d){8})"
_AREA = rf"(?:{_GAP}(?:\(\d{{1,4}}\)|\d))?"
_FOREIGN_NUMBER = rf"(?:\+|00){_EIGHT_DIGITS}[1-9]\d{{0,2}}{_AREA}(?:{_GAP}\d{{2,4}}){{2,5}}"
# A date with an hour behind it has the ten digits of a telephone number: 01/02/2012 18h30.
_NO_DATE = r"(?!\d\d ?[./_·-] ?\d\d ?[./_·-] ?(?:19|20)\d\d(?!\d))"
_TEL = (
    rf"(?<![\d+]){_NO_DATE}"
    rf"(?:{_FRENCH_NUMBER}|{_IN_THREES}|{_SPACED}|{_NO_DAY}(?:{_BROKEN}|{_STACKED})"
    rf"|{_FOREIGN_NUMBER})(?!\d)"
)


def recognisers(_: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recogniser of telephone numbers."""
    return (
        Recogniser(
            "telephone",
            Kind.TEL,
            re.compile(_TEL),
            gate="[0-9]",
            digits=8,
            score=0.9,
            examples=("mon tel 06 39 98 12 34",),
            counterexamples=("12,50 euros",),
        ),
    )
