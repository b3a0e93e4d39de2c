"""The steps of a project: what each leads to and keeps for the pages, and how it can end.

A server is killed, or a step cancelled, at the worst moment of each long step.
"""

import json
import shlex
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from filelock import FileLock

from tests.cases import cases_beside
from tests.triage.web import desks
from tests.triage.web.conftest import MESSAGES, new_project
from tests.triage.web.desks import STEPS, Moment, Visitor, until, visiting
from triage.queue import Queue
from triage.web import importing, replacing
from triage.web.jobs import Jobs
from triage.web.project import Project
from triage.web.stages import ORDER, ProjectState, State, Step, work
from triage.web.work import keep_figures

pytestmark = pytest.mark.slow
HOST = "127.0.0.1"
LONG = 20_000
MOMENTS: dict[str, str] = cases_beside(__file__)["moments"]


@pytest.fixture(scope="session")
def after(shared_folder: Path) -> dict[Step | None, Path]:
    """A project after each of its steps, up to its check; before the first one by None."""
    folder = shared_folder / "undisturbed"
    found: dict[Step | None, Path]
    found = {step: folder / f"{step}.after" for step in (None, *STEPS)}
    with FileLock(shared_folder / "undisturbed.lock"):
        if not folder.exists():
            folder.mkdir()
            _make_steps(folder, found)
    return found


def _make_steps(folder: Path, found: dict[Step | None, Path]) -> None:
    project, jobs = new_project(folder), Jobs()
    # All runs have one key, by which pseudonyms are drawn.
    project.key.write_text("0" * 64 + "\n")
    project.key.chmod(0o600)
    for step, copy in found.items():
        if step:
            job = desks.ended(jobs.start(project, (step,), "anna"))
            assert job.is_done, job.problem
        shutil.copytree(project.folder, copy)


def test_steps_do_the_same_as_the_terminal(after: dict[Step | None, Path], tmp_path: Path) -> None:
    project = Project(_home(tmp_path, after[Step.CHECK]) / "sms")
    assert set(ProjectState(project).states.values()) == {State.DONE}
    history = [*project.history()]
    assert [entry["by"] for entry in history] == ["anna"] * len(STEPS)
    assert "Maëlle" not in (project.folder / "log.jsonl").read_text()
    before = project.triaged.read_bytes()
    _, *arguments = shlex.split(history[0]["command"])
    command = [sys.executable, "-m", "triage", *arguments]
    subprocess.run(command, check=True, cwd=project.folder, capture_output=True)
    assert project.triaged.read_bytes() == before


def test_work_tells_how_far_it_is_and_can_be_cancelled(tmp_path: Path) -> None:
    rows = (f"{i},slt c karim{i} on se voit a {i} h\n" for i in range(LONG))
    project, jobs = new_project(tmp_path, "id,text\n" + "".join(rows)), Jobs()
    job = jobs.start(project, (Step.CLASSIFY,), "anna")
    assert job
    assert jobs.start(project, (Step.CLASSIFY,), "anna") is None
    shares = [0.0]

    def has_begun() -> bool:
        shares.append(job.look()[0])
        return job.look()[0] > 0.25

    until(has_begun)
    assert shares == sorted(shares)
    assert 0 < shares[-1] < 1
    job.cancel()
    assert desks.ended(job).was_cancelled
    assert not project.triaged.exists()
    assert ProjectState(project).states[Step.CLASSIFY] is State.READY


def _home(tmp_path: Path, before: Path) -> Path:
    shutil.copytree(before, tmp_path / "home" / "sms")
    return tmp_path / "home"


def _content(project: Project) -> dict[str, object]:
    """Return the files of a project, but for the log and figures."""
    return {
        path.name: _queued(path) if path == project.queue else path.read_bytes()
        for path in sorted(project.folder.rglob("*"))
        if path.is_file() and path.suffix != ".figure" and path.name != "log.jsonl"
    }


def _queued(path: Path) -> object:
    """Return what a queue holds: its bytes change by opening it."""
    with Queue.open(path) as queue:
        status = queue.status()
        return status, [queue.item(number) for number in range(1, status.items + 1)]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_was_cancelled_or_killed_changed_nothing_and_starts_again(
    step: Step, after: dict[Step | None, Path], tmp_path: Path
) -> None:
    home = _home(tmp_path, after[(None, *STEPS)[STEPS.index(step)]])
    project, run = Project(home / "sms"), {"step": step.value, "back": ""}
    before = _content(project)
    moment = Moment(MOMENTS[step], tmp_path / "held")
    with desks.serving(home, host=HOST, moment=moment) as first, visiting(first) as visitor:
        visitor.post("/project/sms/run", **run)
        process = moment.reached()
        visitor.post("/project/sms/cancel", back="")
        visitor.wait("/project/sms/")
        assert "Cancelled: nothing has changed." in visitor.get("/project/sms/project")
        assert not desks.is_running(process)
        assert _content(project) == before
        moment.held.unlink()
        visitor.post("/project/sms/run", **run)
        process = moment.reached()
        first.kill()
    until(lambda: not desks.is_running(process))
    with desks.serving(home, host=HOST) as second, visiting(second) as visitor:
        assert _content(project) == before
        if step in ORDER:
            assert ProjectState(project).states[step] is State.READY
            assert "Next: " in visitor.get("/")
        visitor.post("/project/sms/run", **run)
        visitor.wait("/project/sms/")
    output = work(project, step).output.name
    assert _content(project)[output] == _content(Project(after[step]))[output]


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


def test_a_file_that_was_half_sent_is_gone(home: Path) -> None:
    is_killed = threading.Event()

    def blocks() -> Iterator[bytes]:
        yield MESSAGES.encode()
        is_killed.wait()
        yield b""

    with (
        desks.serving(home, host=HOST) as first,
        visiting(first) as visitor,
        _unanswered(lambda: visitor.upload("sms.csv", blocks())),
    ):
        until(lambda: bool(_names(home)))
        first.kill()
        is_killed.set()
    with desks.serving(home, host=HOST) as second, visiting(second) as visitor:
        assert _names(home) == set()
        assert visitor.upload("sms.csv", MESSAGES.encode()) == "/project/sms/"


def test_a_project_that_was_half_made_is_gone(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "sms.csv"
    file.write_text(MESSAGES, encoding="utf-8")
    moment = Moment("shutil.copyfile:sms.csv", tmp_path / "held", "-c")
    with (
        desks.serving(home, host=HOST, moment=moment) as first,
        visiting(first) as visitor,
        _unanswered(lambda: visitor.post("/new", path=str(file), name="")),
    ):
        moment.reached()
        first.kill()
    with desks.serving(home, host=HOST) as second, visiting(second) as visitor:
        assert _names(home) == set()
        assert "Coucou Maëlle" in visitor.post("/new", path=str(file), name="")
    assert _names(home) == {"sms"}


def _publish(visitor: Visitor) -> str:
    return visitor.post("/project/sms/publish", why="For a test of publishing.")


def test_an_earlier_publication_stays(after: dict[Step | None, Path], tmp_path: Path) -> None:
    home = _home(tmp_path, after[Step.CHECK])
    project = Project(home / "sms")
    with desks.serving(home, host=HOST) as first, visiting(first) as visitor:
        _publish(visitor)
        visitor.wait("/project/sms/")
    earlier = {path.name: path.read_bytes() for path in project.published.iterdir()}
    moment = Moment("os.rename:sms/publish", tmp_path / "held")
    with desks.serving(home, host=HOST, moment=moment) as second, visiting(second) as visitor:
        _publish(visitor)
        process = moment.reached()
        second.kill()
    until(lambda: not desks.is_running(process))
    assert {path.name: path.read_bytes() for path in project.published.iterdir()} == earlier
    with desks.serving(home, host=HOST) as third, visiting(third) as visitor:
        _publish(visitor)
        visitor.wait("/project/sms/")
        assert "corpus.csv" in visitor.get("/project/sms/publish")
    assert not [*project.folder.glob(".unfinished-*")]


@pytest.mark.parametrize("folder", ["", "link"])
def test_a_figure_that_was_kept_is_not_worked_out_again(tmp_path: Path, folder: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text("text")
    (tmp_path / "link").symlink_to(tmp_path)
    assert Project(tmp_path).figure("length", lambda _: 4, file) == 4
    by = tmp_path / folder
    assert Project(by).figure("length", lambda _: 5, by / file.name) == 4
    assert stat.S_IMODE((tmp_path / ".length.figure").stat().st_mode) == 0o600
    file.write_text("other text")
    assert Project(by).figure("length", lambda _: 6, by / file.name) == 6


@pytest.fixture
def done(after: dict[Step | None, Path], tmp_path: Path) -> Project:
    """A project that was taken to its anonymised messages, by its steps."""
    return Project(_home(tmp_path, after[Step.ANONYMISE]) / "sms")


def _shown(project: Project) -> str:
    shown = (importing.preview, replacing.style_cards, replacing.held_back)
    return json.dumps([of(project) for of in shown], sort_keys=True)


def test_what_the_steps_keep_is_what_a_page_would_work_out(done: Project) -> None:
    with_figures = _shown(done)
    assert {".preview.figure", ".styles.figure"} <= {
        path.name for path in done.folder.glob(".*.figure") if json.loads(path.read_text())["is"]
    }
    for path in done.folder.glob(".*.figure"):
        path.unlink()
    assert with_figures == _shown(done)
    # Damaged ones are as none.
    for content in ("", "{", "[]", '{"of": []}', "[" * 100_000):
        for path in done.folder.glob(".*.figure"):
            path.write_text(content)
        assert _shown(done) == with_figures
    for step in STEPS:
        keep_figures(done.folder, step)
    assert _shown(done) == with_figures
