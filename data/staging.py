"""Staging of an output until it is whole: in a hidden file beside its target.

Standard output is written at once.
"""

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from triage.data.errors import DataError, writing
from triage.data.hidden import Hidden, hidden_file, hidden_link, remove_stale
from triage.data.paths import check_target, exists_already, real_path

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Errors of file systems without hard links.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
_PERMISSIONS = 0o666
_OWNER = 0o600


class StagedFile:
    """A hidden file that replaces its target when it is published.

    Only its owner may read it until then, because it holds messages. As a context manager it
    removes all traces of what was not published.

    Parameters
    ----------
    path : Path
        Of the target.
    like : os.stat_result, optional
        Of the file that the output is to be as readable as; by default as new files are.
    private : bool, default False
        Whether only its owner may ever read it.
    overwrite : bool, default False
        Whether it may replace a file, also one that appears while it is written.
    """

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
        self._earlier: Hidden | None = None
        self._is_new = False
        check_target(path, overwrite=overwrite)
        with writing(self.name):
            remove_stale(self._target.parent)
            self._hidden = hidden_file(self._target.parent)
        self.file: IO[bytes] = os.fdopen(self._hidden.take_handle(), "wb")

    def __enter__(self) -> "StagedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def close(self) -> None:
        """Bring all bytes to the disk; the target is untouched."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def publish(self) -> None:
        """Put the finished file in the place of its target, unless another may not be replaced."""
        if not self._private:
            give_access(self._hidden.path, self._like)
        is_new = not os.path.lexists(self._target)
        if self._overwrite:
            self._earlier = None if is_new else hidden_link(self._target)
            self._hidden.path.replace(self._target)
        else:
            self._publish_as_new()
        self._is_new = is_new
        _sync_folder(self._target.parent)

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
    with StagedFile(path, private=private, overwrite=overwrite) as stage, writing(stage.name):
        stage.file.write(content)
        stage.close()
        publish_all([stage])


def publish_all(stages: Sequence[Stage]) -> None:
    """Publish finished outputs one after the other; if one cannot be published, none stays.

    A process that is killed in between leaves the first ones there without the others: name
    first what means nothing without the rest, and last what a user looks for.
    """
    try:
        for stage in stages:
            with writing(stage.name):
                stage.publish()
    except BaseException:
        for stage in reversed(stages):
            stage.withdraw()
        raise


def give_access(path: Path, like: os.stat_result | None) -> None:
    """Give a new file the permissions and the group of another one, within the umask.

    Where it cannot have the group, the group and all others get the permissions that both have
    on the other file. Without another file, it is as readable as new files are.
    """
    mode = _PERMISSIONS if like is None else like.st_mode & _PERMISSIONS
    if like is not None and not _has_group(path, like.st_gid):
        both = mode & (mode >> 3) & 0o006
        mode = mode & _OWNER | both << 3 | both
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


def _sync_folder(folder: Path) -> None:
    """Make the names of a folder survive a power cut, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
