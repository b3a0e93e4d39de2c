"""Pages beside those of the queue: notes, guidelines, disagreements; and what all pages share."""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import TriageError
from ..queue import Answer, Filters, Item, Queue, Spans, State
from ..safe import write_file
from . import pages
from .forms import (
    Form,
    HTTPError,
    Session,
    base_of,
    form_of,
    item_number,
    malformed,
    queue_errors,
    said_line,
    session_of,
    translator_of,
)
from .rendering import FRAGMENT, Renderer
from .spellings import FirstLook, Spellings

LONGEST_GUIDELINES = 50_000
_NAME = "guidelines.md"
_HEADING = re.compile(r"#{1,6} +")
_ITEM = re.compile(r"[-*] +")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")

# Words and whether they are bold, in turn.
Line = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph (of one line), or the items of a list."""

    kind: str
    lines: tuple[Line, ...]


class Guidelines:
    """The guidelines of a queue, in a file beside it; without one, those of the program."""

    def __init__(self, queue: Path) -> None:
        self._path = queue.with_name(_NAME)

    def text(self, language: str) -> str:
        """Return their text; that of the program is in a language of the page."""
        try:
            return self._path.read_text(encoding="utf-8-sig", errors="replace")
        except FileNotFoundError:
            found = files(__package__) / f"guidelines.{language}.md"
            return found.read_text(encoding="utf-8")
        except OSError as error:
            raise TriageError(f"cannot read {self._path}: {error.strerror}") from None

    def write(self, text: str) -> None:
        """Keep a text, which only its owner may read; TriageError if it cannot be written."""
        lines = text.replace("\r\n", "\n").strip()
        write_file(self._path, f"{lines}\n".encode(errors="replace"), private=True, overwrite=True)


def fingerprint(text: str) -> str:
    """Return a fingerprint of a text, by which a form says which one it changes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def blocks(text: str) -> Iterator[Block]:
    items: list[Line] = []
    paragraph: list[str] = []
    for line in (*map(str.strip, text.splitlines()), ""):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if paragraph and (heading or item or not line):
            yield Block("paragraph", (_line(" ".join(paragraph)),))
            paragraph = []
        if items and not item:
            yield Block("list", tuple(items))
            items = []
        if heading:
            yield Block("heading", (_line(line[heading.end() :]),))
        elif item:
            items.append(_line(line[item.end() :]))
        elif line:
            paragraph.append(line)


def _line(text: str) -> Line:
    # Bold words are every second part.
    parts = enumerate(_BOLD.split(text))
    return tuple((part, bool(at % 2)) for at, part in parts if part)


# The pages of one item, to which a form of notes returns.
_PLACES = {"queue": "item", "adjudicate": "adjudicate"}


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
        self._may_edit = may_edit
        self._guidelines_file = Guidelines(queue.path)

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

    # Notes and guidelines

    def asides(self) -> list[Route]:
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
        return see(request, f"/{place}/{item}")

    def guidelines(self, request: Request) -> Response:
        """Show the guidelines, as a page or beside a message."""
        text = self._guidelines_file.text(translator_of(request).code)
        shown = {
            "blocks": list(blocks(text)),
            "text": text,
            "seen": fingerprint(text),
            "may_edit": self._may_edit,
            "is_aside": FRAGMENT in request.headers,
            "longest": LONGEST_GUIDELINES,
            "said": said_line(request),
        }
        return self._renderer.page(request, "guidelines", shown, place="aside")

    def edit(self, request: Request) -> Response:
        """Keep other guidelines, unless somebody else has changed them meanwhile."""
        if not self._may_edit:
            raise HTTPError(403, "error.guidelines")
        form, text = form_of(request), form_of(request).text("text")
        if len(text) > LONGEST_GUIDELINES:
            malformed()
        with self._lock:
            before = self._guidelines_file.text(translator_of(request).code)
            if form.text("seen") != fingerprint(before):
                raise HTTPError(409, "error.stale_guidelines")
            self._guidelines_file.write(text)
        session_of(request).say("said.guidelines")
        return see(request, "/guidelines")

    def ask_word(self, request: Request, place: str) -> Response | None:
        """Ask for the word of a TA in which nothing is marked; None where that was asked before."""
        form, session = form_of(request), session_of(request)
        is_bare = form.choice("answer", Answer) is Answer.TA and not form.spans("spans")
        if not is_bare or form.has("bare"):
            return None
        with self._lock, queue_errors():
            self.keep_note(form)
        session.asked = form.integer("item")
        session.drafts[session.asked] = ()
        session.say("said.which_word")
        return see(request, f"/{place}/{session.asked}")

    # Disagreements: the answers side by side, and who settles them

    def disagreement(self, request: Request) -> Response:
        """Show an item on which annotators disagree, or disagreed: by default the first."""
        page, t, session = None, translator_of(request), session_of(request)
        number = item_number(request) if "number" in request.path_params else None
        with self._lock:
            open_ones = self._queue.numbers("", Filters(state=State.DISAGREED))
            for_me = [n for n in open_ones if self._may_settle(self._item(n))]
            if number is None:
                number = next(iter(for_me or open_ones), None)
            if number is not None:
                draft = session.drafts.get(number)
                page = pages.disagreement_page(self._queue, self._annotator, number, t, draft)
            shown = self._common(request)
        shown |= {
            "item_page": page,
            "n_disagreements": len(open_ones),
            "may_settle": page is not None and self._may_settle(page.item),
            "may_adjudicate": self._may_adjudicate,
            "following": _following(for_me, number or 0),
            "asks_word": session.asked == number,
        }
        return self._renderer.page(request, "adjudicate", shown)

    def _may_settle(self, item: Item) -> bool:
        is_own = item.answered_by(self._annotator)
        return self._may_adjudicate and (self._adjudicate_own or not is_own)

    def adjudicate(self, request: Request) -> Response:
        """Record a ruling and show the next disagreement."""
        form, session = form_of(request), session_of(request)
        answer, number = form.choice("answer", Answer), form.integer("item")
        if answer is Answer.SKIP:
            malformed()
        if asking := self.ask_word(request, "adjudicate"):
            return asking
        marks = form.spans("spans")
        spans = marks if answer is Answer.TA else ()
        seen, own = form.integer("seen"), self._adjudicate_own
        with self._lock, queue_errors():
            item = self._item(number)
            if not item.disagreed:
                raise HTTPError(404, "error.no_disagreement")
            if not self._may_adjudicate:
                raise HTTPError(403, "error.no_adjudicator")
            if not self._may_settle(item):
                raise HTTPError(403, "error.own_disagreement")
            self.keep_note(form)
            made = self._queue.adjudicate(
                self._annotator, number, answer, spans, own=own, seen=seen
            )
            if made is None:
                session.say("said.same", answer=answer.value)
            else:
                decided(session, made, number, marks)
                session.say("said.adjudicated", answer=answer.value)
        return see(request, "/adjudicate")


def see(request: Request, path: str) -> Response:
    """Return what sends the browser to another page."""
    return RedirectResponse(base_of(request) + path, 303)


def decided(session: Session, decision: int, item: int, marks: Spans) -> None:
    session.marks[decision] = marks
    session.drafts.pop(item, None)
    session.asked = None


def _following(numbers: list[int], number: int) -> int | None:
    """Return the disagreement after a number, or the first one after the last."""
    others = [n for n in numbers if n != number]
    return next((n for n in others if n > number), others[0] if others else None)
