"""Cell values: as text, absent, and guarded against being run as formulas.

A CSV file has no types, so a spreadsheet takes a message such as ``=HYPERLINK(...)`` for a
formula. A leading apostrophe makes it text, also before further apostrophes.
"""

import json
import re
from enum import Enum
from typing import Final


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing.MISSING
"""The cell of a JSON object without the key: left out of JSON Lines, blank elsewhere."""

FORMULA_SIGNS = frozenset("=+-@\t\r\n＝＋－＠")
"""First characters of formulas; the wide ones in some Asian editions."""
_NEEDS_GUARD = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_IS_GUARDED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]\d+(?:[.,]\d+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def as_text(value: object) -> str:
    """Return a cell as readable text."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def is_null(value: object) -> bool:
    """Return whether a cell has no value: None, `MISSING`, NaN or ``pandas.NA``."""
    if value is None or value is MISSING:
        return True
    try:
        return bool(value != value)  # NaN alone
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return not isinstance(value, str | list | dict)


def whole_characters(text: str) -> str:
    r"""Return `text` with U+FFFD for each lone surrogate, which JSON escapes can hold."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def guard(cell: str) -> str:
    """Return `cell` in a form that no spreadsheet takes for a formula."""
    return f"'{cell}" if _NEEDS_GUARD.match(cell) else cell


def unguard(cell: str) -> str:
    """Undo `guard`."""
    return cell[1:] if _IS_GUARDED.match(cell) else cell


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet may take `cell` of a CSV file for a formula."""
    return cell[:1] in FORMULA_SIGNS and not _NUMBER.fullmatch(cell)
