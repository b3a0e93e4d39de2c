"""The pages of a project, and among them the review page of each annotator."""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import TriageError
from ..publish import Published
from ..queue import Queue, Reason, Task
from ..safe import HiddenFolder
from ..settings import OfType, StyleName
from ..vocabulary import IdentifierType
from . import importing, life, names, quality, screens
from . import publishing as publication
from .forms import (
    LONGEST_WORD,
    HTTPError,
    Translator,
    form_of,
    malformed,
    one_of,
    said_line,
    session_of,
    share_of,
    translator_of,
)
from .homes import pack
from .importing import preview
from .jobs import Jobs
from .names import Change, View
from .people import People, Right
from .project import DAMAGE, LANGUAGES, Project, damage, projects_in
from .reading import Review, gone
from .rendering import Renderer
from .replacing import keep_plan, plan_of, tasks_of_held, with_columns
from .spellings import kept_first_look
from .stages import PAGES, Name, Stage, Todo, address, confirmed, stages
from .steps import State, Step, Work, left_to_read, needed, states

Endpoint = Callable[[Request], Response]
# The rights of which one opens a page; without any, it is the owner's alone.
OWNER: tuple[Right, ...] = ()
_READ_BY = (
    *("text_column", "id_column", "sender_column", "date_column"),
    *("format", "encoding", "separator", "sheet", "table"),
)
# Parts of the reader that are for one right; the others are for who has either.
_OF_READERS = ("/decide", "/spelling", "/word", "/filters", "/list")
_OF_RULERS = "/rule"


def _rights_in_reader(path: str) -> Collection[Right]:
    """Return the rights of which one opens a part of the reader."""
    if path.startswith(_OF_READERS):
        return (Right.READ,)
    return (Right.RULE,) + ((Right.READ,) if path != _OF_RULERS else ())


class ProjectPages:
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
        # It is looked up among those that are there, so that no path leads out of the folder.
        for project in projects_in(self.home):
            if project.name == request.path_params["project"]:
                return project
        raise HTTPError(404, "error.gone")

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

    def current(self, request: Request) -> Response:
        """Go to what is next in a project for who asks."""
        project = self.project(request)
        self.check(request, *Right)
        try:
            t, rights, person = translator_of(request), self.rights(request), self.person(request)
            rail, todo = stages(project, t, rights, "", person)
        except DAMAGE:
            return see(address(project, "project"))
        return see(todo.href or next(stage.href for stage in rail if stage.href))

    def overview(self, request: Request, problem: str = "") -> Response:
        """Show what was done in a project, and what its owner may do with it."""
        project = self.project(request)
        try:
            shown = screens.overview(project)
        except DAMAGE as error:
            problem = translator_of(request).problem(damage(project, error))
            shown = {"history": [], "commands": [], "changes": []}
        shown |= {"held": life.held(project), "may_be_replaced": life.may_be_replaced(project)}
        return self.page(request, "project", project, shown | {"problem": problem})

    def screen(
        self,
        name: str,
        content: Callable[[Project, Translator], screens.Shown],
        until: Step | None = None,
    ) -> Endpoint:
        """Return what shows a page of a stage, and starts the steps that the stage needs."""

        def show(request: Request) -> Response:
            project = self.project(request)
            if until:
                self._bring_up_to(request, project, until)
            shown, job = content(project, translator_of(request)), self.jobs.of(project)
            if job and job.is_done and not (job.is_running or job.is_shown):
                job.is_shown = True
                # A check that was waited for here and left nothing to look at.
                is_clear = name == Name.VERIFY and not (shown["spellings"] or shown["is_locked"])
                if is_clear and Right.PUBLISH in self.rights(request):
                    return see(address(project, Name.PUBLISH))
            return self.page(request, name, project, shown)

        return show

    def _bring_up_to(self, request: Request, project: Project, until: Step) -> None:
        # Nothing is replaced before somebody has said how.
        if until is Step.QUEUE or Name.REPLACE in confirmed(project):
            self.jobs.bring_up_to(project, until, self.person(request))

    def choose_columns(self, request: Request) -> Response:
        """Keep how the file is read, if it can be read so."""
        project, form = self.project(request), form_of(request)
        said = {name: form.text(name, "").strip() or None for name in _READ_BY}
        before = project.settings
        reading = replace(before.reading, **said, no_header=bool(form.text("no_header", "")))
        language = form.text("language", "")
        if language not in LANGUAGES:
            malformed()
        settings = replace(before, reading=reading, language=language)
        found = importing.preview(project, settings)
        if problem := importing.problem_of(found):
            shown = screens.importing(project, translator_of(request)) | {"problem": problem}
            return self.page(request, "import", project, shown)
        project.write(settings)
        if reading != before.reading:
            project.note("reread")
        if not form.text("look", ""):
            project.note("confirmed", stage=Name.IMPORT.value, by=self.person(request))
        return see(address(project, "import" if form.text("look", "") else "read"))

    def choose_bounds(self, request: Request) -> Response:
        project, form = self.project(request), form_of(request)
        residue = share_of(form.text("max_residue"))
        double = share_of(form.text("double", "0") or "0", or_none=True)
        if project.queue.exists() and double != project.settings.double:
            with Queue.open(project.queue) as queue:
                queue.double(double)
        project.write(replace(project.settings, max_residue=residue, double=double))
        return self._start(request, project, (Step.CLASSIFY, Step.QUEUE), Name.READ)

    def naming(self, request: Request) -> Response:
        """Show what the spellings of the corpus stand for."""
        project, session = self.project(request), session_of(request)
        view = View.parse(request.query_params.get)
        self._bring_up_to(request, project, Step.NAMES)
        return self.page(request, "names", project, screens.naming(project, view, session.names))

    def change_name(self, request: Request) -> Response:
        """Change an entity or one of its spellings, or search: no address holds what is sought."""
        project, form, session = self.project(request), form_of(request), session_of(request)
        view = View.parse(form.text)
        if form.has("search"):
            session.names = form.text("search").strip()[:LONGEST_WORD]
            return see(address(project, "replace/names") + view.link(offset=0))
        change, value = form.choice("change", Change), form.text("value", "")
        if change is Change.TYPE:
            one_of(value, IdentifierType)
        number, seen = form.integer("number"), form.text("seen")
        try:
            changed = names.changed(names.table_of(project), change, number, seen, value)
        except TriageError as error:
            problem = translator_of(request).problem(error)
            shown = screens.naming(project, view, session.names, problem)
            return self.page(request, "names", project, shown)
        names.keep_table(project, changed)
        return see(address(project, "replace/names") + view.link())

    def choose_plan(self, request: Request) -> Response:
        """Keep the style, the types and the columns, which somebody has confirmed by that."""
        project, form = self.project(request), form_of(request)
        # A choice stands before the name of its column, which may hold anything.
        becomes = (one.partition(" ") for one in form.all("becomes"))
        types = {kind: form.choice(f"type_{kind}", OfType) for kind in IdentifierType}
        with suppress(TriageError):
            plan = plan_of(project)
            found = preview(project)
            plan = with_columns(plan, found, {name: choice for choice, _, name in becomes})
            treatment = replace(plan.treatment, style=form.choice("style", StyleName))
            plan = replace(plan, treatment=treatment, types={**plan.types, **types})
            keep_plan(project, plan)
            project.note("confirmed", stage=Name.REPLACE.value, by=self.person(request))
        return self._start(request, project, needed(project, Step.ANONYMISE), Name.REPLACE)

    def begin_sample(self, request: Request) -> Response:
        project, bound = self.project(request), form_of(request).text("bound")
        if bound not in (str(one) for one, _ in quality.bounds(project)):
            raise HTTPError(409, "error.stale")
        quality.begin(project, float(bound))
        return see(address(project, "verify/sample"))

    def answer_sample(self, request: Request) -> Response:
        """Record the answer to a message of the sample, or take the last one back."""
        project, form = self.project(request), form_of(request)
        said, row = form.text("said"), form.integer("row")
        sample = quality.read(project)
        if sample is None or said not in ("yes", "no", "back"):
            raise HTTPError(400, "error.form")
        if said == "back" and sample.answers:
            row = [*sample.answers][-1]
        if row not in sample.all_rows:
            raise HTTPError(409, "error.stale")
        sample = quality.answered(sample, row, None if said == "back" else said == "yes")
        quality.keep(project, sample)
        if row in sample.leaks and project.queue.exists():
            with Queue.open(project.queue) as queue:
                queue.add_items([Task(Reason.LEAK, row=row)])
        return see(address(project, "verify/sample"))

    def publish(self, request: Request) -> Response:
        """Publish, if nothing stands against it or a person says why all the same."""
        project, form = self.project(request), form_of(request)
        why, hold = form.text("why", "").strip(), bool(form.text("hold", ""))
        lock = publication.lock(project)
        if not lock.opens(hold=hold, why=why):
            raise HTTPError(409, "error.locked")
        formats = [Published(one_of(value, Published)) for value in form.all("format")]
        project.write(replace(project.settings, formats=tuple(formats)))
        doing = publication.publishing(project, formats, hold=hold, why=why)
        doing = replace(doing, facts={"why": why, "against": lock.told()})
        return self._start(request, project, (Step.PUBLISH,), Name.PUBLISH, doing)

    def published(self, request: Request) -> Response:
        project, name = self.project(request), request.path_params["name"]
        if name not in {one.name for one in publication.published(project)}:
            raise HTTPError(404, "error.gone")
        path = project.published / name
        if path.is_dir():
            packed = partial(shutil.make_archive, root_dir=path.parent, base_dir=name)
            return _sent_once(self.home, lambda to: Path(packed(str(to / name), "zip")))
        return FileResponse(path, filename=name, content_disposition_type="attachment")

    def move(self, request: Request) -> Response:
        """Return the whole project as an archive."""
        project = self.at_rest(request)
        return _sent_once(self.home, lambda folder: pack(project, folder))

    def run(self, request: Request) -> Response:
        """Start the steps up to one, where they have failed or were cancelled before."""
        form, project = form_of(request), self.project(request)
        step = form.choice("step", Step)
        steps = (step,) if step is Step.CLASSIFY else needed(project, step)
        return self._start(request, project, steps, form.text("back", ""))

    def _start(
        self,
        request: Request,
        project: Project,
        steps: tuple[Step, ...],
        back: str,
        publishing: Work | None = None,
    ) -> Response:
        if back not in ("", *PAGES):
            raise HTTPError(400, "error.form")
        if steps and not self.jobs.start(project, steps, self.person(request), publishing):
            session_of(request).say("said.running")
        return see(address(project, back))

    def cancel(self, request: Request) -> Response:
        project, back = self.project(request), form_of(request).text("back", "")
        self.jobs.cancel(project)
        return see(address(project, back if back in PAGES else ""))

    def progress(self, request: Request) -> Response:
        """Tell how far the work is that is running."""
        self.check(request, *Right)
        job = self.jobs.of(self.project(request))
        if job is None or not job.is_running:
            return JSONResponse({"running": False})
        t = translator_of(request)
        share, left = job.look()
        said = t("time_left", time=t.duration(left)) if left is not None else ""
        step = t(f"desk.step.{job.step}") + "…"
        return JSONResponse({"running": True, "share": share, "step": step, "left": said})

    async def review(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the reader of a project's queue."""
        request = Request(scope)
        self.check(request, *_rights_in_reader(scope["path"].removeprefix(scope["root_path"])))
        project, person = self.project(request), self.person(request)
        app = await run_in_threadpool(self._review, project, person, self.rights(request))
        await app(scope, receive, send)

    def _review(self, project: Project, annotator: str, rights: frozenset[Right]) -> ASGIApp:
        if not project.queue.exists():
            raise HTTPError(404, "error.gone")
        place = (project.name, annotator, rights)

        def keep_double(share: float) -> None:
            project.write(replace(project.settings, double=share))

        def hand_over_held(queue: Queue) -> None:
            # What is held back on the decisions as they stand was answered in vain.
            as_it_stands = states(project)[Step.ANONYMISE] is State.DONE
            queue.add_items(tasks_of_held(project), again=as_it_stands)

        def onward(request: Request) -> str:
            if left_to_read(project):
                return ""
            t = translator_of(request)
            return stages(project, t, rights, "reader", annotator)[1].href

        if place not in self.reviews:
            review = Review(
                Queue.open(project.queue),
                annotator,
                Renderer(annotator),
                may_read=Right.READ in rights,
                may_rule=Right.RULE in rights,
                may_edit=Right.PUBLISH in rights,
                frame=lambda request: self.frame(request, project, "reader"),
                next_step=("desk.after_review", address(project)),
                first_look=lambda: kept_first_look(project),
                keep_double=keep_double,
                hand_over_held=hand_over_held,
                onward=onward,
            )
            self.reviews[place] = Router(review.routes(), redirect_slashes=False, default=gone)
        return self.reviews[place]


def see(path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(path, 303)


def _sent_once(home: Path, make: Callable[[Path], Path]) -> Response:
    """Return a file that is made in a folder of its own, and removed when it was sent."""
    folder = HiddenFolder(home)
    try:
        path = make(folder.path)
    except BaseException:
        folder.remove()
        raise
    return FileResponse(
        path,
        filename=path.name,
        content_disposition_type="attachment",
        background=BackgroundTask(folder.remove),
    )
