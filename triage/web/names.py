"""People and names: what the spellings of a corpus stand for, and what replaces them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import chain, count

from ..anonymise.table import EntityTable, Entry, read_table, write_table
from ..errors import TriageError
from ..vocabulary import IdentifierType
from .figures import Version, version_of
from .project import Project

ROWS = 50


class Change(StrEnum):
    """An action of a person on an entity, or on one of its spellings."""

    NAME = "name"
    MERGE = "merge"
    SPLIT = "split"
    TYPE = "type"
    KEEP = "keep"
    REPLACE = "replace"


@dataclass(frozen=True)
class Named:
    number: int
    entries: tuple[Entry, ...]

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def count(self) -> int:
        return sum(entry.count for entry in self.entries)


def table_of(project: Project) -> EntityTable | None:
    """Return the table of a project; None before it is made."""
    return _table_in(version_of(project.names)) if project.names.exists() else None


@lru_cache(maxsize=8)
def _table_in(version: Version) -> EntityTable:
    return read_table(version.path)


def entities_of(project: Project) -> Sequence[Named]:
    """Return the entities of a project, the most frequent first; none before its table is made."""
    return _entities_in(version_of(project.names)) if project.names.exists() else ()


@lru_cache(maxsize=8)
def _entities_in(version: Version) -> list[Named]:
    return entities(_table_in(version))


def entities(table: EntityTable) -> list[Named]:
    """Return the entities of a table, the most frequent first."""
    by: dict[tuple[str, str], list[tuple[int, Entry]]] = {}
    for number, entry in enumerate(table.entries):
        by.setdefault(_key(entry), []).append((number, entry))
    found = [
        Named(places[0][0], tuple(sorted((e for _, e in places), key=lambda e: -e.count)))
        for places in by.values()
    ]
    return sorted(found, key=lambda one: (-one.count, one.number))


def _key(entry: Entry) -> tuple[str, str]:
    return entry.entity, entry.sender


def changed(
    table: EntityTable, change: Change, number: int, seen: str, value: str = ""
) -> EntityTable:
    entries, one = table.entries, entry_of(table, number, seen)
    if change is Change.SPLIT:
        own = _free_name(one.spelling, {entry.entity for entry in entries})
        return _with(entries, [number], lambda e: replace(e, entity=own, replacement=""))
    whole = [i for i, entry in enumerate(entries) if _key(entry) == _key(one)]
    match change:
        case Change.NAME:
            # The other spellings follow the first, each in its own writing.
            return _with(
                entries,
                whole,
                lambda e: replace(e, replacement=value.strip() if e == one else "", replace=True),
            )
        case Change.MERGE:
            into = next((e for e in entries if value.strip() in (e.spelling, e.entity)), None)
            if into is None:
                raise TriageError(
                    "no spelling of the table is written so: choose one that it has",
                    "no_spelling",
                )
            return _with(
                entries,
                whole,
                lambda e: replace(e, entity=into.entity, type=into.type, replacement=""),
            )
        case Change.TYPE:
            kind = IdentifierType(value)
            return _with(entries, whole, lambda e: replace(e, type=kind, replacement=""))
        case _:
            is_replaced = change is Change.REPLACE
            return _with(entries, whole, lambda e: replace(e, replace=is_replaced))


def entry_of(table: EntityTable, number: int, seen: str) -> Entry:
    """Return an entry by its place and its spelling; TriageError if it is another one by now."""
    entries = table.entries
    if not (0 <= number < len(entries) and entries[number].spelling == seen):
        raise TriageError(
            "the table has changed since it was shown: look at it again", "table_changed"
        )
    return entries[number]


def _with(
    entries: Iterable[Entry], numbers: Iterable[int], change: Callable[[Entry], Entry]
) -> EntityTable:
    chosen = {*numbers}
    return EntityTable(change(e) if i in chosen else e for i, e in enumerate(entries))


def _free_name(spelling: str, taken: set[str]) -> str:
    """Return a name for an entity that no other one has."""
    names = chain([spelling], (f"{spelling} {number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def keep_table(project: Project, table: EntityTable) -> None:
    write_table(project.names, table, overwrite=True)
