"""Worker processes, and a file that is read ahead in one."""

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from triage.data import DataError
from triage.decide import processes
from triage.decide.processes import EndOfAnswers, Worker, ahead, ready
from triage.decide.source import Chunk, Source, StoredChunk, read_ahead, read_here
from triage.decide.spool import Ref, Spool
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


def test_who_has_answered_is_ready() -> None:
    with Worker(squares) as idle, Worker(squares) as busy:
        busy.send(3)
        assert ready([idle, busy]) == [busy]
        assert busy.receive() == 9


@pytest.mark.usefixtures("forks")
def test_an_error_comes_behind_the_items_made_before_it() -> None:
    def fail() -> Iterator[int]:
        yield 1
        raise DataError("sms.csv is damaged")

    with ahead(fail) as items:
        assert next(items) == 1
        with pytest.raises(DataError, match=r"^sms\.csv is damaged$"):
            next(items)


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


def test_a_worker_reads_what_is_put_aside_behind_its_start_and_nobody_else_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Spool() as spool, Worker[Ref[str], str](lambda refs: map(spool.get, refs)) as worker:
        worker.send(spool.put("Coucou Zoé"))
        assert worker.receive() == "Coucou Zoé"
        assert list(tmp_path.iterdir()) == []


def test_a_worker_answers_in_the_order_of_the_requests_to_the_last_or_its_error() -> None:
    def inverses(numbers: Iterator[int]) -> Iterator[float]:
        return (1 / n for n in numbers if n < 9)

    with Worker(inverses) as worker:
        for n in (1, 2, 4, 0):
            worker.send(n)
        assert [worker.receive() for _ in range(3)] == [1, 1 / 2, 1 / 4]
        with pytest.raises(ZeroDivisionError):
            worker.receive()
    with Worker[int, int](lambda _: [1]) as once:
        assert once.receive() == 1
        with pytest.raises(EndOfAnswers):
            once.receive()


def test_items_come_in_order_from_another_process_where_it_can_be_forked(forks: bool) -> None:
    with ahead(lambda: (number * "é" for number in range(100))) as items:
        assert list(items) == [number * "é" for number in range(100)]
    with ahead(lambda: [os.getpid()]) as items:
        assert (next(items) != os.getpid()) is forks


def test_a_busy_worker_is_shut_down_too() -> None:
    with Worker[int, int](lambda _: count()):
        pass
    assert multiprocessing.active_children() == []
