"""The agreement table (paper, Table 2): two votes, one action."""

from collections.abc import Iterable

from ..vocabulary import Action, Prediction, Verdict

TABLE = {
    (Verdict.TA, Prediction.TA): Action.TA,
    (Verdict.TA, Prediction.NTA): Action.EXPERT,
    (Verdict.NTA, Prediction.TA): Action.EXPERT,
    (Verdict.NTA, Prediction.NTA): Action.NTA,
    (Verdict.UNTAGGED, Prediction.TA): Action.TA,
    (Verdict.UNTAGGED, Prediction.NTA): Action.NTA,
}


def actions(seek_hide: Iterable[Verdict], model: Iterable[Prediction]) -> list[Action]:
    """Return the action for each message.

    Examples
    --------
    >>> [a.name for a in actions([Verdict.TA, Verdict.UNTAGGED], [Prediction.NTA, Prediction.NTA])]
    ['EXPERT', 'NTA']
    """
    return [TABLE[votes] for votes in zip(seek_hide, model, strict=True)]
