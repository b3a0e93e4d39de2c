"""The pages of a queue and what can be done on them, route by route."""

import threading
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..queue import Answer, Done, Filters, Item, Order, Queue, Spans, StaleAnswerError, State
from ..vocabulary import Prediction, Verdict
from . import pages
from .forms import HTTPError, malformed
from .languages import CODES, Translator
from .rendering import Renderer
from .requests import (
    LONGEST_WORD,
    form_of,
    item_number,
    one_of,
    own_path,
    refused,
    session_of,
    translator_of,
    whole_number,
    word_of,
)
from .security import LANGUAGE_COOKIE, Guard, Hosts
from .sessions import Session, Sessions

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_RECENT = 15
# Where a form may lead back to.
_PLACES = {"queue": "/", "table": "/table", "status": "/status", "adjudicate": "/adjudicate"}

# What was undone is shown again, where it was decided.
_OF_ONE_ITEM = {"message": "item", "adjudication": "adjudicate"}


def build(
    queue: Queue,
    annotator: str,
    *,
    sessions: Sessions,
    hosts: Hosts,
    language: str | None = None,
    adjudicate_own: bool = False,
) -> Guard:
    """Return the application that serves a queue to an annotator.

    Parameters
    ----------
    queue : Queue
        Used by one thread at a time.
    language : str, optional
        ``fr`` or ``en``; by default the browser's.
    adjudicate_own : bool
        Whether the annotator may settle disagreements with themselves.
    """
    renderer = Renderer(annotator)
    review = Review(queue, annotator, renderer, adjudicate_own=adjudicate_own)
    return Guard(review.router(), sessions, hosts, renderer, language)


class Review:
    """The pages of one annotator.

    What a page does to the queue happens under a lock; a page is rendered outside of it.
    """

    def __init__(
        self, queue: Queue, annotator: str, renderer: Renderer, *, adjudicate_own: bool
    ) -> None:
        self._queue = queue
        self._adjudicate_own = adjudicate_own
        self._annotator = annotator
        self._renderer = renderer
        self._lock = threading.Lock()

    def router(self) -> ASGIApp:
        """Return what finds the page of a request."""
        return Router(
            [
                Route("/", self.queue_page),
                Route("/item/{number}", self.item),
                Route("/decide", self.decide, methods=["POST"]),
                Route("/undo", self.undo, methods=["POST"]),
                Route("/word", self.word, methods=["POST"]),
                Route("/word/confirm", self.decide_word, methods=["POST"]),
                Route("/filters", self.filters, methods=["POST"]),
                Route("/language", self.language, methods=["POST"]),
                Route("/table", self.table),
                Route("/table", self.decide_chosen, methods=["POST"]),
                Route("/status", self.status),
                Route("/adjudicate", self.disagreements),
                Route("/adjudicate", self.adjudicate, methods=["POST"]),
                Route("/adjudicate/{number}", self.disagreement),
                Route("/static/{name}", static),
            ],
            redirect_slashes=False,
            default=_gone,
        )

    # Queue page

    def queue_page(self, request: Request) -> Response:
        """Show the item that comes now."""
        session = session_of(request)
        with self._lock:
            number = pages.next_number(self._queue, self._annotator, session)
        return self._show(request, number)

    def item(self, request: Request) -> Response:
        """Show one item, decided or not."""
        return self._show(request, item_number(request))

    def decide(self, request: Request) -> Response:
        """Record an answer and show the next item."""
        form, session = form_of(request), session_of(request)
        answer, number = form.choice("answer", Answer), form.integer("item")
        marks = form.spans("spans")
        spans = marks if answer is Answer.TA else ()
        seen = form.integer("seen")
        with self._lock, refused():
            made = self._queue.decide(self._annotator, number, answer, spans, seen=seen)
            if made is None:
                session.say("said.same")
            else:
                session.marks[made], session.undone = marks, None
                session.say(f"said.{answer}")
        session.after = number if answer is Answer.SKIP else None
        return _see("/")

    def undo(self, request: Request) -> Response:
        """Take back the last decision and show what it was about."""
        form, session, t = form_of(request), session_of(request), translator_of(request)
        done, last = None, form.integer("last")
        with self._lock:
            try:
                done = self._queue.undo(self._annotator, last=last)
                _say_undone(session, done, t)
                session.undone = _undone_marks(session, done)
            except StaleAnswerError:
                session.say("said.stale_undo")
        back = form.text("back", "queue")
        if back != "table" and done and len(done.items) == 1 and done.kind in _OF_ONE_ITEM:
            return _see(f"/{_OF_ONE_ITEM[done.kind]}/{done.items[0]}")
        return _see(_PLACES.get(back, "/"))

    def _show(self, request: Request, number: int | None) -> Response:
        with self._lock:
            page = (
                pages.item_page(
                    self._queue,
                    self._annotator,
                    number,
                    translator_of(request),
                    undone=session_of(request).undone_marks(number),
                )
                if number is not None
                else None
            )
            shown = self._around(request)
        choices = pages.filter_choices(session_of(request), table=False)
        return self._renderer.page(
            request, "queue", shown | {"item_page": page, "choices": choices}
        )

    def _around(self, request: Request) -> dict[str, object]:
        """Return what stands around a message: how far one is, and what was done last."""
        progress = self._queue.progress(self._annotator)
        return {
            "progress": pages.progress_line(progress, translator_of(request)),
            "last": self._queue.last_decision(self._annotator),
            "said": _said(request),
        }

    def _item(self, number: int) -> Item:
        item = self._queue.item(number)
        if item is None:
            raise HTTPError(404, "error.gone")
        return item

    # Words

    def word(self, request: Request) -> Response:
        """Say what deciding a word would do, and ask."""
        form = form_of(request)
        word, rule, type_ = word_of(form)
        item = form.integer("item") if form.text("item", "") else 0
        t = translator_of(request)
        with self._lock, refused():
            shown = pages.confirm_page(
                self._queue, self._annotator, word, rule, type_.value, item, t
            )
        return self._renderer.page(request, "confirm", {"confirm": shown}, place="dialog")

    def decide_word(self, request: Request) -> Response:
        """Decide a word, and show the same message where it is still open, or the next one."""
        form, session, t = form_of(request), session_of(request), translator_of(request)
        word, rule, type_ = word_of(form)
        number, last = form.integer("item"), form.integer("last")
        with self._lock, refused():
            try:
                self._queue.decide_word(self._annotator, word, rule, type_, last=last)
                done = self._queue.history(self._annotator, 1)[0]
                session.say(f"said.{rule}", word=word, items=t.count("items", len(done.items)))
            except StaleAnswerError:
                session.say("said.stale_word")
            item = self._queue.item(number) if number else None
            mine = pages.standing_of(item, self._annotator) if item else None
        if not number:
            return _see("/status")
        return _see(f"/item/{number}" if item and not item.final and mine is None else "/")

    # Table

    def filters(self, request: Request) -> Response:
        """Keep filters in the session: what they look for is in no address."""
        form, session = form_of(request), session_of(request)
        back = form.text("back")
        if form.text("clear", ""):
            state = session.filters.state if back == "table" else State.OPEN
            session.filters = Filters(state=state)
        else:
            session.filters = Filters(
                state=form.choice("state", State),
                word=form.text("word", "").strip()[:LONGEST_WORD],
                sender=form.text("sender", "").strip()[:LONGEST_WORD],
                seek_hide=one_of(form.text("seek_hide", ""), Verdict),
                model=one_of(form.text("model", ""), Prediction),
            )
            session.order = Order(one_of(form.text("order", session.order), Order))
        return _see(_PLACES.get(back, "/"))

    def table(self, request: Request) -> Response:
        """Show many items, to be decided together."""
        session = session_of(request)
        offset = whole_number(request.query_params.get("offset", "0"))
        with self._lock:
            table = pages.table_page(self._queue, self._annotator, session, offset)
            shown = self._around(request)
        choices = pages.filter_choices(session, table=True)
        return self._renderer.page(request, "table", shown | {"table": table, "choices": choices})

    def decide_chosen(self, request: Request) -> Response:
        """Record one answer to the chosen items."""
        form, session, t = form_of(request), session_of(request), translator_of(request)
        answer, items = form.choice("answer", Answer), form.integers("items")
        last = form.integer("last")
        with self._lock, refused():
            # Releasing against a vote takes a look at each message.
            if answer is Answer.NTA and any(self._item(number).voted_ta for number in items):
                raise HTTPError(409, "error.voted_ta")
            if items:
                self._queue.decide_all(self._annotator, items, answer, last=last)
        session.say("said.all", answer=answer.value, items=t.count("items", len(set(items))))
        return _see(f"/table?offset={form.integer('offset')}")

    # Status and disagreements

    def status(self, request: Request) -> Response:
        """Show what the queue holds, and how far it is."""
        with self._lock:
            shown = self._around(request) | {
                "status": self._queue.status(),
                "name": self._queue.about.name,
                "history": self._queue.history(None, _RECENT, reader=self._annotator),
            }
        return self._renderer.page(request, "status", shown)

    def disagreements(self, request: Request) -> Response:
        """Show the first item on which annotators differ."""
        return self._disagreement(request, None)

    def disagreement(self, request: Request) -> Response:
        """Show one item on which annotators differ, or differed."""
        return self._disagreement(request, item_number(request))

    def _disagreement(self, request: Request, number: int | None) -> Response:
        with self._lock:
            open_ones = self._queue.disagreements()
            for_me = [n for n in open_ones if self._may_settle(self._item(n))]
            if number is None:
                number = next(iter(for_me or open_ones), None)
            page = (
                pages.disagreement_page(
                    self._queue,
                    self._annotator,
                    number,
                    translator_of(request),
                    session_of(request).undone_marks(number),
                )
                if number is not None
                else None
            )
            shown = self._around(request)
        shown |= {
            "item_page": page,
            "n_disagreements": len(open_ones),
            "may_settle": page is not None and self._may_settle(page.item),
            "following": _following(for_me, number or 0),
        }
        return self._renderer.page(request, "adjudicate", shown)

    def _may_settle(self, item: Item) -> bool:
        return self._adjudicate_own or not item.answered_by(self._annotator)

    def adjudicate(self, request: Request) -> Response:
        """Record which answer is right, and show the next disagreement."""
        form, session = form_of(request), session_of(request)
        answer, number = form.choice("answer", Answer), form.integer("item")
        if answer is Answer.SKIP:
            malformed()
        marks = form.spans("spans")
        spans = marks if answer is Answer.TA else ()
        seen, own = form.integer("seen"), self._adjudicate_own
        with self._lock, refused():
            item = self._item(number)
            if not item.disagreed:
                raise HTTPError(404, "error.no_disagreement")
            if not self._may_settle(item):
                raise HTTPError(403, "error.own_disagreement")
            made = self._queue.adjudicate(
                self._annotator, number, answer, spans, own=own, seen=seen
            )
            if made is None:
                session.say("said.same", answer=answer.value)
            else:
                session.marks[made], session.undone = marks, None
                session.say("said.adjudicated", answer=answer.value)
        return _see("/adjudicate")

    def language(self, request: Request) -> Response:
        """Change the language of the page, and go back to it."""
        form = form_of(request)
        code = form.text("language")
        if code not in CODES:
            malformed()
        response = _see(own_path(form.text("back", "/")))
        # Kept until the browser is closed: the next start has another host name.
        response.set_cookie(LANGUAGE_COOKIE, code, httponly=True, samesite="strict")
        return response


def static(request: Request) -> Response:
    """Return a file of the page: its style, its script, its icon."""
    name = request.path_params["name"]
    suffix = PurePosixPath(name).suffix
    found = next((f for f in (files(__package__) / "static").iterdir() if f.name == name), None)
    if found is None or suffix not in _MEDIA_TYPES:
        raise HTTPError(404, "error.gone")
    return Response(found.read_bytes(), media_type=_MEDIA_TYPES[suffix])


async def _gone(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise HTTPError(404, "error.gone")


def _see(path: str) -> Response:
    return RedirectResponse(path, 303)


def _following(numbers: list[int], number: int) -> int | None:
    """Return the disagreement after one, the first again after the last."""
    others = [n for n in numbers if n != number]
    return next((n for n in others if n > number), others[0] if others else None)


def _said(request: Request) -> str | None:
    said = session_of(request).said()
    return translator_of(request)(said[0], **said[1]) if said else None


def _undone_marks(session: Session, done: Done | None) -> tuple[int, Spans] | None:
    """Return the item whose decision was taken back, and what was marked in it."""
    if done is None or len(done.items) != 1:
        return None
    marks = done.spans if done.answer is Answer.TA else session.marks.get(done.number)
    return None if marks is None else (done.items[0], marks)


def _say_undone(session: Session, done: Done | None, t: Translator) -> None:
    if done is None:
        session.say("said.nothing_to_undo")
        return
    items = t.count("items", len(done.items))
    if done.kind == "word":
        session.say("said.undone_word", word=done.word, items=items)
    elif done.kind == "import":
        session.say("said.undone_import", items=items)
    elif len(done.items) == 1:
        session.say("said.undone", answer=done.answer)
    else:
        session.say("said.undone_all", answer=done.answer, items=items)
