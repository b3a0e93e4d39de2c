"""Features: from labelled messages to the table that the model learns from."""

from triage.features.messages import FEATURE_SETS, FeatureSet, feature_set

__all__ = ["FEATURE_SETS", "FeatureSet", "feature_set"]
