"""In which order the expert's items come."""

from collections.abc import Sequence

# The key of an item that is not the expert's, and of one whose turn is not known yet.
BEHIND = float(2**53)


def keys(
    scores: Sequence[float], ta_from: float, n_messages: Sequence[int] | None = None
) -> list[float]:
    """Return the key of each item; the lowest comes first.

    Items that the model would anonymise and items that it would release come alternately, of both
    the highest scores first. Among the former are most identifiers, from which a model learns;
    the first of the latter are what would leak if the rest were left to the model. Where one kind
    is used up the other goes on.

    Parameters
    ----------
    scores : sequence of float, length n_items
        The model's score of each.
    ta_from : float
        The score from which the model votes TA.
    n_messages : sequence of int, length n_items, optional
        How many messages read so: of equal scores those that decide more come first.

    Returns
    -------
    list of float, length n_items
        No two are equal. An item of the highest score has the least key of its kind.

    Raises
    ------
    ValueError
        If there are more or fewer numbers of messages than scores.

    Examples
    --------
    >>> keys([0.8, 0.1, 0.5, 0.25, 0.2], ta_from=0.3)
    [0.0, 5.0, 2.0, 1.0, 3.0]
    """
    times = [1] * len(scores) if n_messages is None else n_messages
    ranked = sorted(
        (-score, -n, number) for number, (score, n) in enumerate(zip(scores, times, strict=True))
    )
    found, of_kind = [0.0] * len(scores), [0, 0]
    for negative, _, number in ranked:
        kind = int(-negative < ta_from)
        found[number] = float(2 * of_kind[kind] + kind)
        of_kind[kind] += 1
    return found
