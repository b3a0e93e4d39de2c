"""The five stages of a project, and the one thing that is to be done next."""

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import quote

from . import importing, publishing
from .forms import Translator
from .project import Project
from .replacing import held_of
from .steps import State, Step, left_to_read, states


class Name(StrEnum):
    """The stages, in order."""

    IMPORT = "import"
    READ = "read"
    REPLACE = "replace"
    VERIFY = "verify"
    PUBLISH = "publish"


# The rights of which one opens a stage.
RIGHTS = {name: {"replace"} for name in Name} | {
    Name.READ: {"read", "rule", "replace"},
    Name.PUBLISH: {"publish"},
}
# The stages of the pages that lie under them.
STAGE_OF = {name.value: name for name in Name} | {"names": Name.REPLACE, "sample": Name.VERIFY}
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
    """The key of the text that says what is next, and where it is done."""

    key: str
    href: str


def confirmed(project: Project) -> set[Name]:
    """Return the stages whose choices a person has confirmed."""
    found: set[Name] = set()
    for entry in project.history():
        match entry:
            case {"what": "confirmed", "stage": stage}:
                found.add(Name(stage))
            # Another way to read the file has other columns.
            case {"what": "reread"}:
                found.discard(Name.REPLACE)
            case {"step": Step.CLASSIFY, "is_done": True}:
                found.add(Name.IMPORT)
            case {"step": Step.ANONYMISE, "is_done": True}:
                found.add(Name.REPLACE)
    return found


def todo_of(project: Project) -> tuple[Name, str, str]:
    """Return the stage of what is next, its key, and its page."""
    chosen, found = confirmed(project), states(project)
    if Name.IMPORT not in chosen:
        return Name.IMPORT, "import", "import"
    if found[Step.CLASSIFY] is not State.DONE or found[Step.QUEUE] is not State.DONE:
        return Name.READ, "bound", "read"
    if left_to_read(project):
        return Name.READ, "read", "read/"
    if Name.REPLACE not in chosen:
        return Name.REPLACE, "replace", "replace"
    if any(state is not State.DONE for state in found.values()):
        return Name.VERIFY, "verify", "verify"
    if not publishing.is_current(project):
        return Name.PUBLISH, "publish", "publish"
    return Name.PUBLISH, "done", "publish"


def stages(
    project: Project, t: Translator, rights: Set[str], current: Name | None
) -> tuple[list[Stage], Todo]:
    """Return the stages of a project for somebody with some rights, and what they do next."""
    following, key, next_page = todo_of(project)
    lines = _lines(project, t)
    shown = []
    for name in Name:
        page = "read/" if name is Name.READ and "replace" not in rights else name
        href = address(project, page) if rights & RIGHTS[name] else ""
        state = _state(name, following, key, has_problem=name is Name.VERIFY and bool(lines[name]))
        shown.append(Stage(name, state, lines[name], href, name is current))
    needed = {"read", "rule"} if key == "read" else RIGHTS[following] - {"read", "rule"}
    if rights & needed:
        return shown, Todo(f"todo.{key}", address(project, next_page))
    return shown, Todo("todo.others", "")


def _state(name: Name, following: Name, key: str, *, has_problem: bool) -> str:
    order = [*Name]
    if key == "done" or order.index(name) < order.index(following):
        return "problem" if has_problem else "done"
    return "now" if name is following else "waits"


def _lines(project: Project, t: Translator) -> Mapping[Name, str]:
    """Return the short count of each stage; empty where there is none yet."""
    total, left = sum(importing.counts(project).values()), left_to_read(project)
    checked = publishing.checked(project)
    certain = sum(one["certainty"] == "certain" for one in checked["left"]) if checked else 0
    held = len(held_of(project))
    return {
        Name.IMPORT: t.count("messages", total) if total else "",
        Name.READ: t.count("stage.to_read", left) if left else "",
        Name.REPLACE: t.count("stage.held", held) if held else "",
        Name.VERIFY: t.count("stage.left", certain) if certain else "",
        Name.PUBLISH: "",
    }


def address(project: Project, page: str = "") -> str:
    return f"/project/{quote(project.name)}/{page}"
