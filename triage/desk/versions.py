"""Versions of files: a page reads a large file again only once it has changed."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..safe import checksum


class Version(NamedTuple):
    """A file as it is now: a file that is replaced or written is another version."""

    path: Path
    inode: int
    size: int
    written: int


def version_of(path: Path) -> Version:
    """Return the version of a file that is there."""
    found = path.stat()
    return Version(path, found.st_ino, found.st_size, found.st_mtime_ns)


def content_of(path: Path) -> str:
    """Return the checksum of a file."""
    return _checksum(version_of(path))


@lru_cache(maxsize=256)
def _checksum(version: Version) -> str:
    return checksum(version.path)
