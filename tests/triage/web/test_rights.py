"""Rights: each route of the desk, and the rights of which one opens it."""

import re
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import BaseRoute, Mount, Route

from tests.cases import cases_beside
from tests.triage.web.desks import Served, client_at, serving, visiting
from tests.triage.web.queues import HOSTILE, TOKEN, Person, make_queue
from tests.triage.web.stories import Owner, read, stories_of, tell
from tests.triage.web.test_review_security import OF_OTHERS
from triage import Triage
from triage.queue import Answer, Queue
from triage.web.homes import pack
from triage.web.pages import translator
from triage.web.people import Right
from triage.web.project import Project
from triage.web.visits import Desk

CASES = cases_beside(__file__)
PROJECT = "/project/{project}"
GUIDELINES = ("POST", f"{PROJECT}/read/guidelines")
ROUTES = {
    (method, group["below"] + page): {*map(Right, group["rights"])}
    for group in CASES["routes"]
    for method in ("GET", "POST")
    for page in group.get(method, "").split()
}
NAMES = {"project": "sms", "number": "1", "reason": "disagreement"}


class Sharer(Owner):
    """Bruno, who opens the link that anna has given him, and what she does then."""

    def anna_sends(self, fields: Mapping[str, object], shown: Sequence[str] = ()) -> None:
        answer = client_at(self.desk).form("/project/sms/people", fields)
        assert [one for one in shown if one not in read(answer.text)] == []

    def the_list_changes(self, old: str, new: str) -> None:
        """Change the file of all accounts, as another server does."""
        file = self.desk.home / ".accounts.json"
        file.write_text(file.read_text().replace(old, new))

    def has_accounts(self, *names: str) -> None:
        assert [one["name"] for one in self.desk.people.of("sms")] == [*names]


@pytest.fixture(scope="module")
def triaged(tmp_path_factory: pytest.TempPathFactory, shipped: Triage) -> Path:
    """A queue of one message, on which two annotators disagree."""
    path = make_queue(tmp_path_factory.mktemp("rights") / "work.queue", shipped, [("7", HOSTILE)])
    with Queue.open(path) as queue:
        queue.double(1.0)
        queue.decide("dora", 1, Answer.TA, queue.item(1).suggested_spans)
        queue.decide("emil", 1, Answer.NTA)
    return path


@pytest.fixture
def desk(project: Project, triaged: Path) -> Iterator[Desk]:
    project.queue.write_bytes(triaged.read_bytes())
    desk = Desk(project.folder.parent, "anna")
    yield desk
    desk.jobs.end()


@pytest.mark.parametrize(("of", "steps"), stories_of(CASES["stories"]))
def test_stories(of: str, steps: list[Any], request: pytest.FixtureRequest) -> None:
    tell(request.getfixturevalue(of), steps)


@pytest.fixture
def sharer(desk: Desk, project: Project) -> Sharer:
    return Sharer(project, desk)


def _opened(desk: Desk, token: str = TOKEN) -> Person:
    """Return somebody with a link, by default the owner."""
    client = client_at(desk, logged_in=False)
    client.follow_redirects = False
    client.get("/", params={"token": token})
    return client


def _client(desk: Desk, *rights: Right, until: str = "") -> Person:
    """Return somebody with a link of these rights."""
    return _opened(desk, desk.people.add("sms", "Bruno", rights, until))


def _status(client: Person, method: str, path: str) -> int:
    names = NAMES | {"name": "icon.svg" if "static" in path else "corpus.csv"}
    address = path.format(**names)
    if method == "GET":
        return int(client.get(address).status_code)
    return client.status(address, a="1")


def _found(routes: list[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    for route in routes:
        if isinstance(route, Mount):
            yield from _found(route.routes, prefix + route.path)
        elif isinstance(route, Route):
            yield from ((method, prefix + route.path) for method in route.methods or ())


def test_the_table_has_every_route(desk: Desk) -> None:
    found = _found(client_at(desk).app.router.routes)  # type: ignore[attr-defined]
    assert {route for route in found if route[0] != "HEAD"} == set(ROUTES)


@pytest.mark.parametrize("right", [*Right, None])
def test_a_right_opens_its_routes_and_no_others(desk: Desk, right: Right | None) -> None:
    client = _client(desk, right) if right else _opened(desk)
    # The owner may do everything, and would end what others need.
    ended = ("/", f"{PROJECT}/project/archive")
    asked = [route for route in ROUTES if right or route[1] not in ended]
    opened = {route: _status(client, *route) for route in asked}
    assert {route for route, status in opened.items() if status != 403} == {
        route for route in asked if right is None or right in ROUTES[route]
    }
    assert not right or not {route for route, status in opened.items() if status >= 500}


def test_rights_hold_in_their_project_and_by_a_link_alone(desk: Desk, tmp_path: Path) -> None:
    client = _client(desk, *Right)
    other = Project.create(tmp_path / "home" / "other", tmp_path / "sms.csv", "Another")
    assert "Another" not in client.see("/")
    paths = [path for method, path in ROUTES if method == "GET" and path.startswith(PROJECT)]
    assert _client(desk, *Right, until="2011-09-17").get("/").status_code == 403
    names = NAMES | {"project": other.name, "name": "corpus.csv"}
    assert {client.get(path.format(**names)).status_code for path in paths} == {403}
    client.cookies.clear()
    assert {_status(client, *route) for route in ROUTES} == {403}


def test_no_other_method_is_answered(desk: Desk) -> None:
    client = _client(desk, *Right)
    paths = {path.format(**NAMES, name="icon.svg") for _, path in ROUTES}
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert {client.request(method, path).status_code for path in paths} == {405}, method


def test_who_opens_the_address_of_a_form_is_told_in_a_page_that_leads_back(desk: Desk) -> None:
    client = _opened(desk)
    forms = {path for method, path in ROUTES if method == "POST" and ("GET", path) not in ROUTES}
    for path in forms:
        refused = client.get(path.format(**NAMES))
        assert refused.status_code == 404, path
        assert translator("en")("error.back") in refused.text, path


def test_nothing_is_sent_from_another_page(desk: Desk) -> None:
    client = _opened(desk)
    for path in (path for method, path in ROUTES if method == "POST"):
        for headers in OF_OTHERS:
            sent = client.post(path.format(**NAMES), data={"a": "1"}, headers=headers)
            assert sent.status_code == 403, (path, headers)


def test_who_serves_keeps_their_session_when_they_try_a_link(desk: Desk) -> None:
    client = _opened(desk)
    token = desk.people.add("sms", "Bruno", [Right.READ])
    tried = client.get("/", params={"token": token})
    assert (tried.status_code, "set-cookie" in tried.headers) == (409, False)
    assert client.get("/project/sms/people").status_code == 200


def test_a_link_is_shown_once_kept_as_a_hash(desk: Desk, project: Project, tmp_path: Path) -> None:
    client = _opened(desk)
    form = {"name": "Bruno", "right": "read", "until": "2999-12-31"}
    assert client.form("/project/sms/people", form).status_code == 303
    pages = [client.see("/project/sms/people") for _ in range(2)]
    links = [re.findall(r"token=([\w-]+)", page) for page in pages]
    assert [len(found) for found in links] == [1, 0]
    file = project.folder.parent / ".accounts.json"
    assert links[0][0] not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # No archive of a project holds accounts or the key.
    with zipfile.ZipFile(pack(project, tmp_path)) as packed:
        content = b"".join(map(packed.read, packed.namelist()))
    assert not [secret for secret in (desk.people.key, "Bruno") if secret.encode() in content]
    assert _opened(desk, links[0][0]).get("/project/sms/read/item/1").status_code == 200


def test_links_and_sessions_outlive_a_restart(project: Project) -> None:
    home = project.folder.parent
    here = "127.0.0.1"
    with serving(home, host=here) as first, visiting(first) as visitor:
        page = visitor.post("/project/sms/people", name="Bruno", right="read")
        link = re.search(r">(http://[^<]+token=[^<]+)<", page)
        assert link
        first.kill()
        with serving(home, host=here) as second:
            assert second.link == first.link
            assert "<bdi>anna</bdi>" in visitor.get("/")
            with visiting(Served(second.process, link[1])) as bruno:
                assert "<bdi>Bruno</bdi>" in bruno.get("/")
            # A second server leaves the links of the first.
            with serving(home, host=here) as other:
                assert other.address != first.address


def test_the_first_page_tells_who_can_reach_it(project: Project) -> None:
    for host, reach in (("127.0.0.1", "local"), ("0.0.0.0", "network")):
        with serving(project.folder.parent, host=host) as served:
            local = Served(served.process, re.sub("//[^:]+:", "//127.0.0.1:", served.link))
            with visiting(local) as visitor:
                assert translator("en")(f"desk.reach.{reach}") in unescape(visitor.get("/"))
