"""Import of a file: its format, its columns, its first rows, and its unreadable rows."""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from triage.data import DataError

from ..decide.pipeline import shared
from ..decide.policy import SECONDS_PER_MESSAGE, Workload, estimates
from ..decide.run_record import workloads_of
from ..errors import TriageError, UserError
from ..queue import Queue
from ..settings import Policy, Reading
from .figures import Version, figure, keep_figure, kept_figure, version_of
from .forms import Translator
from .project import Project, Settings, decided

# A file may take a minute to be looked at, and longer if it is large.
_SECONDS, _BYTES_A_SECOND = 60.0, 2_000_000
_LOCKS: defaultdict[Path, Lock] = defaultdict(Lock)


# A file as `looking` tells of it: how it is read, columns, first rows, other ways to read it.
Preview = dict[str, Any]
_NOTHING: Preview = {
    **dict.fromkeys(("columns", "rows", "days", "rejected"), ()),
    **dict.fromkeys(("n_messages", "n_dated", "n_rejected", "searched"), 0),
    **dict.fromkeys(("language", "format", "encoding", "separator"), ""),
    "choices": {},
}


def look(path: Path, reading: Reading, language: str) -> Preview:
    """Look at a file in a process that is ended if it takes too long; return what it tells."""
    asked = {"path": str(path), "reading": asdict(reading), "language": language}
    seconds = _SECONDS + path.stat().st_size / _BYTES_A_SECOND
    with subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-m", f"{__package__}.looking"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            told, _ = process.communicate(json.dumps(asked), seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            told, _ = process.communicate()
    # The ways to read it come last: without them it is known how it is understood.
    first, further = (*told.splitlines(), "", "")[:2]
    if not first:
        line = f"{path.name} cannot be looked at: it is damaged, or a view of it has no end"
        return _NOTHING | {"problem": plain(DataError(line, "endless", file=path.name), path)}
    found: Preview = json.loads(first)
    return _NOTHING | found | {"choices": json.loads(further or "{}")}


def understood(file: Path, reading: Reading | None = None) -> Preview:
    """Return what a file tells; UserError if it cannot be read."""
    found = look(file, reading or Reading(), "")
    if problem := problem_of(found):
        raise problem
    return found


def plain(error: UserError, path: Path) -> Preview:
    """Return an error as data; the place of the copy tells nothing."""
    place, name = str(path), path.name
    values = {key: value.replace(place, name) for key, value in error.values.items()}
    return {"line": str(error).replace(place, name), "key": error.key, "values": values}


def problem_of(found: Preview) -> UserError | None:
    problem = found["problem"]
    return UserError(problem["line"], problem["key"], **problem["values"]) if problem else None


def preview(project: Project, settings: Settings | None = None) -> Preview:
    """Return the original as the settings, or others, say that it is read; it is looked at once."""
    with _LOCKS[project.folder]:
        found: Preview = figure(
            "look",
            lambda file, *how: look(file.path, *how),
            project.folder,
            *_asked(project, settings or project.settings),
        )
    return found


def known(project: Project) -> Preview | None:
    """Return the original as it was looked at, if it was."""
    found: Preview | None = kept_figure("look", project.folder, *_asked(project, project.settings))
    return found


def keep_look(project: Project, found: Preview) -> None:
    """Keep what was told of a file, of which a project was made."""
    keep_figure("look", found, project.folder, *_asked(project, project.settings))


def _asked(project: Project, settings: Settings) -> tuple[Hashable, ...]:
    return version_of(project.original), settings.reading, settings.language


def of_role(found: Preview, role: str) -> dict[str, Any] | None:
    """Return the column of a file that has a role."""
    return next((column for column in found["columns"] if column["role"] == role), None)


# As they are shown, where not as they are written.
_SHOWN = {"fr": "français", "en": "English", "tab": "⇥", "\t": "⇥"}


def ways(
    found: Preview, settings: Settings, t: Translator
) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    """Return each setting of reading: what was found out, what is chosen, and what may be."""
    told = {name: str(found[name]) for name in ("language", "format", "encoding", "separator")}
    told |= {f"{column['role']}_column": column["name"] for column in found["columns"]}
    chosen = asdict(settings.reading) | {"language": settings.language}
    shown = []
    for name, tried in found["choices"].items():
        said = chosen[name] or ""
        others = dict.fromkeys([*tried, *([said] if said else [])])
        if others and (len(others) > 1 or name not in ("sheet", "table")):
            named = (*others, told.get(name, ""))
            pairs = [(one, t.known(f"format.{one}", _SHOWN.get(one, one))) for one in named]
            shown.append((name, pairs.pop()[1], said, pairs))
    return shown


def bounds(project: Project) -> tuple[list[Workload], bool]:
    """Return what each bound on the residue asks of people, and whether that was counted."""
    found: Sequence[Workload] = ()
    # Nothing is promised by a model that was learnt from too few messages, and other columns may
    # have been chosen since the triage.
    with suppress(DataError, TriageError):
        if project.triaged.exists():
            found = workloads_of(str(project.triaged))
        elif (seen := preview(project))["n_messages"]:
            found = _estimated(seen["language"], seen["n_messages"])
    return [one for one in found if one.measure == "residue"], project.triaged.exists()


@lru_cache(maxsize=8)
def _estimated(language: str, n_messages: int) -> Sequence[Workload]:
    held_out = shared(language).voter(corpus_evidence=True).held_out
    return estimates(held_out, Policy.min_precision, n_messages)


def counts(project: Project) -> Mapping[str, int]:
    """Return how many messages have each action; empty before the triage."""
    if not project.triaged.exists():
        return {}
    try:
        what = version_of(project.triaged), project.settings.reading
        found: Mapping[str, int] = figure("actions", _actions, project.folder, *what)
    except DataError:
        # Other columns were chosen since.
        return {}
    return found


def _actions(triaged: Version, reading: Reading) -> Mapping[str, int]:
    return Counter(action for _, action in decided(triaged.path, reading, "action"))


def pace(project: Project) -> tuple[float, bool]:
    """Return the seconds that a message takes to read, and whether people's answers tell them."""
    if project.queue.exists():
        with Queue.open(project.queue) as queue:
            found = [queue.progress(name) for name in queue.status().annotators]
        measured = [one.seconds_left / one.open for one in found if one.seconds_left and one.open]
        if measured:
            return sum(measured) / len(measured), True
    return SECONDS_PER_MESSAGE, False
