"""Import of a file: its format, its columns, its first rows, and its unreadable rows."""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from triage.data import DataError

from ..decide.pipeline import shared
from ..decide.policy import SECONDS_PER_MESSAGE, Workload, estimates
from ..decide.run_record import workloads_of
from ..decide.source import Source
from ..errors import TriageError, UserError
from ..queue import Queue
from ..settings import Policy, Reading
from ..vocabulary import IdentifierType
from .figures import Figure, Version, version_of
from .forms import Translator
from .project import Project, Settings, written

# A file may take a minute to be looked at, and longer if it is large.
_SECONDS, _BYTES_A_SECOND = 60.0, 2_000_000
_LOCKS: defaultdict[Path, Lock] = defaultdict(Lock)


class Role(StrEnum):
    TEXT = "text"
    ID = "id"
    SENDER = "sender"
    DATE = "date"
    OTHER = "other"


@dataclass(frozen=True)
class Column:
    name: str
    role: Role = Role.OTHER
    holds: tuple[tuple[IdentifierType, int], ...] = ()
    shows_words: bool = False

    @property
    def is_warned_of(self) -> bool:
        """Return whether it is not written as it is, unless somebody insists."""
        return bool(self.holds) or self.shows_words


@dataclass(frozen=True)
class Preview:
    """A file as it is understood; with a problem where that is not the way that was asked for."""

    problem: UserError | None = None
    reading: Reading = field(default_factory=Reading)
    format: str = ""
    encoding: str = ""
    separator: str = ""
    language: str = ""
    columns: tuple[Column, ...] = ()
    rows: Sequence[Sequence[str]] = ()
    days: Sequence[str] = ()
    n_dated: int = 0
    n_messages: int = 0
    n_rejected: int = 0
    searched: int = 0
    rejected: Sequence[tuple[int, str]] = ()
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of_role(self, role: Role) -> Column | None:
        return next((column for column in self.columns if column.role == role), None)

    @property
    def others(self) -> list[Column]:
        return [column for column in self.columns if column.role is Role.OTHER]


def look(path: Path, reading: Reading, language: str) -> dict[str, Any]:
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
        return {"problem": plain(DataError(line, "endless", file=path.name), path)}
    found: dict[str, Any] = json.loads(first)
    return found | {"choices": json.loads(further or "{}")}


def understood(file: Path, reading: Reading | None = None) -> tuple[dict[str, Any], Preview]:
    """Return what a file tells, and the same as a preview; UserError if it cannot be read."""
    told = look(file, reading or Reading(), "")
    found = parsed(told)
    if found.problem:
        raise found.problem
    return told, found


def plain(error: UserError, path: Path) -> dict[str, Any]:
    """Return an error as data; the place of the copy tells nothing."""
    place, name = str(path), path.name
    values = {key: value.replace(place, name) for key, value in error.values.items()}
    return {"line": str(error).replace(place, name), "key": error.key, "values": values}


def preview(project: Project, settings: Settings | None = None) -> Preview:
    """Return the original as the settings, or others, say that it is read; it is looked at once."""
    with _LOCKS[project.folder]:
        what = _asked(project, settings or project.settings)
        found = _LOOK.of(project.folder, *what)
        if _LOOK.kept(project.folder, *what) is None:
            _LOOK.put(project.folder, found, *what)
    return parsed(found)


def known(project: Project) -> Preview | None:
    """Return the original as it was looked at, if it was."""
    told = _LOOK.kept(project.folder, *_asked(project, project.settings))
    return parsed(told) if told else None


def keep_look(project: Project, found: dict[str, Any]) -> None:
    """Keep what was told of a file, of which a project was made."""
    _LOOK.put(project.folder, found, *_asked(project, project.settings))


def _asked(project: Project, settings: Settings) -> tuple[Hashable, ...]:
    return version_of(project.original), settings.reading, settings.language


_LOOK: Figure[dict[str, Any]] = Figure("look", lambda file, *how: look(file.path, *how), dict)


def parsed(told: dict[str, Any]) -> Preview:
    """Return what was told of a file."""
    problem = told.get("problem")
    columns = (
        Column(
            one["name"],
            Role(one["role"]),
            tuple((IdentifierType(kind), n) for kind, n in one["holds"]),
            one["shows_words"],
        )
        for one in told.get("columns", ())
    )
    return Preview(
        **told
        | {
            "problem": problem and UserError(problem["line"], problem["key"], **problem["values"]),
            "reading": Reading(**told.get("reading", {})),
            "columns": tuple(columns),
        }
    )


# As they are shown, where not as they are written.
_SHOWN = {"fr": "français", "en": "English", "tab": "⇥", "\t": "⇥"}


def ways(
    found: Preview, settings: Settings, t: Translator
) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    """Return each setting of reading: what was found out, what is chosen, and what may be."""
    of_role = {f"{column.role}_column": column.name for column in found.columns}
    is_told = {
        name: str(getattr(found, name)) for name in ("language", "format", "encoding", "separator")
    }
    chosen = asdict(settings.reading) | {"language": settings.language}
    shown = []
    for name, tried in found.choices.items():
        said = chosen[name] or ""
        others = dict.fromkeys([*tried, *([said] if said else [])])
        if others and (len(others) > 1 or name not in ("sheet", "table")):
            known = (of_role | is_told).get(name, "")
            named = (*others, known)
            pairs = [(one, t.known(f"format.{one}", _SHOWN.get(one, one))) for one in named]
            shown.append((name, pairs.pop()[1], said, pairs))
    return shown


def texts_of(final: Version, reading: Reading, rows: tuple[int, ...]) -> tuple[str, ...]:
    """Return the messages of rows, from 1, in the order of the rows that were asked for."""
    wanted, found = {*rows}, dict[int, str]()
    with Source(str(final.path), written(reading)).open() as file:
        texts = (text for chunk in file.chunks() for text in chunk.texts)
        found = {row: text for row, text in enumerate(texts, 1) if row in wanted}
    return tuple(found[row] for row in rows)


def bounds(project: Project) -> tuple[list[Workload], bool]:
    """Return what each bound on the residue asks of people, and whether that was counted."""
    found: Sequence[Workload] = ()
    # Nothing is promised by a model that was learnt from too few messages, and other columns may
    # have been chosen since the triage.
    with suppress(DataError, TriageError):
        if project.triaged.exists():
            found = workloads_of(str(project.triaged))
        elif (seen := preview(project)).n_messages:
            found = _estimated(seen.language, seen.n_messages)
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
        return _ACTIONS.of(project.folder, version_of(project.triaged), project.settings.reading)
    except DataError:
        return {}


def _actions(version: Version, reading: Reading) -> Mapping[str, int]:
    with Source(str(version.path), written(reading)).open() as file:
        at = file.columns.index("action")
        return Counter(str(row[at]) for chunk in file.chunks() for row in chunk.rows)


_ACTIONS: Figure[Mapping[str, int]] = Figure("actions", _actions, Counter)


def keep_figures(project: Project) -> None:
    settings, version = project.settings, version_of(project.triaged)
    _ACTIONS.keep(project.folder, version, settings.reading)


def pace(project: Project) -> tuple[float, bool]:
    """Return the seconds that a message takes to read, and whether people's answers tell them."""
    if project.queue.exists():
        with Queue.open(project.queue) as queue:
            found = [queue.progress(name) for name in queue.status().annotators]
        measured = [one.seconds_left / one.open for one in found if one.seconds_left and one.open]
        if measured:
            return sum(measured) / len(measured), True
    return SECONDS_PER_MESSAGE, False
