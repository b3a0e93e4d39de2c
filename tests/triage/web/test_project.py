"""The folder of a project: what it holds, who may read it, and that it can be moved."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.triage.web.conftest import MESSAGES
from triage.errors import TriageError, UserError
from triage.settings import Reading
from triage.web.project import Project, Settings

words = st.none() | st.text(min_size=1)
readings = st.builds(Reading, words, words, words, words, words, words, words, words, st.booleans())


def test_the_original_is_a_copy_that_cannot_be_written_in_a_folder_of_its_owner(
    project: Project, tmp_path: Path
) -> None:
    assert project.original.read_text(encoding="utf-8") == MESSAGES
    assert stat.S_IMODE(project.original.stat().st_mode) == 0o400
    (tmp_path / "sms.csv").unlink()
    assert project.original.exists()
    assert stat.S_IMODE(project.folder.stat().st_mode) == 0o700
    project.note("step", step="classify")
    modes = {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in project.folder.rglob("*")}
    assert modes == {0}
    # A line of the log that was cut off is left out.
    with (project.folder / "log.jsonl").open("a") as log:
        log.write('{"at": "2026')
    assert [entry["step"] for entry in project.history()] == ["classify"]


@pytest.mark.parametrize(("folder", "file"), [("home/sms", "sms.csv"), ("new", "nowhere.csv")])
def test_a_project_that_cannot_be_made_changes_nothing(
    project: Project, tmp_path: Path, folder: str, file: str
) -> None:
    with pytest.raises(UserError):
        Project.create(tmp_path / folder, tmp_path / file, "again")
    assert project.settings.name == "Mes SMS"
    assert not (tmp_path / "new").exists()


@given(readings, st.text(), st.floats(0.001, 0.5))
def test_settings_are_read_as_they_were_written(reading: Reading, name: str, most: float) -> None:
    settings = Settings(name, "sms.csv", reading, max_residue=most)
    assert Settings.parse(settings.text()) == settings


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1, "name": "x"}'])
def test_settings_that_are_none_are_one_clear_error(project: Project, text: str) -> None:
    (project.folder / "project.json").write_text(text)
    with pytest.raises(TriageError, match="no settings of a project"):
        _ = project.settings
