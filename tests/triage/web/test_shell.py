"""The way from a file to its publication: steps that run by themselves, and assurances."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.web.conftest import MESSAGES, new_project
from tests.triage.web.desks import client_at, done
from tests.triage.web.queues import STEP, decide_all, fields, make_queue
from triage import Triage
from triage.anonymise.check import Certainty
from triage.anonymise.plan import read_plan
from triage.decide.people import read_people
from triage.queue import Answer, Queue, Reason, Span, Task
from triage.settings import Senders
from triage.vocabulary import IdentifierType
from triage.web import jobs, quality
from triage.web import publishing as checks
from triage.web.pages import translator
from triage.web.project import Project
from triage.web.stages import ORDER
from triage.web.visits import Desk

pytestmark = pytest.mark.slow
PRE = IdentifierType.PRE
PAGES = ("import", "read", "replace", "verify", "verify/sample", "publish")


class Owner:
    """Anna, who asks the pages of her project and waits for the steps that they need."""

    def __init__(self, home: Path, language: str = "en") -> None:
        self.desk, self._project = Desk(home, "anna"), Project(home / "sms")
        self.client = client_at(self.desk, language)

    def see(self, page: str) -> str:
        self.client.get(f"/project/sms/{page}")
        if job := self.desk.jobs.of(self._project):
            job.join()
        return self.client.see(f"/project/sms/{page}")

    def send(self, page: str, **fields: str | list[str]) -> str:
        self.client.submit(f"/project/sms/{page}", **fields)
        return self.see(page)

    def answer(self, item: int = 0) -> str:
        """Answer the next item, or another one; return where that leads."""
        form = fields(self.client.see(f"/project/sms/read/{f'item/{item}' if item else ''}"), STEP)
        sent = self.client.form("/project/sms/read/decide", {**form, "answer": "NTA"})
        return str(sent.url.path)

    def confirm(self, style: str = "tag", **fields: str | list[str]) -> str:
        types = {f"type_{kind}": "replace" for kind in IdentifierType}
        return self.send("replace", style=style, **types, **fields)


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


def test_a_sample_not_showing_the_bound_locks_publishing(owner: Owner, checked: Project) -> None:
    sample = quality.begin(checked, 0.05)
    html = owner.see("verify/sample")
    # The keys are those of the language.
    assert 'data-key="y" aria-keyshortcuts="Y">Yes' in html
    assert "Does this message identify anyone?" in html
    assert re.findall(r'<option value="([\d.]+)"', html) == ["0.01", "0.02", "0.05"]
    for row in sample.left[:59]:
        sample = quality.answered(sample, row, row == sample.rows[quality.Stratum.RELEASED][0])
        if len(sample.answers) == 1:
            quality.keep(checked, sample)
            # One answer tells nothing of all messages.
            assert "At most" not in owner.see("verify/sample")
    quality.keep(checked, sample)
    # The other half asks something else.
    assert "This message was anonymised; here it is as it was" in owner.see("verify/sample")
    html = owner.see("publish")
    assert "At most 7.79% of all these messages hold one" in html
    assert "does not show that at most 5.00% of the messages" in html
    assert 'href="/project/sms/verify/sample"' in html
    assert owner.client.status("/project/sms/publish", hold="yes") == 409
    # Other decisions do not open what a sample has locked.
    text = checked.final.read_text()
    checked.final.write_text(text.replace("message 399,NTA", "message 399,TA"))
    done(checked, *ORDER)
    assert quality.sampled(checked)["above"] == pytest.approx((0.0779, 0.05), abs=1e-3)
    checked.final.write_text(text)
    done(checked, *ORDER)
    owner.send("publish", why="The rest is read next year.")
    [told] = [one for one in checked.history() if one.get("step") == "publish"]
    assert told["why"] == "The rest is read next year."
    assert told["against"]["above"] == pytest.approx([0.0779, 0.05], abs=1e-4)


@pytest.mark.usefixtures("queued")
def test_the_last_answer_leads_to_what_is_next(owner: Owner) -> None:
    assert owner.answer() == "/project/sms/read/"
    assert owner.answer() == "/project/sms/replace"
    # Who comes back corrects in peace.
    assert owner.answer(item=1) == "/project/sms/read/"


@pytest.fixture
def owner(project: Project) -> Iterator[Owner]:
    owner = Owner(project.folder.parent)
    yield owner
    owner.desk.jobs.end()


def _steps(project: Project) -> list[str]:
    return [one["step"] for one in project.history() if one["what"] == "step"]


def _taken_to_replacing(owner: Owner, project: Project) -> None:
    owner.send("import", text_column="text")
    owner.send("read", max_residue="0.2", double="0")
    decide_all(project.queue)


def test_steps_run_once_and_publishing_by_its_owner_alone(owner: Owner, project: Project) -> None:
    for page in PAGES:
        owner.see(page)
    assert _steps(project) == []
    _taken_to_replacing(owner, project)
    assert _steps(project) == ["classify", "queue"]
    for page in PAGES:
        owner.see(page)
    # Style and columns were not confirmed.
    assert _steps(project) == ["classify", "queue"]
    assert "Confirm style and columns" in owner.see("replace")
    owner.confirm()
    assert _steps(project)[2:] == ["apply", "anonymise"]
    # One bar tells how far all of them are.
    job = owner.desk.jobs.of(project)
    assert job
    assert (job.is_done, job.look()[0]) == (True, 1.0)
    # A check that leaves nothing to look at leads to publishing.
    html = owner.see("verify")
    assert "<h1>Verify</h1>" in html
    assert re.findall(r"""<a class="button[^>]*href="([^"]*)""", html)[-1] == "/project/sms/publish"
    for page in (*PAGES, *PAGES):
        owner.see(page)
    assert _steps(project)[4:] == ["check"]
    assert not project.published.exists()
    owner.send("publish", format="brat")
    assert _steps(project)[5:] == ["publish"]
    html = owner.see("publish")
    assert '<p class="note good" role="status">' in html
    assert "<summary>Publish again</summary>" in html
    client = owner.client
    file, folder = (client.get(f"/project/sms/publish/{one}") for one in ("corpus.csv", "brat"))
    assert "attachment" in file.headers["content-disposition"]
    assert ("Maëlle" in file.text, folder.content[:2]) == (False, b"PK")
    # A correction after publishing costs one click.
    assert "See what is published" in owner.see("project")
    with Queue.open(project.queue) as queue:
        queue.decide("anna", 2, Answer.TA, (Span(0, 3, IdentifierType.NOM),))
    before = (project.published / "corpus.csv").read_bytes()
    html = owner.see("publish")
    for told in ("not yet included", "No sample", translator("en")("desk.format.iob2")):
        assert told in html
    assert (project.published / "corpus.csv").read_bytes() == before
    owner.send("publish")
    assert (project.published / "corpus.csv").read_bytes() != before
    # What is to be read anew is published by nobody who does not leave it out.
    with Queue.open(project.queue) as queue:
        queue.add_items([Task(Reason.FINDING, row=1)], again=True)
    assert "1 text to read" in owner.see("publish")
    assert client.status("/project/sms/publish") == 409


@pytest.fixture(scope="module")
def checked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was taken to its check, of which tests take copies."""
    folder = tmp_path_factory.mktemp("checked")
    project, owner = new_project(folder), Owner(folder / "home")
    _taken_to_replacing(owner, project)
    owner.confirm()
    owner.see("verify")
    return folder / "home"


@pytest.fixture
def before_publishing(checked_home: Path, tmp_path: Path) -> Iterator[tuple[Owner, Project]]:
    yield from _copied(checked_home, tmp_path)


def _copied(home: Path, folder: Path) -> Iterator[tuple[Owner, Project]]:
    shutil.copytree(home, folder / "home")
    owner = Owner(folder / "home")
    yield owner, Project(folder / "home" / "sms")
    owner.desk.jobs.end()


def test_looking_repeats_no_step_that_failed(before_publishing: tuple[Owner, Project]) -> None:
    owner, project = before_publishing
    assert _steps(project)[-1] == "check"
    project.names.write_text("no table of people\n")
    html = owner.see("verify")
    assert "Try again" in html
    assert translator("en")("desk.failed") in html
    n_steps = len(_steps(project))
    owner.see("verify")
    assert len(_steps(project)) == n_steps
    project.names.unlink()
    assert "Try again" not in owner.see("verify")


def test_a_leak_locks_publishing_until_decided(before_publishing: tuple[Owner, Project]) -> None:
    owner, project = before_publishing
    owner.send("verify/sample", bound="0.05")
    sample = quality.read(project)
    assert sample
    leak = sample.rows[quality.Stratum.RELEASED][0]
    while leak not in sample.answers:
        owner.send("verify/sample/answer", row=str(sample.left[0]), said="yes")
        sample = quality.read(project)
        assert sample
    with Queue.open(project.queue) as queue:
        assert {one.reason for one in queue.handed_over()} == {Reason.LEAK}
        [item] = {one.item for one in queue.handed_over()}
    assert 'id="take" name="answer" value="NTA"' not in owner.see(f"read/item/{item}")
    html = owner.see("publish")
    assert "still undecided" in html
    assert owner.client.status("/project/sms/publish", hold="yes") == 409
    why = "Its person has agreed to it."
    owner.send("publish", why=why)
    assert [one["why"] for one in project.history() if one.get("step") == "publish"] == [why]
    html = owner.see("publish")
    assert "had not been corrected when the corpus was published" in html
    decide_all(project.queue, Answer.TA)
    html = owner.see("publish")
    assert "still undecided" not in html
    owner.send("publish", hold="yes")
    assert "corrected or left out before publication" in owner.see("publish")


KEPT: str = cases_beside(__file__)["kept"]


@pytest.fixture(scope="module")
def kept_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with spellings that were marked in one message and left in others."""
    folder = tmp_path_factory.mktemp("kept")
    project, owner = new_project(folder, KEPT), Owner(folder / "home")
    _taken_to_replacing(owner, project)
    with Queue.open(project.queue) as queue:
        for number, span in ((1, Span(7, 14, PRE)), (4, Span(5, 10, PRE))):
            queue.decide("anna", number, Answer.TA, (span,))
        for number in (2, 3, 5):
            queue.decide("anna", number, Answer.NTA)
    owner.confirm()
    return folder / "home"


@pytest.fixture
def verified(kept_home: Path, tmp_path: Path) -> Iterator[tuple[Owner, Project]]:
    """A project whose check finds spellings that were marked here and left there."""
    yield from _copied(kept_home, tmp_path)


def test_what_the_check_found_is_decided_as_it_was_found(verified: tuple[Owner, Project]) -> None:
    owner, project = verified
    read, asked = "/project/sms/read", "/project/sms/read/checked"

    def say(said: str) -> str:
        form = fields(owner.client.see(asked), ["last", "back", "word"])
        sent = owner.client.form(f"{read}/spelling", {**form, "type": "PRE", "said": said})
        return str(sent.url.path)

    # The spelling that stands most often comes first, as the messages stand after reading.
    assert f'href="{asked}"' in owner.see("verify")
    html = owner.client.see(asked)
    assert 'id="spelling"><bdi lang="fr">Zorvane</bdi>' in html
    assert "worth a look · appears 3 times · replaced elsewhere" in html
    # Where it depends on the message, these come to be read, and no other.
    assert say("here") == f"{read}/only/finding"
    with Queue.open(project.queue) as queue:
        assert sorted(one.item for one in queue.handed_over()) == [2, 3, 4]
        for number in (2, 3, 4):
            queue.decide("anna", number, Answer.NTA)
    # What is put off ends, and is asked again the next time.
    assert say("later") == "/project/sms/verify"
    assert '<bdi lang="fr">Tarek</bdi>' in owner.client.see(asked)
    assert say("never") == "/project/sms/verify"
    # What people answered stays as they answered it.
    html = owner.see("verify")
    assert "The check found nothing." in html
    assert f'href="{asked}"' not in html
    found = checks.checked(project.check)
    assert found
    assert {one.certainty for one in found["left"]} == {Certainty.PLANNED}


def test_names_follow_the_decisions_and_keep_changes(verified: tuple[Owner, Project]) -> None:
    owner, project = verified
    assert "<bdi>Zorvane</bdi>" in owner.see("replace/names")
    table = read_people(project.names)
    [number] = [n for n, one in enumerate(table) if one.spelling == "Zorvane"]
    said = {"change": "name", "number": str(number), "seen": "Zorvane", "value": "Ysoline"}
    owner.send("replace/names", **said, facet="", sort="count", offset="0")
    with Queue.open(project.queue) as queue:
        queue.decide("anna", 2, Answer.TA, (Span(7, 14, PRE), Span(17, 23, IdentifierType.SUR)))
    html = owner.see("replace/names")
    assert "<bdi>demain</bdi>" in html
    found = {one.spelling: (one.count, one.replacement) for one in read_people(project.names)}
    assert found["Zorvane"] == (2, "Ysoline")
    # What is of the present decisions is not made again.
    n_steps = len(_steps(project))
    assert owner.see("replace/names") == html
    assert len(_steps(project)) == n_steps


def test_if_one_format_fails_nothing_is_published_and_the_page_says_why(tmp_path: Path) -> None:
    reason = "corpus.tei.xml ne peut pas être écrit\u00a0: TEI n’a de place que pour le message"
    rows = "id,network,text\n1,Nokia,on mange a midi\n2,Nokia,ok\n"
    project = new_project(tmp_path, rows)
    owner = Owner(tmp_path / "home", "fr")
    _taken_to_replacing(owner, project)
    owner.confirm(becomes="keep network")
    owner.see("verify")
    # What cannot be is said before it is asked for, and where it is asked for all the same.
    html = owner.see("publish")
    assert re.search('value="tei" disabled.*n’a pas de place pour network', html)
    html = owner.send("publish", format=["jsonl", "tei", "xlsx"])
    assert html.count(reason) == 1
    ticked = [one for one in re.findall("<input[^>]*>.*", html) if " checked" in one]
    assert [one for one in ticked if 'value="tei"' in one] == []
    assert len(ticked) == 2
    assert "--" not in re.sub(r"(?s)<details.*?</details>", "", html)
    assert not project.published.exists()
    owner.send("publish", format=["jsonl", "xlsx"])
    assert (project.published / "corpus.xlsx").exists()
    owner.desk.jobs.end()


def test_a_file_becomes_a_project_of_the_folder(owner: Owner, tmp_path: Path) -> None:
    html = owner.client.submit("/new", path=str(tmp_path / "sms.csv"), name="Été 2024")
    assert "is read as csv" in html
    assert Project(tmp_path / "home" / "Été-2024").original.exists()
    html = owner.client.submit("/new", path="/nowhere/sms.csv", name="")
    assert "/nowhere/sms.csv is not a file" in html
    # One that is dropped, too.
    sent = owner.client.upload("/upload?name=../chat.csv", MESSAGES.encode())
    assert sent == (200, "/project/chat/")
    assert Project(tmp_path / "home" / "chat").original.read_text() == MESSAGES
    assert not list((tmp_path / "home").glob(".incoming-*"))


def test_columns_that_were_chosen_are_kept(owner: Owner, project: Project, shipped: Triage) -> None:
    owner.client.submit(
        "/project/sms/import", text_column="text", sender_column="sender", preview="1"
    )
    reading = project.settings.reading
    columns = (reading.text_column, reading.sender_column, reading.id_column)
    assert columns == ("text", "sender", None)
    assert "Next: Check how the file is read" in owner.client.see("/")
    owner.client.submit("/project/sms/import")
    assert "Next: Choose how much to read" in owner.client.see("/")
    owner.confirm(becomes="drop sender")
    assert read_plan(project.plan)[0].treatment.sender is Senders.DROP
    # The share that two read is changed in a queue that is there.
    make_queue(project.queue, shipped, [("7", "Rose et pierre"), ("31", "chez Zorguinette")])
    owner.client.submit("/project/sms/read", max_residue="0.2", double="100")
    with Queue.open(project.queue) as queue:
        assert queue.status().doubled == 2


def test_the_share_two_read_is_set_without_sorting_anew(owner: Owner, project: Project) -> None:
    _taken_to_replacing(owner, project)
    owner.send("read", max_residue="0.2", double="100")
    assert (_steps(project), project.settings.double) == (["classify", "queue"], 1.0)
    owner.send("read", max_residue="0.2", double="100")
    assert _steps(project)[2:] == ["classify", "queue"]


def test_only_what_a_project_publishes_is_served(owner: Owner, project: Project) -> None:
    project.key.write_text("secret")
    folders = ("..", "nowhere", "%2e%2e", "sms%2f..", ".")
    paths = [f"/project/{name}/import" for name in folders]
    names = ("corpus.key", "../corpus.key", "%2e%2e%2fcorpus.key")
    for path in (*paths, *(f"/project/sms/publish/{name}" for name in names)):
        response = owner.client.get(path)
        assert (response.status_code, "secret" in response.text) == (404, False)
