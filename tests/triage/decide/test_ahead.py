"""Working ahead in another process, and a file read in this way."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from triage.data import DataError
from triage.decide.ahead import ahead
from triage.decide.source import MessageStream, Source, SplitChunk, read_ahead, read_here
from triage.errors import TriageError

# The process of the tests has threads, which the child never uses.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(params=[1, 2])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run on a machine of one core, where all is done in this process, and of two."""
    monkeypatch.setattr(os, "cpu_count", lambda: request.param)
    return int(request.param)


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


@pytest.mark.usefixtures("cores")
def test_items_come_in_order() -> None:
    with ahead(lambda: (number * "é" for number in range(100))) as items:
        assert list(items) == [number * "é" for number in range(100)]


@pytest.mark.usefixtures("cores")
def test_nothing_made_is_nothing_given() -> None:
    def nothing() -> Iterator[int]:
        yield from ()

    with ahead(nothing) as items:
        assert list(items) == []


def test_items_are_made_in_another_process_where_there_are_two_cores(cores: int) -> None:
    with ahead(lambda: [os.getpid()]) as items:
        assert (next(items) == os.getpid()) is (cores == 1)


@pytest.mark.usefixtures("cores")
def test_an_error_comes_behind_the_items_made_before_it() -> None:
    def fail() -> Iterator[int]:
        yield 1
        raise DataError("sms.csv is damaged")

    with ahead(fail) as items:
        assert next(items) == 1
        with pytest.raises(DataError, match=r"^sms\.csv is damaged$"):
            next(items)


@pytest.mark.usefixtures("two_cores")
def test_who_leaves_early_leaves_no_process() -> None:
    with ahead(count) as items:
        assert next(items) == 0
    assert multiprocessing.active_children() == []


@pytest.mark.usefixtures("two_cores")
def test_an_error_of_the_user_of_the_items_leaves_no_process() -> None:
    with pytest.raises(KeyError), ahead(count) as items:
        raise KeyError(next(items))
    assert multiprocessing.active_children() == []


@pytest.mark.usefixtures("two_cores")
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
    read: Callable[..., MessageStream], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    (tmp_path / "sms.csv").write_text("id;text\n7;Coucou Zoé\n8;Ok\n9\n10;Oui\n")
    with read(Source(str(tmp_path / "sms.csv"))) as stream:  # type: ignore[attr-defined]
        header = stream.header()
        chunks: list[SplitChunk] = list(stream.chunks())
    assert (header.columns, header.text_column, header.id_column) == (("id", "text"), "text", "id")
    assert [chunk.texts for chunk in chunks] == [["Coucou Zoé", "Ok"], ["Oui"]]
    assert [chunk.ids for chunk in chunks] == [["7", "8"], ["10"]]
    assert [form.text for form in chunks[0].words.forms] == ["Coucou", "Zoé", "Ok"]
    assert stream.tail.rows_read == 4
    assert [reject.line for reject in stream.tail.rejects] == [4]


@pytest.mark.usefixtures("two_cores")
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
