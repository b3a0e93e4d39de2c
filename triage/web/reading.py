"""The reader: everything that waits for people, one item after the other, and their answers.

`Review` serves it to one annotator, alone or within a project, whose rail stands beside it.
"""

import threading
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from triage.dictionaries.normal import folded

from ..anonymise.check import Left
from ..anonymise.grading import Said
from ..queue import (
    Answer,
    Decision,
    Filters,
    Item,
    Order,
    Queue,
    Reason,
    StaleAnswerError,
    State,
    Task,
    WordRule,
)
from ..queue.queue import FEWEST
from ..queue.records import is_one_word, safest
from ..vocabulary import IdentifierType, Prediction, Verdict
from . import forms, guidelines, pages, publishing
from .pages import FRAGMENT, PLACE, Shown, suggested_of, text_of
from .people import Right
from .project import Project, about, kept_figure
from .spellings import Look, Spellings, key_of
from .stages import address, stages, waits_lines
from .steps import left_to_read
from .visits import Desk, Screen, Visit, routes_of

# What forms return to, beside the lists of one reason.
_PAGES = {"item": "/", "list": "/list", "status": "/status", "checked": "/checked"}
_READERS, _RULERS, _EDITORS = {Right.READ}, {Right.RULE}, {Right.PUBLISH}
_BOTH = _READERS | _RULERS
# Messages of the conversation on each side, and where more are asked for.
CONTEXT, MORE_CONTEXT = 3, 15
ROWS = 50
# A message may have thousands of words in doubt, each of which is counted.
_MOST_DOUBTFUL = 20
_RECENT = 15


@dataclass
class Review:
    """All pages of one annotator, and their routes."""

    queue: Queue
    annotator: str
    desk: Desk | None = None
    project: Project | None = None
    rights: Set[Right] = frozenset(Right)
    rules_own: bool = True

    def __post_init__(self) -> None:
        self.may_read, self.may_rule = Right.READ in self.rights, Right.RULE in self.rights
        queue = self.queue.path
        kept = partial(kept_figure, "spellings", queue.parent, about(queue))
        self._spellings = Spellings(self.queue, kept if self.project else lambda: None)
        self._lock = threading.Lock()

    def routes(self) -> Iterator[Route]:
        return routes_of(
            (
                ("/", _BOTH, self.next, None),
                ("/only/{reason}", _BOTH, self.next, None),
                ("/item/{number}", _BOTH, self.item, None),
                ("/only/{reason}/{number}", _BOTH, self.item, None),
                ("/list", _READERS, self.list, self.decide_chosen),
                ("/status", _BOTH, self.status, None),
                ("/checked", _READERS, self.checked, None),
                ("/decide", _READERS, None, self.decide),
                ("/rule", _RULERS, None, partial(self.decide, rules=True)),
                ("/spelling", _READERS, None, self.answer_spelling),
                ("/word", _READERS, None, self.word),
                ("/word/confirm", _READERS, None, self.decide_word),
                ("/undo", _BOTH, None, self.undo),
                ("/note", _BOTH, None, self.note),
                ("/filters", _READERS, None, self.filters),
                ("/double", _EDITORS, None, self.double),
                ("/guidelines", _EDITORS, None, self.edit),
            ),
            self._answer,
        )

    def _answer(self, of: Screen, rights: Collection[Right], request: Request) -> Response:
        """Answer who has one of some rights, one request after the other."""
        if not self.rights & {*rights}:
            raise forms.HTTPError(403, "error.right")
        with self._lock:
            visit = Visit(request, self.desk)
            was_read = request.method == "POST" and self._onward(visit)
            response = of(visit)
            page = self._onward(visit) if response.status_code == 303 else ""
        # The answer that leaves nothing to read leads to the next stage of the project.
        return response if was_read or not page else _left_for(page, request)

    def _onward(self, visit: Visit) -> str:
        """Return the page of the stage that follows once nothing is left to read."""
        if not self.project or left_to_read(self.project):
            return ""
        return stages(self.project, visit.t, self.rights, "reader", self.annotator)[1].href

    def _page(
        self, visit: Visit, name: str, shown: Mapping[str, object], *, place: str = "main"
    ) -> Response:
        # A part of a page leaves the guidelines beside it.
        is_part = FRAGMENT in visit.request.headers
        shown = {
            "annotator": self.annotator,
            "guidelines": {} if is_part else guidelines.shown(self.queue.path, visit.t.code),
            **(visit.frame("reader") if self.project else {}),
            "said": visit.said(),
            "may_read": self.may_read,
            "may_edit": Right.PUBLISH in self.rights,
            **shown,
        }
        return pages.page(visit.request, name, shown, layout="reader", place=place)

    def _common(self, visit: Visit, reason: str | None, filters: Filters | None = None) -> Shown:
        """Return what the pages of a queue show: what waits, progress, and the filters."""
        progress = self.queue.progress(self.annotator)
        waiting = self.queue.waiting(self.annotator, rules=self.may_rule)
        n_all = n_disagreed = waiting.get(Reason.DISAGREEMENT, 0)
        if self.may_read:
            n_all += progress.open
            again = waiting.get(Reason.SPELLING, 0)
            waiting[Reason.SPELLING] = again + self._spellings.count(self.annotator)
        else:
            waiting = {Reason.DISAGREEMENT: n_disagreed}
        is_filtered = filters is not None and (
            filters != Filters(state=filters.state, reason=filters.reason)
            or filters.state not in (State.OPEN, State.ALL, State.DISAGREED)
        )
        return {
            "n_all": n_all,
            "progress": progress,
            "waiting": {reason: waiting[reason] for reason in Reason if reason in waiting},
            "reason": reason,
            "last": self.queue.last_decision(self.annotator),
            "filters": filters,
            "order": visit.session.order,
            "is_filtered": is_filtered,
        }

    # One item

    def next(self, visit: Visit) -> Response:
        """Show what comes next: messages, then disagreements; or of one reason alone."""
        reason, number = _reason_of(visit), None
        if self.may_read and reason != Reason.DISAGREEMENT:
            filters, order = _reader_filters(visit.session, reason), visit.session.order
            after, visit.session.after = visit.session.after, None
            number = self.queue.next(self.annotator, filters, order, after=after)
            if number is None and after is not None:
                # The one just skipped, if no other is left.
                number = self.queue.next(self.annotator, filters, order)
        if number is None and self.may_rule and reason in ("", Reason.DISAGREEMENT):
            # Disagreements of others come first, then those that this annotator has a part in.
            answered = {*self.queue.numbers(self.annotator, Filters(state=State.DECIDED))}
            found = self.queue.numbers("", Filters(state=State.DISAGREED))
            found = [n for n in found if reason or self.rules_own or n not in answered]
            number = min(found, key=answered.__contains__, default=None)
        if reason == Reason.SPELLING:
            # What is asked again because of a rule comes before spellings without one.
            said = number and self.queue.item(number).standing_of(self.annotator)
            if number is None or said:
                return self._spelling(visit)
        return self._show(visit, reason, number)

    def item(self, visit: Visit) -> Response:
        number = forms.whole_number(visit.request.path_params["number"])
        return self._show(visit, _reason_of(visit), number)

    def _show(self, visit: Visit, reason: str, number: int | None) -> Response:
        session = visit.session
        filters, order = _reader_filters(session, reason), session.order
        shown = self._common(visit, reason, filters)
        if number is None:
            # What is there and is not next, somebody else has before them.
            n = self.queue.count(self.annotator, filters) if self.may_read else 0
            n = 0 if reason == Reason.DISAGREEMENT else n
            return self._page(visit, "item", shown | self._end(visit.t) | {"n_reserved": n})
        item = self.queue.item(number)
        rules = item.disagreed and self.may_rule
        if not (rules or self.may_read):
            raise forms.HTTPError(403, "error.right")
        if rules:
            filters, order = Filters(state=State.DISAGREED), Order.FILE
        beside = self.queue.beside(self.annotator, filters, order, number)
        shown |= self._shown_item(visit, item, rules=rules) | {"beside": beside}
        return self._page(visit, "item", shown)

    def _shown_item(self, visit: Visit, item: Item, *, rules: bool) -> Shown:
        """Return an item, and all that helps to decide it or, of a disagreement, to rule on it."""
        session, queue, is_blind = visit.session, self.queue, item.is_blind_to(self.annotator)
        mine = item.standing_of(self.annotator, adjudicates=rules)
        decided = mine if mine and mine.answer is not Answer.SKIP else None
        marks = session.drafts.get(item.number, suggested_of(item, is_blind=is_blind))
        marks = decided.spans if decided else marks
        # Of what somebody found in a sample, no key says that it holds nothing.
        is_asked = is_blind or any(task.reason is Reason.LEAK for task in item.tasks)
        unmarked = None if is_asked else safest(marked=False, voted_ta=item.voted_ta)
        take = Answer.TA if marks else unmarked
        around = min(visit.number("around", CONTEXT), MORE_CONTEXT)
        first = item.message
        before, after = queue.context(first.number, around) if first else ([], [])
        notes = queue.notes(self.annotator, item.number)
        rulings = [one for one in item.standing if one.adjudicates and one.answer != Answer.SKIP]
        is_offered = not (decided or item.final or rules or is_blind)
        return {
            "item": item,
            "rules": rules,
            "may_answer": not rules or self.rules_own or not item.answered_by(self.annotator),
            "asks_word": session.asked == item.number,
            "is_blind": is_blind,
            "tasks": [
                (reason, ", ".join(dict.fromkeys(item.text[one.start : one.end] for one in tasks)))
                for reason, tasks in groupby(sorted(item.tasks), key=lambda one: one.reason)
            ],
            "text": text_of(item, marks, None if is_blind else visit.t),
            "before": before,
            "after": after,
            "more": around < MORE_CONTEXT and around in (len(before), len(after)),
            "note": next((note for note in notes if note.annotator == self.annotator), None),
            "notes_of_others": [note for note in notes if note.annotator != self.annotator],
            "sender": first.sender if first else "",
            "seen": mine.decision if mine else 0,
            "mine": mine.answer if mine else None,
            # An answer against the votes is not repeated by one key.
            "take": take if decided is None or decided.answer is take else None,
            "unmarked": unmarked,
            "ruling": max(rulings, key=lambda one: one.decision, default=None),
            "offer": self._offer(item) if is_offered else None,
        }

    def _offer(self, item: Item) -> tuple[int, str, IdentifierType] | None:
        """Return the spelling in doubt in most open items, to decide once; None if all are rare."""
        rules = self.queue.word_rules()
        in_doubt = (one for one in item.words if one.is_doubtful and is_one_word(one.text))
        asked = (one for one in in_doubt if folded(one.text) not in rules)
        offers = (
            (self.queue.count(self.annotator, Filters(word=one.text)), one.text, one.type)
            for one in islice(asked, _MOST_DOUBTFUL)
        )
        return max((offer for offer in offers if offer[0] >= FEWEST), default=None)

    def _end(self, t: forms.Translator) -> Shown:
        """Return what was decided once an annotator has no item left, and what waits for whom."""
        progress, lines = self.queue.progress(self.annotator), []
        if progress.decided:
            n_ta = progress.decided_ta
            ta, nta = t.number(n_ta), t.number(progress.decided - n_ta)
            lines.append(t.count("end.decided", progress.decided, ta=ta, nta=nta))
        n_disagreed = self.queue.count("", Filters(state=State.DISAGREED))
        return {
            "item": None,
            "end": [*lines, *waits_lines(self.queue.waits_for(), n_disagreed, t)],
            "waits": bool(self.queue.status().messages_waiting),
            "n_questions": len(self.queue.notes(self.annotator)),
            "onward": address(self.project) if self.project else "",
        }

    def decide(self, visit: Visit, *, rules: bool = False) -> Response:
        """Record an answer, or a ruling on a disagreement, and show what comes next."""
        form, session = visit.form, visit.session
        answer, number, marks = form.choice("answer", Answer), form.integer("item"), form.spans()
        if rules and answer is Answer.SKIP:
            forms.malformed()
        if answer is Answer.TA and not (marks or form.has("bare")):
            # Of a TA in which nothing is marked the word is asked for, once.
            self._keep_note(form)
            session.asked, session.drafts[number] = number, ()
            session.say("said.which_word")
            return _see_item(visit, number)
        seen = form.integer("seen")
        if rules:
            item = self.queue.item(number)
            if not item.disagreed:
                raise forms.HTTPError(404, "error.stale")
            if not self.rules_own and item.answered_by(self.annotator):
                raise forms.HTTPError(403, "error.own_disagreement")
        self._keep_note(form)
        said = (self.annotator, number, answer, marks if answer is Answer.TA else ())
        made = self.queue.decide(*said, seen=seen, rules=rules, own=self.rules_own)
        if made is None:
            session.say("said.same")
        else:
            # What an undoing shows again.
            session.marks[made] = marks
            session.drafts.pop(number, None)
            session.asked = None
            key = "said.adjudicated" if rules else "said.noted"
            session.say("said.SKIP" if answer is Answer.SKIP else key, answer=answer.value)
        if answer is Answer.SKIP:
            session.keep_draft(self.queue.item(number), marks)
        session.after = number if answer is Answer.SKIP else None
        return _see_back(visit)

    def undo(self, visit: Visit) -> Response:
        form, session = visit.form, visit.session
        done, last = None, form.integer("last")
        decision = form.integer("decision") if form.has("decision") else None
        if form.has("item"):
            self._keep_note(form)
            session.keep_draft(self.queue.item(form.integer("item")), form.spans())
        try:
            done = self.queue.undo(self.annotator, last=last, decision=decision)
            _confirm_undone(session, done, visit.t)
        except StaleAnswerError:
            session.say("error.stale")
        is_one = done and len(done.items) == 1 and done.kind in ("message", "adjudication")
        if done and is_one and form.text("back", "") != "list":
            return _see_item(visit, done.items[0])
        return _see_back(visit)

    def note(self, visit: Visit) -> Response:
        number = visit.form.integer("item")
        self._keep_note(visit.form)
        visit.session.keep_draft(self.queue.item(number), visit.form.spans())
        visit.session.say("said.saved")
        return _see_item(visit, number)

    def _keep_note(self, form: forms.Form) -> None:
        if form.has("note"):
            text, asks = form.text("note"), form.has("asks")
            self.queue.note(self.annotator, form.integer("item"), text, asks=asks)

    # Words

    def _spelling(self, visit: Visit) -> Response:
        """Show a spelling to decide: what settles most messages, then the likeliest."""
        t, session = visit.t, visit.session
        asked = self._spellings.next(self.annotator, session.put_off, t)
        n, n_settled = self._spellings.n_settling, t.number(self._spellings.n_settled)
        n_open = t.number(self.queue.count(self.annotator, Filters()))
        line = t.count("spellings.first", n, settled=n_settled, open=n_open) if n else ""
        return self._show_spelling(visit, asked, Reason.SPELLING, line)

    def _show_spelling(
        self, visit: Visit, asked: Look | None, back: str, settling: str = ""
    ) -> Response:
        if not self.may_read:
            raise forms.HTTPError(403, "error.right")
        put_off = visit.session.put_off
        shown = self._common(visit, Reason.SPELLING, _reader_filters(visit.session, ""))
        shown |= {"asked": asked, "back": back, "settling": settling, "comes_again": bool(put_off)}
        if asked is None:
            # It comes again once the page is asked for again.
            put_off.clear()
        return self._page(visit, "spelling", shown)

    def checked(self, visit: Visit) -> Response:
        """Show a spelling that the check found, to decide; then the messages that wait for it."""
        if not self.project:
            raise forms.HTTPError(404, "error.gone")
        found, put_off = self._found(), visit.session.put_off
        places = next((found[key] for key in found if key not in put_off), None)
        if places:
            look = publishing.look_at(places, self.queue, visit.t)
            return self._show_spelling(visit, look, "checked")
        put_off.clear()
        if self.queue.next(self.annotator, Filters(reason=Reason.FINDING)) is not None:
            return visit.see(f"/only/{Reason.FINDING}")
        return _left_for(address(self.project, "verify"), visit.request)

    def _found(self) -> dict[str, dict[Left, Task]]:
        """Return by spelling what the check of the project found and nobody was asked of."""
        project = self.project
        is_checked = project and project.check.exists()
        return publishing.to_decide(project, self.queue) if project and is_checked else {}

    def answer_spelling(self, visit: Visit) -> Response:
        """Record the answer to a spelling, or show the messages in which it stands."""
        form, session = visit.form, visit.session
        said, word = form.choice("said", Said), form.text("word").strip()[: forms.LONGEST_WORD]
        if said is Said.HERE and _back_of(visit) == "checked":
            self.queue.add_items([*self._found().get(key_of(word), {}).values()])
            return visit.see(f"/only/{Reason.FINDING}")
        if said is Said.HERE:
            session.filters = Filters(state=State.ALL, word=word)
            return visit.see("/list")
        if said is Said.LATER:
            session.put_off.add(key_of(word))
            session.say("said.SKIP")
        else:
            self._decide_word(visit, WordRule(said))
        return _see_back(visit)

    def word(self, visit: Visit) -> Response:
        """Show the effect of deciding a word, to be confirmed."""
        form, t = visit.form, visit.t
        (word, type_), rule = forms.word_of(form), form.choice("rule", WordRule)
        item = form.integer("item") if form.text("item", "") else 0
        effect = self.queue.effect_of_word(self.annotator, word, rule)
        settled = f"TA ({type_.value})" if rule is WordRule.ALWAYS else "NTA"
        n_open = effect.n_items - effect.n_settled
        more = {"confirm.open": n_open, "confirm.again": effect.n_asked_again}
        messages, back = t.count("messages", effect.n_messages), _back_of(visit)
        shown = {
            "word": word,
            "rule": rule,
            "type": type_.value,
            "lines": [
                t.count("confirm.held", effect.n_items, messages=messages),
                t.count("confirm.settled", effect.n_settled, answer=settled),
                *(t.count(key, n) for key, n in more.items() if n),
                t("confirm.kept"),
            ],
            "last": self.queue.last_decision(self.annotator),
            "item": item,
            # The offer beside a message leads to the list by another button alone.
            "back": "item" if item and back == "list" else back,
        }
        return self._page(visit, "confirm", {"confirm": shown}, place="dialog")

    def decide_word(self, visit: Visit) -> Response:
        """Decide a word and show the same item if it is still open, else the next one."""
        number = visit.form.integer("item")
        self._decide_word(visit, visit.form.choice("rule", WordRule))
        item = self.queue.item(number) if number else None
        is_open = item and not item.final and item.standing_of(self.annotator) is None
        return _see_item(visit, number) if is_open else _see_back(visit)

    def _decide_word(self, visit: Visit, rule: WordRule) -> None:
        session, t, form = visit.session, visit.t, visit.form
        (word, type_), last = forms.word_of(form), form.integer("last")
        try:
            self.queue.decide_word(self.annotator, word, rule, type_, last=last)
        except StaleAnswerError:
            session.say("error.stale")
            return
        items = t.count("items", self.queue.count("", Filters(state=State.ALL, word=word)))
        again = self.queue.numbers("", Filters(word=word, reason=Reason.SPELLING))
        key = "said.again" if rule is WordRule.ALWAYS and again else "said.rule"
        said = {"word": word, "rule": t(f"word.{rule}").lower(), "items": items}
        session.say(key, **said, again=t.count("items", len(again)))

    # The list

    def filters(self, visit: Visit) -> Response:
        """Keep filters in the session, so that no address holds words or senders."""
        form, session = visit.form, visit.session
        if form.text("clear", ""):
            state = session.filters.state if form.text("back") == "list" else State.OPEN
            session.filters = Filters(state=state)
        else:
            session.filters = Filters(
                state=form.choice("state", State),
                word=form.text("word", "").strip()[: forms.LONGEST_WORD],
                sender=form.text("sender", "").strip()[: forms.LONGEST_WORD],
                seek_hide=form.text("seek_hide", "") and form.choice("seek_hide", Verdict),
                model=form.text("model", "") and form.choice("model", Prediction),
            )
            session.order = forms.one_of(form.text("order", session.order), Order)
            chosen = session.filters
            is_sought = chosen.state is State.OPEN and (chosen.word or chosen.sender)
            # What is sought and not open may be decided.
            if is_sought and not self.queue.count(self.annotator, chosen):
                session.filters = replace(chosen, state=State.ALL)
        return _see_back(visit)

    def list(self, visit: Visit) -> Response:
        filters, order = visit.session.filters, visit.session.order
        count = self.queue.count(self.annotator, filters)
        # The last page is empty once its rows are decided.
        offset = min(visit.number("offset", 0), max(0, count - 1)) // ROWS * ROWS
        rows = self.queue.rows(self.annotator, filters, order, offset=offset, limit=ROWS)
        shown = {"rows": rows, "offset": offset, "last_row": offset + len(rows), "count": count}
        return self._page(visit, "list", self._common(visit, None, filters) | shown)

    def decide_chosen(self, visit: Visit) -> Response:
        form, session, t = visit.form, visit.session, visit.t
        answer, items = form.choice("answer", Answer), form.integers("items")
        last = form.integer("last")
        chosen = [self.queue.item(number) for number in items]
        if (
            any(item.is_blind_to(self.annotator) for item in chosen)
            or (answer is Answer.NTA and any(item.voted_ta for item in chosen))
            or (answer is Answer.TA and not all(item.suggested_spans for item in chosen))
        ):
            raise forms.HTTPError(409, "error.one_by_one")
        if items:
            self.queue.decide_all(self.annotator, items, answer, last=last)
        session.say("said.all", answer=answer.value, items=t.count("items", len(set(items))))
        return visit.see(f"/list?offset={form.integer('offset')}")

    # The whole queue

    def status(self, visit: Visit) -> Response:
        shown = {
            "queue": self.queue,
            "status": self.queue.status(),
            "assigned": self.queue.assigned(),
            "history": self.queue.history(None, _RECENT, reader=self.annotator),
            "questions": self.queue.notes(self.annotator),
        }
        return self._page(visit, "status", self._common(visit, None) | shown)

    def double(self, visit: Visit) -> Response:
        """Change the share that two read, of what nobody has read."""
        written = visit.form.text("share")
        share = forms.share_of(written, or_none=True)
        self.queue.double(share)
        if self.project:
            self.project.change(double=share)
        visit.session.say("said.doubled", share=written.strip())
        return visit.see("/status")

    def edit(self, visit: Visit) -> Response:
        """Keep other guidelines, unless somebody else has changed them meanwhile."""
        text = visit.form.text("text")
        if len(text) > guidelines.LONGEST:
            forms.malformed()
        now = guidelines.read(self.queue.path, visit.t.code)
        if visit.form.text("seen") != guidelines.fingerprint(now):
            raise forms.HTTPError(409, "error.stale")
        guidelines.write(self.queue.path, text)
        visit.session.say("said.saved")
        return visit.see("/")


def _left_for(page: str, request: Request) -> Response:
    """Send the browser from the reader to another page of the project."""
    if FRAGMENT in request.headers:
        return Response(page, headers={PLACE: "away"})
    return RedirectResponse(page, 303)


def _reader_filters(session: forms.Session, reason: str) -> Filters:
    """Return the filters of the reader, which shows open or skipped items, or disagreements."""
    if reason == Reason.DISAGREEMENT:
        return Filters(state=State.DISAGREED)
    state = State.SKIPPED if session.filters.state is State.SKIPPED else State.OPEN
    return replace(session.filters, state=state, reason=reason)


def _reason_of(visit: Visit) -> str:
    reason = visit.request.path_params.get("reason", "")
    if reason and reason not in [*Reason]:
        raise forms.HTTPError(404, "error.gone")
    return str(reason)


def _back_of(visit: Visit) -> str:
    """Return the page or the reason that a form came from."""
    back = visit.form.text("back", "item")
    return back if back in (*_PAGES, *Reason) else "item"


def _see_back(visit: Visit) -> Response:
    back = _back_of(visit)
    return visit.see(_PAGES.get(back, f"/only/{back}"))


def _see_item(visit: Visit, number: int) -> Response:
    back = _back_of(visit)
    return visit.see(f"/item/{number}" if back in _PAGES else f"/only/{back}/{number}")


def _confirm_undone(session: forms.Session, done: Decision | None, t: forms.Translator) -> None:
    """Let the next page confirm an undoing, and show the marks again that an item had."""
    if done is None:
        session.say("said.nothing_to_undo")
        return
    is_one = len(done.items) == 1
    if is_one:
        marks = done.spans if done.answer is Answer.TA else session.marks.get(done.number)
        if marks is not None:
            session.drafts[done.items[0]] = marks
    items = t.count("items", len(done.items))
    what = str(done.answer) if is_one else f"{done.answer} ({items})"
    if done.kind == "word":
        rule = t(f"word.{done.rule}").lower()
        what = t("said.rule", word=done.word, rule=rule, items=items).removesuffix(".")
    elif done.kind == "import":
        what = f"{t('kind.import')} ({items})"
    session.say("said.undone", what=what)
