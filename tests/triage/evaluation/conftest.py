"""Learning that takes little time."""

from collections.abc import Iterator

import pytest

from triage.features import FeatureSet
from triage.model.training import TrainingOptions, UndersampledBaggedTrees, trees_for


def _few(features: FeatureSet, options: TrainingOptions) -> UndersampledBaggedTrees:
    trees: UndersampledBaggedTrees = trees_for(features, options).set_params(n_trees=5)
    return trees


@pytest.fixture(scope="module")
def few_trees() -> Iterator[pytest.MonkeyPatch]:
    """Learn few trees within a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("triage.model.learn.trees_for", _few)
        yield patch
