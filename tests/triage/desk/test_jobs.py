"""Long work: it runs in a process of its own, tells how far it is, and can be ended."""

import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.triage.desk.desks import is_running, until
from triage.desk.jobs import Job, Jobs
from triage.desk.project import Project
from triage.desk.steps import State, Step, states
from triage.errors import TriageError

pytestmark = pytest.mark.slow
LONG = 60_000


def _ended(job: Job) -> Job:
    until(lambda: not job.is_running)
    return job


@pytest.fixture
def long_project(tmp_path: Path) -> Project:
    """A project of which the triage takes seconds."""
    file = tmp_path / "long.csv"
    rows = (f"{i},slt c karim{i} on se voit a {i} h\n" for i in range(LONG))
    file.write_text("id,text\n" + "".join(rows), encoding="utf-8")
    return Project.create(tmp_path / "long", file, "long")


def test_all_steps_lead_to_a_checked_corpus(project: Project) -> None:
    jobs = Jobs()
    for step in Step:
        assert _ended(jobs.start(project, step, "anna")).is_done, step
    assert set(states(project).values()) == {State.DONE}
    assert [entry["by"] for entry in project.history()] == ["anna"] * len(Step)
    assert "Maëlle" not in (project.folder / "log.jsonl").read_text()


def test_the_same_is_done_in_the_terminal(project: Project) -> None:
    jobs = Jobs()
    _ended(jobs.start(project, Step.CLASSIFY, "anna"))
    [entry] = project.history()
    before = project.triaged.read_bytes()
    _, *arguments = shlex.split(entry["command"])
    command = [sys.executable, "-m", "triage", *arguments]
    subprocess.run(command, check=True, cwd=project.folder, capture_output=True)
    assert project.triaged.read_bytes() == before


def test_a_step_that_fails_says_why(project: Project) -> None:
    project.original.chmod(0o600)
    project.original.write_text("number\n1\n")
    job = _ended(Jobs().start(project, Step.CLASSIFY, "anna"))
    assert (job.code, job.is_done) == (2, False)
    assert job.problem
    assert job.problem.key == "no_text_column"
    assert not project.triaged.exists()


def test_only_one_step_runs_at_a_time(long_project: Project) -> None:
    jobs = Jobs()
    jobs.start(long_project, Step.CLASSIFY, "anna")
    with pytest.raises(TriageError, match="is running"):
        jobs.start(long_project, Step.CLASSIFY, "anna")
    jobs.end()


def test_work_tells_how_far_it_is_and_can_be_cancelled(long_project: Project) -> None:
    jobs = Jobs()
    job = jobs.start(long_project, Step.CLASSIFY, "anna")
    until(lambda: bool(job.progress and job.progress.done))
    assert job.progress
    assert (job.progress.of or 0) >= LONG
    jobs.cancel(long_project)
    assert _ended(job).was_cancelled
    assert not long_project.triaged.exists()
    assert states(long_project)[Step.CLASSIFY] is State.READY


SERVER = """
import sys, time
from pathlib import Path
from tests.triage.desk.desks import is_running, until
from triage.desk.jobs import Jobs
from triage.desk.project import Project
from triage.desk.steps import Step
job = Jobs().start(Project(Path(sys.argv[1])), Step.CLASSIFY, "anna")
while not (job.progress and job.progress.done):
    time.sleep(0.05)
print(job.process.pid, flush=True)
time.sleep(60)
"""


def test_a_server_that_is_killed_leaves_nothing_behind(long_project: Project) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(long_project.folder)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout
    worker = int(server.stdout.readline())
    server.send_signal(signal.SIGKILL)
    server.communicate()
    until(lambda: not is_running(worker))
    assert not long_project.triaged.exists()
    left = {path.name for path in long_project.folder.iterdir()}
    assert left <= {"original", "project.json", ".classify.progress"}
    job = Jobs()
    assert _ended(job.start(long_project, Step.CLASSIFY, "anna")).is_done
