"""A project: a folder with a corpus and a log of what was done, which names no place outside."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, Self, TypeVar, TypeVarTuple

from triage.data import as_text
from triage.data.errors import one_line
from triage.dictionaries.pack import shipped_languages

from .. import __version__
from ..decide.source import Source
from ..errors import TriageError, UserError
from ..publish import CORPUS
from ..safe import FolderKind, Staged, write_file
from ..settings import Policy, Reading

SETTINGS = "project.json"
FORMAT = 1
_ORIGINALS = "original"
LONGEST_NAME = 60
LANGUAGES = ("", *shipped_languages())
KIND = FolderKind(SETTINGS, ())

_Figure = TypeVar("_Figure")
_Paths = TypeVarTuple("_Paths")


def _version(path: Path) -> list[tuple[int, ...]]:
    """Return inode, size and time of a file, which change with it; nothing without the file."""
    # The latest writes of a queue are in its log.
    log = [path.with_name(f"{path.name}-wal")] if path.suffix == ".queue" else []
    version = list[tuple[int, ...]]()
    for one in (path, *log):
        with suppress(FileNotFoundError):
            status = one.stat()
            version.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return version


def cached_until_changed(read: Callable[[*_Paths], _Figure]) -> Callable[[*_Paths], _Figure]:
    """Cache what a function reads of files, or without them, until one of them changes."""
    # Only the last version is kept: a large table must not stay in each.
    results: dict[tuple[object, ...], tuple[object, _Figure]] = {}

    @wraps(read)
    def cached(*paths: *_Paths) -> _Figure:
        version = [_version(one) for one in paths if isinstance(one, Path)]
        result = results.get(paths)
        if result is None or result[0] != version:
            if len(results) >= 100:  # files of which one thing is kept
                results.clear()
            result = results[paths] = version, read(*paths)
        return result[1]

    return cached


class CachedFigure:
    """A result that takes long, cached as JSON in a hidden file until the files change."""

    def __init__(self, folder: Path, name: str, what: Iterable[Hashable]) -> None:
        self._path = folder / f".{name}.figure"
        # Another path may lead to the folder, and a queue changes while it is read.
        self._of = [__version__]
        for one in what:
            if isinstance(one, Path):
                version = () if one.suffix == ".queue" else chain(*_version(one))
            self._of.append(repr((one.name, *version) if isinstance(one, Path) else one))

    def read(self) -> Any:  # noqa: ANN401
        """Return the result of the files, or the last one where none is named; None without one."""
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            return content["is"] if self._of in ([__version__], content["of"]) else None
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def write(self, figure: object) -> None:
        content = json.dumps({"of": self._of, "is": figure}, ensure_ascii=False).encode()
        write_file(self._path, content, private=True, overwrite=True)


def decided(file: Path, column: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a file with a cell of a column, by default the action; else empty."""
    with Source(str(file)).open() as source:
        last = "final_action" if "final_action" in source.columns else "action"
        at = [*source.columns, column].index(column or last)
        for chunk in source.chunks():
            for text, row in zip(chunk.texts, chunk.rows, strict=True):
                yield text, as_text([*row, ""][at])


def decided_in(file: Path, rows: Sequence[int], column: str = "") -> list[tuple[str, str]]:
    """Return the messages of some rows, from 1, with a column as of `decided`, in their order."""
    wanted = {*rows}
    messages = {row: one for row, one in enumerate(decided(file, column), 1) if row in wanted}
    return [messages[row] for row in rows if row in messages]


def plain_name(name_given: str) -> str:
    r"""Return a name that every file system takes; its end, which tells the format, is kept."""
    name = one_line(Path(name_given).name)[-LONGEST_NAME:]
    return "corpus" if name in ("", "..") else name


@dataclass(frozen=True)
class Settings:
    name: str
    original: str
    reading: Reading = field(default_factory=Reading)
    max_residue: float = Policy.usual_residue
    min_precision: float = 0.95
    double: float = 0.0
    formats: tuple[str, ...] = ()
    language: str = ""

    def text(self) -> str:
        return json.dumps({"format": FORMAT} | asdict(self), ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def parse(cls, text: str) -> "Settings":
        """Parse what `text` returned; a ValueError, TypeError or KeyError says that it is none."""
        content: dict[str, Any] = json.loads(text)
        if content.pop("format") != FORMAT:
            raise ValueError("another format")
        if Path(content["original"]).name != content["original"]:
            raise ValueError("a path out of the folder")
        # A folder of somebody's own pack is a path of this machine.
        if content.get("language", "") not in LANGUAGES:
            raise ValueError("no language")
        formats = tuple(content.pop("formats", ()))
        return cls(**content | {"reading": Reading(**content["reading"]), "formats": formats})


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.triaged = folder / "triaged.csv"
        # What it was before messages were added.
        self.before = folder / "triaged.before.csv"
        self.queue = folder / "work.queue"
        self.final = folder / "final.csv"
        self.plan = folder / "plan.toml"
        # The names as they are replaced, as the program made them, and as it makes them anew.
        self.names, self.names_made = folder / "people.csv", folder / "people.made.csv"
        self.names_new = folder / "people.new.csv"
        self.key = folder / "corpus.key"
        self.key_table = folder / "keys.csv"
        self.anonymised = folder / "anonymised.csv"
        self.check = folder / "check.json"
        self.published = folder / "publish"
        # The folder may stay where somebody has moved away what was in it.
        self.corpus = self.published / CORPUS
        self._log = folder / "log.jsonl"

    @classmethod
    def create(cls, folder: Path, file: Path, name: str, reading: Reading | None = None) -> Self:
        """Create the folder of a project, with a copy of a file that cannot be written."""
        project, settings = cls(folder), Settings(name, plain_name(file.name), reading or Reading())
        try:
            with Staged(folder, private=True, kind=KIND) as staged:
                (staged.place / _ORIGINALS).mkdir()
                shutil.copyfile(file, staged.place / _ORIGINALS / settings.original)
                (staged.place / SETTINGS).write_bytes(settings.text().encode())
                staged.commit()
            project.protect()
        except OSError as error:
            line, why = f"cannot copy {file} to {folder}: {error.strerror}", error.strerror
            raise TriageError(line, "cannot_write", file=folder, reason=why) from None
        return project

    @classmethod
    def is_one(cls, folder: Path) -> bool:
        return (folder / SETTINGS).is_file()

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def original(self) -> Path:
        return self.folder / _ORIGINALS / self.settings.original

    def protect(self) -> None:
        self.original.chmod(0o400)

    @property
    def settings(self) -> Settings:
        path = self.folder / SETTINGS
        try:
            return Settings.parse(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            line = f"{path} is no settings of a project: move the folder away, or restore the file"
            raise TriageError(line, "unreadable", file=path) from None

    @property
    def title(self) -> str:
        """The name that a person gave, or that of the folder where the settings are damaged."""
        with suppress(TriageError):
            return self.settings.name
        return self.name

    def write(self, settings: Settings) -> None:
        write_file(self.folder / SETTINGS, settings.text().encode(), private=True, overwrite=True)

    def change(self, **choices: Any) -> None:  # noqa: ANN401
        self.write(replace(self.settings, **choices))

    def cached(self, name: str, *what: Hashable) -> CachedFigure:
        return CachedFigure(self.folder, name, what)

    def figure(self, name: str, compute: Callable[..., _Figure], *what: Hashable) -> _Figure:
        """Return a result from the cache, or compute and cache it."""
        stored = self.cached(name, *what)
        figure: _Figure | None = stored.read()
        if figure is None:
            figure = compute(*what)
            with suppress(OSError, UserError):
                stored.write(figure)
        return figure

    def note(self, what: str, **facts: object) -> None:
        """Add to the log what was done; facts hold no text of a message."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({"at": at, "what": what} | facts, ensure_ascii=False) + "\n"
        handle = os.open(self._log, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a+b") as log:
            # A line that a crash cut off must not swallow this one.
            if log.tell():
                log.seek(-1, os.SEEK_END)
                line = line if log.read(1) == b"\n" else "\n" + line
            log.write(line.encode())

    def history(self) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of the log in order; a line that a crash cut off is left out."""
        if not self._log.exists():
            return
        try:
            lines = self._log.read_text(encoding="utf-8").splitlines()
        except UnicodeError:
            line = f"{self._log} is no log of a project: move it away, and the steps are done again"
            raise TriageError(line, "log_unreadable", file=self._log.name) from None
        for line in lines:
            with suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry


# What reading the parts of a project may raise when one of them is damaged.
DAMAGE = (UserError, OSError, ValueError, LookupError, TypeError, sqlite3.Error)


def damage(project: Project, error: Exception) -> UserError:
    """Return in one line what is damaged in a project."""
    if isinstance(error, UserError):
        return error
    line = f"a file of {project.name} is damaged ({type(error).__name__}): delete or restore it"
    return TriageError(line, "project_damaged")


def projects_in(home: Path) -> list[Project]:
    folders = (one for one in sorted(home.iterdir()) if not one.name.startswith("."))
    return [Project(one) for one in folders if Project.is_one(one)]
