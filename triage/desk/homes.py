"""The folder that holds the projects: how one is added, and what is to be done next in each."""

import re
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import as_file, files
from pathlib import Path

from triage.data.errors import one_line

from ..errors import TriageError, UserError
from ..queue import Queue
from .moving import adopt, is_packed, unpack
from .project import Project, projects_in
from .publishing import is_current
from .steps import State, Step, next_step, states

_SAMPLE = "sample_fr.csv"
_LONGEST_NAME = 60
_NO_NAME = re.compile(r"[^\w-]+")


class Next(StrEnum):
    """What a person does next, in order."""

    IMPORT = "import"
    TRIAGE = "triage"
    QUEUE = "queue"
    REVIEW = "review"
    APPLY = "apply"
    REPLACE = "replace"
    CHECK = "check"
    PUBLISH = "publish"
    DONE = "done"


# Where it is done on a page of its own.
PAGES_OF_NEXT = {
    Next.IMPORT: "import",
    Next.TRIAGE: "triage",
    Next.REVIEW: "review/",
    Next.REPLACE: "replace",
    Next.PUBLISH: "publish",
}
_OF_STEPS = {
    Step.CLASSIFY: Next.TRIAGE,
    Step.QUEUE: Next.QUEUE,
    Step.APPLY: Next.APPLY,
    Step.ANONYMISE: Next.REPLACE,
    Step.CHECK: Next.CHECK,
}


def next_of(project: Project, found: dict[Step, State] | None = None) -> Next:
    """Return what is next, given the states of the steps where they are known."""
    found = states(project) if found is None else found
    step = next_step(found)
    if step is None:
        return Next.DONE if is_current(project) else Next.PUBLISH
    # The plan is written when the columns are chosen.
    if step is Step.CLASSIFY and found[step] is State.READY and not project.plan.exists():
        return Next.IMPORT
    if step is Step.APPLY and left_to_read(project):
        return Next.REVIEW
    return _OF_STEPS[step]


def left_to_read(project: Project) -> int:
    """Return how many items of the queue are not settled."""
    if not project.queue.exists():
        return 0
    with Queue.open(project.queue) as queue:
        status = queue.status()
    return status.items - status.items_final


@dataclass(frozen=True)
class Card:
    """A project in the list of projects."""

    name: str
    title: str
    next: Next | None
    problem: UserError | None = None


def cards(home: Path) -> list[Card]:
    """Return the projects of a folder."""
    return [_card(project) for project in projects_in(home)]


def _card(project: Project) -> Card:
    try:
        return Card(project.name, project.settings.name, next_of(project))
    except TriageError as error:
        return Card(project.name, project.name, None, error)


def project(home: Path, name: str) -> Project | None:
    """Return the project of a name; None if the folder has none."""
    # The name is looked up among those that are there, so that no path leads out of the folder.
    return next((one for one in projects_in(home) if one.name == name), None)


def create(home: Path, file: Path, title: str = "", file_name: str = "") -> Project:
    """Create a project of a file, in a folder of a name that is free."""
    if file.is_dir() and Project.is_one(file):
        return adopt(file, _free(home, title or file.name))
    if file.is_file() and is_packed(file):
        return unpack(file, _free(home, title or Path(file_name or file.name).stem))
    if not file.is_file():
        raise TriageError(
            f"{file} is no file: give the path of a file of messages",
            "no_file",
            file=file,
        )
    file_name = _plain_name(file_name or file.name)
    title = title.strip()[:_LONGEST_NAME] or Path(file_name).stem
    return Project.create(_free(home, title), file, title, file_name)


def _free(home: Path, title: str) -> Path:
    """Return a folder that is not there, named like a project."""
    folder = _NO_NAME.sub("-", title.strip()[:_LONGEST_NAME]).strip("-") or "corpus"
    number = 1
    while (home / _numbered(folder, number)).exists():
        number += 1
    return home / _numbered(folder, number)


def _plain_name(given: str) -> str:
    r"""Return a name that every file system takes; its end, which tells the format, is kept."""
    name = one_line(Path(given).name)[-_LONGEST_NAME:]
    return "corpus" if name in ("", "..") else name


def _numbered(folder: str, number: int) -> str:
    return folder if number == 1 else f"{folder}-{number}"


def create_sample(home: Path) -> Project:
    """Create a project of the sample messages."""
    with as_file(files("triage.data") / _SAMPLE) as path:
        return create(home, path)
