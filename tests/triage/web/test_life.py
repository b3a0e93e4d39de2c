"""The life of a project: it is renamed, extended, given another file, and deleted."""

import csv
from pathlib import Path

import pytest

from tests.triage.cli.program import Refused
from tests.triage.web.desks import client_at, ended, send, upload
from tests.triage.web.queues import TestClient, make_queue
from triage import Triage
from triage.queue import Answer, Queue
from triage.web import homes
from triage.web.jobs import Jobs
from triage.web.people import Right
from triage.web.project import Project
from triage.web.steps import Step
from triage.web.visits import Desk

MORE = "id,sender,text\n4,31,Tarek dit que c bon pr samedi\n5,8,Solveig arrive demain\n"


@pytest.fixture
def client(desk: Desk) -> TestClient:
    return client_at(desk)


def _texts(project: Project) -> list[str]:
    with project.original.open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def test_a_project_has_another_name_and_the_same_links(
    client: TestClient, project: Project
) -> None:
    assert "<h1><bdi>Août <2011></bdi></h1>" in send(
        client, "/project/sms/project/rename", title=" Août <2011> "
    )
    assert (project.title, project.folder.name) == ("Août <2011>", "sms")
    send(client, "/project/sms/project/rename", title=" ")
    assert project.title == "Août <2011>"


def test_messages_are_added_but_those_that_are_there(client: TestClient, project: Project) -> None:
    before = _texts(project)
    assert upload(client, "/project/sms/project/extend?name=more.csv", MORE.encode()) == (
        200,
        "/project/sms/project",
    )
    assert _texts(project) == [*before, "Solveig arrive demain"]
    assert "1 message added" in client.get("/project/sms/project").text
    # The same again adds nothing, and the file as it came is kept.
    upload(client, "/project/sms/project/extend?name=more.csv", MORE.encode())
    assert _texts(project) == [*before, "Solveig arrive demain"]
    assert (project.folder / "original" / "sms.csv").exists()
    assert "5 messages" in client.get("/project/sms/import").text


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("id,text\n9,ok\n", "does not have the same columns"),
        ("", "is empty"),
        ("n\n1\n", "no column"),
    ],
)
def test_what_does_not_fit_is_not_added(
    client: TestClient, project: Project, content: str, problem: str
) -> None:
    before = _texts(project)
    status, line = upload(client, "/project/sms/project/extend?name=more.csv", content.encode())
    assert (status, problem in line) == (400, True)
    assert _texts(project) == before


@pytest.mark.slow
def test_what_people_decided_stays_and_what_the_program_changes_is_listed(
    client: TestClient, project: Project
) -> None:
    jobs = Jobs()
    ended(jobs.start(project, (Step.CLASSIFY, Step.QUEUE), "anna"))
    with Queue.open(project.queue) as queue:
        queue.decide("anna", 1, Answer.NTA)
        said = queue.item(1).text
    upload(client, "/project/sms/project/extend?name=more.csv", MORE.encode())
    job = ended(jobs.start(project, (Step.CLASSIFY, Step.QUEUE), "anna"))
    assert job.is_done, job.problem
    with Queue.open(project.queue) as queue:
        assert queue.status().messages == 5
        assert [one.answer for one in queue.item(1).standing] == [Answer.NTA]
    # As if the program had said otherwise before of all messages.
    with project.before.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    with project.before.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(row | {"action": "other"} for row in rows)
    texts = [text for _, text, *_ in homes.changes(project)]
    assert said not in texts
    assert len(texts) == 3


def test_the_file_is_replaced_while_nothing_is_decided(
    client: TestClient, project: Project, shipped: Triage
) -> None:
    before = _texts(project)
    assert upload(client, "/project/sms/project/file?name=n.csv", b"n\n1\n")[0] == 400
    assert _texts(project) == before
    make_queue(project.queue, shipped, [("7", "Rose et pierre")])
    project.triaged.write_text("old")
    assert "Replace the file" in client.get("/project/sms/project").text
    assert upload(client, "/project/sms/project/file?name=more.csv", MORE.encode()) == (
        200,
        "/project/sms/import",
    )
    assert _texts(project) == ["Tarek dit que c bon pr samedi", "Solveig arrive demain"]
    assert sorted(path.name for path in (project.folder / "original").iterdir()) == ["more.csv"]
    assert not project.queue.exists()
    assert not project.triaged.exists()
    make_queue(project.queue, shipped, [("7", "Rose et pierre")])
    with Queue.open(project.queue) as queue:
        queue.decide("anna", 1, Answer.NTA)
    assert "Replace the file" not in client.get("/project/sms/project").text
    status, line = upload(client, "/project/sms/project/file?name=more.csv", MORE.encode())
    assert (status, "already decided" in line) == (400, True)
    assert project.queue.exists()


def test_a_project_goes_after_its_name_was_typed(
    client: TestClient, desk: Desk, project: Project, shipped: Triage
) -> None:
    make_queue(project.queue, shipped, [("7", "Rose et pierre")])
    with Queue.open(project.queue) as queue:
        queue.decide("anna", 1, Answer.NTA)
    project.key.write_text("secret")
    token = desk.people.add("sms", "Bruno", [Right.READ])
    page = client.get("/project/sms/project").text
    for goes in ("sms.csv", "1 decision", "the key", "/project/sms/project/archive"):
        assert goes in page
    assert "Nothing was deleted" in send(client, "/project/sms/project/delete", title="mes sms")
    assert project.folder.exists()
    assert "Mes SMS was deleted" in send(client, "/project/sms/project/delete", title="Mes SMS")
    assert [path.name for path in project.folder.parent.iterdir()] == [".accounts.json"]
    assert desk.people.opened_by(token) is None


def test_nothing_is_done_to_a_project_while_a_step_runs(
    client: TestClient, desk: Desk, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Running:
        is_running = True

    monkeypatch.setattr(desk.jobs, "of", lambda _: Running)
    assert upload(client, "/project/sms/project/extend?name=more.csv", MORE.encode())[0] == 409
    assert upload(client, "/project/sms/project/file?name=more.csv", MORE.encode())[0] == 409
    data = {"title": "Mes SMS"}
    assert client.post("/project/sms/project/delete", data=data).status_code == 403
    assert project.folder.exists()


def test_a_mistyped_file_is_no_folder_of_projects(refused: Refused, tmp_path: Path) -> None:
    missing = tmp_path / "missing.csv"
    assert "there is no file" in refused("desk", missing, "--no-browser")
    assert not missing.exists()
