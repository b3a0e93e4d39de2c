"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps residue, leak and precision within bounds by
thresholds on the model's score and on the risk (`triage.decide.promise`).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..model.coverage import Coverage
from ..vocabulary import Action, Prediction, Verdict
from .promise import PLACE, Promise, guarded

Cell = tuple[str, str, str]
"""A verdict of Seek&Hide, a vote of the model and an action."""

TABLE = {
    (Verdict.TA, Prediction.TA): Action.TA,
    (Verdict.TA, Prediction.NTA): Action.EXPERT,
    (Verdict.NTA, Prediction.TA): Action.EXPERT,
    (Verdict.NTA, Prediction.NTA): Action.NTA,
    (Verdict.UNTAGGED, Prediction.TA): Action.TA,
    (Verdict.UNTAGGED, Prediction.NTA): Action.NTA,
}


def actions(seek_hide: Iterable[Verdict], model: Iterable[Prediction]) -> list[Action]:
    """Return the action for each message by the agreement table."""
    return [TABLE[votes] for votes in zip(seek_hide, model, strict=True)]


def act(
    promised: Promise | None,
    seek_hide: Sequence[Verdict],
    model: Sequence[Prediction],
    score: NDArray[np.float64],
    by_form: NDArray[np.bool_],
    covered: Coverage | None = None,
) -> list[Action]:
    """Return the action for each message; `by_form`: it holds an identifier of form."""
    if promised is not None:
        numbers = guarded(promised, score, by_form, covered)
    else:
        agreed = [PLACE[action] for action in actions(seek_hide, model)]
        numbers = np.array(agreed, dtype=np.int64)
        # Seek&Hide says TA of such a message, but in its strict reading it may say nothing.
        numbers[by_form & (numbers == PLACE[Action.NTA])] = PLACE[Action.EXPERT]
    found: list[Action] = _ACTIONS[numbers].tolist()
    return found


_ACTIONS = np.array([*Action], dtype=object)
