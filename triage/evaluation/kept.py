"""Whether the promise of the guarded policy held on labelled messages."""

from enum import StrEnum

from triage.reports.intervals import fewest_trials, lower_bound, upper_bound

from ..decide.policy import Promise


class Kept(StrEnum):
    """What labelled messages say of a promise, with 95 % confidence."""

    KEPT = "kept"
    NOT_KEPT = "not kept"
    UNKNOWN = "these messages are too few to tell"


def kept(promised: float, leaked: int, n_ta: int) -> Kept:
    """Compare a promised leak with the one that was counted, by exact one-sided bounds.

    Parameters
    ----------
    promised : float
        A share.
    leaked, n_ta : int
        TA messages that were released, and all of them.

    Returns
    -------
    Kept
        `KEPT` if the upper bound of the leak is at most what was promised, `NOT_KEPT` if its
        lower bound is above that.

    Examples
    --------
    >>> [kept(0.01, leaked, 489).value for leaked in (0, 3, 20)]
    ['kept', 'these messages are too few to tell', 'not kept']
    """
    if n_ta and upper_bound(leaked, n_ta) <= promised:
        return Kept.KEPT
    if n_ta and lower_bound(leaked, n_ta) > promised:
        return Kept.NOT_KEPT
    return Kept.UNKNOWN


def kept_in_words(promised: Promise, leaked: int, n_ta: int) -> str:
    """Say what was promised, what was counted, and whether that keeps the promise.

    Parameters
    ----------
    promised : Promise
    leaked, n_ta : int
        As for `kept`.
    """
    asked = "" if promised.is_kept else f" ({promised.asked:.2%} was asked for)"
    said = f"The guarded policy promised a leak of at most {promised.leak:.2%}{asked}; "
    if not n_ta:
        return f"{said}here no message is labelled TA: {Kept.UNKNOWN}."
    verdict = kept(promised.leak, leaked, n_ta)
    counted = (
        f"on these messages it is {leaked / n_ta:.2%} ({leaked:,} of {n_ta:,} TA messages; at "
        f"most {upper_bound(leaked, n_ta):.2%} with 95 % confidence): {verdict}."
    )
    if verdict is not Kept.UNKNOWN:
        return said + counted
    fewest = fewest_trials(promised.leak)
    return (
        f"{said}{counted} It takes {fewest:,} TA messages to show it, if none of them is released."
    )
