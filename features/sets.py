"""The named feature sets: what the model is given of each message."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dictionaries import LabelledMessages

from . import patel2013


@dataclass(frozen=True)
class FeatureSet:
    """A named way from labelled messages to a table of features.

    Parameters
    ----------
    name : str
    features : tuple of str
        The names of the columns.
    compute : callable
        From LabelledMessages to an array of shape (n_messages, n_features).
    """

    name: str
    features: tuple[str, ...]
    compute: Callable[[LabelledMessages], NDArray[np.float64]]


def _per_character(labelled: LabelledMessages) -> NDArray[np.float64]:
    return patel2013.per_character(patel2013.patel2013(labelled))


FEATURE_SETS = {
    feature_set.name: feature_set
    for feature_set in (
        FeatureSet("patel2013", patel2013.NAMES, patel2013.patel2013),
        FeatureSet("patel2013-normalised", patel2013.NAMES, _per_character),
    )
}


def feature_set(name: str) -> FeatureSet:
    """Return the feature set of a name.

    Parameters
    ----------
    name : str

    Returns
    -------
    FeatureSet

    Raises
    ------
    ValueError
        If there is none; the message names those there are.

    Examples
    --------
    >>> feature_set("patel2013").features[:3]
    ('UpperCase', 'SMSLength', 'FirstName')
    """
    if name not in FEATURE_SETS:
        known = ", ".join(FEATURE_SETS)
        raise ValueError(f"no feature set is called {name!r}; there are: {known}")
    return FEATURE_SETS[name]
