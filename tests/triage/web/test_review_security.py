"""Nobody but the annotator's own page reads or decides anything."""

import logging
import re
import sqlite3
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
    TestClient,
    client_of,
    fields,
    find,
    guarded,
)
from triage.queue import Answer, Queue
from triage.web.forms import Sessions
from triage.web.security import HEADERS, Hosts

PAGES = ["/", "/item/1", "/status", "/static/triage.css", "/nowhere", "/list", "/only/spelling"]
STEPS = [
    *("/decide", "/rule", "/undo", "/note", "/word", "/word/confirm", "/filters", "/list"),
    *("/spelling", "/double", "/guidelines"),
]
SENT = {"Origin": ORIGIN}
FORM = {**SENT, "Content-Type": "application/x-www-form-urlencoded"}


def _answer(client: TestClient) -> dict[str, str]:
    page = client.get("/").text
    return {**fields(page, STEP), "answer": "NTA"}


def _decided(queue: Queue) -> int:
    return queue.progress("anna").decided


@pytest.mark.parametrize("page", PAGES)
def test_without_the_cookie_there_is_an_explanation_alone(queue: Queue, page: str) -> None:
    response = client_of(guarded(queue), logged_in=False).get(page)
    assert response.status_code == 403
    assert "le nouveau lien" in response.text
    assert not any(text in response.text for _, text in MESSAGES)


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], "é"])
def test_a_wrong_token_opens_nothing(queue: Queue, token: str) -> None:
    response = client_of(guarded(queue), logged_in=False).get("/", params={"token": token})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


def test_the_token_leaves_the_address_and_is_not_the_cookie(queue: Queue) -> None:
    client = client_of(guarded(queue), logged_in=False)
    response = client.get("/", params={"token": TOKEN}, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie


def test_a_link_of_another_page_opens_by_way_of_our_own(queue: Queue) -> None:
    client = client_of(guarded(queue), logged_in=False)
    response = client.get(
        "/",
        params={"token": TOKEN},
        headers={"Sec-Fetch-Site": "cross-site"},
        follow_redirects=False,
    )
    assert response.status_code == 200
    assert 'content="0; url=/"' in response.text
    assert client.get("/").status_code == 200


def test_a_forged_cookie_is_no_session(queue: Queue) -> None:
    client = client_of(guarded(queue), logged_in=False)
    client.cookies.set(f"triage_{PORT}", f"name.{'0' * 64}")
    assert client.get("/").status_code == 403


def test_a_ticket_opens_once_and_soon() -> None:
    now = [0.0]
    sessions = Sessions(TOKEN, clock=lambda: now[0])
    first, second = sessions.ticket(), sessions.ticket()
    assert sessions.whose(first) == ""
    assert sessions.whose(first) is None
    now[0] = 1000.0
    assert sessions.whose(second) is None
    assert sessions.whose(TOKEN) == ""


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        f"127.0.0.1:{PORT}",
        f"localhost:{PORT}",
        f"other.localhost:{PORT}",
        "",
        "[:",
    ],
)
def test_another_host_name_is_refused(client: TestClient, host: str) -> None:
    response = client.get("/", headers={"Host": host})
    assert response.status_code == 421
    assert "Maëlle" not in response.text


def test_hosts() -> None:
    assert Hosts("queue.localhost", 80).allow("queue.localhost")
    # A tunnel to the server may have another port.
    assert Hosts("queue.localhost", 80).allow("queue.localhost:8000")
    assert not Hosts("queue.localhost", 80).allow("localhost")
    assert Hosts("127.0.0.1", 80).allow("localhost")
    assert Hosts("::1", 8000).allow("[::1]:8000")
    assert Hosts("queue.example", 8000).allow("queue.example:8000")
    everywhere = Hosts("0.0.0.0", 8000)  # noqa: S104
    assert everywhere.allow("192.0.2.7:8000")
    assert not everywhere.allow("evil.example:8000")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *(
            (headers, 403)
            for headers in (
                {},
                {"Origin": "https://evil.example"},
                {"Origin": "null"},
                {"Origin": f"http://{SITE}:{PORT + 1}"},
                {"Origin": f"http://127.0.0.1:{PORT}"},
                {"Referer": "https://evil.example/"},
                {"Referer": f"{ORIGIN}/item/1"},
                *(SENT | {"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none")),
                {"Origin": "http://["},
            )
        ),
        (SENT, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_our_own_form_decides_alone(
    client: TestClient, queue: Queue, headers: dict[str, str], status: int
) -> None:
    response = client.post("/decide", data=_answer(client), headers=headers)
    assert response.status_code == status
    assert _decided(queue) == (status == 200)


@pytest.mark.parametrize("step", STEPS)
def test_nothing_is_done_by_get(client: TestClient, queue: Queue, step: str) -> None:
    response = client.get(step, params=_answer(client))
    assert response.status_code in (200, 404, 405)
    assert _decided(queue) == 0
    assert not queue.history()


def test_every_response_has_the_headers(client: TestClient, queue: Queue) -> None:
    anyone = client_of(guarded(queue), logged_in=False)
    responses = [client.get(page) for page in PAGES] + [anyone.get("/"), client.put("/")]
    responses += [client.post("/decide"), client.get("/", headers={"Host": "evil.example"})]
    responses.append(anyone.get("/", params={"token": TOKEN}, follow_redirects=False))
    for response in responses:
        for name, value in HEADERS.items():
            assert response.headers[name] == value
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        *((b"a" * size, {413}) for size in (1_000_001, 5_000_000)),
        *((body, {400, 403}) for body in (b"\xff\xfe", b"item=%ff", b"", b"a=1&" * 6000)),
    ],
)
def test_a_large_body_and_a_form_that_is_none_are_refused(
    client: TestClient, body: bytes, statuses: set[int]
) -> None:
    assert client.post("/decide", content=body, headers=FORM).status_code in statuses


def test_json_and_files_are_no_forms(client: TestClient) -> None:
    assert client.post("/decide", json={"item": 1}, headers=SENT).status_code == 400
    assert client.post("/decide", files={"item": b"1"}, headers=SENT).status_code == 400


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"item": "99999999"}, 404),
        ({"item": "-1"}, 400),
        ({"item": "9" * 30}, 400),
        ({"item": "١"}, 400),
        ({"answer": "PERHAPS"}, 400),
        ({"answer": "TA", "spans": "0:4"}, 400),
        ({"answer": "TA", "spans": "0:4:ABC"}, 400),
        ({"answer": "TA", "spans": "4:2:PRE"}, 400),
        ({"answer": "TA", "spans": "0:999999:PRE"}, 400),
        ({"answer": "TA", "spans": "0:4:PRE 2:5:PRE"}, 400),
        ({"seen": "1"}, 409),
    ],
)
def test_a_form_that_makes_no_sense_is_refused(
    client: TestClient, queue: Queue, changed: dict[str, str], status: int
) -> None:
    data = _answer(client) | changed
    response = client.post("/decide", data=data, headers=SENT)
    assert response.status_code == status
    assert "Traceback" not in response.text
    assert _decided(queue) == 0


@pytest.mark.parametrize(
    "path",
    [
        *(f"/item/{number}" for number in ("0", "x", "999999999999999999999", "-1")),
        *(f"/static/{name}" for name in ("..%2fapp.py", "app.py", "%2e%2e/app.py", "review.html")),
    ],
)
def test_an_item_or_a_file_that_is_none_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_hostile_messages_are_text_wherever_they_are_shown(queue: Queue) -> None:
    client = client_of(guarded(queue))
    number = find(queue, "script")
    queue.decide("anna", number, Answer.TA)
    queue.decide("<b>zoe</b>", number, Answer.NTA)
    neighbour = find(queue, "Solveig")
    data = _answer(client) | {"word": "<script>alert(2)</script>", "rule": "always", "type": "PRE"}
    confirm = client.post("/word", data=data, headers=SENT)
    client.post("/filters", data=data | {"state": "all", "back": "list"}, headers=SENT)
    pages = [f"/item/{number}", f"/item/{neighbour}", "/only/disagreement", "/status", "/list"]
    for html in (confirm.text, *(client.get(page).text for page in pages)):
        assert "<script>alert" not in html
        assert "<img" not in html
        assert "<b>zoe" not in html
        assert "'49" not in _text(html)
    assert "&lt;script&gt;" in confirm.text
    assert "&lt;img" in client.get(f"/item/{neighbour}").text
    assert HOSTILE in _text(client.get(f"/item/{number}").text)


def _failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_no_word_is_in_an_address_or_a_log(
    queue: Queue, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    client = client_of(guarded(queue))
    addresses = []
    client.event_hooks["response"].append(lambda response: addresses.append(str(response.url)))
    data = _answer(client) | {"word": "Maëlle", "sender": "7", "rule": "always", "type": "PRE"}
    for path, more in [
        ("/filters", {"state": "open", "back": "list"}),
        ("/word", {}),
        ("/word/confirm", {}),
        ("/spellings", {"said": "here"}),
        ("/spellings", {"said": "never"}),
        ("/undo", {"last": str(queue.history("anna", 1)[0].number) if queue.history() else "0"}),
        ("/decide", {"spans": "0:99999:PRE", "answer": "TA"}),
    ]:
        client.post(path, data=data | more, headers=SENT)
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
    client: TestClient, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int
) -> None:
    monkeypatch.setattr(Queue, "decide", _failing(failure))
    data = _answer(client)
    response = client.post("/decide", data=data, headers=SENT | {"X-Fragment": "1"})
    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/plain")
    assert len(response.text.splitlines()) == 1
    assert "Maëlle" not in response.text


def _text(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))
