"""What stands beside a message: notes on it, and the guidelines of annotation."""

import threading

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..queue import Queue
from . import guidelines
from .forms import (
    Form,
    HTTPError,
    base_of,
    form_of,
    malformed,
    queue_errors,
    said_line,
    session_of,
    translator_of,
)
from .rendering import FRAGMENT, Renderer

# The pages of one item, to which a form of notes returns.
_PLACES = {"queue": "item", "adjudicate": "adjudicate"}


class Asides:
    """Notes and guidelines, for one annotator."""

    def __init__(
        self,
        queue: Queue,
        annotator: str,
        renderer: Renderer,
        lock: threading.Lock,
        *,
        may_edit: bool,
    ) -> None:
        self._queue = queue
        self._annotator = annotator
        self._renderer = renderer
        self._lock = lock
        self._may_edit = may_edit
        self._guidelines = guidelines.Guidelines(queue.path)

    def routes(self) -> list[Route]:
        return [
            Route("/note", self.note, methods=["POST"]),
            Route("/guidelines", self.guidelines),
            Route("/guidelines", self.edit, methods=["POST"]),
        ]

    def keep_note(self, form: Form) -> None:
        """Record the note of a form, if it has one; whoever calls holds the lock."""
        note = form.text("note", "")
        if form.has("note"):
            asks = form.has("asks")
            self._queue.note(self._annotator, form.integer("item"), note, asks=asks)

    def note(self, request: Request) -> Response:
        """Record a note on an item, and show it again."""
        form, session = form_of(request), session_of(request)
        place, item = _PLACES.get(form.text("back")), form.integer("item")
        if place is None:
            malformed()
        with self._lock, queue_errors():
            self.keep_note(form)
            session.keep_draft(self._queue.item(item), form.spans("spans"))
        session.say("said.note")
        return RedirectResponse(f"{base_of(request)}/{place}/{item}", 303)

    def guidelines(self, request: Request) -> Response:
        """Show the guidelines, as a page or beside a message."""
        text = self._guidelines.text(translator_of(request).code)
        shown = {
            "blocks": list(guidelines.blocks(text)),
            "text": text,
            "seen": guidelines.fingerprint(text),
            "may_edit": self._may_edit,
            "is_aside": FRAGMENT in request.headers,
            "longest": guidelines.LONGEST,
            "said": said_line(request),
        }
        return self._renderer.page(request, "guidelines", shown, place="aside")

    def edit(self, request: Request) -> Response:
        """Keep other guidelines, unless somebody else has changed them meanwhile."""
        if not self._may_edit:
            raise HTTPError(403, "error.guidelines")
        form, text = form_of(request), form_of(request).text("text")
        if len(text) > guidelines.LONGEST:
            malformed()
        with self._lock:
            before = self._guidelines.text(translator_of(request).code)
            if form.text("seen") != guidelines.fingerprint(before):
                raise HTTPError(409, "error.stale_guidelines")
            self._guidelines.write(text)
        session_of(request).say("said.guidelines")
        return RedirectResponse(f"{base_of(request)}/guidelines", 303)
