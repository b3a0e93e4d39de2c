"""What a queue holds, as plain data."""

from dataclasses import dataclass, field
from enum import StrEnum

from ..vocabulary import Action, IdentifierType, Prediction, Span, Spans, Verdict


class Answer(StrEnum):
    """What an annotator says of an item."""

    TA = "TA"
    NTA = "NTA"
    SKIP = "SKIP"


@dataclass(frozen=True)
class ItemWord:
    """A word of an item and what each vote saw in it.

    Parameters
    ----------
    start, end : int
        Where it stands, in characters.
    kind, label : str
        As in `dictionaries.Kind` and `dictionaries.Label`.
    reason : str
        The lists that hold it and the spelling rule that found it there.
    evidence : float, optional
        Word evidence, from 0 to 1; None where the model does not weigh words.
    type : IdentifierType
        What it is if it is an identifier.
    suggested : bool
        Whether it is suggested as one.
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


def safest(*, marked: bool, voted_ta: bool) -> Answer | None:
    """Return the answer that releases nothing against a vote or a mark.

    Parameters
    ----------
    marked : bool
        Whether an identifier is marked.
    voted_ta : bool
        Whether a vote says TA.

    Returns
    -------
    Answer or None
        None where a vote says TA and nothing is marked: that a person must say.
    """
    if marked:
        return Answer.TA
    return None if voted_ta else Answer.NTA


@dataclass(frozen=True)
class Votes:
    """What was decided of a message, as `triage classify` wrote it."""

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
        Its place in the corpus, from 1.
    id, sender : str
        Empty where the file does not say.
    item : int
        The item of its text.
    """

    number: int
    id: str
    sender: str
    text: str
    votes: Votes
    item: int


@dataclass(frozen=True)
class Standing:
    """What an annotator's last decision that was not undone says of an item.

    Parameters
    ----------
    adjudicates : bool
        Whether it is a ruling on a disagreement, and no annotator's own answer.
    """

    annotator: str
    answer: Answer
    spans: Spans
    decision: int
    adjudicates: bool = False


@dataclass(frozen=True)
class Item:
    """A distinct text of the corpus: what an annotator decides, once for all messages with it.

    Parameters
    ----------
    messages : tuple of Message
        Those that read so, the most doubtful one first; at most 20.
    n_messages : int
        How many there are.
    votes : Votes
        Of the most doubtful one.
    voted_ta : bool
        Whether a vote on any of them says TA.
    standing : tuple of Standing
        What annotators have said.
    wanted : int
        How many annotators must answer: 1, or 2 where items are doubled.
    final : Answer or None
        TA or NTA where it is settled.
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
        """The words that are suggested as identifiers; neighbours of one type stay apart."""
        return tuple(Span(w.start, w.end, w.type) for w in self.words if w.suggested)

    @property
    def suggestion(self) -> Answer | None:
        """The safest answer; None where a vote says TA and no word can be suggested."""
        return safest(marked=bool(self.suggested_spans), voted_ta=self.voted_ta)

    @property
    def disagreed(self) -> bool:
        """Return whether annotators differ on it, or somebody has ruled on that."""
        own = {s.answer for s in self.standing if not s.adjudicates} - {Answer.SKIP}
        return len(own) > 1 or any(s.adjudicates for s in self.standing)

    def answered_by(self, annotator: str) -> bool:
        """Return whether an annotator's own answer to it stands."""
        return any(
            s.annotator == annotator and not s.adjudicates and s.answer is not Answer.SKIP
            for s in self.standing
        )


class State(StrEnum):
    """Which items a list shows."""

    OPEN = "open"
    DECIDED = "decided"
    SKIPPED = "skipped"
    DISAGREED = "disagreed"
    ALL = "all"


class Order(StrEnum):
    """In which order items come.

    LEARNING is that of `triage.queue.order`: what teaches the model most first. DOUBT is nearest
    to the model's threshold first.
    """

    LEARNING = "learning"
    DOUBT = "doubt"
    FILE = "file"
    RANDOM = "random"


@dataclass(frozen=True)
class Filters:
    """Which items are meant.

    Parameters
    ----------
    state : State
        Open, decided or skipped by the annotator who asks; disagreed by several; or all. Items
        that the machine alone decided are among ALL only.
    word : str
        Items that hold this word, however written (case, accents, apostrophes).
    sender : str
        Items of which a message is from this sender.
    seek_hide, model : str
        A cell of Table 2; empty for all.
    """

    state: State = State.OPEN
    word: str = ""
    sender: str = ""
    seek_hide: str = ""
    model: str = ""


@dataclass(frozen=True)
class Row:
    """An item as a table shows it.

    Parameters
    ----------
    answer : Answer, optional
        Of the annotator who asks.
    suggestion : Answer, optional
        As of an `Item`.
    """

    number: int
    text: str
    n_messages: int
    votes: Votes
    answer: Answer | None
    final: Answer | None
    suggested: Spans
    suggestion: Answer | None


@dataclass(frozen=True)
class Done:
    """A decision, as it was made.

    Parameters
    ----------
    at : str
        When, ISO 8601, UTC.
    kind : str
        ``message`` (of items), ``word`` (always or never a name), ``undo``, ``import``,
        ``adjudication``.
    answer : Answer, optional
        Of a decision of items.
    word, rule : str
        Of a decision of a word: the word, ``always`` or ``never``.
    items : tuple of int
        The items that it serves.
    spans : tuple of Span
        The identifiers, where it serves one item.
    hidden : bool
        Whether answer, items and spans are withheld from who asks.
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


class WordRule(StrEnum):
    """What an annotator says of a word wherever it stands."""

    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class WordEffect:
    """What a decision of a word would do to the items that are open.

    Parameters
    ----------
    n_items, n_messages : int
        That hold the word and are open.
    n_settled : int
        Items that it would decide; the others stay open, less this suggestion.
    """

    n_items: int
    n_messages: int
    n_settled: int


@dataclass(frozen=True)
class Progress:
    """How far an annotator is.

    Parameters
    ----------
    decided, open : int
        Items that this annotator decided, and that are still for them.
    skipped : int
        Of the open ones.
    messages : int
        Of the corpus.
    messages_decided : int
        By the machine or by people, so that their action is final.
    per_hour : float, optional
        Items decided an hour, over the last minutes of work; None before there are a few.
    """

    decided: int
    open: int
    skipped: int
    messages: int
    messages_decided: int
    per_hour: float | None
    seconds_left: float | None


@dataclass(frozen=True)
class PairAgreement:
    """How far two annotators agree on the items that both decided.

    Parameters
    ----------
    kappa : float, optional
        Cohen's; None where both only ever gave one answer.
    low, high : float, optional
        Its 95 % interval.
    disagreements : tuple of int
        Items on which they differ, not yet adjudicated.
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
    """What a queue holds and how far it is.

    Parameters
    ----------
    messages, expert_messages : int
        In the corpus; those sent to the expert.
    items, items_final, items_disagreed : int
        Of the expert's messages: distinct texts, those settled, those on which annotators differ.
        Where annotators differ on what the machine had decided, that counts, too.
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
