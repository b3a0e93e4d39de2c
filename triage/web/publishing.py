"""Publishing: what stands against it, what is published, and what must never be."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..anonymise.check import Certainty, Left
from ..decide.source import Source
from ..publish import CORPUS, FORMS, KIND, Published, tasks_of, unanswered
from ..queue import Queue, Task
from .figures import Version, content_of, version_of
from .project import Project, written
from .replacing import held_of
from .steps import State, Step, Work, states, treatment, work


def publishing(
    project: Project, chosen: Sequence[Published], *, hold: bool = False, why: str = ""
) -> Work:
    """Return the command that publishes a project."""
    of, read = project.relative, work(project, Step.ANONYMISE).inputs
    return Work(
        (
            *("publish", of(project.triaged), "--queue", of(project.queue)),
            *("-o", of(project.published), *treatment(project)),
            *(("--hold-undecided",) if hold else ()),
            *(("--because", why) if why else ()),
            *(part for one in chosen for part in ("--to", one.value)),
        ),
        project.published,
        (*read, project.queue, project.check),
        facts={"why": why, "against": [f"{key}: {n}" for key, n in lock(project).reasons]},
    )


class Publication(StrEnum):
    PUBLISH = "publish"


_HELD = "held"
_CERTAIN = ("certain", "undecided", "added")
# What names people, by the texts that say why.
SECRETS = {
    "original": "original",
    "triaged.csv": "original",
    "triaged.rejects.csv": "original",
    "final.csv": "original",
    "work.queue": "queue",
    "corpus.key": "key",
    "keys.csv": "key",
    "people.csv": "names",
    "keys.private.json": "key",
    "plan.toml": "plan",
    "quality.json": "quality",
    "check.json": "check",
    "anonymised.held.csv": "held",
}


@dataclass(frozen=True)
class Lock:
    reasons: tuple[tuple[str, int], ...]
    may_open: bool

    def opens(self, *, hold: bool, why: str) -> bool:
        """Return whether it opens to somebody who leaves messages out, or says why."""
        others = [key for key, _ in self.reasons if not (hold and key == _HELD)]
        return not others or (self.may_open and bool(why))


def checked(project: Project) -> Mapping[str, Any] | None:
    """Return what the check found; None before it."""
    return _checked(version_of(project.check)) if project.check.exists() else None


@lru_cache(maxsize=8)
def _checked(version: Version) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(version.path.read_text(encoding="utf-8"))
    return found


def lock(project: Project) -> Lock:
    """Return what stands against publishing a project."""
    found = checked(project)
    open_steps = [step for step, state in states(project).items() if state is not State.DONE]
    if found is None or open_steps:
        return Lock((("steps", len(open_steps)),), may_open=False)
    reasons = Counter(one["certainty"] for one in found["left"] if one["certainty"] in _CERTAIN)
    tasks = tasks_in(project)
    with Queue.open(project.queue) as queue:
        answered = len(tasks) - len(queue.unanswered(tasks))
    reasons = +(reasons - Counter({Certainty.CERTAIN.value: answered}))
    held = len(held_of(project))
    if held:
        reasons[_HELD] = held
    return Lock(tuple(reasons.items()), may_open=True)


def hand_over(project: Project) -> None:
    """Put what the check found for certain into the queue, for people to answer."""
    with Queue.open(project.queue) as queue:
        unanswered(queue, tasks_in(project))


def tasks_in(project: Project) -> list[Task]:
    """Return the certain findings of the check in messages, as they go into the queue."""
    versions = map(version_of, (project.check, project.key_table, project.anonymised))
    return _tasks(project.folder, *versions)


@lru_cache(maxsize=8)
def _tasks(folder: Path, *_: Version) -> list[Task]:
    project = Project(folder)
    found = checked(project) or {"left": []}
    certain = [
        Left(
            Certainty.CERTAIN,
            *(one["reason"], None, one["row"], one["column"], one["start"]),
            text=one["text"],
        )
        for one in found["left"]
        if one["certainty"] == Certainty.CERTAIN
    ]
    anonymised = Source(str(project.anonymised), written(project.settings.reading))
    return [*tasks_of(certain, anonymised, str(project.key_table)).values()]


@dataclass(frozen=True)
class Shareable:
    name: str
    about: str
    size: int
    is_folder: bool


def published(project: Project) -> list[Shareable]:
    """Return what may be shared, the table first."""
    if not project.published.exists():
        return []
    known = {CORPUS: "table", KIND.mark: "record", "corpus.record.html": "record_page"}
    known |= {form.name: format_.value for format_, form in FORMS.items()}
    return [
        Shareable(name, about, _size(path), path.is_dir())
        for name, about in known.items()
        if (path := project.published / name).exists()
    ]


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(one.stat().st_size for one in files if one.is_file())


def is_current(project: Project) -> bool:
    """Return whether what was published is what was anonymised last."""
    copy = project.published / CORPUS
    return (
        copy.exists()
        and project.anonymised.exists()
        and content_of(copy) == content_of(project.anonymised)
    )


def published_file(project: Project, name: str) -> Path | None:
    """Return a file or a folder that may be shared; None if there is none of this name."""
    known = {one.name for one in published(project)}
    return project.published / name if name in known else None


def secrets(project: Project) -> list[tuple[str, str]]:
    """Return what must never be shared of what is there, with the keys of the reasons."""
    return [(name, key) for name, key in SECRETS.items() if (project.folder / name).exists()]
