"""Disagreements: the answers side by side, and who settles them."""

from starlette.requests import Request
from starlette.responses import Response

from ..queue import Answer, Item
from . import pages
from .base import ReviewPages, decided, see
from .forms import (
    HTTPError,
    form_of,
    item_number,
    malformed,
    queue_errors,
    session_of,
    translator_of,
)


class Adjudication(ReviewPages):
    def disagreement(self, request: Request) -> Response:
        """Show an item on which annotators disagree, or disagreed: by default the first."""
        page, t, session = None, translator_of(request), session_of(request)
        number = item_number(request) if "number" in request.path_params else None
        with self._lock:
            open_ones = self._queue.disagreements()
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
            self._asides.keep_note(form)
            made = self._queue.adjudicate(
                self._annotator, number, answer, spans, own=own, seen=seen
            )
            if made is None:
                session.say("said.same", answer=answer.value)
            else:
                decided(session, made, number, marks)
                session.say("said.adjudicated", answer=answer.value)
        return see(request, "/adjudicate")


def _following(numbers: list[int], number: int) -> int | None:
    """Return the disagreement after a number, or the first one after the last."""
    others = [n for n in numbers if n != number]
    return next((n for n in others if n > number), others[0] if others else None)
