"""The reader: everything that waits for people, one item after the other, and their answers.

`Review` serves it to one annotator, alone or within a project, whose rail stands beside it.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from triage.dictionaries.phrases import phrase_key

from ..anonymise.grading import Said
from ..queue import (
    Answer,
    Decision,
    Filters,
    Item,
    Order,
    Queue,
    Reason,
    Spans,
    StaleAnswerError,
    State,
    WordRule,
)
from ..vocabulary import IdentifierType, Prediction, Verdict
from . import guidelines, pages
from .forms import (
    CODES,
    LONGEST_WORD,
    Form,
    HTTPError,
    Session,
    Sessions,
    Translator,
    base_of,
    form_of,
    malformed,
    one_of,
    said_line,
    session_of,
    share_of,
    translator_of,
    whole_number,
    word_of,
)
from .pages import FRAGMENT, PLACE, Renderer
from .security import LANGUAGE_COOKIE, Guard, Hosts
from .spellings import Spellings

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_OWN_PATH = re.compile(r"/|(?:/[\w.-]+)+/?", re.ASCII)
# What forms return to, beside the lists of one reason.
_PAGES = {"item": "/", "list": "/list", "status": "/status"}


def build(
    queue: Queue,
    annotator: str,
    *,
    sessions: Sessions,
    hosts: Hosts,
    language: str | None = None,
    adjudicate_own: bool = False,
) -> Guard:
    """Return the application that serves a queue alone."""
    renderer = Renderer(annotator)
    review = Review(queue, annotator, renderer, rules_own=adjudicate_own)
    routes = [
        *review.routes(),
        Route("/language", change_language, methods=["POST"]),
        Route("/static/{name}", static),
    ]
    app = Router(routes, redirect_slashes=False, default=gone)
    return Guard(app, sessions, hosts, renderer, language)


@dataclass
class Review:
    """All pages of one annotator, and their routes."""

    queue: Queue
    annotator: str
    renderer: Renderer
    may_read: bool = True
    may_rule: bool = True
    rules_own: bool = True
    may_edit: bool = True
    # What stands around a page, and what is done beside the queue, within a project.
    frame: Callable[[Request], Mapping[str, object]] = lambda _: {}
    next_step: tuple[str, str] | None = None
    first_look: Callable[[], Any] | None = None
    keep_double: Callable[[float], None] = lambda _: None
    hand_over_held: Callable[[Queue], object] = lambda _: None
    onward: Callable[[Request], str] = lambda _: ""

    def __post_init__(self) -> None:
        self._spellings = Spellings(self.queue, self.first_look)
        self._guidelines = guidelines.Guidelines(self.queue.path)
        self._lock = threading.Lock()

    def routes(self) -> list[Route]:
        pages = [
            ("/", self.next),
            ("/only/{reason}", self.next),
            ("/item/{number}", self.item),
            ("/only/{reason}/{number}", self.item),
            ("/list", self.list),
            ("/status", self.status),
            ("/guidelines", self.guidelines),
        ]
        answers: list[tuple[str, Callable[[Request], Response]]] = [
            ("/decide", self.decide),
            ("/rule", partial(self.decide, rules=True)),
            ("/spelling", self.answer_spelling),
            ("/word/confirm", self.decide_word),
        ]
        forms = [
            ("/undo", self.undo),
            ("/note", self.note),
            ("/word", self.word),
            ("/filters", self.filters),
            ("/list", self.decide_chosen),
            ("/double", self.double),
            ("/guidelines", self.edit),
            *((path, self._leading_on(answer)) for path, answer in answers),
        ]
        return [
            *(Route(path, self._locked(page)) for path, page in pages),
            *(Route(path, self._locked(form), methods=["POST"]) for path, form in forms),
        ]

    def _locked(self, answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """Let one request after the other use the queue, whose pages are of one annotator."""

        def answered(request: Request) -> Response:
            with self._lock:
                return answer(request)

        return answered

    def _leading_on(self, answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """Let the answer that leaves nothing to read lead to the next stage of the project."""

        def answered(request: Request) -> Response:
            was_read = self.onward(request)
            response = answer(request)
            page = self.onward(request)
            if was_read or not page or response.status_code != 303:
                return response
            if FRAGMENT in request.headers:
                return Response(page, headers={PLACE: "away"})
            return RedirectResponse(page, 303)

        return answered

    def _page(
        self, request: Request, name: str, shown: Mapping[str, object], *, place: str = "main"
    ) -> Response:
        common = {
            **self.frame(request),
            "said": said_line(request),
            "may_read": self.may_read,
            "may_edit": self.may_edit,
        }
        shown = common | dict(shown)
        return self.renderer.page(request, name, shown, layout="reader", place=place)

    def _common(self, request: Request) -> pages.Shown:
        """Return what the pages of a queue show: what waits, progress, and the last action."""
        progress = self.queue.progress(self.annotator)
        waiting = self.queue.waiting(self.annotator, rules=self.may_rule)
        n_disagreed = waiting.get(Reason.DISAGREEMENT, 0)
        if self.may_read:
            again = waiting.get(Reason.SPELLING, 0)
            waiting[Reason.SPELLING] = again + self._spellings.count(self.annotator)
        else:
            waiting = {Reason.DISAGREEMENT: n_disagreed}
        return {
            "n_all": progress.open + n_disagreed if self.may_read else n_disagreed,
            "progress": progress,
            "progress_parts": pages.progress_line(progress, translator_of(request)),
            "waiting": {reason: waiting[reason] for reason in Reason if reason in waiting},
            "reason": "",
            "last": self.queue.last_decision(self.annotator),
        }

    # One item

    def next(self, request: Request) -> Response:
        """Show what comes next: messages, then disagreements; or of one reason alone."""
        reason, session = _reason_of(request), session_of(request)
        number = None
        if reason == Reason.HELD:
            # Who opens them wants to decide them rather than leave them out.
            self.hand_over_held(self.queue)
        if self.may_read and reason != Reason.DISAGREEMENT:
            number = pages.next_number(self.queue, self.annotator, session, reason)
        if number is None and self.may_rule and reason in ("", Reason.DISAGREEMENT):
            others, own = self._disagreements()
            rest = own if reason or self.rules_own else []
            number = next(iter(others + rest), None)
        if reason == Reason.SPELLING and number:
            # What is asked again because of a rule comes before spellings without one.
            said = self._item(number).standing_of(self.annotator)
            number = None if said else number
        if reason == Reason.SPELLING and number is None:
            return self._spelling(request)
        return self._show(request, reason, number)

    def _disagreements(self) -> tuple[list[int], list[int]]:
        """Return the disagreements of others, and those that this annotator has a part in."""
        answered = {*self.queue.numbers(self.annotator, Filters(state=State.DECIDED))}
        found = self.queue.numbers("", Filters(state=State.DISAGREED))
        return [n for n in found if n not in answered], [n for n in found if n in answered]

    def item(self, request: Request) -> Response:
        return self._show(request, _reason_of(request), whole_number(request.path_params["number"]))

    def _item(self, number: int) -> Item:
        item = self.queue.item(number)
        if item is None:
            raise HTTPError(404, "error.gone")
        return item

    def _show(self, request: Request, reason: str, number: int | None) -> Response:
        t, session = translator_of(request), session_of(request)
        around = whole_number(request.query_params.get("around", str(pages.CONTEXT)))
        shown = self._common(request) | {"reason": reason}
        filters = pages.reader_filters(session, reason)
        shown["choices"] = pages.filter_choices(filters, session.order, is_list=False)
        if number is None:
            shown |= pages.end_page(self.queue, self.annotator, t)
            return self._page(request, "item", shown | {"next_step": self.next_step})
        item = self._item(number)
        rules = item.disagreed and self.may_rule
        if not (rules or self.may_read):
            raise HTTPError(403, "error.right")
        draft, around = session.drafts.get(number), min(around, pages.MORE_CONTEXT)
        shown |= pages.item_page(
            self.queue, self.annotator, item, t, rules=rules, draft=draft, around=around
        )
        order = session.order
        if rules:
            filters, order = Filters(state=State.DISAGREED), Order.FILE
        beside = self.queue.beside(self.annotator, filters, order, number)
        shown |= {
            "opinions": pages.opinions(item) if rules else [],
            "rules": rules,
            "may_answer": self._may_settle(item) if rules else True,
            "beside": beside,
            "asks_word": session.asked == number,
        }
        return self._page(request, "item", shown)

    def _may_settle(self, item: Item) -> bool:
        return self.rules_own or not item.answered_by(self.annotator)

    def decide(self, request: Request, *, rules: bool = False) -> Response:
        """Record an answer, or a ruling on a disagreement, and show what comes next."""
        form, session = form_of(request), session_of(request)
        answer, number = form.choice("answer", Answer), form.integer("item")
        marks = form.spans("spans")
        if rules and answer is Answer.SKIP:
            malformed()
        if answer is Answer.TA and not (marks or form.has("bare")):
            # Of a TA in which nothing is marked the word is asked for, once.
            self._keep_note(form)
            session.asked, session.drafts[number] = number, ()
            session.say("said.which_word")
            return _see_item(request, number)
        seen = form.integer("seen")
        if rules:
            self._check_ruling(self._item(number))
        self._keep_note(form)
        said = (self.annotator, number, answer, marks if answer is Answer.TA else ())
        made = self.queue.decide(*said, seen=seen, rules=rules, own=self.rules_own)
        key = "said.adjudicated" if rules else f"said.{answer}"
        _note_decision(session, made, number, marks, key, answer=answer.value)
        if answer is Answer.SKIP:
            session.keep_draft(self.queue.item(number), marks)
        session.after = number if answer is Answer.SKIP else None
        return _see_back(request)

    def _check_ruling(self, item: Item) -> None:
        """Raise HTTPError unless an item is disagreed on, and this annotator may rule on it."""
        if not item.disagreed:
            raise HTTPError(404, "error.stale")
        if not self.may_rule:
            raise HTTPError(403, "error.right")
        if not self._may_settle(item):
            raise HTTPError(403, "error.own_disagreement")

    def undo(self, request: Request) -> Response:
        """Undo the last decision and show its item."""
        form, session = form_of(request), session_of(request)
        done, last = None, form.integer("last")
        decision = form.integer("decision") if form.has("decision") else None
        if form.has("item"):
            self._keep_note(form)
            session.keep_draft(self.queue.item(form.integer("item")), form.spans("spans"))
        try:
            done = self.queue.undo(self.annotator, last=last, decision=decision)
            _confirm_undone(session, done, translator_of(request))
        except StaleAnswerError:
            session.say("said.stale_word")
        is_one = done and len(done.items) == 1 and done.kind in ("message", "adjudication")
        if done and is_one and form.text("back", "") != "list":
            return _see_item(request, done.items[0])
        return _see_back(request)

    def note(self, request: Request) -> Response:
        """Record a note on an item, and show it again."""
        form, session = form_of(request), session_of(request)
        number = form.integer("item")
        self._keep_note(form)
        session.keep_draft(self.queue.item(number), form.spans("spans"))
        session.say("said.note")
        return _see_item(request, number)

    def _keep_note(self, form: Form) -> None:
        """Record the note of a form, if it has one."""
        if form.has("note"):
            text, asks = form.text("note"), form.has("asks")
            self.queue.note(self.annotator, form.integer("item"), text, asks=asks)

    # Words

    def _spelling(self, request: Request) -> Response:
        """Show a spelling to decide: what settles most messages, then the likeliest."""
        if not self.may_read:
            raise HTTPError(403, "error.right")
        session, t = session_of(request), translator_of(request)
        shown = self._common(request)
        shown["asked"] = self._spellings.next(self.annotator, session.put_off, t)
        n, n_settled = self._spellings.n_settling, t.number(self._spellings.n_settled)
        n_open = t.number(self.queue.count(self.annotator, Filters()))
        line = t.count("spellings.first", n, settled=n_settled, open=n_open) if n else ""
        filters = pages.reader_filters(session, "")
        shown["choices"] = pages.filter_choices(filters, session.order, is_list=False)
        shown |= {"reason": Reason.SPELLING, "settling": line}
        return self._page(request, "spelling", shown)

    def answer_spelling(self, request: Request) -> Response:
        """Record the answer to a spelling, or show the messages in which it stands."""
        form, session = form_of(request), session_of(request)
        said, last = form.choice("said", Said), form.integer("last")
        word, type_ = word_of(form)
        if said is Said.HERE:
            session.filters = Filters(state=State.ALL, word=word)
            return see(request, "/list")
        if said is Said.LATER:
            session.put_off.add(" ".join(phrase_key(word)))
            session.say("said.SKIP")
        else:
            self._decide_word(request, word, WordRule(said), type_, last)
        return see(request, f"/only/{Reason.SPELLING}")

    def word(self, request: Request) -> Response:
        """Show the effect of deciding a word, to be confirmed."""
        form = form_of(request)
        (word, type_), rule = word_of(form), form.choice("rule", WordRule)
        item = form.integer("item") if form.text("item", "") else 0
        t = translator_of(request)
        shown = pages.confirm_page(self.queue, self.annotator, word, rule, type_.value, t)
        shown |= {"last": self.queue.last_decision(self.annotator), "item": item}
        # The offer beside a message leads to the list by another button alone.
        shown["back"] = "item" if item and _back_of(request) == "list" else _back_of(request)
        return self._page(request, "confirm", {"confirm": shown}, place="dialog")

    def decide_word(self, request: Request) -> Response:
        """Decide a word and show the same item if it is still open, else the next one."""
        form = form_of(request)
        (word, type_), rule = word_of(form), form.choice("rule", WordRule)
        number, last = form.integer("item"), form.integer("last")
        self._decide_word(request, word, rule, type_, last)
        item = self.queue.item(number) if number else None
        is_open = item and not item.final and item.standing_of(self.annotator) is None
        return _see_item(request, number) if is_open else _see_back(request)

    def _decide_word(
        self, request: Request, word: str, rule: WordRule, type_: IdentifierType, last: int
    ) -> None:
        session, t = session_of(request), translator_of(request)
        try:
            self.queue.decide_word(self.annotator, word, rule, type_, last=last)
            done = self.queue.history(self.annotator, 1)[0]
            items = t.count("items", len(done.items))
            again = self.queue.numbers("", Filters(word=word, reason=Reason.SPELLING))
            if rule is WordRule.ALWAYS and again:
                again_said = t.count("items", len(again))
                session.say("said.always_again", word=word, items=items, again=again_said)
            else:
                session.say(f"said.{rule}", word=word, items=items)
        except StaleAnswerError:
            session.say("said.stale_word")

    # The list

    def filters(self, request: Request) -> Response:
        """Keep filters in the session, so that no address holds words or senders."""
        form, session = form_of(request), session_of(request)
        if form.text("clear", ""):
            state = session.filters.state if form.text("back") == "list" else State.OPEN
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
        return _see_back(request)

    def list(self, request: Request) -> Response:
        session = session_of(request)
        offset = whole_number(request.query_params.get("offset", "0"))
        shown = self._common(request)
        shown["list"] = pages.list_page(self.queue, self.annotator, session, offset)
        shown["choices"] = pages.filter_choices(session.filters, session.order, is_list=True)
        return self._page(request, "list", shown | {"reason": None})

    def decide_chosen(self, request: Request) -> Response:
        form, session, t = form_of(request), session_of(request), translator_of(request)
        answer, items = form.choice("answer", Answer), form.integers("items")
        last = form.integer("last")
        chosen = [self._item(number) for number in items]
        if any(item.is_blind_to(self.annotator) for item in chosen):
            raise HTTPError(409, "error.blind")
        # A message that a vote would not release must be decided one by one.
        if answer is Answer.NTA and any(item.voted_ta for item in chosen):
            raise HTTPError(409, "error.voted_ta")
        if answer is Answer.TA and not all(item.suggested_spans for item in chosen):
            raise HTTPError(409, "error.unmarked")
        if items:
            self.queue.decide_all(self.annotator, items, answer, last=last)
        session.say("said.all", answer=answer.value, items=t.count("items", len(set(items))))
        return see(request, f"/list?offset={form.integer('offset')}")

    # Status and guidelines

    def status(self, request: Request) -> Response:
        shown = self._common(request) | pages.status_page(self.queue, self.annotator)
        return self._page(request, "status", shown | {"reason": None})

    def double(self, request: Request) -> Response:
        """Change the share that two read, of what nobody has read."""
        if not self.may_edit:
            raise HTTPError(403, "error.right")
        share = share_of(form_of(request).text("share"), or_none=True)
        self.queue.double(share)
        self.keep_double(share)
        session_of(request).say("said.doubled", share=form_of(request).text("share").strip())
        return see(request, "/status")

    def guidelines(self, request: Request) -> Response:
        """Show the guidelines, as a page or beside a message."""
        text = self._guidelines.text(translator_of(request).code)
        shown = {
            "blocks": [*guidelines.blocks(text)],
            "text": text,
            "seen": guidelines.fingerprint(text),
            "is_aside": FRAGMENT in request.headers,
            "longest": guidelines.LONGEST,
        }
        return self._page(request, "guidelines", shown, place="aside")

    def edit(self, request: Request) -> Response:
        """Keep other guidelines, unless somebody else has changed them meanwhile."""
        if not self.may_edit:
            raise HTTPError(403, "error.right")
        form, text = form_of(request), form_of(request).text("text")
        if len(text) > guidelines.LONGEST:
            malformed()
        before = self._guidelines.text(translator_of(request).code)
        if form.text("seen") != guidelines.fingerprint(before):
            raise HTTPError(409, "error.stale_guidelines")
        self._guidelines.write(text)
        session_of(request).say("said.guidelines")
        return see(request, "/guidelines")


def see(request: Request, path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(base_of(request) + path, 303)


def _reason_of(request: Request) -> str:
    reason = request.path_params.get("reason", "")
    if reason and reason not in [*Reason]:
        raise HTTPError(404, "error.gone")
    return str(reason)


def _back_of(request: Request) -> str:
    """Return the page or the reason that a form came from."""
    back = form_of(request).text("back", "item")
    return back if back in (*_PAGES, *Reason) else "item"


def _see_back(request: Request) -> Response:
    back = _back_of(request)
    return see(request, _PAGES.get(back, f"/only/{back}"))


def _see_item(request: Request, number: int) -> Response:
    back = _back_of(request)
    return see(request, f"/item/{number}" if back in _PAGES else f"/only/{back}/{number}")


def _note_decision(
    session: Session, made: int | None, item: int, marks: Spans, key: str, **values: object
) -> None:
    """Keep what an undoing shows again, and let the next page confirm a decision."""
    if made is None:
        session.say("said.same")
        return
    session.marks[made] = marks
    session.drafts.pop(item, None)
    session.asked = None
    session.say(key, **values)


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


def change_language(request: Request) -> Response:
    form = form_of(request)
    code = form.text("language")
    if code not in CODES:
        malformed()
    # No other site may be named.
    back = _OWN_PATH.fullmatch(form.text("back", "/"))
    response = RedirectResponse(back[0] if back else "/", 303)
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


async def gone(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    """Answer an address that there is not."""
    raise HTTPError(404, "error.gone")
