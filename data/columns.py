"""The roles of columns, by their names and by what they hold, and what errors may show of them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from triage.data import limits
from triage.data.dates import plain
from triage.data.errors import ColumnError, as_text, fault, words_of

_NAME = re.compile(r"[^\W\d_][\w.:/#-]{0,29}")
_WORDS = re.compile(r"[^\W\d_][\w .:/#°'’-]{0,29}")
_LABELS = re.compile(
    "(?i)\\s*(n?ta|expert|skip|untagged|oui|non|yes|no|true|false|vrai|faux|[01]|none|null|nan"
    "|pers?|loc|org|misc)?\\s*"
)
_LONGEST_LABEL = 19
# The kinds of columns that hold names of people.
KINDS_OF_NAMES = ("given_name", "family_name", "person_name")
# What is in no text.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def find_text(columns: Sequence[str], name: str | None, source: str) -> int:
    """Return the position of the text column: the named one, else one with a usual name."""
    is_alone = name is None and tuple(columns) == numbered(1)
    position = 0 if is_alone else find_role(columns, "text", name, source)
    if position is None:
        raise fault("no_text_column", source, cls=ColumnError, columns=shown_columns(columns))
    return position


def find_role(
    columns: Sequence[str], role: str, name: str | None, source: str, text: int | None = None
) -> int | None:
    """Return the position of the column named for a role or of a usual name, not that of text."""
    option = f"--{role}-column"
    found = column_position(columns, name, source, option) if name else guess_column(columns, role)
    if name and found == text:
        raise fault("no_column.of_messages", source, column=name, option=option)
    return None if found == text else found


def dated_columns(
    rows: Sequence[Sequence[object]], columns: Iterable[int], is_dated: Callable[[object], object]
) -> list[int]:
    """Return the columns that hold dates in more than half of the cells that are not blank."""
    dated = []
    for column in columns:
        filled = [row[column] for row in rows if as_text(row[column]).strip()]
        if sum(bool(is_dated(cell)) for cell in filled) * 2 > len(filled):
            dated.append(column)
    return dated


def worded_column(rows: Iterable[Sequence[object]]) -> int | None:
    """Return the position of the column of most letters, if it is one of text."""
    texts = ["".join(map(as_text, cells)) for cells in zip(*rows, strict=True)]
    letters = [sum(map(str.isalpha, text)) for text in texts]
    best = letters.index(max(letters, default=0)) if letters else 0
    return best if letters and letters[best] and not _CONTROL.search(texts[best]) else None


def check_columns(columns: Sequence[str], source: str) -> None:
    """Raise `DataError` if there are too many columns, or names repeat that are not blank."""
    if len(columns) > limits.MAX_COLUMNS:
        raise fault("too_many_columns", source, most=limits.MAX_COLUMNS)
    repeated = next((name for name, n in Counter(columns).items() if n > 1 and name), None)
    if repeated:
        places = [str(n) for n, name in enumerate(columns, 1) if name == repeated][:2]
        listed = ", ".join(places)
        raise fault("repeated_columns", source, places=" and ".join(places), columns=listed)


def _usual_names() -> set[str]:
    return {"num", "label"}.union(*words_of("columns").values())


def shown_columns(columns: Sequence[str]) -> str:
    """Return column names for an error, or their number where they may be part of a message."""
    names = [name for name in columns if name]
    n_usual = sum(plain_name(name) in _usual_names() for name in names)
    # Two usual names are no message, so that names of several words beside them are none either.
    form = _NAME if n_usual == 1 else _WORDS
    if n_usual and len(columns) > 1 and all(map(form.fullmatch, names)):
        return ", ".join(columns)
    return f"{len(columns)}, whose names are hidden lest they be a message"


def shown_cell(value: object) -> str:
    """Return a cell of a column of labels for an error, hidden unless it is a short label."""
    is_label = isinstance(value, str) and len(value) <= _LONGEST_LABEL and _LABELS.fullmatch(value)
    return repr(value) if is_label else "…"


def column_position(columns: Sequence[str], name: str, source: str, option: str) -> int:
    """Return the position of a column that an option names, by its name or number."""
    position = find_column(columns, name)
    if position is None:
        shown = shown_columns(columns)
        raise fault("no_column", source, cls=ColumnError, column=name, columns=shown, option=option)
    return position


def find_column(columns: Sequence[str], name: str) -> int | None:
    """Return the position of a column by its name, or else by its number, from 1."""
    if name in columns:
        return list(columns).index(name)
    is_number = name.isdecimal() and len(name) < _LONGEST_LABEL
    return int(name) - 1 if is_number and 0 < int(name) <= len(columns) else None


def guess_column(columns: Sequence[str], role: str) -> int | None:
    """Return the position of the first usual name, whatever its case, accents and spaces."""
    # *Expéditeur (nom)*, where no other has the name alone
    bare = [one.partition("(")[0] for one in columns] if role == "sender" else []
    names, usual = [*map(plain_name, [*columns, *bare])], words_of("columns")[role]
    return next((names.index(name) % len(columns) for name in usual if name in names), None)


def plain_name(column: str) -> str:
    return re.sub(r"[\s.'’-]+", "_", plain(column.strip()))


def named_columns(columns: Sequence[str], kind: str) -> list[int]:
    """Return the positions of all columns of usual names of a kind, in their order."""
    usual = {*words_of("columns")[kind]}
    return [position for position, name in enumerate(columns) if plain_name(name) in usual]


def has_part(column: str, *kinds: str) -> bool:
    """Return whether the name of a column has a usual part of a kind, such as birth."""
    name = f"_{plain_name(column)}_"
    return any(part in name for kind in kinds for part in words_of("columns")[kind])


def names_people(column: str) -> bool:
    """Return whether the name of a column says that it holds names, birthdays, or addresses."""
    is_named = any(named_columns([column], kind) for kind in KINDS_OF_NAMES)
    return is_named or has_part(column, "birth", "reach")


def columns_of_things(columns: Sequence[str]) -> list[int]:
    """Return the positions of columns that hold schools, shops, towns or brands by their names."""
    bare = [re.sub("^nom_(?:d[eu]_)?(?:la_|l_)?|_name$", "", plain_name(name)) for name in columns]
    return named_columns(bare, "thing")


def names_text(row: Sequence[object], text_column: str | None) -> bool:
    """Return whether a row may be a header: it names the text column, or one of a usual name."""
    names = [cell for cell in row if isinstance(cell, str)]
    if len(names) < len(row):
        return False
    return guess_column(names, "text") is not None if text_column is None else text_column in names


def header_of(rows: Sequence[Sequence[object]], text_column: str | None) -> int:
    """Return the position of the header, which has more filled cells than each row above it."""
    widest = 0
    for position, row in enumerate(rows[: limits.MAX_TITLES + 1]):
        n_filled = sum(cell != "" for cell in row)
        if n_filled > widest and names_text(row, text_column):
            return position
        widest = max(widest, n_filled)
    return 0


def row_below_titles(rows: Sequence[Sequence[object]]) -> int:
    """Return the position of the first row that is no title: a cell alone, and no usual name."""
    for position, row in enumerate(rows[: limits.MAX_TITLES + 1]):
        names = [plain_name(str(cell)) for cell in row if cell != ""]
        if len(names) > 1 or not _usual_names().isdisjoint(names):
            return position
    return 0


def numbered(n_columns: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n_columns + 1)))
