"""Queues of invented messages, which the tests of queues share."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.triage.queue.corpora import CORPUS, MANY, Add, MakeQueue, Sms, write
from triage import Triage
from triage.decide.source import Source
from triage.queue import Queue
from triage.queue.fill import Filled, add_to_queue, create_queue
from triage.settings import Reading, build


@pytest.fixture(autouse=True)
def synchronous(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own, without protection from power cuts, which takes most time."""
    monkeypatch.setattr("triage.queue.store._SYNCHRONOUS", "OFF")


@pytest.fixture
def open_queue() -> Iterator[Callable[[Path], Queue]]:
    opened: list[Queue] = []

    def open_one(path: Path) -> Queue:
        opened.append(Queue.open(path))
        return opened[-1]

    yield open_one
    for queue in opened:
        queue.connection.close()


@pytest.fixture
def create(tmp_path: Path, shipped: Triage, open_queue: Callable[[Path], Queue]) -> MakeQueue:
    def create_one(path: Path, name: str = "q", **columns: str) -> Queue:
        create_queue(tmp_path / name, Source(str(path), build(Reading, columns)), shipped)
        return open_queue(tmp_path / name)

    return create_one


@pytest.fixture
def make_queue(tmp_path: Path, create: MakeQueue) -> MakeQueue:
    def make(*messages: Sms, name: str = "work.queue") -> Queue:
        return create(write(tmp_path / f"{name}.csv", messages), name)

    return make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    """A folder with queues of `CORPUS` and `MANY`, made once, and the files they are made of."""
    folder = tmp_path_factory.mktemp("made")
    for name, messages in (("work.queue", CORPUS), ("many.queue", MANY)):
        source = write(folder / f"{name}.csv", messages)
        create_queue(folder / name, Source(str(source)), shipped)
    return folder


@pytest.fixture
def queue(made: Path, tmp_path: Path, open_queue: Callable[[Path], Queue]) -> Queue:
    """The queue of `CORPUS`, and beside it the file that it was made of."""
    for path in made.glob("work.*"):
        shutil.copy(path, tmp_path)
    return open_queue(tmp_path / "work.queue")


@pytest.fixture
def many(made: Path, tmp_path: Path, open_queue: Callable[[Path], Queue]) -> Queue:
    shutil.copy(made / "many.queue", tmp_path)
    return open_queue(tmp_path / "many.queue")


@pytest.fixture
def add(tmp_path: Path, shipped: Triage) -> Add:
    def add_them(queue: Queue, *messages: Sms) -> Filled:
        return add_to_queue(queue, Source(str(write(tmp_path / "more.csv", messages))), shipped)

    return add_them
