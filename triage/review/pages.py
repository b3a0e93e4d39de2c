"""The content of each page, from the queue, as plain data for a template."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..queue import (
    Answer,
    Filters,
    Item,
    Message,
    Order,
    Progress,
    Queue,
    Row,
    Span,
    Spans,
    State,
    WordRule,
)
from ..queue.records import safest
from .forms import HTTPError, spans_field
from .languages import Translator
from .marking import Piece, Text, WordButton, text_of
from .sessions import Session

Shown = dict[str, object]
# Characters shown of a message in a table or of the same sender.
_EXCERPT = 600
_CONTEXT = 3
ROWS = 50


@dataclass(frozen=True)
class ItemPage:
    """A message and all that helps to decide it.

    Parameters
    ----------
    before, after : list of dict
        Excerpts of the same sender's messages.
    seen : int
        This annotator's current decision, 0 if none: a later one is not overwritten.
    mine : Answer, optional
        Its answer.
    take : Answer, optional
        The answer of Enter while no mark is changed; None where the annotator must choose.
    unmarked : Answer, optional
        The answer of Enter once no word is marked.
    opinions : tuple of dict
        The annotators' answers to an item on which they disagree.
    """

    item: Item
    text: Text
    before: list[Shown]
    after: list[Shown]
    sender: str
    seen: int
    mine: Answer | None
    take: Answer | None
    unmarked: Answer | None
    opinions: tuple[Shown, ...] = ()


def item_page(
    queue: Queue,
    annotator: str,
    number: int,
    t: Translator,
    *,
    undone: Spans | None = None,
    adjudicates: bool = False,
) -> ItemPage:
    """Return an item as an annotator sees it: without the answers of others.

    Parameters
    ----------
    undone : tuple of Span, optional
        The marks of an answer that the annotator has undone.
    adjudicates : bool
        Whether the annotator rules on a disagreement.

    Raises
    ------
    HTTPError
        If there is no such item.
    """
    item = queue.item(number)
    if item is None:
        raise HTTPError(404, "error.gone")
    mine = item.standing_of(annotator, adjudicates=adjudicates)
    decided = mine if mine and mine.answer is not Answer.SKIP else None
    marks = item.suggested_spans if undone is None else undone
    marks = decided.spans if decided else marks
    take = safest(marked=bool(marks), voted_ta=item.voted_ta)
    first = item.messages[0] if item.messages else None
    before, after = queue.context(first.number, _CONTEXT) if first else ([], [])
    return ItemPage(
        item,
        text_of(item, marks, t),
        _excerpts(before),
        _excerpts(after),
        first.sender if first else "",
        mine.decision if mine else 0,
        mine.answer if mine else None,
        # An answer against the votes is not repeated by one key.
        take if decided is None or decided.answer is take else None,
        safest(marked=False, voted_ta=item.voted_ta),
    )


def disagreement_page(
    queue: Queue, annotator: str, number: int, t: Translator, undone: Spans | None = None
) -> ItemPage:
    """Return an item on which annotators disagree, and their answers.

    HTTPError if they do not disagree: who has yet to answer it must not see the answers of others.
    """
    page = item_page(queue, annotator, number, t, undone=undone, adjudicates=True)
    if not page.item.disagreed:
        raise HTTPError(404, "error.no_disagreement")
    opinions: list[Shown] = [
        {
            "annotator": said.annotator,
            "answer": said.answer,
            "spans": spans_field(said.spans),
            "marked": [(page.item.text[s.start : s.end], s.type.value) for s in said.spans],
        }
        for said in page.item.standing
        if said.answer is not Answer.SKIP and not said.adjudicates
    ]
    return replace(page, opinions=tuple(opinions))


def _excerpts(messages: Sequence[Message]) -> list[Shown]:
    return [{"text": m.text[:_EXCERPT], "cut": len(m.text) > _EXCERPT} for m in messages]


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
        "rows": [_table_row(row) for row in rows],
        "offset": offset,
        "last": offset + len(rows),
        "count": count,
    }


def _table_row(row: Row) -> Shown:
    shown = [span for span in row.suggested if span.end <= _EXCERPT]
    text = list(_highlighted(row.text[:_EXCERPT], shown))
    return {"row": row, "text": text, "cut": len(row.text) > _EXCERPT}


def _highlighted(text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    end = 0
    for span in spans:
        yield Piece(text[end : span.start])
        type_ = span.type.value
        button = WordButton(span.start, span.end, "", "", type_, type_, False)
        yield Piece(text[span.start : span.end], button)
        end = span.end
    yield Piece(text[end:])


def progress_line(progress: Progress, t: Translator) -> Shown:
    """Return the progress of an annotator, also in words."""
    parts = [t.count("decided", progress.decided), t.count("left", progress.open)]
    if progress.skipped:
        parts.append(t.count("skipped", progress.skipped))
    if progress.per_hour:
        parts.append(t("per_hour", n=t.number(round(progress.per_hour))))
    if progress.seconds_left and progress.open:
        parts.append(t("time_left", time=t.duration(progress.seconds_left)))
    share = t.share(progress.messages_decided, progress.messages)
    return {"progress": progress, "parts": [*parts, t("corpus_decided", share=share)]}


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
