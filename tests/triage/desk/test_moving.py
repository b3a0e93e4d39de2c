"""A project that is moved as an archive or a folder, and opened again."""

import stat
import zipfile
from pathlib import Path

import pytest

from tests.triage.desk.conftest import MESSAGES
from triage.desk.homes import cards, create
from triage.desk.moving import pack
from triage.desk.project import Project
from triage.errors import TriageError


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The folder of projects of another machine."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def test_a_project_that_was_packed_is_the_same_elsewhere(
    project: Project, tmp_path: Path, elsewhere: Path
) -> None:
    project.key.write_text("secret")
    project.note("step", step="classify", is_done=False)
    archive = pack(project, tmp_path)
    opened = create(elsewhere, archive)
    assert opened.settings == project.settings
    assert opened.original.read_text(encoding="utf-8") == MESSAGES
    assert opened.key.read_text() == "secret"
    assert [*opened.history()] == [*project.history()]


def test_a_project_that_was_brought_is_for_its_owner_alone(
    project: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = pack(project, tmp_path)
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    opened = create(elsewhere, archive)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in opened.folder.rglob("*")}
    assert modes == {"original": 0o700, "sms.csv": 0o400, "project.json": 0o600}
    assert stat.S_IMODE(opened.folder.stat().st_mode) == 0o700


def test_the_folder_of_a_project_is_copied(project: Project, elsewhere: Path) -> None:
    opened = create(elsewhere, project.folder)
    assert opened.folder == elsewhere / "sms"
    assert project.original.exists()
    assert [card.title for card in cards(elsewhere)] == ["Mes SMS"]


def test_a_name_that_is_taken_is_numbered(project: Project, tmp_path: Path) -> None:
    home = project.folder.parent
    assert create(home, pack(project, tmp_path)).name == "sms-2"


@pytest.mark.parametrize("name", ["../evil", "/evil", "sms/../../evil", "sms\\..\\evil"])
def test_paths_that_lead_out_of_an_archive_are_refused(
    name: str, project: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = pack(project, tmp_path)
    with zipfile.ZipFile(archive, "a") as packed:
        packed.writestr(name, "evil")
    with pytest.raises(TriageError, match="lead out of it"):
        create(elsewhere, archive)
    assert not [*elsewhere.iterdir()]


def test_an_original_that_lies_elsewhere_is_refused(
    project: Project, tmp_path: Path, elsewhere: Path
) -> None:
    settings = project.folder / "project.json"
    settings.write_text(settings.read_text().replace("sms.csv", "../../secret.csv"))
    with pytest.raises(TriageError, match="is no settings of a project"):
        create(elsewhere, pack(project, tmp_path))
    assert not [*elsewhere.iterdir()]


def test_an_archive_that_is_damaged_is_refused(
    project: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = pack(project, tmp_path)
    content = bytearray(archive.read_bytes())
    content[60:68] = b"\xff" * 8
    archive.write_bytes(content)
    with pytest.raises(TriageError, match="damaged"):
        create(elsewhere, archive)
    assert not [*elsewhere.iterdir()]
