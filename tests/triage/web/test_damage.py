"""Damage stays where it is: a project says what is damaged, and everything else works."""

import sqlite3
import stat
import zipfile
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from tests.triage.web.conftest import MESSAGES
from tests.triage.web.desks import PAGES, client_at
from tests.triage.web.queues import TestClient, make_queue
from triage import Triage
from triage.errors import UserError
from triage.web.homes import card, create, pack
from triage.web.project import Project, projects_in
from triage.web.visits import Desk

GARBAGE = b"\xff\xfe\x00garbage\x00" * 99


@pytest.fixture
def full(project: Project, shipped: Triage) -> Project:
    """A project with all its parts, as if its steps were done."""
    make_queue(project.queue, shipped, [("7", "Rose et pierre"), ("31", "chez Tarek")])
    table = "id,sender,text,action,final_action\n1,7,Rose et pierre,EXPERT,NTA\n"
    for path in (project.triaged, project.final, project.anonymised):
        path.write_text(table, encoding="utf-8")
    project.check.write_text('{"left": [], "rows": 2}', encoding="utf-8")
    for step in ("classify", "queue", "apply", "anonymise", "check"):
        project.note("step", step=step, by="anna", is_done=True, inputs="")
    return project


@pytest.fixture
def desk(project: Project, desk: Desk) -> Desk:
    """A desk with another project beside."""
    Project.create(project.folder.parent / "other", project.original, "Another")
    return desk


@pytest.fixture
def client(desk: Desk) -> TestClient:
    return client_at(desk)


DAMAGED = [
    *("project.json", "log.jsonl", "work.queue", "triaged.csv", "final.csv", "anonymised.csv"),
    *("check.json", "plan.toml", "people.csv", "quality.json", "keys.csv"),
]


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("content", [GARBAGE, b"", b"[1, 2]", b"{}\n3\n"])
def test_damage_of_one_project_stops_nothing_else(
    client: TestClient, full: Project, name: str, content: bytes
) -> None:
    (full.folder / name).write_bytes(content)
    home = client.get("/")
    assert home.status_code == 200
    assert "Another" in home.text
    assert client.get("/project/other/import").status_code == 200
    # Its own page leads out, and where another one fails the first page says so.
    page = client.get("/project/sms/project")
    assert page.status_code == 200
    assert "/project/sms/project/archive" in page.text
    answers = {one: client.get(f"/project/sms/{one}").status_code for one in (*PAGES, "read/")}
    card = home.text.split('<a href="/project/sms/"')[1].split("</li>")[0]
    assert {*answers.values()} <= {200, 400, 404} or "damaged" in card, (answers, card)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *((name, name) for name in ("project.json", "log.jsonl", "work.queue")),
        ("check.json", "A file of this project is damaged"),
    ],
)
def test_the_card_of_a_damaged_project_says_so_in_one_line(
    client: TestClient, full: Project, name: str, told: str
) -> None:
    (full.folder / name).write_bytes(GARBAGE)
    home = unescape(client.get("/").text)
    card = home.split('<a href="/project/sms/"')[1].split("</li>")[0]
    assert told in card
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
    with sqlite3.connect(path) as queue:
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


PARTS = ("log.jsonl", "work.queue", "plan.toml", "triaged.csv")
OUTSIDE = ("../evil", "/evil", "sms/../../evil", "sms\\..\\evil")
LED_OUT = b'{"format": 1, "name": "x", "original": "../../secret.csv", "reading": {}}'
NO_SETTINGS = b'{"format": 1, "name": 7, "original": "sms.csv", "reading": 3}'


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        *((_with(f"sms/{name}", GARBAGE), "") for name in PARTS),
        (_with("sms/original/sms.csv", b"\x00\xff"), ""),
        *((_with("sms/project.json", text), "no settings") for text in (LED_OUT, NO_SETTINGS)),
        *((change, "") for change in (_with_trigger, _with_link, _doubled)),
        *((_with(name), "what no project has") for name in OUTSIDE),
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


def test_what_is_hidden_in_an_archive_is_not_brought(
    full: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = pack(full, tmp_path)
    _with("sms/.accounts.json", b"{}")(archive)
    _with("sms/.styles.figure", b"{}")(archive)
    opened = create(elsewhere, archive)
    assert {path.name for path in opened.folder.rglob(".*")} == {".look.figure"}
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
    # A folder is copied, too; a name that is taken is numbered.
    assert create(elsewhere, project.folder).folder == elsewhere / "sms-2"
    assert project.original.exists()
    assert [card(one)["title"] for one in projects_in(elsewhere)] == ["Mes SMS"] * 2
