"""Where an output's bytes go until it is whole: beside its target, or to standard output."""

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Protocol, cast

from triage.data.access import give_access
from triage.data.errors import DataError, writing
from triage.data.targets import check_target, exists_already, real_path
from triage.data.unfinished import Hidden, hidden_file, hidden_link, remove_stale

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# What file systems say that have no second names for a file.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


class Stage(Protocol):
    """A place to write an output to."""

    @property
    def name(self) -> str:
        """Return the name by which errors call the output."""

    @property
    def file(self) -> IO[bytes]:
        """The stream to write to."""

    def close(self) -> None:
        """Bring all bytes to the disk; nothing shows yet."""

    def publish(self) -> None:
        """Show the finished output."""

    def withdraw(self) -> None:
        """Undo `publish` as far as that can be done."""

    def discard(self) -> None:
        """Forget the output, unless it is published."""


class StagedFile:
    """A hidden file beside its target, in whose place it comes when published.

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

    Raises
    ------
    DataError
        The path can't be written, or there is a file that may not be replaced.
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
        # A link stays a link: what it leads to is written.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.discard()

    def close(self) -> None:
        """Bring all bytes to the disk; the target is untouched."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def publish(self) -> None:
        """Put the finished file in the place of its target.

        Raises
        ------
        DataError
            A file has appeared there that may not be replaced.
        OSError
            The file system refuses.
        """
        if not self._private:
            give_access(self._hidden.path, self._like)
        is_new = not os.path.lexists(self._target)
        if self._overwrite:
            self._earlier = None if is_new else hidden_link(self._target)
            self._hidden.path.replace(self._target)
        else:
            self._show_as_new()
        self._is_new = is_new
        _bring_to_disk(self._target.parent)

    def _show_as_new(self) -> None:
        try:
            # Other than a renamed file, a link never takes the place of one.
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
        """Put back what was there before `publish`, where the file system could keep it."""
        with suppress(OSError):
            if self._earlier:
                self._earlier.path.replace(self._target)
            elif self._is_new:
                self._target.unlink()
            self._is_new = False

    def discard(self) -> None:
        """Remove the hidden file, unless it is published, and what was kept of an earlier one."""
        with suppress(OSError):
            self.file.close()
        self._hidden.remove()
        if self._earlier:
            self._earlier.remove()


def write_file(
    path: Path, content: bytes, *, private: bool = False, overwrite: bool = False
) -> None:
    """Write a small file, whole or not at all.

    Parameters
    ----------
    path : Path
    content : bytes
    private, overwrite : bool
        As for `StagedFile`.

    Raises
    ------
    DataError
        The path can't be written, or there is a file that may not be replaced.
    """
    with StagedFile(path, private=private, overwrite=overwrite) as stage, writing(stage.name):
        stage.file.write(content)
        stage.close()
        publish_all([stage])


def publish_all(stages: Sequence[Stage]) -> None:
    """Show finished outputs, one behind the other; if one cannot be shown, none stays.

    A process that is killed in between leaves the first ones there without the others: name
    first what means nothing without the rest, and last what a user looks for.

    Raises
    ------
    DataError
        One of them can't be shown.
    """
    try:
        for stage in stages:
            with writing(stage.name):
                stage.publish()
    except BaseException:
        for stage in reversed(stages):
            stage.withdraw()
        raise


def _bring_to_disk(folder: Path) -> None:
    """Have the names of a folder outlive a power cut, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class StandardOutput:
    """Standard output, which shows each write at once and can't take it back."""

    name = "standard output"

    def __init__(self) -> None:
        if sys.stdout is None:
            raise DataError(f"cannot write {self.name}: it is closed")
        sys.stdout.flush()
        buffer = sys.stdout.buffer
        self.file = cast(IO[bytes], _WholeWrites(getattr(buffer, "raw", buffer)))

    def close(self) -> None:
        """Do nothing: all bytes are out."""

    def publish(self) -> None:
        """Do nothing: all bytes are out."""

    def withdraw(self) -> None:
        """Do nothing: no byte can be taken back."""

    def discard(self) -> None:
        """Do nothing: no byte can be taken back."""


class _WholeWrites(io.RawIOBase):
    """Writes without a buffer: what a full disk refuses is not tried again at exit."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer") -> int:
        left = memoryview(data)
        while left:
            left = left[self._raw.write(left) :]
        return memoryview(data).nbytes
