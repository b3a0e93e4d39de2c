"""How much is left: the share of identifiers that still stand, estimated from the answers."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .answers import Answer, Said
from .candidates import Round

# Answers are counted by likelihood, in bands between these. One that was answered often enough
# outweighs the likelihood by itself, which counts as so many places that were answered.
_BANDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_PRIOR = 10.0


@dataclass(frozen=True)
class Outlook:
    """Estimated places of identifiers.

    Parameters
    ----------
    found : int
        Words that are known to identify somebody.
    left : float
        Words that are expected to identify somebody, and are not known to.
    """

    found: int
    left: float

    @property
    def share(self) -> float:
        """The share of those left among all."""
        everything = self.found + self.left
        return self.left / everything if everything else 0.0


def outlook(now: Round, answers: Iterable[Answer]) -> Outlook:
    """Estimate what is left after a round.

    Of the spellings of each band of likelihood, as many places are expected to hold an identifier
    as did of those that were answered; where few were, as their likelihood says.
    """
    said = [one for one in answers if one.likelihood is not None and one.said is not Said.LATER]
    held, asked = np.zeros(len(_BANDS) + 1), np.zeros(len(_BANDS) + 1)
    for one in said:
        band = bisect_right(_BANDS, one.likelihood or 0.0)
        held[band] += one.n_identifiers
        asked[band] += one.stands
    bands = np.searchsorted(_BANDS, now.likelihood, side="right")
    left = 0.0
    for band in range(len(_BANDS) + 1):
        here = (bands == band) & (now.likelihood > 0)
        places = float(now.stands[here].sum())
        if places:
            expected = float((now.stands[here] * now.likelihood[here]).sum()) / places
            rate = (held[band] + _PRIOR * expected) / (asked[band] + _PRIOR)
            left += places * float(rate)
    return Outlook(now.n_marked, left)
