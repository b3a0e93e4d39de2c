"""The spellings of a queue's messages that may be identifiers, asked one after the other."""

from collections.abc import Callable, Set
from typing import Any

from triage.dictionaries.phrases import phrase_key

from ..anonymise.grading import Clue
from ..mining import BATCH, BOUND, Candidate, MinedQueue, Round, line_of, lines_of, rules_of
from ..queue import Filters, Queue
from ..queue.records import InDoubt
from .project import Project

LINES = 12
# The likeliest, until they are weighed anew.
_MAX_CANDIDATES = 120
# So many texts are weighed at once, and so after each decision.
_QUICK = 5_000

# The ends of the keys of their texts.
GRADES: dict[str, str] = {
    one.value: "EDIT" if one.name.endswith(("EDIT", "EDITS")) else one.name for one in Clue
}
# A spelling that may be an identifier, as a page asks of it, with its first places.
Look = dict[str, Any]


def key_of(spelling: str) -> str:
    """Return the key that all ways of writing a spelling have in common."""
    return " ".join(phrase_key(spelling))


def likeliest(queue: Queue) -> dict[str, Any]:
    """Return the likeliest spellings of a queue that have no rule yet, to be kept."""
    votes, decision, rules = queue.votes(), queue.last_decision(), frozenset(rules_of(queue))
    mined = MinedQueue(queue)
    looks = [_look(mined, one) for one in mined.round().candidates(BOUND, rules, _MAX_CANDIDATES)]
    return {"votes": [*votes], "decision": decision, "rules": sorted(rules), "looks": looks}


def keep_likeliest(project: Project) -> None:
    with Queue.open(project.queue) as queue:
        project.cached("spellings", project.queue).write(likeliest(queue))


def _look(mined: MinedQueue, one: Candidate) -> Look:
    lines = lines_of(mined.corpus, one.words[:LINES])
    return vars(one) | {
        "key": one.key,
        "reasons": [GRADES[reason.value] for reason in one.reasons],
        # Of the places, the first ones are enough.
        "words": (),
        "lines": [(mined.items[line.row - 1], line._asdict()) for line in lines],
    }


class Spellings:
    """The spellings of a queue, weighed anew after some decisions of anybody."""

    def __init__(self, queue: Queue, kept: Callable[[], Any] = lambda: None) -> None:
        self._queue, self._kept = queue, kept
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
        in_doubt = self._queue.in_doubt(annotator)
        self.n_settling, self.n_settled = len(in_doubt), sum(one.n_settled for one in in_doubt)
        return in_doubt

    def next(self, annotator: str, put_off: Set[str]) -> Look | None:
        """Return a spelling without a rule: what settles most open items, then the likeliest."""
        queue, settling = self._queue, {key_of(s.spelling): s for s in self.settling(annotator)}
        if doubtful := next((one for key, one in settling.items() if key not in put_off), None):
            places = queue.places(annotator, doubtful.spelling, LINES)
            lines = [(item, line_of(text, item, start, end)) for item, start, end, text in places]
            stands = queue.count(annotator, Filters(word=doubtful.spelling))
            return doubtful._asdict() | {"stands": stands, "lines": lines}
        put_off, rules = {*put_off, *settling}, frozenset(rules_of(queue))
        newest, votes = queue.last_decision(), [*queue.votes()]
        lag = BATCH if votes[0] > _QUICK else 1
        # What was kept holds until the messages are read, or for so many decisions.
        first: dict[str, Any] = (self._kept() if self._mined is None else None) or {"looks": ()}
        is_kept = bool(first["looks"]) and first["votes"] == votes
        if is_kept and 0 <= newest - first["decision"] < lag and {*first["rules"]} <= rules:
            looks = (one for one in first["looks"] if one["key"] not in rules | put_off)
            if look := next(looks, None):
                return look  # type: ignore[no-any-return]
        mined = self._mined = self._mined or MinedQueue(queue)
        for most in (lag, 1):
            # They are weighed anew once a rule was undone, or so many decisions were made.
            if not self._last or newest - self._last[2] >= most or not self._last[1] <= rules:
                self._last = mined.round(), rules, newest
            likeliest = self._last[0].candidates(BOUND, rules | put_off, 1)
            if likeliest:
                return _look(mined, likeliest[0])
        return None
