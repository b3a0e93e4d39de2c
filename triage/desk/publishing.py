"""Publishing: what stands against it, what is published, and what must never be."""

import json
import shlex
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..anonymise.record import record_paths
from ..safe import FolderKind, Staged
from .figures import Version, content_of, version_of
from .project import Project
from .replacing import held_of
from .steps import State, Work, states


class Published(StrEnum):
    """A format that a person may choose; the table itself and its record are always there."""

    XLSX = "xlsx"
    PARQUET = "parquet"
    JSONL = "jsonl"
    TEI = "tei"
    IOB2 = "iob2"
    BRAT = "brat"
    SPACY = "spacy"
    DATASETS = "datasets"


@dataclass(frozen=True)
class Form:
    name: str
    to: str = "table"
    needs: str = ""
    extra: str = ""

    @property
    def shows_identifiers(self) -> bool:
        """Return whether it tells where something was replaced."""
        return self.to != "table"

    @property
    def is_there(self) -> bool:
        """Return whether it can be written on this machine."""
        return not self.needs or find_spec(self.needs) is not None


FORMS = {
    Published.XLSX: Form("corpus.xlsx"),
    Published.PARQUET: Form("corpus.parquet", needs="pyarrow", extra="parquet"),
    Published.JSONL: Form("corpus.jsonl"),
    Published.TEI: Form("corpus.xml"),
    Published.IOB2: Form("corpus.conll", "iob2"),
    Published.BRAT: Form("brat", "brat"),
    Published.SPACY: Form("corpus.spacy", "spacy", "spacy", "spacy"),
    Published.DATASETS: Form("datasets", "datasets", "pyarrow", "parquet"),
}


def conversions(project: Project, chosen: Sequence[Published]) -> Work | None:
    """Return what writes formats into the folder of publication; None of no format."""
    commands = [_command(project, FORMS[one]) for one in chosen]
    if not commands:
        return None
    inputs = (project.anonymised, project.key_table)
    return Work(commands[0], project.published, inputs, more=tuple(commands[1:]))


def _command(project: Project, form: Form) -> tuple[str, ...]:
    of = project.relative
    keys = ("--key-table", of(project.key_table)) if form.shows_identifiers else ()
    return (
        *("convert", of(project.anonymised), "-o", of(project.published / form.name)),
        *("--to", form.to, *keys, "--overwrite", *project.output_columns),
    )


class Task(StrEnum):
    FORMATS = "formats"


_CERTAIN = ("certain", "undecided", "added")
# What names people, by the texts that say why.
SECRETS = {
    "original": "original",
    "triaged.csv": "original",
    "triaged.rejects.csv": "original",
    "final.csv": "original",
    "work.queue": "queue",
    "corpus.key": "key",
    "keys.csv": "key",
    "names.csv": "names",
    "plan.toml": "plan",
    "quality.json": "quality",
    "check.json": "check",
    "anonymised.held.csv": "held",
}


@dataclass(frozen=True)
class Lock:
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
    found = checked(project)
    open_steps = [step for step, state in states(project).items() if state is not State.DONE]
    if found is None or open_steps:
        return Lock((("steps", len(open_steps)),), may_open=False)
    reasons = Counter(one["certainty"] for one in found["left"] if one["certainty"] in _CERTAIN)
    held = len(held_of(project))
    if held:
        reasons["held"] = held
    return Lock(tuple(reasons.items()), may_open=True)


def copying(project: Project) -> str:
    """Return the command that copies what is always published."""
    of = project.relative
    names = [of(project.anonymised), *map(of, map(Path, record_paths(str(project.anonymised))))]
    folder = of(project.published)
    return f"mkdir -p {folder} && cp {shlex.join(names)} {folder}/"


def publish(project: Project, by: str, why: str = "") -> None:
    """Copy what may be shared to the folder of publication, and note that in the log."""
    against = [f"{key}: {n}" for key, n in lock(project).reasons]
    files = (project.anonymised, *record_paths(str(project.anonymised)))
    kind = FolderKind(files[0].name, tuple(path.suffix for path in files))
    with Staged(project.published, private=True, overwrite=True, kind=kind) as staged:
        for path in files:
            shutil.copyfile(path, staged.place / path.name)
        # Nothing is there that the log does not tell.
        project.note("published", by=by, why=why, against=against)
        staged.commit()


@dataclass(frozen=True)
class Shareable:
    name: str
    about: str
    size: int
    is_folder: bool


def published(project: Project) -> list[Shareable]:
    """Return what may be shared, the table first."""
    if not project.published.exists():
        return []
    always = (project.anonymised, *record_paths(str(project.anonymised)))
    known = dict(zip((one.name for one in always), ("table", "record", "record_page"), strict=True))
    known |= {form.name: format_.value for format_, form in FORMS.items()}
    return [
        Shareable(name, about, _size(path), path.is_dir())
        for name, about in known.items()
        if (path := project.published / name).exists()
    ]


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(one.stat().st_size for one in files if one.is_file())


def is_current(project: Project) -> bool:
    """Return whether what was published is what was anonymised last."""
    copy = project.published / project.anonymised.name
    return (
        copy.exists()
        and project.anonymised.exists()
        and content_of(copy) == content_of(project.anonymised)
    )


def published_file(project: Project, name: str) -> Path | None:
    """Return a file or a folder that may be shared; None if there is none of this name."""
    known = {one.name for one in published(project)}
    return project.published / name if name in known else None


def secrets(project: Project) -> list[tuple[str, str]]:
    """Return what must never be shared of what is there, with the keys of the reasons."""
    return [(name, key) for name, key in SECRETS.items() if (project.folder / name).exists()]
