"""Tables that people fill in: rows of any kind, and the spellings of people and other entities."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from triage.data import open_messages
from triage.data.errors import ColumnError, as_text, whole_characters

from ..errors import TriageError
from ..vocabulary import IdentifierType
from .people import NAMES, PRE, SUR, Fact

T = TypeVar("T")
_PERSONAL = NAMES | {IdentifierType.TEL, IdentifierType.MEL, IdentifierType.PSD}

COLUMNS = (
    *("entity", "type", "spellings", "count", "replace", "replacement"),
    *("sender", "name_of", "confirmed"),
)
_NEEDED = ("entity", "type", "spellings")
# What people say for yes and for no.
SAID = {
    **dict.fromkeys(("yes", "y", "true", "1", "oui", "o", "vrai"), True),
    **dict.fromkeys(("no", "n", "false", "0", "non", "faux"), False),
}
_WHAT = (
    f"a table of people has the columns {', '.join(_NEEDED)}, and may have {', '.join(COLUMNS[3:])}"
)
# An error names so many of the columns that it does not know.
_NAMED, _LONGEST_SHOWN = 3, 24
# Spellings of a row are separated by semicolons; one within a spelling has a backslash before it.
_BETWEEN = re.compile(r"(?<!\\);")


@dataclass(frozen=True)
class Entry:
    """A spelling and its replacement; entries of one entity are one real thing."""

    spelling: str
    entity: str
    type: IdentifierType
    count: int = 0
    replace: bool = True
    replacement: str = ""
    sender: str = ""
    name_of: str = ""
    confirmed: bool = False

    def cells(self) -> list[object]:
        """Return the cells of a row, in the order of `COLUMNS`."""
        texts = self.entity, self.spelling.replace(";", "\\;"), self.replacement, self.sender
        entity, spelling, *rest = map(whole_characters, (*texts, self.name_of))
        said = "yes" if self.replace else "no", "yes" if self.confirmed else ""
        return [entity, self.type.value, spelling, self.count, said[0], *rest, said[1]]


def read_people(path: str | Path) -> list[Entry]:
    """Read a table that a person wrote or may have changed."""
    columns, key = ("spellings", *_NEEDED[:2]), "names_table"
    rows = read_rows(path, columns, _entries, strip=False, what=_WHAT, known=COLUMNS, key=key)
    return [one for entries in rows for one in entries]


def read_rows(
    path: str | Path,
    columns: Sequence[str],
    parse: Callable[[Mapping[str, str]], T],
    *,
    strip: bool = True,
    what: str = "",
    known: Sequence[str] = (),
    key: str = "",
) -> list[T]:
    """Return what is parsed of each row of a table that people fill in.

    A ValueError says what is wrong with a row. If any columns are known, no others may be there.
    """

    def wrong(where: str, **of: object) -> TriageError:
        return TriageError(f"{path}{where}", key, file=path, **of)

    what = what or f"the columns {', '.join(columns)} are needed"
    try:
        file = open_messages(path, text_column=columns[0], guarded=True)
    except ColumnError:
        raise wrong(f" has no column {columns[0]!r}: {what}", column=columns[0]) from None
    with file:
        for column in columns:
            if column not in file.columns:
                raise wrong(f" has no column {column!r}: {what}", column=column)
        # Spreadsheets leave nameless columns.
        unknown = [one[:_LONGEST_SHOWN] for one in file.columns if one not in (*known, "")]
        if known and unknown:
            named = ", ".join(map(repr, unknown[:_NAMED]))
            raise wrong(f" has columns that mean nothing here, {named}: {what}")
        found, line_or_row = list[T](), "line" if file.format.is_text else "row"
        for chunk in file.chunks():
            for line, row in zip(chunk.lines, chunk.rows, strict=True):
                cells = [as_text(cell).strip() if strip else as_text(cell) for cell in row]
                try:
                    found.append(parse(dict(zip(file.columns, cells, strict=True))))
                except ValueError as error:
                    raise wrong(f", {line_or_row} {line}: {error}", line=line) from None
        for one in file.rejects:
            raise wrong(f", {line_or_row} {one.line}: {one.reason}", line=one.line)
    return found


def _entries(cells: Mapping[str, str]) -> list[Entry]:
    """Return the entries of a row, one for each spelling; a ValueError says what is wrong."""
    written = _BETWEEN.split(cells["spellings"])
    texts = [one.strip() for one in written] if len(written) > 1 else written
    if not texts[0]:
        raise ValueError("it has no spelling; write it, or remove the row")
    type_ = type_in(cells["type"])
    # An empty cell says nothing else than that the row is there.
    is_replaced = SAID.get((cells.get("replace", "").strip() or "yes").lower())
    is_confirmed = SAID.get((cells.get("confirmed", "").strip() or "no").lower())
    if is_replaced is None or is_confirmed is None:
        what = "whether to replace" if is_replaced is None else "whether it is the sender's name"
        raise ValueError(f"{what} is neither yes nor no")
    if is_confirmed and not cells.get("name_of"):
        raise ValueError("it confirms whose name it is, but name_of is empty")
    if is_confirmed and not is_replaced:
        raise ValueError("a name that stays cannot stand for its sender")
    try:
        count = int(float(cells.get("count", "").strip() or 0))
    except (ValueError, OverflowError):
        raise ValueError("its count is no number") from None
    names = [one.replace("\\;", ";") for one in texts if one]
    about = type_, count, is_replaced, cells.get("replacement", "")
    of = cells.get("sender", ""), cells.get("name_of", ""), is_confirmed
    return [Entry(name, cells["entity"].strip() or names[0], *about, *of) for name in names]


def type_in(cell: str) -> IdentifierType:
    if (named := cell.strip().upper()) not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    return IdentifierType(named)


def kind_of(type_: IdentifierType) -> IdentifierType:
    """Return the type that entities differ by: nicknames are with first names."""
    return PRE if type_ is SUR else type_


def facts_of(entries: Iterable[Entry]) -> list[Fact]:
    """Return the people whom a user lists; rows with a count are of what was found."""
    return [
        (one.entity, one.type.value, one.spelling)
        for one in entries
        if one.replace and one.type in _PERSONAL and not one.count
    ]
