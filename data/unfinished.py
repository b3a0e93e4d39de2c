"""Hidden names for what is not finished yet.

Each is locked while its process lives, so that a later run can tell what a run that was killed
has left behind, and remove it.
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
    """A hidden name of a file in its folder, which no other run removes while this one lives.

    Attributes
    ----------
    path : Path
    """

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
        """Remove the name, if it is still there, and give the lock back."""
        self.path.unlink(missing_ok=True)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def hidden_file(folder: Path) -> Hidden:
    """Make an empty file that only its owner may read, under a hidden name.

    Raises
    ------
    OSError
        The folder takes no file.
    """
    while True:
        path = _new_name(folder)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        _lock(handle)
        # Another run may have found the file before it was locked, and removed it.
        if fcntl is None or os.fstat(handle).st_nlink:
            return Hidden(path, handle)
        os.close(handle)


def hidden_link(path: Path) -> Hidden | None:
    """Give a file a second, hidden name; None where that cannot be done."""
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
    """Remove what killed runs of the same user left unfinished in a folder.

    What a live process still writes is locked, and stays.
    """
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
    # A file system without locks lets nobody else lock the file either, so that it stays.
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
