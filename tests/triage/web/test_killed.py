"""A server that is killed, or a step that is cancelled, at the worst moment of each long step."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.triage.web.conftest import MESSAGES
from tests.triage.web.desks import (
    STEPS,
    Moment,
    Visitor,
    ended,
    is_running,
    serving,
    until,
    visiting,
)
from triage.queue import Queue
from triage.web.jobs import Jobs
from triage.web.project import Project
from triage.web.steps import ORDER, State, Step, states, work

pytestmark = pytest.mark.slow
HOST = "127.0.0.1"
# Just before what a step has written takes its name; the check prints, and its server writes.
MOMENTS = {
    Step.CLASSIFY: "os.rename:.unfinished-",
    Step.QUEUE: "os.link:.unfinished-",
    Step.APPLY: "os.rename:.unfinished-",
    Step.NAMES: "os.link:.unfinished-",
    Step.ANONYMISE: "os.rename:.unfinished-",
    Step.CHECK: "open:keys.csv",
}


@dataclass(frozen=True)
class Undisturbed:
    """A project before a step, and what the step makes of it."""

    before: Path
    after: Path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[Step, Undisturbed]:
    """Each step of a project that was taken to its check without any disturbance."""
    folder = tmp_path_factory.mktemp("undisturbed")
    file = folder / "sms.csv"
    file.write_text(MESSAGES, encoding="utf-8")
    project = Project.create(folder / "sms", file, "Mes SMS")
    found: dict[Step, Undisturbed] = {}
    jobs = Jobs()
    for step in STEPS:
        # The undisturbed run and the others have one key, by which pseudonyms are drawn.
        if step is Step.ANONYMISE:
            project.key.write_text("0" * 64 + "\n")
            project.key.chmod(0o600)
        before, after = folder / f"{step}.before", folder / f"{step}.after"
        shutil.copytree(project.folder, before)
        job = ended(jobs.start(project, (step,), "anna"))
        assert job.is_done, job.problem
        shutil.copytree(project.folder, after)
        found[step] = Undisturbed(before, after)
    return found


def _home(tmp_path: Path, before: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    shutil.copytree(before, home / "sms")
    return home


def _content(project: Project) -> dict[str, object]:
    """Return the files of a project, but for the log, figures and how far a step is."""
    return {
        path.name: _queued(path) if path == project.queue else path.read_bytes()
        for path in sorted(project.folder.rglob("*"))
        if path.is_file()
        and path.suffix not in (".progress", ".problem", ".figure")
        and path.name != "log.jsonl"
    }


def _queued(path: Path) -> object:
    """Return what a queue holds: its bytes change by opening it."""
    with Queue.open(path) as queue:
        status = queue.status()
        return status, [queue.item(number) for number in range(1, status.items + 1)]


def _result(project: Project, step: Step) -> object:
    return _content(project)[work(project, step).output.name]


@pytest.fixture
def to_be_held(
    step: Step, undisturbed: dict[Step, Undisturbed], tmp_path: Path
) -> tuple[Path, Project, Moment]:
    """Return a home whose project is ready for a step, and the moment at which that is held."""
    home = _home(tmp_path, undisturbed[step].before)
    return home, Project(home / "sms"), Moment(MOMENTS[step], tmp_path / "held")


@pytest.mark.parametrize("step", STEPS)
def test_a_step_starts_again_after_its_server_was_killed(
    step: Step, undisturbed: dict[Step, Undisturbed], to_be_held: tuple[Path, Project, Moment]
) -> None:
    home, project, moment = to_be_held
    before = _content(project)
    with serving(home, host=HOST, moment=moment) as first, visiting(first) as visitor:
        visitor.post("/project/sms/run", step=step.value, back="")
        process = moment.reached()
        first.kill()
    until(lambda: not is_running(process))
    with serving(home, host=HOST) as second, visiting(second) as visitor:
        assert _content(project) == before
        if step in ORDER:
            assert states(project)[step] is State.READY
            assert "Next: " in visitor.get("/")
        visitor.post("/project/sms/run", step=step.value, back="")
        visitor.wait("/project/sms/")
    assert _result(project, step) == _result(Project(undisturbed[step].after), step)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_is_cancelled_changes_nothing(
    step: Step, to_be_held: tuple[Path, Project, Moment]
) -> None:
    home, project, moment = to_be_held
    before = _content(project)
    with serving(home, host=HOST, moment=moment) as served, visiting(served) as visitor:
        visitor.post("/project/sms/run", step=step.value, back="")
        process = moment.reached()
        visitor.post("/project/sms/cancel", back="")
        visitor.wait("/project/sms/")
        assert "Cancelled: nothing has changed." in visitor.get("/project/sms/project")
        assert not is_running(process)
        assert _content(project) == before


@contextmanager
def _unanswered(ask: Callable[[], object]) -> Iterator[None]:
    """Ask what a server that is killed meanwhile will not answer."""

    def asking() -> None:
        with suppress(httpx.HTTPError):
            ask()

    thread = threading.Thread(target=asking)
    thread.start()
    yield
    thread.join()


def _names(home: Path) -> set[str]:
    """Return what lies in a folder of projects, but for the accounts."""
    return {path.name for path in home.iterdir()} - {".accounts.json"}


def test_a_file_that_was_half_sent_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    is_killed = threading.Event()

    def blocks() -> Iterator[bytes]:
        yield MESSAGES.encode()
        is_killed.wait()
        yield b""

    with (
        serving(home, host=HOST) as first,
        visiting(first) as visitor,
        _unanswered(lambda: visitor.upload("sms.csv", blocks())),
    ):
        until(lambda: bool(_names(home)))
        first.kill()
        is_killed.set()
    with serving(home, host=HOST) as second, visiting(second) as visitor:
        assert _names(home) == set()
        assert visitor.upload("sms.csv", MESSAGES.encode()) == "/project/sms/import"


def test_a_project_that_was_half_made_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    file = tmp_path / "sms.csv"
    file.write_text(MESSAGES, encoding="utf-8")
    moment = Moment("shutil.copyfile:sms.csv", tmp_path / "held", "-c")
    with (
        serving(home, host=HOST, moment=moment) as first,
        visiting(first) as visitor,
        _unanswered(lambda: visitor.post("/new", path=str(file), name="")),
    ):
        moment.reached()
        first.kill()
    with serving(home, host=HOST) as second, visiting(second) as visitor:
        assert _names(home) == set()
        assert "Coucou Maëlle" in visitor.post("/new", path=str(file), name="")
    assert _names(home) == {"sms"}


def _publish(visitor: Visitor) -> str:
    return visitor.post("/project/sms/publish", why="For a test of publishing.")


def test_an_earlier_publication_stays_until_the_new_one_is_whole(
    undisturbed: dict[Step, Undisturbed], tmp_path: Path
) -> None:
    home = _home(tmp_path, undisturbed[Step.CHECK].after)
    project = Project(home / "sms")
    with serving(home, host=HOST) as first, visiting(first) as visitor:
        _publish(visitor)
        visitor.wait("/project/sms/")
    earlier = {path.name: path.read_bytes() for path in project.published.iterdir()}
    moment = Moment("os.rename:sms/publish", tmp_path / "held")
    with serving(home, host=HOST, moment=moment) as second, visiting(second) as visitor:
        _publish(visitor)
        process = moment.reached()
        second.kill()
    until(lambda: not is_running(process))
    assert {path.name: path.read_bytes() for path in project.published.iterdir()} == earlier
    with serving(home, host=HOST) as third, visiting(third) as visitor:
        _publish(visitor)
        visitor.wait("/project/sms/")
        assert "corpus.csv" in visitor.get("/project/sms/publish")
    assert not [*project.folder.glob(".unfinished-*")]
