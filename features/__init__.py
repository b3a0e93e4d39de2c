"""Features: from labelled messages to the table that the model learns from."""

from .messages import FeatureSet, feature_set

__all__ = ["FeatureSet", "feature_set"]
