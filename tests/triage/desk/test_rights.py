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
from triage.queue import Answer, Queue
from triage.web.app import Desk, build
from triage.web.base import Right
from triage.web.forms import Sessions
from triage.web.project import Project
from triage.web.security import Hosts

ANYONE = frozenset(Right)
ANNOTATOR, ADJUDICATOR = frozenset({Right.ANNOTATE}), frozenset({Right.ADJUDICATE})
REVIEWER = ANNOTATOR | ADJUDICATOR
STEWARD = frozenset({Right.PUBLISH})
NO_RIGHT_ALONE: frozenset[Right] = frozenset()

PROJECT = "/project/{project}"
REVIEW = f"{PROJECT}/read"
GUIDELINES = ("POST", f"{REVIEW}/guidelines")
FORMS = (
    *("import", "read", "replace", "replace/names", "verify/sample", "verify/sample/answer"),
    *("publish", "run", "cancel"),
)
PAGES = (*FORMS[:5], "verify", "publish", "publish/{name}", "project")
# What the pages of a review are for, and their forms.
OF_ANNOTATORS = ("", "item/{number}", "table", "spellings")
SENT_BY_ANNOTATORS = ("decide", "word", "word/confirm", "filters", "table", "spellings")
ROUTES = {
    **{("GET", path): ANYONE for path in ("/", "/static/{name}")},
    ("POST", "/language"): ANYONE,
    **{("POST", path): STEWARD for path in ("/upload", "/new", "/sample")},
    ("GET", "/annotators"): STEWARD,
    **{("POST", path): STEWARD for path in ("/annotators", "/annotators/remove")},
    **{("GET", f"{PROJECT}/{page}"): ANYONE for page in ("", "progress")},
    ("GET", f"{PROJECT}/project/archive"): NO_RIGHT_ALONE,
    **{("GET", f"{PROJECT}/{page}"): STEWARD for page in PAGES},
    **{("POST", f"{PROJECT}/{form}"): STEWARD for form in FORMS},
    **{("GET", f"{REVIEW}/{page}"): ANNOTATOR for page in OF_ANNOTATORS},
    **{("POST", f"{REVIEW}/{form}"): ANNOTATOR for form in SENT_BY_ANNOTATORS},
    **{("GET", f"{REVIEW}/{page}"): REVIEWER for page in ("status", "guidelines", "static/{name}")},
    **{("POST", f"{REVIEW}/{form}"): REVIEWER for form in ("undo", "note", "language")},
    **{("GET", f"{REVIEW}/adjudicate{one}"): ADJUDICATOR for one in ("", "/{number}")},
    ("POST", f"{REVIEW}/adjudicate"): ADJUDICATOR,
    GUIDELINES: NO_RIGHT_ALONE,
}
HEADERS = {"Origin": ORIGIN}
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
    names = NAMES | {"name": "icon.svg" if "static" in path else "corpus.csv"}
    address = path.format(**names)
    if method == "GET":
        return int(client.get(address).status_code)
    headers = {**HEADERS, "X-CSRF": csrf}
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
    for origin, token in (({"Origin": "http://evil.example"}, csrf), ({}, csrf), (HEADERS, "no")):
        headers = {"X-CSRF": token, **origin}
        assert client.post(address, data={"csrf": token}, headers=headers).status_code == 403
    assert client.post(address, data={"csrf": ""}, headers=HEADERS).status_code == 403


def test_an_annotator_sees_no_answer_of_another_and_who_adjudicates_both(desk: Desk) -> None:
    item = _client(desk, Right.ANNOTATE).get("/project/sms/read/item/1").text
    for unseen in ("dora", "emil", "/read/adjudicate"):
        assert unseen not in item
    page = _client(desk, Right.ADJUDICATE).get("/project/sms/read/adjudicate").text
    assert "dora" in page
    assert "emil" in page


def test_guidelines_are_changed_by_annotators_who_publish(desk: Desk) -> None:
    client = _client(desk, Right.ANNOTATE, Right.PUBLISH)
    assert _status(client, *GUIDELINES, _csrf(client)) == 400


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_link_that_was_replaced_or_removed_ends_its_sessions(
    desk: Desk, is_replaced: bool
) -> None:
    client = _client(desk, Right.PUBLISH)
    assert client.get("/project/sms/publish").status_code == 200
    if is_replaced:
        desk.people.add("Bruno", [Right.PUBLISH])
    else:
        desk.people.remove("Bruno")
    assert client.get("/project/sms/publish").status_code == 403
