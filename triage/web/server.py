"""The server of the page: its address on this machine, token, browser, and connections.

Each open connection takes a file descriptor of this process. Without time and number limits, some
thousand idle ones would keep the annotator out.
"""

import asyncio
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypedDict, Unpack

import uvicorn
from starlette.routing import BaseRoute
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import TriageError
from ..queue import Queue
from ..queue.records import annotator_name
from .forms import Sessions
from .pages import warm
from .people import Accounts
from .reading import Review
from .security import Guard, Hosts

LOCAL_HOST = "127.0.0.1"
_LAST_PORT = 65_535
# For requests in progress when the server is stopped.
_GRACE_SECONDS = 3
# From its opening, or from the last response, to the head of the next request; or between two parts
# of a file.
REQUEST_SECONDS = 20.0
# A browser opens six.
MOST_CONNECTIONS = 100


class Listening(TypedDict, total=False):
    """The address at which pages are served, and how they are opened."""

    host: str | None
    port: int
    open_browser: bool
    language: str | None


def serve(
    queue_path: str | Path,
    annotator: str,
    *,
    adjudicate_own: bool = False,
    **listening: Unpack[Listening],
) -> None:
    """Serve the page of a queue until interrupted; print its address."""
    name = annotator_name(annotator)
    with Queue.open(queue_path) as queue:
        said = f"You decide as {name}. Ctrl+C ends; all that was decided is kept."
        serve_app(Review(queue, name, rules_own=adjudicate_own).routes(), said, **listening)
        queue.release(name)


def serve_app(
    routes: Iterable[BaseRoute],
    said: str,
    people: Accounts | None = None,
    **listening: Unpack[Listening],
) -> None:
    """Serve pages until interrupted; print their address, which people with links keep."""
    host, port = listening.get("host"), listening.get("port", 0)
    key = people.key if people else secrets.token_urlsafe()
    with closing(_listen(host or LOCAL_HOST, port, people.port if people else 0)) as opened:
        used = opened.getsockname()[1]
        if people and (port or not people.port):
            people.keep_port(used)
        sessions = Sessions(key, people=people.opened_by if people else lambda _: None)
        hosts = Hosts(host or f"{sessions.site()}.localhost", used)
        name = f"[{hosts.name}]" if ":" in hosts.name else hosts.name
        address = f"http://{name}:{used}/?token="
        print(f"Open {address}{key}", flush=True)
        if host is None:
            print("If the browser does not find it, start with --host 127.0.0.1.", flush=True)
        print(said, flush=True)
        if not hosts.is_local:
            print(
                "Messages go over the network unencrypted: better leave out --host and "
                f"reach this machine by ssh -L {used}:127.0.0.1:{used}",
                file=sys.stderr,
            )
        warm()
        if listening.get("open_browser", True):
            webbrowser.open(address + sessions.ticket())
        _run(Guard(routes, sessions, hosts, listening.get("language")), opened)


def configured(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        # An access log would show what annotators look at.
        access_log=False,
        log_level="warning",
        lifespan="off",
        ws="none",
        http=Connection,
        loop="asyncio",
        server_header=False,
        proxy_headers=False,
        # This many are accepted at once.
        backlog=MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _run(app: object, listening: socket.socket) -> None:
    if threading.current_thread() is threading.main_thread():
        # Else uvicorn ends the process after stopping, without releasing what is reserved.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(configured(app)).run(sockets=[listening])


def _listen(host: str, port: int, usual: int) -> socket.socket:
    """Listen on a port, or by default on the usual one if it is free, else on any."""
    if not 0 <= port <= _LAST_PORT:
        raise TriageError(f"a port is a number from 0 to {_LAST_PORT}, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port or usual), family=family)
    except OSError as error:
        if usual and not port:
            return _listen(host, 0, 0)
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise TriageError(
            f"cannot listen on {host}, port {port}: {why}; give another one with --host and --port"
        ) from None
    # Else each response waits about 40 ms for the browser to acknowledge its first half.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


class Connection(H11Protocol):
    """A connection that is closed if no request arrives in time, or nothing more of its file."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            waiting = [
                (one._deadline.when(), id(one), one)
                for one in self.connections
                if isinstance(one, Connection) and one._deadline
            ]
            min(waiting)[2]._close()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once a request is complete; a large file takes the time that it needs."""
        super().data_received(data)
        if self.cycle and not self.cycle.response_complete:
            self._wait() if self.cycle.more_body else self._stop_waiting()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._close)

    def _stop_waiting(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._stop_waiting()
        self.transport.abort()
