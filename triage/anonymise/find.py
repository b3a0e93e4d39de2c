"""The identifiers of a message: certain ones, ambiguous ones, and what carried TA.

The bounds on evidence were chosen on the first 4,000 messages of 88milSMS, each sender held out
(docs/anonymise.md).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from triage.dictionaries import Label, LabelledMessages, LabelledWord
from triage.dictionaries.address_words import KnownWords
from triage.dictionaries.addresses import addresses
from triage.dictionaries.kinds import Span

from ..decide.pipeline import ScoredMessages
from ..decide.word_types import likely_type
from ..vocabulary import CERTAIN_FROM, Action, IdentifierType, Spans
from .long_numbers import long_number

# Below it the model sees nothing in a word that Seek&Hide is sure of.
_AMBIGUOUS_FROM = 0.05
# The strongest word of a message that is TA has carried that decision from here on.
_CARRIES_FROM = 0.2


class Ambiguous(StrEnum):
    """Choices for words on which the two votes differ, and for what waits for the expert."""

    MASK = "mask"
    KEEP = "keep"
    ASK = "ask"


class Rule(StrEnum):
    """The rules that find identifiers."""

    EXPERT = "expert"
    PATTERN = "pattern"
    EVIDENCE = "evidence"
    DICTIONARY = "dictionary"
    CARRIED = "carried"
    ADDRESS = "address"


class Identifier(NamedTuple):
    """An identifier that was found in a text: its span, and the rule that found it."""

    start: int
    end: int
    type: IdentifierType
    rule: str


@dataclass(frozen=True)
class Judged:
    """A decision on a message, EXPERT where nobody has decided yet, and what people marked."""

    action: Action
    by_people: bool = False
    spans: Spans = ()


@dataclass(frozen=True)
class Found:
    """The identifiers of a message in order, none overlapping; the number of ambiguous words."""

    identifiers: list[Identifier]
    ambiguous: int = 0


class _Word(NamedTuple):
    start: int
    end: int
    labelled: LabelledWord
    evidence: float


def find(scored: ScoredMessages, judged: Sequence[Judged], ambiguous: Ambiguous) -> list[Found]:
    """Return the identifiers of some messages.

    What people decided stands: of their NTA messages nothing is replaced, of their TA messages what
    they marked, and where they marked nothing what is found here.
    """
    words, labelled = _candidates(scored), scored.labelled
    known = KnownWords.of(labelled.lexicon)
    found = []
    for message, one in enumerate(judged):
        if one.by_people and one.action is Action.NTA:
            found.append(Found([]))
        elif one.by_people and one.action is Action.TA and one.spans:
            found.append(Found([Identifier(*span, Rule.EXPERT) for span in sorted(one.spans)]))
        else:
            homes = addresses(labelled.messages[message], known)
            free = _outside(words.get(message, []), homes)
            found.append(_found(labelled, free, homes, one.action, ambiguous))
    return found


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
            found.setdefault(message, []).append(_Word(start, start + len(word.text), word, weight))
    return found


def _is_pattern(word: LabelledWord) -> bool:
    return word.kind.is_identifier or long_number(word) is not None


def _outside(words: list[_Word], homes: list[Span]) -> list[_Word]:
    """Return the words without a character in an address; addresses are in order."""
    ends = [home.end for home in homes]
    found = []
    for word in words:
        first = bisect_right(ends, word.start)
        if first == len(homes) or homes[first].start >= word.end:
            found.append(word)
    return found


def _found(
    labelled: LabelledMessages,
    words: list[_Word],
    homes: list[Span],
    action: Action,
    ambiguous: Ambiguous,
) -> Found:
    """Return what is found in a message: its addresses, and some of the words outside of them."""
    rules = [(word, _certain_rule(word)) for word in words]
    found = [(word, rule) for word, rule in rules if rule]
    in_doubt = []
    if action is not Action.NTA:
        in_doubt = [
            word for word, rule in rules if not rule and word.labelled.label is Label.DICTIONARY
        ]
        if ambiguous is not Ambiguous.KEEP:
            found += [(word, Rule.DICTIONARY) for word in in_doubt]
        if not (found or homes):
            strongest = max((word.evidence for word in words), default=0.0)
            found = [(w, Rule.CARRIED) for w in words if w.evidence == strongest >= _CARRIES_FROM]
    identifiers = [
        Identifier(word.start, word.end, _type(word.labelled, labelled), rule)
        for word, rule in found
    ]
    identifiers += (Identifier(h.start, h.end, IdentifierType.ADR, Rule.ADDRESS) for h in homes)
    return Found(sorted(identifiers), len(in_doubt))


def _type(word: LabelledWord, labelled: LabelledMessages) -> IdentifierType:
    return long_number(word) or likely_type(word, labelled.lexicon)


def _certain_rule(word: _Word) -> Rule | None:
    """Return the rule by which a word certainly is an identifier, whatever the action."""
    if _is_pattern(word.labelled):
        return Rule.PATTERN
    return Rule.EVIDENCE if word.evidence >= CERTAIN_FROM else None
