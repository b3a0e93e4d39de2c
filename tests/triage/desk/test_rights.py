"""Who may do what: each route of the desk, and the rights of which one opens it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.routing import BaseRoute, Mount, Route, Router

from tests.triage.review.queues import (
    HOSTILE,
    ORIGIN,
    PORT,
    SITE,
    TOKEN,
    TestClient,
    client_of,
    make_queue,
)
from triage import Triage
from triage.desk.app import Desk, build
from triage.desk.people import Right
from triage.desk.project import Project
from triage.queue import Answer, Queue
from triage.review.security import Hosts
from triage.review.sessions import Sessions

ANYONE = frozenset(Right)
ANNOTATOR, ADJUDICATOR = frozenset({Right.ANNOTATE}), frozenset({Right.ADJUDICATE})
REVIEWER = ANNOTATOR | ADJUDICATOR
STEWARD = frozenset({Right.PUBLISH})
NO_RIGHT_ALONE: frozenset[Right] = frozenset()

PROJECT = "/project/{project}"
REVIEW = f"{PROJECT}/review"
GUIDELINES = ("POST", f"{REVIEW}/guidelines")
ROUTES = {
    ("GET", "/"): ANYONE,
    ("GET", "/static/{name}"): ANYONE,
    ("POST", "/language"): ANYONE,
    ("POST", "/upload"): STEWARD,
    ("POST", "/new"): STEWARD,
    ("POST", "/sample"): STEWARD,
    ("GET", "/annotators"): STEWARD,
    ("POST", "/annotators"): STEWARD,
    ("POST", "/annotators/remove"): STEWARD,
    ("GET", f"{PROJECT}/"): ANYONE,
    ("GET", f"{PROJECT}/progress"): ANYONE,
    ("GET", f"{PROJECT}/move"): NO_RIGHT_ALONE,
    ("GET", f"{PROJECT}/import"): STEWARD,
    ("POST", f"{PROJECT}/import"): STEWARD,
    ("GET", f"{PROJECT}/triage"): STEWARD,
    ("POST", f"{PROJECT}/triage"): STEWARD,
    ("GET", f"{PROJECT}/names"): STEWARD,
    ("POST", f"{PROJECT}/names"): STEWARD,
    ("GET", f"{PROJECT}/replace"): STEWARD,
    ("POST", f"{PROJECT}/replace"): STEWARD,
    ("GET", f"{PROJECT}/check"): STEWARD,
    ("GET", f"{PROJECT}/quality"): STEWARD,
    ("POST", f"{PROJECT}/quality"): STEWARD,
    ("POST", f"{PROJECT}/quality/answer"): STEWARD,
    ("GET", f"{PROJECT}/publish"): STEWARD,
    ("POST", f"{PROJECT}/publish"): STEWARD,
    ("GET", f"{PROJECT}/published/{{name}}"): STEWARD,
    ("POST", f"{PROJECT}/run"): STEWARD,
    ("POST", f"{PROJECT}/cancel"): STEWARD,
    ("GET", f"{REVIEW}/"): ANNOTATOR,
    ("GET", f"{REVIEW}/item/{{number}}"): ANNOTATOR,
    ("POST", f"{REVIEW}/decide"): ANNOTATOR,
    ("POST", f"{REVIEW}/undo"): REVIEWER,
    ("POST", f"{REVIEW}/word"): ANNOTATOR,
    ("POST", f"{REVIEW}/word/confirm"): ANNOTATOR,
    ("POST", f"{REVIEW}/filters"): ANNOTATOR,
    ("GET", f"{REVIEW}/table"): ANNOTATOR,
    ("POST", f"{REVIEW}/table"): ANNOTATOR,
    ("GET", f"{REVIEW}/spellings"): ANNOTATOR,
    ("POST", f"{REVIEW}/spellings"): ANNOTATOR,
    ("GET", f"{REVIEW}/status"): REVIEWER,
    ("GET", f"{REVIEW}/adjudicate"): ADJUDICATOR,
    ("POST", f"{REVIEW}/adjudicate"): ADJUDICATOR,
    ("GET", f"{REVIEW}/adjudicate/{{number}}"): ADJUDICATOR,
    ("POST", f"{REVIEW}/note"): REVIEWER,
    ("GET", f"{REVIEW}/guidelines"): REVIEWER,
    GUIDELINES: NO_RIGHT_ALONE,
    ("POST", f"{REVIEW}/language"): REVIEWER,
    ("GET", f"{REVIEW}/static/{{name}}"): REVIEWER,
}
NAMES = {"project": "sms", "number": "1"}


@pytest.fixture(scope="module")
def triaged(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    """A queue of one message, on which two annotators disagree."""
    path = make_queue(tmp_path_factory.mktemp("rights") / "work.queue", shipped, [("7", HOSTILE)])
    with Queue.open(path) as queue:
        queue.double(1.0)
        queue.decide("dora", 1, Answer.TA, queue.item(1).suggested_spans)  # type: ignore[union-attr]
        queue.decide("emil", 1, Answer.NTA)
    return path


@pytest.fixture
def desk(project: Project, triaged: Path) -> Iterator[Desk]:
    project.queue.write_bytes(triaged.read_bytes())
    desk = Desk(project.folder.parent, "anna")
    yield desk
    desk.end()


def _client(desk: Desk, *rights: Right) -> TestClient:
    """Return somebody with a link of these rights."""
    token = desk.people.add("Bruno", rights)
    sessions = Sessions(TOKEN, people=desk.people.opened_by)
    client = client_of(
        build(desk, sessions=sessions, hosts=Hosts(SITE, PORT)), logged_in=False, language="en"
    )
    client.follow_redirects = False
    client.get("/", params={"token": token})
    return client


def _status(client: TestClient, method: str, path: str, csrf: str) -> int:
    names = NAMES | {"name": "icon.svg" if "static" in path else "anonymised.csv"}
    address = path.format(**names)
    if method == "GET":
        return int(client.get(address).status_code)
    headers = {"Origin": ORIGIN, "X-CSRF": csrf}
    return int(client.post(address, data={"csrf": csrf}, headers=headers).status_code)


def _csrf(client: TestClient) -> str:
    return str(client.get("/").text.split('name="csrf" value="')[1].split('"')[0])


def _found(routes: list[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    for route in routes:
        if isinstance(route, Mount):
            yield from _found(route.routes, prefix + route.path)
        elif isinstance(route, Route):
            yield from ((method, prefix + route.path) for method in route.methods or ())


def test_the_table_has_every_route(desk: Desk, project: Project) -> None:
    review = desk._review(project, "anna")
    assert isinstance(review, Router)
    found = {*_found([*desk.routes()]), *_found(review.routes, REVIEW)}
    assert {route for route in found if route[0] != "HEAD"} == set(ROUTES)


@pytest.mark.parametrize("right", Right)
def test_a_right_opens_its_routes_and_no_others(desk: Desk, right: Right) -> None:
    client = _client(desk, right)
    csrf = _csrf(client)
    opened = {route: _status(client, *route, csrf) for route in ROUTES}
    assert {route for route, status in opened.items() if status != 403} == {
        route for route, rights in ROUTES.items() if right in rights
    }
    assert not {route for route, status in opened.items() if status >= 500}


def test_a_link_without_rights_opens_no_page(desk: Desk) -> None:
    client = _client(desk)
    pages = [path for method, path in ROUTES if method == "GET" and "static" not in path]
    assert {_status(client, "GET", path, "") for path in pages} == {403}


def test_without_a_link_nothing_is_there(desk: Desk) -> None:
    client = _client(desk, *Right)
    csrf = _csrf(client)
    client.cookies.clear()
    assert {_status(client, *route, csrf) for route in ROUTES} == {403}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_no_other_method_is_answered(desk: Desk, method: str) -> None:
    client = _client(desk, *Right)
    paths = {path.format(**NAMES, name="icon.svg") for _, path in ROUTES}
    assert {client.request(method, path).status_code for path in paths} == {405}


@pytest.mark.parametrize("path", [path for method, path in ROUTES if method == "POST"])
def test_nothing_is_sent_from_another_page(desk: Desk, path: str) -> None:
    client = _client(desk, *Right)
    csrf = _csrf(client)
    address = path.format(**NAMES)
    for headers in ({"Origin": "http://evil.example"}, {}):
        sent = client.post(address, data={"csrf": csrf}, headers={"X-CSRF": csrf, **headers})
        assert sent.status_code == 403


def test_an_annotator_sees_no_answer_of_another(desk: Desk) -> None:
    client = _client(desk, Right.ANNOTATE)
    item = client.get("/project/sms/review/item/1").text
    assert "dora" not in item
    assert "emil" not in item
    assert "/review/adjudicate" not in item


def test_who_adjudicates_sees_both_answers(desk: Desk) -> None:
    page = _client(desk, Right.ADJUDICATE).get("/project/sms/review/adjudicate").text
    assert "dora" in page
    assert "emil" in page


def test_guidelines_are_changed_by_annotators_who_publish(desk: Desk) -> None:
    client = _client(desk, Right.ANNOTATE, Right.PUBLISH)
    assert _status(client, *GUIDELINES, _csrf(client)) == 400


def test_a_link_that_was_replaced_ends_its_sessions(desk: Desk) -> None:
    client = _client(desk, Right.PUBLISH)
    assert client.get("/project/sms/publish").status_code == 200
    desk.people.add("Bruno", [Right.PUBLISH])
    assert client.get("/project/sms/publish").status_code == 403
