"""The first look at the spellings of a project's queue, as the step that fills it keeps it."""

from pathlib import Path

from ..queue import Queue
from ..review.first_look import FirstLook, first_look
from .figures import Figure
from .project import Project


def _look_at(queue: Path) -> FirstLook:
    with Queue.open(queue) as opened:
        return first_look(opened)


_LOOK = Figure("spellings", _look_at, FirstLook.parse, FirstLook.plain)


def keep_look(project: Project) -> None:
    """Keep the first look."""
    _LOOK.keep(project.folder, project.queue)


def kept_look(project: Project) -> FirstLook | None:
    """Return the first look as it was kept; None where it was not."""
    return _LOOK.kept(project.folder, project.queue)
