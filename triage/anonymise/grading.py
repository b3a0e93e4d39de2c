"""How sure it is that a finding was left, by what it has in common with what was replaced.

The bounds were chosen on the first 4,000 messages of 88milSMS, anonymised by models learnt from
other senders, with leaks planted (`tests/benchmarks/leaks.py`).
"""

from enum import StrEnum

from ..vocabulary import CERTAIN_FROM
from .search import Seen
from .traces import Trace


class Certainty(StrEnum):
    """Degrees of certainty that something was left."""

    UNDECIDED = "undecided"
    ADDED = "added"
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"
    PLANNED = "planned"


# Bounds on the evidence where a word stands, and on the share of its occurrences replaced.
_STRONG, _SOME, _WEAK, _NONE = 0.5, 0.2, 0.05, 0.01
_MOSTLY, _OFTEN, _SELDOM = 0.6, 0.4, 0.1
_SHORT_NAME = 5
_TWICE, _FREQUENT = 2, 3


def grade(seen: Seen, replaced: int, standing: int) -> Certainty:
    """Grade a finding."""
    # What was replaced once may have been a mistake: one is added to what stands.
    share = replaced / (replaced + standing + 1)
    p = seen.evidence
    match seen.match.trace:
        case Trace.SAME:
            return _of_common(share, p) if seen.is_common else _of_same(share, p)
        case Trace.VARIANT | Trace.GLUED | Trace.MISSPELT | Trace.ALIKE:
            return _of_like(seen, p, replaced, standing)
        case Trace.HANDLE:
            is_long = len(seen.match.spelling) >= _SHORT_NAME
            return Certainty.CERTAIN if is_long else Certainty.LIKELY
        case Trace.ADDRESS:
            is_certain = seen.is_in_place and not seen.is_common
            return Certainty.CERTAIN if is_certain else Certainty.LIKELY
        case Trace.FORM | Trace.NUMBER:
            return Certainty.CERTAIN
        case Trace.INITIALS | Trace.EVIDENCE:
            return Certainty.LIKELY
        case Trace.NAME:
            return Certainty.POSSIBLE


def _of_same(share: float, p: float | None) -> Certainty:
    if p is None:
        return Certainty.CERTAIN
    if (p >= _SOME and share >= _SELDOM) or (p >= _WEAK and share >= _MOSTLY):
        return Certainty.CERTAIN
    return Certainty.LIKELY if p >= _WEAK or share >= _OFTEN else Certainty.POSSIBLE


def _of_common(share: float, p: float | None) -> Certainty:
    p = p or 0.0
    if p >= _STRONG and share >= _SELDOM:
        return Certainty.CERTAIN
    is_likely = p >= _SOME or (p >= _NONE and share >= _OFTEN)
    return Certainty.LIKELY if is_likely else Certainty.POSSIBLE


def _of_like(seen: Seen, p: float | None, replaced: int, standing: int) -> Certainty:
    """Grade a spelling that is like one that was replaced."""
    if p is None:
        return Certainty.POSSIBLE if seen.is_common else Certainty.LIKELY
    # Short words are one letter from some name; those of a frequent name are rather meant.
    is_short = len(seen.text) < _SHORT_NAME
    is_doubtful = seen.is_common or replaced < (_FREQUENT if is_short else _TWICE)
    certain = _STRONG if seen.is_common else CERTAIN_FROM
    # A slip is rarer than the name.
    if standing > replaced and p < _SOME:
        return Certainty.POSSIBLE
    match seen.match.trace:
        case Trace.ALIKE:
            certain, likely = _STRONG, _SOME
        case Trace.MISSPELT:
            likely = _WEAK if is_doubtful else _NONE
        case _:
            likely = _NONE if seen.is_common else 0.0
    if p >= certain:
        return Certainty.CERTAIN
    return Certainty.LIKELY if p >= likely else Certainty.POSSIBLE
