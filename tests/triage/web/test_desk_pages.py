"""The pages of the desk, and that they are for its owner alone."""

import re
from pathlib import Path

import pytest

from tests.triage.web.conftest import MESSAGES
from tests.triage.web.desks import client_at, send, until, upload
from tests.triage.web.queues import (
    HEADERS,
    HOSTILE,
    STEP,
    TestClient,
    fields,
    make_queue,
)
from triage import Triage, data
from triage.anonymise.plan import read_plan
from triage.anonymise.table import read_table
from triage.queue import Answer, Filters, Queue, Reason
from triage.settings import Senders
from triage.vocabulary import IdentifierType
from triage.web import quality
from triage.web.project import Project
from triage.web.steps import Step
from triage.web.visits import Desk

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
PAGES = ["import", "read", "replace", "verify", "publish"]


def _client(home: Path, *, language: str = "en", logged_in: bool = True) -> TestClient:
    return client_at(Desk(home, "anna"), language, logged_in=logged_in)


@pytest.fixture
def client(desk: Desk) -> TestClient:
    return client_at(desk)


def _confirm(client: TestClient, style: str = "tag", **chosen: str) -> None:
    types = {f"type_{kind}": "replace" for kind in IdentifierType}
    send(client, "/project/sms/replace", style=style, **types, **chosen)


def _wait(client: TestClient) -> None:
    until(lambda: not client.get("/project/sms/progress").json()["running"])


def _run(client: TestClient, project: Project, *steps: Step) -> None:
    for step in steps:
        send(client, "/project/sms/run", step=step.value, back="")
        _wait(client)
        *_, last = project.history()
        assert (last["step"], last["is_done"]) == (step.value, True)


def test_the_home_names_the_projects_and_what_is_next(client: TestClient) -> None:
    html = client.get("/").text
    assert "Mes SMS" in html
    assert "Next: Check how the file is read" in html
    assert "Nothing leaves this computer." in html


def test_a_file_becomes_a_project_of_the_folder(client: TestClient, tmp_path: Path) -> None:
    html = send(client, "/new", path=str(tmp_path / "sms.csv"), name="Été 2024")
    assert "is read as csv" in html
    assert Project(tmp_path / "home" / "Été-2024").original.exists()
    html = send(client, "/new", path="/nowhere/sms.csv", name="")
    assert "/nowhere/sms.csv is not a file" in html
    # One that is dropped, too.
    sent = upload(client, "/upload?name=../chat.csv", MESSAGES.encode())
    assert sent == (200, "/project/chat/import")
    assert Project(tmp_path / "home" / "chat").original.read_text() == MESSAGES
    assert not list((tmp_path / "home").glob(".incoming-*"))


def test_a_leak_in_the_sample_comes_back_to_be_read(
    client: TestClient, project: Project, shipped: Triage
) -> None:
    make_queue(project.queue, shipped, [("7", "ok"), ("31", "on mange")], expert=False)
    project.final.write_text("id,text,final_action\n1,ok,NTA\n2,on mange,NTA\n")
    quality.begin(project, 0.05)
    send(client, "/project/sms/verify/sample/answer", row="2", said="yes")
    with Queue.open(project.queue) as queue:
        assert [(one.reason, one.item) for one in queue.handed_over()] == [(Reason.LEAK, 2)]
        assert queue.next("anna") == 2


def test_the_share_that_two_read_is_changed_in_the_queue(
    client: TestClient, project: Project, shipped: Triage
) -> None:
    make_queue(project.queue, shipped, [("7", "Rose et pierre"), ("31", "chez Zorguinette")])
    send(client, "/project/sms/read", max_residue="0.2", double="100")
    with Queue.open(project.queue) as queue:
        assert queue.status().doubled == 2


def test_columns_that_were_chosen_are_kept(client: TestClient, project: Project) -> None:
    send(client, "/project/sms/import", text_column="text", sender_column="sender", look="1")
    reading = project.settings.reading
    columns = (reading.text_column, reading.sender_column, reading.id_column)
    assert columns == ("text", "sender", None)
    assert "Next: Check how the file is read" in client.get("/").text
    send(client, "/project/sms/import")
    assert "Next: Choose how much to read" in client.get("/").text
    _confirm(client, becomes="drop sender")
    assert read_plan(project.plan)[0].treatment.sender is Senders.DROP


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_there_before_anything_was_done(
    project: Project, page: str, language: str
) -> None:
    client = _client(project.folder.parent, language=language)
    response = client.get(f"/project/sms/{page}")
    assert response.status_code == 200
    assert f'<html lang="{language}">' in response.text
    assert f'<a href="/project/sms/{page}" aria-current="page">' in response.text


def test_publishing_is_locked_at_first(client: TestClient, project: Project) -> None:
    assert "Publishing is locked" in client.get("/project/sms/publish").text
    data = {"why": "I want to."}
    refused = client.post("/project/sms/publish", data=data, headers=HEADERS)
    assert refused.status_code == 409
    assert not project.published.exists()


@pytest.mark.parametrize("language", ["fr", "en"])
def test_each_bound_says_what_it_asks_before_the_triage(project: Project, language: str) -> None:
    html = _client(project.folder.parent, language=language).get("/project/sms/read").text
    rows = re.findall(r'data-bound="([\d.]+)" data-said="([^"]+)"', html)
    assert [bound for bound, _ in rows][:3] == ["0.05", "0.1", "0.15"]
    assert all("text" in said for _, said in rows)
    assert ("Estimated from" in html) == (language == "en")


def test_only_what_a_project_publishes_is_served(client: TestClient, project: Project) -> None:
    project.key.write_text("secret")
    folders = ("..", "nowhere", "%2e%2e", "sms%2f..", ".")
    paths = [f"/project/{name}/import" for name in folders]
    names = ("corpus.key", "../corpus.key", "%2e%2e%2fcorpus.key")
    for path in (*paths, *(f"/project/sms/publish/{name}" for name in names)):
        response = client.get(path)
        assert (response.status_code, "secret" in response.text) == (404, False)


@pytest.mark.slow
def test_the_whole_way_from_the_file_to_the_published_corpus(tmp_path: Path) -> None:
    file = tmp_path / "sms.csv"
    hostile, sample = HOSTILE.replace('"', '""'), SAMPLE.read_text(encoding="utf-8")
    file.write_text(f'{sample}9999,44,2011-09-17,"{hostile}",TA,[]\n', encoding="utf-8")
    (tmp_path / "home").mkdir()
    project = Project.create(tmp_path / "home" / "sms", file, "Mes SMS")
    client = client_at(Desk(tmp_path / "home", "anna"))
    _run(client, project, Step.CLASSIFY)
    # After the triage the bounds are counted.
    html = client.get("/project/sms/read").text
    assert "Counted on your messages;" in html
    said = re.search(r'data-bound="0.2" data-said="(\d+) texts to read', html)
    shown = re.search(r'<p class="lead">(\d+) messages to read', html)
    assert said
    assert shown
    assert said[1] == shown[1]
    _run(client, project, Step.QUEUE)
    # A message that nobody has decided is not written.
    with Queue.open(project.queue) as queue:
        queue.decide_all("anna", queue.numbers("anna", Filters())[1:], Answer.TA)
    _run(client, project, Step.APPLY, Step.NAMES)
    seen = read_table(project.names).entries[0].spelling
    change = {"seen": seen, "number": "0", "offset": "0", "change": "name", "value": "Zorglub"}
    send(client, "/project/sms/replace/names", **change)
    _run(client, project, Step.ANONYMISE, Step.CHECK)
    assert "Zorglub" in project.anonymised.read_text(encoding="utf-8")
    assert "would be missing" in client.get("/project/sms/publish").text
    # A reason opens the lock, and is noted.
    why = "The rest follows in a year."
    sent = {"why": why, "format": ["iob2", "brat"]}
    client.post("/project/sms/publish", data=sent, headers=HEADERS)
    _wait(client)
    assert why in [entry.get("why") for entry in project.history()]
    served = client.get("/project/sms/publish/corpus.csv")
    assert "attachment" in served.headers["content-disposition"]
    assert "Tarek" not in served.text
    html = client.get("/project/sms/publish").text
    assert "corpus.csv" in html
    assert "brat.zip" in html
    assert (project.published / "corpus.conll").read_text(encoding="utf-8").count("# text")
    assert client.get("/project/sms/publish/brat").content.startswith(b"PK")
    assert 'lang="fr"' in html.split("never be shared")[0]
    assert "Publishing" in client.get("/project/sms/project").text
    # What is decided makes later steps out of date.
    form = fields(client.get("/project/sms/read/").text, STEP)
    client.post("/project/sms/read/decide", data=form | {"answer": "NTA"}, headers=HEADERS)
    assert "data-progress" in client.get("/project/sms/verify").text
    _wait(client)
