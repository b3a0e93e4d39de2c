"""Figures that a step keeps for the pages, and that a page works out where they are outdated."""

import json
import stat
from pathlib import Path

import pytest

from tests.triage.web.conftest import MESSAGES
from tests.triage.web.desks import STEPS, ended
from triage.web import importing, replacing
from triage.web.jobs import Jobs
from triage.web.project import Project, figure, version_of
from triage.web.steps import Step
from triage.web.work import keep_figures


@pytest.mark.parametrize("folder", ["", "link"])
def test_a_figure_that_was_kept_is_not_worked_out_again(tmp_path: Path, folder: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text("text")
    (tmp_path / "link").symlink_to(tmp_path)
    assert figure("length", lambda _: 4, tmp_path, version_of(file)) == 4
    by = tmp_path / folder
    assert figure("length", lambda _: 5, by, version_of(by / file.name)) == 4
    assert stat.S_IMODE((tmp_path / ".length.figure").stat().st_mode) == 0o600
    file.write_text("other text")
    assert figure("length", lambda _: 6, by, version_of(by / file.name)) == 6


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that was taken to its anonymised messages, by its steps."""
    folder = tmp_path_factory.mktemp("figures")
    file = folder / "sms.csv"
    file.write_text(MESSAGES, encoding="utf-8")
    (folder / "home").mkdir()
    project, jobs = Project.create(folder / "home" / "sms", file, "SMS"), Jobs()
    for step in (Step.CLASSIFY, Step.QUEUE, Step.APPLY, Step.ANONYMISE):
        assert ended(jobs.start(project, (step,), "anna")).is_done
    return project


def _kept(project: Project) -> dict[str, object]:
    return {
        path.name: json.loads(path.read_text())["is"] for path in project.folder.glob(".*.figure")
    }


def _shown(project: Project) -> str:
    shown = (importing.counts, importing.preview, replacing.style_cards, replacing.held_back)
    return json.dumps([of(project) for of in shown], sort_keys=True)


def test_what_the_steps_keep_is_what_a_page_would_work_out(done: Project) -> None:
    with_figures = _shown(done)
    kept = {".look.figure", ".actions.figure", ".styles.figure"}
    assert kept <= _kept(done).keys()
    other = done.folder.with_name("other")
    done.folder.rename(other)
    for path in other.glob(".*.figure"):
        path.unlink()
    try:
        assert with_figures == _shown(Project(other))
    finally:
        other.rename(done.folder)
        for step in STEPS:
            keep_figures(done.folder, step)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"of": []}', "[" * 100_000])
def test_damaged_figures_are_as_none(done: Project, content: str) -> None:
    shown = _shown(done)
    for path in done.folder.glob(".*.figure"):
        path.write_text(content)
    assert _shown(done) == shown
    for step in STEPS:
        keep_figures(done.folder, step)
