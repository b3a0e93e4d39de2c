"""Cell values, and how each reads as text."""

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
"""The cell of a JSON object that lacks the key: left out of JSON Lines, blank elsewhere."""


_SURROGATE = re.compile("[\ud800-\udfff]")


def as_text(value: object) -> str:
    """Return a cell's value as the text a person would read.

    Examples
    --------
    >>> as_text("Bonjour"), as_text(33), as_text(True), as_text(None), as_text(MISSING)
    ('Bonjour', '33', 'true', '', '')
    >>> as_text(["Léa", "Hugo"])
    '["Léa", "Hugo"]'
    """
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def is_missing(value: object) -> bool:
    """Return whether a cell says nothing: none, not a number, or what pandas writes for both.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    if value is None or value is MISSING:
        return True
    try:
        return bool(value != value)  # as only what is not a number
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return not isinstance(value, str | list | dict)


def whole_characters(text: str) -> str:
    r"""Return `text` with U+FFFD for each half of a character, which JSON escapes can hold.

    Examples
    --------
    >>> whole_characters("Coucou \ud83d") == "Coucou \N{REPLACEMENT CHARACTER}"
    True
    """
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
