"""A desk with one project, queues of invented messages, and browsers, one of which is none."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

from tests.triage.web.desks import client_at, done
from tests.triage.web.queues import CASES, Person, client_of, guarded, make_queue
from triage import Triage
from triage.errors import UserError
from triage.queue import Queue
from triage.settings import Reading
from triage.web import importing
from triage.web.importing import Preview
from triage.web.project import Project
from triage.web.stages import Step
from triage.web.visits import Desk

MESSAGES: str = CASES["file"]


PreviewFile = Callable[[Path, Reading, str], Preview]


def _preview_here(path: Path, reading: Reading, language: str) -> Preview:
    """Preview a file as the process that is made for it does, but in this one."""
    found = dict[str, object]()
    try:
        found = importing.preview_data(path, reading, language)
        found["choices"] = importing.choices(path, found)
    except UserError as error:
        found["problem"] = importing.problem_data(error, path)
    told: Preview = json.loads(json.dumps(found))
    return importing._NOTHING | told


@pytest.fixture(autouse=True, scope="session")
def apart() -> Iterator[PreviewFile]:
    """Spare each preview of a file a process of its own; the one that has it, for tests of that."""
    preview = importing.preview_file
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importing, "preview_file", _preview_here)
        yield preview


def new_project(folder: Path, content: str = MESSAGES) -> Project:
    """Make a project in the only folder of projects that a folder holds."""
    file, home = folder / "sms.csv", folder / "home"
    file.write_text(content, encoding="utf-8")
    home.mkdir()
    return Project.create(home / "sms", file, "Mes SMS")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty folder of projects."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of four messages, of which nothing was done."""
    return new_project(tmp_path)


@pytest.fixture
def queued(project: Project, shipped: Triage) -> Project:
    """A project of which two messages are to be read."""
    project.note("confirmed", stage="import", by="anna")
    done(project, Step.CLASSIFY)
    make_queue(project.queue, shipped, [("7", "Rose et pierre"), ("31", "chez Zorguinette")])
    done(project, Step.QUEUE)
    return project


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
def client(queue: Queue) -> Person:
    """Anna, on her page, in French."""
    return client_of(guarded(queue))


@pytest.fixture
def owner(desk: Desk) -> Person:
    """Anna, at her desk, in English."""
    return client_at(desk)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from tests.triage.web.browsers import find_browser, running_browser

    with running_browser(find_browser() or "") as running:
        yield running


@pytest.fixture
def context(browser: "Browser") -> Iterator["BrowserContext"]:
    from tests.triage.web.browsers import PATIENCE

    opened = browser.new_context(locale="fr-FR", viewport={"width": 1280, "height": 800})
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


@pytest.fixture
def address(queue_path: Path) -> Iterator[str]:
    from tests.triage.web.browsers import serving_here

    with serving_here(queue_path) as running:
        yield running


@pytest.fixture
def desk(project: Project) -> Iterator[Desk]:
    desk = Desk(project.folder.parent, "anna")
    yield desk
    desk.jobs.end()
