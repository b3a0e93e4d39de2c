"""The reader: everything that waits for people, one item after the other, and their answers.

`Review` serves it to one annotator, alone or within a project, whose rail stands beside it; each
request is a `ReaderVisit`.
"""

import json
import threading
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby, islice

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from triage.dictionaries.normal import folded

from ..anonymise.grading import WordAnswer
from ..queue import Answer, Filters, Item, Order, Queue, Reason, StaleAnswerError, State, WordRule
from ..queue.queue import MIN_DOUBTFUL_ITEMS
from ..safe import write_file
from ..vocabulary import IdentifierType, Prediction, Verdict
from . import pages, publishing
from .pages import FRAGMENT, LONGEST_WORD, PLACE, ROWS, HTTPError, Shown, malformed, suggested_of
from .people import EVERY, Right
from .project import Project
from .spellings import Look, Spellings, key_of
from .stages import ProjectState, address, waits_lines
from .visits import Desk, Row, Screen, Visit, one_language, routes_of

# What forms return to: pages, and the lists of one reason.
_PAGES = {"item": "/", "list": "/list", "status": "/status", "checked": "/checked"}
_BACK = _PAGES | {reason: f"/only/{reason}" for reason in Reason}
# Messages of the conversation on each side, and where more are asked for.
CONTEXT, MORE_CONTEXT = 3, 15
# A message may have thousands of words in doubt, each of which is counted.
_MAX_DOUBTFUL = 20


class ReaderVisit(Visit):
    """A request of an annotator to the reader; one of a reason shows the items of that alone."""

    layout = "reader"

    def __init__(self, request: Request, review: "Review") -> None:
        super().__init__(request, review.desk)
        self.review, self.queue, self.annotator = review, review.queue, review.annotator
        self.may_read, self.may_rule = Right.READ in review.rights, Right.RULE in review.rights
        self.reason = str(request.path_params.get("reason", ""))
        if self.reason and self.reason not in [*Reason]:
            raise HTTPError(404, "error.gone")

    def onward(self) -> str:
        """Return the page of the stage that follows once nothing is left to read."""
        if not self.review.project:
            return ""
        standing = ProjectState(self.project, self.review.rights, self.annotator)
        return "" if standing.queue.n_left else standing.todo(self.t, "reader").href

    @cached_property
    def spoken(self) -> str:
        return one_language(json.loads(self.queue.about.run or "{}"))

    def leave(self, page: str) -> Response:
        """Send the browser from the reader to another page of the project."""
        if FRAGMENT in self.request.headers:
            return Response(page, headers={PLACE: "away"})
        return RedirectResponse(page, 303)

    def frame(self, name: str) -> Mapping[str, object]:
        # A part of a page leaves the guidelines beside it.
        is_part = FRAGMENT in self.request.headers
        alone = {"annotator": self.annotator, "project": None, "stages": (), "todo": None}
        return {
            **(super().frame(name) if self.review.project else alone),
            "guidelines": {} if is_part else pages.guidelines(self.queue.path, self.t.code),
            "may_read": self.may_read,
            "may_edit": Right.PUBLISH in self.review.rights,
            "queue": self.queue,
        }

    def _common(self, reason: str | None, filters: Filters | None = None) -> Shown:
        """Return the values that all pages of a queue show: what waits, progress, and filters."""
        progress = self.queue.progress(self.annotator)
        waiting = self.queue.waiting(self.annotator, rules=self.may_rule)
        n_open, n_disagreed = 0, waiting.get(Reason.DISAGREEMENT, 0)
        if self.may_read:
            n_open = progress.open
            again = waiting.get(Reason.SPELLING, 0)
            waiting[Reason.SPELLING] = again + self.review.spellings.count(self.annotator)
        else:
            waiting = {Reason.DISAGREEMENT: n_disagreed}
        is_filtered = filters is not None and (
            filters != Filters(state=filters.state, reason=filters.reason)
            or filters.state not in (State.OPEN, State.ALL, State.DISAGREED)
        )
        return {
            "remaining": {"stage.to_read": n_open, "stage.to_rule": n_disagreed},
            "progress": progress,
            "waiting": {reason: waiting[reason] for reason in Reason if reason in waiting},
            "reason": reason,
            "last": self.queue.last_decision(self.annotator),
            "filters": filters,
            "order": self.session.order,
            "is_filtered": is_filtered,
        }

    def _filters(self, reason: str) -> Filters:
        """Return the filters of single items: open or skipped ones, or disagreements."""
        if reason == Reason.DISAGREEMENT:
            return Filters(state=State.DISAGREED)
        chosen = self.session.filters
        state = State.SKIPPED if chosen.state is State.SKIPPED else State.OPEN
        return replace(chosen, state=state, reason=reason)

    @property
    def _back(self) -> str:
        back = self.form.text("back", "item")
        return back if back in _BACK else "item"

    def _see_back(self, item: int | None = None) -> Response:
        """Return to the page or the reason that a form came from, or to an item there."""
        back = "/item" if item is not None and self._back in _PAGES else _BACK[self._back]
        return self.see(back if item is None else f"{back}/{item}")

    def next(self) -> Response:
        """Show what comes next: messages, then disagreements; or of one reason alone."""
        reason, number, session = self.reason, None, self.session
        if self.may_read and reason != Reason.DISAGREEMENT:
            filters, (after, session.after) = self._filters(reason), (session.after, None)
            number = self.queue.next(self.annotator, filters, session.order, after=after)
            if number is None and after is not None:
                # The one just skipped, if no other is left.
                number = self.queue.next(self.annotator, filters, session.order)
        if number is None and self.may_rule and reason in ("", Reason.DISAGREEMENT):
            # Disagreements of others come first, then those that this annotator has a part in.
            answered = {*self.queue.numbers(self.annotator, Filters(state=State.DECIDED))}
            items = self.queue.numbers("", Filters(state=State.DISAGREED))
            items = [n for n in items if reason or self.review.rules_own or n not in answered]
            number = min(items, key=answered.__contains__, default=None)
        if reason == Reason.SPELLING:
            # What is asked again because of a rule comes before spellings without one.
            answered_again = number and self.queue.item(number).standing_of(self.annotator)
            if number is None or answered_again:
                t, spellings = self.t, self.review.spellings
                spelling = spellings.next(self.annotator, session.put_off)
                n, n_settled = spellings.n_settling, t.number(spellings.n_settled)
                n_open = t.number(self.queue.count(self.annotator, Filters()))
                line = t.count("spellings.first", n, settled=n_settled, open=n_open) if n else ""
                return self._ask(spelling, Reason.SPELLING, line)
        return self._show(number)

    def item(self) -> Response:
        return self._show(pages.whole_number(self.request.path_params["number"]))

    def _show(self, number: int | None) -> Response:
        reason, order = self.reason, self.session.order
        filters = self._filters(reason)
        values = self._common(reason, filters)
        if number is None:
            # What is there and is not next, somebody else has before them.
            n = self.queue.count(self.annotator, filters) if self.may_read else 0
            values |= {"item": None, "n_reserved": 0 if reason == Reason.DISAGREEMENT else n}
            n_disagreed = self.queue.count("", Filters(state=State.DISAGREED))
            waits_for = self.queue.waits_for()
            if values["n_reserved"] and "" in waits_for:
                # They were told already.
                waits_for[""] -= n
            waits = {name: n_texts for name, n_texts in waits_for.items() if n_texts > 0}
            lines = waits_lines(waits, n_disagreed, self.t)
            return self.page("item", values | {"waits": lines})
        item = self.queue.item(number)
        rules = item.disagreed and self.may_rule
        if not (rules or self.may_read):
            raise HTTPError(403, "error.right")
        if rules:
            filters, order = Filters(state=State.DISAGREED), Order.FILE
        beside = self.queue.neighbours(self.annotator, filters, order, number)
        return self.page("item", values | self._of_item(item, rules=rules) | {"beside": beside})

    def _of_item(self, item: Item, *, rules: bool) -> Shown:
        """Return an item, and all that helps to decide it or, of a disagreement, to rule on it."""
        session, queue, is_blind = self.session, self.queue, item.is_blind_to(self.annotator)
        own = item.standing_of(self.annotator, adjudicates=rules)
        decided = own if own and own.answer is not Answer.SKIP else None
        marks = session.drafts.get(item.number, suggested_of(item, is_blind=is_blind))
        marks = decided.spans if decided else marks
        # Of what somebody found in a sample, no key says that it holds nothing.
        is_asked = is_blind or any(task.reason is Reason.LEAK for task in item.tasks)
        unmarked = None if is_asked or item.voted_ta else Answer.NTA
        take = Answer.TA if marks else unmarked
        around = min(self.number("around", CONTEXT), MORE_CONTEXT)
        first, is_free = item.message, self.review.rules_own or not item.answered_by(self.annotator)
        before, after = queue.context(first.number, around) if first else ([], [])
        is_offered = not (decided or item.final or rules or is_blind)
        return {
            "item": item,
            "rules": rules,
            "may_answer": not rules or is_free,
            "asks_word": 1 if session.asked == item.number else None,
            "is_blind": is_blind,
            "tasks": [
                (reason, ", ".join(dict.fromkeys(item.text[one.start : one.end] for one in tasks)))
                for reason, tasks in groupby(sorted(item.tasks), key=lambda one: one.reason)
            ],
            "text": pages.text_of(item, marks, None if is_blind else self.t),
            "before": before,
            "after": after,
            "more": around < MORE_CONTEXT and around in (len(before), len(after)),
            "sender": first.sender if first else "",
            "seen": own.decision if own else 0,
            "mine": own.answer if own else None,
            # An answer against the votes is not repeated by one key.
            "take": take if decided is None or decided.answer is take else None,
            "unmarked": unmarked,
            "offer": self._offer(item) if is_offered else None,
        }

    def _offer(self, item: Item) -> tuple[int, str, IdentifierType] | None:
        """Return the spelling in doubt in most open items, to decide once; None if all are rare."""
        rules = self.queue.word_rules()
        in_doubt = (one for one in item.words if one.is_doubtful and len(one.text.split()) == 1)
        asked = (one for one in in_doubt if folded(one.text) not in rules)
        offers = (
            (self.queue.count(self.annotator, Filters(word=one.text)), one.text, one.type)
            for one in islice(asked, _MAX_DOUBTFUL)
        )
        return max((offer for offer in offers if offer[0] >= MIN_DOUBTFUL_ITEMS), default=None)

    def decide(self, *, rules: bool = False) -> Response:
        """Record an answer, or a ruling on a disagreement, and show what comes next."""
        form, session = self.form, self.session
        answer, number, marks = form.choice("answer", Answer), form.integer("item"), form.spans()
        if rules and answer is Answer.SKIP:
            malformed()
        if answer is Answer.TA and not (marks or "bare" in form):
            # Of a TA in which nothing is marked the word is asked for, once.
            self._keep_item(marks=False)
            session.asked, session.drafts[number] = number, ()
            session.say("error.which_word")
            return self._see_back(number)
        seen = form.integer("seen")
        if rules:
            item = self.queue.item(number)
            if not item.disagreed:
                raise HTTPError(404, "error.stale")
            if item.answered_by(self.annotator) and not self.review.rules_own:
                raise HTTPError(403, "error.own_disagreement")
        self._keep_item(marks=False)
        given = (self.annotator, number, answer, marks if answer is Answer.TA else ())
        decision = self.queue.decide(*given, seen=seen, rules=rules, own=self.review.rules_own)
        if decision is not None:
            # What an undoing shows again.
            session.marks[decision] = marks
            session.drafts.pop(number, None)
            session.asked = None
        session.say("said.SKIP" if answer is Answer.SKIP else "said.noted", answer=answer.value)
        if answer is Answer.SKIP:
            self._keep_item()
        session.after = number if answer is Answer.SKIP else None
        return self._see_back()

    def undo(self) -> Response:
        """Undo a decision, and show the marks again that an item had."""
        form, session, t, last = self.form, self.session, self.t, self.form.integer("last")
        decision = form.integer("decision") if "decision" in form else None
        if "item" in form:
            self._keep_item()
        try:
            undone = self.queue.undo(self.annotator, last=last, decision=decision)
        except StaleAnswerError:
            session.say("error.stale")
            return self._see_back()
        if undone is None:
            session.say("error.nothing_to_undo")
            return self._see_back()
        items, is_one = t.count("items", len(undone.items)), len(undone.items) == 1
        if is_one:
            marks = undone.spans if undone.answer is Answer.TA else session.marks.get(undone.number)
            if marks is not None:
                session.drafts[undone.items[0]] = marks
        what = str(undone.answer) if is_one else f"{undone.answer} ({items})"
        if undone.kind == "word":
            what = t("said.rule", **self._of_rule(undone.word, undone.rule))[:-1]
        elif undone.kind == "import":
            what = f"{t('kind.import')} ({items})"
        session.say("said.undone", what=what)
        is_message = is_one and undone.kind in ("message", "adjudication")
        is_back = is_message and form.text("back", "") != "list"
        return self._see_back(undone.items[0] if is_back else None)

    def note(self) -> Response:
        self._keep_item()
        self.session.say("said.saved")
        return self._see_back(self.form.integer("item"))

    def _keep_item(self, *, marks: bool = True) -> None:
        """Keep the note of an item that is left and, unless they are those suggested, its marks."""
        form, number = self.form, self.form.integer("item")
        if "note" in form:
            self.queue.note(self.annotator, number, form.text("note"), asks="asks" in form)
        if marks and (spans := form.spans()) != self.queue.item(number).suggested_spans:
            self.session.drafts[number] = spans

    def _ask(self, look: Look | None, back: str, settling: str = "") -> Response:
        if not self.may_read:
            raise HTTPError(403, "error.right")
        put_off = self.session.put_off
        values = self._common(Reason.SPELLING, self._filters(""))
        values |= {"asked": look, "back": back, "settling": settling, "comes_again": bool(put_off)}
        if look is None:
            # It comes again once the page is asked for again.
            put_off.clear()
        return self.page("spelling", values)

    def checked(self) -> Response:
        """Show a spelling that the check found, to decide; then the messages that wait for it."""
        if not (project := self.review.project):
            raise HTTPError(404, "error.gone")
        to_decide, put_off = publishing.to_decide(project, self.queue), self.session.put_off
        places = next((places for key, places in to_decide if key not in put_off), None)
        if places:
            return self._ask(publishing.look_at(places, self.queue), "checked")
        put_off.clear()
        if self.queue.next(self.annotator, Filters(reason=Reason.FINDING)) is not None:
            return self.see(f"/only/{Reason.FINDING}")
        return self.leave(address(project, "verify"))

    def answer_spelling(self) -> Response:
        """Record the answer to a spelling, or show the messages in which it stands."""
        form, session, project = self.form, self.session, self.review.project
        answer, word = form.choice("said", WordAnswer), form.text("word").strip()[:LONGEST_WORD]
        if answer is WordAnswer.HERE and self._back == "checked" and project:
            to_decide = dict(publishing.to_decide(project, self.queue))
            self.queue.add_items([*to_decide.get(key_of(word), {}).values()])
            return self.see(f"/only/{Reason.FINDING}")
        if answer is WordAnswer.HERE:
            session.filters = Filters(state=State.ALL, word=word)
            return self.see("/list")
        if answer is WordAnswer.LATER:
            session.put_off.add(key_of(word))
            session.say("said.SKIP")
        else:
            self._decide_word(WordRule(answer))
        return self._see_back()

    def word(self) -> Response:
        """Show the effect of deciding a word, to be confirmed."""
        form, back = self.form, self._back
        (word, type_), rule = form.word(), form.choice("rule", WordRule)
        item = form.integer("item") if form.text("item", "") else 0
        values = {
            "word": word,
            "rule": rule,
            "type": type_.value,
            "effect": self.queue.effect_of_word(self.annotator, word, rule),
            "last": self.queue.last_decision(self.annotator),
            "item": item,
            # The offer beside a message leads to the list by another button alone.
            "back": "item" if item and back == "list" else back,
        }
        return self.page("confirm", {"confirm": values}, place="dialog")

    def decide_word(self) -> Response:
        """Decide a word and show the same item if it is still open, else the next one."""
        number = self.form.integer("item")
        self._decide_word(self.form.choice("rule", WordRule))
        item = self.queue.item(number) if number else None
        is_open = item and not item.final and item.standing_of(self.annotator) is None
        return self._see_back(number if is_open else None)

    def _of_rule(self, word: str, rule: str, n_again: int = 0) -> dict[str, str]:
        """Return the values of the line about a rule or its undoing, with the number of texts."""
        items = self.t.count("items", self.queue.count("", Filters(state=State.ALL, word=word)))
        facts = {"word": word, "rule": self.t(f"word.{rule}").lower()}
        again = f" {self.t.count('confirm.again', n_again)}" if n_again else ""
        return facts | {"items": items, "again": again}

    def _decide_word(self, rule: WordRule) -> None:
        session, form = self.session, self.form
        (word, type_), last = form.word(), form.integer("last")
        try:
            self.queue.decide_word(self.annotator, word, rule, type_, last=last)
        except StaleAnswerError:
            session.say("error.stale")
            return
        again = Filters(word=word, reason=Reason.SPELLING)
        n_again = self.queue.count("", again) if rule is WordRule.ALWAYS else 0
        session.say("said.rule", **self._of_rule(word, rule, n_again))

    def filters(self) -> Response:
        """Keep filters in the session, so that no address holds words or senders."""
        form, session = self.form, self.session
        if form.text("clear", ""):
            state = session.filters.state if form.text("back") == "list" else State.OPEN
            session.filters = Filters(state=state)
        else:
            session.filters = chosen = Filters(
                state=form.choice("state", State),
                word=form.text("word", "").strip()[:LONGEST_WORD],
                sender=form.text("sender", "").strip()[:LONGEST_WORD],
                seek_hide=form.text("seek_hide", "") and form.choice("seek_hide", Verdict),
                model=form.text("model", "") and form.choice("model", Prediction),
            )
            session.order = pages.one_of(form.text("order", session.order), Order)
            is_sought = chosen.state is State.OPEN and (chosen.word or chosen.sender)
            # What is sought and not open may be decided.
            if is_sought and not self.queue.count(self.annotator, chosen):
                session.filters = replace(chosen, state=State.ALL)
        return self._see_back()

    def list(self) -> Response:
        filters, order = self.session.filters, self.session.order
        count = self.queue.count(self.annotator, filters)
        # The last page is empty once its rows are decided.
        offset = min(self.number("offset", 0), max(0, count - 1)) // ROWS * ROWS
        rows = self.queue.rows(self.annotator, filters, order, offset=offset, limit=ROWS)
        shown = {"rows": rows, "offset": offset, "count": count}
        return self.page("list", self._common(None, filters) | shown)

    def decide_chosen(self) -> Response:
        form, session, t = self.form, self.session, self.t
        answer, items = form.choice("answer", Answer), form.integers("items")
        chosen = [self.queue.item(number) for number in items]
        if (
            any(item.is_blind_to(self.annotator) for item in chosen)
            or (answer is Answer.NTA and any(item.voted_ta for item in chosen))
            or (answer is Answer.TA and not all(item.suggested_spans for item in chosen))
        ):
            raise HTTPError(409, "error.one_by_one")
        if items:
            self.queue.decide_all(self.annotator, items, answer, last=form.integer("last"))
        session.say("said.noted", answer=f"{answer} ({t.count('items', len(set(items)))})")
        return self.see(f"/list?offset={form.integer('offset')}")

    def status(self) -> Response:
        return self.page("status", self._common(None))

    def double(self) -> Response:
        """Change the share that two read, of what nobody has read."""
        share = self.form.share("share", or_none=True)
        self.queue.double(share)
        if self.review.project:
            self.review.project.change(double=share)
        self.session.say("said.saved")
        return self.see("/status")

    def edit(self) -> Response:
        """Keep other guidelines, unless somebody else has changed them meanwhile."""
        text = self.form.text("text")
        if len(text) > pages.LONGEST_GUIDELINES:
            malformed()
        now = pages.guidelines(self.queue.path, self.t.code)
        if now["problem"] or self.form.text("seen") != now["seen"]:
            raise now["problem"] or HTTPError(409, "error.stale")
        path = self.queue.path.with_name(pages.GUIDELINES)
        lines = (text.replace("\r\n", "\n").strip() + "\n").encode(errors="replace")
        write_file(path, lines, private=True, overwrite=True)
        self.session.say("said.saved")
        return self.see("/")


_READERS, _RULERS, _EDITORS = {Right.READ}, {Right.RULE}, {Right.PUBLISH}
_BOTH = _READERS | _RULERS
READER: tuple[Row, ...] = (
    ("/", _BOTH, ReaderVisit.next, None),
    ("/only/{reason}", _BOTH, ReaderVisit.next, None),
    ("/item/{number}", _BOTH, ReaderVisit.item, None),
    ("/only/{reason}/{number}", _BOTH, ReaderVisit.item, None),
    ("/list", _READERS, ReaderVisit.list, ReaderVisit.decide_chosen),
    ("/status", _BOTH, ReaderVisit.status, None),
    ("/checked", _READERS, ReaderVisit.checked, None),
    ("/decide", _READERS, None, ReaderVisit.decide),
    ("/rule", _RULERS, None, partial(ReaderVisit.decide, rules=True)),
    ("/spelling", _READERS, None, ReaderVisit.answer_spelling),
    ("/word", _READERS, None, ReaderVisit.word),
    ("/word/confirm", _READERS, None, ReaderVisit.decide_word),
    ("/undo", _BOTH, None, ReaderVisit.undo),
    ("/note", _BOTH, None, ReaderVisit.note),
    ("/filters", _READERS, None, ReaderVisit.filters),
    ("/double", _EDITORS, None, ReaderVisit.double),
    ("/guidelines", _EDITORS, None, ReaderVisit.edit),
)


@dataclass
class Review:
    """The reader of one annotator: what all of its pages share, and their routes."""

    queue: Queue
    annotator: str
    desk: Desk | None = None
    project: Project | None = None
    rights: Set[Right] = EVERY
    rules_own: bool = True

    def __post_init__(self) -> None:
        cached = self.project.cached("spellings", self.queue.path) if self.project else None
        self.spellings = Spellings(self.queue, cached.read) if cached else Spellings(self.queue)
        self._lock = threading.Lock()

    def routes(self) -> Iterator[Route]:
        return routes_of(READER, self.answer)

    def answer(self, screen: Screen, rights: Collection[Right], request: Request) -> Response:
        """Answer who has one of some rights, one request after the other."""
        if not self.rights & {*rights}:
            raise HTTPError(403, "error.right")
        with self._lock:
            reading = ReaderVisit(request, self)
            was_read = request.method == "POST" and reading.onward()
            response = screen(reading)
            page = reading.onward() if response.status_code == 303 else ""
        # The answer that leaves nothing to read leads to the next stage of the project.
        return response if was_read or not page else reading.leave(page)
