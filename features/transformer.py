"""Features as a scikit-learn transformer, for pipelines and experiments."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from triage.dictionaries import label_messages, load_lexicon
from triage.features.sets import feature_set


class MessageFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Turn messages into a table of features."""

    def __init__(self, features: str = "patel2013", language: str = "fr") -> None:
        self.features = features
        self.language = language

    def fit(self, messages: Sequence[str], labels: object = None) -> Self:  # noqa: ARG002
        """Load the dictionaries; nothing is learnt from messages and labels."""
        self.set_ = feature_set(self.features)
        if self.set_.weighs_words:
            raise ValueError(
                f"the feature set {self.features!r} is learnt from labelled messages: "
                "use triage.model.learn.learn"
            )
        self.lexicon_ = load_lexicon(self.language)
        return self

    def transform(self, messages: Sequence[str] | NDArray[np.object_]) -> NDArray[np.float64]:
        """Return the features of messages, of shape (n_messages, n_features)."""
        check_is_fitted(self, "lexicon_")
        return self.set_.compute(label_messages(list(messages), self.lexicon_))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the features."""
        check_is_fitted(self, "set_")
        return np.array(self.set_.features, dtype=object)
