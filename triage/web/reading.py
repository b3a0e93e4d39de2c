"""The application: its routes, and the actions behind them.

Screens of another kind would bring routes of their own, as `Review.routes` does, under one guard.
"""

from importlib.resources import files
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from ..anonymise.grading import Said, key_of
from ..queue import (
    Answer,
    Decision,
    Filters,
    Order,
    Queue,
    StaleAnswerError,
    State,
    WordRule,
)
from ..vocabulary import IdentifierType, Prediction, Verdict
from . import pages
from .forms import (
    CODES,
    LONGEST_WORD,
    HTTPError,
    Session,
    Sessions,
    Translator,
    checked_word,
    form_of,
    item_number,
    malformed,
    one_of,
    own_path,
    queue_errors,
    session_of,
    translator_of,
    whole_number,
    word_of,
)
from .reading_base import ReviewPages, decided, see
from .rendering import FRAGMENT, PAGES, Renderer
from .security import LANGUAGE_COOKIE, Guard, Hosts

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_RECENT = 15
# The agreement on fewer items is that of chance.
_FEWEST_COMMON = 10

# The page on which an undone decision is shown again.
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
    renderer = Renderer(annotator)
    review = Review(queue, annotator, renderer, adjudicate_own=adjudicate_own)
    routes = [
        *review.routes(),
        Route("/language", change_language, methods=["POST"]),
        Route("/static/{name}", static),
    ]
    app = Router(routes, redirect_slashes=False, default=_gone)
    return Guard(app, sessions, hosts, renderer, language)


class Review(ReviewPages):
    """All pages of one annotator, and their routes."""

    def routes(self) -> list[Route]:
        return [
            Route("/", self.queue_page),
            Route("/item/{number}", self.item),
            Route("/decide", self.decide, methods=["POST"]),
            Route("/undo", self.undo, methods=["POST"]),
            Route("/word", self.word, methods=["POST"]),
            Route("/word/confirm", self.decide_word, methods=["POST"]),
            Route("/filters", self.filters, methods=["POST"]),
            Route("/table", self.table),
            Route("/table", self.decide_chosen, methods=["POST"]),
            Route("/spellings", self.spellings),
            Route("/spellings", self.answer_spelling, methods=["POST"]),
            Route("/status", self.status),
            Route("/adjudicate", self.disagreement),
            Route("/adjudicate", self.adjudicate, methods=["POST"]),
            Route("/adjudicate/{number}", self.disagreement),
            *self.asides(),
        ]

    # Queue page

    def queue_page(self, request: Request) -> Response:
        session = session_of(request)
        with self._lock:
            number = pages.next_number(self._queue, self._annotator, session)
        return self._show(request, number)

    def item(self, request: Request) -> Response:
        return self._show(request, item_number(request), request.query_params.get("around"))

    def decide(self, request: Request) -> Response:
        form, session = form_of(request), session_of(request)
        answer, number = form.choice("answer", Answer), form.integer("item")
        if asking := self.ask_word(request, "item"):
            return asking
        marks = form.spans("spans")
        spans = marks if answer is Answer.TA else ()
        seen = form.integer("seen")
        with self._lock, queue_errors():
            self.keep_note(form)
            made = self._queue.decide(self._annotator, number, answer, spans, seen=seen)
            if made is None:
                session.say("said.same")
            else:
                decided(session, made, number, marks)
                session.say(f"said.{answer}")
            if answer is Answer.SKIP:
                session.keep_draft(self._queue.item(number), marks)
        session.after = number if answer is Answer.SKIP else None
        return see(request, "/")

    def undo(self, request: Request) -> Response:
        """Undo the last decision and show its item."""
        form, session, t = form_of(request), session_of(request), translator_of(request)
        done, last = None, form.integer("last")
        decision = form.integer("decision") if form.has("decision") else None
        with self._lock, queue_errors():
            if form.has("item"):
                self.keep_note(form)
                session.keep_draft(self._queue.item(form.integer("item")), form.spans("spans"))
            try:
                done = self._queue.undo(self._annotator, last=last, decision=decision)
                _confirm_undone(session, done, t)
            except StaleAnswerError:
                session.say("said.stale_undo")
        back = form.text("back", "queue")
        if back != "table" and done and len(done.items) == 1 and done.kind in _OF_ONE_ITEM:
            return see(request, f"/{_OF_ONE_ITEM[done.kind]}/{done.items[0]}")
        return see(request, PAGES.get(back, "/"))

    def _show(self, request: Request, number: int | None, around: str | None = None) -> Response:
        page, t, session = None, translator_of(request), session_of(request)
        n_around = pages.CONTEXT if around is None else whole_number(around)
        with self._lock:
            if number is not None:
                page = pages.item_page(
                    self._queue,
                    self._annotator,
                    number,
                    t,
                    draft=session.drafts.get(number),
                    around=min(n_around, pages.MORE_CONTEXT),
                )
            shown = self._common(request) | ({} if page else self._end(t))
            # A step of the page is no opening of it.
            is_opened = "number" not in request.path_params and FRAGMENT not in request.headers
            asked = pages.asked_line(self._queue, self._annotator, t) if is_opened else ""
        shown |= {"item_page": page, "choices": pages.filter_choices(session, table=False)}
        shown |= {"asked": asked, "asks_word": session.asked == number}
        return self._renderer.page(request, "queue", shown)

    def _end(self, t: Translator) -> pages.Shown:
        """Return what is shown once no item is left: what was decided, and what is next."""
        progress = self._queue.progress(self._annotator)
        return {
            "end": pages.end_page(self._queue, progress, t),
            "n_disagreements": len(self._queue.numbers("", Filters(state=State.DISAGREED))),
            "n_questions": len(self._queue.questions(self._annotator)),
            "next_step": self._next_step,
        }

    # Words

    def word(self, request: Request) -> Response:
        """Show the effect of deciding a word, to be confirmed."""
        form = form_of(request)
        word, rule, type_ = word_of(form)
        item = form.integer("item") if form.text("item", "") else 0
        t = translator_of(request)
        with self._lock, queue_errors():
            shown = pages.confirm_page(
                self._queue, self._annotator, word, rule, type_.value, item, t
            )
        return self._renderer.page(request, "confirm", {"confirm": shown}, place="dialog")

    def decide_word(self, request: Request) -> Response:
        """Decide a word and show the same item if it is still open, else the next one."""
        form = form_of(request)
        word, rule, type_ = word_of(form)
        number, last = form.integer("item"), form.integer("last")
        self._rule(request, word, rule, type_, last)
        with self._lock:
            item = self._queue.item(number) if number else None
        if not number:
            return see(request, "/status")
        is_open = item and not item.final and item.standing_of(self._annotator) is None
        return see(request, f"/item/{number}" if is_open else "/")

    def _rule(
        self, request: Request, word: str, rule: WordRule, type_: IdentifierType, last: int
    ) -> None:
        session, t = session_of(request), translator_of(request)
        with self._lock, queue_errors():
            try:
                self._queue.decide_word(self._annotator, word, rule, type_, last=last)
                done = self._queue.history(self._annotator, 1)[0]
                session.say(f"said.{rule}", word=word, items=t.count("items", len(done.items)))
            except StaleAnswerError:
                session.say("said.stale_word")

    # Table

    def filters(self, request: Request) -> Response:
        """Keep filters in the session, so that no address holds words or senders."""
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
        return see(request, PAGES.get(back, "/"))

    def table(self, request: Request) -> Response:
        session = session_of(request)
        offset = whole_number(request.query_params.get("offset", "0"))
        with self._lock:
            table = pages.table_page(self._queue, self._annotator, session, offset)
            shown = self._common(request)
        choices = pages.filter_choices(session, table=True)
        return self._renderer.page(request, "table", shown | {"table": table, "choices": choices})

    def decide_chosen(self, request: Request) -> Response:
        form, session, t = form_of(request), session_of(request), translator_of(request)
        answer, items = form.choice("answer", Answer), form.integers("items")
        last = form.integer("last")
        with self._lock, queue_errors():
            # A message that a vote would not release must be decided one by one.
            chosen = [self._item(number) for number in items]
            if answer is Answer.NTA and any(item.voted_ta for item in chosen):
                raise HTTPError(409, "error.voted_ta")
            if answer is Answer.TA and not all(item.suggested_spans for item in chosen):
                raise HTTPError(409, "error.unmarked")
            if items:
                self._queue.decide_all(self._annotator, items, answer, last=last)
        session.say("said.all", answer=answer.value, items=t.count("items", len(set(items))))
        return see(request, f"/table?offset={form.integer('offset')}")

    # Spellings

    def spellings(self, request: Request) -> Response:
        """Show the spellings to decide: what settles most messages, then the likeliest."""
        session = session_of(request)
        with self._lock:
            t = translator_of(request)
            rows = self._spellings.rows(self._annotator, session.put_off, t)
            shown = self._common(request)
        return self._renderer.page(request, "spellings", shown | {"rows": rows})

    def answer_spelling(self, request: Request) -> Response:
        """Record the answer to a spelling, or show the messages in which it stands."""
        form, session = form_of(request), session_of(request)
        said, last = form.choice("said", Said), form.integer("last")
        word, type_ = checked_word(form), form.choice("type", IdentifierType)
        if said is Said.HERE:
            session.filters = Filters(state=State.ALL, word=word)
            return see(request, "/table")
        if said is Said.LATER:
            session.put_off.add(" ".join(key_of(word)))
            session.say("said.SKIP")
        else:
            self._rule(request, word, WordRule(said), type_, last)
        return see(request, "/spellings")

    # Status

    def status(self, request: Request) -> Response:
        with self._lock:
            shown = self._common(request) | {
                "status": self._queue.status(),
                "name": self._queue.about.name,
                "history": self._queue.history(None, _RECENT, reader=self._annotator),
                "questions": self._queue.questions(self._annotator),
                "fewest_common": _FEWEST_COMMON,
            }
        return self._renderer.page(request, "status", shown)


def change_language(request: Request) -> Response:
    form = form_of(request)
    code = form.text("language")
    if code not in CODES:
        malformed()
    response = RedirectResponse(own_path(form.text("back", "/")), 303)
    # A session cookie: the next start has another host name.
    response.set_cookie(LANGUAGE_COOKIE, code, httponly=True, samesite="strict")
    return response


def static(request: Request) -> Response:
    """Return a static file of the page: style, script, icon."""
    name = request.path_params["name"]
    suffix = PurePosixPath(name).suffix
    found = next((f for f in (files(__package__) / "static").iterdir() if f.name == name), None)
    if found is None or suffix not in _MEDIA_TYPES:
        raise HTTPError(404, "error.gone")
    return Response(found.read_bytes(), media_type=_MEDIA_TYPES[suffix])


async def _gone(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise HTTPError(404, "error.gone")


def _confirm_undone(session: Session, done: Decision | None, t: Translator) -> None:
    """Let the next page confirm an undoing, and show the marks again that an item had."""
    if done is None:
        session.say("said.nothing_to_undo")
        return
    items = t.count("items", len(done.items))
    if len(done.items) == 1:
        marks = done.spans if done.answer is Answer.TA else session.marks.get(done.number)
        if marks is not None:
            session.drafts[done.items[0]] = marks
    if done.kind == "word":
        session.say("said.undone_word", word=done.word, items=items)
    elif done.kind == "import":
        session.say("said.undone_import", items=items)
    elif len(done.items) == 1:
        session.say("said.undone", answer=done.answer)
    else:
        session.say("said.undone_all", answer=done.answer, items=items)
