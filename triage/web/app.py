"""The application: the routes of the desk, and how it is served.

The pages of a project lie under its name, and among them the reader of each annotator.
"""

from functools import partial
from pathlib import Path
from typing import Unpack

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import TriageError
from ..queue import Queue
from ..queue.records import annotator_name
from ..safe import remove_stale
from . import homes, screens
from .forms import HTTPError
from .people import Right
from .project import Project, projects_in
from .reading import Review
from .security import router
from .server import Listening, serve_app
from .visits import OWNER, Desk, Row, Visit, answered, route_of_file, routes_of

_ANY, _REPLACE, _PUBLISH = (*Right,), (Right.REPLACE,), (Right.PUBLISH,)
# The pages of a project.
PAGES: tuple[Row, ...] = (
    ("/", _ANY, screens.current, None),
    ("/progress", _ANY, screens.progress, None),
    ("/import", _REPLACE, screens.importing, screens.choose_columns),
    ("/read", _REPLACE, screens.bounds, screens.choose_bounds),
    ("/replace", _REPLACE, screens.replacing, screens.choose_plan),
    ("/replace/held", _REPLACE, None, screens.decide_held),
    ("/replace/names", _REPLACE, screens.naming, screens.change_name),
    ("/verify", _REPLACE, partial(screens.checking, name="verify"), None),
    ("/verify/sample", _REPLACE, partial(screens.checking, name="sample"), screens.begin_sample),
    ("/verify/sample/answer", _REPLACE, None, screens.answer_sample),
    ("/project", _REPLACE, screens.overview, None),
    ("/run", _REPLACE, None, screens.run),
    ("/cancel", _REPLACE, None, screens.cancel),
    ("/publish", _PUBLISH, partial(screens.checking, name="publish"), screens.publish),
    ("/publish/{name}", _PUBLISH, screens.published, None),
    ("/people", OWNER, screens.accounts, screens.add_account),
    ("/people/remove", OWNER, None, screens.remove_account),
    ("/project/archive", OWNER, screens.move, None),
    ("/project/rename", OWNER, None, screens.rename),
    ("/project/delete", OWNER, None, screens.delete),
)


def routes(desk: Desk) -> list[BaseRoute]:
    files = [
        route_of_file(desk, "/project/extend", screens.extend),
        route_of_file(desk, "/project/file", screens.replace_file),
    ]
    made = ("/new", OWNER, None, screens.new), ("/sample", OWNER, None, screens.sample)
    pages, of_home = (routes_of(rows, partial(answered, desk)) for rows in (PAGES, made))
    reader = Mount("/read", partial(_read, desk))
    return [
        Route("/", lambda request: screens.projects(Visit(request, desk))),
        Mount("/project/{project}", routes=[*pages, *files, reader]),
        route_of_file(desk, "/upload", screens.upload),
        *of_home,
    ]


async def _read(desk: Desk, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve the reader of a project, which is made once for a person and their rights."""
    visit = Visit(Request(scope), desk)
    visit.check((Right.READ, Right.RULE))
    app = await run_in_threadpool(_reader, visit)
    await app(scope, receive, send)


def _reader(visit: Visit) -> ASGIApp:
    desk, project, person, rights = visit.desk, visit.project, visit.person, visit.rights
    if not project.queue.exists():
        raise HTTPError(404, "error.gone")
    place = (project.name, person, rights)
    if place not in desk.readers:
        queue = Queue.open(project.queue)
        desk.readers[place] = router(Review(queue, person, desk, project, rights).routes())
    return desk.readers[place]


def serve(path: Path | None, annotator: str, **listening: Unpack[Listening]) -> None:
    """Serve the projects of a folder until interrupted; print the address."""
    name = annotator_name(annotator)
    desk = Desk(folder_of(path), name)
    # What was being received, copied or written when an earlier server was killed.
    for folder in (desk.home, *(project.folder for project in projects_in(desk.home))):
        remove_stale(folder)
    said = f"The projects are in {desk.home}. You decide as {name}. Ctrl+C ends."
    try:
        serve_app(routes(desk), said, desk.people, **listening)
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
