"""Staging of an output until it is whole, in a hidden file beside its target.

Each hidden file is locked while its process lives, so that a later run recognises what a killed
run has left behind, and removes it. Standard output is written at once.
"""

import errno
import hashlib
import io
import os
import re
import secrets
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from triage.data.errors import DataError, reading, writing
from triage.data.paths import check_target, exists_already, real_path

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

try:
    import fcntl
except ImportError:  # Windows, where nothing stale is removed
    fcntl = None  # type: ignore[assignment]

# Errors of file systems without hard links.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
_PERMISSIONS = 0o666
_OWNER_ONLY = 0o600
_NAME = re.compile(r"\.unfinished-[0-9a-f]{16,32}")


class StagedFile:
    """A hidden file that replaces its target when it is published."""

    def __init__(
        self,
        path: Path,
        *,
        like: os.stat_result | None = None,
        private: bool = False,
        overwrite: bool = False,
    ) -> None:
        self.name = str(path)
        self._like, self._private, self._overwrite = like, private, overwrite
        # A link stays a link: the file that it leads to is written.
        self._target = real_path(path)
        self._earlier: _Hidden | None = None
        self._is_new = False
        check_target(path, overwrite=overwrite)
        with writing(self.name):
            remove_stale(self._target.parent)
            self._hidden = _hidden_file(self._target.parent)
        self.file: IO[bytes] = os.fdopen(self._hidden.take_handle(), "wb")

    def __enter__(self) -> "StagedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    @property
    def hidden(self) -> Path:
        """The hidden file, which is there until it is published or discarded."""
        return self._hidden.path

    def close(self) -> None:
        """Bring all bytes to the disk; the target is untouched."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def checksum(self) -> str:
        """Return the SHA-256 of the finished file, in hexadecimal digits."""
        return checksum(self._hidden.path)

    def publish(self) -> None:
        """Put the finished file in the place of its target, unless another may not be replaced."""
        if not self._private:
            give_access(self._hidden.path, self._like)
        is_new = not os.path.lexists(self._target)
        if self._overwrite:
            self._earlier = None if is_new else _hidden_link(self._target)
            self._hidden.path.replace(self._target)
        else:
            self._publish_as_new()
        self._is_new = is_new
        sync_folder(self._target.parent)

    def _publish_as_new(self) -> None:
        try:
            # Unlike a renamed file, a link never replaces another file.
            self._target.hardlink_to(self._hidden.path)
        except FileExistsError as error:
            raise exists_already(self.name) from error
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(self._target):
                raise exists_already(self.name) from error
            self._hidden.path.rename(self._target)

    def withdraw(self) -> None:
        """Undo `publish`, as far as the file system could keep what was there before."""
        with suppress(OSError):
            if self._earlier:
                self._earlier.path.replace(self._target)
            elif self._is_new:
                self._target.unlink()
            self._is_new = False

    def discard(self) -> None:
        """Remove the hidden file, unless it is published, and the link to an earlier one."""
        with suppress(OSError):
            self.file.close()
        self._hidden.remove()
        if self._earlier:
            self._earlier.remove()


class StandardOutput:
    """Standard output as a stage: each write shows at once and cannot be withdrawn."""

    name = "standard output"

    def __init__(self) -> None:
        if sys.stdout is None:
            raise DataError(f"cannot write {self.name}: it is closed")
        sys.stdout.flush()
        buffer = sys.stdout.buffer
        self.file = cast(IO[bytes], _WholeWrites(getattr(buffer, "raw", buffer)))

    def close(self) -> None:
        """Do nothing."""

    publish = withdraw = discard = close

    def checksum(self) -> str:
        """Return nothing: what was written is gone."""
        return ""


Stage: TypeAlias = StagedFile | StandardOutput


class _WholeWrites(io.RawIOBase):
    """Writes without a buffer: bytes that a full disk refuses are not tried again at exit."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer") -> int:
        left = memoryview(data)
        while left:
            left = left[self._raw.write(left) :]
        return memoryview(data).nbytes


def write_file(
    path: Path, content: bytes, *, private: bool = False, overwrite: bool = False
) -> None:
    """Write a small file as `StagedFile` does, whole or not at all."""
    with StagedFile(path, private=private, overwrite=overwrite) as stage:
        fill(stage, content)
        publish_all([stage])


def fill(stage: StagedFile, content: bytes) -> None:
    """Write the whole content of a small file, which is then ready to be published."""
    with writing(stage.name):
        stage.file.write(content)
        stage.close()


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with reading(str(path)), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def publish_all(stages: Sequence[Stage]) -> None:
    """Publish finished outputs one after the other; if one cannot be published, none stays."""
    try:
        for stage in stages:
            with writing(stage.name):
                stage.publish()
    except BaseException:
        for stage in reversed(stages):
            stage.withdraw()
        raise


def give_access(path: Path, like: os.stat_result | None) -> None:
    """Give a new file the permissions and the group of another one, within the umask."""
    mode = _PERMISSIONS if like is None else like.st_mode & _PERMISSIONS
    if like is not None and not _has_group(path, like.st_gid):
        both = mode & (mode >> 3) & 0o006
        mode = mode & _OWNER_ONLY | both << 3 | both
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    path.chmod(mode & ~mask)


def _has_group(path: Path, group: int) -> bool:
    """Return whether a file has a group, after an attempt to give it that group."""
    if path.stat().st_gid == group:
        return True
    try:
        os.chown(path, -1, group)
    except OSError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make the names of a folder survive a power cut, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _Hidden:
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


def _hidden_file(folder: Path) -> _Hidden:
    """Make an empty file that only its owner may read, under a hidden name."""
    while True:
        path = new_name(folder)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        lock(handle)
        # Another run may have found the file before it was locked, and removed it.
        if fcntl is None or os.fstat(handle).st_nlink:
            return _Hidden(path, handle)
        os.close(handle)


def _hidden_link(path: Path) -> _Hidden | None:
    """Give a file a second, hidden name; None where that is impossible."""
    link = new_name(path.parent)
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        lock(handle, shared=True)
        os.link(path, link)
    except OSError:
        os.close(handle)
        return None
    return _Hidden(link, handle)


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


def new_name(folder: Path) -> Path:
    """Return a hidden name in a folder, by which `remove_stale` knows what nobody finished."""
    return folder / f".unfinished-{secrets.token_hex(8)}"


def lock(handle: int, *, shared: bool = False) -> None:
    """Lock what is unfinished while this process lives, so that no other run removes it."""
    # On a file system without locks nobody else can lock the file either, so that it stays.
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
