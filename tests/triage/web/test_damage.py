"""Damage stays where it is: a project says what is damaged, and everything else works."""

import sqlite3
import stat
import zipfile
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from tests.triage.web.conftest import MESSAGES
from tests.triage.web.desks import client_at
from tests.triage.web.queues import TestClient, make_queue
from triage import Triage
from triage.errors import UserError
from triage.web.homes import create, pack
from triage.web.project import Project
from triage.web.visits import Desk

GARBAGE = b"\xff\xfe\x00garbage\x00" * 99
PAGES = (
    "import",
    "read",
    "read/",
    "replace",
    "replace/names",
    "verify",
    "verify/sample",
    "publish",
)


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
    answers = {one: client.get(f"/project/sms/{one}").status_code for one in PAGES}
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


def test_a_damaged_project_is_archived_and_deleted(client: TestClient, full: Project) -> None:
    full.queue.write_bytes(GARBAGE)
    (full.folder / "log.jsonl").write_bytes(GARBAGE)
    archive = client.get("/project/sms/project/archive")
    assert archive.status_code == 200
    assert archive.content.startswith(b"PK")


def _with(name: str, content: bytes) -> Callable[[Path], None]:
    def add(archive: Path) -> None:
        with zipfile.ZipFile(archive) as packed:
            kept = {one: packed.read(one) for one in packed.namelist() if one != f"sms/{name}"}
        with zipfile.ZipFile(archive, "w") as packed:
            for one, held in {**kept, f"sms/{name}": content}.items():
                packed.writestr(one, held)

    return add


def _with_trigger(archive: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        packed.extract("sms/work.queue", archive.parent)
    path = archive.parent / "sms" / "work.queue"
    with sqlite3.connect(path) as queue:
        queue.execute("CREATE TRIGGER evil AFTER INSERT ON answers BEGIN DELETE FROM about; END")
    _with("work.queue", path.read_bytes())(archive)


def _with_link(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as packed:
        entry = zipfile.ZipInfo("sms/publish/corpus.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(entry, "/etc/passwd")


def _doubled(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as packed, pytest.warns(UserWarning, match="Duplicate"):
        packed.writestr("sms/project.json", "{}")


@pytest.mark.parametrize(
    "change",
    [
        *(_with(name, GARBAGE) for name in ("log.jsonl", "work.queue", "plan.toml", "triaged.csv")),
        _with("original/sms.csv", b"\x00\xff"),
        _with("project.json", b'{"format": 1, "name": 7, "original": "sms.csv", "reading": 3}'),
        *(_with_trigger, _with_link, _doubled),
    ],
)
def test_an_archive_is_checked_before_it_is_taken_in(
    change: Callable[[Path], None], full: Project, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    archive = pack(full, tmp_path)
    change(archive)
    with pytest.raises(UserError):
        create(elsewhere, archive)
    assert not [*elsewhere.iterdir()]


def test_what_is_hidden_in_an_archive_is_not_brought(full: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    archive = pack(full, tmp_path)
    _with(".accounts.json", b"{}")(archive)
    _with(".styles.figure", b"{}")(archive)
    opened = create(elsewhere, archive)
    hidden = {path.name for path in opened.folder.rglob(".*")}
    assert hidden == {".look.figure"}
    assert opened.original.read_text(encoding="utf-8") == MESSAGES
