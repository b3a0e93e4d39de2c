"""The life of a project: it is made, renamed, extended, packed, damaged, and deleted."""

import re
import sqlite3
import stat
import weakref
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.tables import read_rows, write_rows
from tests.triage.web.conftest import MESSAGES, new_project
from tests.triage.web.desks import PAGES, client_at, ended
from tests.triage.web.queues import Person, make_queue
from tests.triage.web.stories import Owner, stories_of, tell
from triage import Triage
from triage.decide.source import Source
from triage.errors import TriageError, UserError
from triage.queue import Answer, Filters, Queue
from triage.settings import Reading
from triage.web import homes
from triage.web.jobs import Jobs
from triage.web.people import Session
from triage.web.project import Project, Settings, cached_until_changed, projects_in
from triage.web.stages import Step
from triage.web.visits import Desk

CASES = cases_beside(__file__)
PAGE = "/project/sms/project"
MORE = "id,sender,text\n4,31,Tarek dit que c bon pr samedi\n5,8,Solveig arrive demain\n"


def _files(project: Project) -> dict[Path, bytes]:
    return {one: one.read_bytes() for one in project.folder.rglob("*") if one.is_file()}


@dataclass
class _Content:
    text: str


def _texts(project: Project) -> list[str]:
    with Source(str(project.original), project.settings.reading).open() as file:
        return [text for chunk in file.chunks() for text in chunk.texts]


class Keeper(Owner):
    """Anna, who keeps a project in order."""

    files: dict[Path, bytes] | None = None

    def has(self, *texts: str) -> None:
        assert _texts(self.project) == [*texts]

    def is_of(self, content: str) -> None:
        """Let the file of the project be another one."""
        self.project.original.chmod(0o600)
        self.project.original.write_text(content, encoding="utf-8")

    def is_gone(self, *kept: str) -> None:
        """Tell what is left in the folder of projects; nobody has access to one any more."""
        assert [path.name for path in self.desk.home.iterdir()] == [*kept]
        assert not self.desk.people.of("sms")

    def offers(self, *columns: str) -> None:
        assert re.findall(r'value="(\w*)" selected', self.html) == [*columns]

    def keeps_its_files(self) -> None:
        """Tell that no file has changed since this was told last."""
        found = _files(self.project)
        assert self.files in (None, found)
        self.files = found


@pytest.fixture
def story(project: Project, desk: Desk) -> Keeper:
    return Keeper(project, desk)


@pytest.fixture
def read(story: Keeper, queued: Project) -> Keeper:
    assert story.project.folder == queued.folder
    return story


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


def test_a_file_is_read_once_of_each_version_and_the_last_alone_is_kept(tmp_path: Path) -> None:
    path, read = tmp_path / "people.csv", list["weakref.ref[_Content]"]()

    @cached_until_changed
    def reading(file: Path) -> _Content:
        found = _Content(file.read_text(encoding="utf-8"))
        read.append(weakref.ref(found))
        return found

    path.write_text("one", encoding="utf-8")
    assert [reading(path).text for _ in range(2)] == ["one", "one"]
    path.write_text("another", encoding="utf-8")
    assert [reading(path).text for _ in range(2)] == ["another", "another"]
    assert [one() is None for one in read] == [True, False]


def test_messages_that_are_numbered_anew_for_each_person_are_added(home: Path) -> None:
    export = home / "sms.csv"
    of_lea = "".join(f"{n},lea,message {n}\n" for n in range(1_100))
    messages = f"no,expediteur,texte\n{of_lea}1,paul,ok\n2,paul,oui\n"
    export.write_text(messages, encoding="utf-8")
    project = homes.create(home, export)
    export.write_text(f"{messages}1,jean,bonjour\n", encoding="utf-8")
    assert homes.extend(project, export, "anna") == 1


@pytest.mark.slow
def test_decisions_stay_and_what_changes_is_listed(owner: Person, project: Project) -> None:
    jobs = Jobs()
    ended(jobs.start(project, (Step.CLASSIFY, Step.QUEUE), "anna"))
    with Queue.open(project.queue) as queue:
        queue.decide("anna", 1, Answer.NTA)
        said, skipped = queue.item(1).text, queue.item(2).text
        queue.decide("anna", 2, Answer.SKIP)
    owner.upload(f"{PAGE}/extend?name=more.csv", MORE.encode())
    job = ended(jobs.start(project, (Step.CLASSIFY, Step.QUEUE), "anna"))
    assert job.is_done, job.problem
    with Queue.open(project.queue) as queue:
        assert queue.status().messages == 5
        assert [one.answer for one in queue.item(1).standing] == [Answer.NTA]
    # As if the program had said otherwise before of all messages.
    rows = read_rows(project.before)
    write_rows(project.before, [row | {"action": "other"} for row in rows])
    texts = [text for _, text, *_ in homes.changes(project)]
    assert said not in texts
    assert skipped in texts
    assert len(texts) == 3


def test_nothing_is_done_to_a_project_while_a_step_runs(
    owner: Person, desk: Desk, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Running:
        is_running = True

    monkeypatch.setattr(desk.jobs, "of", lambda _: Running)
    assert owner.upload(f"{PAGE}/extend?name=more.csv", MORE.encode())[0] == 409
    assert owner.upload(f"{PAGE}/file?name=more.csv", MORE.encode())[0] == 409
    assert owner.status(f"{PAGE}/delete", title="Mes SMS") == 409
    assert project.folder.exists()


def test_a_page_shows_its_step(owner: Person, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ending:
        step, stage, is_running, is_done = "names", "replace", True, True

        def look(self) -> tuple[float, None]:
            return 1.0, None

    def read_late(*_: object) -> dict[str, object]:
        Ending.is_running = False
        return {"found": [], "is_made": False}

    monkeypatch.setattr(desk.jobs, "of", lambda _: Ending())
    monkeypatch.setattr("triage.web.replacing.names_page", read_late)
    # Its script asks whether the stage is still the one that the page shows as running.
    assert owner.get("/project/sms/progress").json()["running"] == "replace"
    assert '" data-stage="replace"' in owner.see("/project/sms/replace/names")
    assert 'class="work"' not in owner.see("/project/sms/replace/names")


words = st.none() | st.text(min_size=1)
readings = st.builds(Reading, words, words, words, words, words, words, words, words, st.booleans())


def test_the_original_is_a_private_copy_not_to_be_written(project: Project, tmp_path: Path) -> None:
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


def test_a_project_that_cannot_be_made_changes_nothing(project: Project, tmp_path: Path) -> None:
    for folder, file in (("home/sms", "sms.csv"), ("new", "nowhere.csv")):
        with pytest.raises(UserError):
            Project.create(tmp_path / folder, tmp_path / file, "again")
    assert project.settings.name == "Mes SMS"
    assert not (tmp_path / "new").exists()
    # Settings that are none are one clear error.
    for text in ("", "[]", '{"format": 2}', '{"format": 1, "name": "x"}'):
        (project.folder / "project.json").write_text(text)
        with pytest.raises(TriageError, match="no settings of a project"):
            _ = project.settings


@given(readings, st.text(), st.floats(0.001, 0.5))
def test_settings_are_read_as_they_were_written(reading: Reading, name: str, most: float) -> None:
    settings = Settings(name, "sms.csv", reading, max_residue=most)
    assert Settings.parse(settings.text()) == settings


def test_filters_and_drafts_are_those_of_one_project() -> None:
    session = Session()
    session.within("/project/a%20b/read/").filters = Filters(word="Lambrechts")
    assert session.within("/project/c/read/").filters == Filters()
    assert session.within("/project/a b/verify").filters.word == "Lambrechts"
    assert session.within("/") is session


def test_a_session_keeps_the_last_searches_under_their_numbers() -> None:
    session = Session()
    numbers = [session.number_of(f"Lambrechts {n}") for n in range(60)]
    assert [*session.searches] == numbers[-50:]
    assert session.searches[numbers[-1]] == "Lambrechts 59"
    assert session.number_of("") == 0


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


DAMAGE = cases_beside(__file__, "damage.toml")
DAMAGED: dict[str, str] = DAMAGE["damaged"]


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
        *((_with(f"sms/{name}", GARBAGE), "") for name in DAMAGE["parts"]),
        (_with("sms/original/sms.csv", b"\x00\xff"), ""),
        *(
            (_with("sms/project.json", text.encode()), "no settings")
            for text in DAMAGE["no_settings"]
        ),
        *((change, "") for change in (_with_trigger, _with_link, _doubled)),
        *((_with(name), "what no project has") for name in DAMAGE["outside"]),
        (_cut, "damaged"),
    ],
)
def test_an_archive_is_checked_before_it_is_taken_in(
    change: Callable[[Path], None], problem: str, full: Project, tmp_path: Path, elsewhere: Path
) -> None:
    archive = homes.pack(full, tmp_path)
    change(archive)
    with pytest.raises(UserError, match=problem or None):
        homes.create(elsewhere, archive)
    assert not [*elsewhere.iterdir()]


def test_what_is_hidden_is_not_brought(full: Project, tmp_path: Path, elsewhere: Path) -> None:
    archive = homes.pack(full, tmp_path)
    _with("sms/.accounts.json", b"{}")(archive)
    _with("sms/.styles.figure", b"{}")(archive)
    opened = homes.create(elsewhere, archive)
    assert {path.name for path in opened.folder.rglob(".*")} == {".preview.figure"}
    assert opened.original.read_text(encoding="utf-8") == MESSAGES


def test_a_packed_project_is_the_same(project: Project, tmp_path: Path, elsewhere: Path) -> None:
    project.key.write_text("secret")
    project.note("step", step="classify", is_done=False)
    archive = homes.pack(project, tmp_path)
    opened = homes.create(elsewhere, archive)
    assert opened.settings == project.settings
    assert opened.original.read_text(encoding="utf-8") == MESSAGES
    assert opened.key.read_text() == "secret"
    assert [*opened.history()] == [*project.history()]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in opened.folder.rglob("*")}
    assert (modes["original"], modes["sms.csv"]) == (0o700, 0o400)
    for path in (archive, opened.folder, *opened.folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    # A name that is taken is numbered.
    assert homes.create(elsewhere, archive).folder == elsewhere / "sms-2"
    assert project.original.exists()
    assert [one.title for one in projects_in(elsewhere)] == ["Mes SMS"] * 2
