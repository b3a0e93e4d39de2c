"""What errors may show of a file: no cell that may be a message, or part of one."""

import re
from collections.abc import Sequence

_NAME = re.compile(r"[^\W\d_][\w.:/#-]{0,29}")
_LABELS = re.compile(
    "(?i)\\s*(n?ta|expert|skip|untagged|oui|non|yes|no|true|false|vrai|faux|[01]|none|null|nan"
    "|pers?|loc|org|misc)?\\s*"
)


_LONG = 20


def shown_columns(columns: Sequence[str]) -> str:
    """Return the names of columns, or how many there are where they may be no names.

    In a file without a header the first message stands where names should be. Names are single
    words; where one is none, or there is only one column, none is shown.

    Examples
    --------
    >>> shown_columns(["id", "corps"]), shown_columns(["12", "Coucou Zoé"])
    ('id, corps', '2, whose names are hidden lest they be a message')
    """
    told = [name for name in columns if name]
    if len(columns) > 1 and told and all(map(_NAME.fullmatch, told)):
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
