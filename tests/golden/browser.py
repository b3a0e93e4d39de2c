"""A browser that is no browser: it visits the pages of ``triage review`` and ``triage desk``."""

import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import unescape
from typing import Any
from unittest import mock

import uvicorn

from tests.triage.web.queues import TestClient

Fields = dict[str, list[str]]


@contextmanager
def served(visit: Callable[[TestClient], None], printed: Callable[[], str]) -> Iterator[None]:
    """Let a command that serves pages hand them to a visitor, in place of the network."""

    def run(server: uvicorn.Server, sockets: object = None) -> None:
        address, token = re.findall(r"Open (http://\S+)/\?token=(\S+)", printed())[0]
        app: Any = server.config.app
        client = TestClient(app, address, headers={"Origin": address})
        client.get("/", params={"token": token}).raise_for_status()
        visit(client)

    with mock.patch.object(uvicorn.Server, "run", run):
        yield


def pages(client: TestClient, visits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Visit pages and send their forms: ``GET /path`` or ``POST /path field=value …``."""
    html = ""
    for number, visit in enumerate(visits, 1):
        method, path, *given = shlex.split(visit)
        if method == "POST":
            response = client.post(path, data={**_form(html, path), **_fields(given)})
        else:
            response = client.get(path)
        if response.is_success and _waited(client, path):
            response = client.get(response.url.path)
        # What an aside answers has no forms of its own.
        html = response.text if "<form" in response.text else html
        yield (
            f"{number:02} {visit.replace('/', ':')}.html",
            f"{response.status_code}\n{response.text}",
        )


def _waited(client: TestClient, path: str) -> bool:
    """Wait for the work of a project of the desk; tell whether there may have been any."""
    project = re.match(r"/project/[^/]+/(?!read/)", path)
    while project and client.get(f"{project[0]}progress").json()["running"]:
        time.sleep(0.02)
    return bool(project)


def _fields(given: Sequence[str]) -> Fields:
    fields: Fields = {}
    for one in given:
        name, _, value = one.partition("=")
        fields.setdefault(name, []).append(value)
    return fields


_TAG = re.compile(r"<(form|button|select|option|input)\b([^>]*)>")
_ATTRIBUTE = re.compile(r'([\w-]+)(?:="([^"]*)")?')


def _form(html: str, path: str) -> Fields:
    """Return the fields of the form that is sent to a path, as the page has filled them in."""
    forms, select = list[tuple[str, Fields]](), ""
    for tag, within in _TAG.findall(html):
        given = {name: unescape(value) for name, value in _ATTRIBUTE.findall(within)}
        if tag == "form":
            forms.append((given.get("action", ""), {}))
        elif tag == "select":
            select = given.get("name", "")
        elif forms:
            _fill(forms, select, tag, given)
    return next((fields for action, fields in forms if action == path), {})


def _fill(forms: list[tuple[str, Fields]], select: str, tag: str, given: Mapping[str, str]) -> None:
    """Note what a tag says of the form that was begun last."""
    fields, value = forms[-1][1], given.get("value", "")
    is_unset = given.get("type") in ("radio", "checkbox") and "checked" not in given
    if tag == "button" and "formaction" in given:
        forms.insert(-1, (given["formaction"], fields))
    elif tag == "option" and ("selected" in given or select not in fields):
        fields[select] = [value]
    elif tag == "input" and given.get("name") and not is_unset:
        fields.setdefault(given["name"], []).append(value)
