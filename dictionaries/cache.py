"""A cache of files that only the user can have written, since its content is trusted.

It is neither read nor written through a link, nor where somebody else may write to its folder.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from triage.errors import DataError
from triage.safe import write_file

_DIGEST = hashlib.sha256().digest_size


def cached(kind: str, made_by: object, make: Callable[[], bytes]) -> bytes:
    """Return content that follows from what it is made by: kept, or else made and kept."""
    name = hashlib.sha256(repr(made_by).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    path = user_cache_path("sms-triage", appauthor=False) / f"{name}.{kind}"
    if _is_own(path.parent, stat.S_ISDIR) and _is_own(path, stat.S_ISREG):
        with suppress(OSError):
            whole = path.read_bytes()
            digest, content = whole[:_DIGEST], whole[_DIGEST:]
            if hashlib.sha256(content).digest() == digest:
                return content
    content = make()
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _is_own(path.parent, stat.S_ISDIR):
        keep(content, path)
    return content


def _is_own(path: Path, is_expected: Callable[[int], bool]) -> bool:
    with suppress(OSError):
        status = path.lstat()
        # Where there are no users to tell apart, the system guards the folder of each.
        is_mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        is_guarded = os.name != "posix" or not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        return is_expected(status.st_mode) and is_mine and is_guarded
    return False


def keep(content: bytes, path: Path) -> None:
    """Keep content with its checksum, whole or not at all, and forget what was kept long ago."""
    with suppress(OSError, DataError):
        if path.is_symlink():
            path.unlink()
        write_file(path, hashlib.sha256(content).digest() + content, private=True, overwrite=True)
    limit = time.time() - 180 * 24 * 3600  # half a year
    for old in path.parent.glob(f"*{path.suffix}"):
        with suppress(OSError):
            if old.lstat().st_mtime < limit:
                old.unlink()
