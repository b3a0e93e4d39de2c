"""Columns: which hold the message and its identifier, and what errors may show of them."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial

from triage.data import limits
from triage.data.dates import folded
from triage.data.errors import ColumnError, fault, words_of

_NAME = re.compile(r"[^\W\d_][\w.:/#-]{0,29}")
_USUAL = {"id", "num", "text", "texte", "message", "sms", "sms_anon", "sender", "date", "label"}
_LABELS = re.compile(
    "(?i)\\s*(n?ta|expert|skip|untagged|oui|non|yes|no|true|false|vrai|faux|[01]|none|null|nan"
    "|pers?|loc|org|misc)?\\s*"
)
_LONGEST_LABEL = 19


def find_text(columns: Sequence[str], name: str | None, source: str) -> int:
    """Return the position of the text column: the named one, else one with a usual name."""
    if name is not None:
        return _named(columns, name, source, "--text-column")
    found = 0 if tuple(columns) == numbered(1) else guess_text(columns)
    if found is None:
        raise ColumnError(
            f"{source}: no column has a usual name for messages; name it with --text-column, or"
            f" say --no-header and its number if there is no header; columns:"
            f" {shown_columns(columns)}",
            "no_text_column",
            columns=columns,
            file=source,
        )
    return found


def find_id(columns: Sequence[str], name: str | None, source: str) -> int | None:
    if name is None:
        return guess_column(columns, "id")
    return _named(columns, name, source, "--id-column")


def check_columns(columns: Sequence[str], source: str) -> None:
    """Raise `DataError` if there are too many columns, or names repeat that are not blank."""
    if len(columns) > limits.MOST_COLUMNS:
        line = f" has more than {limits.MOST_COLUMNS:,} columns: is it a file of messages?"
        raise fault(source, "too_many_columns", line)
    repeated = [name for name, times in Counter(columns).items() if times > 1 and name]
    if repeated:
        places = [str(at) for at, name in enumerate(columns, 1) if name == repeated[0]]
        line = f": columns {' and '.join(places[:2])} have the same name: rename all but one"
        raise fault(source, "repeated_columns", line, columns=", ".join(places[:2]))


def shown_columns(columns: Sequence[str]) -> str:
    """Return column names for an error, or their number where they may be part of a message."""
    names = [name for name in columns if name]
    is_header = any(name.casefold() in _USUAL for name in names)
    if is_header and len(columns) > 1 and all(map(_NAME.fullmatch, names)):
        return ", ".join(columns)
    return f"{len(columns)}, whose names are hidden lest they be a message"


def shown_cell(value: object) -> str:
    """Return a cell of a column of labels for an error, hidden unless it is a short label."""
    is_label = isinstance(value, str) and len(value) <= _LONGEST_LABEL and _LABELS.fullmatch(value)
    return repr(value) if is_label else "…"


def _named(columns: Sequence[str], name: str, source: str, option: str) -> int:
    found = find_column(columns, name)
    if found is None:
        raise ColumnError(
            f"{source} has no column {name!r}; choose {option} among the columns: "
            f"{shown_columns(columns)}",
            "no_column",
            columns=columns,
            file=source,
            column=name,
        )
    return found


def find_column(columns: Sequence[str], name: str) -> int | None:
    """Return the position of a column by its name, or else by its number, from 1."""
    if name in columns:
        return list(columns).index(name)
    is_number = name.isdecimal() and len(name) < _LONGEST_LABEL
    return int(name) - 1 if is_number and 0 < int(name) <= len(columns) else None


def guess_column(
    columns: Sequence[str], kind: str, taken: Collection[int | None] = ()
) -> int | None:
    """Return the position of the first usual name, whatever its case, accents and spaces."""
    names = [*map(_plain, columns)]
    found = (names.index(name) for name in words_of("columns")[kind] if name in names)
    return next((at for at in found if at not in taken), None)


def _plain(column: str) -> str:
    return re.sub(r"[\s'’-]+", "_", folded(column.strip()))


def named_columns(columns: Sequence[str], kind: str) -> list[int]:
    """Return the positions of all columns of usual names of a kind, in their order."""
    usual = {*words_of("columns")[kind]}
    return [at for at, column in enumerate(columns) if _plain(column) in usual]


def names_text(row: Sequence[object], text_column: str | None) -> bool:
    """Return whether a row may be a header: it names the text column, or one of a usual name."""
    names = [cell for cell in row if isinstance(cell, str)]
    if len(names) < len(row):
        return False
    return guess_text(names) is not None if text_column is None else text_column in names


def header_of(rows: Sequence[Sequence[object]], text_column: str | None) -> int:
    """Return the position of the header, which has more filled cells than each row above it."""
    widest = 0
    for at, row in enumerate(rows[: limits.MOST_TITLES + 1]):
        n_filled = sum(cell != "" for cell in row)
        if n_filled > widest and names_text(row, text_column):
            return at
        widest = max(widest, n_filled)
    return 0


def numbered(n_columns: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n_columns + 1)))


# Positions of columns of usual names; None where there is none.
guess_text, guess_sender, guess_date, guess_thread = (
    partial(guess_column, kind=kind) for kind in ("text", "sender", "date", "thread")
)
