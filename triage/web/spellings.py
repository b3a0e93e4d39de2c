"""The spellings of a queue's messages that may be identifiers, a row for each."""

from collections.abc import Callable, Iterator, Set
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..anonymise.grading import (
    BOUND,
    Candidate,
    Line,
    Reason,
    Round,
    concordance,
    key_of,
    line_of,
)
from ..mining.session import BATCH, MinedQueue, rules_of
from ..queue import Filters, Queue
from ..queue.records import InDoubt
from ..vocabulary import IdentifierType
from .forms import Translator

ROWS = 30
_LINES = 5
# What is answered or put off in between must leave a page full.
_MOST = 4 * ROWS


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

    def of(self, queue: Queue, put_off: Set[str]) -> list[Look]:
        """Return what a page shows of them now; nothing where they no longer hold."""
        rules = rules_of(queue).keys()
        made = last_decision(queue) - self.decision
        if not 0 <= made < BATCH or not self.rules <= rules or self.votes != queue.votes():
            return []
        left = [one for one in self.looks if one.candidate.key not in rules | put_off]
        return left[:ROWS] if len(left) >= ROWS or len(self.looks) < _MOST else []

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


def last_decision(queue: Queue) -> int:
    """Return the number of the last decision of anybody, 0 if there is none."""
    return next((done.number for done in queue.history(limit=1)), 0)


def first_look(queue: Queue) -> FirstLook:
    """Return the likeliest spellings of a queue that have no rule yet."""
    votes, decision, rules = queue.votes(), last_decision(queue), frozenset(rules_of(queue))
    mined = MinedQueue(queue)
    found = mined.round().candidates(BOUND, rules, _MOST)
    return FirstLook(votes, decision, rules, tuple(looks(mined, found)))


def looks(mined: MinedQueue, candidates: list[Candidate]) -> Iterator[Look]:
    for one in candidates:
        lines = concordance(mined.corpus, one.words[:_LINES])
        places = tuple((mined.items[line.row - 1], line) for line in lines)
        yield Look(replace(one, words=()), places)


@dataclass(frozen=True)
class SpellingRow:
    spelling: str
    type: IdentifierType
    about: list[str]
    lines: list[tuple[int, Line]]
    more: int


@dataclass(frozen=True)
class _Weighed:
    """A round, the rules that it knows, and the last decision before it."""

    round: Round
    rules: Set[str]
    decision: int


class Spellings:
    """The candidates of a queue, weighed anew after some decisions of anybody."""

    def __init__(self, queue: Queue, kept: Callable[[], FirstLook | None] | None = None) -> None:
        self._queue = queue
        self._kept = kept
        self._mined: MinedQueue | None = None
        self._last: _Weighed | None = None

    def rows(self, annotator: str, put_off: Set[str], t: Translator) -> list[SpellingRow]:
        """Return spellings without a rule: what settles most open items, then the likeliest."""
        every = {" ".join(key_of(one.spelling)): one for one in self._queue.in_doubt(annotator)}
        asked = [key for key in every if key not in put_off][:ROWS]
        likeliest = self._likeliest(put_off | {*asked}, again=not asked)
        asked = asked or ([] if likeliest else [*every][:ROWS])
        first = [_asked_row(self._queue, annotator, every[key], t) for key in asked]
        return first + [_row(one, t) for one in likeliest]

    def _likeliest(self, put_off: Set[str], *, again: bool) -> list[Look]:
        """Return the likeliest spellings; those put off where no other is left to ask `again`."""
        if found := self._first(put_off):
            return found
        mined = self._mined = self._mined or MinedQueue(self._queue)
        rules = frozenset(rules_of(self._queue))
        likeliest = self._round(mined, rules, BATCH).candidates(BOUND, rules | put_off, ROWS)
        if not likeliest:
            current = self._round(mined, rules, 1)
            likeliest = current.candidates(BOUND, rules | put_off, ROWS)
            if again and not likeliest:
                likeliest = current.candidates(BOUND, rules, ROWS)
        return list(looks(mined, likeliest))

    def _first(self, put_off: Set[str]) -> list[Look]:
        """Return what was kept, until the messages are read."""
        first = self._kept() if self._kept and self._mined is None else None
        return first.of(self._queue, put_off) if first else []

    def _round(self, mined: MinedQueue, rules: Set[str], most: int) -> Round:
        """Return the last round unless a rule was undone or `most` decisions were made since."""
        newest = last_decision(self._queue)
        last = self._last
        if last is None or newest - last.decision >= most or not last.rules <= rules:
            last = self._last = _Weighed(mined.round(), rules, newest)
        return last.round


def _asked_row(queue: Queue, annotator: str, one: InDoubt, t: Translator) -> SpellingRow:
    places = queue.places(annotator, one.spelling, _LINES)
    lines = [(item, line_of(text, item, start, end)) for item, start, end, text in places]
    n_items = queue.count(annotator, Filters(word=one.spelling))
    about = [t.count("spellings.settles", one.n_settled), t.count("spellings.held", n_items)]
    return SpellingRow(one.spelling, one.type, about, lines, n_items - len(lines))


def _row(look: Look, t: Translator) -> SpellingRow:
    one, lines = look.candidate, list(look.lines)
    about = list(_about(one, t))
    return SpellingRow(one.spelling, one.type, about, lines, one.stands - len(lines))


def _about(candidate: Candidate, t: Translator) -> Iterator[str]:
    yield t("spellings.likelihood", n=t.decimal(candidate.likelihood))
    yield t.count("spellings.stands", candidate.stands)
    yield t.count("spellings.replaced", candidate.replaced)
    for reason in candidate.reasons:
        yield t(f"reason.{reason.name}")
    if candidate.akin:
        yield t("spellings.akin", word=candidate.akin)
    if candidate.context:
        yield t("spellings.context", words=candidate.context)
