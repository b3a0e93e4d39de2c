"""The named feature sets, which the model is given of each message."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features import evidence, patel2013
from triage.features.word_evidence import ScoredWords


@dataclass(frozen=True)
class FeatureSet:
    """A named function from labelled messages to a table of features."""

    name: str
    features: tuple[str, ...]
    table: Callable[..., NDArray[np.float64]]
    monotonic: tuple[str, ...] = ()
    strongest: str = ""

    @property
    def weighs_words(self) -> bool:
        """Return whether the set needs the evidence of words, which must be learnt first."""
        return bool(self.strongest)

    def compute(
        self, labelled: LabelledMessages, scored: ScoredWords | None = None
    ) -> NDArray[np.float64]:
        """Return the features of each message, of shape (n_messages, n_features)."""
        if not self.weighs_words:
            return self.table(labelled)
        if scored is None:
            raise ValueError(f"the feature set {self.name!r} wants the evidence of words")
        return self.table(labelled, scored)


def _per_character(labelled: LabelledMessages) -> NDArray[np.float64]:
    return patel2013.per_character(patel2013.patel2013(labelled))


EVIDENCE = "evidence"
FEATURE_SETS = {
    feature_set.name: feature_set
    for feature_set in (
        FeatureSet(
            EVIDENCE, evidence.NAMES, evidence.evidence, evidence.MONOTONIC, evidence.NAMES[0]
        ),
        FeatureSet("patel2013", patel2013.NAMES, patel2013.patel2013),
        FeatureSet("patel2013-normalised", patel2013.NAMES, _per_character),
    )
}


def feature_set(name: str) -> FeatureSet:
    """Return the feature set of a name."""
    if name not in FEATURE_SETS:
        known = ", ".join(FEATURE_SETS)
        raise ValueError(f"no feature set is called {name!r}; there are: {known}")
    return FEATURE_SETS[name]
