"""The spellings of a queue as the page first shows them, kept so that it reads no messages.

They hold until so many decisions were made that the spellings are weighed anew.
"""

from collections.abc import Iterator, Set
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..mining.candidates import BOUND, Candidate, Reason
from ..mining.corpus import Line, concordance
from ..mining.session import BATCH, MinedQueue, rules_of
from ..queue import Queue
from ..vocabulary import IdentifierType

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
    """The likeliest spellings of a queue."""

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
        """Return it as JSON keeps it."""
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
    """Yield candidates with their first places."""
    for one in candidates:
        lines = concordance(mined.corpus, one.words[:_LINES])
        places = tuple((mined.items[line.row - 1], line) for line in lines)
        yield Look(replace(one, words=()), places)
