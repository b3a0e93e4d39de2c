"""The application: the routes of the desk.

The pages of a project lie under its name, and among them the review page of each annotator.
"""

import errno
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from shutil import disk_usage

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from ..errors import TriageError, UserError
from ..queue.records import annotator_name
from ..safe import HiddenFolder, remove_stale
from . import homes, life, screens
from .forms import (
    Sessions,
    form_of,
    malformed,
    one_of,
    session_of,
    translator_of,
)
from .people import Right
from .project import LONGEST_NAME, Project, plain_name, projects_in
from .project_pages import OWNER, ProjectPages, see
from .reading import change_language, gone, static
from .security import Guard, Hosts
from .server import serve_app
from .stages import Name, address, todo_of
from .steps import Step


def _first_page(project: Project) -> str:
    """Return where a project opens: a new one at its columns, one that was brought as it was."""
    return address(project, "import" if todo_of(project)[0] is Name.IMPORT else "")


UPLOAD = "/upload"


def build(desk: "Desk", *, sessions: Sessions, hosts: Hosts, language: str | None = None) -> Guard:
    """Return the application that serves the projects of a folder."""
    app = Router(desk.routes(), redirect_slashes=False, default=gone)
    return Guard(app, sessions, hosts, desk.renderer, language)


class Desk(ProjectPages):
    def routes(self) -> list[Route | Mount]:
        replacing = [
            ("/import", self.screen("import", screens.importing), self.choose_columns),
            ("/read", self.screen("read", screens.bounds, Step.QUEUE), self.choose_bounds),
            (
                "/replace",
                self.screen("replace", screens.replacing, Step.ANONYMISE),
                self.choose_plan,
            ),
            ("/replace/names", self.naming, self.change_name),
            ("/verify", self.screen("verify", screens.checking, Step.CHECK), None),
            (
                "/verify/sample",
                self.screen("sample", screens.sampling, Step.CHECK),
                self.begin_sample,
            ),
            ("/verify/sample/answer", None, self.answer_sample),
            ("/project", self.overview, None),
            ("/run", None, self.run),
            ("/cancel", None, self.cancel),
        ]
        publishing = [
            ("/publish", self.screen("publish", screens.publishing, Step.CHECK), self.publish),
            ("/publish/{name}", self.published, None),
        ]
        of_owner = [
            ("/people", self.accounts, self.add_account),
            ("/people/remove", None, self.remove_account),
            ("/project/archive", self.move, None),
            ("/project/rename", None, self.rename),
            ("/project/delete", None, self.delete),
        ]
        pages = [
            Route("/", self.current),
            Route("/progress", self.progress),
            *self.routes_for([Right.REPLACE], replacing),
            *self.routes_for([Right.PUBLISH], publishing),
            *self.routes_for(OWNER, of_owner),
            Route("/project/extend", self.extend, methods=["POST"]),
            Route("/project/file", self.replace_file, methods=["POST"]),
            Mount("/read", self.review),
        ]
        return [
            Route("/", self.projects),
            Route(UPLOAD, self.upload, methods=["POST"]),
            Route("/language", change_language, methods=["POST"]),
            Route("/static/{name}", static),
            Mount("/project/{project}", routes=pages),
            *self.routes_for(OWNER, [("/new", None, self.new), ("/sample", None, self.sample)]),
        ]

    def end(self) -> None:
        self.jobs.end()

    # Outside of a project

    def projects(self, request: Request) -> Response:
        """Show the projects, and how a new one begins."""
        return self._home(request)

    def new(self, request: Request) -> Response:
        """Make a project of a file on this machine."""
        form = form_of(request)
        path = Path(form.text("path").strip()).expanduser()
        return self._made(request, lambda: homes.create(self.home, path, form.text("name", "")))

    def sample(self, request: Request) -> Response:
        return self._made(request, lambda: homes.create_sample(self.home))

    async def upload(self, request: Request) -> Response:
        """Make a project of a file that the browser sends; return its address."""
        self.check(request, *OWNER)
        with HiddenFolder(self.home) as folder:
            file = await received(request, folder)
            project = await run_in_threadpool(homes.create, self.home, file)
        return Response(_first_page(project), media_type="text/plain")

    def _made(self, request: Request, make: Callable[[], Project]) -> Response:
        try:
            project = make()
        except UserError as error:
            return self._home(request, translator_of(request).problem(error))
        return see(_first_page(project))

    def _home(self, request: Request, problem: str = "") -> Response:
        self.person(request)
        seen = (one for one in projects_in(self.home) if self.rights(request, one.name))
        shown = {"projects": [*map(homes.card, seen)], "problem": problem}
        return self.page(request, "home", None, shown | {"reach": self.reach, "folder": self.home})

    def accounts(self, request: Request, problem: str = "") -> Response:
        """Show who may open a project, and a link that was just made, once."""
        project, session = self.project(request), session_of(request)
        shown: dict[str, object] = {"accounts": self.people.of(project.name)}
        shown |= {"owner": self.people.owner, "rights": [*Right]}
        shown |= {"problem": problem, "link": session.link}
        session.link = None
        return self.page(request, "people", project, shown)

    def add_account(self, request: Request) -> Response:
        """Add an account, or make another link."""
        form, project = form_of(request), self.project(request)
        rights = [Right(one_of(right, Right)) for right in form.all("right")]
        name, until = form.text("name"), form.text("until", "")
        try:
            date.fromisoformat(until or "2000-01-01")
            token = self.people.add(project.name, name, rights or [Right.READ], until)
        except UserError as error:
            return self.accounts(request, translator_of(request).problem(error))
        except ValueError:
            malformed()
        link = f"{request.url.scheme}://{request.headers['host']}/?token={token}"
        session_of(request).link = (name, link)
        return see(address(project, "people"))

    def remove_account(self, request: Request) -> Response:
        project = self.project(request)
        self.people.remove(project.name, form_of(request).text("name"))
        return see(address(project, "people"))

    # The life of a project

    def rename(self, request: Request) -> Response:
        project, title = self.project(request), form_of(request).text("title").strip()
        if title:
            project.write(replace(project.settings, name=title[:LONGEST_NAME]))
        return see(address(project, "project"))

    async def extend(self, request: Request) -> Response:
        """Add the messages of a file that the browser sends."""
        project, person = self.at_rest(request), self.person(request)
        with HiddenFolder(self.home) as folder:
            file = await received(request, folder)
            n_added = await run_in_threadpool(life.extend, project, file, person)
        n = translator_of(request).count("messages", n_added)
        session_of(request).say("project.extended", messages=n)
        return Response(address(project, "project"), media_type="text/plain")

    async def replace_file(self, request: Request) -> Response:
        """Put a file that the browser sends in the place of the original."""
        project, person = self.at_rest(request), self.person(request)
        with HiddenFolder(self.home) as folder:
            file = await received(request, folder)
            await run_in_threadpool(life.replace_file, project, file, person)
        self._forget(project)
        return Response(address(project, "import"), media_type="text/plain")

    def delete(self, request: Request) -> Response:
        """Delete a project whose name was typed."""
        project, t = self.at_rest(request), translator_of(request)
        if form_of(request).text("title").strip() != project.title:
            return self.overview(request, t("project.not_typed"))
        session_of(request).say("project.deleted", name=project.title)
        self.people.remove(project.name)
        self._forget(project)
        life.delete(project)
        return see("/")

    def _forget(self, project: Project) -> None:
        """Forget the readers of a queue that is no more."""
        self.reviews = {at: one for at, one in self.reviews.items() if at[0] != project.name}


async def received(request: Request, folder: Path) -> Path:
    """Write a file that the browser sends into a folder, and return it; a form is none."""
    if request.state.form:
        malformed()
    if int(request.headers.get("content-length", "0")) > disk_usage(folder).free:
        raise OSError(errno.ENOSPC, "")
    file = folder / plain_name(request.query_params.get("name", ""))
    with file.open("wb") as target:
        async for block in request.stream():
            await run_in_threadpool(target.write, block)
    return file


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
        desk.reach = "local" if hosts.is_local else "network"
        return build(desk, sessions=sessions, hosts=hosts, language=language)

    said = f"The projects are in {desk.home}. You decide as {name}. Ctrl+C ends."
    try:
        serve_app(app, said, host=host, port=port, open_browser=open_browser, people=desk.people)
    finally:
        desk.end()


def folder_of(path: Path | None) -> Path:
    """Return the folder of projects that a path means; make it where it is not there."""
    if path is None:
        path = Path.home() / _HOME
    if path.is_file():
        return homes.create(path.resolve().parent, path).folder.parent
    if Project.is_one(path):
        return path.resolve().parent
    if path.suffix and not path.exists():
        raise TriageError(f"there is no file {path}; a new folder of projects has a name without .")
    try:
        path.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    except OSError as error:
        raise TriageError(f"cannot make the folder {path}: {error.strerror}") from None
    return path.resolve()
