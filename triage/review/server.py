"""Serving the page: an address of its own on this machine, a token, the browser."""

import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from contextlib import closing, suppress
from pathlib import Path

import uvicorn

from ..errors import TriageError
from ..queue import Queue
from ..queue.writing import annotator_name
from .app import build
from .connections import MOST_CONNECTIONS, Connection
from .security import Hosts
from .sessions import Sessions

LOCAL_HOST = "127.0.0.1"
_SHORTEST_TOKEN = 16
_LAST_PORT = 65_535
# A request that is under way when the server is told to stop.
_GRACE_SECONDS = 3


def serve(
    queue_path: str | Path,
    annotator: str,
    *,
    host: str | None = None,
    port: int = 0,
    token: str | None = None,
    open_browser: bool = True,
    language: str | None = None,
    adjudicate_own: bool = False,
) -> None:
    """Serve the page of a queue until interrupted; print its address.

    Parameters
    ----------
    annotator : str
        Who decides on this page.
    host : str, optional
        The address to listen on, under which the page is then served. By default it is this
        machine alone, and the page has a name of its own: browsers send a cookie to every server
        of a host name, on whatever port, and nobody else's server has this one.
    port : int
        A free one by default.
    token : str, optional
        What the address must hold; a random one by default.
    language : str, optional
        ``fr`` or ``en``; by default the browser's.
    adjudicate_own : bool
        Whether the annotator may settle disagreements with themselves.

    Raises
    ------
    TriageError
        If the file is no queue, the port is taken, or the token is easily guessed.
    """
    name = annotator_name(annotator)
    sessions_token = _token(token)
    with Queue.open(queue_path) as queue, closing(_listen(host or LOCAL_HOST, port)) as listening:
        used = listening.getsockname()[1]
        sessions = Sessions(sessions_token)
        site = host or f"{sessions.site()}.localhost"
        app = build(
            queue,
            name,
            sessions=sessions,
            hosts=Hosts(site, used),
            language=language,
            adjudicate_own=adjudicate_own,
        )
        address = f"http://{_reached(site)}:{used}/?token="
        print(f"Open {address}{sessions_token}", flush=True)
        if host is None:
            print("If the browser does not find it, start with --host 127.0.0.1.", flush=True)
        print(f"You decide as {name}. Ctrl+C ends; all that was decided is kept.", flush=True)
        if not _is_local(site):
            print(
                "Messages go over the network unencrypted: better leave out --host and "
                f"reach this machine by ssh -L {used}:127.0.0.1:{used}",
                file=sys.stderr,
            )
        if open_browser:
            webbrowser.open(address + sessions.ticket())
        _run(app, listening)
        queue.release(name)


def configured(app: object) -> uvicorn.Config:
    """Return how the page is served."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        # An access log would hold what annotators look at.
        access_log=False,
        log_level="warning",
        lifespan="off",
        ws="none",
        http=Connection,
        loop="asyncio",
        server_header=False,
        proxy_headers=False,
        # So many are accepted at once.
        backlog=MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _run(app: object, listening: socket.socket) -> None:
    if threading.current_thread() is threading.main_thread():
        # Else uvicorn ends the process once it has stopped, and what follows is not done.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(configured(app)).run(sockets=[listening])


def _token(given: str | None) -> str:
    if given is None:
        return secrets.token_urlsafe()
    if len(given) < _SHORTEST_TOKEN or not (given.isascii() and given.isprintable()):
        raise TriageError(
            f"a token has at least {_SHORTEST_TOKEN} letters, digits or signs: "
            "leave it out for a random one"
        )
    return given


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= _LAST_PORT:
        raise TriageError(f"a port is a number from 0 to {_LAST_PORT}, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise TriageError(
            f"cannot listen on {host}, port {port}: {why}; give another one with --host and --port"
        ) from None
    # Else each response waits some 40 ms for the browser to acknowledge its first half.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _reached(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 (compared, not bound)
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _is_local(host: str) -> bool:
    return host in ("127.0.0.1", "::1", "localhost") or host.endswith(".localhost")
