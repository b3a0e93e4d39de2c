"""Nobody but the annotator's own page reads or decides anything."""

import logging
import re
import sqlite3
import time
from collections.abc import Callable
from html import unescape

import pytest

from tests.triage.web.queues import (
    HOSTILE,
    MESSAGES,
    ORIGIN,
    PORT,
    SITE,
    STEP,
    TOKEN,
    Person,
    client_of,
    fields,
    find,
    guarded,
)
from triage.queue import Answer, Queue
from triage.web.forms import Sessions
from triage.web.security import HEADERS, Hosts

PAGES = ["/", "/item/1", "/status", "/static/triage.css", "/nowhere", "/list", "/only/spelling"]
SENT = {"Origin": ORIGIN}
FORM = {**SENT, "Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def stranger(queue: Queue) -> Person:
    """Somebody without a session."""
    client = client_of(guarded(queue), logged_in=False)
    client.follow_redirects = False
    return client


def _answer(client: Person) -> dict[str, str]:
    return {**fields(client.see("/"), STEP), "answer": "NTA"}


def _decided(queue: Queue) -> int:
    return queue.progress("anna").decided


@pytest.mark.parametrize("page", PAGES)
def test_without_the_cookie_there_is_an_explanation_alone(stranger: Person, page: str) -> None:
    # A forged cookie is none.
    for cookie in ("", f"name.{'0' * 64}"):
        stranger.cookies.set(f"triage_{PORT}", cookie)
        response = stranger.get(page)
        assert response.status_code == 403
        assert "le nouveau lien" in response.text
        assert not any(text in response.text for _, text in MESSAGES)


def test_the_token_leaves_the_address_and_is_not_the_cookie(stranger: Person) -> None:
    for token in ("", "wrong", TOKEN[:-1], "é"):
        response = stranger.get("/", params={"token": token})
        assert (response.status_code, "set-cookie" in response.headers) == (403, False)
    # A link of another page opens by way of our own.
    headers = {"Sec-Fetch-Site": "cross-site"}
    response = stranger.get("/", params={"token": TOKEN}, headers=headers)
    assert (response.status_code, 'content="0; url=/"' in response.text) == (200, True)
    response = stranger.get("/", params={"token": TOKEN})
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/").status_code == 200


def test_a_ticket_opens_once_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(TOKEN)
    first, second = sessions.ticket(), sessions.ticket()
    assert (sessions.whose(first), sessions.whose(first)) == ("", None)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 1000.0)
    assert (sessions.whose(second), sessions.whose(TOKEN)) == (None, "")


def test_another_host_name_is_refused(client: Person) -> None:
    ports = ("evil.example", "127.0.0.1", "localhost", "other.localhost")
    for host in ("evil.example", *(f"{name}:{PORT}" for name in ports), "", "[:"):
        response = client.get("/", headers={"Host": host})
        assert (response.status_code, "Maëlle" in response.text) == (421, False)


@pytest.mark.parametrize(
    ("host", "header", "is_allowed"),
    [
        ("queue.localhost", "queue.localhost", True),
        # A tunnel to the server may have another port.
        ("queue.localhost", "queue.localhost:8000", True),
        ("queue.localhost", "localhost", False),
        ("127.0.0.1", "localhost", True),
        ("::1", "[::1]:8000", True),
        ("queue.example", "queue.example:8000", True),
        ("0.0.0.0", "192.0.2.7:8000", True),  # noqa: S104
        ("0.0.0.0", "evil.example:8000", False),  # noqa: S104
    ],
)
def test_hosts(host: str, header: str, is_allowed: bool) -> None:
    assert Hosts(host, 80).allow(header) is is_allowed


# What a form of another page is sent with.
OF_OTHERS: list[dict[str, str]] = [
    {},
    *({"Origin": one} for one in ("https://evil.example", "null", "http://[")),
    *({"Origin": f"http://{one}"} for one in (f"{SITE}:{PORT + 1}", f"127.0.0.1:{PORT}")),
    *({"Referer": page} for page in ("https://evil.example/", f"{ORIGIN}/item/1")),
    *(SENT | {"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none")),
]


def test_our_own_form_decides_alone(client: Person, queue: Queue) -> None:
    ours = [SENT, {"Sec-Fetch-Site": "same-origin"}]
    for headers in (*OF_OTHERS, *ours):
        n, form = _decided(queue), _answer(client)
        status = client.post("/decide", data=form, headers=headers).status_code
        assert (status, _decided(queue) - n) == ((200, 1) if headers in ours else (403, 0))


def test_every_response_has_the_headers(client: Person, stranger: Person) -> None:
    responses = [client.get(page) for page in PAGES] + [stranger.get("/"), client.put("/")]
    responses += [client.post("/decide"), client.get("/", headers={"Host": "evil.example"})]
    for response in [*responses, stranger.get("/", params={"token": TOKEN})]:
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        *((b"a" * size, {413}) for size in (1_000_001, 5_000_000)),
        *((body, {400, 403}) for body in (b"\xff\xfe", b"item=%ff", b"", b"a=1&" * 6000)),
    ],
)
def test_a_large_body_and_a_form_that_is_none_are_refused(
    client: Person, body: bytes, statuses: set[int]
) -> None:
    assert client.post("/decide", content=body, headers=FORM).status_code in statuses
    assert client.post("/decide", json={"item": 1}, headers=SENT).status_code == 400
    assert client.post("/decide", files={"item": b"1"}, headers=SENT).status_code == 400


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"item": "99999999"}, 404),
        *(({"item": item}, 400) for item in ("-1", "9" * 30, "١")),
        ({"answer": "PERHAPS"}, 400),
        *(
            ({"answer": "TA", "spans": spans}, 400)
            for spans in ("0:4", "0:4:ABC", "4:2:PRE", "0:999999:PRE", "0:4:PRE 2:5:PRE")
        ),
        ({"seen": "1"}, 409),
    ],
)
def test_a_form_that_makes_no_sense_is_refused(
    client: Person, queue: Queue, changed: dict[str, str], status: int
) -> None:
    response = client.form("/decide", _answer(client) | changed)
    assert (response.status_code, "Traceback" in response.text) == (status, False)
    assert _decided(queue) == 0


def test_an_item_or_a_file_that_is_none_is_not_found(client: Person) -> None:
    items = [f"/item/{number}" for number in ("0", "x", "999999999999999999999", "-1")]
    files = ("..%2fapp.py", "app.py", "%2e%2e/app.py", "review.html")
    paths = [*items, *(f"/static/{name}" for name in files)]
    assert {client.get(path).status_code for path in paths} == {404}


def test_hostile_messages_are_text_wherever_they_are_shown(client: Person, queue: Queue) -> None:
    def text(html: str) -> str:
        return unescape(re.sub(r"<[^>]+>", "", html))

    number, neighbour = find(queue, "script"), find(queue, "Solveig")
    queue.decide("anna", number, Answer.TA)
    queue.decide("<b>zoe</b>", number, Answer.NTA)
    data = _answer(client) | {"word": "<script>alert(2)</script>", "rule": "always", "type": "PRE"}
    confirm = client.form("/word", data).text
    client.form("/filters", data | {"state": "all", "back": "list"})
    pages = [f"/item/{number}", f"/item/{neighbour}", "/only/disagreement", "/status", "/list"]
    shown = [client.see(page) for page in pages]
    for html in (confirm, *shown):
        assert [raw for raw in ("<script>alert", "<img", "<b>zoe") if raw in html] == []
        assert "'49" not in text(html)
    assert "&lt;script&gt;" in confirm
    assert "&lt;img" in shown[1]
    assert HOSTILE in text(shown[0])


def _failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_no_word_is_in_an_address_or_a_log(
    client: Person, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    addresses = []
    client.event_hooks["response"].append(lambda response: addresses.append(str(response.url)))
    data = _answer(client) | {"word": "Maëlle", "sender": "7", "rule": "always", "type": "PRE"}
    for path, more in [
        ("/filters", {"state": "open", "back": "list"}),
        ("/word", {}),
        ("/word/confirm", {}),
        ("/spelling", {"said": "here"}),
        ("/spelling", {"said": "never"}),
        ("/undo", {"last": "0"}),
        ("/decide", {"spans": "0:99999:PRE", "answer": "TA"}),
    ]:
        client.form(path, data | more)
    monkeypatch.setattr(Queue, "item", _failing(RuntimeError("Maëlle")))
    failed = client.get("/item/1")
    assert failed.status_code == 500
    assert addresses
    assert not any("lle" in address or "sender" in address for address in addresses)
    assert "RuntimeError at" in caplog.text
    assert "Maëlle" not in caplog.text + failed.text


@pytest.mark.parametrize(
    ("failure", "status"), [(sqlite3.OperationalError("disk"), 503), (ValueError("Maëlle"), 500)]
)
def test_a_failure_is_one_line(
    client: Person, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int
) -> None:
    data = _answer(client)
    monkeypatch.setattr(Queue, "decide", _failing(failure))
    response = client.post("/decide", data=data, headers=SENT | {"X-Fragment": "1"})
    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/plain")
    assert (len(response.text.splitlines()), "Maëlle" in response.text) == (1, False)
