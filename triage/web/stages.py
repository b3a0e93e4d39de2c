"""The five stages of a project, and the one thing that is to be done next."""

from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import quote

from ..queue import Filters, Queue
from . import importing, publishing
from .forms import Translator
from .project import Project
from .replacing import held_of
from .steps import State, Step, left_to_read, states, told_by

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
    if left_to_read(project):
        key = "todo.read" if told_by(project.queue).n_open else "todo.rule"
        return Name.READ, key, "read/"
    if Name.REPLACE not in chosen:
        return Name.REPLACE, "todo.replace", "replace"
    if any(state is not State.DONE for state in found.values()):
        return Name.VERIFY, "todo.verify", "verify"
    if publishing.is_current(project):
        return Name.PUBLISH, "todo.done", "publish"
    if publishing.n_to_look_at(project):
        return Name.VERIFY, "todo.look", "verify"
    return Name.PUBLISH, "desk.title.publish", "publish"


def stages(
    project: Project, t: Translator, rights: Set[str], page: str, person: str
) -> tuple[list[Stage], Todo]:
    """Return the stages of a project for a person with some rights, and what they do next."""
    chosen, found, told = confirmed(project), states(project), told_by(project.queue)
    following, key, next_page = todo_of(project)
    if key == "todo.look" and "replace" not in rights:
        following, key, next_page = Name.PUBLISH, "desk.title.publish", "publish"
    is_checked = found[Step.CHECK] is State.DONE
    against = (publishing.lock(project) if is_checked else None) or {}
    n_left = sum(against.get(key, 0) for key in ("certain", "added", "leaks"))
    n_look = publishing.n_to_look_at(project) if is_checked else 0
    waits = {"stage.to_read": told.n_open, "stage.to_rule": told.n_disagreed}
    is_read = found[Step.QUEUE] is State.DONE and not sum(waits.values())
    # Whether each is done, and its short counts.
    about = {
        Name.IMPORT: (Name.IMPORT in chosen, {"messages": sum(importing.counts(project).values())}),
        Name.READ: (is_read, waits),
        Name.REPLACE: (Name.REPLACE in chosen, {"stage.held": len(held_of(project))}),
        Name.VERIFY: (is_checked, {"stage.left": n_left, "stage.look": n_look}),
        Name.PUBLISH: (key == "todo.done", {}),
    }
    rail = []
    for name, (is_done, counts) in about.items():
        state = "done" if is_done else "now" if name is following else "waits"
        is_open = publishing.asks_why(against) or (n_look and key != "todo.done")
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
