"""Publishing: what stands against it, what is published, and what must never be."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..anonymise.check import Certainty, Left
from ..anonymise.record import record_paths
from ..decide.source import Source
from ..publish import CORPUS, FORMS, KIND, Published, tasks_of, unanswered
from ..queue import Queue, Task
from .figures import Version, version_of
from .project import Project, written
from .quality import above_bound, open_leaks
from .replacing import held_of
from .steps import State, Step, Work, fingerprint, last_done, states, treatment, work


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
        facts={"why": why},
    )


# What names people, by the texts that say why.
SECRETS = {
    "original": "original",
    "triaged.csv": "original",
    "triaged.rejects.csv": "original",
    "triaged.before.csv": "original",
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


class Lock(NamedTuple):
    """Obstacles to publishing: steps to be done, and messages by what is open in them.

    And the share of identifiers that the sample does not exclude, if it lies above the one asked.
    """

    steps: int = 0
    left_out: int = 0
    certain: int = 0
    added: int = 0
    leaks: int = 0
    above: tuple[float, float] | None = None

    def told(self) -> dict[str, Any]:
        """Return the reasons with their numbers."""
        return {key: n for key, n in self._asdict().items() if n}

    @property
    def asks_why(self) -> bool:
        return bool(self.certain or self.added or self.leaks or self.above)

    def opens(self, *, hold: bool, why: str) -> bool:
        """Return whether it opens to somebody who leaves messages out, or says why."""
        return not self.steps and (bool(why) or (not self.asks_why and (hold or not self.left_out)))


def lock(project: Project) -> Lock:
    found = checked(project)
    steps = sum(state is not State.DONE for state in states(project).values())
    if found is None or steps:
        return Lock(steps or 1)
    tasks = tasks_in(project)
    with Queue.open(project.queue) as queue:
        n_answered = len(tasks) - len(queue.unanswered(tasks))
        again = queue.handed_over_rows()
    of = Counter(one["certainty"] for one in found["left"])
    left_out = {one.row for one in held_of(project)}.union(again)
    certain = of[Certainty.CERTAIN] + of[Certainty.UNDECIDED] - n_answered
    of_sample = open_leaks(project), above_bound(project)
    return Lock(0, len(left_out), certain, of[Certainty.ADDED], *of_sample)


def checked(project: Project) -> Mapping[str, Any] | None:
    """Return what the check found; None before it."""
    return _read(version_of(project.check)) if project.check.exists() else None


@lru_cache(maxsize=8)
def _read(version: Version) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(version.path.read_text(encoding="utf-8"))
    return found


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


class Shareable(NamedTuple):
    name: str
    about: str
    size: int
    is_folder: bool


def published(project: Project) -> list[Shareable]:
    """Return what may be shared, the table first."""
    known = {CORPUS: "table", KIND.mark: "record", "corpus.record.html": "record_page"}
    known |= {form.name: format_.value for format_, form in FORMS.items()}
    return [
        Shareable(name, about, sum(one.stat().st_size for one in files), path.is_dir())
        for name, about in known.items()
        if (path := project.published / name).exists()
        for files in [[one for one in (path, *path.rglob("*")) if one.is_file()]]
    ]


def record_of(corpus: Path) -> Mapping[str, Any] | None:
    """Return the record of an anonymised corpus; None where there is none."""
    path = record_paths(str(corpus))[0]
    return _read(version_of(path)) if path.exists() else None


def is_current(project: Project) -> bool:
    """Return whether what is published is of the present decisions, plan and names."""
    read = last_done(project).get(Step.PUBLISH)
    return (project.published / CORPUS).exists() and read == fingerprint(publishing(project, ()))


def secrets(project: Project) -> list[tuple[str, str]]:
    """Return what must never be shared of what is there, with the keys of the reasons."""
    return [(name, key) for name, key in SECRETS.items() if (project.folder / name).exists()]
