"""The learnt model: trees, weights of words, and a manifest."""

from dataclasses import dataclass, field
from importlib import metadata

import numpy as np
from numpy.typing import NDArray

from triage.features.second_stage import WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights

from ..vocabulary import Prediction

# A message is TA from this score on. One half would weigh a leak and a false alarm alike; this was
# chosen on the first 4,000 messages of 88milSMS (grouped by sender), where the agreement table then
# gives a leak of some 9 % and a workload of some 4 %, instead of 11 % and 1 %.
TA_FROM = 0.37
# With word evidence, chosen in the same way: leak and workload some 2 %.
TA_FROM_EVIDENCE = 0.38
Covered = tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_]]
_VERSIONED = ("sms-triage", "scikit-learn", "imbalanced-learn", "numpy")


@dataclass(frozen=True)
class Manifest:
    """The provenance of a model."""

    features: str
    columns: tuple[str, ...]
    language: str
    dictionaries: str
    n_ta: int
    n_nta: int
    undersampling: str
    seed: int
    ta_from: float
    versions: dict[str, str]
    words_from: str = ""


@dataclass(frozen=True)
class HeldOut:
    """The training messages out of fold, from which a policy sets its thresholds.

    Scores have a row for the messages as written, then for each way of rewriting them; so have what
    is found, the risk, and which messages keep an identifier, the columns of `covered`. Where no
    words are weighed or none were marked, nothing is covered. Messages of one sender are of one
    group.
    """

    score: NDArray[np.float64]
    is_ta: NDArray[np.bool_]
    names_with_capitals: tuple[float, ...] = (1.0,)
    covered: Covered | None = None
    group: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True)
class Voter:
    """Trees that vote, and their out-of-fold scores."""

    forest: Forest
    held_out: HeldOut
    strongest: int | None = None

    def score(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of each row of features."""
        return voted(self.forest, values, self.strongest)


def voted(
    forest: Forest, values: NDArray[np.float64], strongest: int | None
) -> NDArray[np.float64]:
    """Return the score of each message: the trees' mean, mixed with its strongest word."""
    score = forest.score(values)
    if strongest is not None:
        likely = np.clip(values[:, strongest], _LEAST, 1 - _LEAST)
        odds = np.log(likely / (1 - likely)) / np.log((1 - _LEAST) / _LEAST)
        score = (1 - _OF_STRONGEST) * score + _OF_STRONGEST * (odds + 1) / 2
    return score.round(4)


_LEAST = 1e-6
# Chosen on the first 4,000 messages of 88milSMS, grouped by sender, from 0.01 to 0.9.
_OF_STRONGEST = 0.9


@dataclass(frozen=True)
class LearntWords:
    """The two stages of word evidence, and the trees fitted on features with both."""

    words: WordWeights
    corpus: WordTrees | None
    voter: Voter


@dataclass(frozen=True)
class Model:
    """A learnt model."""

    manifest: Manifest
    voter: Voter
    words: LearntWords | None = None

    def predict(self, score: NDArray[np.float64]) -> list[Prediction]:
        """Return TA for scores from the model's threshold on, else NTA."""
        is_ta = (score >= self.manifest.ta_from).tolist()
        return [Prediction.TA if one else Prediction.NTA for one in is_ta]


def versions() -> dict[str, str]:
    """Return the versions of this program and of the libraries with which it learns."""
    return {name: metadata.version(name) for name in _VERSIONED}
