"""Figures that a page shows and that take long: once worked out, they are kept with the project.

They lie in hidden files for its owner alone, which no archive of it holds. A figure of other files
than those of now is worked out anew: a file that has changed is another version of it.
"""

import json
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from ..errors import UserError
from ..safe import checksum, write_file


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


# Figures by folder and name, each with what it is of.
_known: dict[tuple[Path, str], tuple[list[str], Any]] = {}


def figure(name: str, work_out: Callable[..., Any], folder: Path, *what: Hashable) -> Any:  # noqa: ANN401
    """Return what can be written as JSON, of some files: as it was kept, or worked out and kept."""
    found = kept_figure(name, folder, *what)
    if found is None:
        found = work_out(*what)
        with suppress(OSError, UserError):
            keep_figure(name, found, folder, *what)
    return found


def kept_figure(name: str, folder: Path, *what: Hashable) -> Any:  # noqa: ANN401
    """Return a figure as it was kept; None where it was not, or of something else."""
    of = _words(what)
    if (folder, name) not in _known or _known[folder, name][0] != of:
        try:
            content = json.loads(_path(folder, name).read_text(encoding="utf-8"))
            _known[folder, name] = content["of"], content["is"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
    known, found = _known[folder, name]
    return found if known == of else None


def keep_figure(name: str, found: object, folder: Path, *what: Hashable) -> None:
    of = _words(what)
    _known[folder, name] = of, found
    content = json.dumps({"of": of, "is": found}, ensure_ascii=False).encode()
    write_file(_path(folder, name), content, private=True, overwrite=True)


def _path(folder: Path, name: str) -> Path:
    return folder / f".{name}.figure"


def _words(what: tuple[Hashable, ...]) -> list[str]:
    """Return in words what a figure is of; the folder may be reached by another path."""
    return [__version__, *map(_word, what)]


def _word(one: Hashable) -> str:
    if isinstance(one, Version):
        return repr((one.path.name, *one[1:]))
    return one.name if isinstance(one, Path) else repr(one)
