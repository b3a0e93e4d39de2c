"""Leak and workload of decided messages, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.reports.confusion import auc
from triage.reports.intervals import Interval, bootstrap_share, clopper_pearson, upper_bound

from ..vocabulary import Action


@dataclass(frozen=True)
class Triaged:
    """What became of messages of known label.

    Parameters
    ----------
    leak : Interval
        The share of TA messages that end as NTA (Clopper and Pearson, exact).
    leak_by_sender : Interval or None
        The same, senders drawn again (bootstrap): messages of a sender are alike.
    most_leaked : float
        One-sided: the leak is at most this, with 95 % confidence.
    workload : float
        The share of messages that end as EXPERT.
    workload_by_sender : Interval or None
    precision : float
        The share of true TA among those that end as TA; nan where none does.
    """

    leak: Interval
    leak_by_sender: Interval | None
    most_leaked: float
    workload: float
    workload_by_sender: Interval | None
    precision: float


def triaged(
    actions: Sequence[Action], is_ta: NDArray[np.bool_], groups: NDArray[np.str_], seed: int
) -> Triaged:
    """Measure decided messages.

    Parameters
    ----------
    actions : sequence of Action, length n_messages
    is_ta : ndarray of bool, shape (n_messages,)
    groups : ndarray of str, shape (n_messages,)
        Their senders.
    seed : int

    Raises
    ------
    ValueError
        If no message is TA.
    """
    decided = np.array(actions)
    leaked = is_ta & (decided == Action.NTA)
    expert = decided == Action.EXPERT
    as_ta = decided == Action.TA
    return Triaged(
        clopper_pearson(int(leaked.sum()), int(is_ta.sum())),
        by_sender(leaked, is_ta, groups, seed),
        upper_bound(int(leaked.sum()), int(is_ta.sum())),
        float(expert.mean()),
        by_sender(expert, np.ones(len(expert), dtype=np.bool_), groups, seed),
        share(is_ta, as_ta),
    )


def by_sender(
    hits: NDArray[np.bool_], among: NDArray[np.bool_], groups: NDArray[np.str_], seed: int
) -> Interval | None:
    """Return the bootstrap interval of a share, senders drawn again.

    Parameters
    ----------
    hits, among : ndarray of bool, shape (n_messages,)
        The messages that count, among those that may.
    groups : ndarray of str, shape (n_messages,)
        Their senders.
    seed : int

    Returns
    -------
    Interval or None
        None where none or all count: every draw would give the same, however few they are.
    """
    if not 0 < hits.sum() < among.sum():
        return None
    return bootstrap_share(hits, among, groups, seed=seed)


def share(hits: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    """Return the share of the messages that count among those that may, nan of none.

    Parameters
    ----------
    hits, among : ndarray of bool, shape (n_messages,)
    """
    return float(hits[among].mean()) if among.any() else float("nan")


def area_under_roc(score: NDArray[np.float64], is_ta: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve, nan where one label is missing.

    Parameters
    ----------
    score : ndarray of float, shape (n_messages,)
    is_ta : ndarray of bool, shape (n_messages,)
    """
    return auc(score, is_ta) if is_ta.any() and not is_ta.all() else float("nan")


def expert_share(
    score: NDArray[np.float64], is_ta: NDArray[np.bool_], leak: float, precision: float = 0.95
) -> float:
    """Return the share of messages that experts must read for a given leak, ranked by score.

    As the corpus's own scorer counts it: among equal scores, in the order of the messages. Below
    the score under which this share of TA messages lies, messages are released; from the
    score on above which messages are TA often enough, they are called TA; between, they are read.

    Parameters
    ----------
    score : ndarray of float, shape (n_messages,)
    is_ta : ndarray of bool, shape (n_messages,)
    leak, precision : float
        Shares.

    Examples
    --------
    >>> score, is_ta = np.array([0.1, 0.2, 0.3, 0.8]), np.array([False, True, False, True])
    >>> expert_share(score, is_ta, leak=0.05)
    0.25
    """
    order = np.argsort(-score, kind="stable")
    enough = np.flatnonzero(np.cumsum(is_ta[order]) / np.arange(1, len(order) + 1) >= precision)
    high = score[order[enough[-1]]] if len(enough) else np.inf
    low = np.quantile(score[is_ta], leak)
    return float(((score >= low) & (score < high)).mean())
