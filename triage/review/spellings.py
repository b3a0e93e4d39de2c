"""The spellings of a queue's messages that may be identifiers, a row for each."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from ..mining.candidates import BOUND, Candidate, Round
from ..mining.corpus import Line
from ..mining.session import BATCH, MinedQueue, rules_of
from ..queue import Queue
from .first_look import ROWS, FirstLook, Look, last_decision, looks
from .languages import Translator


@dataclass(frozen=True)
class SpellingRow:
    """A spelling as the page shows it."""

    candidate: Candidate
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

    def rows(self, put_off: Set[str], t: Translator) -> list[SpellingRow]:
        """Return the likeliest spellings that have no rule yet."""
        if found := self._first(put_off):
            return [_row(one, t) for one in found]
        mined = self._mined = self._mined or MinedQueue(self._queue)
        rules = frozenset(rules_of(self._queue))
        likeliest = self._round(mined, rules, BATCH).candidates(BOUND, rules | put_off, ROWS)
        if not likeliest:
            current = self._round(mined, rules, 1)
            likeliest = current.candidates(BOUND, rules | put_off, ROWS)
            likeliest = likeliest or current.candidates(BOUND, rules, ROWS)
        return [_row(one, t) for one in looks(mined, likeliest)]

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


def _row(look: Look, t: Translator) -> SpellingRow:
    about, lines = list(_about(look.candidate, t)), list(look.lines)
    return SpellingRow(look.candidate, about, lines, look.candidate.stands - len(lines))


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
