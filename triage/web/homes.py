"""The folder of projects, and the life of each: made, extended, given another file, packed."""

import re
import shutil
import sqlite3
import stat
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Sequence, Set
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any

from triage.data import MessageFile, as_text, create_output
from triage.data.output import beside

from ..anonymise.plan import read_plan
from ..decide.source import Source
from ..errors import TriageError, reason_of
from ..queue import Filters, Queue, State
from ..queue.records import text_digest
from ..queue.store import database_errors, migrate
from ..safe import Staged
from ..settings import Reading
from . import importing
from .pages import Translator
from .people import Right
from .project import DAMAGE, KIND, LONGEST_NAME, SETTINGS, Project, damage, decided, plain_name
from .publishing import checked
from .stages import ProjectState, queue_state

_PRIVATE_FILE = 0o600
_MAX_FILES = 100_000
# What one tab makes or adds is not lost by what another does meanwhile.
_MAKING, ADDING = Lock(), Lock()
_NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)


def pack(project: Project, folder: Path) -> Path:
    archive = folder / f"{project.name}.zip"
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_DEFLATED) as packed:
        archive.chmod(_PRIVATE_FILE)
        for path in sorted(project.folder.rglob("*")):
            inner = path.relative_to(project.folder)
            # Parts of a queue that is open are not needed by its copy.
            is_part = path.name.endswith((".queue-wal", ".queue-shm"))
            is_hidden = any(part.startswith(".") for part in inner.parts)
            if is_part or is_hidden or not path.is_file():
                continue
            name = f"{project.name}/{inner.as_posix()}"
            if path != project.queue:
                packed.write(path, name)
                continue
            # As of one moment, while people may be deciding; a damaged one as it is.
            copy = folder / path.name
            try:
                with closing(sqlite3.connect(path)) as queue, closing(sqlite3.connect(copy)) as to:
                    queue.backup(to)
            except sqlite3.DatabaseError:
                shutil.copyfile(path, copy)
            packed.write(copy, name)
            copy.unlink()
    return archive


def bring(file: Path, inner: PurePosixPath, folder: Path) -> Project:
    """Open the archive of a project as one that its owner alone may read."""
    try:
        with Staged(folder, private=True, kind=KIND) as staged:
            with zipfile.ZipFile(file) as packed:
                _extract(packed, inner, staged.place)
            preview = _checked(Project(staged.place))
            staged.commit()
    except _NO_ARCHIVE:
        raise _no_project() from None
    except OSError as error:
        reason = reason_of(error)
        line = f"cannot copy {file}: {reason}"
        raise TriageError(line, "cannot_write", file=folder, reason=reason) from None
    project = Project(folder)
    project.protect()
    importing.cached_preview(project).write(preview)
    return project


def _no_project() -> TriageError:
    line = "the archive is damaged, has a password or holds what no project has: pack it again"
    return TriageError(line, "no_project")


def _extract(packed: zipfile.ZipFile, inner: PurePosixPath, to: Path) -> None:
    entries = [one for one in packed.infolist() if not one.is_dir()]
    names = [PurePosixPath(one.filename) for one in entries]
    if (
        not len({*names}) == len(names) <= _MAX_FILES
        or any(".." in name.parts or name.is_absolute() or "\\" in str(name) for name in names)
        or any(stat.S_ISLNK(one.external_attr >> 16) for one in entries)
    ):
        raise _no_project()
    if sum(one.file_size for one in entries) > shutil.disk_usage(to).free:
        raise TriageError("there is no room on the disk for the project", "no_room")
    for entry, name in zip(entries, names, strict=True):
        # What is hidden is worked out anew here, and never brought.
        if not name.is_relative_to(inner) or any(part.startswith(".") for part in name.parts):
            continue
        path = to / name.relative_to(inner)
        path.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(entry) as source, path.open("xb") as target:
            shutil.copyfileobj(source, target)


def _checked(project: Project) -> importing.Preview:
    """Check all parts of a project that was brought; return the preview of its file.

    A queue must be whole, and hold nothing that acts but what each queue has.
    """
    if not project.original.is_file():
        raise _no_project()
    deque(project.history(), maxlen=0)
    if (path := project.queue).exists():
        triggers = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')"
        memory = closing(sqlite3.connect(":memory:"))
        with Queue.open(path) as queue, database_errors(path), memory as new:
            migrate(new)
            is_whole = queue.connection.execute("PRAGMA quick_check").fetchone()[0] == "ok"
            if not is_whole or {*queue.connection.execute(triggers)} != {*new.execute(triggers)}:
                line = f"{path.name} is damaged, or holds what no queue has"
                raise TriageError(line, "damaged", file=path.name)
    if project.plan.exists():
        read_plan(project.plan)
    preview = importing.checked_preview(project.original, project.settings.reading)
    for path in (project.triaged, project.final):
        if path.exists():
            with Source(str(path)).open() as table:
                deque(table.chunks(), maxlen=0)
    return preview


def card(project: Project, t: Translator, rights: Set[Right], person: str) -> dict[str, Any]:
    """Return a project as the first page shows it: what is next for who asks, or is damaged."""
    values: dict[str, Any] = {"name": project.name, "title": project.title}
    try:
        preview = importing.cached_preview(project).read()
        problem = importing.problem_of(preview) if preview and not preview["rows"] else None
        counts = {"messages": preview["n_messages"] if preview else 0}
        # What the first page does not need may be damaged, too.
        standing = ProjectState(project, rights, person)
        values["counts"] = t.counts(counts | standing.waits)
        checked(project.check)
        return values | {"next": standing.todo(t, "").key, "problem": problem}
    except DAMAGE as error:
        return values | {"next": "", "problem": damage(project, error)}


def create(home: Path, file: Path, title: str = "") -> Project:
    """Make a project of a file of messages, or of the archive of one."""
    if not file.is_file():
        line = f"{file} is no file: give the path of a file of messages"
        raise TriageError(line, "no_file", file=file)
    inner = None
    # A file of messages may be a damaged archive, too, which its reader tells.
    with suppress(*_NO_ARCHIVE, ValueError, OSError), zipfile.ZipFile(file) as packed:
        names = map(PurePosixPath, packed.namelist())
        inner = next((name.parent for name in names if name.name == SETTINGS), None)
    if inner is not None:
        with _MAKING:
            return bring(file, inner, _free(home, title or file.stem))
    preview = importing.checked_preview(file)
    title = title.strip()[:LONGEST_NAME] or file.stem
    with _MAKING:
        project = Project.create(_free(home, title), file, title, Reading(**preview["reading"]))
    importing.cached_preview(project).write(preview)
    return project


def _free(home: Path, title: str) -> Path:
    """Return a folder that is not there, named like a project."""
    folder = re.sub(r"[^\w-]+", "-", title.strip()[:LONGEST_NAME]).strip("-") or "corpus"
    names = chain([folder], (f"{folder}-{number}" for number in count(2)))
    return next(home / name for name in names if not (home / name).exists())


def decisions(project: Project) -> int | None:
    """Return how many decisions people have made; None where the queue is damaged."""
    try:
        return queue_state(project.queue).last_decision
    except DAMAGE:
        return None


def may_be_replaced(project: Project) -> bool:
    return not project.published.exists() and decisions(project) == 0


def replace_file(project: Project, file: Path, by: str) -> None:
    """Put another file in the place of the original, of which nothing was decided."""
    if not may_be_replaced(project):
        line = "messages of this project were decided: make a project of the other file"
        raise TriageError(line, "decided_already")
    preview = importing.checked_preview(file)
    for path in project.folder.iterdir():
        # What a project keeps when its file is replaced.
        if path.is_file() and path.name not in ("project.json", "log.jsonl", "corpus.key"):
            path.unlink()
    original, name, settings = project.original, plain_name(file.name), project.settings
    file.replace(original.with_name(name))
    reading = Reading(**preview["reading"])
    project.write(replace(settings, original=name, reading=reading, language=""))
    project.protect()
    if original.name != name:
        original.unlink()
    project.note("replaced", by=by)


# A file of another layout waits here until its columns were chosen.
_ADDED = ".added"
UNLIKE = ("no_column", "unlike_columns")


def put_aside(project: Project, file: Path) -> None:
    """Keep a file of which the columns are to be chosen; UserError if it cannot be added at all."""
    preview = importing.checked_preview(file)
    with (
        Source(str(project.original), project.settings.reading).open() as first,
        Source(str(file), Reading(**preview["reading"])).open() as second,
    ):
        _check_may_follow(first, second, preview)
    folder = project.folder / _ADDED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    project.cached("added", file.replace(folder / plain_name(file.name))).write(preview)


def _check_may_follow(first: MessageFile, second: MessageFile, preview: importing.Preview) -> None:
    """Refuse a file that no choice of its columns would add to another one."""
    choices = preview["choices"]
    unique, worded = choices.get("id_column", ()), choices.get("text_column", ())
    if first.id_position is None:
        rows = (row for chunk in second.chunks() for row in chunk.rows)
        same = {second.text_position, *map([*second.columns].index, worded)}
        for text in (text for chunk in first.chunks() for text in chunk.texts):
            row = next(rows, None)
            same = {at for at in same if row and as_text(row[at]) == text}
            if not same:
                raise _unlike(second, first, in_messages=True)
    elif not any(
        one["role"] == "id" or (one["role"] == "other" and one["name"] in unique)
        for one in preview["columns"]
    ):
        raise _unlike(second, first)


def put_aside_in(project: Project) -> Path | None:
    """Return the file of which the columns are to be chosen; None where there is none."""
    return next((project.folder / _ADDED).glob("*"), None)


def counterparts(project: Project, preview: importing.Preview) -> Iterator[tuple[str, str, str]]:
    """Yield each column of a project with its role, and that of another file which is like it."""
    others = preview["columns"]
    for one in importing.preview(project)["columns"]:
        name, role = one["name"], one["role"]
        same_name = (other["name"] for other in others if other["name"] == name)
        same_role = (other["name"] for other in others if role == other["role"] != "other")
        yield name, role, next(chain(same_name, same_role), "")


def extend(project: Project, file: Path, by: str, chosen: Sequence[str] = ()) -> int:
    """Add the messages of another file that are not there yet; return how many.

    Of a file of another layout, its columns are chosen for those of the project, in their order.
    """
    settings, triaged, before = project.settings, project.triaged, project.before
    columns = settings.reading.columns
    compute = importing.checked_preview
    preview = project.figure("added", compute, file) if chosen else compute(file, columns)
    reading = Reading(**preview["reading"])
    name = f"{Path(settings.original).stem.partition('+')[0]}+{plain_name(file.name)}"
    place = project.original.parent / f"{Path(name).stem}.csv"
    n_added = 0
    with (
        Source(str(project.original), settings.reading).open() as first,
        create_output(place, first.columns, private=True, overwrite=True) as output,
    ):
        for chunk in first.chunks():
            output.write(chunk.rows)
        if chosen:
            text = dict(zip(first.columns, chosen, strict=False)).get(first.text_column)
            reading = replace(reading, text_column=text)
        with Source(str(file), reading).open() as second:
            for row in _new_rows(first, second, chosen):
                output.write([row])
                n_added += 1
        if not n_added:
            return 0
        output.commit()
    for new, old in (triaged, before), (beside(triaged, "run.json"), beside(before, "run.json")):
        with suppress(FileNotFoundError):
            new.replace(old)
    columns = replace(columns, text_column=first.text_column)
    project.write(replace(settings, original=place.name, reading=columns))
    project.protect()
    project.note("extended", by=by, messages=n_added)
    importing.preview(project)
    return n_added


def _order(first: MessageFile, second: MessageFile, chosen: Sequence[str]) -> list[int | None]:
    """Return where the second file has the columns of the first; None of one that it lacks."""
    places = {name: at for at, name in enumerate(second.columns)}
    order = [places.get(name) for name in chosen or first.columns]
    is_like = len(order) == len(first.columns) if chosen else places.keys() == {*first.columns}
    needed = (at for at in (first.text_position, first.id_position) if at is not None)
    if not is_like or any(order[at] is None for at in needed):
        raise _unlike(second, first)
    return order


def _unlike(second: MessageFile, first: MessageFile, *, in_messages: bool = False) -> TriageError:
    """Return the error of a file that has other columns, or first messages, than another one."""
    file, original = Path(second.name).name, Path(first.name).name
    if in_messages:
        line = f"{file} does not begin with the messages of {original}, which have no ids"
        return TriageError(line, "no_longer_version", file=file, original=original)
    line = f"{file} has other columns than {original}"
    return TriageError(line, "unlike_columns", file=file, original=original)


def _new_rows(
    first: MessageFile, second: MessageFile, chosen: Sequence[str]
) -> Iterator[Sequence[object]]:
    """Yield the rows that the first file lacks, by ids; without ids the second begins with it."""
    order = _order(first, second, chosen)
    first_rows = (row for chunk in first.chunks() for row in chunk.rows)
    second_rows = (row for chunk in second.chunks() for row in chunk.rows)
    rows_in_order = ([row[at] if at is not None else "" for at in order] for row in second_rows)
    if (ids := first.id_position) is not None:
        known = {as_text(row[ids]) for row in first_rows}
        yield from (row for row in rows_in_order if as_text(row[ids]) not in known)
        return
    roles = (first.text_position, first.sender_position, first.date_position)
    compared = [at for at in roles if at is not None]
    for row in first_rows:
        same = next(rows_in_order, ())
        if not same or any(as_text(row[at]) != as_text(same[at]) for at in compared):
            raise _unlike(second, first, in_messages=True)
    yield from rows_in_order


def changes(project: Project) -> list[list[Any]]:
    """Return the decisions of the program that changed: row, message, earlier and new action."""

    def compare(before: Path, after: Path) -> list[list[Any]]:
        earlier, now = decided(before, "action"), decided(after, "action")
        pairs = enumerate(zip(earlier, now, strict=False), 1)
        return [[row, text, old, new] for row, ((_, old), (text, new)) in pairs if old != new]

    if not (project.before.exists() and project.triaged.exists()):
        return []
    changed = project.figure("changes", compare, project.before, project.triaged)
    if not project.queue.exists():
        return changed
    with Queue.open(project.queue) as queue:
        # What a person decided does not change.
        by_people = {*queue.numbers("", Filters(state=State.DECIDED))}
        return [one for one in changed if queue.find(text_digest(one[1])) not in by_people]
