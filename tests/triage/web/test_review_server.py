"""The server: its address, its token, its errors; and silent connections, which block nobody."""

import re
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.triage.web.browsers import serving_here
from tests.triage.web.desks import serving
from tests.triage.web.queues import TOKEN
from triage.errors import TriageError
from triage.queue import Queue
from triage.web import server

REQUEST = "GET /?{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser is opened with; nothing is served."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setattr(server, "_run", lambda *_: None)
    return addresses


def test_it_prints_its_address_and_opens_the_browser_with_a_token_for_once(
    queue_path: Path, opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []
    for host in (None, None, "127.0.0.1"):
        server.serve(queue_path, " anna ", host=host)
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
    server.serve(queue_path, "anna", host="0.0.0.0", open_browser=False)  # noqa: S104
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
    for path, name, port, host, line in (
        (tmp_path / "none.queue", "anna", 0, None, "there is no queue"),
        (queue_path, "  ", 0, None, "printable characters"),
        (queue_path, "anna", 70_000, None, "a port is"),
        (queue_path, "anna", 0, "no host", "cannot listen on no host"),
    ):
        with pytest.raises(TriageError, match=line):
            server.serve(path, name, port=port, host=host)
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
