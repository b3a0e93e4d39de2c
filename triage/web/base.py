"""The base of all pages of the desk: who asks, the project, and showing a page."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from . import homes
from .forms import HTTPError, said_line, session_of, translator_of
from .jobs import Jobs
from .people import People, Right
from .project import DAMAGE, Project
from .rendering import Renderer
from .stages import Stage, Todo, address, stages

Endpoint = Callable[[Request], Response]
# The rights of which one opens a page; without any, it is the owner's alone.
OWNER: tuple[Right, ...] = ()


class Pages:
    def __init__(self, home: Path, annotator: str) -> None:
        self.home = home
        self.renderer = Renderer(annotator)
        self.people = People(home, annotator)
        self.jobs = Jobs()
        # Where the pages can be reached from: "local", or "network".
        self.reach = "local"
        self.reviews: dict[tuple[str, str, frozenset[Right]], ASGIApp] = {}

    def routes_for(
        self,
        rights: Collection[Right],
        routes: Iterable[tuple[str, Endpoint | None, Endpoint | None]],
    ) -> Iterator[Route]:
        """Yield the routes of pages, and of forms, for those who have one of some rights."""

        def checked(endpoint: Endpoint) -> Endpoint:
            def answer(request: Request) -> Response:
                self.check(request, *rights)
                return endpoint(request)

            return answer

        for path, page, form in routes:
            if page:
                yield Route(path, checked(page))
            if form:
                yield Route(path, checked(form), methods=["POST"])

    def check(self, request: Request, *rights: Right) -> None:
        """Raise HTTPError if who asks is not the owner and has none of some rights."""
        if not (self.is_owner(request) or self.rights(request) & {*rights}):
            raise HTTPError(403, "error.right")

    def is_owner(self, request: Request) -> bool:
        return not session_of(request).person

    def person(self, request: Request) -> str:
        """Return who asks; HTTPError if their link was taken back or is over."""
        if self.is_owner(request):
            return self.people.owner
        accounts = self.people.of_session(session_of(request).person)
        if not accounts:
            raise HTTPError(403, "error.right")
        return accounts[0].name

    def rights(self, request: Request, project: str = "") -> frozenset[Right]:
        """Return the rights of who asks in a project, by default that of the address."""
        if self.is_owner(request):
            return frozenset(Right)
        accounts = self.people.of_session(session_of(request).person)
        name = project or request.path_params.get("project")
        return frozenset(Right(one) for of in accounts if of.project == name for one in of.rights)

    def project(self, request: Request) -> Project:
        """Return the project of an address; HTTPError if there is none."""
        found = homes.project(self.home, request.path_params["project"])
        if found is None:
            raise HTTPError(404, "error.gone")
        return found

    def at_rest(self, request: Request) -> Project:
        """Return the project of an address for its owner, if no step runs in it."""
        self.check(request, *OWNER)
        project = self.project(request)
        job = self.jobs.of(project)
        if job and job.is_running:
            raise HTTPError(409, "said.running")
        return project

    def page(
        self, request: Request, name: str, project: Project | None, found: Mapping[str, object]
    ) -> Response:
        """Return a page, with what all of them show."""
        shown = {**found, **self.frame(request, project, name), "said": said_line(request)}
        return self.renderer.page(request, name, shown)

    def frame(self, request: Request, project: Project | None, name: str) -> Mapping[str, object]:
        """Return what stands around a page: the project, its stages, and who asks."""
        person, rights = self.person(request), self.rights(request)
        if project and not rights:
            raise HTTPError(403, "error.right")
        t = translator_of(request)
        rail, todo = list[Stage](), Todo("todo.others", "")
        if project:
            # Where a part of it is damaged, its own page leads out.
            with suppress(*DAMAGE):
                rail, todo = stages(project, t, rights, name, person)
        return {
            "project": project,
            "annotator": person,
            "is_owner": self.is_owner(request),
            "may": rights,
            "address": address(project) if project else "/",
            "job": self.jobs.of(project) if project else None,
            "stages": rail,
            "todo": todo,
        }


def see(path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(path, 303)
