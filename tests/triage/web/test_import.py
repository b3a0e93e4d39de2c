"""A file that is brought: no project until it reads, and each way to read it was tried."""

import errno
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.web.conftest import MESSAGES, PreviewFile
from tests.triage.web.queues import Person
from tests.triage.web.stories import Owner, stories_of, tell
from triage.anonymise.plan import Plan
from triage.data import create_output
from triage.settings import Dates, Ids, Senders
from triage.vocabulary import IdentifierType
from triage.web import importing, visits
from triage.web.importing import preview
from triage.web.pages import translator
from triage.web.project import Project
from triage.web.replacing import Becomes, chosen_columns, first_plan, with_columns
from triage.web.visits import Desk

CASES = cases_beside(__file__)


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """The desk of an empty folder of projects."""
    desk = Desk(home, "anna")
    yield desk
    desk.jobs.end()


class Bringer(Owner):
    """Anna, who brings a file to an empty folder of projects."""

    def offers(self, setting: str, *values: str) -> None:
        """Tell the values that a setting can be given, without that of the program."""
        found = re.search(rf'(?s)<select name="{setting}".*?</select>', self.html)
        assert re.findall(r'<option value="([^"]+)"', found[0] if found else "") == [*values]

    def has_column(self, column: str, name: str) -> None:
        """Tell the column that was chosen or found by what it holds, if one was."""
        found = getattr(self.project.settings.reading, f"{column}_column")
        assert (found or "") == name

    def becomes_at_first(self, chosen: dict[str, str]) -> None:
        """Tell what becomes of columns unless somebody says otherwise."""
        found = chosen_columns(Plan(), preview(self.project))
        of = {one["column"]["name"]: one["chosen"] for one in found}
        assert of | chosen == of


@pytest.fixture
def bringer(home: Path, desk: Desk) -> Bringer:
    return Bringer(Project(home / "sms"), desk)


@pytest.fixture
def apart_too(bringer: Bringer, apart: PreviewFile, monkeypatch: pytest.MonkeyPatch) -> Bringer:
    """Anna, whose file is previewed by a process of its own."""
    monkeypatch.setattr(importing, "preview_file", apart)
    return bringer


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


def test_a_file_is_understood_and_shown_on_ten_rows(owner: Person) -> None:
    rows = "".join(f"{n},7,2011-09-17,message {n:02}\n" for n in range(30))
    status, page = owner.upload("/upload?name=sms.csv", f"id,sender,date,text\n{rows}".encode())
    assert (status, page) == (200, "/project/sms/")
    html = owner.see(page)
    assert [n for n in range(30) if f"message {n:02}" in html] == [*range(10)]
    t = translator("en")
    found = t("desk.found_out", column="utf-8")
    for told in (found, t("import.dated", n="30", of="30"), "30 messages", "csv", "English"):
        assert told in html


def test_numbers_are_proposed_for_ids_unless_they_may_be_of_telephones(owner: Person) -> None:
    # Those of one person, then those of another.
    of_two = [*range(1_100), 5]
    for numbers, is_proposed in (*CASES["numbers"], (of_two, False)):
        rows = "".join(f"{n};un message pour la suite\n" for n in numbers)
        _, page = owner.upload("/upload?name=sms.csv", f"Numéro du SMS;remarques\n{rows}".encode())
        html = owner.see(page)
        assert ("<bdi>Numéro du SMS</bdi> <small>message ids" in html) is is_proposed
        assert ('<option value="Numéro du SMS" selected' in html) is is_proposed


def _database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE a (number)")
        database.execute("CREATE TABLE b (corps)")
        database.execute("INSERT INTO b VALUES ('Coucou Maëlle')")
        database.execute("INSERT INTO a VALUES (1)")


def test_files_of_many_kinds_become_projects(owner: Person, tmp_path: Path) -> None:
    with create_output(tmp_path / "sms.xlsx", ["text"]) as output:
        output.write([["Coucou Maëlle"]])
        output.commit()
    _database(tmp_path / "sms.db")
    for name, content in (
        *(("sms.csv", MESSAGES.encode(encoding)) for encoding in ("utf-16-le", "cp1252")),
        ("sms.txt", b"Coucou, tu viens ?\nOui\n"),
        ("sms.txt", b"17/09/2011, 11:58 - Anna: Coucou\n"),
        *((name, (tmp_path / name).read_bytes()) for name in ("sms.xlsx", "sms.db")),
    ):
        status, page = owner.upload(f"/upload?name={name}", content)
        assert (status, "Coucou" in owner.see(page)) == (200, True), name


UNREADABLE = [
    ("sms.csv", b""),
    ("sms.csv", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + bytes(range(256)) * 20),
    ("sms.csv", b"id,text\n"),
    ("sms.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(2000)),
    ("sms.json", b'{"a": '),
    ("sms.db", b"SQLite format 3\0" + bytes(500)),
    ("sms.xlsx", b"PK\x03\x04" + bytes(500)),
    # The end of an archive, whose list of files is none.
    ("sms.xlsx", bytes(46) + b"PK\x05\x06" + bytes(8) + b"\x2e" + bytes(9)),
    ("sms.csv", b"number\n1\n"),
]


def test_there_is_no_project_of_what_does_not_read(owner: Person, home: Path) -> None:
    for name, content in UNREADABLE:
        status, line = owner.upload(f"/upload?name={name}", content)
        assert (status, name in line, len(line.splitlines())) == (400, True, 1)
    assert [path.name for path in home.iterdir() if path.is_dir()] == []


def _endless(path: Path) -> bytes:
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE VIEW sms AS WITH RECURSIVE n(text) AS (SELECT 'Coucou' UNION ALL "
            "SELECT text FROM n) SELECT text FROM n"
        )
    return path.read_bytes()


def test_a_view_that_never_ends_is_ended_and_stops_nobody(
    owner: Person, home: Path, tmp_path: Path, apart: PreviewFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "preview_file", apart)
    monkeypatch.setattr(importing, "_SECONDS", 1.0)
    content, begun = _endless(tmp_path / "endless.db"), time.monotonic()
    status, line = owner.upload("/upload?name=endless.db", content)
    assert (status, "never ends" in line) == (400, True)
    assert time.monotonic() - begun < 20
    assert [path.name for path in home.iterdir() if path.is_dir()] == []
    Project.create(home / "endless", tmp_path / "endless.db", "Endless")
    assert owner.get("/").status_code == 200
    assert "never ends" in owner.see("/project/endless/import")
    # It is not previewed again.
    begun = time.monotonic()
    assert "never ends" in owner.see("/project/endless/import")
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize("is_known", [True, False])
def test_a_disk_that_is_full_is_told_in_words(
    owner: Person, home: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    def copy(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if is_known:
        monkeypatch.setattr(visits, "disk_usage", lambda _: SimpleNamespace(free=10))
    else:
        # It fills while a project is made.
        monkeypatch.setattr(shutil, "copyfile", copy)
    status, line = owner.upload("/upload?name=sms.csv", MESSAGES.encode())
    assert (status, line.startswith("The disk is full")) == (507, True)
    assert [path.name for path in home.iterdir() if path.is_dir()] == []


@pytest.fixture
def columned(tmp_path: Path) -> Project:
    """A project of a file with columns of all kinds."""
    (tmp_path / "sms.csv").write_text(CASES["columned"], encoding="utf-8")
    return Project.create(tmp_path / "project", tmp_path / "sms.csv", "SMS")


def test_each_column_has_its_role_and_what_was_found_in_it(columned: Project) -> None:
    found = {column["name"]: column for column in preview(columned)["columns"]}
    assert [column["role"] for column in found.values()] == [
        *("id", "sender", "other", "date", "other", "other", "text")
    ]
    assert dict(found["destinataire"]["holds"]) == {IdentifierType.TEL: 3}
    assert dict(found["note"]["holds"]) == {IdentifierType.PRE: 1}
    assert not found["operateur"]["is_warned_of"]
    # Ids that identify somebody become numbers at first.
    assert first_plan(Plan(), preview(columned)).treatment.ids is Ids.NUMBER
    assert first_plan(Plan(), {"columns": []}).treatment.ids is Ids.KEEP


def test_what_is_chosen_of_the_columns_is_in_the_plan(columned: Project) -> None:
    said, found = CASES["chosen"], preview(columned)
    columns = with_columns(Plan(), found, said).treatment
    assert columns.pseudonym == ("destinataire",)
    assert columns.keep == ("operateur", "note")
    assert columns.as_it_is == ("note",)
    assert (columns.ids, columns.sender, columns.dates) == (
        *(Ids.NUMBER, Senders.DROP, Dates.MONTH),
    )
    by_name = {one["column"]["name"]: one for one in chosen_columns(Plan(columns), found)}
    assert {name: one["chosen"] for name, one in by_name.items()} == {**said, "text": None}
    assert Becomes.AS_IT_IS in by_name["destinataire"]["choices"]
    assert Becomes.KEEP not in by_name["destinataire"]["choices"]
    # What is not said of a column is the default.
    for said in ({"nowhere": "keep"}, {"operateur": "hide"}, {}):
        assert with_columns(Plan(), found, said) == Plan()
