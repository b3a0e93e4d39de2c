"""Work ahead in another process: while one chunk is decided, the next is read and split.

A run spends a third of its time reading and splitting messages and a third preparing the
dictionaries; with two cores the two go on at once.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TypeVar

from ..errors import TriageError

T = TypeVar("T")


@contextmanager
def ahead(make: Callable[[], Iterable[T]]) -> Iterator[Iterator[T]]:
    """Give what ``make()`` yields, made in a forked process, one item ahead of its use.

    An exception of ``make`` is raised where its next item would have come. Where processes
    cannot be forked, or there is one core, the items are made in this process.

    Parameters
    ----------
    make : callable
        Returns an iterable of items that can be pickled.

    Raises
    ------
    TriageError
        If the other process is killed.

    Examples
    --------
    >>> with ahead(lambda: range(3)) as numbers:
    ...     list(numbers)
    [0, 1, 2]
    """
    if "fork" not in multiprocessing.get_all_start_methods() or os.cpu_count() == 1:
        yield iter(make())
        return
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_make_and_send, args=(make, here, there), daemon=True)
    try:
        with _uninterrupted():
            process.start()
        there.close()
        yield _receive(here)
    finally:
        here.close()
        if process.pid is not None:
            process.terminate()
            process.join()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put an interruption off: a process that is started must be known, to be ended with this.

    A mask of the signal would not do: another thread of this process would take it.
    """
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


def _make_and_send(make: Callable[[], Iterable[T]], here: Connection, there: Connection) -> None:
    here.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process ends this one
    with suppress(BrokenPipeError):  # nobody wants the rest
        try:
            for item in make():
                there.send((_ITEM, item))
            there.send((_END, None))
        except BrokenPipeError:
            raise
        except Exception as error:
            there.send((_ERROR, error))


def _receive(here: Connection) -> Iterator[T]:
    while True:
        try:
            what, value = here.recv()
        except EOFError as error:
            raise TriageError(
                "a process that helps this one was killed, perhaps for want of memory"
            ) from error
        if what == _END:
            return
        if what == _ERROR:
            raise value
        yield value
