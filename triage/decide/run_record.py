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
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from triage.data import run_path
from triage.dictionaries import Role, user_list
from triage.dictionaries.lexicon import YOURS

from .. import __version__
from ..errors import TriageError
from ..model.learnt import fingerprint
from ..safe import Staged, staged
from ..settings import Setup
from .people import Fact
from .pipeline import Triage
from .policy import Promise, Workload, promise_lines
from .source import recorded

Record = dict[str, Any]
"""Dictionaries, model and policy of a run; lists with their paths and fingerprints."""

_MOST_BYTES = 2**20
_FILES = ("lists", "recognisers", "models")
_FIELDS = {"program", "language", "lists", "recognisers", "find", "model", "dictionaries"}
_FIELDS |= {"weights", "features", "corpus_evidence", "strict", "policy", "promise"}


def record_of(
    triage: Triage,
    promised: Promise | None,
    workloads: Iterable[Workload],
    people: Iterable[Fact],
    settings_from: Mapping[str, str],
    *,
    corpus_evidence: bool,
) -> Record:
    """Record what a pipeline decides with, what it promised, and what other bounds ask for."""
    recognisers = triage.labeller.recognisers
    return {
        "program": __version__,
        "language": triage.lexicon.language,
        "lists": [
            {"path": one.source, "role": one.role, "fingerprint": _digest("\n".join(one.words))}
            for one in triage.lexicon.lists
            if one.title == YOURS
        ],
        "recognisers": [
            {"path": path, "fingerprint": _fingerprint(Path(path))} for path in recognisers.files
        ],
        "models": [
            {"path": path, "fingerprint": _fingerprint(Path(path))}
            for path in [triage.model_file]
            if path
        ],
        "find": [*recognisers.asked],
        "model": fingerprint(triage.model),
        "dictionaries": triage.lexicon.fingerprint,
        "weights": triage.weights,
        "features": triage.model.manifest.features,
        "corpus_evidence": corpus_evidence,
        "strict": triage.strict,
        "policy": asdict(triage.policy),
        "promise": [*promise_lines(promised)] if promised else [],
        "workload": [*map(asdict, workloads)],
        "people": [*people],
        "settings_from": settings_from,
    }


def _fingerprint(path: Path, role: Role | None = None) -> str:
    """Return the fingerprint of a list, or of a file that is none."""
    return _digest("\n".join(user_list(path, role).words) if role else path.read_bytes())


def _digest(content: str | bytes) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def record_text(record: Record, folder: Path) -> str:
    """Return a record as JSON, in which files are named as seen from a folder."""
    optional = ("models", "people", "settings_from", "reading")
    content = {name: one for name, one in deepcopy(record).items() if one or name not in optional}
    for kind in _FILES:
        for one in content.get(kind, ()):
            # There is no way from one drive of Windows to another.
            with suppress(ValueError):
                one["path"] = os.path.relpath(one["path"], folder)
            one["path"] = Path(one["path"]).as_posix()
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def parse_record(text: str, folder: Path) -> Record:
    """Parse what `record_text` returned; a ValueError, TypeError or KeyError says it is none."""
    record: Record = {**json.loads(text)}
    # Keys that a record of before lacks stand behind the others.
    record |= {name: [] for name in ("workload", "people", "models") if name not in record}
    if missing := _FIELDS - record.keys():
        raise KeyError(*missing)
    for one in (one for kind in _FILES for one in record[kind]):
        one["path"] = folder / one["path"]
    for one in record["lists"]:
        one["role"] = Role(one["role"])
    return record


def record_output(record: Record, path: Path, *, mode_from: str | Path, overwrite: bool) -> Staged:
    """Return a record as an output that is to be committed."""
    text = record_text(record, path.parent)
    return staged(path, text.encode(), like=mode_from, overwrite=overwrite)


def read_record(output: str) -> Record | None:
    """Read the record beside an output; None where there is none."""
    path = run_path(output)
    if path is None or not path.exists():
        return None
    try:
        with path.open(encoding="utf-8") as file:
            return parse_record(file.read(_MOST_BYTES), path.parent)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise TriageError(
            f"{path} is no record of triage classify: move it away, or classify the messages again"
        ) from None


def workloads_of(output: str) -> list[Workload]:
    """Return what other bounds would ask of people, as was counted when a file was triaged."""
    record = read_record(output)
    if record and record["workload"]:
        return [Workload(**one) for one in record["workload"]]
    if record:
        raise TriageError(
            f"{output} was triaged by the agreement table or without evidence of words, so that no "
            "bound can be told: classify with --policy guarded"
        )
    if not Path(output).exists():
        raise TriageError(f"cannot read {output}: No such file or directory")
    raise TriageError(
        f"there is no record of triage classify of this version beside {output}: classify the "
        "messages again"
    )


def with_run(setup: Setup, source: str) -> tuple[Setup, str]:
    """Add to settings what they leave open and the run of a triaged file tells, and a warning."""
    record, warning = read_record(source), ""
    if record is None:
        return replace(setup, language=setup.language or recorded(source)["language"]), ""
    setup = replace(setup, language=setup.language or record["language"])
    told, roles = record["lists"], {"names": Role.DICTIONARY, "words": Role.ANTI_DICTIONARY}
    if setup.names or setup.words:
        given = [
            (role, _fingerprint(path, role))
            for name, role in roles.items()
            for path in getattr(setup, name)
            if isinstance(path, Path)
        ]
        if {*given} != {(one["role"], one["fingerprint"]) for one in told}:
            theirs = ", ".join(one["path"].name for one in told)
            warning = f"{source} was triaged with other lists than are given here"
            warning += theirs and f" ({theirs})"
    else:
        way_out = "the lists with --names and --words, or classify the messages again"
        _check(told, f"{source} was triaged with the list", way_out)
        of = {name: [one["path"] for one in told if one["role"] is roles[name]] for name in roles}
        setup = replace(setup, names=tuple(of["names"]), words=tuple(of["words"]))
    if not (setup.recognisers or setup.find):
        told, way_out = record["recognisers"], "them with --recognisers"
        _check(told, f"{source} was triaged with the recognisers", way_out)
        files = tuple(str(one["path"]) for one in told)
        setup = replace(setup, recognisers=files, find=tuple(record["find"]))
    if not setup.model:
        _check(record["models"], f"{source} was triaged with the model", "it with --model")
        setup = replace(setup, model=next((str(one["path"]) for one in record["models"]), None))
    return setup, warning


def _check(files: Iterable[Record], used: str, way_out: str) -> None:
    """Raise TriageError for a file of the run that is missing or has changed."""
    for one in files:
        path, role = one["path"], one.get("role")
        problem = "" if path.is_file() else "is missing"
        if not problem and _fingerprint(path, role) != one["fingerprint"]:
            problem = "has changed"
        if problem:
            whose = "which" if role else "whose file"
            raise TriageError(f"{used} {path}, {whose} {problem}: name {way_out}")
