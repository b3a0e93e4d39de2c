"""The state of a project: its steps, its five stages, what stands against publishing, what is next.

Each step is a command of the program that is run in the folder of the project: the page and the
terminal do the same, and what a step runs can be run by hand.
"""

import hashlib
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from ..anonymise.findings import Certainty
from ..publish import CORPUS
from ..queue import Filters, Queue
from ..safe import checksum
from ..settings import changed, key_of
from . import importing, publishing, quality
from .forms import Translator
from .project import Project, once
from .replacing import held_of

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


_checksum = once(checksum)


def fingerprint(doing: Work) -> str:
    """Return a fingerprint of what a step reads, and of its options."""
    parts = []
    for path in doing.inputs:
        if not path.exists():
            parts.append("")
        elif path.suffix == ".queue":
            # It changes while it is read, what it tells by a decision alone.
            told = told_by(path)
            parts.append(f"{told.n_messages}:{told.last_decision}")
        else:
            parts.append(_checksum(path))
    return hashlib.sha256(repr((parts, doing.choices)).encode()).hexdigest()


class QueueState(NamedTuple):
    """The state of a queue: the texts that wait for readers and for a ruling, and all decisions."""

    n_messages: int = 0
    last_decision: int = 0
    n_open: int = 0
    n_disagreed: int = 0
    waits_for: Mapping[str, int] = MappingProxyType({})

    @property
    def n_left(self) -> int:
        return self.n_open + self.n_disagreed


@once
def told_by(queue: Path) -> QueueState:
    if not queue.exists():
        return QueueState()
    with Queue.open(queue) as opened:
        status, last = opened.status(), opened.last_decision()
        n_open = status.items - status.items_final - status.items_disagreed
        waits_for = opened.waits_for()
        return QueueState(status.messages, last, n_open, status.items_disagreed, waits_for)


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


def stands_against(project: Project) -> dict[str, Any] | None:
    """Return the numbers of what stands against publishing; None while steps are to be done.

    They are of messages that are left out, of what was found in others, and the share of
    identifiers that the sample does not exclude, if it lies above the one asked for.
    """
    found = publishing.checked(project.check)
    if found is None or any(state is not State.DONE for state in states(project).values()):
        return None
    tasks, sample = publishing.tasks_in(project), quality.sampled(project)
    with Queue.open(project.queue) as queue:
        n_answered = len(tasks) - len(queue.unanswered(tasks))
        again = queue.handed_over_rows()
    of = Counter(one.certainty for one in found["left"])
    return {
        "left_out": len({row for row, _ in held_of(project)}.union(again)),
        "certain": of[Certainty.CERTAIN] + of[Certainty.UNDECIDED] - n_answered,
        "added": of[Certainty.ADDED],
        "leaks": sample["open_leaks"],
        "above": sample["above"],
    }


def must_say_why(against: Mapping[str, Any]) -> bool:
    """Tell whether somebody must say why it is published all the same."""
    return any(n for key, n in against.items() if key != "left_out")


def n_to_look_at(project: Project) -> int:
    """Return how many spellings the check found likely to name somebody."""
    left = (publishing.checked(project.check) or {"left": ()})["left"]
    return len({one.text.casefold() for one in left if one.certainty == Certainty.LIKELY})


def is_published(project: Project) -> bool:
    """Return whether what is published is of the present decisions, plan and names."""
    return (project.published / CORPUS).exists() and is_current(project, Step.PUBLISH)


# The stages

Name = StrEnum("Name", ["IMPORT", "READ", "REPLACE", "VERIFY", "PUBLISH"])

# The rights of which one opens a stage.
RIGHTS = {name: {"replace"} for name in Name} | {
    Name.READ: {"read", "rule", "replace"},
    Name.PUBLISH: {"publish"},
}
# The stages of the pages that lie under them.
STAGE_OF = {name.value: name for name in Name} | {
    "reader": Name.READ,
    "names": Name.REPLACE,
    "sample": Name.VERIFY,
}
# The pages of a project from which steps are started.
PAGES = (*Name, "replace/names", "verify/sample", "project")


class Stage(NamedTuple):
    """A stage as the rail shows it: its state is done, now, waits or problem."""

    name: Name
    state: str
    line: str
    href: str
    is_current: bool


class Todo(NamedTuple):
    """The key of the text that says what is next, and where it is done, if not on this page.

    The lines say what others have to do before.
    """

    key: str
    href: str
    lines: Sequence[str] = ()


def confirmed(project: Project) -> set[Name]:
    """Return the stages whose choices a person has confirmed."""
    found: set[Name] = set()
    for entry in project.history():
        match entry:
            case {"what": "confirmed", "stage": stage}:
                found.add(Name(stage))
            # Another file has other columns, and another language.
            case {"what": "replaced"}:
                found.clear()
            # Another way to read the file has other columns.
            case {"what": "reread"}:
                found.discard(Name.REPLACE)
            case {"step": Step.CLASSIFY, "is_done": True}:
                found.add(Name.IMPORT)
            case {"step": Step.ANONYMISE, "is_done": True}:
                found.add(Name.REPLACE)
    return found


def todo_of(project: Project) -> tuple[Name, str, str]:
    """Return the stage of what is next, the key of its text, and its page."""
    chosen, found = confirmed(project), states(project)
    if Name.IMPORT not in chosen:
        return Name.IMPORT, "todo.import", "import"
    if found[Step.CLASSIFY] is not State.DONE or found[Step.QUEUE] is not State.DONE:
        return Name.READ, "todo.bound", "read"
    told = told_by(project.queue)
    if told.n_left:
        key = "todo.read" if told.n_open else "todo.rule"
        return Name.READ, key, "read/"
    if Name.REPLACE not in chosen:
        return Name.REPLACE, "todo.replace", "replace"
    if any(state is not State.DONE for state in found.values()):
        return Name.VERIFY, "todo.verify", "verify"
    if is_published(project):
        return Name.PUBLISH, "todo.done", "publish"
    if n_to_look_at(project):
        return Name.VERIFY, "todo.look", "verify"
    return Name.PUBLISH, "desk.title.publish", "publish"


def overview(
    project: Project, t: Translator, rights: Set[str], page: str, person: str
) -> tuple[list[Stage], Todo]:
    """Return the stages of a project for a person with some rights, and what they do next."""
    chosen, found, told = confirmed(project), states(project), told_by(project.queue)
    following, key, next_page = todo_of(project)
    if key == "todo.look" and "replace" not in rights:
        following, key, next_page = Name.PUBLISH, "desk.title.publish", "publish"
    is_checked = found[Step.CHECK] is State.DONE
    against = (stands_against(project) if is_checked else None) or {}
    n_left = sum(against.get(key, 0) for key in ("certain", "added", "leaks"))
    n_look = n_to_look_at(project) if is_checked else 0
    waits = {"stage.to_read": told.n_open, "stage.to_rule": told.n_disagreed}
    is_read = found[Step.QUEUE] is State.DONE and not sum(waits.values())
    # Whether each is done, and its short counts.
    about = {
        Name.IMPORT: (Name.IMPORT in chosen, {"messages": sum(importing.counts(project).values())}),
        Name.READ: (is_read, waits),
        Name.REPLACE: (Name.REPLACE in chosen, {"stage.held": len(held_of(project))}),
        Name.VERIFY: (is_checked, {"stage.left": n_left, "stage.look": n_look}),
        Name.PUBLISH: (is_published(project), {}),
    }
    rail = []
    for name, (is_done, counts) in about.items():
        state = "done" if is_done else "now" if name is following else "waits"
        is_open = must_say_why(against) or (n_look and key != "todo.done")
        state = "problem" if name is Name.VERIFY and is_open else state
        where = "read/" if name is Name.READ and "replace" not in rights else name
        line = ", ".join(t.count(of, n) for of, n in counts.items() if n)
        href = address(project, where) if rights & RIGHTS[name] else ""
        rail.append(Stage(name, state, line, href, name is STAGE_OF.get(page)))
    is_reading = next_page == "read/"
    if is_reading:
        key = _what_waits(project, rights, person)
    elif not rights & (RIGHTS[following] - {"read", "rule"}):
        key = "todo.others"
    if key == "todo.others":
        is_told = is_reading and "replace" in rights
        lines = waits_lines(told.waits_for, told.n_disagreed, t) if is_told else []
        return rail, Todo(key, "", lines)
    is_here = next_page == ("read/" if page == "reader" else page)
    return rail, Todo(key, "" if is_here else address(project, next_page))


def _what_waits(project: Project, rights: Set[str], person: str) -> str:
    """Return the key of what a person does in the reader, while something is left there."""
    told = told_by(project.queue)
    if "read" in rights and told.n_open:
        with Queue.open(project.queue) as queue:
            if queue.count(person, Filters()):
                return "todo.read"
    return "todo.rule" if "rule" in rights and told.n_disagreed else "todo.others"


def waits_lines(waits_for: Mapping[str, int], n_disagreed: int, t: Translator) -> list[str]:
    """Return what has to be read by whom, and what has to be ruled on, in words."""
    lines = [
        t.count("waits.named", n, name=name) if name else t.count("end.others", n)
        for name, n in waits_for.items()
    ]
    return lines + ([t.count("waits.ruling", n_disagreed)] if n_disagreed else [])


def address(project: Project, page: str = "") -> str:
    return f"/project/{quote(project.name)}/{page}"
