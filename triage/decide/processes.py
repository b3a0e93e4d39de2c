"""Forked worker processes that answer requests, each over a pipe of its own."""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from ..errors import TriageError

Q = TypeVar("Q")
A = TypeVar("A")


def can_fork() -> bool:
    """Return whether this system can fork processes."""
    return "fork" in multiprocessing.get_all_start_methods()


def available_cores() -> int:
    """Return how many cores this process may use."""
    with suppress(AttributeError):  # macOS and Windows have no such call
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Worker(Generic[Q, A]):
    """A forked process, which inherits all that this one holds."""

    def __init__(self, serve: Callable[[Iterator[Q]], Iterable[A]]) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(serve, self.pipe, there), daemon=True)
        try:
            # Collecting garbage in the worker would copy the pages of all that it inherits.
            gc.freeze()
            with _uninterrupted():
                self._process.start()
            gc.unfreeze()
            there.close()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "Worker[Q, A]":
        """Return the worker itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Shut the process down, whatever it is doing."""
        self.pipe.close()
        if self._process.pid is not None:
            self._process.terminate()
            self._process.join()

    def send(self, request: Q) -> None:
        """Send a request."""
        try:
            self.pipe.send(request)
        except BrokenPipeError as error:
            self._raise_its_error(error)

    def receive(self) -> A:
        """Wait for the next answer and return it; an exception of the worker is raised here."""
        try:
            what, value = self.pipe.recv()
        except (EOFError, ConnectionResetError) as error:
            raise TriageError(_KILLED, "worker_killed") from error
        if what == _ERROR:
            raise value
        if what == _END:
            raise EndOfAnswers
        answer: A = value
        return answer

    def _raise_its_error(self, error: OSError) -> None:
        """Raise what ended the process, should it have said so before."""
        while self.pipe.poll():
            self.receive()
        raise TriageError(_KILLED, "worker_killed") from error


class EndOfAnswers(Exception):  # noqa: N818 (like StopIteration)
    """A worker has no further answer."""


_KILLED = "a worker process was killed, perhaps for want of memory"


def ready(workers: Iterable[Worker[Q, A]]) -> list[Worker[Q, A]]:
    """Wait until at least one of the workers has an answer; return those that have."""
    asked = [*workers]
    answered = wait([worker.pipe for worker in asked])
    return [worker for worker in asked if worker.pipe in answered]


@contextmanager
def ahead(make: Callable[[], Iterable[A]]) -> Iterator[Iterator[A]]:
    """Give what ``make()`` yields, made in a forked process ahead of its use."""
    if not can_fork():
        yield iter(make())
        return
    with Worker[None, A](lambda _: make()) as worker:
        yield _answers(worker)


def _answers(worker: Worker[None, A]) -> Iterator[A]:
    with suppress(EndOfAnswers):
        while True:
            yield worker.receive()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put an interruption off: a process that is started must be known, to be ended with this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked and callable(before):
        before(asked[0], None)


_ITEM, _ERROR, _END = range(3)


def _serve(
    serve: Callable[[Iterator[Q]], Iterable[A]], here: Connection, there: Connection
) -> None:
    here.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends this one
    with suppress(BrokenPipeError):  # nobody wants the rest
        try:
            for answer in serve(_requests(there)):
                there.send((_ITEM, answer))
            there.send((_END, None))
        except BrokenPipeError:
            raise
        except Exception as error:
            there.send((_ERROR, error))


def _requests(there: Connection) -> Iterator[Q]:
    with suppress(EOFError):  # the first process has closed the pipe, or is gone
        while True:
            yield there.recv()
