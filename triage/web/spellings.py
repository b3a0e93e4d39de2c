"""The spellings of a queue's messages that may be identifiers, asked one after the other."""

from collections.abc import Callable, Iterator, Set
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from triage.dictionaries.phrases import phrase_key

from ..anonymise.grading import (
    BOUND,
    Candidate,
    Line,
    Reason,
    Round,
    concordance,
    line_of,
)
from ..mining.session import BATCH, MinedQueue, rules_of
from ..queue import Filters, Queue
from ..queue.records import InDoubt
from ..vocabulary import IdentifierType
from .forms import Translator

_LINES = 12
# The likeliest, until they are weighed anew.
_MOST = 120


@dataclass(frozen=True)
class Look:
    """A spelling that may be an identifier, with the item and the context of its first places."""

    candidate: Candidate
    lines: tuple[tuple[int, Line], ...]


@dataclass(frozen=True)
class FirstLook:
    """The likeliest spellings of a queue, until so many decisions that they are weighed anew."""

    votes: tuple[float, ...]
    decision: int
    rules: Set[str]
    looks: tuple[Look, ...]

    def of(self, queue: Queue, put_off: Set[str]) -> Look | None:
        """Return the one that a page shows now; None where they no longer hold."""
        rules = rules_of(queue).keys()
        made = queue.last_decision() - self.decision
        if not 0 <= made < BATCH or not self.rules <= rules or self.votes != queue.votes():
            return None
        return next((one for one in self.looks if one.candidate.key not in rules | put_off), None)

    def plain(self) -> dict[str, Any]:
        return asdict(self) | {"rules": sorted(self.rules)}

    @classmethod
    def parse(cls, kept: dict[str, Any]) -> "FirstLook":
        """Parse what `plain` returned; a ValueError, TypeError or KeyError says that it is none."""
        looks = tuple(_parsed(**one) for one in kept["looks"])
        return cls(tuple(kept["votes"]), kept["decision"], frozenset(kept["rules"]), looks)


def _parsed(candidate: dict[str, Any], lines: list[tuple[int, list[Any]]]) -> Look:
    parts = {
        "type": IdentifierType(candidate["type"]),
        "reasons": tuple(map(Reason, candidate["reasons"])),
        "words": (),
    }
    return Look(Candidate(**candidate | parts), tuple((item, Line(*line)) for item, line in lines))


def first_look(queue: Queue) -> FirstLook:
    """Return the likeliest spellings of a queue that have no rule yet."""
    votes, decision, rules = queue.votes(), queue.last_decision(), frozenset(rules_of(queue))
    mined = MinedQueue(queue)
    found = mined.round().candidates(BOUND, rules, _MOST)
    return FirstLook(votes, decision, rules, tuple(_look(mined, one) for one in found))


def _look(mined: MinedQueue, one: Candidate) -> Look:
    lines = concordance(mined.corpus, one.words[:_LINES])
    places = tuple((mined.items[line.row - 1], line) for line in lines)
    return Look(replace(one, words=()), places)


class Asked(NamedTuple):
    """A spelling as a page asks of it: what is known of it, and its places."""

    spelling: str
    type: IdentifierType
    about: list[str]
    lines: list[tuple[int, Line]]
    more: int


class Spellings:
    """The spellings of a queue, weighed anew after some decisions of anybody."""

    def __init__(self, queue: Queue, kept: Callable[[], FirstLook | None] | None = None) -> None:
        self._queue = queue
        self._kept = kept
        self._mined: MinedQueue | None = None
        # The rules that the last round knows, and the last decision before it.
        self._last: tuple[Round, Set[str], int] | None = None
        self.n_settling = self.n_settled = 0
        self._counted = (-1, -1)

    def count(self, annotator: str) -> int:
        """Return how many spellings settle open items, counted anew after some decisions."""
        state = len(self._queue.word_rules()), self._queue.last_decision() // BATCH
        if state != self._counted:
            self.settling(annotator)
            self._counted = state
        return self.n_settling

    def settling(self, annotator: str) -> list[InDoubt]:
        """Return the spellings that settle open items; keep how many they are, and settle."""
        found = self._queue.in_doubt(annotator)
        self.n_settling, self.n_settled = len(found), sum(one.n_settled for one in found)
        return found

    def next(self, annotator: str, put_off: Set[str], t: Translator) -> Asked | None:
        """Return a spelling without a rule: what settles most open items, then the likeliest.

        Those put off come once no other is left.
        """
        settling = {" ".join(phrase_key(one.spelling)): one for one in self.settling(annotator)}
        first = next((one for key, one in settling.items() if key not in put_off), None)
        found = first or self._likeliest({*put_off, *settling})
        found = found or next(iter(settling.values()), None) or self._likeliest(frozenset())
        if isinstance(found, InDoubt):
            return _settling(self._queue, annotator, found, t)
        return _likely(found, t) if found else None

    def _likeliest(self, put_off: Set[str]) -> Look | None:
        # What was kept holds until the messages are read.
        first = self._kept() if self._kept and self._mined is None else None
        if first and (look := first.of(self._queue, put_off)):
            return look
        mined = self._mined = self._mined or MinedQueue(self._queue)
        rules = frozenset(rules_of(self._queue))
        for most in (BATCH, 1):
            found = self._round(mined, rules, most).candidates(BOUND, rules | put_off, 1)
            if found:
                return _look(mined, found[0])
        return None

    def _round(self, mined: MinedQueue, rules: Set[str], most: int) -> Round:
        """Return the last round unless a rule was undone or `most` decisions were made since."""
        newest = self._queue.last_decision()
        if not self._last or newest - self._last[2] >= most or not self._last[1] <= rules:
            self._last = mined.round(), rules, newest
        return self._last[0]


def _settling(queue: Queue, annotator: str, one: InDoubt, t: Translator) -> Asked:
    places = queue.places(annotator, one.spelling, _LINES)
    lines = [(item, line_of(text, item, start, end)) for item, start, end, text in places]
    n_items = queue.count(annotator, Filters(word=one.spelling))
    about = [t.count("spellings.settles", one.n_settled), t.count("spellings.held", n_items)]
    return Asked(one.spelling, one.type, about, lines, n_items - len(lines))


def _likely(look: Look, t: Translator) -> Asked:
    one, lines = look.candidate, list(look.lines)
    return Asked(one.spelling, one.type, [*_about(one, t)], lines, one.stands - len(lines))


def _about(candidate: Candidate, t: Translator) -> Iterator[str]:
    yield t("word.evidence", n=t.decimal(candidate.likelihood))
    yield t.count("spellings.stands", candidate.stands)
    yield t.count("spellings.replaced", candidate.replaced)
    for reason in candidate.reasons:
        yield t(f"reason.{reason.name}")
    if candidate.akin:
        yield t("spellings.akin", word=candidate.akin)
    if candidate.context:
        yield t("spellings.context", words=candidate.context)
