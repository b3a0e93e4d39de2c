"""The base of all pages of the desk: the user, the project, and showing a page."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import TriageError
from ..queue.records import annotator_name
from ..safe import write_file
from . import homes
from .forms import HTTPError, session_of, translator_of
from .jobs import Jobs
from .project import Project
from .rendering import Renderer
from .stages import STAGE_OF, address, stages

_FILE = "people.json"


class Right(StrEnum):
    ANNOTATE = "annotate"
    ADJUDICATE = "adjudicate"
    PUBLISH = "publish"


@dataclass(frozen=True)
class Person:
    name: str
    rights: frozenset[Right]
    token: str


class People:
    def __init__(self, home: Path, owner: str) -> None:
        self._path = home / _FILE
        self.owner = owner

    def all(self) -> list[Person]:
        """Return the people who were added, by name."""
        if not self._path.exists():
            return []
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            return [
                Person(one["name"], frozenset(map(Right, one["rights"])), one["token"])
                for one in content
            ]
        except (OSError, ValueError, TypeError, KeyError):
            raise TriageError(
                f"{self._path} is no list of people: move it away",
                "people_unreadable",
                file=self._path,
            ) from None

    def add(self, name: str, rights: Collection[Right]) -> str:
        """Add a person, or give another link and rights to one; return the token of the link."""
        name = annotator_name(name)
        if name == self.owner:
            raise TriageError(
                f"{name} has started the desk and may do everything",
                "owner_name",
                name=name,
            )
        token = secrets.token_urlsafe()
        person = Person(name, frozenset(rights), _hashed(token))
        self._write([*(one for one in self.all() if one.name != name), person])
        return token

    def remove(self, name: str) -> None:
        """Remove a person, whose link opens nothing any more; decisions stay."""
        self._write([one for one in self.all() if one.name != name])

    def opened_by(self, token: str) -> str | None:
        """Return what a session that a token opens is known by; None if the token is nobody's."""
        hashed = _hashed(token)
        return None if self.of_session(hashed) is None else hashed

    def of_session(self, known_by: str) -> str | None:
        """Return whose a session is; None if it is nobody's any more."""
        found = (one.name for one in self.all() if hmac.compare_digest(one.token, known_by))
        return next(found, None)

    def rights_of(self, name: str) -> frozenset[Right]:
        """Return the rights of a person; none if there is no such person."""
        if name == self.owner:
            return frozenset(Right)
        return next((one.rights for one in self.all() if one.name == name), frozenset())

    def _write(self, people: list[Person]) -> None:
        content = [
            {"name": one.name, "rights": sorted(one.rights), "token": one.token}
            for one in sorted(people, key=lambda one: one.name)
        ]
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        write_file(self._path, text.encode(), private=True, overwrite=True)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


Endpoint = Callable[[Request], Response]


class Pages:
    def __init__(self, home: Path, annotator: str) -> None:
        self.home = home
        self.renderer = Renderer(annotator, "base.html")
        self.people = People(home, annotator)
        self.jobs = Jobs()
        self.reviews: dict[tuple[str, str, frozenset[Right]], ASGIApp] = {}

    def for_stewards(
        self, routes: Iterable[tuple[str, Endpoint | None, Endpoint | None]]
    ) -> Iterator[Route]:
        """Yield the routes of pages, and of forms, for those who may do everything."""

        def checked(endpoint: Endpoint) -> Endpoint:
            def answer(request: Request) -> Response:
                self.check(request, Right.PUBLISH)
                return endpoint(request)

            return answer

        for path, page, form in routes:
            if page:
                yield Route(path, checked(page))
            if form:
                yield Route(path, checked(form), methods=["POST"])

    def check(self, request: Request, *rights: Right) -> None:
        """Raise HTTPError if who asks has none of some rights."""
        if self.people.rights_of(self.person(request)).isdisjoint(rights):
            raise HTTPError(403, "error.right")

    def person(self, request: Request) -> str:
        """Return who asks; HTTPError if their link was taken back."""
        session = session_of(request).person
        person = self.people.of_session(session) if session else self.people.owner
        if person is None:
            raise HTTPError(403, "error.right")
        return person

    def project(self, request: Request) -> Project:
        """Return the project of an address; HTTPError if there is none."""
        found = homes.project(self.home, request.path_params["project"])
        if found is None:
            raise HTTPError(404, "error.gone")
        return found

    def page(
        self, request: Request, name: str, project: Project | None, found: Mapping[str, object]
    ) -> Response:
        """Return a page, with what all of them show."""
        rights = self.people.rights_of(self.person(request))
        if not rights:
            raise HTTPError(403, "error.right")
        said, t = session_of(request).said(), translator_of(request)
        job = self.jobs.of(project) if project else None
        rail, todo = stages(project, t, rights, STAGE_OF.get(name)) if project else ([], None)
        shown = {
            **found,
            "project": project,
            "annotator": self.person(request),
            "is_owner": self.person(request) == self.people.owner,
            "may": rights,
            "address": address(project) if project else "/",
            "job": job,
            "stages": rail,
            "todo": todo,
            "said": t(said[0], **said[1]) if said else None,
        }
        return self.renderer.page(request, name, shown)


async def gone(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    """Answer an address that there is not."""
    raise HTTPError(404, "error.gone")


def see(path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(path, 303)
