"""The table of entities: which real thing each spelling stands for, and what replaces it.

A person may change every cell but the spelling: bring two spellings together by giving them one
entity, keep a spelling, name another replacement or clear it, so that the style fills it in. Rows
of one sender are for the scope of a sender. The table holds real names: only its owner may read it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from triage.data import Dialect, Format, MessageFile, as_text, create_output
from triage.data.errors import whole_characters

from ..errors import TriageError
from ..vocabulary import IdentifierType
from .columns import open_table
from .entity import Spelling
from .styles import Style, StyleContext, Styles, make_styles

COLUMNS = (
    *("spelling", "entity", "type", "count", "replace", "replacement"),
    *("sender", "name_of", "confirmed"),
)
_NEEDED = ("spelling", "entity", "type", "replace", "replacement")
_YES, _NO = "yes", "no"
# What people say for yes and for no.
SAID = {
    **dict.fromkeys(("yes", "y", "true", "1", "oui", "o", "vrai"), True),
    **dict.fromkeys(("no", "n", "false", "0", "non", "faux"), False),
}
_WHAT = f"a table of entities has the columns {', '.join(COLUMNS)}"
# An error names so many of the columns that it does not know.
_NAMED = 3
_LONGEST_SHOWN = 24


@dataclass(frozen=True)
class Entry:
    """A spelling and its replacement; entries of one kind and entity are one real thing."""

    spelling: str
    entity: str
    type: IdentifierType
    count: int
    replace: bool
    replacement: str
    sender: str = ""
    name_of: str = ""
    confirmed: bool = False

    @property
    def written(self) -> Spelling:
        return Spelling(self.spelling, self.type, self.sender)


class EntityTable:
    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._found: dict[tuple[str, IdentifierType | None, str], Entry] = {}
        for entry in self.entries:
            for type_ in (entry.type, None):
                key = (whole_characters(entry.spelling), type_, whole_characters(entry.sender))
                self._found.setdefault(key, entry)

    def _entry_of(self, spelling: Spelling) -> Entry | None:
        """Return the entry of a spelling, None where the table has none."""
        text = whole_characters(spelling.text)
        keys = (
            (text, type_, sender)
            for sender in (whole_characters(spelling.sender), "")
            for type_ in (spelling.type, None)
        )
        return next(filter(None, map(self._found.get, keys)), None)

    def replacement_of(self, spelling: Spelling) -> str | None:
        """Return the replacement of a spelling: itself where it is to stay."""
        entry = self._entry_of(spelling)
        if entry is None:
            return None
        return (entry.replacement or None) if entry.replace else spelling.text

    def style(self, styles: Styles, context: StyleContext) -> tuple[Style, "EntityTable"]:
        """Make a style that follows the table, and where it says nothing, that of the type."""
        if not context.per_sender and any(entry.sender for entry in self.entries):
            raise TriageError(
                "the table of entities has rows of one sender, but a name stands for one entity in "
                "the whole file: add --per-sender, or clear the column sender",
                "names_of_senders",
            )
        spellings = [*context.spellings, *(entry.written for entry in self.entries)]
        found = ((spelling, self._entry_of(spelling)) for spelling in spellings)
        entities = {spelling: entry.entity for spelling, entry in found if entry}
        chosen = {e.written: e.replacement for e in self.entries if e.replace and e.replacement}
        known = replace(context, spellings=spellings, entities=entities, chosen=chosen)
        other = make_styles(styles, known)
        table = EntityTable(
            replace(entry, replacement=entry.replacement or other(entry.written))
            if entry.replace
            else entry
            for entry in self.entries
        )

        def style(spelling: Spelling) -> str:
            said = table.replacement_of(spelling)
            return other(spelling) if said is None else said

        return style, table


def build_table(
    spellings: Mapping[Spelling, int], style: Style, context: StyleContext
) -> EntityTable:
    """Make the table of a corpus: by type and entity, the most frequent spelling of each first."""
    counts: dict[Spelling, int] = defaultdict(int)
    known: dict[Spelling, Spelling] = {}
    for spelling, count in spellings.items():
        one = spelling if context.per_sender else replace(spelling, sender="")
        counts[one] += count
        known.setdefault(one, spelling)

    def entry(one: Spelling, count: int) -> Entry:
        name, replacement = context.entity(known[one]).name, style(known[one])
        return Entry(one.text, name, one.type, count, True, replacement, one.sender)

    types = [*IdentifierType]
    return EntityTable(
        sorted(
            (entry(one, count) for one, count in counts.items()),
            key=lambda e: (types.index(e.type), e.entity, e.sender, -e.count, e.spelling),
        )
    )


def write_table(path: str | Path, table: EntityTable, *, overwrite: bool = False) -> None:
    """Write a table to a file that only its owner may read, in any format of tables."""
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    with create_output(
        path, COLUMNS, like=like, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        output.write(map(cells_of, table.entries))
        output.commit()


def cells_of(entry: Entry) -> list[object]:
    """Return the cells of an entry, in the order of `COLUMNS`."""
    return [
        whole_characters(entry.spelling),
        whole_characters(entry.entity),
        entry.type.value,
        entry.count,
        _YES if entry.replace else _NO,
        whole_characters(entry.replacement),
        whole_characters(entry.sender),
        whole_characters(entry.name_of),
        _YES if entry.confirmed else "",
    ]


def read_table(path: str | Path) -> EntityTable:
    """Read a table that a person may have changed."""
    with open_table(path, "spelling", f"{path} has no column 'spelling': {_WHAT}") as file:
        _check_columns(file)
        entries = [
            _read_entry(file, line, row, text)
            for chunk in file.chunks()
            for line, row, text in zip(chunk.lines, chunk.rows, chunk.texts, strict=True)
        ]
        for reject in file.rejects:
            raise _wrong(file, reject.line, reject.reason)
    return EntityTable(entries)


def _check_columns(file: MessageFile) -> None:
    for column in _NEEDED:
        if column not in file.columns:
            raise TriageError(
                f"{file.name} has no column {column!r}: {_WHAT}",
                "no_column_of_names",
                file=file.name,
                column=column,
            )
    # Spreadsheets leave nameless columns.
    unknown = [column[:_LONGEST_SHOWN] for column in file.columns if column not in (*COLUMNS, "")]
    if unknown:
        named = ", ".join(map(repr, unknown[:_NAMED]))
        raise TriageError(
            f"{file.name} has columns that mean nothing here, {named}: {_WHAT}",
            "columns_of_names",
            file=file.name,
        )


def _wrong(file: MessageFile, line: int, reason: object) -> TriageError:
    called = "line" if file.format.is_text else "row"
    return TriageError(
        f"{file.name}, {called} {line}: {reason}", "names_table", file=file.name, line=line
    )


def _read_entry(file: MessageFile, line: int, row: Sequence[object], text: str) -> Entry:
    cells = dict(zip(file.columns, map(as_text, row), strict=True)) | {"spelling": text}
    try:
        return _entry(cells)
    except ValueError as error:
        raise _wrong(file, line, error) from None


def _entry(cells: Mapping[str, str]) -> Entry:
    """Parse the cells of an entry; a ValueError says what is wrong."""
    if not cells["spelling"]:
        raise ValueError("it has no spelling; write it, or remove the row")
    type_ = cells["type"].strip().upper()
    if type_ not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    # An empty cell says nothing else than that the row is there.
    replaced = _said(cells["replace"].strip() or _YES, "whether to replace")
    confirmed = _said(cells.get("confirmed", "").strip() or _NO, "whether it is the sender's name")
    if confirmed and not cells.get("name_of"):
        raise ValueError("it confirms whose name it is, but name_of is empty")
    if confirmed and not replaced:
        raise ValueError("a name that stays cannot stand for its sender")
    return Entry(
        cells["spelling"],
        cells["entity"].strip() or cells["spelling"],
        IdentifierType(type_),
        _count(cells.get("count", "")),
        replaced,
        cells["replacement"],
        cells.get("sender", ""),
        cells.get("name_of", ""),
        confirmed,
    )


def _said(cell: str, what: str) -> bool:
    said = SAID.get(cell.lower())
    if said is None:
        raise ValueError(f"{what} is neither {_YES} nor {_NO}")
    return said


def _count(cell: str) -> int:
    try:
        return int(float(cell.strip() or 0))
    except (ValueError, OverflowError):
        raise ValueError("its count is no number") from None
