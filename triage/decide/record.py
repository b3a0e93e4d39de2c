"""The record of a triaged file: the settings of its run, kept beside it as ``….run.json``.

It holds names of people of the file, but no message and no word of a list. Who anonymises the file,
or makes a queue of it, gets the same lists and recognisers from it, or is told that they have
changed.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from triage.data.output import beside, run_path
from triage.dictionaries import Role, user_list

from ..errors import TriageError
from ..safe import check_is_named
from ..settings import Reading, Setup, build, changed
from .policy import Workload

Record = dict[str, Any]
"""Dictionaries, model and policy of a run; lists with their paths and fingerprints."""

_FILES = ("lists", "recognisers", "models")
_FIELDS = {"program", "language", "lists", "recognisers", "find", "model", "dictionaries"}
_FIELDS |= {"weights", "features", "corpus_evidence", "strict", "policy", "promise"}


def fingerprint_of(words: Path | Iterable[str], role: Role | None = None) -> str:
    """Return the fingerprint of words, of the list of words in a file, or of any other file."""
    entries = user_list(words, role).words if isinstance(words, Path) and role else words
    content = entries.read_bytes() if isinstance(entries, Path) else "\n".join(entries).encode()
    return hashlib.sha256(content).hexdigest()


def recorded(path: str) -> dict[str, Any]:
    """Return how a file that this program wrote is read, and its language, as recorded beside it.

    A file of others, or one that was moved without its record, says nothing.
    """
    # That of triage classify, and that of triage anonymise.
    for record in ("run.json", "record.json"):
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            content = json.loads(beside(path, record).read_text(encoding="utf-8"))
            reading = changed(build(Reading, content.get("reading", {})))
            return {"reading": reading, "language": content.get("language")}
    return {"reading": {}, "language": None}


def record_text(record: Record, folder: Path) -> str:
    """Return a record as JSON, in which files are named as seen from a folder."""
    optional = ("models", "people", "settings_from", "reading")
    content = {name: one for name, one in deepcopy(record).items() if one or name not in optional}
    for kind in _FILES:
        for file in content.get(kind, ()):
            # There is no way from one drive of Windows to another.
            with suppress(ValueError):
                file["path"] = os.path.relpath(file["path"], folder)
            file["path"] = Path(file["path"]).as_posix()
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def parse_record(text: str, folder: Path) -> Record:
    """Parse what `record_text` returned; a ValueError, TypeError or KeyError says it is none."""
    record: Record = {**json.loads(text)}
    # Keys that a record of before lacks stand behind the others.
    record |= {name: [] for name in ("workload", "people", "models") if name not in record}
    if missing := _FIELDS - record.keys():
        raise KeyError(*missing)
    for file in (one for kind in _FILES for one in record[kind]):
        file["path"], file["fingerprint"] = folder / file["path"], str(file["fingerprint"])
    for file in record["lists"]:
        file["role"] = Role(file["role"])
    # Somebody may have edited it; one of before counts messages alone.
    record |= {name: [*map(str, record[name])] for name in ("find", "promise")}
    record["policy"] = dict(record["policy"])
    record["people"] = [[str(name), str(kind), str(of)] for name, kind, of in record["people"]]
    counts = [Workload(**{"texts": one["expert"]} | one) for one in record["workload"]]
    return record | {"workload": [*map(vars, counts)]}


def read_record(output: str) -> Record | None:
    """Read the record beside an output; None where there is none."""
    path = run_path(output)
    if path is None or not path.exists():
        return None
    try:
        return parse_record(path.read_text(encoding="utf-8"), path.parent)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise TriageError(
            f"{path} is no record of triage classify: move it away, or classify the messages again"
        ) from None


def workloads_of(output: str) -> list[Workload]:
    """Return the workloads of other bounds, as counted when a file was triaged."""
    check_is_named(output)
    if record := read_record(output):
        if record["workload"]:
            return [Workload(**one) for one in record["workload"]]
        raise TriageError(
            f"{output} has no messages, or was triaged by the agreement table, without evidence of "
            "words or with weights of another language, so that no bound can be told: classify "
            "some with --policy guarded"
        )
    if not Path(output).exists():
        raise TriageError(f"cannot read {output}: No such file or directory")
    raise TriageError(
        f"there is no record of triage classify of this version beside {output}: classify the "
        "messages again"
    )


def with_run(setup: Setup, source: str, warn: Callable[[str], object]) -> Setup:
    """Complete settings by the record of a triaged file."""
    record = read_record(source)
    language = (record or recorded(source))["language"]
    setup = replace(setup, language=setup.language or language)
    if record is None:
        return setup
    lists, roles = record["lists"], {"names": Role.DICTIONARY, "words": Role.ANTI_DICTIONARY}
    if setup.names or setup.words:
        given = [
            (role, fingerprint_of(path, role))
            for name, role in roles.items()
            for path in getattr(setup, name)
            if isinstance(path, Path)
        ]
        if {*given} != {(one["role"], one["fingerprint"]) for one in lists}:
            their_names = ", ".join(one["path"].name for one in lists)
            line = f"{source} was triaged with other lists than are given here"
            warn(f"{line} ({their_names})" if their_names else line)
    else:
        way_out = "the lists with --names and --words, or classify the messages again"
        _check(lists, f"{source} was triaged with the list", way_out)
        names, words = ([f["path"] for f in lists if f["role"] is role] for role in roles.values())
        setup = replace(setup, names=tuple(names), words=tuple(words))
    if not (setup.recognisers or setup.find):
        files, way_out = record["recognisers"], "them with --recognisers"
        _check(files, f"{source} was triaged with the recognisers", way_out)
        recognisers = tuple(str(one["path"]) for one in files)
        setup = replace(setup, recognisers=recognisers, find=tuple(record["find"]))
    if not setup.model:
        _check(record["models"], f"{source} was triaged with the model", "it with --model")
        setup = replace(setup, model=next((str(one["path"]) for one in record["models"]), None))
    return setup


def _check(files: Iterable[Record], used: str, way_out: str) -> None:
    """Raise TriageError for a file of the run that is missing or has changed."""
    for file in files:
        path, role = file["path"], file.get("role")
        problem = "" if path.is_file() else "is missing"
        if not problem and fingerprint_of(path, role) != file["fingerprint"]:
            problem = "has changed"
        if problem:
            possessor = "which" if role else "whose file"
            raise TriageError(f"{used} {path}, {possessor} {problem}: name {way_out}")
