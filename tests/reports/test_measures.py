"""Intervals are exact for shares and respect senders; kappa and the area are the published ones."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from triage.reports.measures import (
    Interval,
    auc,
    bootstrap_by_group,
    bootstrap_share,
    bound_of_none,
    clopper_pearson,
    cohen_kappa,
    fewest_trials,
    lower_bound,
    most_successes,
    upper_bound,
)

COUNTS = st.integers(1, 500).flatmap(
    lambda trials: st.tuples(st.integers(0, trials), st.just(trials))
)
Messages = tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]


@pytest.fixture
def messages() -> Messages:
    """The sender of each message, whether it is to anonymise, and whether it then leaked."""
    random = np.random.default_rng(5)
    senders = random.integers(0, 40, 600)
    to_anonymise = random.random(600) < 0.3
    leaks = random.random(40)[senders] < 0.1
    return senders, to_anonymise, to_anonymise & leaks


# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17,
# 1998, table I, method 5; the last one is the example of R's binom.test, after Conover (1971).
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
        (682, 925, 0.7077, 0.7654),
    ],
)
def test_the_exact_interval_is_the_tabulated_one(
    successes: int, trials: int, low: float, high: float
) -> None:
    interval = clopper_pearson(successes, trials)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert interval.estimate == successes / trials
    assert interval.level == 0.95


@given(COUNTS)
def test_the_exact_interval_contains_the_share_within_0_and_1(counts: tuple[int, int]) -> None:
    interval = clopper_pearson(*counts)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1


@given(COUNTS)
def test_the_exact_interval_of_the_complement_is_its_mirror_image(counts: tuple[int, int]) -> None:
    successes, trials = counts
    interval, mirrored = clopper_pearson(*counts), clopper_pearson(trials - successes, trials)
    assert (interval.low, interval.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))


@given(COUNTS)
def test_a_higher_level_gives_a_wider_interval(counts: tuple[int, int]) -> None:
    narrow, wide = clopper_pearson(*counts, level=0.9), clopper_pearson(*counts, level=0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@pytest.mark.parametrize("trials", [1, 20, 300, 22_000])
def test_the_upper_bound_of_none_makes_none_just_unlikely(trials: int) -> None:
    assert (1 - upper_bound(0, trials)) ** trials == pytest.approx(0.05)


def test_none_of_300_is_less_than_one_in_a_hundred() -> None:
    assert round(upper_bound(0, 300), 5) == 0.00994


def test_all_of_them_have_no_upper_bound_but_1() -> None:
    assert upper_bound(7, 7) == 1


@given(COUNTS)
def test_the_upper_bound_is_the_end_of_an_interval_with_twice_the_tail(
    counts: tuple[int, int],
) -> None:
    assert upper_bound(*counts, level=0.95) == pytest.approx(clopper_pearson(*counts, 0.9).high)


@pytest.mark.parametrize(
    ("successes", "trials", "level", "problem"),
    [
        (0, 0, 0.95, "trials must be at least 1"),
        (5, 4, 0.95, "successes must be between 0 and 4, not 5"),
        (-1, 4, 0.95, "successes must be between 0 and 4, not -1"),
        (1, 4, 95, "level must be between 0 and 1, not 95"),
    ],
)
def test_impossible_counts_are_refused(
    successes: int, trials: int, level: float, problem: str
) -> None:
    for bound in (clopper_pearson, upper_bound):
        with pytest.raises(ValueError, match=problem):
            bound(successes, trials, level)


def test_a_share_is_drawn_as_any_other_statistic_is(messages: Messages) -> None:
    senders, to_anonymise, leaked = messages
    share = bootstrap_share(leaked, to_anonymise, senders, n=100)
    slow = bootstrap_by_group(lambda a, b: a.sum() / b.sum(), senders, leaked, to_anonymise, n=100)
    assert share == slow


def test_the_same_seed_gives_the_same_interval(messages: Messages) -> None:
    senders, to_anonymise, leaked = messages
    first, again, other = (
        bootstrap_share(leaked, to_anonymise, senders, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_groups_are_drawn_whole() -> None:
    senders = np.repeat(np.arange(10), 3)

    def share_of_whole_groups(drawn: NDArray[np.int64]) -> float:
        return float((np.bincount(drawn, minlength=10) % 3 == 0).mean())

    assert bootstrap_by_group(share_of_whole_groups, senders, senders, n=50).low == 1


def test_messages_that_repeat_their_sender_make_the_interval_no_narrower() -> None:
    leaked = np.arange(50) < 10
    single = bootstrap_share(leaked, np.ones(50), np.arange(50))
    repeated = bootstrap_share(np.repeat(leaked, 9), np.ones(450), np.repeat(np.arange(50), 9))
    assert repeated == single


def test_single_messages_as_groups_come_close_to_the_normal_interval() -> None:
    interval = bootstrap_share(np.arange(1000) < 300, np.ones(1000), np.arange(1000), n=4000)
    reach = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert (interval.low, interval.high) == pytest.approx((0.3 - reach, 0.3 + reach), abs=0.003)


def test_draws_without_a_share_are_left_out() -> None:
    interval = bootstrap_share([0, 1, 0], [0, 1, 1], ["a", "b", "c"], n=200)
    assert interval == Interval(0.5, 0.0, 1.0, 0.95)


@pytest.mark.parametrize(
    ("numerator", "denominator", "groups", "level", "problem"),
    [
        ([0, 0], [0, 0], ["a", "b"], 0.95, "undefined"),
        ([0, 1], [1, 1], ["a", "a"], 0.95, "at least two groups are needed to draw from"),
        ([], [], [], 0.95, "at least two groups are needed to draw from"),
        ([0, 1], [1, 1], ["a", "b", "c"], 0.95, "3 groups"),
        ([0, 1], [1, 1], ["a", "b"], 1, "level must be between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    numerator: list[int], denominator: list[int], groups: list[str], level: float, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        bootstrap_share(numerator, denominator, groups, level=level)


@given(n=st.integers(1, 400), bound=st.floats(0.001, 0.999), level=st.sampled_from([0.9, 0.95]))
def test_one_more_success_would_break_the_bound(n: int, bound: float, level: float) -> None:
    most = most_successes(n, bound, level)
    assert 0 <= most < n
    assert most == 0 or upper_bound(most, n, level) <= bound + 1e-9
    assert most == n - 1 or upper_bound(most + 1, n, level) >= bound - 1e-9


@given(n=st.integers(1, 10_000), level=st.sampled_from([0.9, 0.95]))
def test_the_bound_of_none_is_that_of_0_successes(n: int, level: float) -> None:
    assert bound_of_none(n, level) == pytest.approx(upper_bound(0, n, level))


@given(bound=st.floats(0.001, 0.5))
def test_the_fewest_trials_bring_the_bound_of_none_under_a_bound(bound: float) -> None:
    n = fewest_trials(bound)
    assert bound_of_none(n) <= bound + 1e-12
    assert n == 1 or bound_of_none(n - 1) > bound - 1e-12


def test_the_lower_bound_is_that_of_scipy() -> None:
    expected = binomtest(20, 489, alternative="greater").proportion_ci(0.95, "exact").low
    assert lower_bound(20, 489) == pytest.approx(expected)


LABELS = st.sampled_from(["TA", "NTA", "EXPERT"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
# scikit-learn takes 10 ms an example.
few = settings(max_examples=30)
# Few distinct scores, so that many are tied.
SCORED = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40)


def annotators(counts: list[list[int]]) -> tuple[list[str], list[str]]:
    """The labels of two annotators from how often each pair of labels occurs."""
    cells = [(i, j, n) for i, row in enumerate(counts) for j, n in enumerate(row)]
    pairs = [(str(i), str(j)) for i, j, n in cells for _ in range(n)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def test_fleiss_cohen_and_everitts_example() -> None:
    # Psychological Bulletin 72, 1969: 200 subjects, kappa .429, variance .002885.
    agreement = cohen_kappa(*annotators([[106, 10, 4], [22, 28, 10], [2, 12, 6]]))
    assert agreement.observed == pytest.approx(0.70)
    assert agreement.expected == pytest.approx(0.475)
    assert agreement.kappa.estimate == pytest.approx(0.429, abs=5e-4)
    assert agreement.standard_error**2 == pytest.approx(0.002885, abs=5e-7)


def test_cohens_example() -> None:
    # "Weighted kappa", Psychological Bulletin 70, 1968: 200 cases, unweighted kappa .492.
    agreement = cohen_kappa(*annotators([[88, 14, 18], [10, 40, 10], [2, 6, 12]]))
    assert (agreement.observed, agreement.expected) == pytest.approx((0.70, 0.41))
    assert agreement.kappa.estimate == pytest.approx(0.492, abs=5e-4)


def test_the_standard_error_is_that_of_the_delta_method() -> None:
    counts = np.array([[40, 9, 3], [5, 20, 2], [1, 6, 14]])
    shares, step = counts / counts.sum(), 1e-6

    def kappa_of(shares: NDArray[np.float64]) -> float:
        expected = shares.sum(axis=0) @ shares.sum(axis=1) / shares.sum() ** 2
        return float((np.trace(shares) / shares.sum() - expected) / (1 - expected))

    nudges = step * np.eye(9).reshape(9, 3, 3)
    slopes = np.array([kappa_of(shares + n) - kappa_of(shares - n) for n in nudges]) / (2 * step)
    variance = shares.ravel() @ slopes**2 / counts.sum()
    found = cohen_kappa(*annotators(counts.tolist())).standard_error
    assert found == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_the_interval_reaches_1_96_standard_errors_to_either_side() -> None:
    agreement = cohen_kappa(*annotators([[40, 10], [10, 40]]))
    reach = 1.959964 * agreement.standard_error
    assert agreement.kappa.low == pytest.approx(0.6 - reach)
    assert agreement.kappa.high == pytest.approx(0.6 + reach)
    assert agreement.kappa.level == 0.95


def test_the_interval_of_few_messages_ends_at_1() -> None:
    assert cohen_kappa(*annotators([[3, 0], [1, 3]])).kappa.high == 1


def test_full_agreement_is_1_without_error() -> None:
    agreement = cohen_kappa(["TA", "NTA", "NTA"], ["TA", "NTA", "NTA"])
    assert agreement.observed == agreement.kappa.estimate == 1
    assert agreement.standard_error == pytest.approx(0, abs=1e-8)


def test_annotators_with_one_label_each_agree_as_chance_does() -> None:
    assert cohen_kappa(["TA"] * 5, ["NTA"] * 5).kappa.estimate == 0


@few
@given(PAIRS)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    found = cohen_kappa(first, second)
    assert found.kappa.estimate == pytest.approx(cohen_kappa_score(first, second))


@given(PAIRS)
def test_it_does_not_matter_who_comes_first(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    one, other = cohen_kappa(first, second), cohen_kappa(second, first)
    assert one.kappa.estimate == pytest.approx(other.kappa.estimate)
    # Of full agreement, the root of a rounding error is left.
    assert one.standard_error == pytest.approx(other.standard_error, abs=1e-7)


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (["NTA", "NTA"], ["NTA", "NTA"], "kappa is undefined"),
        ([], [], "kappa is undefined"),
        (["TA", "NTA"], ["TA"], "labelled 2 and 1 messages"),
    ],
)
def test_undefined_kappa_is_refused(first: list[str], second: list[str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        cohen_kappa(first, second)


@few
@given(SCORED)
def test_the_area_is_that_of_scikit_learn(scored: list[tuple[int, bool]]) -> None:
    score, positive = zip(*scored, strict=True)
    assume(len(set(positive)) == 2)
    assert auc(score, positive) == pytest.approx(roc_auc_score(positive, score))


@given(SCORED)
def test_the_area_of_the_opposite_score_is_what_is_left(scored: list[tuple[int, bool]]) -> None:
    score, positive = zip(*scored, strict=True)
    assume(len(set(positive)) == 2)
    assert auc(score, positive) + auc([-s for s in score], positive) == pytest.approx(1)


def test_a_tie_counts_half() -> None:
    assert auc([1, 1], [True, False]) == 0.5


@pytest.mark.parametrize(
    ("score", "positive", "problem"),
    [
        ([0.5, 0.6], [True, True], "both positive and negative"),
        ([], [], "both positive and negative"),
        ([0.5, math.nan], [True, False], "every score must be a number, 1 are not"),
        ([0.5], [True, False], "1 scores, 2 messages"),
    ],
)
def test_an_area_that_does_not_exist_is_refused(
    score: list[float], positive: list[bool], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        auc(score, positive)
