"""The spellings of a queue's messages that may be identifiers, a row for each."""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from ..mining.candidates import BOUND, Candidate, Round
from ..mining.concordance import Line, concordance
from ..mining.queued import MinedQueue, rules_of
from ..mining.session import BATCH
from ..queue import Queue
from .languages import Translator

_ROWS = 30
_LINES = 5


@dataclass(frozen=True)
class SpellingRow:
    """A spelling as the page shows it.

    Parameters
    ----------
    about : list of str
        Its likelihood, counts and reasons.
    lines : list of (int, Line)
        The item of each place and its context, the first few.
    more : int
        How many other places there are.
    """

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
    """The candidates of a queue, weighed anew after some decisions of anybody.

    The messages are read when the page is first asked for.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._mined: MinedQueue | None = None
        self._last: _Weighed | None = None

    def rows(self, put_off: Set[str], t: Translator) -> list[SpellingRow]:
        """Return the likeliest spellings that have no rule yet.

        Parameters
        ----------
        put_off : set of str
            Keys of those that come once no other is left.
        """
        mined = self._mined = self._mined or MinedQueue(self._queue)
        rules = frozenset(rules_of(self._queue))
        found = self._round(mined, rules, BATCH).candidates(BOUND, rules | put_off, _ROWS)
        if not found:
            current = self._round(mined, rules, 1)
            found = current.candidates(BOUND, rules | put_off, _ROWS)
            found = found or current.candidates(BOUND, rules, _ROWS)
        return [_row(mined, one, t) for one in found]

    def _round(self, mined: MinedQueue, rules: Set[str], most: int) -> Round:
        """Return the last round unless a rule was undone or `most` decisions were made since."""
        newest = next((done.number for done in self._queue.history(limit=1)), 0)
        last = self._last
        if last is None or newest - last.decision >= most or not last.rules <= rules:
            last = self._last = _Weighed(mined.round(), rules, newest)
        return last.round


def _row(mined: MinedQueue, candidate: Candidate, t: Translator) -> SpellingRow:
    lines = concordance(mined.corpus, candidate.words[:_LINES])
    return SpellingRow(
        candidate,
        list(_about(candidate, t)),
        [(mined.items[line.row - 1], line) for line in lines],
        candidate.stands - len(lines),
    )


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
