"""Where the identifiers of a message are: certain ones, ambiguous ones, and what carried TA.

The bounds on evidence were chosen on the first 4,000 messages of 88milSMS, each sender held out
(docs/anonymise.md).
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord
from triage.dictionaries.address_words import KnownWords
from triage.dictionaries.addresses import addresses
from triage.dictionaries.patterns import Span

from ..decide.pipeline import ScoredMessages
from ..decide.word_types import likely_type
from ..vocabulary import CERTAIN_FROM, Action, IdentifierType, Spans
from .records import Identifier

# Below it the model sees nothing in a word that Seek&Hide is sure of.
_AMBIGUOUS_FROM = 0.05
# The strongest word of a message that is TA has carried that decision from here on.
_CARRIES_FROM = 0.2
# A bare number of so many digits is a telephone number without its first one, or a code.
_LONG_NUMBER = 8


class Ambiguous(StrEnum):
    """What becomes of a word on which the two votes differ, and of what waits for the expert."""

    MASK = "mask"
    KEEP = "keep"
    ASK = "ask"


class Rule(StrEnum):
    """What found an identifier."""

    EXPERT = "expert"
    PATTERN = "pattern"
    EVIDENCE = "evidence"
    DICTIONARY = "dictionary"
    CARRIED = "carried"
    ADDRESS = "address"


@dataclass(frozen=True)
class Judged:
    """What was decided of a message before it is treated.

    Parameters
    ----------
    action : Action
        EXPERT where nobody has decided yet.
    by_people : bool
    spans : tuple of Span
        What people marked.
    """

    action: Action
    by_people: bool = False
    spans: Spans = ()


@dataclass(frozen=True)
class Found:
    """The identifiers of a message.

    Parameters
    ----------
    identifiers : list of Identifier
        In order; none overlaps another.
    ambiguous : int
        How many of its words are ambiguous.
    """

    identifiers: list[Identifier]
    ambiguous: int = 0


@dataclass(frozen=True)
class _Word:
    start: int
    labelled: LabelledWord
    evidence: float

    @property
    def end(self) -> int:
        return self.start + len(self.labelled.text)


def find(scored: ScoredMessages, judged: Sequence[Judged], ambiguous: Ambiguous) -> list[Found]:
    """Return the identifiers of some messages.

    What people decided stands: of their NTA messages nothing is replaced, of their TA messages what
    they marked, and where they marked nothing what is found here.

    Parameters
    ----------
    scored : ScoredMessages
        Of n_messages messages.
    judged : sequence of Judged, length n_messages
    ambiguous : Ambiguous

    Returns
    -------
    list of Found, length n_messages
    """
    words, labelled = _candidates(scored), scored.labelled
    known = KnownWords.of(labelled.lexicon)
    found = []
    for message, one in enumerate(judged):
        if _is_settled(one):
            found.append(_marked(one))
        else:
            homes = addresses(labelled.messages[message], known)
            found.append(_found(labelled, words.get(message, []), homes, one, ambiguous))
    return found


def _is_settled(judged: Judged) -> bool:
    """Tell whether people said all: a TA without a mark leaves it to the machine what goes."""
    is_marked = judged.action is Action.TA and bool(judged.spans)
    return judged.by_people and (is_marked or judged.action is Action.NTA)


def _marked(judged: Judged) -> Found:
    spans = judged.spans if judged.action is Action.TA else ()
    return Found([Identifier(*span, Rule.EXPERT) for span in sorted(spans)])


def _candidates(scored: ScoredMessages) -> dict[int, list[_Word]]:
    """Return the words that may identify somebody, by their message."""
    table, labels = scored.labelled.words, scored.labelled.labels
    found: dict[int, list[_Word]] = {}
    columns = (table.message, table.start, table.form)
    words = zip(*(column.tolist() for column in columns), scored.evidence, strict=True)
    for message, start, form, p in words:
        word = labels[form]
        # Where words are not weighed, what the dictionaries are sure of is all that is known.
        weight = float(word.label is Label.DICTIONARY) if p is None else p
        if weight >= _AMBIGUOUS_FROM or _is_pattern(word):
            found.setdefault(message, []).append(_Word(start, word, weight))
    return found


def _is_pattern(word: LabelledWord) -> bool:
    if word.kind is Kind.NUMBER:
        return sum(map(str.isdigit, word.text)) >= _LONG_NUMBER
    return word.kind.is_identifier


def _found(
    labelled: LabelledMessages,
    words: list[_Word],
    homes: list[Span],
    judged: Judged,
    ambiguous: Ambiguous,
) -> Found:
    """Return what is found in a message: its addresses, and words that stand in none."""
    ends = [home.end for home in homes]
    free = [w for w in words if not _touches(w, homes, ends)]
    found = [(word, rule) for word in free for rule in _rules(word)]
    in_doubt = []
    if judged.action is not Action.NTA:
        taken = {word.start for word, _ in found}
        in_doubt = [
            w for w in free if w.start not in taken and w.labelled.label is Label.DICTIONARY
        ]
        if ambiguous is not Ambiguous.KEEP:
            found += [(word, Rule.DICTIONARY) for word in in_doubt]
        if not (found or homes):
            found = [(word, Rule.CARRIED) for word in _carrying(free)]
    whole = [Identifier(h.start, h.end, IdentifierType.ADR, Rule.ADDRESS) for h in homes]
    return Found(sorted([*_identifiers(labelled, found), *whole]), len(in_doubt))


def _touches(word: _Word, homes: list[Span], ends: list[int]) -> bool:
    """Tell whether a word has a character in common with an address; these are in order."""
    first = bisect_right(ends, word.start)
    return first < len(homes) and homes[first].start < word.end


def _rules(word: _Word) -> Iterable[Rule]:
    """Yield the rule by which a word certainly is an identifier, whatever the action."""
    if _is_pattern(word.labelled):
        yield Rule.PATTERN
    elif word.evidence >= CERTAIN_FROM:
        yield Rule.EVIDENCE


def _carrying(words: list[_Word]) -> list[_Word]:
    strongest = max((word.evidence for word in words), default=0.0)
    return [w for w in words if w.evidence == strongest >= _CARRIES_FROM]


def _identifiers(labelled: LabelledMessages, found: list[tuple[_Word, Rule]]) -> list[Identifier]:
    ordered = sorted(found, key=lambda pair: pair[0].start)
    return [
        Identifier(word.start, word.end, _type(word.labelled, labelled), rule)
        for word, rule in ordered
    ]


def _type(word: LabelledWord, labelled: LabelledMessages) -> IdentifierType:
    if word.kind is Kind.NUMBER:
        return IdentifierType.TEL
    return likely_type(word, labelled.lexicon)
