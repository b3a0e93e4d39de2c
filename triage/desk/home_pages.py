"""The pages outside of a project: the projects, and the people."""

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ..errors import UserError
from ..review.forms import HTTPError, form_of, translator_of
from ..safe import HiddenFolder
from . import homes
from .base import Pages, address, see
from .homes import Next, next_of
from .people import Right
from .project import Project


class HomePages(Pages):
    """The pages outside of a project."""

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
        """Remove a person."""
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


def _first_page(project: Project) -> str:
    """Return where a project opens: a new one at its columns, one that was brought as it was."""
    return address(project, "import" if next_of(project) is Next.IMPORT else "")
