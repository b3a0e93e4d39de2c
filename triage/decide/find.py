"""The identifiers of a message: certain ones, and words in doubt.

The bounds on evidence were chosen on the first 4,000 messages of 88milSMS, each sender held out
(docs/anonymise.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from triage.dictionaries import Kind, Label, LabelledWord, Lexicon
from triage.dictionaries.addresses import KnownWords, addresses
from triage.dictionaries.kinds import Span

from ..settings import Ambiguous
from ..vocabulary import CERTAIN_FROM, Action, IdentifierType, Spans
from .long_numbers import long_number
from .precedence import Identifier, Rule, apart
from .word_types import type_behind

if TYPE_CHECKING:
    from .pipeline import ScoredMessages

# From here to CERTAIN_FROM, words that the dictionary alone says are in doubt, and so is the
# strongest word of a message that is TA for nothing else. No higher bound makes them right more
# often than not: of 45 such words in the first messages 9 are identifiers, and 5 of the 18 from
# 0.25 on; in messages that people call TA, 9 of 13.
_IN_DOUBT_FROM = 0.05
_CARRIES_FROM = 0.2
# Between the parts of a name.
_JOINTS = (" ", "-")
_WEIGHED = {Rule.EVIDENCE, Rule.DICTIONARY, Rule.CARRIED}
_DECIMALS = 4


@dataclass(frozen=True)
class Judged:
    """A decision on a message, EXPERT where nobody has decided yet, and what people marked."""

    action: Action
    by_people: bool = False
    spans: Spans = ()


@dataclass(frozen=True)
class Found:
    """The identifiers of a message in order, none overlapping; the number of words in doubt."""

    identifiers: list[Identifier]
    ambiguous: int = 0
    kept: list[Identifier] = field(default_factory=list)
    is_asked: bool = False


class ScoredIdentifier(NamedTuple):
    """An identifier with its score: 1 by a form, an address or a list, else its evidence."""

    start: int
    end: int
    type: IdentifierType
    score: float
    rule: Rule


class _Word(NamedTuple):
    start: int
    end: int
    labelled: LabelledWord
    evidence: float


def find(scored: "ScoredMessages", judged: Sequence[Judged], ambiguous: Ambiguous) -> list[Found]:
    """Return the identifiers of some messages."""
    words, labelled = _candidates(scored), scored.labelled
    known = KnownWords.of(labelled.lexicon)
    found = []
    for message, one in enumerate(judged):
        if one.by_people and one.action is Action.NTA:
            found.append(Found([]))
        elif one.by_people and one.action is Action.TA and one.spans:
            found.append(Found([Identifier(*span, Rule.EXPERT) for span in sorted(one.spans)]))
        else:
            text, here = labelled.messages[message], words.get(message, [])
            homes = addresses(text, known)
            # Most messages hold neither.
            finder = _Finder(text, here, homes, labelled.lexicon) if here or homes else None
            found.append(finder.found(one, ambiguous) if finder else Found([]))
    return found


def scored_identifiers(
    scored: "ScoredMessages", judged: Sequence[Judged]
) -> list[list[ScoredIdentifier]]:
    """Return the identifiers of some messages, words in doubt among them, with their scores."""
    words = _candidates(scored)
    found = find(scored, judged, Ambiguous.MASK)
    return [
        [_scored(one, words.get(message, [])) for one in of_message.identifiers]
        for message, of_message in enumerate(found)
    ]


def _scored(one: Identifier, words: list[_Word]) -> ScoredIdentifier:
    rule, score = Rule(one.rule), 1.0
    if rule in _WEIGHED:
        here = (word.evidence for word in words if word.start < one.end and one.start < word.end)
        score = round(max(here), _DECIMALS)
    return ScoredIdentifier(one.start, one.end, one.type, score, rule)


def _candidates(scored: "ScoredMessages") -> dict[int, list[_Word]]:
    """Return the words that may identify somebody, by their message."""
    table, labels = scored.labelled.words, scored.labelled.labels
    found: dict[int, list[_Word]] = {}
    columns = (table.message, table.start, table.form)
    words = zip(*(column.tolist() for column in columns), scored.evidence, strict=True)
    for message, start, form, p in words:
        word = labels[form]
        # Where words are not weighed, what the dictionaries are sure of is all that is known.
        weight = float(word.label is Label.DICTIONARY) if p is None else p
        if weight >= _IN_DOUBT_FROM or _is_pattern(word):
            found.setdefault(message, []).append(_Word(start, start + len(word.text), word, weight))
    return found


def _is_pattern(word: LabelledWord) -> bool:
    return word.kind.is_identifier or long_number(word) is not None


class _Finder:
    """Finds the identifiers of one message."""

    def __init__(self, text: str, words: list[_Word], homes: list[Span], lexicon: Lexicon) -> None:
        self._text = text
        # The pattern of addresses is coarser than what has found these.
        self._words = [w for w in words if not (homes and w.labelled.kind is Kind.ADR)]
        self._homes = homes
        self._lexicon = lexicon

    def found(self, judged: Judged, ambiguous: Ambiguous) -> Found:
        found = self._apart(judged.action)
        if judged.action is Action.NTA:
            return Found(found)
        in_doubt = {Rule.DICTIONARY}
        if not found:
            found = self._carried()
            in_doubt = {Rule.CARRIED}
        if judged.by_people and judged.action is Action.TA:
            return Found(found)
        certain = [one for one in found if one.rule not in in_doubt]
        kept = certain if ambiguous is Ambiguous.KEEP else found
        return Found(kept, len(found) - len(certain))

    def _apart(self, action: Action) -> list[Identifier]:
        """Return what is found by all rules but the last, none overlapping."""
        found = [Identifier(h.start, h.end, IdentifierType.ADR, Rule.ADDRESS) for h in self._homes]
        rules = [self._rule(word, action) for word in self._words]
        if action is not Action.NTA:
            rules = self._with_parts(rules)
        rules_of = zip(self._words, rules, strict=True)
        found += (self._identifier(word, rule) for word, rule in rules_of if rule)
        return apart(found, self._text)

    def _with_parts(self, rules: list[Rule | None]) -> list[Rule | None]:
        """Return the rules, with ambiguous words beside a certain name in doubt: *Wei Ting*."""
        with_parts = [*rules]
        for (i, word), (j, next_) in pairwise(enumerate(self._words)):
            if self._text[word.end : next_.start] not in _JOINTS:
                continue
            for part, name in ((i, j), (j, i)):
                is_ambiguous = self._words[part].labelled.label is Label.AMBIGUOUS
                if is_ambiguous and rules[part] is None and rules[name] is Rule.EVIDENCE:
                    with_parts[part] = Rule.DICTIONARY
        return with_parts

    def _rule(self, word: _Word, action: Action) -> Rule | None:
        """Return the rule by which a word is found, or is in doubt."""
        if _is_pattern(word.labelled):
            return Rule.PATTERN
        is_certain = word.evidence >= CERTAIN_FROM
        is_name = word.labelled.label is Label.DICTIONARY
        if not is_certain and (action is Action.NTA or not is_name):
            return None
        if is_name and word.labelled.lists & self._lexicon.yours:
            return Rule.LIST
        return Rule.EVIDENCE if is_certain else Rule.DICTIONARY

    def _carried(self) -> list[Identifier]:
        """Return the strongest words, which may have carried the decision."""
        strongest = max((word.evidence for word in self._words), default=0.0)
        carried = [word for word in self._words if word.evidence == strongest >= _CARRIES_FROM]
        return [self._identifier(word, Rule.CARRIED) for word in carried]

    def _identifier(self, word: _Word, rule: Rule) -> Identifier:
        labelled, before = word.labelled, self._text[: word.start]
        found = long_number(labelled) or type_behind(before, labelled, self._lexicon)
        return Identifier(word.start, word.end, found, rule)
