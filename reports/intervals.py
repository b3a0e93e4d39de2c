"""How far a share or another statistic may lie from what was counted."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval.

    Attributes
    ----------
    estimate : float
    low, high : float
        The interval's ends.
    level : float
        Its confidence, between 0 and 1.
    """

    estimate: float
    low: float
    high: float
    level: float


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Return the exact confidence interval of a share.

    Parameters
    ----------
    successes, trials : int
    level : float
        Confidence, between 0 and 1; half of what is left lies beyond each end.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        If there are no trials, successes are not between 0 and trials, or level not between
        0 and 1.

    References
    ----------
    Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of
    the binomial", Biometrika 26, 1934; in the form of beta quantiles.

    Examples
    --------
    >>> interval = clopper_pearson(15, 148)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0578, 0.1617)
    """
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
    """Return the exact one-sided upper bound of a share: what it stays under, with confidence.

    Parameters
    ----------
    successes, trials : int
    level : float
        Confidence, between 0 and 1; all of what is left lies beyond the bound.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `clopper_pearson`.

    Examples
    --------
    No leak among 300 messages does not mean that there is none:

    >>> round(upper_bound(0, 300), 5)
    0.00994
    """
    _check_counts(successes, trials)
    _check_level(level)
    return _upper_limit(successes, trials, 1 - level)


def lower_bound(successes: int, trials: int, level: float = 0.95) -> float:
    """Return the exact one-sided lower bound of a share; parameters as of `upper_bound`.

    Examples
    --------
    >>> round(lower_bound(300, 300), 5)
    0.99006
    """
    return 1 - upper_bound(trials - successes, trials, level)


def bound_of_none(trials: int, level: float = 0.95) -> float:
    """Return the upper bound of a share of which nothing was seen, without loading scipy.

    Examples
    --------
    >>> round(bound_of_none(300), 5)
    0.00994
    """
    return float(1 - (1 - level) ** (1 / trials))


def fewest_trials(bound: float, level: float = 0.95) -> int:
    """Return of how many trials none must succeed for the share to be under a bound.

    Examples
    --------
    >>> fewest_trials(0.01)
    299
    """
    return math.ceil(math.log(1 - level) / math.log1p(-bound))


def most_successes(trials: int, bound: float, level: float = 0.95) -> int:
    """Return the most successes for which the upper bound of the share is at most a bound.

    The binomial terms are added up, since scipy takes longer to load than that.

    Parameters
    ----------
    trials : int
    bound, level : float
        Between 0 and 1.

    Returns
    -------
    int
        Less than `trials`; 0 also where the upper bound of none is more than this.

    Examples
    --------
    >>> most_successes(489, 0.02, level=0.9), most_successes(489, 0.001, level=0.9)
    (5, 0)
    """
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
    """Return the percentile bootstrap interval of a statistic, drawing whole groups.

    Messages of one sender resemble one another, so they are drawn together, with replacement.

    Parameters
    ----------
    statistic : callable
        Takes the arrays, resampled alike, and returns a float; nan where it is undefined. The
        order of the rows must not matter to it.
    groups : array_like, shape (n_messages,)
        The group of each message, such as its sender.
    *arrays : array_like, shape (n_messages, ...)
    n : int
        How many times the groups are drawn. Draws that leave the statistic undefined are left out.
    seed : int
        The same seed gives the same interval.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        If lengths differ, there are fewer than two groups, the statistic of the arrays themselves
        is undefined, or level is not between 0 and 1.

    References
    ----------
    Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3; groups as the
    unit drawn: Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8.

    Examples
    --------
    >>> import numpy as np
    >>> senders = ["a", "a", "b", "b", "c", "c"]
    >>> bootstrap_by_group(np.mean, senders, [1, 1, 0, 1, 0, 0], n=200)
    Interval(estimate=0.5, low=0.0, high=1.0, level=0.95)
    """
    columns = [np.asarray(array) for array in arrays]
    group_of, n_groups = _numbered(groups, *columns)
    rows = np.arange(len(group_of))

    def of_draw(times: _Ints) -> float:
        drawn = np.repeat(rows, times[group_of])
        return statistic(*(column[drawn] for column in columns))

    statistics = [of_draw(times) for times in _draws(n_groups, n, seed)]
    return _percentile_interval(statistic(*columns), np.array(statistics), level)


def bootstrap_share(
    numerator: ArrayLike,
    denominator: ArrayLike,
    groups: ArrayLike,
    n: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return what `bootstrap_by_group` does for a ratio of sums, without touching the messages.

    Parameters
    ----------
    numerator, denominator : array_like of float or bool, shape (n_messages,)
        What each message adds to either sum: for the leak, TA and ending as NTA over TA.
    groups : array_like, shape (n_messages,)
    n, seed, level
        As for `bootstrap_by_group`.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        As `bootstrap_by_group`; the share is undefined if the denominator sums to 0.

    Examples
    --------
    >>> leaked = [0, 1, 0, 0, 0, 0]
    >>> to_anonymise = [1, 1, 0, 1, 1, 0]
    >>> bootstrap_share(leaked, to_anonymise, ["a", "a", "b", "b", "c", "c"], n=200)
    Interval(estimate=0.25, low=0.0, high=0.5, level=0.95)
    """
    columns = [np.asarray(column, dtype=np.float64) for column in (numerator, denominator)]
    group_of, n_groups = _numbered(groups, *columns)
    sums = np.column_stack([np.bincount(group_of, column, n_groups) for column in columns])
    drawn = np.array([times @ sums for times in _draws(n_groups, n, seed)])
    total = _ratio(sums.sum(axis=0))
    return _percentile_interval(float(total), _ratio(drawn), level)


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
    """Return the share under which so few successes have the probability `tail`."""
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


def _ratio(sums: _Floats) -> _Floats:
    """Divide the first sum by the second along the last axis: nan where that is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 1] == 0, np.nan, sums[..., 0] / sums[..., 1])


def _percentile_interval(estimate: float, drawn: _Floats, level: float) -> Interval:
    _check_level(level)
    if np.isnan(estimate) or np.isnan(drawn).all():
        msg = "the statistic is undefined on these messages: is there nothing to divide by?"
        raise ValueError(msg)
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(estimate), float(low), float(high), level)
