"""Worker processes, and a file that is read ahead in one."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from triage.data import DataError
from triage.decide import processes
from triage.decide.processes import EndOfAnswers, Worker, ahead, available_cores, ready
from triage.decide.source import Chunk, Source, StoredChunk, read_ahead, read_here
from triage.errors import TriageError

# The process of the tests has threads, which the child never uses.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(params=[True, False], ids=["forked", "in this process"])
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run on a system that can fork processes, and on one that cannot."""
    monkeypatch.setattr(processes, "can_fork", lambda: request.param)
    return bool(request.param)


def squares(numbers: Iterator[int]) -> Iterator[int]:
    return (n * n for n in numbers)


def test_a_worker_answers_in_the_order_of_the_requests() -> None:
    with Worker(squares) as worker:
        for n in range(5):
            worker.send(n)
        assert [worker.receive() for _ in range(5)] == [0, 1, 4, 9, 16]


def test_a_worker_holds_what_the_first_process_held() -> None:
    held, here = ["Zoé"], os.getpid()
    with Worker[int, tuple[str, int]](
        lambda asked: ((held[n], os.getpid()) for n in asked)
    ) as worker:
        worker.send(0)
        text, there = worker.receive()
    assert text == "Zoé"
    assert there != here


def test_who_has_answered_is_ready() -> None:
    with Worker(squares) as idle, Worker(squares) as busy:
        busy.send(3)
        assert ready([idle, busy]) == [busy]
        assert busy.receive() == 9


def test_behind_the_last_answer_there_is_none() -> None:
    with Worker[int, int](lambda _: [1]) as worker:
        assert worker.receive() == 1
        with pytest.raises(EndOfAnswers):
            worker.receive()


def test_an_error_of_a_worker_is_raised_here() -> None:
    with Worker[int, float](lambda numbers: (1 / n for n in numbers)) as worker:
        worker.send(0)
        with pytest.raises(ZeroDivisionError):
            worker.receive()


def test_a_request_to_a_worker_that_failed_raises_its_error() -> None:
    with Worker[int, float](lambda numbers: (1 / n for n in numbers)) as worker:
        worker.send(0)
        worker.pipe.poll(None)
        multiprocessing.active_children()[0].join()
        with pytest.raises(ZeroDivisionError):
            worker.send(1)


def test_a_worker_that_is_busy_is_shut_down_too() -> None:
    with Worker[int, int](lambda _: count()):
        pass
    assert multiprocessing.active_children() == []


def test_there_is_a_core_to_work_on() -> None:
    assert available_cores() >= 1


@pytest.mark.usefixtures("forks")
def test_items_come_in_order() -> None:
    with ahead(lambda: (number * "é" for number in range(100))) as items:
        assert list(items) == [number * "é" for number in range(100)]


@pytest.mark.usefixtures("forks")
def test_nothing_made_is_nothing_given() -> None:
    def nothing() -> Iterator[int]:
        yield from ()

    with ahead(nothing) as items:
        assert list(items) == []


def test_items_are_made_in_another_process_where_it_can_be_forked(forks: bool) -> None:
    with ahead(lambda: [os.getpid()]) as items:
        assert (next(items) != os.getpid()) is forks


@pytest.mark.usefixtures("forks")
def test_an_error_comes_behind_the_items_made_before_it() -> None:
    def fail() -> Iterator[int]:
        yield 1
        raise DataError("sms.csv is damaged")

    with ahead(fail) as items:
        assert next(items) == 1
        with pytest.raises(DataError, match=r"^sms\.csv is damaged$"):
            next(items)


def test_who_leaves_early_leaves_no_process() -> None:
    with ahead(count) as items:
        assert next(items) == 0
    assert multiprocessing.active_children() == []


def test_an_error_of_the_user_of_the_items_leaves_no_process() -> None:
    with pytest.raises(KeyError), ahead(count) as items:
        raise KeyError(next(items))
    assert multiprocessing.active_children() == []


def test_a_process_that_is_killed_is_an_error() -> None:
    def die() -> Iterator[int]:
        yield 1
        os.kill(os.getpid(), signal.SIGKILL)

    with ahead(die) as items:
        assert next(items) == 1
        with pytest.raises(TriageError, match="was killed, perhaps for want of memory"):
            next(items)


@pytest.mark.parametrize("read", [read_here, read_ahead])
def test_a_file_is_read_alike_here_and_ahead(
    read: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    (tmp_path / "sms.csv").write_text("id;text\n7;Coucou Zoé\n8;Ok\n9\n10;Oui\n")
    with read(Source(str(tmp_path / "sms.csv"))) as stream:
        header, chunks = stream.header(), list[Chunk]()
        for chunk in stream.chunks():
            chunks.append(stream.spool.get(chunk.ref) if isinstance(chunk, StoredChunk) else chunk)
    assert (header.columns, header.text_column, header.id_column) == (("id", "text"), "text", "id")
    assert [chunk.texts for chunk in chunks] == [["Coucou Zoé", "Ok"], ["Oui"]]
    assert [chunk.ids for chunk in chunks] == [["7", "8"], ["10"]]
    assert stream.tail.rows_read == 4
    assert [reject.line for reject in stream.tail.rejects] == [4]


def test_an_interruption_while_the_process_starts_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fork = os.fork

    def interrupted() -> int:
        child = fork()
        if child:
            os.kill(os.getpid(), signal.SIGINT)
        return child

    monkeypatch.setattr(os, "fork", interrupted)
    children = set(_children())
    with pytest.raises(KeyboardInterrupt), ahead(count):
        pass
    assert set(_children()) == children


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
