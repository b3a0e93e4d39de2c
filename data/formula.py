"""A guard against cells that a spreadsheet would run as formulas.

A CSV file has no types, so a spreadsheet takes a message such as ``=HYPERLINK(...)`` for a
formula. A leading apostrophe makes it text. The guard is a bijection: `unguard` gives back
every cell as it was, also those that began with apostrophes.
"""

import re

SIGNS = frozenset("=+-@\t\r\n＝＋－＠")
"""What a formula begins with; the wide signs in some Asian editions."""
_NEEDS_GUARD = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_IS_GUARDED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]\d+(?:[.,]\d+)?")


def guard(cell: str) -> str:
    """Return `cell` so that no spreadsheet takes it for a formula.

    Examples
    --------
    >>> guard("=1+1"), guard("'=1+1"), guard("Coucou")
    ("'=1+1", "''=1+1", 'Coucou')
    """
    return f"'{cell}" if _NEEDS_GUARD.match(cell) else cell


def unguard(cell: str) -> str:
    """Return what `guard` made `cell` from.

    Examples
    --------
    >>> unguard("'=1+1"), unguard("''=1+1"), unguard("'tite Léa")
    ('=1+1', "'=1+1", "'tite Léa")
    """
    return cell[1:] if _IS_GUARDED.match(cell) else cell


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet may take `cell` of a CSV file for a formula.

    Examples
    --------
    >>> is_formula("=) moi jpeu"), is_formula("-5"), is_formula("Coucou")
    (True, False, False)
    """
    return cell[:1] in SIGNS and not _NUMBER.fullmatch(cell)
