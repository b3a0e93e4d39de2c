"""Hidden files for unfinished outputs.

Each is locked while its process lives, so that a later run recognises what a killed run has left
behind, and removes it.
"""

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nothing stale is removed
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.unfinished-[0-9a-f]{16,32}")
_OWNER_ONLY = 0o600


class Hidden:
    """A hidden name of a file in its folder, which no other run removes while this one lives."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle: int | None = handle

    def take_handle(self) -> int:
        """Return a descriptor of the file, for the caller to close; the lock stays."""
        if self._handle is None:
            raise ValueError(f"{self.path} is removed")
        if fcntl is not None:
            return os.dup(self._handle)
        handle, self._handle = self._handle, None
        return handle

    def remove(self) -> None:
        """Remove the name, if it still exists, and release the lock."""
        self.path.unlink(missing_ok=True)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def hidden_file(folder: Path) -> Hidden:
    """Make an empty file that only its owner may read, under a hidden name."""
    while True:
        path = _new_name(folder)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        _lock(handle)
        # Another run may have found the file before it was locked, and removed it.
        if fcntl is None or os.fstat(handle).st_nlink:
            return Hidden(path, handle)
        os.close(handle)


def hidden_link(path: Path) -> Hidden | None:
    """Give a file a second, hidden name; None where that is impossible."""
    link = _new_name(path.parent)
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        _lock(handle, shared=True)
        os.link(path, link)
    except OSError:
        os.close(handle)
        return None
    return Hidden(link, handle)


def remove_stale(folder: Path) -> None:
    """Remove unfinished files of the same user in a folder, unless a live process holds them."""
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if _NAME.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_if_stale(folder / name)


def _remove_if_stale(path: Path) -> None:
    if fcntl is None:
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            return
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(handle)


def _new_name(folder: Path) -> Path:
    return folder / f".unfinished-{secrets.token_hex(8)}"


def _lock(handle: int, *, shared: bool = False) -> None:
    # On a file system without locks nobody else can lock the file either, so that it stays.
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
