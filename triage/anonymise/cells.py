"""Identifiers in cells outside of messages, where no other words stand around them."""

import re
from collections.abc import Iterable

_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_WRITTEN = re.compile(r"[+(]{0,2}[0-9][0-9 ().,/+\u00a0\u202f-]*")
# French numbers with or without their zero, which a spreadsheet takes off a number, and numbers
# with the code of a country. Seconds since 1970 begin with 1.
_TELEPHONE = re.compile(
    "(?:0|(?:00)?33)?[1-9][0-9]{8}|(?!(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2]))(?:00)?[2-9][0-9]{10,12}"
)
_WITHIN = re.compile("(?<![0-9])(?:33|0)?[67][0-9]{8}(?![0-9])")
_NO_LETTERS = re.compile(r"[\W\d_]+")
# Numbers in a run have hardly a gap; telephone numbers have millions.
_WIDEST_GAP = 100
_FEWEST = 3


def telephone_in(cell: str) -> str:
    """Return the digits of a telephone number that a cell holds by itself; empty without one.

    Parameters
    ----------
    cell : str
        A number as a spreadsheet or a program may have left it, or a number within a word.

    Examples
    --------
    >>> [telephone_in(c) for c in ("612345678.0", "(06) 12 34 56 78", "sms-639981234-1", "1234.5")]
    ['612345678', '0612345678', '639981234', '']
    """
    digits = _digits(cell)
    if digits is not None:
        return digits if _TELEPHONE.fullmatch(digits) else ""
    found = _WITHIN.search(cell)
    return found[0] if found else ""


def _digits(cell: str) -> str | None:
    """Return the digits of a number; empty for a decimal, None for what is no number."""
    if _DECIMAL.fullmatch(cell) and not cell.isdecimal():
        value = float(cell)
        return str(int(value)) if value.is_integer() else ""
    if _THOUSANDS.fullmatch(cell) or _WRITTEN.fullmatch(cell):
        return "".join(filter(str.isdecimal, cell))
    return None


def is_run(numbers: Iterable[str]) -> bool:
    """Tell whether numbers follow each other, as ids do, with few gaps and none twice.

    Examples
    --------
    >>> is_run(["100000001", "100000002", "100000004"]), is_run(["612345678", "698765432"])
    (True, False)
    """
    found = sorted(map(int, numbers))
    if len(found) < _FEWEST:
        return not found
    return len(set(found)) == len(found) and found[-1] - found[0] < _WIDEST_GAP * len(found)


def as_words(cell: str) -> str:
    """Return the words of a cell without the digits and signs that handles put between them.

    Examples
    --------
    >>> as_words("claire.roux.7"), as_words("DURAND01")
    ('claire roux', 'DURAND')
    """
    return _NO_LETTERS.sub(" ", cell).strip()
