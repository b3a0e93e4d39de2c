"""The steps of a project, each a command of the program that is run in its folder.

The page and the terminal do the same: what a step runs can be run by hand.
"""

import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..queue import Queue
from .figures import Version, content_of, version_of
from .project import Project, options_of, written


class Step(StrEnum):
    """The steps, in order; NAMES is for who wants to see the names before they are replaced."""

    CLASSIFY = "classify"
    QUEUE = "queue"
    APPLY = "apply"
    NAMES = "names"
    ANONYMISE = "anonymise"
    CHECK = "check"
    PUBLISH = "publish"


class State(StrEnum):
    LOCKED = "locked"
    READY = "ready"
    STALE = "stale"
    DONE = "done"


@dataclass(frozen=True)
class Work:
    arguments: tuple[str, ...]
    output: Path
    inputs: tuple[Path, ...]
    to: Path | None = None
    codes: frozenset[int] = frozenset({0})
    choices: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        command = shlex.join(("triage", *self.arguments))
        return f"{command} > {shlex.quote(self.to.name)}" if self.to else command


def _classify(project: Project) -> Work:
    settings, of = project.settings, project.relative
    bounds = ("--max-residue", f"{settings.max_residue:g}", "--min-precision")
    arguments = (
        *("classify", of(project.original), "-o", of(project.triaged), "--overwrite"),
        *("--policy", "guarded", *bounds, f"{settings.min_precision:g}"),
        *options_of(settings.reading),
        *project.in_language,
    )
    return Work(arguments, project.triaged, (project.original,), choices=arguments)


def _queue(project: Project) -> Work:
    of, double = project.relative, project.settings.double
    # A queue that is there holds decisions, which are kept, and knows its columns.
    if project.queue.exists():
        command: tuple[str, ...] = ("queue", "add", of(project.queue), of(project.triaged))
    else:
        doubled = ("--double", f"{double:g}") if double else ()
        columns = options_of(written(project.settings.reading))
        create = ("queue", "create", of(project.triaged), "-o", of(project.queue))
        command = (*create, *doubled, *columns, *project.in_language)
    return Work(command, project.queue, (project.triaged,))


def _apply(project: Project) -> Work:
    of = project.relative
    arguments = ("queue", "apply", of(project.queue), "-o", of(project.final), "--overwrite")
    return Work(arguments, project.final, (project.queue,))


def _names(project: Project) -> Work:
    doing = _anonymise(project)
    # Where there is no such table, it is made, and nothing else is done.
    arguments = doing.arguments
    if not project.names.exists():
        arguments += ("--people", project.relative(project.names))
    return Work(arguments, project.names, (project.final, project.plan))


def treatment(project: Project, *key_table: str) -> tuple[str, ...]:
    """Return the options by which the messages of a project are anonymised, and published."""
    of = project.relative
    names = ("--people", of(project.names)) if project.names.exists() else ()
    key = ("--key", of(project.key), *(() if project.key.exists() else ("--new-key",)))
    plan = ("--plan", of(project.plan)) if project.plan.exists() else ()
    columns = options_of(written(project.settings.reading))
    return *plan, *key, *key_table, *names, "--overwrite", *columns, *project.in_language


def _anonymise(project: Project) -> Work:
    of = project.relative
    how = treatment(project, "--key-table", of(project.key_table))
    return Work(
        ("anonymise", of(project.final), "-o", of(project.anonymised), *how),
        project.anonymised,
        (project.final, project.plan, project.names),
    )


def _check(project: Project) -> Work:
    of = project.relative
    plan = ("--plan", of(project.plan)) if project.plan.exists() else ()
    arguments = ("check", of(project.anonymised), "--key-table", of(project.key_table), *plan)
    return Work(
        (*arguments, *project.output_columns, *project.in_language, "--json", "--show"),
        project.check,
        (project.anonymised, project.key_table, project.plan),
        to=project.check,
        codes=frozenset({0, 1}),
    )


_WORK = {
    Step.CLASSIFY: _classify,
    Step.QUEUE: _queue,
    Step.APPLY: _apply,
    Step.NAMES: _names,
    Step.ANONYMISE: _anonymise,
    Step.CHECK: _check,
}


def work(project: Project, step: Step) -> Work:
    return _WORK[step](project)


# Those that each project goes through before it is published.
ORDER = tuple(step for step in Step if step not in (Step.NAMES, Step.PUBLISH))


def last_done(project: Project) -> dict[str, object]:
    """Return the steps that were done, with the fingerprints of what they read the last time."""
    return {
        str(entry.get("step")): entry.get("inputs")
        for entry in project.history()
        if entry.get("what") == "step" and entry.get("is_done")
    }


def states(project: Project) -> dict[Step, State]:
    done = last_done(project)
    found: dict[Step, State] = {}
    before = State.DONE
    for step in ORDER:
        doing = work(project, step)
        if not doing.output.exists() or step not in done:
            state = State.READY if before is State.DONE else State.LOCKED
        elif before is State.DONE and done[step] == fingerprint(doing):
            state = State.DONE
        else:
            state = State.STALE
        found[step] = before = state
    return found


def fingerprint(doing: Work) -> str:
    """Return a fingerprint of what a step reads, and of its options."""
    parts = [_content(path) for path in doing.inputs]
    return hashlib.sha256(repr((parts, doing.choices)).encode()).hexdigest()


def _content(path: Path) -> str:
    if not path.exists():
        return ""
    # A queue changes while it is read, what it tells by a decision alone.
    return told_by(path)[0] if path.suffix == ".queue" else content_of(path)


class Told(NamedTuple):
    """A fingerprint of what a queue tells; the texts that wait for readers, and for a ruling."""

    fingerprint: str = ""
    n_open: int = 0
    n_disagreed: int = 0
    waits_for: Mapping[str, int] = MappingProxyType({})


def told_by(queue: Path) -> Told:
    if not queue.exists():
        return Told()
    log = queue.with_name(f"{queue.name}-wal")
    return _told_by(version_of(queue), version_of(log) if log.exists() else None)


@lru_cache(maxsize=64)
def _told_by(queue: Version, log: Version | None) -> Told:
    # Its latest writes are in its log.
    del log
    with Queue.open(queue.path) as opened:
        status = opened.status()
        told = f"{status.messages}:{opened.last_decision()}"
        n_open = status.items - status.items_final - status.items_disagreed
        return Told(told, n_open, status.items_disagreed, opened.waits_for())


def left_to_read(project: Project) -> int:
    """Return how many items of the queue are not settled."""
    told = told_by(project.queue)
    return told.n_open + told.n_disagreed


def needed(project: Project, until: Step) -> tuple[Step, ...]:
    """Return the steps that are to be run up to one; none while the triage is to be chosen."""
    found = states(project)
    if found[Step.CLASSIFY] is not State.DONE:
        return ()
    last = Step.APPLY if until is Step.NAMES else until
    upto = ORDER[: ORDER.index(last) + 1]
    steps: list[Step] = [step for step in upto if found[step] is not State.DONE]
    if until is Step.NAMES and not project.names.exists():
        steps.append(Step.NAMES)
    return tuple(steps)
