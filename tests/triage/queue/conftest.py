"""What the tests of queues share: queues of invented messages."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.triage.queue.corpora import CORPUS, Sms, write
from triage import Triage
from triage.decide.source import Source
from triage.queue import Queue
from triage.queue.fill import Filled, add_to_queue, create_queue


@pytest.fixture
def open_queue() -> Iterator[Callable[[Path], Queue]]:
    """Open queues, which are closed in the end."""
    opened: list[Queue] = []

    def open_one(path: Path) -> Queue:
        opened.append(Queue.open(path))
        return opened[-1]

    yield open_one
    for queue in opened:
        queue.close()


@pytest.fixture
def make_queue(
    tmp_path: Path, shipped: Triage, open_queue: Callable[[Path], Queue]
) -> Callable[..., Queue]:
    """Make a queue of messages."""

    def make(*messages: Sms, name: str = "work.queue") -> Queue:
        path = tmp_path / name
        create_queue(path, Source(str(write(tmp_path / f"{name}.csv", messages))), shipped)
        return open_queue(path)

    return make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    """A folder with the queue of `corpora.CORPUS`, made once, and the file that it is made of."""
    folder = tmp_path_factory.mktemp("made")
    source = write(folder / "work.queue.csv", CORPUS)
    create_queue(folder / "work.queue", Source(str(source)), shipped)
    return folder


@pytest.fixture
def queue(made: Path, tmp_path: Path, open_queue: Callable[[Path], Queue]) -> Queue:
    """The queue of `corpora.CORPUS`, and beside it the file that it was made of."""
    for path in made.iterdir():
        shutil.copy(path, tmp_path)
    return open_queue(tmp_path / "work.queue")


@pytest.fixture
def add(tmp_path: Path, shipped: Triage) -> Callable[..., Filled]:
    """Add messages to a queue."""

    def add_them(queue: Queue, *messages: Sms) -> Filled:
        return add_to_queue(queue, Source(str(write(tmp_path / "more.csv", messages))), shipped)

    return add_them
