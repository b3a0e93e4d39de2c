"""Connections that say nothing keep nobody out."""

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.triage.review.browsers import serving, serving_here
from tests.triage.review.queues import TOKEN
from triage.review import server

REQUEST = "GET /?token={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n"


def connected(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), timeout=30)


def answer(address: str) -> str:
    """Ask for the page, and return the first line of the answer."""
    with connected(address) as client:
        client.sendall(REQUEST.format(TOKEN, urlsplit(address).netloc).encode())
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
    with serving(queue_path, most_files=256) as server, ExitStack() as open_ones:
        for _ in range(400):
            client = open_ones.enter_context(connected(server.address))
            client.sendall(begun)
        assert answer(server.address) == "HTTP/1.1 303 See Other"


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
