"""How much is left: the share of identifiers that still stand, estimated from the answers."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .answers import Answer, Said
from .candidates import Round

# Answers are counted by likelihood, in bands between these; the likelihood itself counts as so many
# answers more.
_BANDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_PRIOR = 10.0
# Where nothing is answered yet, a spelling that is still to be found stands so often.
_PLACES = 1.5


@dataclass(frozen=True)
class Outlook:
    """Estimated places of identifiers."""

    found: int
    left: float

    @property
    def share(self) -> float:
        """The share of those left among all."""
        everything = self.found + self.left
        return self.left / everything if everything else 0.0


def outlook(now: Round, answers: Iterable[Answer]) -> Outlook:
    """Estimate what is left after a round."""
    n_bands = len(_BANDS) + 1
    asked, right, places = np.zeros((3, n_bands))
    for one in answers:
        if one.likelihood is not None and one.said is not Said.LATER:
            band = bisect_right(_BANDS, one.likelihood)
            asked[band] += 1
            right[band] += one.n_identifiers > 0
            places[band] += one.n_identifiers
    likelihood = now.likelihood[now.likelihood > 0]
    bands = np.searchsorted(_BANDS, likelihood, side="right")
    n = np.bincount(bands, minlength=n_bands)
    by_itself = np.bincount(bands, likelihood, minlength=n_bands) / np.maximum(n, 1)
    rate = (right + _PRIOR * by_itself) / (asked + _PRIOR)
    each = (places + _PLACES) / (right + 1)
    return Outlook(now.n_marked, float((n * rate * each).sum()))
