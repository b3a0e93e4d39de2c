"""The state of a project: its steps, its five stages, what stands against publishing, what is next.

Each step is a command of the program that is run in the folder of the project: the page and the
terminal do the same, and what a step runs can be run by hand.
"""

import hashlib
from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ..errors import as_typed
from ..queue import Filters, Queue
from ..queue.records import Status
from ..safe import checksum
from ..settings import changed, key_of
from . import publishing, quality, replacing
from .pages import Translator
from .people import EVERY, Right
from .project import Project, cached_until_changed

# The steps, in order; NAMES is for who wants to see the names before they are replaced.
Step = StrEnum("Step", ["CLASSIFY", "QUEUE", "APPLY", "NAMES", "ANONYMISE", "CHECK", "PUBLISH"])
State = StrEnum("State", ["LOCKED", "READY", "STALE", "DONE"])


class Work(NamedTuple):
    step: Step
    arguments: tuple[str, ...]
    output: Path
    inputs: tuple[Path | None, ...]
    facts: dict[str, object] = {}  # noqa: RUF012

    @property
    def shown(self) -> str:
        command = as_typed("triage", *self.arguments)
        return f"{command} > {as_typed(self.output.name)}" if self.step is Step.CHECK else command


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
        *("corpus", "final plan names queue check"),
    ),
}


def work(
    project: Project, step: Step, formats: Sequence[str] = (), *, hold: bool = False, why: str = ""
) -> Work:
    """Return the work of a step; publishing has formats, and says whether to hold back, and why."""
    settings, own_names = project.settings, replacing.are_changed(project.names, project.names_made)
    files: dict[str, Path] = {**vars(project), "original": project.original}
    words: dict[str, tuple[str, ...]] = {
        name: (path.relative_to(project.folder).as_posix(),) for name, path in files.items()
    }
    options = {f"--{key_of(name)}": one for name, one in changed(settings.reading).items()}
    reading = ((option,) if one is True else (option, str(one)) for option, one in options.items())
    words |= {
        "max_residue": (f"{settings.max_residue:g}",),
        "min_precision": (f"{settings.min_precision:g}",),
        "reading": tuple(word for one in reading for word in one),
        "language": ("--language", settings.language) if settings.language else (),
        "double": ("--double", f"{settings.double:g}") if settings.double else (),
        "by_plan": ("--plan", *words["plan"]) if project.plan.exists() else (),
        "by_key": ("--key", *words["key"], *(() if project.key.exists() else ("--new-key",))),
        "by_names": ("--people", *words["names"]) if own_names else (),
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
    paths = (None if one == "names" and not own_names else files[one] for one in inputs.split())
    return Work(step, arguments, files[output], (*paths,))


_checksum = cached_until_changed(checksum)


def fingerprint(step_work: Work) -> str:
    """Return a fingerprint of what a step reads, and of its options."""
    parts = []
    for path in step_work.inputs:
        if not (path and path.exists()):
            parts.append("")
        elif path.suffix == ".queue":
            # It changes while it is read, what it tells by a decision alone.
            queue = queue_state(path)
            parts.append(f"{queue.n_messages}:{queue.last_decision}")
        else:
            parts.append(_checksum(path))
    choices = step_work.arguments if step_work.step is Step.CLASSIFY else ()
    return hashlib.sha256(repr((parts, choices)).encode()).hexdigest()


class QueueState(NamedTuple):
    """The state of a queue: the texts that wait for readers and for a ruling, and all decisions."""

    n_messages: int = 0
    last_decision: int = 0
    n_open: int = 0
    n_disagreed: int = 0
    waits_for: Mapping[str, int] = {}
    status: Status | None = None

    @property
    def n_left(self) -> int:
        return self.n_open + self.n_disagreed


@cached_until_changed
def queue_state(queue: Path) -> QueueState:
    if not queue.exists():
        return QueueState()
    with Queue.open(queue) as opened:
        status, last = opened.status(), opened.last_decision()
        n_open = status.items - status.items_final - status.items_disagreed
        waits_for = opened.waits_for()
        return QueueState(status.messages, last, n_open, status.items_disagreed, waits_for, status)


Name = StrEnum("Name", ["IMPORT", "READ", "REPLACE", "VERIFY", "PUBLISH"])

# The stages of the pages that lie under them, and of the steps.
STAGE_OF: dict[str, Name] = {name.value: name for name in Name}
STAGE_OF |= {"reader": Name.READ, "sample": Name.VERIFY, Step.CHECK: Name.VERIFY}
STAGE_OF |= dict.fromkeys((Step.CLASSIFY, Step.QUEUE), Name.READ)
STAGE_OF |= dict.fromkeys((Step.APPLY, Step.NAMES, Step.ANONYMISE), Name.REPLACE)
# The step by which the choices of a stage were confirmed, too.
_CONFIRMED_BY: dict[str, Name] = {Step.CLASSIFY: Name.IMPORT, Step.ANONYMISE: Name.REPLACE}
# The pages of a project from which steps are started.
PAGES = (*Name, "replace/names", "verify/sample", "project")


class Stage(NamedTuple):
    """A stage as the rail shows it: its state is done, now, runs, waits or problem."""

    name: Name
    state: str
    line: str
    href: str
    is_current: bool


class Todo(NamedTuple):
    """The text that says what is next, its page unless it is this one, and who is waited for."""

    key: str
    href: str
    lines: Sequence[str] = ()


class ProjectState:
    """A project at one moment, for a person: what was done, what waits for whom, what is next."""

    def __init__(self, project: Project, rights: Set[str] = EVERY, person: str = "") -> None:
        self.project, self.rights, self.person = project, rights, person
        # What each step read when it was done last; and the stages whose choices were confirmed.
        self._read: dict[str, object] = {}
        self.confirmed: set[Name] = set()
        for entry in project.history():
            match entry:
                case {"what": "confirmed", "stage": stage}:
                    self.confirmed.add(Name(stage))
                # Another file has other columns, and another language.
                case {"what": "replaced"}:
                    self.confirmed.clear()
                # Another way to read the file has other columns.
                case {"what": "reread"}:
                    self.confirmed.discard(Name.REPLACE)
                case {"what": "step", "step": str(step), "is_done": True}:
                    self._read[step] = entry.get("inputs")
                    if step in _CONFIRMED_BY:
                        self.confirmed.add(_CONFIRMED_BY[step])

    @cached_property
    def queue(self) -> QueueState:
        return queue_state(self.project.queue)

    @cached_property
    def states(self) -> dict[Step, State]:
        states, before = dict[Step, State](), State.DONE
        for step in ORDER:
            if before is State.DONE and self._is_current(step):
                state = State.DONE
            elif step in self._read and work(self.project, step).output.exists():
                state = State.STALE
            else:
                state = State.READY if before is State.DONE else State.LOCKED
            states[step] = before = state
        return states

    def _is_current(self, step: Step) -> bool:
        step_work = work(self.project, step)
        is_there = step_work.output.exists() and step in self._read
        return is_there and self._read[step] == fingerprint(step_work)

    def needed(self, until: Step) -> tuple[Step, ...]:
        """Return the steps that are to be run up to one; none while the triage is to be chosen."""
        if self.states[Step.CLASSIFY] is not State.DONE:
            return ()
        upto = ORDER[: ORDER.index(Step.APPLY if until == Step.NAMES else until) + 1]
        steps = list[Step](step for step in upto if self.states[step] is not State.DONE)
        replaces = Step.ANONYMISE in steps
        own = replacing.are_changed(self.project.names, self.project.names_made)
        # The table follows the decisions as they stand, and is used where somebody changed it.
        is_used = until == Step.NAMES or (own and replaces)
        if is_used and (Step.APPLY in steps or not self._is_current(Step.NAMES)):
            steps.insert(steps.index(Step.ANONYMISE) if replaces else len(steps), Step.NAMES)
        return (*steps,)

    @cached_property
    def against(self) -> dict[str, Any] | None:
        """The numbers of what stands against publishing; None while steps are to be done."""
        project = self.project
        if {*self.states.values()} != {State.DONE}:
            return None
        tasks, sample = publishing.tasks_in(project), quality.sampled(project)
        with Queue.open(project.queue) as queue:
            n_answered = len(tasks) - len(queue.unanswered(tasks))
            left_out = {row for (row,) in queue.run("rows handed over")}
        left_out |= {row for row, _ in replacing.held_rows(project, waiting=True)}
        return {
            "left_out": len(left_out),
            "certain": self.check["sure"]["certain"] - n_answered,
            "added": self.check["sure"]["added"],
            "leaks": sample["open_leaks"],
            "above": sample["above"],
        }

    @property
    def asks_why(self) -> bool:
        """Return whether somebody must say why it is published all the same."""
        return any(n for key, n in (self.against or {}).items() if key != "left_out")

    @cached_property
    def check(self) -> Mapping[str, Any]:
        return publishing.checked(self.project.check)

    @property
    def is_published(self) -> bool:
        """Return whether the publication is of the present decisions, plan and names."""
        is_decided = self.states[Step.QUEUE] is State.DONE
        return is_decided and self._is_current(Step.PUBLISH)

    @cached_property
    def n_own(self) -> int:
        """The texts that wait for the person."""
        if "read" not in self.rights or not self.queue.n_open:
            return 0
        with Queue.open(self.project.queue) as queue:
            return queue.count(self.person, Filters())

    @property
    def waits(self) -> dict[str, int]:
        """The counts of what waits for the person, for others, and for a ruling."""
        counts = {"stage.to_read": self.n_own, "stage.others": self.queue.n_open - self.n_own}
        return counts | {"stage.to_rule": self.queue.n_disagreed}

    def next(self) -> tuple[Name, str, str]:
        """Return the stage of what is next, the key of its text, and its page."""
        if Name.IMPORT not in self.confirmed:
            return Name.IMPORT, "todo.import", "import"
        if {self.states[Step.CLASSIFY], self.states[Step.QUEUE]} != {State.DONE}:
            return Name.READ, "todo.bound", "read"
        if self.queue.n_left:
            return Name.READ, "todo.read" if self.queue.n_open else "todo.rule", "read/"
        if Name.REPLACE not in self.confirmed:
            return Name.REPLACE, "todo.replace", "replace"
        if {*self.states.values()} != {State.DONE}:
            return Name.VERIFY, "todo.verify", "verify"
        if self.is_published:
            return Name.PUBLISH, "todo.done", "publish"
        if self.check["n_likely"] and "replace" in self.rights:
            return Name.VERIFY, "todo.look", "verify"
        return Name.PUBLISH, "desk.title.publish", "publish"

    def rail(self, t: Translator, page: str, runs: str = "") -> list[Stage]:
        """Return the stages as the person sees them on a page while one runs."""
        project, rights, (following, key, _) = self.project, self.rights, self.next()
        is_checked = self.states[Step.CHECK] is State.DONE
        lock = self.against or {}
        n_left, n_added = lock.get("certain", 0) + lock.get("leaks", 0), lock.get("added", 0)
        n_look = self.check["n_likely"] + n_added if is_checked else 0
        is_read = self.states[Step.QUEUE] is State.DONE and not self.queue.n_left
        n_messages = (project.cached("preview").read() or {}).get("n_messages", 0)
        n_held = len(replacing.held_rows(project))
        is_older = project.corpus.exists() and not self.is_published
        # Whether each is done, and its short counts.
        about = {
            Name.IMPORT: (Name.IMPORT in self.confirmed, {"messages": n_messages}),
            Name.READ: (is_read, self.waits),
            Name.REPLACE: (Name.REPLACE in self.confirmed, {"stage.held": n_held}),
            Name.VERIFY: (is_checked, {"stage.left": n_left, "stage.look": n_look}),
            Name.PUBLISH: (self.is_published, {"desk.publish_again": is_older}),
        }
        rail = []
        for name, (is_done, counts) in about.items():
            state = "done" if is_done else "now" if name is following else "waits"
            is_open = self.asks_why or (n_look and key != "todo.done")
            state = "problem" if name is Name.VERIFY and is_open else state
            state = "runs" if name == runs else state
            where = "read/" if name is Name.READ and "replace" not in rights else name
            href = address(project, where) if opens(where, rights) else ""
            rail.append(Stage(name, state, t.counts(counts), href, name is STAGE_OF.get(page)))
        return rail

    def todo(self, t: Translator, page: str) -> Todo:
        """Return the next task of the person, who is on a page."""
        rights, (_, key, next_page) = self.rights, self.next()
        is_reading, state = next_page == "read/", self.queue
        if is_reading:
            key = "todo.rule" if "rule" in rights and state.n_disagreed else "todo.others"
            key = "todo.read" if self.n_own else key
        elif not opens(next_page, rights):
            key = "todo.others"
        if key == "todo.others":
            is_told = is_reading and "replace" in rights
            lines = waits_lines(state.waits_for, state.n_disagreed, t) if is_told else []
            return Todo(key, "", lines)
        is_here = next_page == ("read/" if page == "reader" else page)
        return Todo(key, "" if is_here else address(self.project, next_page))


# The rights of which one opens the pages with a beginning; those with none are the owner's.
_OPENED_BY: dict[str, tuple[Right, ...]] = {
    **dict.fromkeys(("", "progress"), (*Right,)),
    **dict.fromkeys(("publish", "publish/"), (Right.PUBLISH,)),
    **dict.fromkeys(("people", "project/"), ()),
    "read/": (Right.READ, Right.RULE),
    "cancel": (Right.REPLACE, Right.PUBLISH),
}


def opened_by(page: str) -> tuple[Right, ...]:
    first, divider, _ = page.partition("/")
    return _OPENED_BY.get(first + divider, (Right.REPLACE,))


def opens(page: str, rights: Set[str]) -> bool:
    return bool(rights & {*opened_by(page)})


def waits_lines(waits_for: Mapping[str, int], n_disagreed: int, t: Translator) -> list[str]:
    """Return lines of who has how much to read, and of disagreements to rule on."""
    lines = [t.count("waits.named", n, name=name) for name, n in waits_for.items() if name]
    others = t.counts({"stage.others": waits_for.get("", 0), "stage.to_rule": n_disagreed})
    return [*lines, others] if others else lines


def address(project: Project, page: str = "") -> str:
    return f"/project/{quote(project.name)}/{page}"
