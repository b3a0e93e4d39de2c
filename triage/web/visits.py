"""A request of a page: who asks, with which rights, of which project, and the page that answers."""

import errno
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..safe import hidden_folder
from . import pages, stages
from .importing import cached_preview
from .jobs import Job, Jobs
from .pages import FRAGMENT, PLACE, Form, HTTPError, Translator, base_of, malformed, response
from .people import EVERY, Account, Accounts, Right, Session
from .project import DAMAGE, Project, plain_name, projects_in
from .stages import Name, ProjectState, Stage, Step, Todo, Work, address

if TYPE_CHECKING:
    from .reading import Review

# The rights of which one opens a page; without any, it is the owner's alone.
OWNER: tuple[Right, ...] = ()


class Desk:
    """A folder of projects, the people who may open them, and what is under way."""

    def __init__(self, home: Path, annotator: str) -> None:
        self.home = home
        self.people = Accounts(home, annotator)
        self.jobs = Jobs()
        # The reader of each project for each person, with the rights that they have.
        self.readers: dict[tuple[str, str, frozenset[Right]], Review] = {}

    def forget(self, project: Project) -> None:
        """Forget the work on a file and the readers of a queue that are no more."""
        self.jobs.forget(project.folder)
        self.readers = {at: one for at, one in self.readers.items() if at[0] != project.name}


def one_language(record: Mapping[str, Any]) -> str:
    language = str(record.get("language", ""))
    return "" if "," in language else language


class Visit:
    """A request: its session, language and form; of the page of a queue alone, there is no desk."""

    desk: Desk
    layout = "base"
    # The work of the project, and whether it runs: noted before anything is read, since it may end
    # before the page is shown.
    job: Job | None = None
    is_working = False

    def __init__(self, request: Request, desk: Desk | None = None) -> None:
        self.request = request
        self.t: Translator = request.state.translator
        self.session: Session = request.state.session
        self.is_owner = not self.session.person
        if desk:
            self.desk = desk

    @property
    def form(self) -> Form:
        form: Form | None = self.request.state.form
        return malformed() if form is None else form

    def number(self, name: str, default: int) -> int:
        return pages.whole_number(self.request.query_params.get(name, str(default)))

    def see(self, path: str = "") -> Response:
        """Send the browser to another page of the reader."""
        return RedirectResponse(base_of(self.request) + path, 303)

    @cached_property
    def accounts(self) -> list[Account]:
        """The accounts of who asks; HTTPError if their link was taken back or is over."""
        accounts = self.desk.people.of_session(self.session.person)
        if not (accounts or self.is_owner):
            raise HTTPError(403, "error.right")
        return accounts

    @property
    def person(self) -> str:
        return self.desk.people.owner if self.is_owner else str(self.accounts[0]["name"])

    @property
    def rights(self) -> frozenset[Right]:
        return self.rights_in(self.request.path_params.get("project", ""))

    def rights_in(self, project: str) -> frozenset[Right]:
        if self.is_owner:
            return EVERY
        accounts = (one for one in self.accounts if one["project"] == project)
        return frozenset(Right(right) for one in accounts for right in one["rights"])

    def check(self, rights: Collection[Right]) -> None:
        if not (self.is_owner or self.rights & {*rights}):
            raise HTTPError(403, "error.right")

    @cached_property
    def project(self) -> Project:
        # It is looked up among those that are there, so that no path leads out of the folder.
        for project in projects_in(self.desk.home):
            if project.name == self.request.path_params["project"]:
                return project
        raise HTTPError(404, "error.gone")

    @cached_property
    def spoken(self) -> str:
        """The language of the messages; empty where there are several, or none is known."""
        with suppress(*DAMAGE):
            return one_language(cached_preview(self.project).read() or {})
        return ""

    def note_work(self) -> None:
        """Note the work of the project, so that all of a page tells of the same moment."""
        self.job = self.desk.jobs.of(self.project)
        self.is_working = bool(self.job and self.job.is_running)
        # What was read before may be of another moment.
        vars(self).pop("standing", None)

    def check_rest(self) -> None:
        self.note_work()
        if self.is_working:
            raise HTTPError(409, "error.running")

    def page(self, name: str, shown: Mapping[str, object], *, place: str = "main") -> Response:
        """Return a page, or only its main part if the script asks for it."""
        request, is_part = self.request, FRAGMENT in self.request.headers
        # The line that confirms the last action is shown once.
        flash, self.session.flash = self.session.flash, None
        values = {
            "visit": self,
            "t": self.t,
            "page": name,
            "base": base_of(request),
            # An address that is only posted to cannot be returned to.
            "path": request.url.path if request.method == "GET" else f"{base_of(request)}/",
            "is_part": is_part,
            **self.frame(name if self.layout == "base" else self.layout),
            **shown,
            "said": self.t(flash[0], **flash[1]) if flash else None,
            "is_refused": flash is not None and flash[0].startswith("error."),
        }
        template = f"{'part' if is_part else self.layout}.html"
        return response(template, 200, values, {PLACE: place} if is_part else {})

    @cached_property
    def standing(self) -> ProjectState:
        return ProjectState(self.project, self.rights, self.person)

    @property
    def is_confirmed(self) -> bool:
        """Return whether a person has said how identifiers are replaced."""
        return Name.REPLACE in self.standing.confirmed

    def command(self, step: str, formats: Sequence[str] = (), *, hold: bool = False) -> str:
        return stages.work(self.project, Step(step), formats, hold=hold).shown

    def frame(self, name: str) -> Mapping[str, object]:
        """Return the values of the frame of a page: the project, its stages, and who asks."""
        project = self.project if "project" in self.request.path_params else None
        standing, rail, todo = None, list[Stage](), Todo("todo.others", "")
        if project:
            self.check([*Right])
            # Where a part of it is damaged, its own page leads out.
            with suppress(*DAMAGE):
                standing = self.standing
                todo = standing.todo(self.t, name)
                runs = self.job.stage if self.job and self.is_working else ""
                rail = standing.rail(self.t, name, runs)
        return {
            "project": project,
            "annotator": self.person,
            "may": self.rights,
            "opens": partial(stages.opens, rights=self.rights),
            "address": address(project) if project else "/",
            "standing": standing,
            "stages": rail,
            "todo": todo,
        }

    def go(self, page: str = "", query: str = "") -> Response:
        return RedirectResponse(address(self.project, page) + query, 303)

    def bring_up_to(self, step: Step) -> None:
        """Start the steps that a page needs, but replace nothing before somebody has said how."""
        if step is Step.QUEUE or self.is_confirmed:
            self.desk.jobs.bring_up_to(self.project, step, self.person)
            self.note_work()

    def start(self, steps: tuple[Step, ...], back: str, publishing: Work | None = None) -> Response:
        """Start steps, and go back to the page that asked for them."""
        if back not in ("", *stages.PAGES):
            malformed()
        if steps and not self.desk.jobs.start(self.project, steps, self.person, publishing):
            self.session.say("error.running")
        return self.go(back)


# What answers a visit, or a visit of one kind.
Screen = Callable[[Any], Response]
# The path of a page, who may open it, and what shows it and answers its form.
Row = tuple[str, Collection[Right], Screen | None, Screen | None]


def routes_of(
    rows: Iterable[Row], answer: Callable[[Screen, Collection[Right], Request], Response]
) -> Iterator[Route]:
    """Yield the routes of pages and their forms, each answered by who checks the rights."""
    for path, rights, *answers in rows:
        for screen, method in zip(answers, ("GET", "POST"), strict=True):
            if screen:
                yield Route(path, partial(answer, screen, rights), methods=[method])


def respond(desk: Desk, screen: Screen, rights: Collection[Right], request: Request) -> Response:
    """Answer a request of who is the owner or has one of some rights."""
    visit = Visit(request, desk)
    visit.check(rights)
    if "project" in request.path_params:
        visit.note_work()
    return screen(visit)


def route_of_file(desk: Desk, path: str, take: Callable[[Visit, Path], str]) -> Route:
    """Return the route of a file that its owner sends, which answers where to go on."""

    async def received(request: Request) -> Response:
        visit = Visit(request, desk)
        visit.check(OWNER)
        if "project" in request.path_params:
            visit.check_rest()
        # A form is no file.
        if request.state.form is not None:
            malformed()
        with hidden_folder(desk.home) as folder:
            if int(request.headers.get("content-length", "0")) > disk_usage(folder).free:
                raise OSError(errno.ENOSPC, "")
            file = folder / plain_name(request.query_params.get("name", ""))
            with file.open("wb") as target:
                async for block in request.stream():
                    await run_in_threadpool(target.write, block)
            page = await run_in_threadpool(take, visit, file)
        return Response(page, media_type="text/plain")

    return Route(path, received, methods=["POST"])
