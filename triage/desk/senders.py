"""The senders in whose messages a name stands, so that a person can tell homonyms apart."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ..queue import Queue
from .project import Project

# Places shown of each sender, and characters on either side.
_PLACES, _WIDTH = 3, 40


@dataclass(frozen=True)
class Place:
    """A place of a spelling, with the words on its left and on its right."""

    left: str
    spelling: str
    right: str


@dataclass
class Use:
    """How a sender uses the spellings of a name."""

    sender: str
    counts: Counter[str] = field(default_factory=Counter)
    places: list[Place] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of times that the name stands there."""
        return self.counts.total()


def uses(project: Project, spellings: Collection[str]) -> list[Use]:
    """Return the use of a name by each known sender, the most frequent first."""
    found: dict[str, Use] = {}
    with Queue.open(project.queue) as queue:
        people = queue.resolved()
        for item, sender, text in queue.texts():
            marked = [(s.start, s.end) for s in people[item].spans] if item in people else []
            for start, end in _places(text, spellings, marked) if sender else ():
                use = found.setdefault(sender, Use(sender))
                use.counts[text[start:end]] += 1
                if len(use.places) < _PLACES:
                    use.places.append(_place(text, start, end))
    return sorted(found.values(), key=lambda use: (-use.count, use.sender))


def _places(
    text: str, spellings: Collection[str], marked: Collection[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield where spellings stand as whole words, or where people marked them in a word."""
    several = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    whole = {match.span() for match in re.finditer(rf"(?<!\w)(?:{several})(?!\w)", text)}
    yield from sorted(whole | {place for place in marked if text[slice(*place)] in spellings})


def _place(text: str, start: int, end: int) -> Place:
    left, right = text[max(0, start - _WIDTH) : start], text[end : end + _WIDTH]
    return Place(*(" ".join(part.splitlines()) for part in (left, text[start:end], right)))
