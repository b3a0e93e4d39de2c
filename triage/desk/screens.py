"""The content of each page, from a project, as plain data for a template."""

import json
from collections.abc import Mapping
from typing import Any

from ..queue import Queue
from ..review.forms import HTTPError
from ..review.languages import Translator
from .importing import preview
from .project import Project
from .steps import State, Step, next_step, states, work

Shown = dict[str, object]
# The pages of a project, in order; the empty one is the overview.
PAGES = ("", "import", "triage", "review", "replace", "check", "publish")
# Seconds that a person takes for a message, before there is a measure.
_SECONDS = 6.0


def share_of(written: str) -> float:
    """Return a share that a person gave in percent; HTTPError if it is none.

    Examples
    --------
    >>> share_of("0,5")
    0.005
    """
    try:
        share = float(written.replace(",", ".")) / 100
    except ValueError:
        raise HTTPError(400, "error.form") from None
    if not 0 < share < 1:
        raise HTTPError(400, "error.form")
    return share


def overview(project: Project, t: Translator) -> Shown:
    """Return the stages of a project, and what was done."""
    found = states(project)
    return {
        "states": found,
        "next": next_step(found),
        "commands": {step: work(project, step).shown for step in Step},
        "queue": _queue(project, t),
        "history": [*project.history()][-10:][::-1],
        "settings": project.settings,
    }


def _queue(project: Project, t: Translator) -> Mapping[str, object] | None:
    if not project.queue.exists():
        return None
    with Queue.open(project.queue) as queue:
        status = queue.status()
    left = status.items - status.items_final
    return {"status": status, "left": left, "time": t.duration(left * _SECONDS)}


def importing(project: Project) -> Shown:
    """Return how the file is read."""
    return {"preview": preview(project), "settings": project.settings}


def triage(project: Project, t: Translator) -> Shown:
    """Return the bounds of the triage, and what came of it."""
    counts = _actions(project)
    to_read = counts.get("EXPERT", 0)
    return {
        "settings": project.settings,
        "state": states(project)[Step.CLASSIFY],
        "command": work(project, Step.CLASSIFY).shown,
        "counts": counts,
        "total": sum(counts.values()),
        "time": t.duration(to_read * _SECONDS),
    }


def _actions(project: Project) -> dict[str, int]:
    """Return how many messages have each action; empty before the triage."""
    from collections import Counter

    from triage.data import open_messages

    if not project.triaged.exists():
        return {}
    with open_messages(project.triaged) as file:
        at = file.columns.index("action")
        return Counter(str(row[at]) for chunk in file.chunks() for row in chunk.rows)


def checked(project: Project) -> Mapping[str, Any] | None:
    """Return what the check found; None before it."""
    if not project.check.exists():
        return None
    found: Mapping[str, Any] = json.loads(project.check.read_text(encoding="utf-8"))
    return found


__all__ = ["PAGES", "Shown", "State", "checked", "importing", "overview", "share_of", "triage"]
