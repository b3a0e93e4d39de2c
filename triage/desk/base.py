"""What all pages of the desk have in common: who asks, which project, and how a page is shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..review.forms import HTTPError, session_of, translator_of
from ..review.rendering import Renderer
from . import homes, screens
from .jobs import Jobs
from .people import People, Right
from .project import Project

Endpoint = Callable[[Request], Response]


class Pages:
    def __init__(self, home: Path, annotator: str) -> None:
        self.home = home
        self.renderer = Renderer(annotator, __package__)
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
        shown = {
            **found,
            "project": project,
            "annotator": self.person(request),
            "is_owner": self.person(request) == self.people.owner,
            "may": rights,
            "address": address(project) if project else "/",
            "job": job,
            "pages": screens.PAGES,
            "said": t(said[0], **said[1]) if said else None,
        }
        return self.renderer.page(request, name, shown)


async def gone(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    """Answer an address that there is not."""
    raise HTTPError(404, "error.gone")


def address(project: Project, page: str = "") -> str:
    return f"/project/{quote(project.name)}/{page}"


def see(path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(path, 303)
