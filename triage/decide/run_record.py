"""The record of a run of ``triage classify``: the lists, model and policy that decided a file.

It stands beside the output, and holds neither messages nor words of a list. Who anonymises the
file, or makes a queue of it, gets the same lists from it, or is told that they are others.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from triage.data import run_path
from triage.dictionaries import Role, WordList, user_list
from triage.dictionaries.lexicon import YOURS

from .. import __version__
from ..errors import TriageError
from ..model.store import fingerprint as fingerprint_of_model
from ..safe import Staged, staged
from .pipeline import Triage
from .promise import Promise, promise_lines

_MOST_BYTES = 2**20


@dataclass(frozen=True)
class UsedList:
    """A user's own list: its path, its role, and a fingerprint of its entries."""

    path: Path
    role: Role
    fingerprint: str

    @classmethod
    def of(cls, words: WordList) -> "UsedList":
        """Describe a list that was read."""
        digest = hashlib.sha256("\n".join(words.words).encode())
        return cls(Path(words.source), words.role, digest.hexdigest())

    def problem(self) -> str:
        """Return why the list cannot be used as it was; empty where it can."""
        if not self.path.exists():
            return "is missing"
        same = UsedList.of(user_list(self.path, self.role)).fingerprint == self.fingerprint
        return "" if same else "has changed"


@dataclass(frozen=True)
class UsedFile:
    """A file of the user's own recognisers: its path, and a fingerprint of its content."""

    path: Path
    fingerprint: str

    @classmethod
    def of(cls, path: Path) -> "UsedFile":
        """Describe a file that was read."""
        return cls(path, hashlib.sha256(path.read_bytes()).hexdigest())

    def problem(self) -> str:
        """Return why the file cannot be used as it was; empty where it can."""
        if not self.path.is_file():
            return "is missing"
        return "" if UsedFile.of(self.path) == self else "has changed"


@dataclass(frozen=True)
class RunRecord:
    """The settings of a run."""

    program: str
    language: str
    lists: tuple[UsedList, ...]
    recognisers: tuple[UsedFile, ...]
    find: tuple[str, ...]
    model: str
    dictionaries: str
    weights: str
    features: str
    corpus_evidence: bool
    strict: bool
    policy: Mapping[str, object] = field(default_factory=dict)
    promise: tuple[str, ...] = ()
    capitals: float | None = None

    @classmethod
    def of(
        cls, triage: Triage, promised: Promise | None = None, *, corpus_evidence: bool
    ) -> "RunRecord":
        """Record what a pipeline decides with, and what it promised."""
        lists = (words for words in triage.lexicon.lists if words.title == YOURS)
        recognisers = triage.labeller.recognisers
        return cls(
            __version__,
            triage.lexicon.language,
            tuple(map(UsedList.of, lists)),
            tuple(UsedFile.of(Path(path)) for path in recognisers.files),
            recognisers.asked,
            fingerprint_of_model(triage.model),
            triage.lexicon.fingerprint,
            triage.weights,
            triage.model.manifest.features,
            corpus_evidence,
            triage.strict,
            asdict(triage.policy),
            tuple(promise_lines(promised)) if promised else (),
            promised.names_with_capitals if promised else None,
        )

    def paths(self, role: Role) -> list[Path]:
        """Return the paths of the lists of a role."""
        return [one.path for one in self.lists if one.role is role]

    def used(self, lists: Iterable[UsedList]) -> bool:
        """Return whether these are the lists of the run, wherever they lie."""
        return {(one.role, one.fingerprint) for one in lists} == {
            (one.role, one.fingerprint) for one in self.lists
        }

    @property
    def named(self) -> str:
        """The names of the lists for a message, in brackets; empty without any."""
        return f" ({', '.join(one.path.name for one in self.lists)})" if self.lists else ""

    def text(self, folder: Path) -> str:
        """Return the record as JSON, in which lists are named as seen from a folder."""
        content = asdict(self)
        for one in [*content["lists"], *content["recognisers"]]:
            # There is no way from one drive of Windows to another.
            with suppress(ValueError):
                one["path"] = os.path.relpath(one["path"], folder)
            one["path"] = Path(one["path"]).as_posix()
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def parse(cls, text: str, folder: Path) -> "RunRecord":
        """Parse what `text` returned; a ValueError, TypeError or KeyError says that it is none."""
        content: dict[str, Any] = json.loads(text)
        lists = (
            UsedList(folder / str(one["path"]), Role(one["role"]), str(one["fingerprint"]))
            for one in content["lists"]
        )
        recognisers = (
            UsedFile(folder / str(one["path"]), str(one["fingerprint"]))
            for one in content["recognisers"]
        )
        return cls(
            **content
            | {
                "lists": tuple(lists),
                "recognisers": tuple(recognisers),
                "find": tuple(map(str, content["find"])),
                "promise": tuple(map(str, content["promise"])),
            }
        )


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


def language_of_run(source: str) -> str | None:
    """Return the language of the run that triaged a file; None without a record."""
    record = read_record(source)
    return record.language if record else None


def lists_of_run(
    source: str, names: Sequence[Path] = (), words: Sequence[Path] = ()
) -> tuple[list[Path], list[Path], str]:
    """Return the lists for a file that was triaged: those given, else those of its run."""
    record = read_record(source)
    if record is None:
        return [*names], [*words], ""
    if names or words:
        given = [user_list(path, Role.DICTIONARY) for path in names]
        given += [user_list(path, Role.ANTI_DICTIONARY) for path in words]
        is_same = record.used(map(UsedList.of, given))
        other = f"{source} was triaged with other lists than are given here{record.named}"
        return [*names], [*words], "" if is_same else other
    for one in record.lists:
        if problem := one.problem():
            raise TriageError(
                f"{source} was triaged with the list {one.path}, which {problem}: name the lists "
                "with --names and --words, or add --no-lists"
            )
    return record.paths(Role.DICTIONARY), record.paths(Role.ANTI_DICTIONARY), ""


def recognisers_of_run(source: str) -> tuple[list[Path], list[str]]:
    """Return the recognisers of the run that triaged a file: files, and names asked for."""
    record = read_record(source)
    if record is None:
        return [], []
    for one in record.recognisers:
        if problem := one.problem():
            raise TriageError(
                f"{source} was triaged with the recognisers {one.path}, whose file {problem}: name "
                "them with --recognisers"
            )
    return [one.path for one in record.recognisers], [*record.find]
