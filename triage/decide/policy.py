"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps leak and precision within bounds by two
thresholds on the model's score (`triage.decide.promise`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..errors import TriageError
from ..vocabulary import Action, Prediction, Verdict
from .agreement import actions as agreed
from .promise import Promise


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

    name: PolicyName | str = PolicyName.GUARDED
    # The leak of the agreement table where names have capitals; without, it leaks twice as much.
    max_leak: float = 0.02
    min_precision: float = 0.95

    @classmethod
    def of(cls, policy: "Policy | str | None") -> "Policy":
        """Return a policy, that of a name, or by default the guarded one.

        Examples
        --------
        >>> Policy.of("agreement").name.value, Policy.of(None).max_leak
        ('agreement', 0.02)
        """
        if isinstance(policy, Policy):
            return policy
        return cls() if policy is None else cls(PolicyName(policy))

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", PolicyName(self.name))
        for option, share in (("max-leak", self.max_leak), ("min-precision", self.min_precision)):
            if not 0 < share < 1:
                raise TriageError(f"--{option} {share:g} is no share: it lies between 0 and 1")


def chosen_policy(
    name: str | None, max_leak: float | None, min_precision: float | None
) -> Policy | None:
    """Return the policy that a user asks for; None where nothing is asked for."""
    chosen = PolicyName.GUARDED if name is None else PolicyName(name)
    bounds = {"max_leak": max_leak, "min_precision": min_precision}
    given = {option: share for option, share in bounds.items() if share is not None}
    if given and chosen is not PolicyName.GUARDED:
        option = next(iter(given)).replace("_", "-")
        raise TriageError(f"--{option} is of the guarded policy: leave --policy agreement out")
    return None if name is None and not given else Policy(chosen, **given)


def act(
    promised: Promise | None,
    seek_hide: Sequence[Verdict],
    model: Sequence[Prediction],
    score: NDArray[np.float64],
    by_form: NDArray[np.bool_] | None = None,
) -> list[Action]:
    """Return the action for each message."""
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
