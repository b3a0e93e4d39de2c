"""The settings of a run of ``triage classify``, kept beside its output as ``….run.json``.

Neither messages nor words of a list are in it; the people are whom the file or the user names
beside its rows. Who anonymises the file, or makes a queue of it,
gets the same lists and recognisers from it, or is told that they have changed.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from triage.data import run_path
from triage.dictionaries import Role, user_list
from triage.dictionaries.lexicon import YOURS

from .. import __version__
from ..errors import TriageError
from ..model.store import fingerprint
from ..safe import Staged, staged
from ..settings import Setup
from .people import Fact
from .pipeline import Triage
from .promise import Promise, promise_lines
from .workload import Workload

_MOST_BYTES = 2**20


@dataclass(frozen=True)
class RunRecord:
    """Dictionaries, model and policy of a run; lists with their paths and fingerprints."""

    program: str
    language: str
    lists: list[dict[str, Any]]
    recognisers: list[dict[str, Any]]
    find: list[str]
    model: str
    dictionaries: str
    weights: str
    features: str
    corpus_evidence: bool
    strict: bool
    policy: Mapping[str, object]
    promise: list[str]
    workload: list[dict[str, Any]]
    people: list[list[str]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        triage: Triage,
        promised: Promise | None = None,
        workloads: Iterable[Workload] = (),
        people: Iterable[Fact] = (),
        *,
        corpus_evidence: bool,
    ) -> "RunRecord":
        """Record what a pipeline decides with, what it promised, and what other bounds ask for."""
        own = [words for words in triage.lexicon.lists if words.title == YOURS]
        recognisers = triage.labeller.recognisers
        return cls(
            __version__,
            triage.lexicon.language,
            [_list(Path(words.source), words.role, words.words) for words in own],
            [_file(Path(path)) for path in recognisers.files],
            [*recognisers.asked],
            fingerprint(triage.model),
            triage.lexicon.fingerprint,
            triage.weights,
            triage.model.manifest.features,
            corpus_evidence,
            triage.strict,
            asdict(triage.policy),
            [*promise_lines(promised)] if promised else [],
            [*map(asdict, workloads)],
            [[*fact] for fact in people],
        )

    def text(self, folder: Path) -> str:
        """Return the record as JSON, in which files are named as seen from a folder."""
        content = {name: value for name, value in asdict(self).items() if name != "people" or value}
        for one in (*content["lists"], *content["recognisers"]):
            # There is no way from one drive of Windows to another.
            with suppress(ValueError):
                one["path"] = os.path.relpath(one["path"], folder)
            one["path"] = Path(one["path"]).as_posix()
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def parse(cls, text: str, folder: Path) -> "RunRecord":
        """Parse what `text` returned; a ValueError, TypeError or KeyError says that it is none."""
        content: dict[str, Any] = {"workload": []} | json.loads(text)
        # Of earlier versions.
        content.pop("capitals", None)
        for one in (*content["lists"], *content["recognisers"]):
            one["path"] = folder / one["path"]
        for one in content["lists"]:
            one["role"] = Role(one["role"])
        return cls(**content)


def _list(path: Path, role: Role, words: Iterable[str]) -> dict[str, Any]:
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    return {"path": path, "role": role, "fingerprint": digest}


def _file(path: Path) -> dict[str, Any]:
    return {"path": path, "fingerprint": hashlib.sha256(path.read_bytes()).hexdigest()}


def record_output(
    record: RunRecord, path: Path, *, mode_from: str | Path, overwrite: bool
) -> Staged:
    """Return a record as an output that is to be committed."""
    return staged(path, record.text(path.parent).encode(), like=mode_from, overwrite=overwrite)


def read_record(output: str) -> RunRecord | None:
    """Read the record beside an output; None where there is none."""
    path = run_path(output)
    if path is None or not path.exists():
        return None
    try:
        with path.open(encoding="utf-8") as file:
            return RunRecord.parse(file.read(_MOST_BYTES), path.parent)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise TriageError(
            f"{path} is no record of triage classify: move it away, or classify the messages again"
        ) from None


def workloads_of(output: str) -> list[Workload]:
    """Return what other bounds would ask of people, as was counted when a file was triaged."""
    record = read_record(output)
    if record is None:
        raise TriageError(
            f"there is no record of triage classify of this version beside {output}: classify the "
            "messages again"
        )
    if not record.workload:
        raise TriageError(
            f"{output} was triaged by the agreement table or without evidence of words, so that no "
            "bound can be told: classify with --policy guarded"
        )
    return [Workload(**one) for one in record.workload]


def with_run(pipeline: Setup, source: str, *, no_lists: bool = False) -> tuple[Setup, str]:
    """Add to settings what they leave open and the run of a triaged file tells, and a warning."""
    if no_lists and (pipeline.names or pipeline.words):
        raise TriageError("give either lists or --no-lists, not both")
    record = read_record(source)
    if record is None:
        return pipeline, ""
    pipeline = replace(pipeline, language=pipeline.language or record.language)
    if no_lists:
        return pipeline, ""
    warning = ""
    if pipeline.names or pipeline.words:
        warning = _other_lists(pipeline, record, source)
    else:
        _check(
            record.lists,
            source,
            "the list",
            "the lists with --names and --words, or add --no-lists",
        )
        pipeline = replace(
            pipeline,
            names=_paths(record.lists, Role.DICTIONARY),
            words=_paths(record.lists, Role.ANTI_DICTIONARY),
        )
    if not (pipeline.recognisers or pipeline.find):
        _check(record.recognisers, source, "the recognisers", "them with --recognisers")
        recognisers = tuple(str(one["path"]) for one in record.recognisers)
        pipeline = replace(pipeline, recognisers=recognisers, find=tuple(record.find))
    return pipeline, warning


def _paths(lists: Iterable[Mapping[str, Any]], role: Role) -> tuple[str, ...]:
    return tuple(str(one["path"]) for one in lists if one["role"] is role)


def _other_lists(pipeline: Setup, record: RunRecord, source: str) -> str:
    """Return a warning where the lists given are not those of the run."""
    given = [(Path(path), Role.DICTIONARY) for path in pipeline.names]
    given += [(Path(path), Role.ANTI_DICTIONARY) for path in pipeline.words]
    marks = {(role, _fingerprint(path, role)) for path, role in given}
    if marks == {(one["role"], one["fingerprint"]) for one in record.lists}:
        return ""
    names = ", ".join(one["path"].name for one in record.lists)
    return f"{source} was triaged with other lists than are given here{names and f' ({names})'}"


def _fingerprint(path: Path, role: Role | None) -> str:
    """Return the fingerprint of a list, or of a file that is none."""
    described = _list(path, role, user_list(path, role).words) if role else _file(path)
    return str(described["fingerprint"])


def _check(files: Iterable[Mapping[str, Any]], source: str, what: str, way_out: str) -> None:
    """Raise TriageError for a file of the run that is missing or has changed."""
    for one in files:
        path, role = one["path"], one.get("role")
        problem = "" if path.is_file() else "is missing"
        if not problem and _fingerprint(path, role) != one["fingerprint"]:
            problem = "has changed"
        if problem:
            whose = "which" if role else "whose file"
            raise TriageError(
                f"{source} was triaged with {what} {path}, {whose} {problem}: name {way_out}"
            )
