"""The contents of a queue as plain data.

Where a field of sender, column or word is a string, it is empty if there is none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from ..vocabulary import Action, IdentifierType, Prediction, Span, Spans, Verdict


class Answer(StrEnum):
    """An annotator's answer to an item."""

    TA = "TA"
    NTA = "NTA"
    SKIP = "SKIP"


class State(StrEnum):
    """The items that a list shows.

    Open, decided or skipped by the annotator who asks; disagreed by several; or all. Only ALL holds
    items that the machine alone decided.
    """

    OPEN = "open"
    DECIDED = "decided"
    SKIPPED = "skipped"
    DISAGREED = "disagreed"
    ALL = "all"


class Order(StrEnum):
    """The order in which items come.

    LEARNING is that of `triage.queue.listing.learning_order`: what teaches the model most comes
    first. DOUBT sorts by distance from the model's threshold.
    """

    LEARNING = "learning"
    DOUBT = "doubt"
    FILE = "file"
    RANDOM = "random"


class WordRule(StrEnum):
    """A rule for a word wherever it stands."""

    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class About:
    """Source of a queue's messages.

    Parameters
    ----------
    columns : tuple of str
        Of the file, those of `triage classify` included.
    ta_from : float
        The score from which the model voted TA.
    format : str
        Of the file, as its usual extension.
    bom : bool
        Whether the file began with a byte order mark.
    run : str
        The record of the run that triaged the file, with lists as seen from the queue's folder.
    """

    name: str
    columns: tuple[str, ...]
    text_column: str
    id_column: str
    sender_column: str
    ta_from: float
    format: str = "csv"
    separator: str = ""
    line_terminator: str = "\n"
    bom: bool = False
    run: str = ""


@dataclass(frozen=True)
class Filters:
    """The items to be listed.

    Parameters
    ----------
    state : State
    word : str
        Items that contain all of these words, regardless of case, accents and apostrophes.
    sender : str
        Items with a message from this sender.
    seek_hide, model : str
        A cell of Table 2; empty for all.
    """

    state: State = State.OPEN
    word: str = ""
    sender: str = ""
    seek_hide: str = ""
    model: str = ""


@dataclass(frozen=True)
class Votes:
    """The decision on a message, as `triage classify` wrote it."""

    seek_hide: Verdict
    model: Prediction
    score: float
    action: Action


@dataclass(frozen=True)
class Message:
    """A message of the corpus.

    Parameters
    ----------
    number : int
        Its place there, from 1.
    sent : str
        When, as ``2011-09-17 10:12:25``.
    """

    number: int
    id: str
    sender: str
    text: str
    votes: Votes
    item: int
    sent: str = ""


@dataclass(frozen=True)
class ItemWord:
    """A word of an item and how each vote saw it.

    Parameters
    ----------
    kind, label : str
        As in `dictionaries.Kind` and `dictionaries.Label`.
    reason : str
        The lists that hold it, and the spelling rule that found it there.
    evidence : float, optional
        Word evidence, from 0 to 1; None where the model does not weigh words.
    type : IdentifierType
        The likely type if it is an identifier.
    suggested : bool
        Whether it is suggested as an identifier.
    """

    start: int
    end: int
    text: str
    kind: str
    label: str
    reason: str
    evidence: float | None
    type: IdentifierType
    suggested: bool


def suggested_spans(words: Iterable[ItemWord]) -> Spans:
    """Return the suggested words as spans; neighbours of one type stay apart."""
    return tuple(Span(w.start, w.end, w.type) for w in words if w.suggested)


@dataclass(frozen=True)
class Standing:
    """An annotator's current answer to an item, or their ruling on a disagreement.

    Parameters
    ----------
    at : str
        Time of the decision, ISO 8601, UTC.
    """

    annotator: str
    answer: Answer
    spans: Spans
    decision: int
    adjudicates: bool = False
    at: str = ""


def safest(*, marked: bool, voted_ta: bool) -> Answer | None:
    """Return the answer that releases nothing against a vote or a mark.

    It is None where a vote says TA and nothing is marked: a person must decide that.
    """
    if marked:
        return Answer.TA
    return None if voted_ta else Answer.NTA


@dataclass(frozen=True)
class Item:
    """A distinct text of the corpus, decided once for all messages with it.

    Parameters
    ----------
    messages : tuple of Message
        The most doubtful first; at most 20 of `n_messages`.
    votes : Votes
        On the most doubtful message.
    voted_ta : bool
        Whether a vote on any of its messages says TA.
    wanted : int
        How many annotators must answer: 1, or 2 where items are doubled.
    final : Answer or None
        TA or NTA once it is settled.
    """

    number: int
    text: str
    words: tuple[ItemWord, ...]
    messages: tuple[Message, ...]
    n_messages: int
    votes: Votes
    voted_ta: bool
    standing: tuple[Standing, ...]
    wanted: int
    final: Answer | None

    @property
    def suggested_spans(self) -> Spans:
        """The words suggested as identifiers."""
        return suggested_spans(self.words)

    @property
    def suggestion(self) -> Answer | None:
        """The safest answer; None where a vote says TA and no word can be suggested."""
        return safest(marked=bool(self.suggested_spans), voted_ta=self.voted_ta)

    @property
    def disagreed(self) -> bool:
        """Return whether annotators disagree on it, or somebody has ruled on that."""
        own = {s.answer for s in self.standing if not s.adjudicates} - {Answer.SKIP}
        return len(own) > 1 or any(s.adjudicates for s in self.standing)

    def standing_of(self, annotator: str, *, adjudicates: bool = False) -> Standing | None:
        """Return an annotator's current answer, or their ruling; None if there is none."""
        found = (
            s for s in self.standing if s.annotator == annotator and s.adjudicates == adjudicates
        )
        return max(found, key=lambda s: s.decision, default=None)

    def answered_by(self, annotator: str) -> bool:
        """Return whether an annotator has answered it, and not skipped it."""
        said = self.standing_of(annotator)
        return said is not None and said.answer is not Answer.SKIP


@dataclass(frozen=True)
class Row:
    """An item as a table shows it; `answer` is that of the annotator who asks."""

    number: int
    text: str
    n_messages: int
    votes: Votes
    answer: Answer | None
    final: Answer | None
    suggested: Spans
    suggestion: Answer | None


@dataclass(frozen=True)
class Decision:
    """A decision as it was made.

    Parameters
    ----------
    at : str
        Time, ISO 8601, UTC.
    kind : str
        ``message`` (of items), ``word`` (always or never a name), ``undo``, ``import``,
        ``adjudication``.
    answer : Answer, optional
        Where it decides items.
    word, rule : str
        Where it decides a word: the word, ``always`` or ``never``.
    items : tuple of int
        The items that it decides.
    spans : tuple of Span
        The identifiers, where it decides one item.
    hidden : bool
        Whether answer, items and spans are withheld from the reader.
    """

    number: int
    at: str
    annotator: str
    kind: str
    answer: Answer | None
    word: str
    rule: str
    items: tuple[int, ...]
    spans: Spans
    undone: bool
    hidden: bool = False


@dataclass(frozen=True)
class WordEffect:
    """Effect that deciding a word would have.

    Parameters
    ----------
    n_items, n_messages : int
        Open ones that contain the word.
    n_settled : int
        Items that it would decide; the others stay open, without this suggestion.
    """

    n_items: int
    n_messages: int
    n_settled: int


@dataclass(frozen=True)
class Progress:
    """Progress of an annotator, and of the corpus.

    Parameters
    ----------
    decided, open, skipped : int
        Items that this annotator has decided, still has to, and, of the latter, has skipped.
    decided_ta : int
        Of the items decided, those that are TA.
    messages, messages_decided : int
        Of the corpus; those whose action is final, by machine or people.
    per_hour : float, optional
        Items decided an hour of work, breaks left out; None before there are enough to tell.
    """

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
    """Agreement of two annotators on the items that both decided.

    Parameters
    ----------
    kappa, low, high : float, optional
        Cohen's kappa and its 95 % interval; None where both only ever gave one answer.
    disagreements : tuple of int
        Items on which they disagree, not yet adjudicated.
    """

    first: str
    second: str
    n_items: int
    kappa: float | None
    low: float | None
    high: float | None
    disagreements: tuple[int, ...]


@dataclass(frozen=True)
class Status:
    """Contents and progress of a queue.

    Parameters
    ----------
    items, items_final, items_disagreed : int
        Distinct texts of the expert's messages, those settled, and those on which annotators
        disagree (where the machine had decided, too).
    messages_decided : int
        By machine or people.
    doubled : int
        Items that two annotators must answer.
    annotators : dict of str to int
        Items that each has decided.
    always, never : tuple of str
        The corpus's own lists.
    """

    messages: int
    expert_messages: int
    items: int
    items_final: int
    items_disagreed: int
    messages_decided: int
    doubled: int
    annotators: dict[str, int] = field(default_factory=dict)
    pairs: tuple[PairAgreement, ...] = ()
    always: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
