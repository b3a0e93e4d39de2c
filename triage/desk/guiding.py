"""What is to be done next in a project: always one thing."""

from enum import StrEnum

from ..queue import Queue
from .project import Project
from .publishing import is_current
from .steps import State, Step, next_step, states


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
PAGES = {
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
