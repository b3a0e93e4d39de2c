"""What each page shows, as plain data: made of the queue, ready for a template."""

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
    Standing,
    State,
    WordRule,
)
from ..queue.records import safest
from .forms import HTTPError, spans_field
from .languages import Translator
from .marking import Piece, Text, WordButton, text_of
from .sessions import Session

# Of a message beside the one that is decided.
_EXCERPT = 600
_CONTEXT = 3
ROWS = 50


@dataclass(frozen=True)
class Excerpt:
    """A message of the same sender, or of a table."""

    text: str
    cut: bool


def excerpt(text: str) -> Excerpt:
    """Return the beginning of a message."""
    return Excerpt(text[:_EXCERPT], len(text) > _EXCERPT)


@dataclass(frozen=True)
class Opinion:
    """What an annotator said of an item, for whoever settles a disagreement."""

    annotator: str
    answer: Answer
    spans: str
    marked: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ItemPage:
    """One message and all that helps to decide it.

    Parameters
    ----------
    before, after : list of Excerpt
        Of the same sender.
    seen : int
        The decision of this annotator that stands, 0 if none: a later one is not overwritten.
    mine : Answer, optional
        What that decision says.
    take : Answer, optional
        What Enter answers while no mark is changed; None where that is to be said.
    unmarked : Answer, optional
        What Enter answers once no word is marked.
    opinions : tuple of Opinion
        Of a disagreement.
    """

    item: Item
    text: Text
    before: list[Excerpt]
    after: list[Excerpt]
    sender: str
    seen: int
    mine: Answer | None
    take: Answer | None
    unmarked: Answer | None
    opinions: tuple[Opinion, ...] = ()


def standing_of(item: Item, annotator: str, *, adjudicates: bool = False) -> Standing | None:
    """Return what an annotator said last of an item, or ruled on it; None if nothing."""
    own = [
        standing
        for standing in item.standing
        if standing.annotator == annotator and standing.adjudicates == adjudicates
    ]
    return max(own, key=lambda standing: standing.decision, default=None)


def item_page(
    queue: Queue,
    annotator: str,
    number: int,
    t: Translator,
    *,
    undone: Spans | None = None,
    adjudicates: bool = False,
) -> ItemPage:
    """Return an item, as an annotator sees it: without what the others said.

    Parameters
    ----------
    undone : tuple of Span, optional
        What was marked when the annotator gave an answer that they have taken back.
    adjudicates : bool
        Whether the annotator settles a disagreement.

    Raises
    ------
    HTTPError
        If there is no such item.
    """
    item = queue.item(number)
    if item is None:
        raise HTTPError(404, "error.gone")
    mine = standing_of(item, annotator, adjudicates=adjudicates)
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
        # What was said against the votes is not said again by one key.
        take if decided is None or decided.answer is take else None,
        safest(marked=False, voted_ta=item.voted_ta),
    )


def disagreement_page(
    queue: Queue, annotator: str, number: int, t: Translator, undone: Spans | None = None
) -> ItemPage:
    """Return an item on which annotators differ, and what each said of it.

    Raises
    ------
    HTTPError
        If they do not differ: who is still to answer it must not see what others did.
    """
    page = item_page(queue, annotator, number, t, undone=undone, adjudicates=True)
    if not page.item.disagreed:
        raise HTTPError(404, "error.no_disagreement")
    opinions = (
        Opinion(
            standing.annotator,
            standing.answer,
            spans_field(standing.spans),
            tuple((page.item.text[s.start : s.end], s.type.value) for s in standing.spans),
        )
        for standing in page.item.standing
        if standing.answer is not Answer.SKIP and not standing.adjudicates
    )
    return replace(page, opinions=tuple(opinions))


def _excerpts(messages: Sequence[Message]) -> list[Excerpt]:
    return [excerpt(message.text) for message in messages]


def next_number(queue: Queue, annotator: str, session: Session) -> int | None:
    """Return the item that comes now; one that was just skipped only where no other is left."""
    filters = queue_filters(session.filters)
    after, session.after = session.after, None
    found = queue.next(annotator, filters, session.order, after=after)
    if found is None and after is not None:
        found = queue.next(annotator, filters, session.order)
    return found


def queue_filters(filters: Filters) -> Filters:
    """Return the filters of a table for the queue page, which shows what is to be decided."""
    state = State.SKIPPED if filters.state is State.SKIPPED else State.OPEN
    return replace(filters, state=state)


@dataclass(frozen=True)
class TableRow:
    """An item in the table.

    Parameters
    ----------
    text : tuple of Piece
        Those that are suggested as identifiers have a word.
    cut : bool
        Whether the text goes on.
    """

    row: Row
    text: tuple[Piece, ...]
    cut: bool


@dataclass(frozen=True)
class TablePage:
    """A page of the table.

    Parameters
    ----------
    offset, count : int
        Items before the first row, and all that the filters let through.
    """

    rows: list[TableRow]
    offset: int
    count: int

    @property
    def last(self) -> int:
        """The place of the last row."""
        return self.offset + len(self.rows)


def table_page(queue: Queue, annotator: str, session: Session, offset: int) -> TablePage:
    """Return a page of the items that the session's filters let through."""
    count = queue.count(annotator, session.filters)
    # Deciding the last page's rows leaves nothing there.
    offset = min(offset, max(0, count - 1)) // ROWS * ROWS
    rows = queue.rows(annotator, session.filters, session.order, offset=offset, limit=ROWS)
    return TablePage([_table_row(row) for row in rows], offset, count)


def _table_row(row: Row) -> TableRow:
    shown = [span for span in row.suggested if span.end <= _EXCERPT]
    return TableRow(
        row,
        tuple(_framed(row.text[:_EXCERPT], shown)),
        len(row.text) > _EXCERPT,
    )


def _framed(text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    end = 0
    for span in spans:
        yield Piece(text[end : span.start])
        type_ = span.type.value
        button = WordButton(span.start, span.end, "", "", type_, type_, False)
        yield Piece(text[span.start : span.end], button)
        end = span.end
    yield Piece(text[end:])


@dataclass(frozen=True)
class ProgressLine:
    """How far an annotator is, in words."""

    progress: Progress
    parts: list[str]


def progress_line(progress: Progress, t: Translator) -> ProgressLine:
    """Return how far an annotator is, in words."""
    parts = [t.count("decided", progress.decided), t.count("left", progress.open)]
    if progress.skipped:
        parts.append(t.count("skipped", progress.skipped))
    if progress.per_hour:
        parts.append(t("per_hour", n=t.number(round(progress.per_hour))))
    if progress.seconds_left and progress.open:
        parts.append(t("time_left", time=t.duration(progress.seconds_left)))
    share = t.share(progress.messages_decided, progress.messages)
    return ProgressLine(progress, [*parts, t("corpus_decided", share=share)])


@dataclass(frozen=True)
class ConfirmPage:
    """What deciding a word would do, before it is done."""

    word: str
    rule: WordRule
    type: str
    item: int
    last: int
    lines: list[str]


def confirm_page(
    queue: Queue,
    annotator: str,
    word: str,
    rule: WordRule,
    type_: str,
    item: int,
    t: Translator,
) -> ConfirmPage:
    """Return what deciding a word would do."""
    effect = queue.effect_of_word(annotator, word, rule)
    messages = t.count("messages", effect.n_messages)
    lines = [t.count("confirm.held", effect.n_items, messages=messages)]
    if rule is WordRule.ALWAYS:
        lines.append(t.count("confirm.settled_ta", effect.n_settled, type=type_))
    else:
        lines.append(t.count("confirm.settled_nta", effect.n_settled))
    if effect.n_items > effect.n_settled:
        lines.append(t.count("confirm.open", effect.n_items - effect.n_settled))
    last = queue.last_decision(annotator)
    return ConfirmPage(word, rule, type_, item, last, [*lines, t("confirm.kept")])


@dataclass(frozen=True)
class FilterChoices:
    """What the filters' form offers, and what is chosen."""

    filters: Filters
    order: Order
    states: list[State]
    orders: list[Order]

    @property
    def active(self) -> bool:
        """Return whether anything is filtered."""
        return self.filters != Filters(state=self.filters.state) or self.filters.state not in (
            State.OPEN,
            State.ALL,
        )


def filter_choices(session: Session, *, table: bool) -> FilterChoices:
    """Return what the filters' form offers, on the queue page or on the table."""
    if not table:
        states = [State.OPEN, State.SKIPPED]
        return FilterChoices(queue_filters(session.filters), session.order, states, list(Order))
    return FilterChoices(session.filters, session.order, list(State), list(Order))
