"""The life of a project: its file is extended or replaced, and it is deleted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from triage.data import create_output

from ..decide.source import Source
from ..errors import TriageError
from ..queue import Queue
from ..queue.records import text_digest
from ..safe import HiddenFolder
from ..settings import Reading
from . import importing
from .figures import Version, figure, version_of
from .project import DAMAGE, READ_ONLY, Project, decided, plain_name, written

# What a project keeps when its file is replaced.
_KEPT = ("project.json", "log.jsonl", "corpus.key")


def held(project: Project) -> dict[str, Any]:
    """Return what goes with a project that is deleted."""
    originals, published = project.folder / "original", project.published
    return {
        "originals": sorted(path.name for path in originals.glob("*")),
        "decisions": decisions(project),
        "has_key": project.key.exists(),
        "publications": sorted(path.name for path in published.glob("*")),
    }


def decisions(project: Project) -> int | None:
    """Return how many decisions people have made; None where the queue is damaged."""
    if not project.queue.exists():
        return 0
    try:
        with Queue.open(project.queue) as queue:
            return queue.last_decision()
    except DAMAGE:
        return None


def delete(project: Project) -> None:
    """Delete a project; what is begun is ended by the next server."""
    with HiddenFolder(project.folder.parent) as hidden:
        project.folder.rename(hidden / project.name)


def may_be_replaced(project: Project) -> bool:
    return not project.published.exists() and decisions(project) == 0


def replace_file(project: Project, file: Path, by: str) -> None:
    """Put another file in the place of the original, of which nothing was decided."""
    if not may_be_replaced(project):
        raise TriageError(
            "messages of this project were decided: make a project of the other file",
            "decided_already",
        )
    found = importing.understood(file)
    for path in project.folder.iterdir():
        if path.is_file() and path.name not in _KEPT:
            path.unlink()
    earlier, name, settings = project.original, plain_name(file.name), project.settings
    file.chmod(READ_ONLY)
    file.replace(earlier.with_name(name))
    project.write(
        replace(settings, original=name, reading=Reading(**found["reading"]), language="")
    )
    if earlier.name != name:
        earlier.unlink()
    project.note("replaced", by=by)


def extend(project: Project, file: Path, by: str) -> int:
    """Add the messages of another file that are not there yet; return how many."""
    settings = project.settings
    other = importing.understood(file, written(settings.reading))
    name = f"{Path(settings.original).stem.partition('+')[0]}+{plain_name(file.name)}"
    place = project.original.parent / f"{Path(name).stem}.csv"
    with (
        Source(str(project.original), settings.reading).open() as first,
        Source(str(file), Reading(**other["reading"])).open() as second,
        create_output(place, first.columns, private=True, overwrite=True) as output,
    ):
        missing = [name for name in first.columns if name not in second.columns]
        if missing or len(first.columns) != len(second.columns):
            raise TriageError(
                f"{file.name} has other columns than {settings.original}",
                "unlike_columns",
                file=file.name,
                original=settings.original,
            )
        order = [second.columns.index(name) for name in first.columns]
        known: set[str] = set()
        for chunk in first.chunks():
            output.write(chunk.rows)
            known.update(chunk.ids if first.id_position is not None else ())
        n_added = 0
        for chunk in second.chunks():
            new = [row for row, id_ in zip(chunk.rows, chunk.ids, strict=True) if id_ not in known]
            n_added += len(new)
            output.write([[row[at] for at in order] for row in new])
        output.commit()
    place.chmod(READ_ONLY)
    if project.triaged.exists():
        project.triaged.replace(project.before)
    reading = replace(written(settings.reading), text_column=first.text_column)
    project.write(replace(settings, original=place.name, reading=reading))
    project.note("extended", by=by, messages=n_added)
    return n_added


def changes(project: Project) -> list[list[Any]]:
    """Return the decisions of the program that changed: row, message, earlier and new action.

    What a person decided does not change.
    """
    if not (project.before.exists() and project.triaged.exists()):
        return []
    what = version_of(project.before), version_of(project.triaged), project.settings.reading
    found: list[list[Any]] = figure("changes", _changes, project.folder, *what)
    if not project.queue.exists():
        return found
    with Queue.open(project.queue) as queue:
        numbers = (queue.find(text_digest(text)) for _, text, *_ in found)
        items = [queue.item(number) if number else None for number in numbers]
    return [one for one, item in zip(found, items, strict=True) if not (item and item.standing)]


def _changes(before: Version, after: Version, reading: Reading) -> list[list[Any]]:
    earlier, now = decided(before.path, reading, "action"), decided(after.path, reading, "action")
    pairs = enumerate(zip(earlier, now, strict=False), 1)
    return [[row, text, was, is_] for row, ((_, was), (text, is_)) in pairs if was != is_]
