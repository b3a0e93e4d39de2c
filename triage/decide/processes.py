"""Forked processes that each hold an object and call its methods."""

import gc
import multiprocessing
import os
import pickle
import signal
import tempfile
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import IO, Any, Self

from ..errors import TriageError

CAN_FORK = "fork" in multiprocessing.get_all_start_methods()
Ref = tuple[int, int]
"""A place in an `UnnamedFile`: where it begins, and its length."""


class UnnamedFile:
    """A temporary file without a name: only this process and those it forks can open it."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def put(self, item: object) -> Ref:
        """Write an object behind the others."""
        data = memoryview(pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL))
        ref = self._end, len(data)
        try:
            while data:
                written = os.pwrite(self._file.fileno(), data, self._end)
                self._end, data = self._end + written, data[written:]
        except OSError as error:
            raise TriageError(
                f"no room in {tempfile.gettempdir()} for what a run puts aside ({error.strerror}): "
                "make room, or set TMPDIR to a folder that has some",
                "no_room",
                folder=tempfile.gettempdir(),
                reason=error.strerror,
            ) from error
        return ref

    def get(self, ref: Ref) -> Any:  # noqa: ANN401
        """Read an object."""
        data = os.pread(self._file.fileno(), ref[1], ref[0])
        return pickle.loads(data)  # noqa: S301 (a process of this run wrote it)


class Worker:
    """A forked process that calls the methods of an object, which it inherits."""

    def __init__(self, held: object, file: UnnamedFile) -> None:
        self._file, self._answers = file, deque[Ref | None]()
        self._n_in_hand = 0
        context = multiprocessing.get_context("fork")
        self._pipe, there = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(held, file, self._pipe, there), daemon=True
        )
        # Ctrl-C is the first process's, which ends the others. Collecting garbage in the worker
        # would copy the pages of all that it inherits.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        gc.freeze()
        try:
            try:
                self._process.start()
            finally:
                gc.unfreeze()
                there.close()
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, whatever it is doing."""
        self._pipe.close()
        if self._process.pid is not None:
            self._process.terminate()
            self._process.join()

    def ask(self, method: str, *arguments: object) -> None:
        """Have a method called, which yields answers; arguments must fit into a pipe."""
        self._n_in_hand += 1
        try:
            self._pipe.send((method, arguments))
        except BrokenPipeError:
            while True:  # what ended the process, should it have said so
                self._hear()

    def n_in_hand(self) -> int:
        """Return how many answers are still to come, of methods that give one."""
        self.has_answer()
        return self._n_in_hand

    def has_answer(self) -> bool:
        """Return whether the next answer is there."""
        while self._pipe.poll():
            self._hear()
        return bool(self._answers)

    def answer(self) -> Any:  # noqa: ANN401
        """Wait for the next answer; an exception of the worker is raised here."""
        if not self._answers:
            self._hear()
        ref = self._answers.popleft()
        return None if ref is None else self._file.get(ref)

    def _hear(self) -> None:
        try:
            is_answer, value = self._pipe.recv()
        except (EOFError, ConnectionResetError) as error:
            raise TriageError(
                "a worker process was killed, perhaps for want of memory", "worker_killed"
            ) from error
        if not is_answer:
            raise value
        self._n_in_hand -= 1
        self._answers.append(value)


def _serve(held: object, file: UnnamedFile, here: Connection, there: Connection) -> None:
    here.close()
    with suppress(EOFError, BrokenPipeError):  # the first process has closed the pipe, or is gone
        while True:
            method, arguments = there.recv()
            try:
                for answer in getattr(held, method)(*arguments):
                    there.send((True, None if answer is None else file.put(answer)))
            except BrokenPipeError:
                raise
            except Exception as error:
                there.send((False, error))
                return
