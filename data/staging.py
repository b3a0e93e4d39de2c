"""Where an output's bytes go until it is whole: beside its target, or to standard output."""

import io
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast

from triage.data.errors import DataError, writing

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Stage(Protocol):
    """A place to write an output to."""

    @property
    def name(self) -> str:
        """How errors call the output."""

    @property
    def file(self) -> IO[bytes]:
        """The stream to write to."""

    def close(self) -> None:
        """Bring all bytes to the disk; nothing shows yet."""

    def publish(self) -> None:
        """Show the finished output."""

    def discard(self) -> None:
        """Forget the output, unless it is published."""


class StagedFile:
    """A hidden file beside its target, which it replaces when published.

    Only its owner may read it until then, because it holds messages.
    """

    def __init__(self, path: Path, mode: int) -> None:
        self.name = str(path)
        self._mode = mode
        # A link stays a link: what it leads to is replaced.
        self._target = path.resolve()
        with writing(self.name):
            _check_replaceable(self._target, self.name)
            handle, name = tempfile.mkstemp(prefix=".unfinished-", dir=self._target.parent)
        self._hidden = Path(name)
        self.file: IO[bytes] = os.fdopen(handle, "wb")

    def close(self) -> None:
        """Bring all bytes to the disk; the target is untouched."""
        self.file.close()

    def publish(self) -> None:
        """Put the finished file in the place of its target."""
        self._hidden.chmod(self._mode)
        self._hidden.replace(self._target)

    def discard(self) -> None:
        """Remove the hidden file, unless it is published."""
        with suppress(OSError):
            self.file.close()
        self._hidden.unlink(missing_ok=True)


def _check_replaceable(target: Path, name: str) -> None:
    if target.is_dir():
        raise DataError(f"cannot write {name}: it is a directory")
    if target.exists() and not target.is_file():
        raise DataError(f"cannot write {name}: it is no ordinary file (- is standard output)")


class StandardOutput:
    """Standard output, which shows each write at once and can't take it back."""

    name = "standard output"

    def __init__(self) -> None:
        sys.stdout.flush()
        buffer = sys.stdout.buffer
        self.file = cast(IO[bytes], _WholeWrites(getattr(buffer, "raw", buffer)))

    def close(self) -> None:
        """Do nothing: all bytes are out."""

    def publish(self) -> None:
        """Do nothing: all bytes are out."""

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
