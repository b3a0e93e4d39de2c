"""The application: its pages, and the actions behind them.

The pages of a project lie under its name, and among them the review page of each annotator.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..anonymise.cells import Dates
from ..anonymise.columns import Ids, Senders
from ..anonymise.styles import StyleName
from ..anonymise.treatment import Treatment
from ..errors import TriageError
from ..queue import Queue
from ..review.app import Review, change_language
from ..review.app import static as review_static
from ..review.forms import (
    HTTPError,
    form_of,
    one_of,
    session_of,
    translator_of,
    whole_number,
)
from ..review.rendering import Renderer
from ..review.security import Guard, Hosts
from ..review.sessions import Sessions
from ..vocabulary import IdentifierType
from . import homes, names, quality, screens
from . import publishing as publication
from .jobs import Jobs
from .names import Change
from .people import People, Right
from .project import Project
from .replacing import Answers, keep_plan, plan_of, with_answers
from .steps import Step

Endpoint = Callable[[Request], Response]
UPLOAD = "/upload"
_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}


def build(desk: "Desk", *, sessions: Sessions, hosts: Hosts, language: str | None = None) -> Guard:
    """Return the application that serves the projects of a folder."""
    app = Router(desk.routes(), redirect_slashes=False, default=_gone)
    return Guard(app, sessions, hosts, desk.renderer, language, UPLOAD)


class Desk:
    """The pages of one person.

    Parameters
    ----------
    home : Path
        The folder of the projects.
    annotator : str
    """

    def __init__(self, home: Path, annotator: str) -> None:
        self.home = home
        self.renderer = Renderer(annotator, __package__)
        self.people = People(home, annotator)
        self._jobs = Jobs()
        self._reviews: dict[tuple[str, str], ASGIApp] = {}

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
            ("/run", None, self.run),
            ("/cancel", None, self.cancel),
        ]
        pages = [
            Route("/", self.overview),
            Route("/progress", self.progress),
            Mount("/review", self.review),
            *self._for_stewards(steward),
        ]
        return [
            Route("/", self.projects),
            Route(UPLOAD, self.upload, methods=["POST"]),
            Route("/language", change_language, methods=["POST"]),
            Route("/static/{name}", static),
            Mount("/project/{project}", routes=pages),
            *self._for_stewards(
                [
                    ("/new", None, self.new),
                    ("/sample", None, self.sample),
                    ("/annotators", self.annotators, self.add_annotator),
                    ("/annotators/remove", None, self.remove_annotator),
                ]
            ),
        ]

    def _for_stewards(
        self, routes: Iterable[tuple[str, Endpoint | None, Endpoint | None]]
    ) -> Iterator[Route]:
        """Yield the routes of pages, and of forms, for those who may do everything."""

        def checked(endpoint: Endpoint) -> Endpoint:
            def answer(request: Request) -> Response:
                self._check(request, Right.PUBLISH)
                return endpoint(request)

            return answer

        for path, page, form in routes:
            if page:
                yield Route(path, checked(page))
            if form:
                yield Route(path, checked(form), methods=["POST"])

    def _check(self, request: Request, right: Right) -> None:
        if right not in self.people.rights_of(self._person(request)):
            raise HTTPError(403, "error.right")

    def _person(self, request: Request) -> str:
        return session_of(request).person or self.people.owner

    # Home

    def projects(self, request: Request) -> Response:
        """Show the projects, and how a new one begins."""
        return self._home(request)

    def new(self, request: Request) -> Response:
        """Make a project of a file on this machine."""
        form = form_of(request)
        path = Path(form.text("path").strip()).expanduser()
        return self._made(request, lambda: homes.create(self.home, path, form.text("name", "")))

    def sample(self, request: Request) -> Response:
        """Make a project of the sample messages."""
        return self._made(request, lambda: homes.create_sample(self.home))

    async def upload(self, request: Request) -> Response:
        """Make a project of a file that the browser sends; return its address."""
        self._check(request, Right.PUBLISH)
        name = request.query_params.get("name", "")
        with homes.receiving(self.home) as incoming:
            async for block in request.stream():
                await run_in_threadpool(incoming.write, block)
            incoming.close()
            try:
                project = await run_in_threadpool(
                    homes.create, self.home, Path(incoming.name), "", name
                )
            except TriageError as error:
                return Response(str(error), 400, media_type="text/plain; charset=utf-8")
        return Response(_address(project, "import"), media_type="text/plain")

    def _made(self, request: Request, make: Callable[[], Project]) -> Response:
        try:
            project = make()
        except TriageError as error:
            return self._home(request, str(error))
        return _see(_address(project, "import"))

    def _home(self, request: Request, problem: str = "") -> Response:
        projects = homes.cards(self.home)
        shown = {"projects": projects, "problem": problem, "folder": str(self.home)}
        return self._page(request, "home", None, shown)

    # People

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
        except TriageError as error:
            return self._people_page(request, {"problem": str(error)})
        # Rights that were changed hold from now on.
        self._reviews = {place: app for place, app in self._reviews.items() if place[1] != name}
        link = f"{request.url.scheme}://{request.headers['host']}/?token={token}"
        return self._people_page(request, {"link": link, "link_name": name})

    def remove_annotator(self, request: Request) -> Response:
        """Remove a person."""
        self.people.remove(form_of(request).text("name"))
        return _see("/annotators")

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
        return self._page(request, "annotators", None, shown)

    # A project

    def overview(self, request: Request) -> Response:
        """Show the stages of a project, and what is next."""
        project = self._project(request)
        shown = screens.overview(project, translator_of(request))
        return self._page(request, "overview", project, shown)

    def importing(self, request: Request) -> Response:
        """Show how the file is read."""
        project = self._project(request)
        return self._page(request, "import", project, screens.importing(project))

    def choose_columns(self, request: Request) -> Response:
        """Keep how the file is read."""
        project, form = self._project(request), form_of(request)
        settings = project.settings
        reading = replace(
            settings.reading,
            **{
                name: form.text(name, "").strip() or None
                for name in ("text_column", "id_column", "sender_column", "format", "sheet")
            },
            no_header=bool(form.text("no_header", "")),
        )
        project.write(replace(settings, reading=reading))
        return _see(_address(project, "import" if form.text("look", "") else "triage"))

    def triage(self, request: Request) -> Response:
        """Show the bounds of the triage, and what came of it."""
        project = self._project(request)
        shown = screens.triage(project, translator_of(request))
        return self._page(request, "triage", project, shown)

    def choose_bounds(self, request: Request) -> Response:
        """Keep the bounds, and triage the messages."""
        project, form = self._project(request), form_of(request)
        leak = screens.share_of(form.text("max_leak"))
        double = form.text("double", "0").strip()
        project.write(
            replace(
                project.settings,
                max_leak=leak,
                double=0.0 if double in ("", "0") else screens.share_of(double),
            )
        )
        return self._run(request, project, Step.CLASSIFY, "triage")

    def naming(self, request: Request) -> Response:
        """Show what the spellings of the corpus stand for."""
        project = self._project(request)
        offset = whole_number(request.query_params.get("offset", "0"))
        return self._page(request, "names", project, screens.naming(project, offset))

    def change_name(self, request: Request) -> Response:
        """Change an entity, or one of its spellings."""
        project, form = self._project(request), form_of(request)
        offset, number = form.integer("offset"), form.integer("number")
        change, value = form.choice("change", Change), form.text("value")
        if change is Change.TYPE:
            one_of(value, IdentifierType)
        table = names.table_of(project)
        if table is None:
            raise HTTPError(404, "error.gone")
        try:
            changed = names.changed(table, change, number, form.text("seen"), value)
        except TriageError as error:
            shown = screens.naming(project, offset, str(error))
            return self._page(request, "names", project, shown)
        names.keep_table(project, changed)
        return _see(f"{_address(project, 'names')}?offset={offset}")

    def replacing(self, request: Request) -> Response:
        """Show the plan and the styles."""
        project = self._project(request)
        return self._page(request, "replace", project, screens.replacing(project))

    def choose_plan(self, request: Request) -> Response:
        """Keep the plan, and replace the identifiers."""
        project, form = self._project(request), form_of(request)
        said = Answers(
            form.choice("style", StyleName),
            {kind: form.choice(f"type_{kind}", Treatment) for kind in IdentifierType},
            form.choice("sender", Senders),
            form.choice("dates", Dates),
            form.choice("ids", Ids),
            tuple(form.all("keep")),
        )
        try:
            keep_plan(project, with_answers(plan_of(project), said))
        except TriageError:
            return self.replacing(request)
        return self._run(request, project, Step.ANONYMISE, "replace")

    def checking(self, request: Request) -> Response:
        """Show what the check found."""
        project = self._project(request)
        return self._page(request, "check", project, screens.checking(project))

    def sampling(self, request: Request) -> Response:
        """Show a message of the sample, and what the sample says so far."""
        project = self._project(request)
        return self._page(request, "quality", project, screens.sampling(project))

    def begin_sample(self, request: Request) -> Response:
        """Draw a sample."""
        project, bound = self._project(request), form_of(request).text("bound")
        if bound not in map(str, quality.BOUNDS):
            raise HTTPError(400, "error.form")
        try:
            quality.begin(project, float(bound))
        except TriageError as error:
            return self._page(request, "quality", project, screens.sampling(project, str(error)))
        return _see(_address(project, "quality"))

    def answer_sample(self, request: Request) -> Response:
        """Record the answer to a message of the sample, or take the last one back."""
        project, form = self._project(request), form_of(request)
        said, row = form.text("said"), form.integer("row")
        sample = quality.read(project)
        if sample is None or said not in ("yes", "no", "back"):
            raise HTTPError(400, "error.form")
        holds = None if said == "back" else said == "yes"
        if holds is None and sample.answers:
            row = [*sample.answers][-1]
        try:
            quality.keep(project, quality.answered(sample, row, holds))
        except TriageError:
            raise HTTPError(409, "error.stale") from None
        return _see(_address(project, "quality"))

    def publishing(self, request: Request) -> Response:
        """Show what may be shared, and what stands against it."""
        project = self._project(request)
        shown = screens.publishing(project, translator_of(request))
        return self._page(request, "publish", project, shown)

    def publish(self, request: Request) -> Response:
        """Publish, if nothing stands against it or a person says why all the same."""
        project, why = self._project(request), form_of(request).text("why", "").strip()
        lock = publication.lock(project)
        if lock.reasons and not (lock.may_open and why):
            raise HTTPError(409, "error.locked")
        publication.publish(project, self._person(request), why)
        return _see(_address(project, "publish"))

    def published(self, request: Request) -> Response:
        """Return a file that may be shared."""
        path = publication.published_file(self._project(request), request.path_params["name"])
        if path is None:
            raise HTTPError(404, "error.gone")
        return FileResponse(path, filename=path.name, content_disposition_type="attachment")

    def run(self, request: Request) -> Response:
        """Run a step."""
        form, project = form_of(request), self._project(request)
        return self._run(request, project, form.choice("step", Step), form.text("back", ""))

    def _run(self, request: Request, project: Project, step: Step, back: str) -> Response:
        if back not in screens.PAGES:
            raise HTTPError(400, "error.form")
        try:
            self._jobs.start(project, step, self._person(request))
        except TriageError:
            session_of(request).say("said.running")
        return _see(_address(project, back))

    def cancel(self, request: Request) -> Response:
        """End the work that is running."""
        project = self._project(request)
        self._jobs.cancel(project)
        return _see(_address(project, form_of(request).text("back", "")))

    def progress(self, request: Request) -> Response:
        """Tell how far the work is that is running."""
        job = self._jobs.of(self._project(request))
        if job is None or not job.is_running:
            return JSONResponse({"running": False})
        t, progress, left = translator_of(request), job.progress, job.seconds_left
        return JSONResponse(
            {
                "running": True,
                "done": progress.done if progress else 0,
                "of": progress.of if progress else None,
                "left": t("desk.time_left", time=t.duration(left)) if left is not None else "",
            }
        )

    async def review(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the review page of a project's queue."""
        request = Request(scope)
        self._check(request, Right.ANNOTATE)
        app = await run_in_threadpool(self._review, self._project(request), self._person(request))
        await app(scope, receive, send)

    def _review(self, project: Project, annotator: str) -> ASGIApp:
        if not project.queue.exists():
            raise HTTPError(404, "error.gone")
        place = (project.name, annotator)
        if place not in self._reviews:
            rights = self.people.rights_of(annotator)
            pages = Review(
                Queue.open(project.queue),
                annotator,
                Renderer(annotator, home=_address(project)),
                adjudicate_own=False,
                may_adjudicate=Right.ADJUDICATE in rights,
            )
            routes = [
                *pages.routes(),
                Route("/language", change_language, methods=["POST"]),
                Route("/static/{name}", review_static),
            ]
            self._reviews[place] = Router(routes, redirect_slashes=False, default=_gone)
        return self._reviews[place]

    def _project(self, request: Request) -> Project:
        found = homes.project(self.home, request.path_params["project"])
        if found is None:
            raise HTTPError(404, "error.gone")
        return found

    def _page(
        self, request: Request, name: str, project: Project | None, found: Mapping[str, object]
    ) -> Response:
        rights = self.people.rights_of(self._person(request))
        if not rights:
            raise HTTPError(403, "error.right")
        said, t = session_of(request).said(), translator_of(request)
        job = self._jobs.of(project) if project else None
        shown = {
            **found,
            "project": project,
            "annotator": self._person(request),
            "may": rights,
            "address": _address(project) if project else "/",
            "job": job,
            "pages": screens.PAGES,
            "said": t(said[0], **said[1]) if said else None,
        }
        return self.renderer.page(request, name, shown)

    def end(self) -> None:
        """End all work that is running."""
        self._jobs.end()


def static(request: Request) -> Response:
    """Return a static file of the desk, or of the review page."""
    name = request.path_params["name"]
    suffix = PurePosixPath(name).suffix
    found = next((f for f in (files(__package__) / "static").iterdir() if f.name == name), None)
    if found is None or suffix not in _MEDIA_TYPES:
        return review_static(request)
    return Response(found.read_bytes(), media_type=_MEDIA_TYPES[suffix])


async def _gone(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise HTTPError(404, "error.gone")


def _address(project: Project, page: str = "") -> str:
    return f"/project/{quote(project.name)}/{page}"


def _see(path: str) -> Response:
    return RedirectResponse(path, 303)
