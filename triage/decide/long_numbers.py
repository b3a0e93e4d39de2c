"""Long numbers in messages that no recogniser knows: they are replaced whatever stands around them.

Ids and times in other columns look the same, so they are no identifiers of form.
"""

import re

from triage.dictionaries import Kind, LabelledWord

from ..vocabulary import IdentifierType

_FEWEST_DIGITS = 8
# Without the first zero, or one digit too few or too many.
_NEARLY_A_TELEPHONE = re.compile("[1-9][0-9]{8}|0[1-9][0-9]{7}|0[67][0-9]{9}")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})++(?:[.,]\d\d?)?")
_ROUND = re.compile(r"\d{1,4}0{6,}+")


def long_number(word: LabelledWord) -> IdentifierType | None:
    """Return what a number of eight digits or more is: TEL or NUM, unless it is an amount."""
    if word.kind is not Kind.NUMBER or sum(map(str.isdigit, word.text)) < _FEWEST_DIGITS:
        return None
    if any(form.fullmatch(word.text) for form in (_DECIMAL, _THOUSANDS, _ROUND)):
        return None
    is_telephone = _NEARLY_A_TELEPHONE.fullmatch(word.text)
    return IdentifierType.TEL if is_telephone else IdentifierType.NUM
