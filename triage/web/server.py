"""The server of the pages: the guard of each, its address, token, browser, and connections.

It listens on this machine alone, but any page that is open in the same browser can send requests to
it. Such a page can neither read our cookie nor have it sent.
"""

import asyncio
import ipaddress
import logging
import os
import re
import secrets
import signal
import socket
import sqlite3
import sys
import threading
import traceback
import webbrowser
from collections.abc import Iterable
from contextlib import closing, suppress
from importlib.resources import files
from pathlib import Path
from typing import TypedDict, Unpack
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import FULL, TriageError, UserError
from ..queue import NoSuchItemError, Queue, StaleAnswerError
from .pages import CODES, Form, HTTPError, chosen, environment, error_page, malformed, plain
from .people import Accounts, Sessions
from .reading import Review
from .visits import Visit

log = logging.getLogger(__name__)

LANGUAGE_COOKIE = "triage_language"
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_OWN_PATH = re.compile(r"/|(?:/[\w.%-]+)+/?")
_FORM, FILE = "application/x-www-form-urlencoded", "application/octet-stream"
_LOCAL = {"127.0.0.1", "localhost", "::1"}
# No caching, framing or embedding; no inline code and nothing from elsewhere. The referrer is sent
# within the site: without it, browsers send forms with "Origin: null".
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Hosts:
    """The host names that the server accepts, as a guard against DNS rebinding."""

    def __init__(self, host: str, port: int) -> None:
        self.port = port
        self._is_any = host in ("0.0.0.0", "::", "")  # noqa: S104 (compared, not bound)
        # Listening on all addresses, others reach us under the machine's name.
        self.name = socket.gethostname().lower() if self._is_any else host.lower()
        is_own = self.name.endswith(".localhost")
        self.is_local = not self._is_any and (is_own or self.name in _LOCAL)
        # A subdomain of localhost is ours alone; with a given address, any local name may be used.
        self._names = {self.name} if is_own else {self.name, *_LOCAL}

    def allow(self, header: str) -> bool:
        """Return whether a ``Host`` header names this server; a tunnel may have another port."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
            # DNS rebinding can make a foreign name point here; an IP address is safe.
            return name in self._names or (self._is_any and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False


class Guard:
    """Passes on requests of our own pages that have a session, and answers all others."""

    def __init__(
        self, routes: Iterable[BaseRoute], sessions: Sessions, hosts: Hosts, language: str = ""
    ) -> None:
        chosen_language = Route("/language", change_language, methods=["POST"])
        self.router = router([*routes, chosen_language, Route("/static/{name}", static)])
        self._sessions, self._hosts, self._language = sessions, hosts, language
        # A browser sends a cookie to all ports of a host, and --host may give a shared one.
        self.cookie_name = f"triage_{hosts.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request, started = Request(scope, receive), False
        cookie, accepted = request.cookies.get(LANGUAGE_COOKIE, ""), "accept-language"
        request.state.translator = chosen(cookie, self._language, request.headers.get(accepted, ""))

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            response = await self._answer(request)
            # A router changes its scope, of which an error page needs the first state. For an
            # application it raises what it would answer itself.
            await response({**scope, "app": self}, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            shown = _http_error(error)
            if not started:
                response = error_page(request, shown)
                await response(scope, receive, send_with_headers)

    async def _answer(self, request: Request) -> ASGIApp:
        """Return the response to a request, or the application if it may pass."""
        if not self._hosts.allow(request.headers.get("host", "")):
            raise HTTPError(421, "error.token")
        if request.method not in ("GET", "HEAD", "POST"):
            raise HTTPError(405, "error.gone")
        session = self._sessions.find(request.cookies.get(self.cookie_name, ""))
        if request.url.path == "/" and "token" in request.query_params and request.method == "GET":
            person = self._sessions.owner_of(request.query_params["token"])
            if person is None:
                raise HTTPError(403, "error.token")
            if person and session and not session.person:
                # Who has started the server tries the link of somebody else.
                raise HTTPError(409, "error.other_link")
            # A strict cookie is not sent on a redirect that started from another page's link; it
            # is on requests of our own page.
            is_direct = request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")
            response = RedirectResponse("/", 303) if is_direct else plain(request)
            cookie = self._sessions.cookie(person)
            response.set_cookie(self.cookie_name, cookie, httponly=True, samesite="strict")
            return response
        if session is None:
            raise HTTPError(403, "error.token")
        request.state.session = session.within(request.url.path)
        request.state.is_local = self._hosts.is_local
        if request.method == "POST":
            request.state.form = await _checked_form(request)
        return self.router


async def _checked_form(request: Request) -> Form | None:
    """Return the form of a request; None of a file, which its page reads."""
    site, host = request.headers.get("sec-fetch-site"), request.headers.get("host", "")
    # Browsers do not say it where the page came over plain HTTP from another machine.
    is_own = request.headers.get("origin") in (f"http://{host}", f"https://{host}")
    if not (is_own if site is None else site == "same-origin"):
        raise HTTPError(403, "error.origin")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == FILE:
        return None
    if kind != _FORM:
        malformed()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > 1_000_000:
            raise HTTPError(413, "error.form")
    return Form(bytes(body))


def _http_error(error: Exception) -> HTTPError:
    """Return an error as a page shows it; one of the program is logged without its text."""
    if isinstance(error, HTTPError):
        return error
    cause: BaseException | None = error
    while cause and not (isinstance(cause, OSError) and cause.errno in FULL):
        cause = cause.__cause__ or cause.__context__
    if cause:
        return HTTPError(507, "problem.no_room")
    if isinstance(error, (NoSuchItemError, HTTPException)):
        return HTTPError(404, "error.gone")
    if isinstance(error, StaleAnswerError):
        return HTTPError(409, "error.stale")
    if isinstance(error, UserError):
        return HTTPError(400, problem=error)
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames[-6:]))
    log.error("%s at %s", type(error).__name__, places)
    if isinstance(error, sqlite3.Error):
        return HTTPError(503, "error.disk")
    return HTTPError(500, "error.server")


def change_language(request: Request) -> Response:
    form = Visit(request).form
    code = form.text("language")
    if code not in CODES:
        malformed()
    # No other site may be named.
    back = _OWN_PATH.fullmatch(form.text("back", "/"))
    response = RedirectResponse(back[0] if back else "/", 303)
    # A session cookie: the next start has another host name.
    response.set_cookie(LANGUAGE_COOKIE, code, httponly=True, samesite="strict")
    return response


def static(request: Request) -> Response:
    for file in (files(__package__) / "static").iterdir():
        if file.name == request.path_params["name"]:
            return Response(file.read_bytes(), media_type=_MEDIA_TYPES[Path(file.name).suffix])
    raise HTTPError(404, "error.gone")


def router(routes: Iterable[BaseRoute]) -> Router:
    """Return a router of routes that answers each other address by an error."""

    async def gone(*_: object) -> None:
        raise HTTPError(404, "error.gone")

    return Router([*routes], redirect_slashes=False, default=gone)


_LAST_PORT = 65_535
# From its opening, or from the last response, to the head of the next request; or between two parts
# of a file.
REQUEST_SECONDS = 20.0
# A browser opens six.
MAX_CONNECTIONS = 100


class Listening(TypedDict, total=False):
    """The address at which pages are served, and how they are opened."""

    host: str | None
    port: int
    open_browser: bool
    language: str | None


def serve(
    path: Path, annotator: str, *, adjudicate_own: bool = False, **listening: Unpack[Listening]
) -> None:
    """Serve the page of a queue until interrupted; print its address."""
    with Queue.open(path) as queue:
        note = f"You decide as {annotator}. Ctrl+C ends; all that was decided is kept."
        serve_app(Review(queue, annotator, rules_own=adjudicate_own).routes(), note, **listening)
        queue.release(annotator)


def serve_app(
    routes: Iterable[BaseRoute], note: str, people: Accounts | None = None, **at: Unpack[Listening]
) -> None:
    """Serve pages until interrupted; print their address, which people with links keep."""
    host, port = at.get("host"), at.get("port", 0)
    key = people.key if people else secrets.token_urlsafe()
    with closing(listen(host, port, people.port if people else 0)) as listener:
        port_used = listener.getsockname()[1]
        if people and (port or not people.port):
            people.keep_port(port_used)
        sessions = Sessions(key, people=people.opened_by if people else lambda _: None)
        hosts = Hosts(host or f"{sessions.site()}.localhost", port_used)
        name = f"[{hosts.name}]" if ":" in hosts.name else hosts.name
        address = f"http://{name}:{port_used}/?token="
        print(f"Open {address}{key}", flush=True)
        if host is None:
            print("If the browser does not find it, start with --host 127.0.0.1.", flush=True)
        print(note, flush=True)
        if not hosts.is_local:
            print(
                "Messages go over the network unencrypted: better leave out --host and "
                f"reach this machine by ssh -L {port_used}:127.0.0.1:{port_used}",
                file=sys.stderr,
            )
        for template in environment().list_templates(["html"]):
            # Compiled now, so that no request waits for it.
            environment().get_template(template)
        if at.get("open_browser", True):
            webbrowser.open(address + sessions.ticket())
        if threading.current_thread() is threading.main_thread():
            # Else uvicorn ends the process after stopping, without releasing what is reserved.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        guard = Guard(routes, sessions, hosts, at.get("language") or "")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(configured(guard)).run(sockets=[listener])


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
        backlog=MAX_CONNECTIONS,
        timeout_graceful_shutdown=3,
    )


def listen(host: str | None, port: int, usual: int = 0) -> socket.socket:
    """Listen on a port, or by default on the usual one if it is free, else on any."""
    host = host or "127.0.0.1"
    if not 0 <= port <= _LAST_PORT:
        raise TriageError(f"a port is a number from 0 to {_LAST_PORT}, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port or usual), family=family)
    except OSError as error:
        if usual and not port:
            return listen(host, 0)
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
        if len(self.connections) > MAX_CONNECTIONS:
            waiting = [
                (one._deadline.when(), id(one), one)
                for one in self.connections
                if isinstance(one, Connection) and one._deadline
            ]
            oldest = min(waiting)[2]
            oldest._wait(is_over=True)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once a request is complete; a large file takes the time that it needs."""
        super().data_received(data)
        if self.cycle and not self.cycle.response_complete:
            self._wait(is_over=not self.cycle.more_body)

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(is_over=True)
        super().connection_lost(exc)

    def _wait(self, *, is_over: bool = False) -> None:
        if self._deadline:
            self._deadline.cancel()
        later = self.loop.call_later
        self._deadline = None if is_over else later(REQUEST_SECONDS, self.transport.abort)
