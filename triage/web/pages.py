"""The pages: what those of the reader show of its queue, and how all are rendered as HTML.

Every text is escaped, wherever it comes from.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby, islice
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from triage.dictionaries.normal import folded

from ..queue import (
    Answer,
    Filters,
    Item,
    ItemWord,
    Message,
    Order,
    Progress,
    Queue,
    Reason,
    Span,
    Spans,
    State,
    WordRule,
)
from ..queue.queue import FEWEST
from ..queue.records import is_one_word, joined, safest
from ..vocabulary import IdentifierType
from .forms import DEFAULT, HTTPError, Session, Translator, base_of, spans_field, translator

Shown = dict[str, object]
# Characters shown of a message in a list or of the same conversation.
_EXCERPT = 600
# Messages of the conversation on each side, and where more are asked for.
CONTEXT, MORE_CONTEXT = 3, 15
ROWS = 50
# A message may have thousands of words in doubt, each of which is counted.
_MOST_DOUBTFUL = 20
# The agreement on fewer items is that of chance.
_FEWEST_COMMON = 20
_RECENT = 15


def item_page(
    queue: Queue,
    annotator: str,
    item: Item,
    t: Translator,
    *,
    rules: bool,
    draft: Spans | None,
    around: int,
) -> Shown:
    """Return an item, and all that helps to decide it or, of a disagreement, to rule on it."""
    mine = item.standing_of(annotator, adjudicates=rules)
    decided = mine if mine and mine.answer is not Answer.SKIP else None
    is_blind = item.is_blind_to(annotator)
    marks = _places(item) if is_blind else item.suggested_spans
    marks = decided.spans if decided else marks if draft is None else draft
    unmarked = None if is_blind else safest(marked=False, voted_ta=item.voted_ta)
    take = Answer.TA if marks else unmarked
    first = item.message
    before, after = queue.context(first.number, around) if first else ([], [])
    notes = queue.notes(item.number, annotator)
    rulings = [one for one in item.standing if one.adjudicates and one.answer is not Answer.SKIP]
    return {
        "item": item,
        "is_blind": is_blind,
        "tasks": [
            (reason, ", ".join(dict.fromkeys(item.text[one.start : one.end] for one in tasks)))
            for reason, tasks in groupby(sorted(item.tasks), key=lambda one: one.reason)
        ],
        # Who is blind sees of others not even what they said before it was handed over.
        "earlier": [one for one in item.earlier if one.annotator == annotator or not is_blind],
        "text": text_of(item, marks, t, is_blind=is_blind),
        "before": _excerpts(before),
        "after": _excerpts(after),
        "more": around < MORE_CONTEXT and around in (len(before), len(after)),
        "note": next((note for note in notes if note.annotator == annotator), None),
        "notes_of_others": [note for note in notes if note.annotator != annotator],
        "sender": first.sender if first else "",
        "seen": mine.decision if mine else 0,
        "mine": mine.answer if mine else None,
        # An answer against the votes is not repeated by one key.
        "take": take if decided is None or decided.answer is take else None,
        "unmarked": unmarked,
        "ruling": max(rulings, key=lambda one: one.decision, default=None),
        "offer": None
        if decided or item.final or rules or is_blind
        else _offer(queue, annotator, item),
    }


def _places(item: Item) -> Spans:
    """Return what was handed over of an item, which tells of no vote and no answer."""
    return joined(span for task in item.tasks for span in task.place)


def opinions(item: Item) -> list[Shown]:
    """Return what each annotator answered, to be read side by side."""
    return [
        {
            "annotator": said.annotator,
            "answer": said.answer,
            "spans": spans_field(said.spans),
            "text": highlighted(item.text, said.spans),
        }
        for said in item.standing
        if said.answer is not Answer.SKIP and not said.adjudicates
    ]


def _offer(queue: Queue, annotator: str, item: Item) -> tuple[int, str, IdentifierType] | None:
    """Return the spelling in doubt that stands in most open items; None if all are rare.

    It is decided once for all of them.
    """
    rules = queue.word_rules()
    in_doubt = (one for one in item.words if one.is_doubtful and is_one_word(one.text))
    asked = (one for one in in_doubt if folded(one.text) not in rules)
    offers = (
        (queue.count(annotator, Filters(word=one.text)), one.text, one.type)
        for one in islice(asked, _MOST_DOUBTFUL)
    )
    return max((offer for offer in offers if offer[0] >= FEWEST), default=None)


def _excerpts(messages: Sequence[Message]) -> list[Shown]:
    return [
        {"text": m.text[:_EXCERPT], "cut": len(m.text) > _EXCERPT, "sent": m.sent, "by": m.sender}
        for m in messages
    ]


def reader_filters(session: Session, reason: str) -> Filters:
    """Return the filters of the reader, which shows open or skipped items, or disagreements."""
    state = State.SKIPPED if session.filters.state is State.SKIPPED else State.OPEN
    if reason == Reason.DISAGREEMENT:
        return Filters(state=State.DISAGREED)
    return replace(session.filters, state=state, reason=reason)


def next_number(queue: Queue, annotator: str, session: Session, reason: str) -> int | None:
    """Return the next item; the one just skipped only if no other is left."""
    filters = reader_filters(session, reason)
    after, session.after = session.after, None
    found = queue.next(annotator, filters, session.order, after=after)
    if found is None and after is not None:
        found = queue.next(annotator, filters, session.order)
    return found


def list_page(queue: Queue, annotator: str, session: Session, offset: int) -> Shown:
    """Return a page of the items that match the session's filters."""
    count = queue.count(annotator, session.filters)
    # The last page is empty once its rows are decided.
    offset = min(offset, max(0, count - 1)) // ROWS * ROWS
    rows = queue.rows(annotator, session.filters, session.order, offset=offset, limit=ROWS)
    return {
        "rows": [_row(row, annotator) for row in rows],
        "offset": offset,
        "last": offset + len(rows),
        "count": count,
    }


def _row(row: Item, annotator: str) -> Shown:
    is_blind, mine = row.is_blind_to(annotator), row.standing_of(annotator)
    marks = _places(row) if is_blind else row.suggested_spans
    return {
        "row": row,
        "is_blind": is_blind,
        "answer": mine.answer if mine else None,
        "text": highlighted(row.text[:_EXCERPT], tuple(s for s in marks if s.end <= _EXCERPT)),
        "cut": len(row.text) > _EXCERPT,
    }


def progress_line(progress: Progress, t: Translator) -> list[str]:
    parts = [t.count("decided", progress.decided), t.count("left", progress.open)]
    if progress.skipped:
        parts.append(t.count("skipped", progress.skipped))
    if progress.per_hour:
        parts.append(t("per_hour", n=t.number(round(progress.per_hour))))
    if progress.seconds_left and progress.open:
        parts.append(t("time_left", time=t.duration(progress.seconds_left)))
    share = t.share(progress.messages_decided, progress.messages)
    return [*parts, t("corpus_decided", share=share)]


def end_page(queue: Queue, annotator: str, t: Translator) -> Shown:
    """Return what was decided once an annotator has no item left, and what waits for whom."""
    progress, lines = queue.progress(annotator), []
    if progress.decided:
        n_ta = progress.decided_ta
        ta, nta = t.number(n_ta), t.number(progress.decided - n_ta)
        lines.append(t.count("end.decided", progress.decided, ta=ta, nta=nta))
    n_disagreed = queue.count("", Filters(state=State.DISAGREED))
    return {
        "item": None,
        "end": [*lines, *waits_lines(queue.waits_for(), n_disagreed, t)],
        "waits": bool(queue.status().messages_waiting),
        "n_questions": len(queue.questions(annotator)),
    }


def waits_lines(waits_for: Mapping[str, int], n_disagreed: int, t: Translator) -> list[str]:
    """Return what has to be read by whom, and what has to be ruled on, in words."""
    lines = [
        t.count("waits.named", n, name=name) if name else t.count("end.others", n)
        for name, n in waits_for.items()
    ]
    return lines + ([t.count("waits.ruling", n_disagreed)] if n_disagreed else [])


def status_page(queue: Queue, annotator: str) -> Shown:
    """Return what was done and is left, by whom, and how far two agree."""
    status, assigned = queue.status(), queue.assigned()
    names: Iterable[str] = sorted(status.annotators.keys() | assigned)
    done = status.annotators
    return {
        "status": status,
        "name": queue.about.name,
        "double": f"{queue.doubled * 100:g}",
        "people": [
            (name, done.get(name, 0), assigned.get(name), queue.progress(name).per_hour)
            for name in names
        ],
        "history": queue.history(None, _RECENT, reader=annotator),
        "questions": queue.questions(annotator),
        "fewest_common": _FEWEST_COMMON,
    }


def confirm_page(
    queue: Queue, annotator: str, word: str, rule: WordRule, type_: str, t: Translator
) -> Shown:
    """Return the effect that deciding a word would have, to be confirmed."""
    effect = queue.effect_of_word(annotator, word, rule)
    messages = t.count("messages", effect.n_messages)
    lines = [t.count("confirm.held", effect.n_items, messages=messages)]
    if rule is WordRule.ALWAYS:
        lines.append(t.count("confirm.settled_ta", effect.n_settled, type=type_))
    else:
        lines.append(t.count("confirm.settled_nta", effect.n_settled))
    if effect.n_items > effect.n_settled:
        lines.append(t.count("confirm.open", effect.n_items - effect.n_settled))
    if effect.n_asked_again:
        lines.append(t.count("confirm.again", effect.n_asked_again))
    return {"word": word, "rule": rule, "type": type_, "lines": [*lines, t("confirm.kept")]}


def filter_choices(filters: Filters, order: Order, *, is_list: bool) -> Shown:
    """Return the choices of the filter form, and its state."""
    is_default = filters == Filters(state=filters.state, reason=filters.reason)
    return {
        "filters": filters,
        "order": order,
        "states": [*State] if is_list else [State.OPEN, State.SKIPPED],
        "orders": [*Order],
        "active": not is_default or filters.state not in (State.OPEN, State.ALL, State.DISAGREED),
    }


# Set by the page's own script, which asks for a part of a page, or for one line of an error.
FRAGMENT = "x-fragment"
# Tells the script where to show a fragment.
PLACE = "x-place"

# The first ten types are marked by digits, the others by a letter that no other key of the page
# has: one of their own where it is free.
TYPE_KEYS = dict(zip(IdentifierType, "1234567890" + "bcriymdeopghlfw", strict=True))


class Renderer:
    """Renders templates for an annotator, who is named on each page."""

    def __init__(self, annotator: str) -> None:
        self._annotator = annotator

    def page(
        self,
        request: Request,
        name: str,
        shown: Mapping[str, object],
        *,
        layout: str = "base",
        place: str = "main",
    ) -> Response:
        """Return a page, or only its main part if the script asks for it."""
        fragment = FRAGMENT in request.headers
        values = {
            "t": request.state.translator,
            "said": None,
            "annotator": self._annotator,
            "page": name,
            # An address that is only posted to cannot be returned to.
            "path": request.url.path if request.method == "GET" else f"{base_of(request)}/",
            "base": base_of(request),
            "types": list(IdentifierType),
            "project": None,
            "stages": (),
            "todo": None,
            "type_keys": TYPE_KEYS,
            "is_part": fragment,
            **shown,
        }
        template = f"{name if fragment else layout}.html"
        return self._response(template, 200, values, {PLACE: place} if fragment else {})

    def plain(self, request: Request, template: str) -> Response:
        """Return a page for a browser without session."""
        values = {"t": _translator(request), "base": base_of(request)}
        return self._response(template, 200, values, {})

    def error(self, request: Request, error: HTTPError) -> Response:
        """Return an error page: one line and the way out."""
        t = _translator(request)
        line = t(error.key) if error.key else t.problem(error.problem)
        if FRAGMENT in request.headers:
            return PlainTextResponse(line, error.status)
        values = {
            "t": t,
            "line": line,
            "session": error.status != 403,
            "base": base_of(request),
        }
        return self._response("error.html", error.status, values, {})

    def _response(
        self, template: str, status: int, values: dict[str, object], headers: dict[str, str]
    ) -> Response:
        html = _environment().get_template(template).render(values)
        # UTF-8 cannot encode a lone surrogate.
        content = html.encode("utf-8", "replace")
        return Response(content, status, headers, media_type="text/html; charset=utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["hidden"] = hidden
    return environment


def hidden(**fields: object) -> Markup:
    """Return the fields that a form is sent with; one that is None is left out."""
    field = Markup('<input type="hidden" name="{}" value="{}">')
    return Markup("").join(field.format(*one) for one in fields.items() if one[1] is not None)


def _translator(request: Request) -> Translator:
    found: Translator | None = getattr(request.state, "translator", None)
    return found or translator(DEFAULT)


# The rest of a longer message is shown as plain text.
_MOST_WORDS = 3_000
_MOST_CHARACTERS = 40_000
# These are no words, and name nobody.
_PLAIN_KINDS = frozenset({"PUNCTUATION", "SMILEY", "EMOJI"})
_CLASSES = {"DICTIONARY": "known", "AMBIGUOUS": "ambiguous", "UNKNOWN": "unknown"}
_SPACE = re.compile(r"(\s+)")
# A pack has several lists of each of these.
_LISTS = ("first_names", "last_names", "names", "persons", "forms", "words")


class Cut(NamedTuple):
    """A part of a piece that is marked in part."""

    text: str
    mark: str = ""
    joined: bool = False


# A word, what is between two, or white space, as a template shows it; and those on one line.
Piece = dict[str, Any]


def _piece(start: int, cuts: tuple[Cut, ...], word: Mapping[str, str] | None = None) -> Piece:
    text = "".join(cut.text for cut in cuts)
    return {
        "start": start,
        "end": start + len(text),
        "text": text,
        "cuts": cuts,
        # None where marks divide it.
        "whole": cuts[0] if len(cuts) == 1 else None,
        "is_marked": any(cut.mark for cut in cuts),
        "word": word,
    }


def text_of(item: Item, marks: Spans, t: Translator, *, is_blind: bool) -> dict[str, object]:
    """Return an item's text as runs of pieces, and the rest of a long one, for a template.

    Who is blind sees of no word what the program knows or supposes of it.
    """
    words = [
        word
        for word in item.words
        if word.kind not in _PLAIN_KINDS
        or (word.suggested and not is_blind)
        or _mark_of(word, marks)
    ]
    cut = len(item.text)
    if len(words) > _MOST_WORDS or cut > _MOST_CHARACTERS:
        words = [word for word in words[:_MOST_WORDS] if word.end <= _MOST_CHARACTERS]
        cut = words[-1].end if words else min(cut, _MOST_CHARACTERS)
    pieces = _pieces(item.text[:cut], words, marks, None if is_blind else t)
    spans, rest = spans_field(marks), item.text[cut:]
    return {"runs": [*_runs(pieces)], "rest": rest, "spans": spans, "marked": len(marks)}


def highlighted(text: str, marks: Spans) -> Piece:
    return _piece(0, _cuts(text, 0, len(text), marks))


def _mark_of(word: ItemWord, marks: Spans) -> Span | None:
    """Return the mark on a word; marks are in order and do not overlap."""
    before = bisect_left(marks, word.end, key=lambda mark: mark.start)
    last = marks[before - 1] if before else None
    return last if last and last.end > word.start else None


def _pieces(
    text: str, words: Sequence[ItemWord], marks: Spans, t: Translator | None
) -> Iterator[Piece]:
    """Yield words, without their labels where there is no translator, and what is between them."""
    end = 0
    for word in words:
        yield from _between(text, end, word.start, marks)
        button = {"look": "", "why": "", "type": IdentifierType.PRE.value}
        if t:
            look = _CLASSES.get(word.label, "")
            button = {"look": look, "why": why(word, t), "type": word.type.value}
        yield _piece(word.start, _cuts(text, word.start, word.end, marks), button)
        end = word.end
    yield from _between(text, end, len(text), marks)


def _between(text: str, start: int, end: int, marks: Spans) -> Iterator[Piece]:
    """Yield the text between words, white space apart."""
    for part in filter(None, _SPACE.split(text[start:end])):
        cuts = (Cut(part),) if part.isspace() else _cuts(text, start, start + len(part), marks)
        yield _piece(start, cuts)
        start += len(part)


def _cuts(text: str, start: int, end: int, marks: Spans) -> tuple[Cut, ...]:
    """Return a stretch of a text, divided where a mark begins or ends in it."""
    found, at = [], start
    for mark in marks[bisect_right(marks, start, key=lambda mark: mark.end) :]:
        if mark.start >= end:
            break
        if at < mark.start:
            found.append(Cut(text[at : mark.start]))
        at = min(mark.end, end)
        marked = text[max(mark.start, start) : at]
        found.append(Cut(marked, mark.type.value, mark.end > end))
    return (*found, Cut(text[at:end])) if at < end or not found else tuple(found)


def _runs(pieces: Iterator[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Yield pieces without a space between them, which stay on one line."""
    for is_space, group in groupby(pieces, key=lambda piece: piece["text"].isspace()):
        run = tuple(group)
        yield from ((piece,) for piece in run) if is_space else (run,)


def why(word: ItemWord, t: Translator) -> str:
    """Return how each vote saw a word: label, lists, rule, evidence."""
    parts = [t.known(f"label.{word.label}", word.label)]
    lists, _, rule = word.reason.partition("; ")
    if word.kind != "WORD":
        type_ = t.known(f"type.{lists}", "")
        parts.append(t("form", type=type_) if type_ else t.known(f"form.{lists}", ""))
    elif lists:
        parts.append(", ".join(dict.fromkeys(list_name(name, t) for name in lists.split(", "))))
    if rule:
        name, _, read_as = rule.partition(": ")
        parts.append(t("word.rule", rule=t.known(f"rule.{name}", name), read_as=read_as))
    if word.evidence is not None:
        parts.append(t("word.evidence", n=t.decimal(word.evidence)))
    return " · ".join(filter(None, parts))


def list_name(name: str, t: Translator) -> str:
    """Return what a list holds, as it is called in the language of the page."""
    kind = next((kind for kind in _LISTS if kind in name), "")
    found = t.known(f"list.{name}", "") or t.known(f"list.{kind}", "")
    return found or name.replace("_", " ")
