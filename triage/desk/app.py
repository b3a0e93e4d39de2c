"""The application: the routes of the desk.

The pages of a project lie under its name, and among them the review page of each annotator.
"""

from importlib.resources import files
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from ..review.app import change_language
from ..review.app import static as review_static
from ..review.security import Guard, Hosts
from ..review.sessions import Sessions
from .base import gone
from .home_pages import HomePages
from .project_pages import ProjectPages

UPLOAD = "/upload"
_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}


def build(desk: "Desk", *, sessions: Sessions, hosts: Hosts, language: str | None = None) -> Guard:
    """Return the application that serves the projects of a folder."""
    app = Router(desk.routes(), redirect_slashes=False, default=gone)
    return Guard(app, sessions, hosts, desk.renderer, language, UPLOAD)


class Desk(HomePages, ProjectPages):
    """The pages of a desk, and their routes."""

    def routes(self) -> list[Route | Mount]:
        """Return the routes of the desk."""
        steward = [
            ("/import", self.importing, self.choose_columns),
            ("/triage", self.triage, self.choose_bounds),
            ("/names", self.naming, self.change_name),
            ("/replace", self.replacing, self.choose_plan),
            ("/check", self.checking, None),
            ("/quality", self.sampling, self.begin_sample),
            ("/quality/answer", None, self.answer_sample),
            ("/publish", self.publishing, self.publish),
            ("/published/{name}", self.published, None),
            ("/move", self.move, None),
            ("/run", None, self.run),
            ("/cancel", None, self.cancel),
        ]
        pages = [
            Route("/", self.overview),
            Route("/progress", self.progress),
            Mount("/review", self.review),
            *self.for_stewards(steward),
        ]
        return [
            Route("/", self.projects),
            Route(UPLOAD, self.upload, methods=["POST"]),
            Route("/language", change_language, methods=["POST"]),
            Route("/static/{name}", static),
            Mount("/project/{project}", routes=pages),
            *self.for_stewards(
                [
                    ("/new", None, self.new),
                    ("/sample", None, self.sample),
                    ("/annotators", self.annotators, self.add_annotator),
                    ("/annotators/remove", None, self.remove_annotator),
                ]
            ),
        ]

    def end(self) -> None:
        """End all work that is running."""
        self.jobs.end()


def static(request: Request) -> Response:
    """Return a static file of the desk, or of the review page."""
    name = request.path_params["name"]
    suffix = PurePosixPath(name).suffix
    found = next((f for f in (files(__package__) / "static").iterdir() if f.name == name), None)
    if found is None or suffix not in _MEDIA_TYPES:
        return review_static(request)
    return Response(found.read_bytes(), media_type=_MEDIA_TYPES[suffix])
