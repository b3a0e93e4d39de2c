"""The promise of the guarded policy: two thresholds on the score, by messages that were held out.

The leak and the precision of TA keep the exact binomial bounds of Clopper and Pearson (*The use of
confidence or fiducial limits*, Biometrika 26, 1934), that of the leak for fewer messages, since
those of one sender are alike. Names without capitals are found less surely, so that the bounds
depend on how the file writes names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.reports.measures import bound_of_none, most_successes

from ..errors import TriageError
from ..model.learnt import HeldOut

CONFIDENCE = 0.95
# Of messages as if they were written with fewer capitals, which only imitate such a corpus.
_CONFIDENCE_REWRITTEN = 0.99
# Messages of one sender are alike, and leak together: so many tell of the leak what one tells that
# was drawn by itself (the design effect of Kish, Survey Sampling, 1965; by sender 1.1 to 1.5).
_DESIGN_EFFECT = 1.5
_NEVER = 2.0
# Shares of messages add up to whole numbers but for rounding.
_ROUNDING = 1e-6

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Promise:
    """Two thresholds and what they promise."""

    low: float
    high: float
    asked: float
    leak: float
    n_ta: int
    min_precision: float = 0.95
    is_precise: bool = True
    workload: float = 0.0
    names_with_capitals: float | None = None

    @property
    def is_kept(self) -> bool:
        """Return whether the leak that was asked for can be promised."""
        return self.leak <= self.asked


def promise(
    held_out: HeldOut,
    max_leak: float,
    min_precision: float,
    names_with_capitals: float | None = None,
) -> Promise:
    """Choose the thresholds of least workload that keep leak and precision within their bounds."""
    n_ta = int(held_out.is_ta.sum())
    if not n_ta:
        raise TriageError(
            "the model has no held-out messages to promise anything on: it was learnt from too "
            "few; train it on more, or use --policy agreement"
        )
    ways = shares_of_ways(held_out.names_with_capitals, names_with_capitals)
    ranked = _Ranked.of(held_out, ways)
    high, is_precise = _precise_from(ranked, min_precision)
    # What is TA precisely enough is not released for being allowed to leak.
    low = min(high, _released_below(ranked, _allowed(ways, n_ta, max_leak)))
    between = ranked.share[(ranked.score >= low) & (ranked.score < high)]
    return Promise(
        low,
        high,
        max_leak,
        max(max_leak, bound_of_none(_drawn(n_ta), _confidence(ways))),
        n_ta,
        min_precision,
        is_precise,
        float(between.sum() / ranked.share.sum()),
        names_with_capitals,
    )


def shares_of_ways(names_with_capitals: Sequence[float], here: float | None) -> _Floats:
    """Return how much each way of writing counts: those two between which a file lies."""
    shares = np.zeros(len(names_with_capitals))
    if here is None:
        shares[0] = 1
        return shares
    order = np.argsort(names_with_capitals, kind="stable")
    position = float(np.interp(here, np.sort(names_with_capitals), np.arange(len(order))))
    before = int(position)
    shares[order[before]] = 1 - (position - before)
    if position > before:
        shares[order[before + 1]] = position - before
    return shares


def _confidence(ways: _Floats) -> float:
    return _CONFIDENCE_REWRITTEN if ways[1:].any() else CONFIDENCE


def _allowed(ways: _Floats, n_ta: int, max_leak: float) -> float:
    """Return how many TA messages may be released: of each way what its bound allows."""
    confidences = [CONFIDENCE] + [_CONFIDENCE_REWRITTEN] * (len(ways) - 1)
    allowed = [most_successes(_drawn(n_ta), max_leak, level) for level in confidences]
    return float(sum(ways * allowed)) * _DESIGN_EFFECT


def _drawn(n: int) -> int:
    """Return how many messages that are drawn one by one tell as much as these."""
    return max(1, int(n / _DESIGN_EFFECT))


class _Ranked(NamedTuple):
    """Held-out messages, the likeliest first; each counts by the share of its way of writing."""

    score: _Floats
    is_ta: NDArray[np.bool_]
    share: _Floats

    @classmethod
    def of(cls, held_out: HeldOut, ways: _Floats) -> "_Ranked":
        used = np.flatnonzero(ways)
        scores = (held_out.score, *held_out.rewritten)
        score = np.concatenate([scores[way] for way in used])
        order = np.argsort(-score, kind="stable")
        is_ta = np.tile(held_out.is_ta, len(used))[order]
        share = np.repeat(ways[used], len(held_out.is_ta))[order]
        return cls(score[order], is_ta, share)


def _released_below(ranked: _Ranked, allowed: float) -> float:
    """Return the highest score below which no more TA messages lie than are allowed."""
    score, share = ranked.score[ranked.is_ta][::-1], ranked.share[ranked.is_ta][::-1]
    at = int(np.searchsorted(np.cumsum(share), allowed + _ROUNDING, side="right"))
    return float(score[min(at, len(score) - 1)])


def _precise_from(ranked: _Ranked, min_precision: float) -> tuple[float, bool]:
    """Return the lowest score from which on messages are TA often enough, and if surely so."""
    n = np.cumsum(ranked.share)
    wrong = np.cumsum(ranked.share * ~ranked.is_ta)
    # Messages of one score stand or fall together.
    is_last = np.append(ranked.score[1:] != ranked.score[:-1], True)[: len(n)]
    enough = np.flatnonzero(is_last & (wrong <= (1 - min_precision) * n + _ROUNDING))
    for at in enough[::-1].tolist():
        if _is_sure(n[at], wrong[at], 1 - min_precision):
            return float(ranked.score[at]), True
    return (float(ranked.score[enough[-1]]) if len(enough) else _NEVER), False


def _is_sure(n: float, wrong: float, bound: float) -> bool:
    """Tell whether so few wrong ones put their share under a bound."""
    trials = int(n + _ROUNDING)
    return (
        trials > 0
        and bound_of_none(trials, CONFIDENCE) <= bound
        and wrong <= most_successes(trials, bound, CONFIDENCE) + _ROUNDING
    )


def promise_lines(promised: Promise) -> list[str]:
    """Say a promise in words, for people: first leak, precision and workload."""
    lines = [
        f"Leak at most {promised.leak:.2%}, precision of TA at least {promised.min_precision:.1%}, "
        f"workload some {promised.workload:.1%}."
    ]
    if not promised.is_kept:
        lines.append(
            f"A leak of {promised.asked:.2%} cannot be promised on {promised.n_ta:,} held-out TA "
            "messages: label more, or accept what can be."
        )
    if not promised.is_precise:
        lines.append(
            f"A precision of {promised.min_precision:.1%} cannot be promised: it is that of the "
            "held-out messages."
            if promised.high <= 1
            else f"No score gives a precision of {promised.min_precision:.1%}: TA never."
        )
    return [
        *lines,
        f"The bounds hold with {CONFIDENCE:.0%} confidence for messages like those that the model "
        f"was learnt from, of which {promised.n_ta:,} TA messages were held out. "
        + _of_capitals(promised.names_with_capitals),
        f"NTA below a score of {promised.low:.4f}, "
        + (f"TA from {promised.high:.4f}." if promised.high <= 1 else "TA never."),
    ]


def _of_capitals(names_with_capitals: float | None) -> str:
    if names_with_capitals is None:
        return "Where names are written with fewer capitals than there, more leak."
    return (
        f"Here {names_with_capitals:.0%} of the first names inside sentences have a capital; the "
        "bounds are those of messages written so."
    )
