"""A project that is moved as an archive or a folder, and opened again."""

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.triage.web.conftest import MESSAGES
from triage.errors import TriageError
from triage.web.homes import card, create, pack
from triage.web.project import Project, projects_in


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The folder of projects of another machine."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def _add(name: str) -> Callable[[Path], None]:
    def add(archive: Path) -> None:
        with zipfile.ZipFile(archive, "a") as packed:
            packed.writestr(name, "evil")

    return add


def _damage(archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[60:68] = b"\xff" * 8
    archive.write_bytes(content)


def test_a_project_that_was_packed_is_the_same_elsewhere_for_its_owner_alone(
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
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in opened.folder.rglob("*")}
    assert (modes["original"], modes["sms.csv"]) == (0o700, 0o400)
    for path in (archive, opened.folder, *opened.folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_the_folder_of_a_project_is_copied(project: Project, elsewhere: Path) -> None:
    opened = create(elsewhere, project.folder)
    assert opened.folder == elsewhere / "sms"
    assert project.original.exists()
    assert [card(one)["title"] for one in projects_in(elsewhere)] == ["Mes SMS"]


def test_a_name_that_is_taken_is_numbered(project: Project, tmp_path: Path) -> None:
    home = project.folder.parent
    assert create(home, pack(project, tmp_path)).name == "sms-2"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        *(
            (_add(name), "what no project has")
            for name in ("../evil", "/evil", "sms/../../evil", "sms\\..\\evil")
        ),
        (_damage, "damaged"),
    ],
)
def test_an_archive_that_leads_out_of_it_or_is_damaged_is_refused(
    change: Callable[[Path], None], problem: str, project: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = pack(project, tmp_path)
    change(archive)
    with pytest.raises(TriageError, match=problem):
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
