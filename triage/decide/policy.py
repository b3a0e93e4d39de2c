"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps leak and precision within bounds by two
thresholds on the model's score (`triage.decide.promise`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vocabulary import Action, Prediction, Verdict
from .agreement import actions as agreed
from .promise import Promise


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
