"""The contents of a queue as plain data.

Where a field of sender, column or word is a string, it is empty if there is none.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from triage.data.output import is_formula

from ..errors import TriageError
from ..model.annotated import FINAL_COLUMNS, MACHINE
from ..vocabulary import SUSPECT_FROM, Action, IdentifierType, Prediction, Span, Spans, Verdict
from .words import refused

_LONGEST_NAME = 60

Answer = StrEnum("Answer", {"TA": "TA", "NTA": "NTA", "SKIP": "SKIP"})
State = StrEnum("State", ["OPEN", "DECIDED", "SKIPPED", "DISAGREED", "UNMARKED", "ALL"])
# The reason for which a person sees a message; other rooms hand over the first three. By SPELLING,
# what people decided NTA is asked again, since a word of it is always a name.
Reason = StrEnum("Reason", ["LEAK", "FINDING", "HELD", "DISAGREEMENT", "SPELLING", "DOUBT"])
Order = StrEnum("Order", ["LEARNING", "DOUBT", "FILE", "RANDOM"])
WordRule = StrEnum("WordRule", ["ALWAYS", "NEVER"])


@dataclass(frozen=True)
class About:
    name: str
    columns: tuple[str, ...]
    text_column: str
    id_column: str
    sender_column: str
    format: str = "csv"
    separator: str = ""
    line_terminator: str = "\n"
    bom: bool = False
    run: str = ""
    # The share that two annotators read.
    doubled: float = 0.0

    def checked(self) -> Self:
        """Return this, and refuse messages that have a column which applying a queue adds."""
        if repeated := [column for column in FINAL_COLUMNS if column in self.columns]:
            raise refused("column_taken.messages", name=self.name, column=repeated[0])
        return self


@dataclass(frozen=True)
class Filters:
    state: State = State.OPEN
    word: str = ""
    sender: str = ""
    seek_hide: str = ""
    model: str = ""
    reason: str = ""


class Votes(NamedTuple):
    """The decision on a message, as `triage classify` wrote it."""

    seek_hide: Verdict
    model: Prediction
    score: float
    action: Action

    @classmethod
    def parse(cls, seek_hide: str, model: str, score: float | str, action: str) -> Self:
        """Return votes from their columns; ValueError if one holds none."""
        if not 0 <= float(score) <= 1:
            raise ValueError(score)
        return cls(Verdict(seek_hide), Prediction(model), float(score), Action(action))


class Message(NamedTuple):
    number: int
    sender: str
    sent: str
    text: str


# Words from this evidence on are why a message is read.
_MAY_NAME_FROM = 0.02


class ItemWord(NamedTuple):
    """A word of an item and how each vote saw it."""

    start: int
    end: int
    text: str
    kind: str
    label: str
    reason: str
    evidence: float | None
    type: IdentifierType
    suggested: bool

    @property
    def is_doubtful(self) -> bool:
        """Return whether it may name somebody, as long as no rule says otherwise."""
        may_name = self.label == "DICTIONARY" or (self.evidence or 0.0) >= SUSPECT_FROM
        return self.suggested or may_name


def suggested_spans(words: Iterable[ItemWord]) -> Spans:
    return tuple(Span(w.start, w.end, w.type) for w in words if w.suggested)


def packed(spans: Iterable[Span]) -> str:
    return json.dumps([[span.start, span.end, span.type.value] for span in spans])


def joined(*several: Iterable[Span]) -> Spans:
    """Return the union of spans of one text; of those that overlap, the first and longest."""
    distinct = dict.fromkeys(s for spans in several for s in spans)
    in_order = sorted(distinct, key=lambda s: (s.start, -s.end))
    kept: list[Span] = []
    for span in in_order:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)


class Task(NamedTuple):
    """Something for a person to see: why, in which message (its id or else row), and where."""

    reason: Reason
    id: str = ""
    row: int = 0
    start: int = 0
    end: int = 0
    type: IdentifierType = IdentifierType.PRE
    item: int = 0

    @property
    def place(self) -> Spans:
        return (Span(self.start, self.end, self.type),) if self.end else ()


class ItemAnswer(NamedTuple):
    item: int
    answer: Answer
    spans: Spans = ()


class Standing(NamedTuple):
    """An annotator's current answer to an item, or their ruling on a disagreement."""

    annotator: str
    answer: Answer
    spans: Spans
    decision: int
    adjudicates: bool = False
    at: str = ""


@dataclass(frozen=True)
class Item:
    """A distinct text of the corpus, decided once for all messages with it."""

    number: int
    text: str
    words: tuple[ItemWord, ...]
    # The expert's first one.
    message: Message | None
    n_messages: int
    votes: Votes
    voted_ta: bool
    standing: tuple[Standing, ...]
    wanted: int
    final: Answer | None
    tasks: tuple[Task, ...] = ()
    # Answers from before it was handed over, in order.
    earlier: tuple[Standing, ...] = ()

    @property
    def places(self) -> Spans:
        """The places that it was handed over for; of a check they have the types of their words."""
        places = tuple(span for one in self.tasks for span in one.place)
        starts = {one.start for one in self.tasks if one.reason is Reason.FINDING}
        types = {word.start: word.type for word in self.words if word.start in starts}
        first = IdentifierType.PRE
        return tuple(
            span._replace(type=types.get(span.start, first)) if span.type is first else span
            for span in places
        )

    @property
    def suggested_spans(self) -> Spans:
        marks = self.earlier[-1].spans if self.earlier else ()
        return joined(self.places, marks, suggested_spans(self.words))

    @property
    def suggestion(self) -> Answer | None:
        """The safest answer; None where a vote says TA and no word can be suggested."""
        if self.suggested_spans:
            return Answer.TA
        return None if self.voted_ta else Answer.NTA

    @property
    def doubtful(self) -> list[str]:
        """The words that may be names but are not suggested, the likeliest first."""
        others = (one for one in self.words if not one.suggested)
        ranked = sorted(others, key=lambda one: -(one.evidence or 0.0))
        may_be = [one for one in ranked if one.is_doubtful or (one.evidence or 0) >= _MAY_NAME_FROM]
        if not may_be and not self.suggested_spans:
            may_be = [one for one in ranked if one.label == "UNKNOWN"][:1]
        return [one.text for one in may_be]

    @property
    def disagreed(self) -> bool:
        """Return whether annotators disagree on it, or somebody has ruled on that."""
        own = {s.answer for s in self.standing if not s.adjudicates} - {Answer.SKIP}
        return len(own) > 1 or any(s.adjudicates for s in self.standing)

    def standing_of(self, annotator: str, *, adjudicates: bool = False) -> Standing | None:
        own = annotator, adjudicates
        return next((s for s in self.standing if (s.annotator, s.adjudicates) == own), None)

    def answered_by(self, annotator: str) -> bool:
        standing = self.standing_of(annotator)
        return standing is not None and standing.answer is not Answer.SKIP

    def is_blind_to(self, annotator: str) -> bool:
        """Return whether two read it and this one has yet to answer."""
        is_open = self.final is None and not self.disagreed
        return self.wanted > 1 and is_open and not self.answered_by(annotator)


class Decision(NamedTuple):
    """A decision; of one that is hidden from a reader, neither answer nor items."""

    number: int
    at: str
    annotator: str
    kind: str
    word: str
    rule: str
    undone: bool
    hidden: bool
    answer: Answer | None = None
    items: tuple[int, ...] = ()
    spans: Spans = ()


class InDoubt(NamedTuple):
    spelling: str
    type: IdentifierType
    n_settled: int


class WordEffect(NamedTuple):
    n_items: int
    n_messages: int
    n_settled: int
    n_asked_again: int = 0


class QueueProgress(NamedTuple):
    decided: int
    open: int
    skipped: int
    messages: int
    messages_decided: int
    per_hour: float | None
    seconds_left: float | None
    decided_ta: int = 0


@dataclass(frozen=True)
class PairAgreement:
    first: str
    second: str
    n_items: int
    kappa: float | None
    low: float | None
    high: float | None
    marks: float | None
    disagreements: tuple[int, ...]


@dataclass(frozen=True)
class Status:
    messages: int
    expert_messages: int
    items: int
    items_final: int
    items_disagreed: int
    messages_decided: int
    doubled: int
    annotators: dict[str, int]
    pairs: tuple[PairAgreement, ...]
    always: tuple[str, ...]
    never: tuple[str, ...]
    settled_by_words: int
    handed_over: dict[str, int]
    unmarked: int
    messages_waiting: int


class Note(NamedTuple):
    """An annotator's remark on an item, whose text goes with it."""

    item: int
    annotator: str
    at: str
    text: str
    asks: bool
    item_text: str


class NoSuchItemError(TriageError):
    """The queue has no item of a number."""


class StaleAnswerError(TriageError):
    """The annotator has decided something else since they saw what they answer."""


def annotator_name(name: str) -> str:
    """Return an annotator's name as it is stored; TriageError if it cannot be one."""
    stored = name.strip()
    fits = 0 < len(stored) <= _LONGEST_NAME
    if not fits or not stored.isprintable() or is_formula(stored) or stored.casefold() == MACHINE:
        raise refused("annotator_name.wrong", longest=_LONGEST_NAME, machine=MACHINE)
    return stored


def text_digest(text: str) -> bytes:
    # JSON can hold half of a surrogate pair, which only this error handler encodes.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
