"""Learning: undersampled bagged decision trees (paper, sections 4 and 6.3)."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from triage.errors import TriageError
from triage.model.learn import UndersampledBaggedTrees, check_labels

WAYS = ["once", "per_bag"]
Table = tuple[NDArray[np.float64], NDArray[np.str_]]


@pytest.fixture(scope="module")
def table() -> Table:
    """Give 600 messages of three features, a sixth of them TA, that overlap."""
    drawn = np.random.default_rng(7)
    values = drawn.normal(size=(600, 3)).round(2)
    is_ta = values[:, 0] + drawn.normal(size=600) > 1.4
    return values, np.where(is_ta, "TA", "NTA")


def fitted(table: Table, undersampling: str, **options: Any) -> UndersampledBaggedTrees:  # noqa: ANN401
    return UndersampledBaggedTrees(undersampling, **{"n_trees": 10, **options}).fit(*table)


@pytest.mark.parametrize("undersampling", WAYS)
def test_what_was_learnt_is_better_than_chance_and_the_same_of_one_seed(
    undersampling: str, table: Table
) -> None:
    values, labels = table
    one, same, other = (fitted(table, undersampling, seed=seed) for seed in (11, 11, 12))
    scores = one.predict_proba(values)
    assert scores.shape == (600, 2)
    assert np.allclose(scores.sum(axis=1), 1)
    assert (same.predict_proba(values) == scores).all()
    assert (other.predict_proba(values) != scores).any()
    predicted = one.predict(values)
    assert predicted.tolist() == np.where(scores[:, 1] > 0.5, "TA", "NTA").tolist()
    recalls = [(predicted[labels == label] == label).mean() for label in ("TA", "NTA")]
    assert np.mean(recalls) > 0.7


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (["TA", "NTA", "ta", "oui", "ta"], r"'oui' \(row 4\), 'ta' \(row 3\)$"),
        ([f"L{number}" for number in range(50)], r"^[^(]*(\(row \d+\)[^(]*){5}$"),
        ([], "no messages to learn from are labelled TA"),
    ],
)
def test_labels_that_cannot_be_learnt_from_are_an_error(labels: list[str], problem: str) -> None:
    with pytest.raises(TriageError, match=problem):
        check_labels(np.array(labels, dtype=str))


def test_another_table_or_way_of_undersampling_is_an_error(table: Table) -> None:
    for values in ([[1.0, 2.0]], [[1.0, 2.0, 3.0, 4.0]]):
        with pytest.raises(ValueError, match="no table of 3 features"):
            fitted(table, "once").predict(values)
    with pytest.raises(TriageError, match="'twice': it is once or per_bag"):
        fitted(table, "twice")
