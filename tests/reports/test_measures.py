"""Measures are exact and count as their definitions say; information gain is Weka's."""

import math
import re
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import binomtest, hypergeom
from sklearn import metrics

from tests.cases import cases_beside
from triage.reports import measures
from triage.reports.infogain import Ranked, rank
from triage.reports.measures import Share, clopper_pearson, cohen_kappa, most_successes, most_unseen
from triage.reports.spans import SpanCounts, Triple, bootstrap, measure, measure_by_type

CASES = cases_beside(__file__)

COUNTS = st.integers(1, 500).flatmap(
    lambda trials: st.tuples(st.integers(0, trials), st.just(trials))
)


# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17,
# 1998, table I, method 5; the last one is the example of R's binom.test, after Conover (1971).
@pytest.mark.parametrize(("successes", "trials", "low", "high"), CASES["intervals"])
def test_intervals_are_as_tabulated(successes: int, trials: int, low: float, high: float) -> None:
    interval = clopper_pearson(successes, trials)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert interval.estimate == successes / trials


def test_a_share_of_nothing_or_everything_has_no_interval_by_group() -> None:
    every, senders = np.ones(4, dtype=np.bool_), ["1", "2", "3", "4"]
    assert Share(~every, every).by_group(senders) == (None, None)
    assert Share(every, every).by_group(senders) == (None, None)
    assert Share(np.array([True, False, True, False]), every).by_group(senders) == (0, 1)
    assert math.isnan(measures.share(every, ~every))


@given(n=st.integers(1, 400), bound=st.floats(0.001, 0.999), level=st.sampled_from([0.9, 0.95]))
def test_one_more_success_would_break_the_bound(n: int, bound: float, level: float) -> None:
    def highest(successes: int) -> float:
        return float(binomtest(successes, n).proportion_ci(2 * level - 1, "exact").high)

    most = most_successes(n, bound, level)
    assert -1 <= most < n
    assert most == -1 or highest(most) <= bound + 1e-9
    assert most == n - 1 or highest(most + 1) >= bound - 1e-9


@given(COUNTS, st.integers(0, 500))
@example((0, 0), 12)
@example((3, 20), 0)
def test_one_more_unseen_success_is_excluded(counts: tuple[int, int], n_unseen: int) -> None:
    (seen, n), of = counts, counts[1] + n_unseen
    most = most_unseen(seen, n, of)
    assert hypergeom.cdf(seen, of, seen + most, n) > 0.05
    assert most == n_unseen or hypergeom.cdf(seen, of, seen + most + 1, n) <= 0.05 + 1e-8


LABELS = st.sampled_from(["TA", "NTA", "EXPERT"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
# Few distinct scores, so that many are tied.
SCORED = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40)


def annotators(counts: list[list[int]]) -> tuple[list[str], list[str]]:
    """The labels of two annotators from how often each pair of labels occurs."""
    cells = [(i, j, n) for i, row in enumerate(counts) for j, n in enumerate(row)]
    pairs = [(str(i), str(j)) for i, j, n in cells for _ in range(n)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def test_fleiss_cohen_and_everitts_example() -> None:
    # Psychological Bulletin 72, 1969: 200 subjects, kappa .429, variance .002885.
    observed, kappa = cohen_kappa(*annotators([[106, 10, 4], [22, 28, 10], [2, 12, 6]]))
    assert observed == pytest.approx(0.70)
    assert kappa.estimate == pytest.approx(0.429, abs=5e-4)
    reach = 1.959964 * math.sqrt(0.002885)
    assert kappa.ends == pytest.approx((0.429 - reach, 0.429 + reach), abs=5e-4)


@given(PAIRS)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    _, kappa = cohen_kappa(first, second)
    assert kappa.estimate == pytest.approx(metrics.cohen_kappa_score(first, second))


@given(SCORED)
def test_the_area_is_that_of_scikit_learn(scored: list[tuple[int, bool]]) -> None:
    score, positive = zip(*scored, strict=True)
    assume(len(set(positive)) == 2)
    assert measures.auc(score, positive) == pytest.approx(metrics.roc_auc_score(positive, score))


@given(PAIRS)
def test_confusion_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    true, predicted = zip(*pairs, strict=True)
    classes = ("EXPERT", "NTA", "TA")
    found = measures.confusion(np.array(true), np.array(predicted), classes)
    assert (
        found.matrix.tolist() == metrics.confusion_matrix(true, predicted, labels=classes).tolist()
    )
    expected = metrics.precision_recall_fscore_support(
        true, predicted, labels=classes, zero_division=np.nan
    )
    by_class = np.array([*found.by_class.values()]).T
    assert by_class == pytest.approx(np.array(expected[:3]), nan_ok=True)
    assert found.accuracy == pytest.approx(np.mean([a == b for a, b in pairs]))


@pytest.mark.parametrize(("of", "given", "problem"), CASES["refused"])
def test_what_cannot_be_measured_is_refused(of: str, given: list[object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        getattr(measures, of)(*given)


@pytest.mark.parametrize(("groups", "problem"), CASES["groups"])
def test_what_cannot_be_drawn_by_group_is_refused(groups: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        measures.bootstrap_by_group(lambda _: math.nan, [*groups], [0] * len(groups))


def test_the_interval_of_kappa_does_not_reach_beyond_1() -> None:
    assert cohen_kappa(*annotators([[3, 0], [1, 3]]))[1].high == 1
    observed, kappa = cohen_kappa(["TA", "NTA", "NTA"], ["TA", "NTA", "NTA"])
    assert observed == kappa.estimate == 1
    assert kappa.ends == pytest.approx((1, 1))


OF_SPANS = cases_beside(__file__, "spans.toml")

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


@given(spans(), spans())
def test_the_pairing_is_the_cheapest(gold: list[Triple], found: list[Triple]) -> None:
    counts = sum(measure_by_type([gold], [found]).values(), SpanCounts())
    whole = counts.deleted + counts.inserted + counts.wrong_both
    assert whole + (counts.wrong_type + counts.wrong_ends) / 2 == cheapest(gold, found)


@given(spans(), spans())
def test_counts_add_up(gold: list[Triple], found: list[Triple]) -> None:
    by_type, untyped = measure_by_type([gold], [found]), measure([gold], [found])
    whole = sum(by_type.values(), SpanCounts())
    for counts in (whole, untyped):
        paired = counts.exact + counts.wrong_type + counts.wrong_ends + counts.wrong_both
        assert counts.gold == len(gold) == paired + counts.deleted
        assert counts.found == len(found) == paired + counts.inserted
        assert counts.exact <= counts.gold_covered <= counts.gold_met <= counts.gold
        assert counts.exact <= counts.found_met <= counts.found
    for counts in by_type.values():
        assert counts.exact <= counts.gold_met <= counts.gold
        assert counts.found_met <= counts.found
    assert untyped.gold_met >= whole.gold_met
    assert untyped.wrong_type == untyped.wrong_both == 0


@pytest.mark.parametrize(("gold", "found", "rate"), OF_SPANS["slot_error_rate"])
def test_slot_error_rate(gold: list[Triple], found: list[Triple], rate: float) -> None:
    counts = sum(measure_by_type([gold], [found]).values(), SpanCounts())
    assert counts.slot_error_rate == rate


def test_bootstrap_draws_groups_and_minds_no_types() -> None:
    gold: list[list[Triple]] = [[(0, 5, "PRE")], [(0, 5, "PRE")], [], []]
    found: list[list[Triple]] = [[(0, 5, "NOM")], [], [], [(0, 1, "NOM")]]

    def recall(counts: SpanCounts) -> float:
        return counts.exactly.recall

    alone = bootstrap(recall, gold, found, ["a", "b", "c", "d"], n=200)
    assert (alone.estimate, alone.low, alone.high) == (0.5, 0.0, 1.0)
    together = bootstrap(recall, gold, found, ["a", "a", "b", "b"], n=200)
    assert together.ends == (0.5, 0.5)


WEKA = Path(__file__).with_name("weka")


def rank_one(values: ArrayLike, labels: ArrayLike) -> Ranked:
    [ranked] = rank(np.reshape(values, (-1, 1)), labels, ["feature"])
    return ranked


def printed_by_weka(name: str) -> str:
    return (WEKA / name).read_text(encoding="ascii")


@pytest.fixture(scope="module")
def ranked() -> list[Ranked]:
    header, rows = printed_by_weka("table.arff").split("@data\n")
    cells = [row.split(",") for row in rows.split()]
    table = np.array([row[:-1] for row in cells], dtype=float)
    names = re.findall(r"@attribute (\w+) numeric", header)
    return rank(table, [row[-1] for row in cells], names)


def test_gains_and_ranks_are_those_that_weka_prints(ranked: list[Ranked]) -> None:
    lines = re.findall(r"^ *([\d.]+) +\d+ (\w+)$", printed_by_weka("infogain.txt"), re.MULTILINE)
    expected = [(place, name, float(gain)) for place, (gain, name) in enumerate(lines, start=1)]
    assert len(expected) == 8
    assert [(one.rank, one.feature, round(one.gain, 4)) for one in ranked] == expected


def test_values_are_cut_where_weka_cuts_them(ranked: list[Ranked]) -> None:
    found = {one.feature: [round(cut, 6) for cut in one.cut_points] for one in ranked}
    lines = re.findall(r"@attribute (\w+) (.*(?:inf|All).*)", printed_by_weka("cut_points.txt"))
    # An interval reads (low-high], and both may be negative: (-2.5--1.5].
    ends = {name: re.findall(r"-(-?[\d.]+)\]", intervals) for name, intervals in lines}
    assert found == {name: [float(end) for end in of_name] for name, of_name in ends.items()}


def test_of_mirrored_cuts_the_one_that_weka_takes() -> None:
    # Weka 3.6.14 answers 0.5, whichever class it hears of first; 3.5 leaves the same entropy.
    counts = {0: (0, 6), 1: (2, 1), 2: (1, 1), 3: (1, 2), 4: (6, 0)}
    values = [value for value, (nta, ta) in counts.items() for _ in range(nta + ta)]
    labels = [label for nta, ta in counts.values() for label in ["NTA"] * nta + ["TA"] * ta]
    assert rank_one(values, labels).cut_points == (0.5,)
    assert rank_one(values, labels).gain == pytest.approx(0.3958156, abs=1e-7)


def test_a_value_equal_to_a_cut_belongs_below_it() -> None:
    # Halfway between neighbouring floats rounds to one of them; Weka 3.6.14 answers 0 likewise.
    lower = np.nextafter(1.0, 2.0)
    upper = np.nextafter(lower, 2.0)
    values, labels = [lower] * 5 + [upper] * 5, ["NTA"] * 5 + ["TA"] * 5
    assert rank_one(values, labels).cut_points == (upper,)
    assert rank_one(values, labels).gain == 0


def test_equal_gains_keep_the_order_of_the_table() -> None:
    # The gains of a feature and of its opposite differ in the last digit here.
    labels = ["NTA"] * 14 + ["TA"] * 2 + ["NTA"] * 2 + ["TA"] * 12
    feature = np.repeat([0, 1], [16, 14])
    table = np.column_stack([np.zeros(30), feature, np.ones(30), 1 - feature])
    order = [one.feature for one in rank(table, labels, ["none", "yes", "never", "no"])]
    assert order == ["yes", "no", "none", "never"]
