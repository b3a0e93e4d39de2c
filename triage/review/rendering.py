"""Rendering of pages as HTML; every text is escaped, wherever it comes from."""

from collections.abc import Collection, Mapping
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ..vocabulary import IdentifierType
from .forms import DEFAULT, HTTPError, Translator, base_of, translator

# Set by the page's own script, which asks for a part of a page, or for one line of an error.
FRAGMENT = "x-fragment"
# Tells the script where to show a fragment.
PLACE = "x-place"

# The pages that each page links to, and their paths.
PAGES = {
    "queue": "/",
    "table": "/table",
    "spellings": "/spellings",
    "status": "/status",
    "adjudicate": "/adjudicate",
}

# The first ten types are marked by digits, the others by a letter that no other key of the page
# has: one of their own where it is free.
TYPE_KEYS = dict(zip(IdentifierType, "1234567890" + "bcriymdeopghlfw", strict=True))


class Renderer:
    """Renders templates for an annotator, who is named on each page."""

    def __init__(
        self,
        annotator: str,
        package: str = __package__,
        home: str | None = None,
        pages: Collection[str] = tuple(PAGES),
    ) -> None:
        self._annotator = annotator
        self.package = package
        self._home = home
        self._links = {name: path for name, path in PAGES.items() if name in pages}

    def page(
        self, request: Request, name: str, shown: Mapping[str, object], *, place: str = "main"
    ) -> Response:
        """Return a page, or only its main part if the script asks for it."""
        fragment = FRAGMENT in request.headers
        values = {
            "t": request.state.translator,
            "csrf": request.state.session.csrf,
            "said": None,
            "annotator": self._annotator,
            "home": self._home,
            "links": self._links,
            "page": name,
            # An address that is only posted to cannot be returned to.
            "path": request.url.path if request.method == "GET" else f"{base_of(request)}/",
            "base": base_of(request),
            "types": list(IdentifierType),
            "type_keys": TYPE_KEYS,
            **shown,
        }
        template = f"{name}.html" if fragment else "base.html"
        return self._response(template, 200, values, {PLACE: place} if fragment else {})

    def plain(self, request: Request, template: str) -> Response:
        """Return a page for a browser without session."""
        values = {"t": _translator(request), "base": base_of(request)}
        return self._response(template, 200, values, {})

    def error(self, request: Request, error: HTTPError) -> Response:
        """Return an error page: one line and the way out."""
        line = _translator(request)(error.key)
        if FRAGMENT in request.headers:
            return PlainTextResponse(line, error.status)
        values = {
            "t": _translator(request),
            "line": line,
            "session": error.status != 403,
            "base": base_of(request),
        }
        return self._response("error.html", error.status, values, {})

    def _response(
        self, template: str, status: int, values: dict[str, object], headers: dict[str, str]
    ) -> Response:
        html = _environment(self.package).get_template(template).render(values)
        # UTF-8 cannot encode a lone surrogate.
        content = html.encode("utf-8", "replace")
        return Response(content, status, headers, media_type="text/html; charset=utf-8")


@cache
def _environment(package: str) -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__package__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def _translator(request: Request) -> Translator:
    found: Translator | None = getattr(request.state, "translator", None)
    return found or translator(DEFAULT)
