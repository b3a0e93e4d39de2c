"""Measures of scores, shares, labels and annotators, with their 95 % confidence intervals.

Computed here rather than by scikit-learn and scipy, which take seconds to load, where a command
would wait for them; see docs/design.md.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_LEVEL = 0.95
_ROUNDING = 1e-9
# Where groups are not known, or too few events happen to tell: by sender 1.0 to 1.3.
_DESIGN_EFFECT = 1.5
_MIN_EVENTS = 10
_Z = 1.96


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its confidence interval of 95 %."""

    estimate: float
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high


def share(hits: Mask, among: Mask) -> float:
    return float(hits[among].mean()) if among.any() else math.nan


def clopper_pearson(successes: int, trials: int) -> Interval:
    tail = (1 - _LEVEL) / 2
    high = upper_bound(successes, trials, tail)
    low = 1 - upper_bound(trials - successes, trials, tail)
    return Interval(successes / trials, low, high)


def upper_bound(successes: int, trials: int, tail: float = 1 - _LEVEL) -> float:
    """Return the exact one-sided upper bound of a share: below `tail` are the chances of so few."""
    from scipy.special import betaincinv

    if trials <= 0:
        raise ValueError("a share of nothing has no interval: trials must be at least 1")
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must be between 0 and {trials}, not {successes}")
    if successes == trials:
        return 1.0
    return float(betaincinv(successes + 1, trials - successes, 1 - tail))


def fewest_trials(bound: float) -> int:
    """Return the number of trials without success that puts the share under a bound."""
    return math.ceil(math.log(1 - _LEVEL) / math.log1p(-bound))


def most_successes(trials: int, bound: float, level: float = _LEVEL) -> int:
    """Return the most successes for which the upper bound of the share is at most a bound.

    It is -1 where even none are too many.
    """
    log_chance, cumulated = trials * math.log1p(-bound), 0.0
    for successes in range(trials):
        cumulated += math.exp(log_chance)
        if cumulated > 1 - level:
            return successes - 1
        log_chance += math.log((trials - successes) / (successes + 1) * bound / (1 - bound))
    return trials - 1


def most_unseen(successes: int, trials: int, n_all: int) -> int:
    """Return the exact one-sided upper bound of the successes among those of `n_all` not tried."""

    def log_choose(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    def is_excluded(unseen: int) -> bool:
        """Return whether trials would seldom have shown so few, were there so many more."""
        hits = successes + unseen
        seen = range(max(0, trials - (n_all - hits)), successes + 1)
        log_ways = (log_choose(hits, k) + log_choose(n_all - hits, trials - k) for k in seen)
        all_ways = log_choose(n_all, trials)
        return math.fsum(math.exp(one - all_ways) for one in log_ways) <= 1 - _LEVEL + _ROUNDING

    return bisect_left(range(1, n_all - trials + 1), True, key=is_excluded)


def bootstrap_by_group(
    statistic: Callable[..., float],
    groups: ArrayLike,
    *arrays: ArrayLike,
    n: int = 1000,
    seed: int = 0,
) -> Interval:
    """Return the percentile bootstrap interval of a statistic, by `n` draws of whole groups."""
    columns = [np.asarray(array) for array in arrays]
    group_of, n_groups = _numbered(groups)
    statistics = []
    for n_times in _draws(n_groups, n, seed):
        rows = np.repeat(np.arange(len(group_of)), n_times[group_of])
        statistics.append(statistic(*(column[rows] for column in columns)))
    return _percentile_interval(statistic(*columns), np.array(statistics))


def bootstrap_sums(
    statistic: Callable[[_Floats], float],
    groups: ArrayLike,
    columns: ArrayLike,
    n: int = 1000,
    seed: int = 0,
) -> Interval:
    """Return the interval of `bootstrap_by_group`, faster, for a statistic of sums of columns."""
    values = np.asarray(columns, dtype=np.float64)
    group_of, n_groups = _numbered(groups)
    sums = np.array([np.bincount(group_of, column, n_groups) for column in values.T])
    resampled = [statistic(sums @ n_times) for n_times in _draws(n_groups, n, seed)]
    return _percentile_interval(statistic(sums.sum(axis=1)), np.array(resampled))


def share_by_group(events: Mask, weight: _Floats, group: _Ints) -> Interval:
    """Return the share of weighed messages, with the interval of Wilson (JASA 22, 1927).

    Messages of one group say less than as many of several, by the design effect (Kish, Survey
    Sampling, 1965).
    """
    n, effect = float(weight.sum()), _DESIGN_EFFECT
    if not n:
        return Interval(0.0, 0.0, 1.0)
    group_size, rate = np.bincount(group), float(events.mean())
    n_groups = int((group_size > 0).sum())
    if _MIN_EVENTS <= events.sum() < len(events) and group_size.max() > 1 and n_groups > 1:
        excess = np.bincount(group, events - rate)
        variance = float((excess**2).sum()) * n_groups / (n_groups - 1)
        effect = max(1.0, variance / (len(events) * rate * (1 - rate)))
    n_eff, estimate = n / effect, float(weight[events].sum()) / n
    centre = (estimate * n_eff + _Z**2 / 2) / (n_eff + _Z**2)
    half = _Z * math.sqrt(estimate * (1 - estimate) * n_eff + _Z**2 / 4) / (n_eff + _Z**2)
    return Interval(estimate, max(0.0, centre - half), min(1.0, centre + half))


@dataclass(frozen=True, eq=False)
class Share:
    """Messages that count among those that could; hits are among them."""

    hits: Mask
    among: Mask

    @property
    def n(self) -> int:
        return int(self.hits.sum())

    @property
    def of(self) -> int:
        return int(self.among.sum())

    @property
    def value(self) -> float:
        """The share, nan of no messages."""
        return share(self.hits, self.among)

    @property
    def exact(self) -> Interval:
        """The interval of Clopper and Pearson."""
        return clopper_pearson(self.n, self.of)

    def by_group(self, groups: ArrayLike, seed: int = 0) -> tuple[float, float] | tuple[None, None]:
        """Return the ends of the bootstrap interval; None of shares of 0 and 1, which stay so."""

        def ratio(sums: _Floats) -> float:
            return float(sums[0] / sums[1]) if sums[1] else math.nan

        if not 0 < self.n < self.of:
            return None, None
        counts = np.column_stack([self.hits, self.among])
        return bootstrap_sums(ratio, groups, counts, seed=seed).ends


def _numbered(groups: ArrayLike) -> tuple[_Ints, int]:
    """Return the groups as numbers from 0, and how many there are."""
    names, group_of = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"at least two groups are needed to draw from, there are {len(names)}")
    return group_of.astype(np.int64), len(names)


def _draws(n_groups: int, n: int, seed: int) -> Iterator[_Ints]:
    """Yield `n` times how often each group is drawn; one by one, so that memory stays flat."""
    random = np.random.default_rng(seed)
    for _ in range(n):
        yield np.bincount(random.integers(n_groups, size=n_groups), minlength=n_groups)


def _percentile_interval(estimate: float, resampled: _Floats) -> Interval:
    if np.isnan(estimate) or np.isnan(resampled).all():
        raise ValueError(
            "the statistic is undefined on these messages: is there nothing to divide by?"
        )
    low, high = np.nanquantile(resampled, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(float(estimate), float(low), float(high))


def auc(score: ArrayLike, positive: ArrayLike) -> float:
    """Return the area under the ROC curve, nan where one label is missing."""
    is_positive = np.asarray(positive, dtype=bool)
    n_positive = int(is_positive.sum())
    n_negative = len(is_positive) - n_positive
    if not n_positive or not n_negative:
        return math.nan
    # Equal scores share the mean of their ranks, from 1.
    _, places, counts = np.unique(np.asarray(score), return_inverse=True, return_counts=True)
    ranks = (counts.cumsum() - (counts - 1) / 2)[places]
    # The ranks of the positive ones count the pairs they win, and those among themselves.
    wins = ranks[is_positive].sum() - n_positive * (n_positive + 1) / 2
    return float(wins / (n_positive * n_negative))


def expert_share(score: _Floats, is_ta: Mask, leak: float, precision: float = 0.95) -> float:
    """Return the share of messages that experts must read for a given leak, ranked by score.

    It is nan where one TA message is a larger leak.
    """
    if is_ta.sum() * leak < 1:
        return math.nan
    order = np.argsort(-score, kind="stable")
    enough = np.flatnonzero(np.cumsum(is_ta[order]) / np.arange(1, len(order) + 1) >= precision)
    high = score[order[enough[-1]]] if len(enough) else np.inf
    low = np.quantile(score[is_ta], leak)
    return float(((score >= low) & (score < high)).mean())


class ClassMeasures(NamedTuple):
    """Measures of one class; nan where one divides nothing by nothing."""

    precision: float
    recall: float
    f_measure: float


# No generated comparison: arrays do not compare to one truth value.
@dataclass(frozen=True, eq=False)
class Confusion:
    """Predicted labels against true ones, which are the rows of the matrix."""

    matrix: _Ints
    by_class: dict[str, ClassMeasures]
    accuracy: float
    balanced_accuracy: float


def confusion(
    true: NDArray[np.str_], predicted: NDArray[np.str_], classes: Sequence[str]
) -> Confusion:
    matrix = np.array([[((true == t) & (predicted == p)).sum() for p in classes] for t in classes])
    right, n_true, n_predicted = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    with np.errstate(invalid="ignore"):
        precision, recall = right / n_predicted, right / n_true
        f_measure = 2 * right / (n_true + n_predicted)
    rows = zip(precision.tolist(), recall.tolist(), f_measure.tolist(), strict=True)
    return Confusion(
        matrix,
        {name: ClassMeasures(*row) for name, row in zip(classes, rows, strict=True)},
        float(right.sum() / matrix.sum()),
        float(np.nanmean(recall)),
    )


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> tuple[float, Interval]:
    """Return how often two annotators agree on the same messages, and beyond chance: kappa."""
    labels, codes = np.unique([*first, *second], return_inverse=True)
    if len(labels) < 2:
        raise ValueError("kappa is undefined: both annotators used the same single label, or none")
    pairs = codes[: len(first)] * len(labels) + codes[len(first) :]
    counts = np.bincount(pairs, minlength=len(labels) ** 2)
    shares = counts.reshape(len(labels), len(labels)) / len(first)
    by_first, by_second = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float(np.trace(shares)), float(by_first @ by_second)
    kappa = (observed - expected) / (1 - expected)
    agreeing = np.diag(shares) @ (1 - (by_first + by_second) * (1 - kappa)) ** 2
    squares = (by_second[:, np.newaxis] + by_first) ** 2
    differing = (1 - kappa) ** 2 * ((shares * squares).sum() - np.trace(shares * squares))
    spread = agreeing + differing - (kappa - expected * (1 - kappa)) ** 2
    # Of full agreement, rounding may leave a little less than nothing.
    error = math.sqrt(max(spread, 0) / len(first)) / (1 - expected)
    reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * error
    interval = Interval(kappa, max(kappa - reach, -1.0), min(kappa + reach, 1.0))
    return observed, interval
