"""Agreement of found spans with annotated ones: recall, precision, F, slot error rate.

A span is ``(start, end, type)``, in characters, the end behind the last one. A type of parts
joined by ``_`` is one that the annotators left open: each of its parts is right. Spans of one
message do not overlap one another.

Spans are matched in three ways:

- *exact*: same ends and type, one found span for one annotated span.
- *overlapping*: an annotated span is found if any found span of its type has a character in common
  with it; a found span is right if it has one in common with any annotated span of its type. An
  address found in three pieces is found, and all three are right.
- *covered*: every character of an annotated span lies in found spans of its type, since one that
  is masked in part may still identify someone.

The slot error rate counts the errors of the cheapest one-to-one pairing of spans that overlap.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike

from triage.reports.measures import Interval, bootstrap_sums

Triple = tuple[int, int, str]
_Pair = tuple[Triple | None, Triple | None]

_HALF, _WHOLE = 0.5, 1.0


@dataclass(frozen=True)
class Scores:
    """Precision and recall, nan where there is nothing to divide by, and their F measures."""

    precision: float
    recall: float

    def _f(self, beta: float) -> float:
        both = beta**2 * self.precision + self.recall
        return (1 + beta**2) * self.precision * self.recall / both if both else 0.0

    @property
    def f1(self) -> float:
        """Precision and recall weighed alike."""
        return self._f(1)

    @property
    def f2(self) -> float:
        """Recall weighed more, as a miss is worse than a false alarm (Lecointe 2018, 2.3.1)."""
        return self._f(2)


@dataclass(frozen=True)
class SpanCounts:
    gold: int = 0
    found: int = 0
    exact: int = 0
    gold_met: int = 0
    gold_covered: int = 0
    found_met: int = 0
    deleted: int = 0
    inserted: int = 0
    wrong_type: int = 0
    wrong_ends: int = 0
    wrong_both: int = 0

    def __add__(self, other: "SpanCounts") -> "SpanCounts":
        return SpanCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def exactly(self) -> Scores:
        """Scores where ends and type must be right."""
        return Scores(_share(self.exact, self.found), _share(self.exact, self.gold))

    @property
    def overlapping(self) -> Scores:
        """Scores where one character in common is enough."""
        return Scores(_share(self.found_met, self.found), _share(self.gold_met, self.gold))

    @property
    def coverage(self) -> float:
        """The share of gold spans that found spans of their type cover from end to end."""
        return _share(self.gold_covered, self.gold)

    @property
    def slot_error_rate(self) -> float:
        """Errors over gold spans: 0 is best, above 1 it is worse than finding nothing."""
        whole = self.deleted + self.inserted + self.wrong_both
        return _share(whole + _HALF * (self.wrong_type + self.wrong_ends), self.gold)


def _share(part: float, whole: int) -> float:
    return part / whole if whole else math.nan


def measure(gold: Sequence[Sequence[Triple]], found: Sequence[Sequence[Triple]]) -> SpanCounts:
    """Count the spans of messages as if all types were one."""
    return sum(_untyped_counts(gold, found), SpanCounts())


def measure_by_type(
    gold: Sequence[Sequence[Triple]], found: Sequence[Sequence[Triple]]
) -> dict[str, SpanCounts]:
    by_type: defaultdict[str, SpanCounts] = defaultdict(SpanCounts)
    for gold_spans, found_spans in zip(gold, found, strict=True):
        for kind, counts in count_by_type(gold_spans, found_spans).items():
            by_type[kind] += counts
    return dict(sorted(by_type.items()))


def bootstrap(
    figure: Callable[[SpanCounts], float],
    gold: Sequence[Sequence[Triple]],
    found: Sequence[Sequence[Triple]],
    groups: ArrayLike,
    *,
    n: int = 1000,
    seed: int = 0,
) -> Interval:
    """Return the percentile bootstrap interval, by group, of a figure that minds no types."""
    rows = np.array([astuple(one) for one in _untyped_counts(gold, found)], dtype=np.int64)
    return bootstrap_sums(
        lambda sums: figure(SpanCounts(*sums.astype(int).tolist())), groups, rows, n, seed
    )


def _untyped_counts(
    gold: Sequence[Sequence[Triple]], found: Sequence[Sequence[Triple]]
) -> list[SpanCounts]:
    def untyped(spans: Sequence[Triple]) -> list[Triple]:
        return [(start, end, "") for start, end, _ in spans]

    pairs = zip(map(untyped, gold), map(untyped, found), strict=True)
    return [sum(count_by_type(*pair).values(), SpanCounts()) for pair in pairs]


def count_by_type(gold: Iterable[Triple], found: Iterable[Triple]) -> dict[str, SpanCounts]:
    gold, found = sorted(gold), sorted(found)
    tally: defaultdict[str, SpanCounts] = defaultdict(SpanCounts)
    for span in gold:
        matches, reached = _matches(span, found), span[0]
        for start, end, _ in matches:
            reached = max(reached, end) if start <= reached else reached
        covered = reached >= span[1]
        counts = SpanCounts(gold=1, gold_met=bool(matches), gold_covered=covered)
        tally[_counted_type(span, matches)] += counts
    for span in found:
        matches = _matches(span, gold)
        tally[_counted_type(span, matches)] += SpanCounts(found=1, found_met=bool(matches))
    for gold_span, found_span in _pairs(gold, found):
        counts = SpanCounts(deleted=found_span is None, inserted=gold_span is None)
        if gold_span and found_span:
            right_type = _share_type(gold_span, found_span)
            right_ends = gold_span[:2] == found_span[:2]
            counts = SpanCounts(
                exact=right_type and right_ends,
                wrong_type=right_ends and not right_type,
                wrong_ends=right_type and not right_ends,
                wrong_both=not (right_type or right_ends),
            )
        if either := gold_span or found_span:
            tally[_counted_type(either, _matches(either, found) if gold_span else [])] += counts
    return dict(tally)


def _counted_type(span: Triple, matches: Sequence[Triple]) -> str:
    """Return the type that a span counts for: the one shared with its first match, if any."""
    parts = _parts(span)
    common = [part for other in matches[:1] for part in parts if part in _parts(other)]
    return (common or parts)[0]


def _matches(span: Triple, others: Sequence[Triple]) -> list[Triple]:
    return [other for other in others if _share_type(span, other) and _overlap(span, other)]


def _parts(span: Triple) -> list[str]:
    return span[2].split("_")


def _share_type(first: Triple, second: Triple) -> bool:
    return first[2] == second[2] or not set(_parts(first)).isdisjoint(_parts(second))


def _overlap(first: Triple, second: Triple) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def _pairs(gold: Sequence[Triple], found: Sequence[Triple]) -> list[_Pair]:
    """Pair spans in order, one to one, so that the slot error rate is lowest."""
    best = [[float(j) for j in range(len(found) + 1)]]
    for i, gold_span in enumerate(gold):
        row = [i + _WHOLE]
        for j, found_span in enumerate(found):
            unpaired = min(best[i][j + 1], row[j]) + _WHOLE
            row.append(min(unpaired, best[i][j] + _pair_cost(gold_span, found_span)))
        best.append(row)
    pairs: list[_Pair] = []
    i, j = len(gold), len(found)
    while i or j:
        if i and j and best[i][j] == best[i - 1][j - 1] + _pair_cost(gold[i - 1], found[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((gold[i], found[j]))
        elif i and best[i][j] == best[i - 1][j] + _WHOLE:
            i -= 1
            pairs.append((gold[i], None))
        else:
            j -= 1
            pairs.append((None, found[j]))
    return pairs[::-1]


def _pair_cost(gold: Triple, found: Triple) -> float:
    wrong_type, wrong_ends = not _share_type(gold, found), gold[:2] != found[:2]
    return _HALF * (wrong_type + wrong_ends) if _overlap(gold, found) else math.inf
