"""Spans are counted as the definitions say, checked by hand and against all pairings."""

import math
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.reports.spans import SpanCounts, Triple, bootstrap, measure

CASES = cases_beside(__file__)

TYPES = ("PRE", "NOM", "ADR", "PRE_NOM")


@st.composite
def spans(draw: st.DrawFn) -> list[Triple]:
    """Spans of one message, which do not overlap one another."""
    ends = sorted(draw(st.sets(st.integers(0, 30), max_size=8)))
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    return [(start, end, draw(st.sampled_from(TYPES))) for start, end in pairs]


def alike(one: Triple, other: Triple) -> bool:
    return bool(set(one[2].split("_")) & set(other[2].split("_")))


def cheapest(gold: list[Triple], found: list[Triple]) -> float:
    """The errors of the best of all one-to-one pairings of spans that overlap."""
    best = math.inf
    for n in range(min(len(gold), len(found)) + 1):
        for some, others in ((a, b) for a in combinations(gold, n) for b in permutations(found, n)):
            pairs = list(zip(some, others, strict=True))
            if all(a[0] < b[1] and b[0] < a[1] for a, b in pairs):
                wrong = sum((not alike(a, b)) + (a[:2] != b[:2]) for a, b in pairs)
                best = min(best, len(gold) + len(found) - 2 * n + wrong / 2)
    return best


def errors(counts: SpanCounts) -> float:
    whole = counts.deleted + counts.inserted + counts.wrong_both
    return whole + (counts.wrong_type + counts.wrong_ends) / 2


@given(spans(), spans())
def test_the_pairing_is_the_cheapest(gold: list[Triple], found: list[Triple]) -> None:
    assert errors(measure([gold], [found]).all) == cheapest(gold, found)


@given(spans(), spans())
def test_counts_add_up(gold: list[Triple], found: list[Triple]) -> None:
    measures = measure([gold], [found])
    for counts in (measures.all, measures.untyped):
        paired = counts.exact + counts.wrong_type + counts.wrong_ends + counts.wrong_both
        assert counts.gold == len(gold) == paired + counts.deleted
        assert counts.found == len(found) == paired + counts.inserted
        assert counts.exact <= counts.gold_covered <= counts.gold_met <= counts.gold
        assert counts.exact <= counts.found_met <= counts.found
    for counts in measures.by_type.values():
        assert counts.exact <= counts.gold_met <= counts.gold
        assert counts.found_met <= counts.found
    assert measures.untyped.gold_met >= measures.all.gold_met
    assert measures.untyped.wrong_type == measures.untyped.wrong_both == 0


@pytest.mark.parametrize(("gold", "found", "rate"), CASES["slot_error_rate"])
def test_slot_error_rate(gold: list[Triple], found: list[Triple], rate: float) -> None:
    assert measure([gold], [found]).all.slot_error_rate == rate


def test_bootstrap_draws_groups_and_minds_no_types() -> None:
    gold: list[list[Triple]] = [[(0, 5, "PRE")], [(0, 5, "PRE")], [], []]
    found: list[list[Triple]] = [[(0, 5, "NOM")], [], [], [(0, 1, "NOM")]]

    def recall(counts: SpanCounts) -> float:
        return counts.exactly.recall

    alone = bootstrap(recall, gold, found, ["a", "b", "c", "d"], n=200)
    assert (alone.estimate, alone.low, alone.high) == (0.5, 0.0, 1.0)
    together = bootstrap(recall, gold, found, ["a", "a", "b", "b"], n=200)
    assert together.ends == (0.5, 0.5)
