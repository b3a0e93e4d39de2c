"""The process that keeps the figures which follow from a step, in the folder of its project."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import UserError
from ..queue import Queue
from . import importing, quality, replacing
from .figures import Figure
from .project import Project
from .spellings import FirstLook, first_look
from .steps import Step


def _look_at(queue: Path) -> FirstLook:
    with Queue.open(queue) as opened:
        return first_look(opened)


_LOOK = Figure("spellings", _look_at, FirstLook.parse, FirstLook.plain)


def _keep_look(project: Project) -> None:
    _LOOK.keep(project.folder, project.queue)


_AFTER: Mapping[str, tuple[Callable[[Project], None], ...]] = {
    Step.CLASSIFY: (importing.keep_figures, replacing.keep_cards),
    Step.QUEUE: (_keep_look,),
    Step.APPLY: (replacing.keep_cards, quality.keep_state),
    Step.ANONYMISE: (replacing.keep_held,),
}


def keep_after(project: Project, step: str) -> None:
    """Keep the figures that follow from a step; a page tells why one cannot be worked out."""
    for keep in _AFTER.get(step, ()):
        try:
            keep(project)
        except (UserError, OSError):
            continue


def kept_look(project: Project) -> FirstLook | None:
    """Return the first look at the spellings of the queue as it was kept; None where it was not."""
    return _LOOK.kept(project.folder, project.queue)


if __name__ == "__main__":
    keep_after(Project(Path.cwd()), sys.argv[1])
