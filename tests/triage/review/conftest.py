"""Queues and pages that several tests use."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

from tests.triage.review.queues import TestClient, client_of, guarded, make_queue
from triage import Triage
from triage.queue import Queue


@pytest.fixture(scope="session")
def full_queue(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    """A queue that is copied, never opened."""
    return make_queue(tmp_path_factory.mktemp("full") / "full.queue", shipped)


@pytest.fixture
def queue_path(tmp_path: Path, full_queue: Path) -> Path:
    """A queue of a test's own."""
    path = tmp_path / "work.queue"
    path.write_bytes(full_queue.read_bytes())
    return path


@pytest.fixture
def queue(queue_path: Path) -> Iterator[Queue]:
    with Queue.open(queue_path) as opened:
        yield opened


@pytest.fixture
def client(queue: Queue) -> TestClient:
    """Anna, on her page, in French."""
    return client_of(guarded(queue))


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from tests.triage.review.browsers import find_browser, running_browser

    with running_browser(find_browser() or "") as running:
        yield running
