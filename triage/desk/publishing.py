"""Publishing: what stands against it, what is published, and what must never be."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from triage.data.staged_folder import FolderKind, StagedFolder

from ..anonymise.record import record_paths
from .project import Project
from .replacing import held_of
from .steps import State, states
from .versions import Version, version_of

_CERTAIN = ("certain", "undecided", "added")
# What names people, by the texts that say why.
SECRETS = {
    "original": "original",
    "triaged.csv": "original",
    "final.csv": "original",
    "work.queue": "queue",
    "corpus.key": "key",
    "keys.csv": "key",
    "names.csv": "names",
    "quality.json": "quality",
    "check.json": "check",
    "anonymised.held.csv": "held",
}


@dataclass(frozen=True)
class Lock:
    """What stands against publishing.

    Parameters
    ----------
    reasons : tuple of (str, int)
        Keys of texts, and counts.
    may_open : bool
        Whether a person may publish all the same, and say why.
    """

    reasons: tuple[tuple[str, int], ...]
    may_open: bool


def checked(project: Project) -> Mapping[str, Any] | None:
    """Return what the check found; None before it."""
    return _checked(version_of(project.check)) if project.check.exists() else None


@lru_cache(maxsize=8)
def _checked(version: Version) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(version.path.read_text(encoding="utf-8"))
    return found


def lock(project: Project) -> Lock:
    """Return what stands against publishing a project."""
    found, open_steps = (
        checked(project),
        [step for step, state in states(project).items() if state is not State.DONE],
    )
    if found is None or open_steps:
        return Lock((("steps", len(open_steps)),), may_open=False)
    reasons = Counter(one["certainty"] for one in found["left"] if one["certainty"] in _CERTAIN)
    held = len(held_of(project))
    if held:
        reasons["held"] = held
    return Lock(tuple(reasons.items()), may_open=True)


def publish(project: Project, by: str, why: str = "") -> None:
    """Copy what may be shared to the folder of publication, and note that in the log."""
    against = [f"{key}: {n}" for key, n in lock(project).reasons]
    files = (project.anonymised, *record_paths(str(project.anonymised)))
    kind = FolderKind(files[0].name, tuple(path.suffix for path in files))
    with StagedFolder(project.published, kind, overwrite=True) as staged:
        for path in files:
            shutil.copyfile(path, staged.place(path.name))
        # Nothing is there that the log does not tell.
        project.note("published", by=by, why=why, against=against)
        staged.publish()


def published(project: Project) -> list[tuple[str, int]]:
    """Return the files that may be shared, with their sizes in bytes."""
    if not project.published.exists():
        return []
    return [(path.name, path.stat().st_size) for path in sorted(project.published.iterdir())]


def published_file(project: Project, name: str) -> Path | None:
    """Return a file that may be shared; None if there is none of this name."""
    known = {one for one, _ in published(project)}
    return project.published / name if name in known else None


def secrets(project: Project) -> list[tuple[str, str]]:
    """Return what must never be shared of what is there, with the keys of the reasons."""
    return [(name, key) for name, key in SECRETS.items() if (project.folder / name).exists()]
