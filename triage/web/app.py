"""The application: the routes of the desk.

The pages of a project lie under its name, and among them the review page of each annotator.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from ..errors import TriageError, UserError
from ..queue.records import annotator_name
from ..safe import HiddenFolder, remove_stale
from . import homes, screens
from .base import Right, gone, see
from .forms import HTTPError, Sessions, form_of, translator_of
from .homes import create
from .project import Project, projects_in
from .project_pages import ProjectPages
from .reading import change_language, static
from .security import Guard, Hosts
from .server import serve_app
from .stages import Name, address, todo_of


def _first_page(project: Project) -> str:
    """Return where a project opens: a new one at its columns, one that was brought as it was."""
    return address(project, "import" if todo_of(project)[0] is Name.IMPORT else "")


UPLOAD = "/upload"


def build(desk: "Desk", *, sessions: Sessions, hosts: Hosts, language: str | None = None) -> Guard:
    """Return the application that serves the projects of a folder."""
    app = Router(desk.routes(), redirect_slashes=False, default=gone)
    return Guard(app, sessions, hosts, desk.renderer, language, UPLOAD)


class Desk(ProjectPages):
    def routes(self) -> list[Route | Mount]:
        steward = [
            ("/import", self.screen("import", screens.importing), self.choose_columns),
            ("/read", self.bounds, self.choose_bounds),
            ("/replace", self.screen("replace", screens.replacing), self.choose_plan),
            ("/replace/names", self.naming, self.change_name),
            ("/verify", self.screen("verify", screens.checking), None),
            ("/verify/sample", self.screen("sample", screens.sampling), self.begin_sample),
            ("/verify/sample/answer", None, self.answer_sample),
            ("/publish", self.screen("publish", screens.publishing), self.publish),
            ("/publish/{name}", self.published, None),
            ("/project", self.overview, None),
            ("/project/archive", self.move, None),
            ("/run", None, self.run),
            ("/cancel", None, self.cancel),
        ]
        pages = [
            Route("/", self.current),
            Route("/progress", self.progress),
            *self.for_stewards(steward),
            Mount("/read", self.review),
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
        self.check(request, Right.PUBLISH)
        name = request.query_params.get("name", "")
        with HiddenFolder(self.home) as folder:
            with (folder / "incoming").open("wb") as incoming:
                async for block in request.stream():
                    await run_in_threadpool(incoming.write, block)
            try:
                project = await run_in_threadpool(
                    homes.create, self.home, folder / "incoming", "", name
                )
            except UserError as error:
                line = translator_of(request).problem(error)
                return Response(line, 400, media_type="text/plain; charset=utf-8")
        return Response(_first_page(project), media_type="text/plain")

    def _made(self, request: Request, make: Callable[[], Project]) -> Response:
        try:
            project = make()
        except UserError as error:
            return self._home(request, translator_of(request).problem(error))
        return see(_first_page(project))

    def _home(self, request: Request, problem: str = "") -> Response:
        projects = homes.cards(self.home)
        shown = {"projects": projects, "problem": problem, "folder": str(self.home)}
        return self.page(request, "home", None, shown)

    def annotators(self, request: Request) -> Response:
        """Show who may open the desk."""
        return self._people_page(request)

    def add_annotator(self, request: Request) -> Response:
        """Add a person, or make another link; show it once."""
        form = form_of(request)
        try:
            rights = [Right(right) for right in form.all("right")]
        except ValueError:
            raise HTTPError(400, "error.form") from None
        name = form.text("name")
        try:
            token = self.people.add(name, rights)
        except UserError as error:
            return self._people_page(request, {"problem": translator_of(request).problem(error)})
        # Rights that were changed hold from now on.
        self.reviews = {place: app for place, app in self.reviews.items() if place[1] != name}
        link = f"{request.url.scheme}://{request.headers['host']}/?token={token}"
        return self._people_page(request, {"link": link, "link_name": name})

    def remove_annotator(self, request: Request) -> Response:
        self.people.remove(form_of(request).text("name"))
        return see("/annotators")

    def _people_page(self, request: Request, said: Mapping[str, object] | None = None) -> Response:
        shown = {
            "people": self.people.all(),
            "owner": self.people.owner,
            "rights": [*Right],
            "problem": "",
            "link": "",
            "link_name": "",
            **(said or {}),
        }
        return self.page(request, "annotators", None, shown)


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
