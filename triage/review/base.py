"""What all pages of the review have in common: the queue, its annotator, and their rights."""

import threading
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..queue import Item, Queue, Spans
from . import pages
from .asides import Asides
from .forms import HTTPError, Session, base_of, said_line, translator_of
from .rendering import Renderer
from .spellings import FirstLook, Spellings


class ReviewPages:
    def __init__(
        self,
        queue: Queue,
        annotator: str,
        renderer: Renderer,
        *,
        adjudicate_own: bool,
        may_adjudicate: bool = True,
        may_edit: bool = True,
        next_step: tuple[str, str] | None = None,
        first_look: Callable[[], FirstLook | None] | None = None,
    ) -> None:
        self._queue = queue
        self._may_adjudicate = may_adjudicate
        self._adjudicate_own = adjudicate_own
        self._annotator = annotator
        self._renderer = renderer
        self._spellings = Spellings(queue, first_look)
        self._next_step = next_step
        self._lock = threading.Lock()
        self._asides = Asides(queue, annotator, renderer, self._lock, may_edit=may_edit)

    def _common(self, request: Request) -> pages.Shown:
        """Return what all pages show: progress, and the last action."""
        progress = self._queue.progress(self._annotator)
        return {
            "progress": pages.progress_line(progress, translator_of(request)),
            "last": self._queue.last_decision(self._annotator),
            "said": said_line(request),
        }

    def _item(self, number: int) -> Item:
        item = self._queue.item(number)
        if item is None:
            raise HTTPError(404, "error.gone")
        return item


def see(request: Request, path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(base_of(request) + path, 303)


def decided(session: Session, decision: int, item: int, marks: Spans) -> None:
    session.marks[decision] = marks
    session.drafts.pop(item, None)
