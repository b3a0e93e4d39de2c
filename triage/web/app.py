"""The application: the routes of the desk, and how it is served.

The pages of a project lie under its name, and among them the reader of each annotator.
"""

from collections.abc import Collection
from functools import partial
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import TriageError
from ..queue import Queue
from ..queue.records import annotator_name
from ..safe import remove_stale
from . import homes, screens
from .forms import HTTPError, Sessions
from .pages import Renderer
from .people import Right
from .project import Project, projects_in
from .reading import Review, change_language, gone, static
from .security import Guard, Hosts
from .server import serve_app
from .spellings import kept_first_look
from .stages import address, stages
from .steps import left_to_read
from .visits import OWNER, Answer, Desk, Visit, route_of_file, routes_of

_ANY, _REPLACE, _PUBLISH = (*Right,), (Right.REPLACE,), (Right.PUBLISH,)
# Each page of a project, who may open it, and what shows it and answers its form.
PAGES: tuple[tuple[str, Collection[Right], Answer | None, Answer | None], ...] = (
    ("/", _ANY, screens.current, None),
    ("/progress", _ANY, screens.progress, None),
    ("/import", _REPLACE, screens.importing, screens.choose_columns),
    ("/read", _REPLACE, screens.bounds, screens.choose_bounds),
    ("/replace", _REPLACE, screens.replacing, screens.choose_plan),
    ("/replace/names", _REPLACE, screens.naming, screens.change_name),
    ("/verify", _REPLACE, screens.checking, None),
    ("/verify/sample", _REPLACE, screens.sampling, screens.begin_sample),
    ("/verify/sample/answer", _REPLACE, None, screens.answer_sample),
    ("/project", _REPLACE, screens.overview, None),
    ("/run", _REPLACE, None, screens.run),
    ("/cancel", _REPLACE, None, screens.cancel),
    ("/publish", _PUBLISH, screens.publishing, screens.publish),
    ("/publish/{name}", _PUBLISH, screens.published, None),
    ("/people", OWNER, screens.accounts, screens.add_account),
    ("/people/remove", OWNER, None, screens.remove_account),
    ("/project/archive", OWNER, screens.move, None),
    ("/project/rename", OWNER, None, screens.rename),
    ("/project/delete", OWNER, None, screens.delete),
)
# Parts of the reader that are for one right; the others are for who has either.
_OF_READERS = ("/decide", "/spelling", "/word", "/filters", "/list")
_OF_RULERS = "/rule"


def routes(desk: Desk) -> list[BaseRoute]:
    pages = [route for page in PAGES for route in routes_of(desk, *page)]
    files = [
        route_of_file(desk, "/project/extend", screens.extend),
        route_of_file(desk, "/project/file", screens.replace_file),
    ]
    reader = Mount("/read", partial(_read, desk))
    return [
        Route("/", lambda request: screens.projects(Visit(desk, request))),
        Route("/language", change_language, methods=["POST"]),
        Route("/static/{name}", static),
        Mount("/project/{project}", routes=[*pages, *files, reader]),
        route_of_file(desk, "/upload", screens.upload),
        *routes_of(desk, "/new", OWNER, None, screens.new),
        *routes_of(desk, "/sample", OWNER, None, screens.sample),
    ]


def build(desk: Desk, *, sessions: Sessions, hosts: Hosts, language: str | None = None) -> Guard:
    """Return the application that serves the projects of a folder."""
    app = Router(routes(desk), redirect_slashes=False, default=gone)
    return Guard(app, sessions, hosts, desk.renderer, language)


async def _read(desk: Desk, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve the reader of a project's queue."""
    visit, path = Visit(desk, Request(scope)), scope["path"].removeprefix(scope["root_path"])
    rulers = (Right.RULE,) + ((Right.READ,) if path != _OF_RULERS else ())
    visit.check((Right.READ,) if path.startswith(_OF_READERS) else rulers)
    app = await run_in_threadpool(reader, visit)
    await app(scope, receive, send)


def reader(visit: Visit) -> ASGIApp:
    """Return the reader of a project for who asks; it is made once for each set of rights."""
    desk, project, person, rights = visit.desk, visit.project, visit.person, visit.rights
    if not project.queue.exists():
        raise HTTPError(404, "error.gone")
    place = (project.name, person, rights)

    def onward(request: Request) -> str:
        if left_to_read(project):
            return ""
        return stages(project, Visit(desk, request).t, rights, "reader", person)[1].href

    if place not in desk.readers:
        review = Review(
            Queue.open(project.queue),
            person,
            Renderer(person),
            may_read=Right.READ in rights,
            may_rule=Right.RULE in rights,
            may_edit=Right.PUBLISH in rights,
            frame=lambda request: Visit(desk, request).frame("reader"),
            next_step=("desk.after_review", address(project)),
            first_look=lambda: kept_first_look(project),
            keep_double=partial(screens.keep_double, project),
            hand_over_held=partial(screens.hand_over_held, project),
            onward=onward,
        )
        desk.readers[place] = Router(review.routes(), redirect_slashes=False, default=gone)
    return desk.readers[place]


def serve(
    path: Path | None,
    annotator: str,
    *,
    host: str | None = None,
    port: int = 0,
    open_browser: bool = True,
    language: str | None = None,
) -> None:
    """Serve the projects of a folder until interrupted; print the address."""
    name = annotator_name(annotator)
    desk = Desk(folder_of(path), name)
    # What was being received, copied or written when an earlier server was killed.
    for folder in (desk.home, *(project.folder for project in projects_in(desk.home))):
        remove_stale(folder)

    def app(sessions: Sessions, hosts: Hosts) -> Guard:
        desk.reach = "local" if hosts.is_local else "network"
        return build(desk, sessions=sessions, hosts=hosts, language=language)

    said = f"The projects are in {desk.home}. You decide as {name}. Ctrl+C ends."
    try:
        serve_app(app, said, host=host, port=port, open_browser=open_browser, people=desk.people)
    finally:
        desk.jobs.end()


def folder_of(path: Path | None) -> Path:
    """Return the folder of projects that a path means; make it where it is not there."""
    if path is None:
        path = Path.home() / "triage-projects"
    if path.is_file():
        return homes.create(path.resolve().parent, path).folder.parent
    if Project.is_one(path):
        return path.resolve().parent
    if path.suffix and not path.exists():
        raise TriageError(f"there is no file {path}; a new folder of projects has a name without .")
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise TriageError(f"cannot make the folder {path}: {error.strerror}") from None
    return path.resolve()
