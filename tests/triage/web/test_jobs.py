"""Long work: it runs in a process of its own, tells how far it is, and can be ended."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.triage.web.desks import STEPS, ended, until
from triage.web.jobs import Jobs
from triage.web.project import Project
from triage.web.steps import State, Step, states

pytestmark = pytest.mark.slow
LONG = 60_000


@pytest.fixture
def long_project(tmp_path: Path) -> Project:
    """A project of which the triage takes seconds."""
    file = tmp_path / "long.csv"
    rows = (f"{i},slt c karim{i} on se voit a {i} h\n" for i in range(LONG))
    file.write_text("id,text\n" + "".join(rows), encoding="utf-8")
    return Project.create(tmp_path / "long", file, "long")


def test_all_steps_lead_to_a_checked_corpus_as_in_the_terminal(project: Project) -> None:
    jobs = Jobs()
    for step in STEPS:
        assert ended(jobs.start(project, (step,), "anna")).is_done, step
    assert set(states(project).values()) == {State.DONE}
    history = [*project.history()]
    assert [entry["by"] for entry in history] == ["anna"] * len(STEPS)
    assert "Maëlle" not in (project.folder / "log.jsonl").read_text()
    before = project.triaged.read_bytes()
    _, *arguments = shlex.split(history[0]["command"])
    command = [sys.executable, "-m", "triage", *arguments]
    subprocess.run(command, check=True, cwd=project.folder, capture_output=True)
    assert project.triaged.read_bytes() == before


def test_work_tells_how_far_it_is_and_can_be_cancelled(long_project: Project) -> None:
    jobs = Jobs()
    job = jobs.start(long_project, (Step.CLASSIFY,), "anna")
    assert job
    assert jobs.start(long_project, (Step.CLASSIFY,), "anna") is None
    shares = [0.0]

    def has_begun() -> bool:
        shares.append(job.look()[0])
        return bool(job.progress and job.progress.done > LONG / 2)

    until(has_begun)
    assert shares == sorted(shares)
    assert 0 < shares[-1] < 1
    assert job.progress
    assert (job.progress.of or 0) >= LONG
    job.cancel()
    assert ended(job).was_cancelled
    assert not long_project.triaged.exists()
    assert states(long_project)[Step.CLASSIFY] is State.READY
