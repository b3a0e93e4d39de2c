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
    host: str = LOCAL_HOST,
    port: int = 0,
    token: str | None = None,
    open_browser: bool = True,
    language: str | None = None,
) -> None:
    """Serve the page of a queue until interrupted; print its address.

    Parameters
    ----------
    queue_path : str or Path
    annotator : str
        Who decides on this page.
    host : str
        The address to listen on; this machine alone by default.
    port : int
        A free one by default.
    token : str, optional
        What the address must hold; a random one by default.
    open_browser : bool
    language : str, optional
        ``fr`` or ``en``; by default the browser's.

    Raises
    ------
    TriageError
        If the file is no queue, the port is taken, or the token is easily guessed.
    """
    name = annotator_name(annotator)
    sessions_token = _token(token)
    with Queue.open(queue_path) as queue, closing(_listen(host, port)) as listening:
        used = listening.getsockname()[1]
        sessions = Sessions(sessions_token)
        app = build(queue, name, sessions=sessions, hosts=Hosts(host, used), language=language)
        address = f"http://{_reached(host)}:{used}/?token="
        print(f"Open {address}{sessions_token}", flush=True)
        print(f"You decide as {name}. Ctrl+C ends; all that was decided is kept.", flush=True)
        if not _is_local(host):
            print(
                "Messages go over the network unencrypted: better leave out --host and "
                f"reach this machine by ssh -L {used}:127.0.0.1:{used}",
                file=sys.stderr,
            )
        if open_browser:
            webbrowser.open(address + sessions.ticket())
        _run(app, listening)
        queue.release(name)


def _run(app: object, listening: socket.socket) -> None:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        # An access log would hold what annotators look at.
        access_log=False,
        log_level="warning",
        lifespan="off",
        ws="none",
        http="h11",
        loop="asyncio",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    if threading.current_thread() is threading.main_thread():
        # Else uvicorn ends the process once it has stopped, and what follows is not done.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


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
    return host in ("127.0.0.1", "::1", "localhost")
