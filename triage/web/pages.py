"""The content of each page, from the queue, as plain data for a template."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from triage.dictionaries.normal import folded

from ..queue import (
    Answer,
    Filters,
    Item,
    Message,
    Note,
    Order,
    Progress,
    Queue,
    Spans,
    Standing,
    State,
    WordRule,
)
from ..queue.reader import FEWEST
from ..queue.records import is_one_word, safest
from ..vocabulary import IdentifierType
from .forms import HTTPError, Session, Translator, spans_field
from .rendering import Text, highlighted, text_of

Shown = dict[str, object]
# Characters shown of a message in a table or of the same sender.
_EXCERPT = 600
# Messages of the conversation on each side, and where more are asked for.
CONTEXT, MORE_CONTEXT = 3, 15
ROWS = 50
# A message may have thousands of words in doubt, each of which is counted.
_MOST_DOUBTFUL = 20


class Offer(NamedTuple):
    """A spelling to decide once for all open items that hold it."""

    n_items: int
    word: str
    type: IdentifierType


@dataclass(frozen=True)
class ItemPage:
    """A message and all that helps to decide it."""

    item: Item
    text: Text
    before: list[Shown]
    after: list[Shown]
    n_around: int
    more: int | None
    note: Note | None
    notes: list[Note]
    sender: str
    seen: int
    mine: Answer | None
    take: Answer | None
    unmarked: Answer | None
    opinions: tuple[Shown, ...] = ()
    ruling: Standing | None = None
    offer: Offer | None = None


def item_page(
    queue: Queue,
    annotator: str,
    number: int,
    t: Translator,
    *,
    draft: Spans | None = None,
    adjudicates: bool = False,
    around: int = CONTEXT,
) -> ItemPage:
    """Return an item as an annotator sees it: without the answers of others."""
    item = queue.item(number)
    if item is None:
        raise HTTPError(404, "error.gone")
    mine = item.standing_of(annotator, adjudicates=adjudicates)
    decided = mine if mine and mine.answer is not Answer.SKIP else None
    marks = item.suggested_spans if draft is None else draft
    marks = decided.spans if decided else marks
    take = safest(marked=bool(marks), voted_ta=item.voted_ta)
    first = item.messages[0] if item.messages else None
    before, after = queue.context(first.number, around) if first else ([], [])
    is_more = around < MORE_CONTEXT and around in (len(before), len(after))
    notes = queue.notes(number, annotator)
    return ItemPage(
        item,
        text_of(item, marks, t),
        _excerpts(before),
        _excerpts(after),
        around,
        MORE_CONTEXT if is_more else None,
        next((note for note in notes if note.annotator == annotator), None),
        [note for note in notes if note.annotator != annotator],
        first.sender if first else "",
        mine.decision if mine else 0,
        mine.answer if mine else None,
        # An answer against the votes is not repeated by one key.
        take if decided is None or decided.answer is take else None,
        safest(marked=False, voted_ta=item.voted_ta),
        ruling=max(
            (one for one in item.standing if one.adjudicates and one.answer is not Answer.SKIP),
            key=lambda one: one.decision,
            default=None,
        ),
        offer=None if decided or item.final or adjudicates else _offer(queue, annotator, item),
    )


def _offer(queue: Queue, annotator: str, item: Item) -> Offer | None:
    """Return the spelling in doubt that stands in most open items; None if all are rare."""
    rules = queue.word_rules()
    in_doubt = (one for one in item.words if one.is_doubtful and is_one_word(one.text))
    asked = (one for one in in_doubt if folded(one.text) not in rules)
    offers = (
        Offer(queue.count(annotator, Filters(word=one.text)), one.text, one.type)
        for one in islice(asked, _MOST_DOUBTFUL)
    )
    return max((offer for offer in offers if offer.n_items >= FEWEST), default=None)


def asked_line(queue: Queue, annotator: str, t: Translator) -> str:
    """Return what deciding spelling by spelling would settle; empty if that is nothing."""
    found = queue.in_doubt(annotator)
    n_open = t.number(queue.count(annotator, Filters()))
    n_settled = t.number(sum(one.n_settled for one in found))
    return t.count("spellings.first", len(found), settled=n_settled, open=n_open) if found else ""


def disagreement_page(
    queue: Queue, annotator: str, number: int, t: Translator, draft: Spans | None = None
) -> ItemPage:
    page = item_page(queue, annotator, number, t, draft=draft, adjudicates=True)
    if not page.item.disagreed:
        raise HTTPError(404, "error.no_disagreement")
    opinions: list[Shown] = [
        {
            "annotator": said.annotator,
            "answer": said.answer,
            "spans": spans_field(said.spans),
            "text": highlighted(page.item.text, said.spans),
        }
        for said in page.item.standing
        if said.answer is not Answer.SKIP and not said.adjudicates
    ]
    return replace(page, opinions=tuple(opinions))


def _excerpts(messages: Sequence[Message]) -> list[Shown]:
    return [
        {"text": m.text[:_EXCERPT], "cut": len(m.text) > _EXCERPT, "sent": m.sent, "by": m.sender}
        for m in messages
    ]


def next_number(queue: Queue, annotator: str, session: Session) -> int | None:
    """Return the next item; the one just skipped only if no other is left."""
    filters = queue_filters(session.filters)
    after, session.after = session.after, None
    found = queue.next(annotator, filters, session.order, after=after)
    if found is None and after is not None:
        found = queue.next(annotator, filters, session.order)
    return found


def queue_filters(filters: Filters) -> Filters:
    """Return the filters for the queue page, which shows only open or skipped items."""
    state = State.SKIPPED if filters.state is State.SKIPPED else State.OPEN
    return replace(filters, state=state)


def table_page(queue: Queue, annotator: str, session: Session, offset: int) -> Shown:
    """Return a page of the items that match the session's filters."""
    count = queue.count(annotator, session.filters)
    # The last page is empty once its rows are decided.
    offset = min(offset, max(0, count - 1)) // ROWS * ROWS
    rows = queue.rows(annotator, session.filters, session.order, offset=offset, limit=ROWS)
    return {
        "rows": [_table_row(row, annotator) for row in rows],
        "offset": offset,
        "last": offset + len(rows),
        "count": count,
    }


def _table_row(row: Item, annotator: str) -> Shown:
    shown = tuple(span for span in row.suggested_spans if span.end <= _EXCERPT)
    text, mine = highlighted(row.text[:_EXCERPT], shown), row.standing_of(annotator)
    answer = mine.answer if mine else None
    return {"row": row, "answer": answer, "text": text, "cut": len(row.text) > _EXCERPT}


def progress_line(progress: Progress, t: Translator) -> Shown:
    parts = [t.count("decided", progress.decided), t.count("left", progress.open)]
    if progress.skipped:
        parts.append(t.count("skipped", progress.skipped))
    if progress.per_hour:
        parts.append(t("per_hour", n=t.number(round(progress.per_hour))))
    if progress.seconds_left and progress.open:
        parts.append(t("time_left", time=t.duration(progress.seconds_left)))
    share = t.share(progress.messages_decided, progress.messages)
    return {"progress": progress, "parts": [*parts, t("corpus_decided", share=share)]}


def end_page(queue: Queue, progress: Progress, t: Translator) -> list[str]:
    """Return what was decided once an annotator has no item left, in words."""
    status = queue.status()
    lines = []
    if progress.decided:
        n_ta = progress.decided_ta
        ta, nta = t.number(n_ta), t.number(progress.decided - n_ta)
        lines.append(t.count("end.decided", progress.decided, ta=ta, nta=nta))
    elsewhere = status.items - status.items_final - status.items_disagreed - progress.open
    if elsewhere > 0:
        lines.append(t.count("end.others", elsewhere))
    return lines


def confirm_page(
    queue: Queue,
    annotator: str,
    word: str,
    rule: WordRule,
    type_: str,
    item: int,
    t: Translator,
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
    return {
        "word": word,
        "rule": rule,
        "type": type_,
        "item": item,
        "last": queue.last_decision(annotator),
        "lines": [*lines, t("confirm.kept")],
    }


def filter_choices(session: Session, *, table: bool) -> Shown:
    """Return the choices of the filter form, on the queue page or on the table, and its state."""
    filters = session.filters if table else queue_filters(session.filters)
    is_default = filters == Filters(state=filters.state)
    return {
        "filters": filters,
        "order": session.order,
        "states": list(State) if table else [State.OPEN, State.SKIPPED],
        "orders": list(Order),
        "active": not is_default or filters.state not in (State.OPEN, State.ALL),
    }
