"""What errors may show of a file: no cell that may be a message, or part of one."""

import re
from collections.abc import Sequence

_NAME = re.compile(r"[^\W\d_][\w.:/#-]{0,29}")
_LABELS = re.compile(
    "(?i)\\s*(n?ta|expert|skip|untagged|oui|non|yes|no|true|false|vrai|faux|[01]|none|null|nan"
    "|pers?|loc|org|misc)?\\s*"
)


_LONG = 20
_USUAL = {"id", "num", "text", "texte", "message", "sms", "sms_anon", "sender", "date", "label"}


def shown_columns(columns: Sequence[str]) -> str:
    """Return the names of columns, or how many there are where they may be no names.

    In a file without a header the first message stands where names should be. A header is trusted
    where all its names are single words and one of them is a usual one.

    Examples
    --------
    >>> shown_columns(["id", "corps"]), shown_columns(["Coucou", "Zoé"])
    ('id, corps', '2, whose names are hidden lest they be a message')
    """
    told = [name for name in columns if name]
    is_header = any(name.casefold() in _USUAL for name in told)
    if is_header and len(columns) > 1 and all(map(_NAME.fullmatch, told)):
        return ", ".join(columns)
    return f"{len(columns)}, whose names are hidden lest they be a message"


def shown_cell(value: object) -> str:
    """Return a cell where a label should stand: as it is if it is an answer of some kind.

    Examples
    --------
    >>> shown_cell("oui"), shown_cell("Zoé"), shown_cell(None)
    ("'oui'", '…', '…')
    """
    is_label = isinstance(value, str) and len(value) < _LONG and _LABELS.fullmatch(value)
    return repr(value) if is_label else "…"
