"""Measures of scores, shares and annotators from plain arrays, with their confidence intervals.

Computed here rather than by scikit-learn and scipy, which take seconds to load, where a command
would wait for them; see docs/design.md.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

_LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its confidence interval, whose confidence is `level`."""

    estimate: float
    low: float
    high: float
    level: float


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Return the exact confidence interval of a share."""
    _check_counts(successes, trials)
    _check_level(level)
    tail = (1 - level) / 2
    return Interval(
        estimate=successes / trials,
        low=1 - _upper_limit(trials - successes, trials, tail),
        high=_upper_limit(successes, trials, tail),
        level=level,
    )


def upper_bound(successes: int, trials: int, level: float = 0.95) -> float:
    """Return the exact one-sided upper bound of a share; errors as of `clopper_pearson`."""
    _check_counts(successes, trials)
    _check_level(level)
    return _upper_limit(successes, trials, 1 - level)


def lower_bound(successes: int, trials: int, level: float = 0.95) -> float:
    """Return the exact one-sided lower bound of a share."""
    return 1 - upper_bound(trials - successes, trials, level)


def bound_of_none(trials: int, level: float = 0.95) -> float:
    """Return the upper bound of a share with no successes, without loading scipy."""
    return float(1 - (1 - level) ** (1 / trials))


def fewest_trials(bound: float, level: float = 0.95) -> int:
    """Return the number of trials without success that puts the share under a bound."""
    return math.ceil(math.log(1 - level) / math.log1p(-bound))


def most_successes(trials: int, bound: float, level: float = 0.95) -> int:
    """Return the most successes for which the upper bound of the share is at most a bound."""
    log_chance = trials * math.log1p(-bound)
    cumulated, successes = math.exp(log_chance), 0
    while successes < trials - 1:
        log_chance += math.log((trials - successes) / (successes + 1) * bound / (1 - bound))
        cumulated += math.exp(log_chance)
        if cumulated > 1 - level:
            break
        successes += 1
    return successes


def bootstrap_by_group(
    statistic: Callable[..., float],
    groups: ArrayLike,
    *arrays: ArrayLike,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the percentile bootstrap interval of a statistic, drawing whole groups."""
    columns = [np.asarray(array) for array in arrays]
    group_of, n_groups = _numbered(groups, *columns)
    rows = np.arange(len(group_of))

    def of_draw(times: _Ints) -> float:
        drawn = np.repeat(rows, times[group_of])
        return statistic(*(column[drawn] for column in columns))

    statistics = [of_draw(times) for times in _draws(n_groups, n, seed)]
    return _percentile_interval(statistic(*columns), np.array(statistics), level)


def bootstrap_sums(
    statistic: Callable[[_Floats], float],
    groups: ArrayLike,
    columns: ArrayLike,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the interval of `bootstrap_by_group` for a statistic of sums, faster."""
    values = np.asarray(columns, dtype=np.float64)
    group_of, n_groups = _numbered(groups, values)
    sums = np.array([np.bincount(group_of, column, n_groups) for column in values.T])
    drawn = [statistic(sums @ times) for times in _draws(n_groups, n, seed)]
    return _percentile_interval(statistic(sums.sum(axis=1)), np.array(drawn), level)


def bootstrap_share(
    numerator: ArrayLike,
    denominator: ArrayLike,
    groups: ArrayLike,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the bootstrap interval of a ratio of sums; it is undefined if the second is 0."""

    def ratio(sums: _Floats) -> float:
        return float(sums[0] / sums[1]) if sums[1] else math.nan

    columns = np.column_stack([numerator, denominator])
    return bootstrap_sums(ratio, groups, columns, n, seed, level)


def _check_counts(successes: int, trials: int) -> None:
    if trials <= 0:
        msg = "a share of nothing has no interval: trials must be at least 1"
        raise ValueError(msg)
    if not 0 <= successes <= trials:
        msg = f"successes must be between 0 and {trials}, not {successes}"
        raise ValueError(msg)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        msg = f"level must be between 0 and 1, not {level}"
        raise ValueError(msg)


def _upper_limit(successes: int, trials: int, tail: float) -> float:
    """Return the share for which so few successes have the probability `tail`."""
    from scipy.special import betaincinv

    if successes == trials:
        return 1.0
    return float(betaincinv(successes + 1, trials - successes, 1 - tail))


def _numbered(groups: ArrayLike, *columns: NDArray[np.generic]) -> tuple[_Ints, int]:
    """Return the groups as numbers from 0, and how many they are."""
    names, group_of = np.unique(np.asarray(groups), return_inverse=True)
    lengths = [len(column) for column in columns]
    if any(length != len(group_of) for length in lengths):
        msg = f"one group a message was expected: {len(group_of)} groups for {lengths} messages"
        raise ValueError(msg)
    if len(names) < 2:
        msg = f"at least two groups are needed to draw from, there are {len(names)}"
        raise ValueError(msg)
    return group_of.astype(np.int64), len(names)


def _draws(n_groups: int, n: int, seed: int) -> Iterator[_Ints]:
    """Yield n times how often each group is drawn; one by one, so that memory stays flat."""
    random = np.random.default_rng(seed)
    for _ in range(n):
        yield np.bincount(random.integers(n_groups, size=n_groups), minlength=n_groups)


def _percentile_interval(estimate: float, drawn: _Floats, level: float) -> Interval:
    _check_level(level)
    if np.isnan(estimate) or np.isnan(drawn).all():
        msg = "the statistic is undefined on these messages: is there nothing to divide by?"
        raise ValueError(msg)
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(estimate), float(low), float(high), level)


def auc(score: ArrayLike, positive: ArrayLike) -> float:
    """Return the area under the ROC curve."""
    scores, is_positive = np.asarray(score, dtype=np.float64), np.asarray(positive, dtype=bool)
    _check_scores(scores, is_positive)
    n_positive = int(is_positive.sum())
    n_negative = len(is_positive) - n_positive
    # The ranks of the positive ones count the pairs they win, and those among themselves.
    wins = _ranks(scores)[is_positive].sum() - n_positive * (n_positive + 1) / 2
    return float(wins / (n_positive * n_negative))


@dataclass(frozen=True)
class Agreement:
    """The agreement of two annotators: observed, expected by chance, and Cohen's kappa."""

    observed: float
    expected: float
    kappa: Interval
    standard_error: float


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> Agreement:
    """Return Cohen's kappa of two annotators, from labels of the same messages."""
    shares = _joint_shares(first, second)
    observed = float(np.trace(shares))
    expected = float(shares.sum(axis=1) @ shares.sum(axis=0))
    kappa = (observed - expected) / (1 - expected)
    error = _standard_error(shares, kappa, expected, len(first))
    return Agreement(observed, expected, _interval(kappa, error), error)


def _joint_shares(first: Sequence[str], second: Sequence[str]) -> _Floats:
    """Return the share of messages for each pair of labels; rows are the first annotator's."""
    if len(first) != len(second):
        msg = f"the annotators labelled {len(first)} and {len(second)} messages: not the same ones"
        raise ValueError(msg)
    labels, codes = np.unique([*first, *second], return_inverse=True)
    if len(labels) < 2:
        msg = "kappa is undefined: both annotators used the same single label, or none"
        raise ValueError(msg)
    pairs = codes[: len(first)] * len(labels) + codes[len(first) :]
    counts = np.bincount(pairs, minlength=len(labels) ** 2)
    return counts.reshape(len(labels), len(labels)) / len(first)


def _standard_error(shares: _Floats, kappa: float, expected: float, n_messages: int) -> float:
    by_first, by_second = shares.sum(axis=1), shares.sum(axis=0)
    agreeing = np.diag(shares) @ (1 - (by_first + by_second) * (1 - kappa)) ** 2
    squares = (by_second[:, np.newaxis] + by_first) ** 2
    differing = (1 - kappa) ** 2 * ((shares * squares).sum() - np.trace(shares * squares))
    spread = agreeing + differing - (kappa - expected * (1 - kappa)) ** 2
    # Of full agreement, rounding may leave a little less than nothing.
    return math.sqrt(max(spread, 0) / n_messages) / (1 - expected)


def _interval(kappa: float, error: float) -> Interval:
    reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * error
    return Interval(kappa, max(kappa - reach, -1.0), min(kappa + reach, 1.0), _LEVEL)


def _check_scores(scores: _Floats, is_positive: NDArray[np.bool_]) -> None:
    if scores.shape != is_positive.shape:
        msg = f"one score a message was expected: {scores.size} scores, {is_positive.size} messages"
        raise ValueError(msg)
    if np.isnan(scores).any():
        msg = f"every score must be a number, {np.isnan(scores).sum()} are not"
        raise ValueError(msg)
    if is_positive.all() or not is_positive.any():
        msg = "the area needs both positive and negative messages"
        raise ValueError(msg)


def _ranks(scores: _Floats) -> _Floats:
    """Return ranks from 1; equal scores share the mean of their ranks."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    mean_rank = counts.cumsum() - (counts - 1) / 2
    return np.asarray(mean_rank[places])
