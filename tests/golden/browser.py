"""A browser that is no browser: it visits the pages of ``triage review`` and ``triage desk``."""

import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
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


def _form(html: str, path: str) -> Fields:
    """Return the fields of the form that is sent to a path, as the page has filled them in."""
    forms = _Forms()
    forms.feed(html)
    return next((fields for action, fields in forms.found if action == path), {})


class _Forms(HTMLParser):
    """The forms of a page: where each is sent, and its fields."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, Fields]] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form, or a field of the one that was begun last."""
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((attributes.get("action", ""), {}))
        elif self.found:
            self._keep(tag, attributes, self.found[-1][1])

    def _keep(self, tag: str, attributes: dict[str, str], fields: Fields) -> None:
        name, value = attributes.get("name", ""), attributes.get("value", "")
        is_unset = attributes.get("type") in ("radio", "checkbox") and "checked" not in attributes
        if tag == "button" and "formaction" in attributes:
            self.found.insert(-1, (attributes["formaction"], fields))
        elif tag == "select":
            self._select = name
        elif tag == "option" and ("selected" in attributes or self._select not in fields):
            fields[self._select] = [value]
        elif tag == "input" and name and not is_unset:
            fields.setdefault(name, []).append(value)
