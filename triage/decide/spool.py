"""Temporary storage of a run, in a file without a name."""

import os
import pickle
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Generic, Self, TypeVar

from ..errors import TriageError

T = TypeVar("T")


@dataclass(frozen=True)
class Ref(Generic[T]):
    """Where something lies in the file of a spool."""

    start: int
    length: int


class Spool(AbstractContextManager["Spool"]):
    """A file that has no name: nobody else can open it, and it is gone when its processes are."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._end = 0

    def __enter__(self) -> Self:
        """Return the spool itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the file."""
        self._file.close()

    def put(self, item: T) -> Ref[T]:
        """Put something aside."""
        data = pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL)
        ref = Ref[T](self._end, len(data))
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._file.fileno(), data[written:], self._end + written)
        except OSError as error:
            raise TriageError(
                f"no room in {tempfile.gettempdir()} for what a run puts aside ({error.strerror}): "
                "make room, or set TMPDIR to a folder that has some",
                "no_room",
                folder=tempfile.gettempdir(),
                reason=error.strerror,
            ) from error
        self._end += len(data)
        return ref

    def get(self, ref: Ref[T]) -> T:
        """Return what was put aside."""
        data = os.pread(self._file.fileno(), ref.length, ref.start)
        item: T = pickle.loads(data)  # noqa: S301 (a process of this run wrote it)
        return item
