"""Nobody but the annotator's own page reads or decides anything, and nobody blocks its server."""

import logging
import re
import socket
import sqlite3
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.cases import cases_beside
from tests.triage.web import queues as q
from tests.triage.web.browsers import serving_here
from tests.triage.web.desks import serving
from tests.triage.web.queues import TOKEN, Person
from triage.errors import TriageError
from triage.queue import Queue
from triage.web import server
from triage.web.people import Sessions
from triage.web.server import HEADERS, Hosts

CASES = cases_beside(__file__)
PAGES = ["/", "/item/1", "/status", "/static/triage.css", "/nowhere", "/list", "/only/spelling"]
SENT = {"Origin": q.ORIGIN}
FORM = {**SENT, "Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def stranger(queue: Queue) -> Person:
    client = q.client_of(q.guarded(queue), logged_in=False)
    client.follow_redirects = False
    return client


def _answer(client: Person) -> dict[str, str]:
    return {**q.fields(client.see("/"), q.STEP), "answer": "NTA"}


def _decided(queue: Queue) -> int:
    return queue.progress("anna").decided


def test_without_the_cookie_there_is_an_explanation_alone(stranger: Person) -> None:
    # A forged cookie is none.
    for cookie in ("", f"name.{'0' * 64}"):
        stranger.cookies.set(f"triage_{q.PORT}", cookie)
        for response in map(stranger.get, PAGES):
            assert response.status_code == 403
            assert "demandez-en un autre" in response.text
            assert not any(text in response.text for _, text in q.MESSAGES)


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
    assert (sessions.owner_of(first), sessions.owner_of(first)) == ("", None)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 1000.0)
    assert (sessions.owner_of(second), sessions.owner_of(TOKEN)) == (None, "")


def test_another_host_name_is_refused(client: Person) -> None:
    ports = ("evil.example", "127.0.0.1", "localhost", "other.localhost")
    for host in ("evil.example", *(f"{name}:{q.PORT}" for name in ports), "", "[:"):
        response = client.get("/", headers={"Host": host})
        assert (response.status_code, "Maëlle" in response.text) == (421, False)


def test_hosts() -> None:
    for host, headers in CASES["hosts"].items():
        assert [one for one in headers["allowed"] if not Hosts(host, 80).allow(one)] == []
        assert [one for one in headers.get("refused", ()) if Hosts(host, 80).allow(one)] == []


# What a form of another page is sent with.
OF_OTHERS: list[dict[str, str]] = [
    {},
    *({"Origin": one} for one in ("https://evil.example", "null", "http://[")),
    *({"Origin": f"http://{one}"} for one in (f"{q.SITE}:{q.PORT + 1}", f"127.0.0.1:{q.PORT}")),
    *({"Referer": page} for page in ("https://evil.example/", f"{q.ORIGIN}/item/1")),
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


def test_a_large_body_and_a_form_that_is_none_are_refused(client: Person) -> None:
    for size in (1_000_001, 5_000_000):
        assert client.post("/decide", content=b"a" * size, headers=FORM).status_code == 413
    for body in (b"\xff\xfe", b"item=%ff", b"", b"a=1&" * 6000):
        assert client.post("/decide", content=body, headers=FORM).status_code in (400, 403)
    assert client.post("/decide", json={"item": 1}, headers=SENT).status_code == 400
    assert client.post("/decide", files={"item": b"1"}, headers=SENT).status_code == 400


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
    for path, more in CASES["forms_with_words"]:
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


REQUEST = "GET /?{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser is opened with; nothing is served."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    return addresses


def test_it_prints_its_address_and_opens_the_browser_with_a_token_for_once(
    queue_path: Path, opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []
    for host in (None, None, "127.0.0.1"):
        server.serve(queue_path, "anna", host=host)
        out, err = capsys.readouterr()
        address, _, token = out.split()[1].partition("=")
        assert ("--host 127.0.0.1" in out) == (host is None)
        assert "as anna." in out
        assert len(token) > 30
        assert opened[-1].startswith(f"{address}=")
        assert token not in opened[-1]
        assert err == ""
        seen.append((urlsplit(address).hostname, token))
    # Each start has a token and a host name of its own.
    names, tokens = ([*one] for one in zip(*seen, strict=True))
    assert len({*names}) == len({*tokens}) == 3
    assert all(re.fullmatch(r"triage-[0-9a-f]{16}\.localhost", name) for name in names[:2])
    assert names[2] == "127.0.0.1"
    # Where messages leave the machine it warns, and it opens no browser unasked.
    server.serve(queue_path, "anna", host="0.0.0.0", open_browser=False)
    assert "unencrypted" in capsys.readouterr().err
    assert len(opened) == 3
    # It gives back what it reserved.
    with Queue.open(queue_path) as queue:
        first = queue.next("anna")
        assert queue.next("zoé") != first
        queue.release("zoé")
        server.serve(queue_path, "anna", open_browser=False)
        assert queue.next("zoé") == first


@pytest.mark.usefixtures("opened")
def test_what_it_cannot_do_is_one_line(queue_path: Path, tmp_path: Path) -> None:
    with pytest.raises(TriageError, match="there is no queue"):
        server.serve(tmp_path / "none.queue", "anna")
    with pytest.raises(TriageError, match="a port is"):
        server.serve(queue_path, "anna", port=70_000)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(TriageError, match=f"port {port}: .*; give another"):
            server.serve(queue_path, "anna", port=port)


def connected(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), timeout=30)


def answer(address: str) -> str:
    with connected(address) as client:
        query = urlsplit(address).query or f"token={TOKEN}"
        client.sendall(REQUEST.format(query, urlsplit(address).netloc).encode())
        return client.makefile(encoding="latin-1").readline().strip()


@pytest.fixture
def impatient(queue_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that waits for a tenth of a second."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.1)
    with serving_here(queue_path) as address:
        yield address


@pytest.mark.skipif(sys.platform == "win32", reason="files of a process are not counted there")
@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: queue"])
def test_many_half_open_connections_do_not_stop_the_page(queue_path: Path, begun: bytes) -> None:
    """The server may open 256 files."""
    with serving(queue_path, "server", most_files=256) as served, ExitStack() as open_ones:
        for _ in range(400):
            client = open_ones.enter_context(connected(served.address))
            client.sendall(begun)
        assert answer(served.link) == "HTTP/1.1 303 See Other"


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: queue",
        b"POST /decide HTTP/1.1\r\nHost: {host}\r\nContent-Length: 90\r\n\r\nitem=1",
    ],
    ids=["nothing", "half a header", "half a form"],
)
def test_a_request_that_does_not_come_is_not_waited_for(impatient: str, begun: bytes) -> None:
    with connected(impatient) as client:
        client.sendall(begun.replace(b"{host}", urlsplit(impatient).netloc.encode()))
        try:
            while client.recv(4096):
                pass
        except ConnectionResetError:
            pass
    assert answer(impatient) == "HTTP/1.1 303 See Other"


def test_a_connection_is_kept_for_the_next_request(queue_path: Path) -> None:
    with serving_here(queue_path) as address, connected(address) as client:
        answers = client.makefile("rb")
        for _ in range(3):
            client.sendall(f"GET / HTTP/1.1\r\nHost: {urlsplit(address).netloc}\r\n\r\n".encode())
            assert answers.readline() == b"HTTP/1.1 403 Forbidden\r\n"
            length = 0
            while (line := answers.readline()) != b"\r\n":
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            answers.read(length)


async def _takes_a_file(scope: Scope, receive: Receive, send: Send) -> None:
    body = b"".join([block async for block in Request(scope, receive).stream()])
    await Response(str(len(body)))(scope, receive, send)


def test_a_file_takes_the_time_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a pause between two parts of it is bounded."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = uvicorn.Server(server.configured(_takes_a_file))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        with connected(f"http://127.0.0.1:{listening.getsockname()[1]}") as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n")
            for _ in range(10):
                client.sendall(b"a" * 900)
                time.sleep(0.05)
            assert client.recv(4096).startswith(b"HTTP/1.1 200 OK")
        running.should_exit = True
        thread.join()
