"""The stages of a project, from a file to its publication: what is told of them, and done there.

A story of stages.toml has steps: what happens to a project, and what then is told of it.
"""

import re
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.cases import cases_beside
from tests.triage.web.conftest import new_project
from tests.triage.web.desks import PAGES, client_at, done
from tests.triage.web.queues import make_queue
from tests.triage.web.stories import Owner, spans, stories_of, tell
from triage import Triage
from triage.anonymise import check
from triage.anonymise.record import HeldFor, held_path
from triage.anonymise.styles import write_table
from triage.decide.people import Entry, read_people
from triage.queue import Answer, Queue, Reason, Task
from triage.vocabulary import IdentifierType
from triage.web import jobs, publishing, quality, replacing
from triage.web.jobs import Job
from triage.web.pages import translator
from triage.web.people import Right
from triage.web.project import Project
from triage.web.stages import ORDER, ProjectState, State, Step
from triage.web.visits import Desk

CASES = cases_beside(__file__)
STAGES = ("import", "read", "replace", "verify", "verify/sample", "publish")


class Shell(Owner):
    """Anna, who takes her project from stage to stage, and what others are told meanwhile."""

    n_told = 0

    def look_at_all(self) -> None:
        for page in STAGES:
            self.see(page)

    def go(self, page: str, fields: Mapping[str, object] | None = None) -> None:
        """Send a form of a page, and wait for the steps that it starts."""
        self.send(page, fields)
        self.see(page)

    def to_replacing(self) -> None:
        self.go("import", {"text_column": "text"})
        self.go("read", {"max_residue": "0.2", "double": "0"})
        self.decide_all()

    def choose_style(self, fields: Mapping[str, object] | None = None) -> None:
        types = {f"type_{kind}": "replace" for kind in IdentifierType}
        self.go("replace", {"style": "tag", **types, **(fields or {})})

    def did(self, *steps: str) -> None:
        """Tell the steps that ran since this was told last."""
        ran = [one["step"] for one in self.project.history() if one["what"] == "step"]
        assert ran[self.n_told :] == [*steps]
        self.n_told = len(ran)

    def says(self, spelling: str, said: str, page: str) -> None:
        """Answer a spelling that the check found, while steps may run; tell where that leads."""
        self.html = self.person.see(f"{self.base}read/checked")
        self.shows([f'id="spelling"><bdi lang="fr">{spelling}</bdi>'])
        self.send("read/spelling", {"type": "PRE", "said": said})
        self.is_at(page)

    def runs_nothing(self, page: str) -> None:
        job = self.desk.jobs.of(self.project)
        self.see(page)
        assert self.desk.jobs.of(self.project) is job

    def decides(self, answer: str, numbers: list[int], marks: str = "") -> None:
        with Queue.open(self.project.queue) as queue:
            for number in numbers:
                queue.decide("anna", number, Answer(answer), spans(marks))

    def to_read_anew(self, *numbers: int) -> None:
        with Queue.open(self.project.queue) as queue:
            assert sorted({one.item for one in queue.handed_over()}) == [*numbers]

    def names(self, spelling: str, replacement: str) -> None:
        written = [one.spelling for one in read_people(self.project.names)]
        place = {"number": written.index(spelling), "seen": spelling}
        self.go("replace/names", {"change": "name", **place, "value": replacement})

    def named(self, spelling: str, count: int, replacement: str) -> None:
        [one] = [one for one in read_people(self.project.names) if one.spelling == spelling]
        assert (one.count, one.replacement) == (count, replacement)

    def is_read_by_two(self) -> None:
        with self.opened() as queue:
            status = queue.status()
        assert status.doubled == status.items > 0

    def finds_a_leak(self) -> None:
        """Answer a sample until a message that was released is said to hold an identifier."""
        while (sample := quality.read(self.project)) and not sample.leaks:
            self.send("verify/sample/answer", {"row": sample.left[0], "said": "yes"})

    def asks_anew(self, row: int) -> None:
        with Queue.open(self.project.queue) as queue:
            queue.add_items([Task(Reason.FINDING, row=row)], again=True)

    def is_through(self) -> None:
        """Tell that one bar went through all steps of a job."""
        job = self.desk.jobs.of(self.project)
        assert job
        assert (job.is_done, job.look()[0]) == (True, 1.0)

    def names_no_option(self) -> None:
        """Tell that no option of a command stands in the page, beside what it says of commands."""
        assert "--" not in re.sub(r"(?s)<details.*?</details>", "", self.html)

    def leads_to(self, page: str) -> None:
        links = re.findall(r"""<a class="button[^>]*href="([^"]*)""", self.html)
        assert links[-1] == self.base + page

    def takes(self, path: str, start: str) -> None:
        """Take a file, which is no page."""
        file = self.person.get(self.base + path)
        assert "attachment" in file.headers["content-disposition"]
        assert file.content.startswith(start.encode())

    def ticked(self, *formats: str) -> None:
        assert {*re.findall(r'value="(\w+)" checked', self.html)} == {*formats}

    def holds(self, name: str, shown: list[str], hidden: list[str] = ()) -> None:  # type: ignore[assignment]
        text = (self.project.folder / name).read_text(encoding="utf-8")
        assert [one for one in shown if one not in text] == []
        assert [one for one in hidden if one in text] == []

    def bound(self, max_residue: float) -> None:
        self.project.change(max_residue=max_residue)

    def cancelled(self, *steps: str) -> None:
        job = Job(self.project, tuple(map(Step, steps)), "anna")
        self.desk.jobs._jobs[self.project.folder] = job
        job.was_cancelled = True
        job.start()
        job.join()

    def runs(self, stage: str) -> None:
        """Tell that a stage is shown as running while its steps do, whatever was done before."""
        assert [one.state for one in self.rail(runs=stage) if one.name.value == stage] == ["runs"]

    def shares(self, *names: str) -> None:
        with self.opened() as queue:
            queue.double(1.0)
            queue.assign(names)

    def told(self, name: str, rights: list[str], key: str, line: str, *lines: str) -> None:
        """Tell what somebody is told to do, beside the line of reading and who has to."""
        standing, t = ProjectState(self.project, {*(rights or Right)}, name), translator("en")
        todo, rail = standing.todo(t, ""), standing.rail(t, "")
        assert (todo.key, rail[1].line, [*todo.lines]) == (f"todo.{key}", line, [*lines])

    def steps_are(self, *states: str) -> None:
        """Tell the states of the first steps."""
        found = [*ProjectState(self.project).states.values()]
        assert found[: len(states)] == [*map(State, states)]

    def needs(self, step: str, *steps: str) -> None:
        assert ProjectState(self.project).needed(Step(step)) == (*map(Step, steps),)


def _shell(home: Path, language: str = "en") -> Iterator[Shell]:
    shell = Shell(Project(home / "sms"), Desk(home, "anna"), language)
    yield shell
    shell.desk.jobs.end()


@pytest.fixture
def owner(project: Project) -> Iterator[Shell]:
    yield from _shell(project.folder.parent)


@pytest.fixture
def waiting(queued: Project) -> Iterator[Shell]:
    """A project of which two messages are to be read."""
    yield from _shell(queued.folder.parent)


@pytest.fixture
def networked(tmp_path: Path) -> Iterator[Shell]:
    """A project of a file with a column that TEI has no place for."""
    new_project(tmp_path, "id,network,text\n1,Nokia,on mange a midi\n2,Nokia,ok\n")
    yield from _shell(tmp_path / "home", "fr")


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["told"]))
def test_stages(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


@pytest.mark.slow
@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


@pytest.fixture(autouse=True, scope="module")
def _at_once() -> Iterator[None]:
    """Let each look bring a stage up to date, however short ago the last one was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "_SECONDS_SHOWN", 0.0)
        yield


@pytest.fixture
def checked(project: Project, shipped: Triage) -> Project:
    """A project of 400 messages that was checked, without anything left."""
    rows = (f"{i},message {i},{'TA' if i % 4 == 0 else 'NTA'}\n" for i in range(1, 401))
    project.final.write_text("id,text,final_action\n" + "".join(rows))
    messages = [("7", f"message {i}") for i in range(1, 401)]
    make_queue(project.queue, shipped, messages, expert=False)
    project.check.write_text('{"left": [], "rows": 400}')
    project.anonymised.write_text("id,text\n")
    project.key_table.write_text("row,column,start,end,text,replacement\n")
    for stage in ("import", "replace"):
        project.note("confirmed", stage=stage, by="anna")
    done(project, *ORDER)
    return project


@pytest.mark.slow
def test_a_sample_not_showing_the_bound_locks_publishing(owner: Shell, checked: Project) -> None:
    sample = quality.begin(checked, 0.05)
    # The keys are those of the language.
    asked = 'data-key="y" aria-keyshortcuts="Y">Yes'
    owner.see("verify/sample", [asked, "Does this message identify anyone?"])
    assert re.findall(r'<option value="([\d.]+)"', owner.html) == ["0.01", "0.02", "0.05"]
    for row in sample.left[:59]:
        sample = quality.answered(sample, row, row == sample.rows[quality.Stratum.RELEASED][0])
        if len(sample.answers) == 1:
            quality.keep(checked, sample)
            # One answer tells nothing of all messages.
            owner.see("verify/sample", [], ["At most"])
    quality.keep(checked, sample)
    # The other half asks something else.
    owner.see("verify/sample", ["This message was anonymised; here it is as it was"])
    shown = [
        "At most 7.79% of all these messages",
        "does not show that at most 5.00% of the messages",
    ]
    owner.see("publish", [*shown, 'href="/project/sms/verify/sample"'])
    owner.refused(409, "publish", {"hold": "yes"})
    # Other decisions do not open what a sample has locked.
    text = checked.final.read_text()
    checked.final.write_text(text.replace("message 399,NTA", "message 399,TA"))
    done(checked, *ORDER)
    assert quality.sampled(checked)["above"] == pytest.approx((0.0779, 0.05), abs=1e-3)
    checked.final.write_text(text)
    done(checked, *ORDER)
    owner.go("publish", {"why": "The rest is read next year."})
    [told] = [one for one in checked.history() if one.get("step") == "publish"]
    assert told["why"] == "The rest is read next year."
    assert told["against"]["above"] == pytest.approx([0.0779, 0.05], abs=1e-4)


@pytest.mark.slow
def test_answers_of_two_tabs_are_both_kept(
    owner: Shell, checked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = quality.begin(checked, 0.05).left[:2]
    keep = quality.keep

    def keep_later(*kept: Any) -> None:
        time.sleep(0.1)
        keep(*kept)

    monkeypatch.setattr(quality, "keep", keep_later)
    to, clients = "/project/sms/verify/sample/answer", [client_at(owner.desk) for _ in rows]
    with ThreadPoolExecutor() as tabs:
        sent = [
            tabs.submit(client.form, to, {"row": row, "said": "no"})
            for client, row in zip(clients, rows, strict=True)
        ]
    assert [one.result().status_code for one in sent] == [200, 200]
    sample = quality.read(checked)
    assert sample
    assert {*sample.answers} == {*rows}


@pytest.fixture(scope="module")
def checked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was taken to its check, of which tests take copies."""
    folder = tmp_path_factory.mktemp("checked")
    new_project(folder)
    shell = next(_shell(folder / "home"))
    shell.to_replacing()
    shell.choose_style()
    shell.see("verify")
    return folder / "home"


@pytest.fixture
def before_publishing(checked_home: Path, tmp_path: Path) -> Iterator[Shell]:
    yield from _copied(checked_home, tmp_path)


def _copied(home: Path, folder: Path) -> Iterator[Shell]:
    shutil.copytree(home, folder / "home")
    yield from _shell(folder / "home")


@pytest.fixture(scope="module")
def kept_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with spellings that were marked in one message and left in others."""
    folder = tmp_path_factory.mktemp("kept")
    new_project(folder, CASES["kept"])
    shell = next(_shell(folder / "home"))
    shell.to_replacing()
    shell.decides("TA", [1], "7:14:PRE")
    shell.decides("TA", [4], "5:10:PRE")
    shell.decides("NTA", [2, 3, 5])
    shell.choose_style()
    return folder / "home"


@pytest.fixture
def verified(kept_home: Path, tmp_path: Path) -> Iterator[Shell]:
    """A project whose check finds spellings that were marked here and left there."""
    yield from _copied(kept_home, tmp_path)


def test_no_page_leads_to_one_that_who_sees_it_may_not_open(queued: Project, desk: Desk) -> None:
    with Queue.open(queued.queue) as queue:
        queue.decide("anna", 1, Answer.NTA)
        queue.note("anna", 1, "?", asks=True)
    queued.note("confirmed", stage="replace", by="anna")
    queued.anonymised.write_text("text\nok\n")
    queued.key_table.touch()
    queued.final.write_text("text,action\nok,TA\n")
    held = f"row,id,reason,written\n1,,{HeldFor.UNMARKED},no\n"
    held_path(str(queued.anonymised)).write_text(held)
    queued.check.write_text('{"rows": 1, "left": []}')
    for path in (queued.names_made, queued.names):
        write_table(path, [Entry("Rose", "rose", IdentifierType.PRE, 1, True, "")])
    done(queued, Step.APPLY, Step.ANONYMISE, Step.CHECK)
    desk.jobs.bring_up_to = lambda *_: None  # type: ignore[method-assign]  # no step runs
    refused = set()
    for right in Right:
        client = client_at(desk, logged_in=False)
        client.get("/", params={"token": desk.people.add("sms", "Bruno", [right])})
        for page in ("", *PAGES, "replace/names?open=1", "read/", "read/list", "read/status"):
            html = client.see(f"/project/sms/{page}")
            assert "An error of the program" not in html, page
            links, forms = (
                re.findall(f'{name}="(/project/[^"?]*)', html) for name in ("href", "action")
            )
            refused |= {(right, page, to) for to in links if client.get(to).status_code == 403}
            refused |= {(right, page, to) for to in forms if client.status(to, a="1") == 403}
    assert not refused


def test_examples_that_a_step_works_out_are_waited_for(
    waiting: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Path] = []

    def cards(file: Path) -> list[dict[str, object]]:
        found.append(file)
        time.sleep(0.5)
        return []

    class Sorting(Job):
        def run(self) -> None:
            self.n_done, self.ended = 1, time.time()
            replacing.style_cards(self.project)

    monkeypatch.setattr(replacing, "_cards", cards)

    project = waiting.project
    job = waiting.desk.jobs._jobs[project.folder] = Sorting(project, (Step.CLASSIFY,), "anna")
    job.start()
    waiting.person.see("/project/sms/replace")
    job.join()
    assert found == [project.triaged]


def test_findings_are_put_together_by_spelling_once(
    waiting: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting.check("likely")
    path = waiting.project.check
    path.write_text(path.read_text().replace('"column": ""', '"column": "text"'))
    grouped = mock.Mock(wraps=check.grouped)
    monkeypatch.setattr(publishing, "grouped", grouped)
    for _ in range(2):
        waiting.see("read/checked", ['id="spelling"><bdi lang="">Zorguinette'])
    assert grouped.call_count == 1
