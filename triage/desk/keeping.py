"""The process that keeps the figures which follow from a step, in the folder of its project."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import UserError
from . import importing, replacing, spellings, triaging
from .project import Project
from .steps import Step


def _keep_preview(project: Project) -> None:
    _, plan = replacing.plan_or_default(project)
    importing.keep_preview(project, plan.treatment.date_column)


_AFTER: Mapping[str, tuple[Callable[[Project], None], ...]] = {
    Step.CLASSIFY: (_keep_preview, triaging.keep_figures),
    Step.QUEUE: (spellings.keep_look,),
    Step.APPLY: (replacing.keep_cards,),
    Step.ANONYMISE: (replacing.keep_held,),
}


def keep_after(project: Project, step: str) -> None:
    """Keep the figures that follow from a step; a page tells why one cannot be worked out."""
    for keep in _AFTER.get(step, ()):
        try:
            keep(project)
        except (UserError, OSError):
            continue


if __name__ == "__main__":
    keep_after(Project(Path.cwd()), sys.argv[1])
