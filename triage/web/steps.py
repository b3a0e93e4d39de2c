"""The steps of a project, each a command of the program that is run in its folder.

The page and the terminal do the same: what a step runs can be run by hand.
"""

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..declared import changed, key_of
from ..queue import Queue
from ..safe import checksum
from .project import Project, once

# The steps, in order; NAMES is for who wants to see the names before they are replaced.
Step = StrEnum("Step", ["CLASSIFY", "QUEUE", "APPLY", "NAMES", "ANONYMISE", "CHECK", "PUBLISH"])
State = StrEnum("State", ["LOCKED", "READY", "STALE", "DONE"])


class Work(NamedTuple):
    arguments: tuple[str, ...]
    output: Path
    inputs: tuple[Path, ...]
    # A check prints what it has found, and has done its work if it finds something, too.
    prints: bool = False
    choices: tuple[str, ...] = ()
    facts: dict[str, object] = {}  # noqa: RUF012

    @property
    def shown(self) -> str:
        command = shlex.join(("triage", *self.arguments))
        return f"{command} > {shlex.quote(self.output.name)}" if self.prints else command


# Those that each project goes through before it is published.
ORDER = tuple(step for step in Step if step not in (Step.NAMES, Step.PUBLISH))
_ANONYMISE = (
    "anonymise {final} -o {anonymised} {by_plan} {by_key} --key-table {key_table} --overwrite"
)
# What each step runs, writes and reads; braces stand for files and options of the project. NAMES
# makes a table of names anew, which is taken over, and does nothing else.
_STEPS = {
    Step.CLASSIFY: (
        "classify {original} -o {triaged} --overwrite --policy guarded"
        " --max-residue {max_residue} --min-precision {min_precision} {reading} {language}",
        *("triaged", "original"),
    ),
    Step.QUEUE: ("queue create {triaged} -o {queue} {double}", "queue", "triaged"),
    Step.APPLY: ("queue apply {queue} -o {final} --overwrite", "final", "queue"),
    Step.NAMES: (f"{_ANONYMISE} --people {{names_new}}", "names", "final plan"),
    Step.ANONYMISE: (f"{_ANONYMISE} {{by_names}}", "anonymised", "final plan names"),
    Step.CHECK: (
        "check {anonymised} --key-table {key_table} --queue {queue} {by_plan} --json --show",
        *("check", "anonymised key_table plan queue"),
    ),
    Step.PUBLISH: (
        "publish {triaged} --queue {queue} -o {published} {by_plan} {by_key} {by_names}"
        " --overwrite {hold} {why} {formats}",
        *("published", "final plan names queue check"),
    ),
}


def work(
    project: Project, step: Step, formats: Sequence[str] = (), *, hold: bool = False, why: str = ""
) -> Work:
    """Return what a step runs; publishing is told formats, what to hold back, and why it may."""
    settings = project.settings
    files: dict[str, Path] = {**vars(project), "original": project.original}
    words: dict[str, tuple[str, ...]] = {
        name: (project.relative(path),) for name, path in files.items()
    }
    said = {f"--{key_of(name)}": one for name, one in changed(settings.reading).items()}
    reading = ((option,) if one is True else (option, str(one)) for option, one in said.items())
    words |= {
        "max_residue": (f"{settings.max_residue:g}",),
        "min_precision": (f"{settings.min_precision:g}",),
        "reading": tuple(word for one in reading for word in one),
        "language": ("--language", settings.language) if settings.language else (),
        "double": ("--double", f"{settings.double:g}") if settings.double else (),
        "by_plan": ("--plan", *words["plan"]) if project.plan.exists() else (),
        "by_key": ("--key", *words["key"], *(() if project.key.exists() else ("--new-key",))),
        "by_names": ("--people", *words["names"]) if project.names.exists() else (),
        "hold": ("--hold-undecided",) if hold else (),
        "why": ("--because", why) if why else (),
        "formats": tuple(word for one in formats for word in ("--to", one)),
    }
    command, output, inputs = _STEPS[step]
    # A queue that is there holds decisions, which are kept, and knows its columns.
    if step is Step.QUEUE and project.queue.exists():
        command = "queue add {queue} {triaged}"
    parts = (words[one[1:-1]] if one[0] == "{" else (one,) for one in command.split())
    arguments = tuple(word for part in parts for word in part)
    return Work(
        arguments,
        files[output],
        tuple(files[name] for name in inputs.split()),
        prints=step is Step.CHECK,
        choices=arguments if step is Step.CLASSIFY else (),
    )


def last_done(project: Project) -> dict[str, object]:
    """Return the steps that were done, with the fingerprints of what they read the last time."""
    return {
        str(entry.get("step")): entry.get("inputs")
        for entry in project.history()
        if entry.get("what") == "step" and entry.get("is_done")
    }


def is_current(project: Project, step: Step) -> bool:
    """Return whether a step was done on what it would read now."""
    doing = work(project, step)
    return doing.output.exists() and last_done(project).get(step) == fingerprint(doing)


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
    parts = []
    for path in doing.inputs:
        # A queue changes while it is read, what it tells by a decision alone.
        tells = told_by(path).fingerprint if path.suffix == ".queue" else None
        parts.append(tells or (once(checksum, path) if tells is None and path.exists() else ""))
    return hashlib.sha256(repr((parts, doing.choices)).encode()).hexdigest()


class QueueState(NamedTuple):
    """A fingerprint of what a queue tells; the texts that wait for readers, and for a ruling."""

    fingerprint: str = ""
    n_open: int = 0
    n_disagreed: int = 0
    waits_for: Mapping[str, int] = MappingProxyType({})


def told_by(queue: Path) -> QueueState:
    # Its latest writes are in its log.
    log = queue.with_name(f"{queue.name}-wal")
    return once(_told_by, queue, log) if queue.exists() else QueueState()


def _told_by(queue: Path, _: Path) -> QueueState:
    with Queue.open(queue) as opened:
        status = opened.status()
        told = f"{status.messages}:{opened.last_decision()}"
        n_open = status.items - status.items_final - status.items_disagreed
        return QueueState(told, n_open, status.items_disagreed, opened.waits_for())


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
    steps = (*(step for step in ORDER[: ORDER.index(last) + 1] if found[step] is not State.DONE),)
    # The table follows the decisions as they stand.
    is_old = until is Step.NAMES and (steps or not is_current(project, Step.NAMES))
    return (*steps, Step.NAMES) if is_old else steps
