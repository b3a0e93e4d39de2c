"""What is gained by each of an expert's decisions, from plain arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from triage.reports.charts import Series, curve
from triage.reports.document import Figure

_Floats = NDArray[np.float64]


def left_after(order: ArrayLike, per_item: ArrayLike) -> _Floats:
    """Return how much is left after each decision, when items are decided in an order.

    Parameters
    ----------
    order : array_like of int, shape (n_items,)
        The items, the one that is decided first in front.
    per_item : array_like of float, shape (n_items,)
        What the decision of each takes off.

    Returns
    -------
    ndarray of float, shape (n_items + 1,)
        From before the first decision to after the last.

    Raises
    ------
    ValueError
        If the order does not name every item once.

    Examples
    --------
    >>> left_after([2, 0, 1], [1, 0, 4]).tolist()
    [5.0, 1.0, 0.0, 0.0]
    """
    items, each = np.asarray(order, dtype=np.int64), np.asarray(per_item, dtype=np.float64)
    if not np.array_equal(np.sort(items), np.arange(len(each))):
        msg = f"an order names each of {len(each)} items once"
        raise ValueError(msg)
    done: _Floats = np.concatenate([[0.0], np.cumsum(each[items])])
    return float(each.sum()) - done


def series_of(name: str, curves: Sequence[ArrayLike], x: ArrayLike | None = None) -> Series:
    """Return several runs as one line: their mean, in a band from the least to the greatest.

    Parameters
    ----------
    name : str
        What the legend calls it.
    curves : sequence of array_like of float, each of shape (n,)
        One run has no band.
    x : array_like of float, shape (n,), optional
        The numbers of decisions; by default from 0 on.

    Returns
    -------
    Series

    Raises
    ------
    ValueError
        If there is no run, or they are not equally long.

    Examples
    --------
    >>> series = series_of("random", [[4, 2, 0], [4, 0, 0]])
    >>> series.y.tolist(), series.low.tolist(), series.high.tolist()
    ([4.0, 1.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0])
    """
    runs = np.array(curves, dtype=np.float64)
    if not runs.size or runs.ndim != 2:
        msg = "a line needs one run or more, as long as one another"
        raise ValueError(msg)
    places = np.arange(runs.shape[1]) if x is None else x
    if len(runs) == 1:
        return Series(name, places, runs[0])
    return Series(name, places, runs.mean(axis=0), runs.min(axis=0), runs.max(axis=0))


def effort_figure(
    name: str, title: str, alt: str, lines: Sequence[Series], y_label: str, *, percent: bool = True
) -> Figure:
    """Return a figure of what is left, or reached, after so many decisions.

    Parameters
    ----------
    name, title, alt : str
        As of `Figure`.
    lines : sequence of Series
    y_label : str
    percent : bool
        Whether what is left are shares.

    Returns
    -------
    Figure

    Examples
    --------
    >>> line = series_of("doubt", [left_after([0, 1], [0.1, 0.2])])
    >>> effort_figure("leak", "Leak", "It falls with each decision.", [line], "leak").name
    'leak'
    """
    draw = curve(lines, x_label="items decided", y_label=y_label, percent="y" if percent else "")
    return Figure(name, title, alt, draw)
