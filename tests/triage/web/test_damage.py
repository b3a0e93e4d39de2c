"""Damage stays where it is: a project says what is damaged, and everything else works."""

import sqlite3
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.web.conftest import MESSAGES, new_project
from tests.triage.web.desks import PAGES, client_at
from tests.triage.web.queues import make_queue
from triage import Triage
from triage.errors import UserError
from triage.web.homes import create, pack
from triage.web.project import Project, projects_in
from triage.web.visits import Desk

GARBAGE = b"\xff\xfe\x00garbage\x00" * 99


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Project:
    """A project with all its parts, as if its steps were done, beside another one."""
    project = new_project(tmp_path_factory.mktemp("damage"))
    make_queue(project.queue, shipped, [("7", "Rose et pierre"), ("31", "chez Tarek")])
    table = "id,sender,text,action,final_action\n1,7,Rose et pierre,EXPERT,NTA\n"
    for path in (project.triaged, project.final, project.anonymised):
        path.write_text(table, encoding="utf-8")
    project.check.write_text('{"left": [], "rows": 2}', encoding="utf-8")
    for step in ("classify", "queue", "apply", "anonymise", "check"):
        project.note("step", step=step, by="anna", is_done=True, inputs="")
    Project.create(project.folder.parent / "other", project.original, "Another")
    return project


CASES = cases_beside(__file__)
DAMAGED: dict[str, str] = CASES["damaged"]


@pytest.fixture(params=DAMAGED)
def damaged(full: Project, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file of the project, which a test damages, as it is put back afterwards."""
    path = full.folder / request.param
    before = path.read_bytes() if path.exists() else None
    yield path
    path.unlink()
    if before is not None:
        path.write_bytes(before)


def test_damage_of_one_project_stops_nothing_else(full: Project, damaged: Path) -> None:
    for content in (GARBAGE, b"", b"[1, 2]", b"{}\n3\n"):
        damaged.unlink(missing_ok=True)
        damaged.write_bytes(content)
        client = client_at(Desk(full.folder.parent, "anna"))
        home = client.get("/")
        assert (home.status_code, "Another" in home.text) == (200, True)
        assert client.get("/project/other/import").status_code == 200
        # Its own page leads out, and where another one fails the first page says so.
        assert "/project/sms/project/archive" in client.see("/project/sms/project")
        answers = {one: client.get(f"/project/sms/{one}").status_code for one in (*PAGES, "read/")}
        card = unescape(home.text.split('<a href="/project/sms/"')[1].split("</li>")[0])
        assert {*answers.values()} <= {200, 400, 404} or "damaged" in card, (answers, card)
        assert content != GARBAGE or DAMAGED[damaged.name] in card
        assert client.get("/project/sms/").status_code == 200
        assert client.get("/project/sms/project/archive").content.startswith(b"PK")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The folder of projects of another machine."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def _with(name: str, content: bytes = b"evil") -> Callable[[Path], None]:
    def add(archive: Path) -> None:
        with zipfile.ZipFile(archive) as packed:
            kept = {one: packed.read(one) for one in packed.namelist() if one != name}
        with zipfile.ZipFile(archive, "w") as packed:
            for one, held in {**kept, name: content}.items():
                packed.writestr(one, held)

    return add


def _with_trigger(archive: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        packed.extract("sms/work.queue", archive.parent)
    path = archive.parent / "sms" / "work.queue"
    with closing(sqlite3.connect(path)) as queue, queue:
        queue.execute("CREATE TRIGGER evil AFTER INSERT ON answers BEGIN DELETE FROM about; END")
    _with("sms/work.queue", path.read_bytes())(archive)


def _with_link(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as packed:
        entry = zipfile.ZipInfo("sms/publish/corpus.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(entry, "/etc/passwd")


def _doubled(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as packed, pytest.warns(UserWarning, match="Duplicate"):
        packed.writestr("sms/project.json", "{}")


def _cut(archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[60:68] = b"\xff" * 8
    archive.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        *((_with(f"sms/{name}", GARBAGE), "") for name in CASES["parts"]),
        (_with("sms/original/sms.csv", b"\x00\xff"), ""),
        *(
            (_with("sms/project.json", text.encode()), "no settings")
            for text in CASES["no_settings"]
        ),
        *((change, "") for change in (_with_trigger, _with_link, _doubled)),
        *((_with(name), "what no project has") for name in CASES["outside"]),
        (_cut, "damaged"),
    ],
)
def test_an_archive_is_checked_before_it_is_taken_in(
    change: Callable[[Path], None], problem: str, full: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = pack(full, tmp_path)
    change(archive)
    with pytest.raises(UserError, match=problem or None):
        create(elsewhere, archive)
    assert not [*elsewhere.iterdir()]


def test_what_is_hidden_is_not_brought(full: Project, tmp_path: Path, elsewhere: Path) -> None:
    archive = pack(full, tmp_path)
    _with("sms/.accounts.json", b"{}")(archive)
    _with("sms/.styles.figure", b"{}")(archive)
    opened = create(elsewhere, archive)
    assert {path.name for path in opened.folder.rglob(".*")} == {".preview.figure"}
    assert opened.original.read_text(encoding="utf-8") == MESSAGES


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
    # A name that is taken is numbered.
    assert create(elsewhere, archive).folder == elsewhere / "sms-2"
    assert project.original.exists()
    assert [one.title for one in projects_in(elsewhere)] == ["Mes SMS"] * 2
