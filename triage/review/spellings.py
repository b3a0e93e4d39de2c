"""The spellings of a queue's messages that may be identifiers, a row for each."""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from ..mining.candidates import BOUND, Candidate, Round
from ..mining.concordance import Line, concordance
from ..mining.corpus import Corpus
from ..mining.queued import round_of, rules_of
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
class _Mined:
    corpus: Corpus
    items: list[int]
    round: Round
    rules: Set[str]
    decision: int


class Spellings:
    """The candidates of a queue, weighed anew after some decisions of anybody.

    Weighing reads the whole corpus, so that it is not repeated for each answer.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._mined: _Mined | None = None

    def rows(self, put_off: Set[str], t: Translator) -> list[SpellingRow]:
        """Return the likeliest spellings that have no rule yet.

        Parameters
        ----------
        put_off : set of str
            Keys of those that come once no other is left.
        """
        rules = rules_of(self._queue).keys()
        mined = self._current(rules)
        found = mined.round.candidates(BOUND, rules | put_off, _ROWS)
        if not found:
            mined = self._current(rules, most=1)
            found = mined.round.candidates(BOUND, rules | put_off, _ROWS)
        found = found or mined.round.candidates(BOUND, rules, _ROWS)
        return [_row(mined, one, t) for one in found]

    def _current(self, rules: Set[str], most: int = BATCH) -> _Mined:
        """Return what was mined before fewer than `most` decisions, and before none was undone."""
        newest = next((done.number for done in self._queue.history(limit=1)), 0)
        mined = self._mined
        if mined is None or newest - mined.decision >= most or not mined.rules <= rules:
            corpus, round_ = round_of(self._queue)
            items = [item for item, _, _ in self._queue.texts()]
            mined = self._mined = _Mined(corpus, items, round_, frozenset(rules), newest)
        return mined


def _row(mined: _Mined, candidate: Candidate, t: Translator) -> SpellingRow:
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
