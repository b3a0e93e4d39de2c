"""From labelled messages, or from a training table, to a model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dictionaries import Lexicon, label_messages, load_lexicon
from features import FeatureSet

from .model import TA_FROM, Manifest, Model, named_features, versions
from .pipeline import DEFAULT_FEATURES
from .shipped import cache_folder
from .training import TrainingOptions, UndersampledBaggedTrees


def learn(
    messages: Sequence[str],
    labels: Sequence[str],
    lexicon: Lexicon | None = None,
    features: str = DEFAULT_FEATURES,
    options: TrainingOptions | None = None,
) -> Model:
    """Learn a model from labelled messages.

    Parameters
    ----------
    messages : sequence of str, length n_messages
    labels : sequence of {"TA", "NTA"}, length n_messages
    lexicon : Lexicon, optional
        The French pack by default.
    features : str
        The name of a feature set.
    options : TrainingOptions, optional

    Raises
    ------
    TriageError
        If a label is neither TA nor NTA, or fewer than 20 messages have one of them, or there
        is no such feature set.
    """
    lexicon = lexicon or load_lexicon("fr", cache=cache_folder())
    chosen = named_features(features)
    values = chosen.compute(label_messages(messages, lexicon))
    return fit(values, labels, chosen, lexicon, options or TrainingOptions())


def fit(
    values: NDArray[np.float64],
    labels: Sequence[str],
    features: FeatureSet,
    lexicon: Lexicon,
    options: TrainingOptions,
) -> Model:
    """Learn a model from a table of features.

    Parameters
    ----------
    values : ndarray of float, shape (n_messages, n_features)
    labels : sequence of {"TA", "NTA"}, length n_messages
    features : FeatureSet
    lexicon : Lexicon
        With which the features were computed.
    options : TrainingOptions

    Raises
    ------
    TriageError
        If a label is neither TA nor NTA, or fewer than 20 messages have one of them.
    """
    trees = UndersampledBaggedTrees(options.undersampling, seed=options.seed).fit(values, labels)
    n_ta = sum(label == "TA" for label in labels)
    manifest = Manifest(
        features=features.name,
        columns=features.features,
        language=lexicon.language,
        dictionaries=lexicon.fingerprint,
        n_ta=n_ta,
        n_nta=len(labels) - n_ta,
        undersampling=str(options.undersampling),
        seed=options.seed,
        ta_from=TA_FROM,
        versions=versions(),
    )
    return Model(trees.forest_, manifest)
