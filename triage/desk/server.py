"""The server of the desk: the folder of projects, and the application that serves it."""

from pathlib import Path

from ..errors import TriageError
from ..queue.records import annotator_name
from ..review.security import Guard, Hosts
from ..review.server import serve_app
from ..review.sessions import Sessions
from ..safe import remove_stale
from .app import Desk, build
from .homes import create
from .project import Project, projects_in

_HOME = "triage-projects"
_OWNER_ONLY = 0o700


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
        return build(desk, sessions=sessions, hosts=hosts, language=language)

    people = desk.people.opened_by
    said = f"The projects are in {desk.home}. You decide as {name}. Ctrl+C ends."
    try:
        serve_app(app, said, host=host, port=port, open_browser=open_browser, people=people)
    finally:
        desk.end()


def folder_of(path: Path | None) -> Path:
    """Return the folder of projects that a path means; make it where it is not there."""
    if path is None:
        path = Path.home() / _HOME
    if path.is_file():
        return create(path.resolve().parent, path).folder.parent
    if Project.is_one(path):
        return path.resolve().parent
    try:
        path.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    except OSError as error:
        raise TriageError(f"cannot make the folder {path}: {error.strerror}") from None
    return path.resolve()
