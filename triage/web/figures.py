"""Figures that a page shows and that take long: a step keeps those that follow from what it wrote.

They lie beside the project, in hidden files for its owner alone, which no archive of it holds. A
page works a figure out itself where it was not kept, or was kept of other files than those of now:
a file that has changed is another version of it.
"""

import json
from collections.abc import Callable, Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from .. import __version__
from ..safe import checksum, write_file

T = TypeVar("T")


class Version(NamedTuple):
    """A file as it is now: a file that is replaced or written is another version."""

    path: Path
    inode: int
    size: int
    written: int


def version_of(path: Path) -> Version:
    found = path.stat()
    return Version(path, found.st_ino, found.st_size, found.st_mtime_ns)


def content_of(path: Path) -> str:
    return _checksum(version_of(path))


@lru_cache(maxsize=256)
def _checksum(version: Version) -> str:
    return checksum(version.path)


def _same(value: T) -> T:
    return value


class Figure(Generic[T]):
    def __init__(
        self,
        name: str,
        work_out: Callable[..., T],
        parse: Callable[[Any], T],
        plain: Callable[[T], object] = _same,
    ) -> None:
        self._name, self._work_out, self._parse, self._plain = name, work_out, parse, plain
        self._known = lru_cache(maxsize=8)(self._looked_up)

    def of(self, folder: Path, *what: Hashable) -> T:
        """Return the figure of some files: as it is known, as it was kept, or worked out."""
        return self._known(folder, what)

    def keep(self, folder: Path, *what: Hashable) -> None:
        self.put(folder, self.of(folder, *what), *what)

    def put(self, folder: Path, value: T, *what: Hashable) -> None:
        content = {"of": _key(what), "is": self._plain(value)}
        file = json.dumps(content, ensure_ascii=False).encode()
        write_file(self._path(folder), file, private=True, overwrite=True)

    def kept(self, folder: Path, *what: Hashable) -> T | None:
        """Return the figure as it was kept; None where it was not, or of something else."""
        try:
            content = json.loads(self._path(folder).read_text(encoding="utf-8"))
            return self._parse(content["is"]) if content["of"] == _key(what) else None
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def _looked_up(self, folder: Path, what: tuple[Hashable, ...]) -> T:
        kept = self.kept(folder, *what)
        return self._work_out(*what) if kept is None else kept

    def _path(self, folder: Path) -> Path:
        return folder / f".{self._name}.figure"


def _key(what: tuple[Hashable, ...]) -> list[str]:
    """Return in words what a figure is of; the folder may be reached by another path."""
    return [__version__, *map(_said, what)]


def _said(one: Hashable) -> str:
    if isinstance(one, Version):
        return repr((one.path.name, *one[1:]))
    return one.name if isinstance(one, Path) else repr(one)
