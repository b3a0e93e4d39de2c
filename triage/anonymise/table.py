"""The table of people and other entities: what each spelling stands for, and what replaces it.

A person may change every cell but the spelling: bring two spellings together by giving them one
entity, keep a spelling, name another replacement or clear it, so that the style fills it in. Rows
of one sender are for the scope of a sender. The table holds real names: only its owner may read it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from triage.data import Dialect, Format, create_output
from triage.data.errors import whole_characters

from ..decide.people import COLUMNS, Entry, apart_by_type, kind_of
from ..decide.people import read_people as read_entries
from ..errors import TriageError
from ..vocabulary import IdentifierType
from .entity import Entity, Spelling
from .styles import Style, StyleContext, Styles, make_styles

__all__ = ["COLUMNS", "EntityTable", "Entry", "build_table", "read_table", "write_table"]


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
                "the table of people has rows of one sender, but a name stands for one entity in "
                "the whole file: add --per-sender, or clear the column sender",
                "names_of_senders",
            )
        written = [Spelling(one.spelling, one.type, one.sender) for one in self.entries]
        spellings = [*context.spellings, *written]
        found = {spelling: entry for spelling in spellings if (entry := self._entry_of(spelling))}
        kinds: dict[str, set[IdentifierType]] = defaultdict(set)
        for entry in self.entries:
            kinds[entry.entity].add(kind_of(entry.type))
        entities = {spelling: entry.entity for spelling, entry in found.items()}
        persons = {spelling: name for spelling, name in entities.items() if len(kinds[name]) > 1}
        known = replace(
            context,
            spellings=spellings,
            entities=entities,
            persons={**context.persons, **persons},
            chosen={
                one: entry.replacement
                for one, entry in zip(written, self.entries, strict=True)
                if entry.replace and entry.replacement
            },
        )
        other = make_styles(styles, known)
        table = EntityTable(
            replace(entry, replacement=entry.replacement or other(one)) if entry.replace else entry
            for one, entry in zip(written, self.entries, strict=True)
        )

        def style(spelling: Spelling) -> str:
            said = table.replacement_of(spelling)
            return other(spelling) if said is None else said

        return style, table


def build_table(
    spellings: Mapping[Spelling, int],
    style: Style,
    context: StyleContext,
    own: Mapping[str, Entity] | None = None,
) -> EntityTable:
    """Make the table of a corpus: by type and entity, the most frequent spelling of each first.

    Names of the account that stand nowhere are there, too. `own` are the entities that seem to be
    the names of senders: the first row of each says so.
    """
    counts: Counter[Spelling] = Counter()
    known: dict[Spelling, Spelling] = {}
    for spelling in [*spellings, *context.unseen]:
        one = spelling if context.per_sender else replace(spelling, sender="")
        counts[one] += spellings.get(spelling, 0)
        known.setdefault(one, spelling)
    rows: list[tuple[Entry, Entity]] = []
    for one, count in counts.items():
        entity, text = context.entity(known[one]), style(known[one])
        name = context.persons.get(known[one], entity.name)
        rows.append((Entry(one.text, name, one.type, count, True, text, one.sender), entity))
    types, left = [*IdentifierType], {entity: sender for sender, entity in (own or {}).items()}
    rows.sort(key=lambda row: _order(types, row[0]))
    persons = {*context.persons.values()}
    return EntityTable(
        apart_by_type(
            (replace(entry, name_of=left.pop(entity, "")) for entry, entity in rows), persons
        )
    )


def _order(types: list[IdentifierType], entry: Entry) -> tuple[int, str, str, int, str]:
    return types.index(entry.type), entry.entity, entry.sender, -entry.count, entry.spelling


def write_table(path: str | Path, table: EntityTable, *, overwrite: bool = False) -> None:
    """Write a table to a file that only its owner may read, in any format of tables."""
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    with create_output(
        path, COLUMNS, like=like, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        output.write(entry.cells() for entry in table.entries)
        output.commit()


def read_table(path: str | Path) -> EntityTable:
    """Read a table that a person may have changed."""
    return EntityTable(read_entries(path))
