"""People and names: what the spellings of a corpus stand for, and what replaces them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from triage.dictionaries.normal import folded

from ..anonymise.styles import EntityTable, read_table, write_table
from ..decide.people import Entry
from ..errors import TriageError, UserError
from ..mining import Line, line_of
from ..queue import Filters, Queue, State
from ..vocabulary import IdentifierType
from .pages import one_of, whole_number
from .project import Project, once

ROWS = 50
_LINES = 8

# An action of a person on an entity, or on one of its spellings.
Change = StrEnum("Change", ["NAME", "MERGE", "SPLIT", "TYPE", "KEEP", "REPLACE"])

# The orders of the entities; the default is the first.
Sort = StrEnum("Sort", ["COUNT", "SPELLING", "REPLACEMENT"])

_KEPT = "kept"


class Named(NamedTuple):
    """An entity: its spellings, the most frequent first, and the place of each in the table."""

    entries: tuple[Entry, ...]
    numbers: tuple[int, ...]
    first: Entry
    n: int
    # All that a search may find in it.
    text: str

    @property
    def by_type(self) -> list[Entry]:
        """The most frequent spelling of each type: first names and surnames may be of one."""
        return [*{one.type: one for one in self.entries[::-1]}.values()][::-1]


@dataclass(frozen=True)
class View:
    """The part of the table that a page shows; what is searched is in no address."""

    facet: str = ""
    sort: Sort = Sort.COUNT
    offset: int = 0
    # The number of the entity whose places are shown, from 1.
    open: int = 0

    @classmethod
    def parse(cls, given: Callable[[str, str], str]) -> "View":
        """Parse the fields of an address or a form; HTTPError if one is of no page."""
        facet, sort = given("facet", ""), one_of(given("sort", "") or Sort.COUNT, Sort)
        if facet not in ("", _KEPT):
            one_of(facet, IdentifierType)
        return cls(facet, sort, *(whole_number(given(name, "0")) for name in ("offset", "open")))

    def link(self, **changed: object) -> str:
        """Return the query of another part; another facet or order begins at its first page."""
        fields = vars(self) | {"open": 0} | changed
        return "?" + urlencode({name: one for name, one in fields.items() if one or name != "open"})


@once
def table_in(names: Path) -> EntityTable:
    """Return a table; an empty one before it is made."""
    return read_table(names) if names.exists() else EntityTable([])


@lru_cache(maxsize=8)
def entities(table: EntityTable, sort: Sort) -> list[Named]:
    """Return the entities of a table in an order; of equals, the most frequent first."""
    by: dict[tuple[str, str], list[tuple[Entry, int]]] = {}
    for number, entry in enumerate(table.entries):
        by.setdefault(_key(entry), []).append((entry, number))
    found = []
    for places in by.values():
        entries, numbers = zip(*sorted(places, key=lambda one: -one[0].count), strict=True)
        text = folded("\n".join(f"{one.spelling}\n{one.replacement}" for one in entries))
        found.append(Named(entries, numbers, entries[0], sum(one.count for one in entries), text))
    found.sort(key=lambda one: (-one.n, one.numbers[0]))
    if sort is Sort.COUNT:
        return found
    return sorted(found, key=lambda one: folded(getattr(one.first, sort)))


def _key(entry: Entry) -> tuple[str, str]:
    return entry.entity, entry.sender


def names_page(project: Project, view: View, search: str) -> dict[str, object]:
    table, wanted = table_in(project.names), folded(search)
    found = [one for one in entities(table, view.sort) if wanted in one.text]
    kept = [one for one in found if not one.first.replace]
    by_type = Counter(entry.type.value for one in found for entry in one.by_type)
    facets = [("", len(found)), *by_type.most_common(), *([(_KEPT, len(kept))] if kept else ())]
    of_type = [one for one in found if view.facet in ("", *(e.type for e in one.by_type))]
    shown = kept if view.facet == _KEPT else of_type
    offset = min(view.offset, max(0, len(shown) - 1)) // ROWS * ROWS
    rows = shown[offset : offset + ROWS]
    opened = next((one for one in rows if one.numbers[0] + 1 == view.open), None)
    return {
        "search": search,
        "view": view,
        "facets": facets,
        "found": rows,
        "opened": opened,
        "lines": _lines(project, opened.entries) if opened else (),
        "total": len(shown),
        "n_entities": len(table.entries),
        "offset": offset,
        "rows": ROWS,
    }


def _lines(project: Project, entries: Sequence[Entry]) -> list[tuple[int, Line]]:
    """Return the first places of an entity, with the items of the queue in which they stand."""
    if not project.queue.exists():
        return []
    found: dict[int, Line] = {}
    with Queue.open(project.queue) as queue:
        for entry in entries:
            filters = Filters(State.ALL, entry.spelling, entry.sender)
            for item in queue.rows("", filters, limit=_LINES - len(found)):
                start = item.text.casefold().find(entry.spelling.casefold())
                if start >= 0:
                    end = start + len(entry.spelling)
                    found[item.number] = line_of(item.text, item.number, start, end)
    return [*found.items()]


def take_over(project: Project) -> None:
    """Take over the table that was made anew, with what a person changed in the one before.

    Other spellings of an entity that a person changed follow it.
    """
    table, made = read_table(project.names_new), project.names_made
    if project.names.exists():
        before = read_table(made).entries if made.exists() else ()
        left, followed = dict[tuple[str, str, str], Entry](), dict[tuple[str, str], Entry]()
        for one, was, is_as_made in _with_made(table_in(project.names), before):
            if not is_as_made:
                left[one.spelling, one.sender, was.type if was else one.type] = one
            if was and not is_as_made and one.entity == was.entity:
                followed[_key(one)] = one
        entries = []
        for one in table.entries:
            if edit := left.pop((one.spelling, one.sender, one.type), None):
                entries.append(replace(edit, count=one.count, name_of=one.name_of))
            elif lead := followed.get(_key(one)):
                entries.append(replace(one, type=lead.type, replace=lead.replace, replacement=""))
            else:
                entries.append(one)
        table = EntityTable([*entries, *(replace(one, count=0) for one in left.values())])
    write_table(project.names, table, overwrite=True)
    project.names_new.replace(made)


def _with_made(
    table: EntityTable, made: Sequence[Entry]
) -> Iterator[tuple[Entry, Entry | None, bool]]:
    """Yield the rows of a table, each as the program made it, if it did, and whether it is so."""
    before = defaultdict[tuple[str, str], list[Entry]](list)
    for one in made:
        before[one.spelling, one.sender].append(one)
    for one in table.entries:
        places = before[one.spelling, one.sender]
        was = places.pop(0) if places else None
        # A cleared replacement is that of the style, too.
        as_made = (was, was and replace(was, replacement=""))
        yield one, was, was is not None and replace(one, count=was.count) in as_made


@once
def are_changed(names: Path, made: Path) -> bool:
    """Return whether a person has changed a table, or damaged it; to look at it changes nothing."""
    try:
        rows = _with_made(table_in(names), table_in(made).entries)
        return not all(is_as_made for *_, is_as_made in rows)
    except UserError:
        return True


def by_style_again(project: Project) -> None:
    """Clear the replacements that nobody has changed: they are of the style before."""
    if project.names.exists() and project.names_made.exists():
        rows = _with_made(read_table(project.names), read_table(project.names_made).entries)
        entries = (
            replace(one, replacement="") if was and was.replacement == one.replacement else one
            for one, was, _ in rows
        )
        write_table(project.names, EntityTable(entries), overwrite=True)


def apply(project: Project, change: Change, number: int, seen: str, value: str = "") -> None:
    """Change an entity of the table, or the spelling that stands at a place in it."""
    entries, value = table_in(project.names).entries, value.strip()
    if not (0 <= number < len(entries) and entries[number].spelling == seen):
        line = "the table has changed since it was shown: look at it again"
        raise TriageError(line, "table_changed")
    one = entries[number]
    whole = {i for i, entry in enumerate(entries) if _key(entry) == _key(one)}
    given: dict[str, Any] = {"replacement": ""}
    match change:
        case Change.NAME:
            given |= {"replace": True}
        case Change.TYPE:
            given |= {"type": IdentifierType(value)}
        case Change.MERGE:
            into = next((e for e in entries if value in (e.spelling, e.entity)), None)
            if into is None:
                line = "no spelling of the table is written so: choose one that it has"
                raise TriageError(line, "no_spelling")
            given |= {"entity": into.entity, "type": into.type}
        case Change.SPLIT:
            taken, spelling = {entry.entity for entry in entries}, one.spelling
            free = chain([spelling], (f"{spelling} {n}" for n in count(2)))
            whole = {number}
            given |= {"entity": next(name for name in free if name not in taken)}
        case Change.KEEP | Change.REPLACE:
            given = {"replace": change is Change.REPLACE}
    found = [replace(e, **given) if i in whole else e for i, e in enumerate(entries)]
    if change is Change.NAME:
        # The other spellings follow this one, each in its own writing.
        found[number] = replace(found[number], replacement=value)
    write_table(project.names, EntityTable(found), overwrite=True)
