"""Replacing: the plan as a person sets it, styles shown on messages, and the table of names."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from triage.data import DataError
from triage.dictionaries.normal import fold, folded

from ..anonymise.keys import replacements_in
from ..anonymise.plan import Plan, read_plan
from ..anonymise.record import HeldFor, held_path, read_held
from ..anonymise.styles import is_name, pseudonym_of, write_table
from ..anonymise.surrogates import bare_words
from ..decide.people import Entry, read_people
from ..errors import TriageError, UserError
from ..mining import Line, line_of
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS
from ..queue import Filters, Queue, State
from ..queue.records import text_digest
from ..settings import Dates, Ids, Senders, StyleName, Treatment
from ..vocabulary import Action, IdentifierType
from .importing import Preview
from .pages import ROWS, one_of, whole_number
from .project import Project, cached_until_changed, decided, decided_in

# The paper's can be undone by anyone.
STYLES = (StyleName.TAG, StyleName.SURROGATE, StyleName.CONSISTENT, StyleName.MASK)
_SHOWN = 3
# In some of them, nothing is found to replace.
_TRIED = 9


def plan_of(project: Project) -> tuple[UserError | None, Plan]:
    """Return why the plan cannot be read, and the plan; the default one where there is none."""
    if not project.plan.exists():
        return None, Plan()
    try:
        # The page keeps no options of the command line, and must not write a plan that has some.
        return None, read_plan(project.plan, without=("files", "options"))[0]
    except UserError as error:
        return error, Plan()


def style_cards(project: Project, *, as_kept: bool = False) -> list[dict[str, Any]]:
    """Return the styles, shown on messages of the project to anonymise, or as last worked out."""
    source = project.final if project.final.exists() else project.triaged
    files = [one for one in (source, project.key_table) if one.exists()]
    # What was replaced is known until something is decided anew.
    newest = max(files, key=lambda one: one.stat().st_mtime_ns, default=source)
    replaced = (newest,) if newest != source else ()
    with suppress(UserError):  # there is no file yet, or somebody has changed it
        last = project.cached("styles").read() if as_kept else None
        if cards := last or project.figure("styles", _cards, source, *replaced):
            return cards
    return [{"style": style, "examples": ()} for style in STYLES]


def _cards(final: Path, keys: Path | None = None) -> list[dict[str, Any]]:
    import pandas as pd

    from ..api.anonymising import anonymise

    # A few short messages to anonymise, from all of the corpus, each text once.
    pairs = enumerate(decided(final), 1)
    row_of = {text: row for row, (text, act) in pairs if act == Action.TA and 0 < len(text) <= 160}
    rows = [*row_of.values()][:: max(1, len(row_of) // _TRIED)][:_TRIED]
    if not rows:
        return []
    messages = decided_in(final, rows, FINAL_SPANS)
    texts, spans = [text for text, _ in messages], [cell for _, cell in messages]
    if keys:
        marked = replacements_in(str(keys))
        spans = [json.dumps([s for s, *_ in marked[at]]) if at in marked else "" for at in rows]
    # As if a person had marked what is replaced in them, where that is known.
    decisions = {FINAL_ACTION: Action.TA.value, DECIDED_BY: "anybody", FINAL_SPANS: spans}
    table = pd.DataFrame({"text": texts} | decisions)
    replaced = {
        # The styles are shown with a key that is nobody's.
        style: anonymise(table, style=style, key=bytes(32), hold="none")["text"]
        for style in STYLES
    }
    changed = [i for i, text in enumerate(texts) if replaced[StyleName.TAG][i] != text][:_SHOWN]
    return [
        {"style": style, "examples": [(texts[i], after[i]) for i in changed]}
        for style, after in replaced.items()
    ]


def held_back(project: Project) -> list[dict[str, str]]:
    """Return the first messages that were held back, with the page where each is decided."""
    held = held_rows(project)[:20]
    if not held:
        return []
    rows = tuple(row for row, _ in held)
    try:
        texts = project.figure("held", decided_in, project.final, rows)
    except DataError:
        return []
    with Queue.open(project.queue) as queue:
        items = [queue.find(text_digest(text)) for text, _ in texts]
    return [
        {"reason": reason, "text": text, "page": f"item/{item}" if item else ""}
        for (_, reason), (text, _), item in zip(held, texts, items, strict=True)
    ]


def held_rows(project: Project, *, waiting: bool = False) -> Sequence[tuple[int, str]]:
    """Return the rows held back, with the reason; with `waiting`, those waiting for people too."""
    return _held_in(held_path(str(project.anonymised)), project.anonymised)[waiting]


@cached_until_changed
def _held_in(held: Path, anonymised: Path) -> tuple[Sequence[tuple[int, str]], ...]:
    messages = read_held(str(anonymised)) if held.exists() else ()
    rows = [(one.row, one.reason.value) for one in messages if not one.written]
    return [one for one in rows if one[1] != HeldFor.WAITS], rows


# The treatment of a column without a role.
Becomes = StrEnum("Becomes", ["DROP", "PSEUDONYM", "KEEP", "AS_IT_IS"])

# The settings of columns that have a role.
_FIELDS = {"sender": "sender", "date": "dates", "id": "ids"}
# What may become of a column that has a role; messages have no choice.
CHOICES: Mapping[str, tuple[StrEnum, ...]] = {
    "sender": (Senders.PSEUDONYM, Senders.DROP, Senders.KEEP),
    "date": (*Dates,),
    "id": (*Ids,),
}


def first_plan(plan: Plan, preview: Preview) -> Plan:
    """Return the plan that is proposed: ids that identify somebody are replaced by numbers."""
    if any(one["role"] == "id" and one["is_warned_of"] for one in preview["columns"]):
        return replace(plan, treatment=replace(plan.treatment, ids=Ids.NUMBER))
    return plan


def chosen_columns(plan: Plan, preview: Preview) -> Iterator[dict[str, Any]]:
    """Yield each column, what may become of it, and what does by a plan."""
    treatment = plan.treatment
    by_role = {role: getattr(treatment, field) for role, field in _FIELDS.items()}
    for column in preview["columns"]:
        name, role = column["name"], column["role"]
        choices, chosen = CHOICES.get(role, ()), by_role.get(role)
        if role == "other":
            keeping = Becomes.AS_IT_IS if column["is_warned_of"] else Becomes.KEEP
            choices, chosen = (Becomes.DROP, Becomes.PSEUDONYM, keeping), Becomes.DROP
            if name in treatment.pseudonym:
                chosen = Becomes.PSEUDONYM
            elif name in treatment.keep:
                chosen = Becomes.AS_IT_IS if name in treatment.as_it_is else keeping
        yield {"column": column, "choices": choices, "chosen": chosen}


def with_columns(plan: Plan, preview: Preview, choices: Mapping[str, str]) -> Plan:
    """Return a plan with what a person chose of each column, by its name."""
    chosen: dict[str, Any] = {field: getattr(Treatment(), field) for field in _FIELDS.values()}
    others, insisted = defaultdict[str, list[str]](list), list[str]()
    for column in preview["columns"]:
        name, role = column["name"], column["role"]
        choice, field = choices.get(name, ""), _FIELDS.get(role, "")
        if role == "other":
            others[choice].append(name)
        elif field and choice in CHOICES[role]:
            chosen[field] = type(chosen[field])(choice)
            # Who keeps such a column has seen the warning beside it.
            insisted += [name] if column["is_warned_of"] and choice == Becomes.KEEP else []
    as_it_is = others[Becomes.AS_IT_IS]
    treatment = replace(
        plan.treatment,
        keep=(*others[Becomes.KEEP], *as_it_is),
        as_it_is=(*as_it_is, *insisted),
        pseudonym=(*others[Becomes.PSEUDONYM],),
        **chosen,
    )
    return replace(plan, treatment=treatment)


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
    """The part of the table that a page shows; of what is sought, its number in the session."""

    facet: str = ""
    sort: Sort = Sort.COUNT
    sought: int = 0
    offset: int = 0
    # The number of the entity whose places are shown, from 1.
    open: int = 0

    @classmethod
    def parse(cls, value_of: Callable[[str, str], str]) -> "View":
        """Parse the fields of an address or a form; HTTPError if one is of no page."""
        facet, sort = value_of("facet", ""), one_of(value_of("sort", "") or Sort.COUNT, Sort)
        if facet not in ("", _KEPT):
            one_of(facet, IdentifierType)
        places = (whole_number(value_of(name, "0")) for name in ("sought", "offset", "open"))
        return cls(facet, sort, *places)

    def link(self, **changed: object) -> str:
        """Return the query of another part; another facet or order begins at its first page."""
        fields = vars(self) | {"open": 0} | changed
        shown = {name: n for name, n in fields.items() if n or name not in ("sought", "open")}
        return "?" + urlencode(shown)


@cached_until_changed
def table_in(names: Path) -> list[Entry]:
    """Return a table; an empty one before it is made."""
    return read_people(names) if names.exists() else []


@cached_until_changed
def entities(names: Path, sort: Sort) -> list[Named]:
    """Return the entities of a table in an order; of equals, the most frequent first."""
    groups: dict[tuple[str, str], list[tuple[Entry, int]]] = {}
    for number, entry in enumerate(table_in(names)):
        groups.setdefault(_key(entry), []).append((entry, number))
    named = []
    for places in groups.values():
        entries, numbers = zip(*sorted(places, key=lambda one: -one[0].count), strict=True)
        text = folded("\n".join(f"{one.spelling}\n{one.replacement}" for one in entries))
        named.append(Named(entries, numbers, entries[0], sum(one.count for one in entries), text))
    named.sort(key=lambda one: (-one.n, one.numbers[0]))
    if sort is Sort.COUNT:
        return named
    return sorted(named, key=lambda one: folded(getattr(one.first, sort)))


def _key(entry: Entry) -> tuple[str, str]:
    return entry.entity, entry.sender


def _joined(one: Entry, entries: Sequence[Entry], whole: Set[int]) -> Entry:
    """Return an entry as a row outside a whole has it that is of its spelling and type."""
    written = one.spelling, one.type, one.sender
    others = (e for i, e in enumerate(entries) if i not in whole)
    like = next((e for e in others if written == (e.spelling, e.type, e.sender)), one)
    return replace(one, entity=like.entity, replace=like.replace, replacement=like.replacement)


def names_page(project: Project, view: View, searches: Mapping[int, str]) -> dict[str, object]:
    # Of a session that is no more, none is known.
    search = searches.get(view.sought, "")
    folded_search, all_entities = folded(search), entities(project.names, view.sort)
    matching = [one for one in all_entities if folded_search in one.text]
    kept = [one for one in matching if not one.first.replace]
    by_type = Counter(entry.type.value for one in matching for entry in one.by_type)
    facets = [("", len(matching)), *by_type.most_common(), *([(_KEPT, len(kept))] if kept else ())]
    of_type = [one for one in matching if view.facet in ("", *(e.type for e in one.by_type))]
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
        "is_made": bool(all_entities),
        "offset": offset,
    }


def _lines(project: Project, entries: Sequence[Entry]) -> list[tuple[int, Line]]:
    """Return the first places of an entity, with the items of the queue in which they stand."""
    if not project.queue.exists():
        return []
    lines: dict[int, Line] = {}
    with Queue.open(project.queue) as queue:
        for entry in entries:
            filters = Filters(State.ALL, entry.spelling, entry.sender)
            for item in queue.rows("", filters, limit=_LINES - len(lines)):
                start = item.text.casefold().find(entry.spelling.casefold())
                if start >= 0:
                    end = start + len(entry.spelling)
                    lines[item.number] = line_of(item.text, item.number, start, end)
    return [*lines.items()]


def take_over(project: Project) -> None:
    """Take over the table that was made anew, with what a person changed in the one before.

    Other spellings of an entity that a person changed follow it.
    """
    table, made = read_people(project.names_new), project.names_made
    if project.names.exists():
        before = table_in(made)
        edits, followed = dict[tuple[str, str, str], Entry](), dict[tuple[str, str], Entry]()
        for one, was, is_as_made in _with_made(table_in(project.names), before):
            if not is_as_made:
                edits[one.spelling, one.sender, was.type if was else one.type] = one
            if was and not is_as_made and one.entity == was.entity:
                followed[_key(one)] = one
        entries = []
        for one in table:
            if edit := edits.pop((one.spelling, one.sender, one.type), None):
                entries.append(replace(edit, count=one.count, name_of=one.name_of))
            elif lead := followed.get(_key(one)):
                entries.append(replace(one, type=lead.type, replace=lead.replace, replacement=""))
            else:
                entries.append(one)
        table = [*entries, *(replace(one, count=0) for one in edits.values())]
    write_table(project.names, table, overwrite=True)
    project.names_new.replace(made)


def _with_made(
    table: Iterable[Entry], made: Iterable[Entry]
) -> Iterator[tuple[Entry, Entry | None, bool]]:
    """Yield the rows of a table, each as the program made it, if it did, and whether it is so."""
    made_rows = defaultdict[tuple[str, str], list[Entry]](list)
    for one in made:
        made_rows[one.spelling, one.sender].append(one)
    for one in table:
        candidates = made_rows[one.spelling, one.sender]
        was = candidates.pop(0) if candidates else None
        # A cleared replacement is that of the style, too.
        as_made = (was, was and replace(was, replacement=""))
        yield one, was, was is not None and replace(one, count=was.count) in as_made


@cached_until_changed
def are_changed(names: Path, made: Path) -> bool:
    """Return whether a person has changed a table, or damaged it; to look at it changes nothing."""
    try:
        rows = _with_made(table_in(names), table_in(made))
        return not all(is_as_made for *_, is_as_made in rows)
    except UserError:
        return True


def by_style_again(project: Project) -> None:
    """Clear the replacements that nobody has changed: they are of the style before."""
    if project.names.exists() and project.names_made.exists():
        entries = [
            replace(one, replacement="") if was and was.replacement == one.replacement else one
            for one, was, _ in _with_made(table_in(project.names), table_in(project.names_made))
        ]
        write_table(project.names, entries, overwrite=True)


def _check_free(new: Entry, entries: Sequence[Entry]) -> None:
    """Refuse a replacement of an entity that is a name in the corpus, or that of another one."""
    if not (pseudonym := pseudonym_of(new)):
        return
    others = (e for e in entries if e.sender == new.sender and e.entity != new.entity)
    spelled = {fold(e.spelling) for e in entries if e.count}
    is_borne = is_name(new, bare_words(spelled)) or fold(new.replacement) in spelled
    if is_borne or any(pseudonym_of(e) == pseudonym for e in others):
        line = "somebody in the corpus has this name or replacement: choose another one"
        raise TriageError(line, "name_borne", name=new.replacement)


def change_name(project: Project, change: Change, number: int, seen: str, value: str = "") -> None:
    """Change an entity of the table, or the spelling that stands at a place in it."""
    entries, value = table_in(project.names), value.strip()
    if not (0 <= number < len(entries) and entries[number].spelling == seen):
        line = "the table has changed since it was shown: look at it again"
        raise TriageError(line, "table_changed")
    one = entries[number]
    whole = {i for i, entry in enumerate(entries) if _key(entry) == _key(one)}
    changes: dict[str, Any] = {"replacement": ""}
    match change:
        case Change.NAME:
            _check_free(replace(one, replace=True, replacement=value), entries)
            changes |= {"replace": True}
        case Change.TYPE:
            changes |= {"type": IdentifierType(value)}
        case Change.MERGE:
            named = [e for e in entries if value in (e.spelling, e.entity)]
            # A spelling of two types stands in two rows, of which one may join the other.
            into = min(named, key=lambda e: _key(e) == _key(one), default=None)
            if into is None:
                line = "no spelling of the table is written so: choose one that it has"
                raise TriageError(line, "no_spelling")
            changes |= {"entity": into.entity, "type": into.type}
        case Change.SPLIT:
            taken, spelling = {entry.entity for entry in entries}, one.spelling
            free = chain([spelling], (f"{spelling} {n}" for n in count(2)))
            whole = {number}
            changes |= {"entity": next(name for name in free if name not in taken)}
        case Change.KEEP | Change.REPLACE:
            changes = {"replace": change is Change.REPLACE}
    changed = [replace(e, **changes) if i in whole else e for i, e in enumerate(entries)]
    if change in (Change.TYPE, Change.MERGE):
        changed = [_joined(e, entries, whole) if i in whole else e for i, e in enumerate(changed)]
    if change is Change.NAME:
        # The other spellings follow this one, each in its own writing.
        changed[number] = replace(changed[number], replacement=value)
    write_table(project.names, changed, overwrite=True)
