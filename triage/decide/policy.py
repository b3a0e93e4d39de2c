"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps the leak under a bound: two thresholds on
the model's score, the lower one set by the exact binomial bound of Clopper and Pearson (*The use
of confidence or fiducial limits*, Biometrika 26, 1934) on messages whose senders the model had
not seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from triage.reports.measures import bound_of_none, most_successes

from ..errors import TriageError
from ..model.learnt import HeldOut
from ..vocabulary import Action, Prediction, Verdict
from .agreement import actions as agreed


class PolicyName(StrEnum):
    """How votes become actions."""

    AGREEMENT = "agreement"
    GUARDED = "guarded"

    @classmethod
    def _missing_(cls, value: object) -> "PolicyName":
        known = " or ".join(cls)
        raise TriageError(f"no policy is called {value!r}: it is {known}")


@dataclass(frozen=True)
class Policy:
    """What a user chooses of the policy.

    Parameters
    ----------
    name : PolicyName or str
    max_leak : float
        Of the guarded policy: the share of TA messages that may be released, between 0 and 1.
    min_precision : float
        Of the guarded policy: the share of true TA among messages that end as TA.

    Raises
    ------
    TriageError
        If a share is not between 0 and 1, or no policy has this name.
    """

    name: PolicyName | str = PolicyName.AGREEMENT
    max_leak: float = 0.01
    min_precision: float = 0.95

    @classmethod
    def of(cls, policy: "Policy | str | None") -> "Policy":
        """Return a policy, that of a name, or by default the agreement table.

        Examples
        --------
        >>> Policy.of("guarded").max_leak, Policy.of(None).name.value
        (0.01, 'agreement')
        """
        if isinstance(policy, Policy):
            return policy
        return cls() if policy is None else cls(PolicyName(policy))

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", PolicyName(self.name))
        for option, share in (("max-leak", self.max_leak), ("min-precision", self.min_precision)):
            if not 0 < share < 1:
                raise TriageError(f"--{option} {share:g} is no share: it lies between 0 and 1")


def chosen_policy(name: str, max_leak: float | None, min_precision: float | None) -> Policy:
    """Return the policy that a user asks for.

    Raises
    ------
    TriageError
        If there is none of this name, a share is none, or a bound is given to a policy without.
    """
    chosen = PolicyName(name)
    bounds = {"max_leak": max_leak, "min_precision": min_precision}
    given = {option: share for option, share in bounds.items() if share is not None}
    if given and chosen is not PolicyName.GUARDED:
        option = next(iter(given)).replace("_", "-")
        raise TriageError(f"--{option} is of the guarded policy: add --policy guarded")
    return Policy(chosen, **given)


@dataclass(frozen=True)
class Promise:
    """Two thresholds and what they promise.

    Parameters
    ----------
    low : float
        A message of a lower score is NTA.
    high : float
        A message of this score or a higher one is TA; above 1 where none is.
    asked : float
        The leak that was asked for.
    leak : float
        The leak on messages like those of the training is at most this, with `CONFIDENCE`.
    n_ta : int
        On how many held-out TA messages it rests.
    """

    low: float
    high: float
    asked: float
    leak: float
    n_ta: int

    @property
    def is_kept(self) -> bool:
        """Return whether what was asked for can be promised."""
        return self.leak <= self.asked


CONFIDENCE = 0.9
_NEVER = 2.0


def promise(held_out: HeldOut, max_leak: float, min_precision: float) -> Promise:
    """Choose the thresholds that keep the leak under a bound.

    The lower threshold is the highest below which so few held-out TA messages lie that a larger
    leak than the bound would show so few of them in one of ten cases at most. The higher one is
    the lowest above which the held-out messages are TA often enough.

    Parameters
    ----------
    held_out : HeldOut
    max_leak, min_precision : float
        Shares.

    Returns
    -------
    Promise
        Of the least leak that these data can promise, where that is more than the bound.

    Raises
    ------
    TriageError
        If no TA message was held out.

    Examples
    --------
    >>> score, is_ta = np.array([0.1, 0.2, 0.6, 0.7, 0.9]), np.array([0, 0, 1, 1, 1], dtype=bool)
    >>> promised = promise(HeldOut(score, is_ta), max_leak=0.6, min_precision=0.9)
    >>> promised.low, promised.high, promised.leak
    (0.6, 0.6, 0.6)
    """
    ta = np.sort(held_out.score[held_out.is_ta])
    if not len(ta):
        raise TriageError(
            "the model has no held-out messages to promise anything on: it was learnt from too "
            "few; train it on more, or use --policy agreement"
        )
    high = _precise_from(held_out, min_precision)
    # What is TA precisely enough is not released for being allowed to leak.
    low = min(high, float(ta[most_successes(len(ta), max_leak, CONFIDENCE)]))
    leak = max(max_leak, bound_of_none(len(ta), CONFIDENCE))
    return Promise(low, high, max_leak, leak, len(ta))


def _precise_from(held_out: HeldOut, min_precision: float) -> float:
    """Return the lowest score from which on the held-out messages are TA often enough."""
    order = np.argsort(-held_out.score, kind="stable")
    score, is_ta = held_out.score[order], held_out.is_ta[order]
    precision = np.cumsum(is_ta) / np.arange(1, len(is_ta) + 1)
    # Messages of one score stand or fall together.
    is_last = np.append(score[1:] != score[:-1], True)[: len(score)]
    enough = np.flatnonzero(is_last & (precision >= min_precision))
    return float(score[enough[-1]]) if len(enough) else _NEVER


def act(
    promised: Promise | None,
    seek_hide: Sequence[Verdict],
    model: Sequence[Prediction],
    score: NDArray[np.float64],
    by_form: NDArray[np.bool_] | None = None,
) -> list[Action]:
    """Return the action for each message.

    Parameters
    ----------
    promised : Promise or None
        Of the guarded policy; None for the agreement table.
    seek_hide : sequence of Verdict, length n_messages
    model : sequence of Prediction
    score : ndarray of float, shape (n_messages,)
    by_form : ndarray of bool, shape (n_messages,), optional
        Which messages hold an identifier that is known by its form.

    Returns
    -------
    list of Action
        With a promise, a message in which Seek&Hide is sure of an identifier is never NTA; a
        message that holds one that is known by its form never is.
    """
    if promised is None:
        actions = agreed(seek_hide, model)
    else:
        actions = [
            _guarded(promised, verdict, value)
            for verdict, value in zip(seek_hide, score.tolist(), strict=True)
        ]
    # Seek&Hide says TA of such a message, but in its strict reading it may say nothing.
    for i in np.flatnonzero(by_form).tolist() if by_form is not None else ():
        if actions[i] is Action.NTA:
            actions[i] = Action.EXPERT
    return actions


def _guarded(promised: Promise, verdict: Verdict, score: float) -> Action:
    if score < promised.low:
        return Action.EXPERT if verdict is Verdict.TA else Action.NTA
    return Action.TA if score >= promised.high else Action.EXPERT


def promise_lines(promised: Promise) -> list[str]:
    """Say a promise in words, for people."""
    lines = []
    if not promised.is_kept:
        lines.append(
            f"A leak of {promised.asked:.2%} cannot be promised on {promised.n_ta:,} held-out TA "
            "messages: label more, or accept what can be."
        )
    lines += [
        f"Promised, with {CONFIDENCE:.0%} confidence: a leak of at most {promised.leak:.2%}, for "
        "messages like those that the model was learnt from (exact binomial bound on "
        f"{promised.n_ta:,} TA messages that were held out).",
        f"NTA below a score of {promised.low:.4f}, "
        + (f"TA from {promised.high:.4f}." if promised.high <= 1 else "TA never."),
    ]
    return lines
