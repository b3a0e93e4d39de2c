"""All that was learnt, and from what: trees, weights of words, and a manifest."""

from dataclasses import dataclass
from importlib import metadata

import numpy as np
from numpy.typing import NDArray

from triage.features import FeatureSet, feature_set
from triage.features.corpus_evidence import CorpusWeights
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from ..vocabulary import Prediction
from .forest import Forest

# A message is TA from this score on. Half would weigh a leak and a look alike; this was chosen
# on the first 4,000 messages of 88milSMS (grouped by sender), where the table of both votes then
# leaks some 9 % of TA and sends some 4 % of messages to the expert, instead of 11 % and 1 %.
TA_FROM = 0.37
# With the evidence of words, chosen in the same way: leak some 3 %, workload below 2 %.
TA_FROM_EVIDENCE = 0.3


@dataclass(frozen=True)
class Manifest:
    """What a model was learnt from and with.

    Parameters
    ----------
    features : str
        The name of the feature set.
    columns : tuple of str
    language : str
    dictionaries : str
        Fingerprint of the lists that the features were computed with.
    n_ta, n_nta : int
        Training messages of each class.
    undersampling : str
    seed : int
    ta_from : float
        The score from which a message is TA.
    versions : dict of str to str
        Of this program and of the libraries that learnt.
    words_from : str
        What the evidence of words was learnt from: ``"spans"``, or ``"labels"`` of messages
        alone; then how many decisions of a queue it was adapted to; empty where words are not
        weighed.
    """

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
    """Scores of training messages by trees that did not see their senders.

    From them a policy knows what a threshold lets through.

    Parameters
    ----------
    score : ndarray of float, shape (n_messages,)
    is_ta : ndarray of bool, shape (n_messages,)
    """

    score: NDArray[np.float64]
    is_ta: NDArray[np.bool_]


@dataclass(frozen=True)
class Voter:
    """Trees that vote, and how they scored messages that they did not see.

    Parameters
    ----------
    forest : Forest
    held_out : HeldOut
    strongest : int, optional
        The column of the strongest word's probability, where words are weighed.
    """

    forest: Forest
    held_out: HeldOut
    strongest: int | None = None

    def score(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of each message.

        Parameters
        ----------
        values : ndarray of float, shape (n_messages, n_features)

        Returns
        -------
        ndarray of float, shape (n_messages,)
            From 0 to 1, rounded to four decimals.
        """
        return voted(self.forest, values, self.strongest)


def voted(
    forest: Forest, values: NDArray[np.float64], strongest: int | None
) -> NDArray[np.float64]:
    """Return the score of each message: what the trees say, and a little of its strongest word.

    A bag of trees learnt from a thousand messages gives many harmless ones the same score; the
    log odds of the strongest word keep those in order.

    Parameters
    ----------
    forest : Forest
    values : ndarray of float, shape (n_messages, n_features)
    strongest : int or None
        The column of the strongest word's probability.

    Returns
    -------
    ndarray of float, shape (n_messages,)
        From 0 to 1, rounded to four decimals.
    """
    score = forest.score(values)
    if strongest is not None:
        likely = np.clip(values[:, strongest], _LEAST, 1 - _LEAST)
        odds = np.log(likely / (1 - likely)) / np.log((1 - _LEAST) / _LEAST)
        score = (1 - _OF_STRONGEST) * score + _OF_STRONGEST * (odds + 1) / 2
    return score.round(_DECIMALS)


_LEAST = 1e-6
# Chosen on the first 4,000 messages of 88milSMS, grouped by sender, of 0.01 to 0.5.
_OF_STRONGEST = 0.1
_DECIMALS = 4


@dataclass(frozen=True)
class LearntWords:
    """What was learnt of words, for a feature set that weighs them.

    Parameters
    ----------
    words : WordWeights
        What a word in its place tells.
    corpus : CorpusWeights
        What the whole corpus adds to it.
    voter : Voter
        Learnt from messages whose words were weighed with corpus evidence.
    """

    words: WordWeights
    corpus: CorpusWeights
    voter: Voter


@dataclass(frozen=True)
class Learnt:
    """All that was learnt.

    Parameters
    ----------
    voter : Voter
        For messages by themselves.
    words : LearntWords, optional
    """

    voter: Voter
    words: LearntWords | None = None


@dataclass(frozen=True)
class Model:
    """What was learnt, and from what."""

    learnt: Learnt
    manifest: Manifest

    @property
    def forest(self) -> Forest:
        """The trees that vote on messages by themselves."""
        return self.learnt.voter.forest

    def predict(self, score: NDArray[np.float64]) -> list[Prediction]:
        """Return TA for scores from the model's threshold on, else NTA.

        Parameters
        ----------
        score : ndarray of float, shape (n_messages,)

        Returns
        -------
        list of Prediction, length n_messages
        """
        return [
            Prediction.TA if value >= self.manifest.ta_from else Prediction.NTA for value in score
        ]


def versions() -> dict[str, str]:
    """Return the versions of this program and of what it learns with."""
    return {name: metadata.version(name) for name in _VERSIONED}


_VERSIONED = ("sms-triage", "scikit-learn", "imbalanced-learn", "numpy")


def named_features(name: str) -> FeatureSet:
    """Return the feature set that a user or a manifest names.

    Raises
    ------
    TriageError
        If there is none; it lists those there are.
    """
    try:
        return feature_set(name)
    except ValueError as error:
        raise TriageError(str(error)) from error


def strongest_column(features: FeatureSet) -> int | None:
    """Return the column of the strongest word's probability; None where words are not weighed."""
    return features.features.index(features.strongest) if features.strongest else None
