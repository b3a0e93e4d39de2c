"""Learning: undersampled bagged decision trees (paper, sections 4 and 6.3)."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from triage.errors import TriageError
from triage.model.training import (
    FEWEST,
    UndersampledBaggedTrees,
    Undersampling,
    balanced_rows,
    check_labels,
)

WAYS = ["once", "per_bag"]
Table = tuple[NDArray[np.float64], NDArray[np.str_]]


@pytest.fixture(scope="module")
def table() -> Table:
    """Give 600 messages of three features, a sixth of them TA, that overlap."""
    drawn = np.random.default_rng(7)
    values = drawn.normal(size=(600, 3)).round(2)
    is_ta = values[:, 0] + drawn.normal(size=600) > 1.4
    return values, np.where(is_ta, "TA", "NTA")


@pytest.fixture(scope="module")
def many_nta() -> Table:
    """Give 30 TA messages of value 0 and 3,000 NTA messages of value 2, 4, 6…"""
    values = np.concatenate([np.zeros(30), 2 * np.arange(1, 3_001)])
    return values[:, np.newaxis], np.array(["TA"] * 30 + ["NTA"] * 3_000)


def fitted(table: Table, undersampling: str, **options: Any) -> UndersampledBaggedTrees:  # noqa: ANN401
    return UndersampledBaggedTrees(undersampling, **{"n_trees": 10, **options}).fit(*table)


def test_once_keeps_all_ta_and_as_many_nta() -> None:
    is_ta = np.arange(100) % 10 == 0
    kept = balanced_rows(is_ta, seed=3)
    assert is_ta[kept].sum() == (~is_ta[kept]).sum() == 10
    assert len(set(kept.tolist())) == 20
    assert kept.tolist() == sorted(kept.tolist())


def test_where_ta_are_more_they_are_undersampled() -> None:
    is_ta = np.arange(100) % 10 != 0
    kept = balanced_rows(is_ta, seed=3)
    assert set(np.flatnonzero(~is_ta)) <= set(kept.tolist())
    assert len(kept) == 20


def test_the_seed_draws_other_nta() -> None:
    is_ta = np.arange(1_000) % 10 == 0
    assert balanced_rows(is_ta, 1).tolist() == balanced_rows(is_ta, 1).tolist()
    assert balanced_rows(is_ta, 1).tolist() != balanced_rows(is_ta, 2).tolist()


def root_thresholds(trees: UndersampledBaggedTrees) -> set[float]:
    """Return where the trees cut: half-way to the least NTA message that each was shown."""
    return {float(tree.threshold[0]) for tree in trees.forest_.trees}


def test_once_shows_all_trees_the_same_few_nta(many_nta: Table) -> None:
    trees = fitted(many_nta, "once", n_trees=60, min_leaf=1, seed=5)
    values, labels = many_nta
    kept = values[balanced_rows(labels == "TA", 5), 0]
    assert root_thresholds(trees) <= set((kept / 2).tolist())


def test_per_bag_shows_each_tree_other_nta(many_nta: Table) -> None:
    trees = fitted(many_nta, "per_bag", n_trees=60, min_leaf=1)
    assert len(root_thresholds(trees)) > 30


def test_per_bag_balances_each_bag(table: Table) -> None:
    trees = fitted(table, "per_bag")
    assert {tree.value[0] for tree in trees.forest_.trees} == {0.5}


@pytest.mark.parametrize("undersampling", WAYS)
def test_the_same_seed_gives_the_same_scores(undersampling: str, table: Table) -> None:
    one, other = (fitted(table, undersampling, seed=11) for _ in range(2))
    assert (one.predict_proba(table[0]) == other.predict_proba(table[0])).all()


@pytest.mark.parametrize("undersampling", WAYS)
def test_another_seed_gives_other_scores(undersampling: str, table: Table) -> None:
    one, other = (fitted(table, undersampling, seed=seed) for seed in (11, 12))
    assert (one.predict_proba(table[0]) != other.predict_proba(table[0])).any()


@pytest.mark.parametrize("undersampling", WAYS)
def test_scores_of_both_classes_add_up_to_one(undersampling: str, table: Table) -> None:
    scores = fitted(table, undersampling).predict_proba(table[0])
    assert scores.shape == (600, 2)
    assert scores.min() >= 0
    assert np.allclose(scores.sum(axis=1), 1)


@pytest.mark.parametrize("undersampling", WAYS)
def test_what_was_learnt_is_better_than_chance(undersampling: str, table: Table) -> None:
    values, labels = table
    predicted = fitted(table, undersampling).predict(values)
    recalls = [(predicted[labels == label] == label).mean() for label in ("TA", "NTA")]
    assert np.mean(recalls) > 0.7


def test_a_prediction_is_the_class_that_scores_more(table: Table) -> None:
    trees = fitted(table, "per_bag")
    is_ta = trees.predict_proba(table[0])[:, 1] > 0.5
    assert trees.predict(table[0]).tolist() == np.where(is_ta, "TA", "NTA").tolist()


def test_as_many_trees_are_learnt_as_wanted(table: Table) -> None:
    assert len(fitted(table, "per_bag", n_trees=7).forest_.trees) == 7


def test_a_leaf_holds_the_fewest_messages_wanted(table: Table) -> None:
    shallow, deep = (fitted(table, "once", min_leaf=fewest) for fewest in (40, 1))
    assert max(tree.depth for tree in shallow.forest_.trees) <= 5
    assert min(tree.depth for tree in deep.forest_.trees) > 5


@pytest.mark.parametrize("undersampling", WAYS)
def test_one_feature_suffices(undersampling: str) -> None:
    values, labels = [[0.0], [1.0]] * 40, ["NTA", "TA"] * 40
    trees = UndersampledBaggedTrees(undersampling, n_trees=10).fit(values, labels)
    assert trees.predict([[0.0], [1.0]]).tolist() == ["NTA", "TA"]


@pytest.mark.parametrize("undersampling", WAYS)
def test_the_fewest_messages_allowed_are_learnt_from(undersampling: str) -> None:
    values = np.arange(500, dtype=float)[:, np.newaxis]
    labels = np.where(np.arange(500) < FEWEST, "TA", "NTA")
    trees = UndersampledBaggedTrees(undersampling).fit(values, labels)
    assert trees.predict([[0.0], [499.0]]).tolist() == ["TA", "NTA"]


def test_a_clone_has_the_options_and_nothing_learnt(table: Table) -> None:
    trees = fitted(table, "once", n_trees=9, min_leaf=3, max_features=None, seed=4)
    copy = clone(trees)
    assert copy.get_params() == {
        "undersampling": "once",
        "n_trees": 9,
        "min_leaf": 3,
        "max_features": None,
        "seed": 4,
        "splitter": "best",
        "monotonic": (),
    }
    with pytest.raises(NotFittedError):
        copy.predict(table[0])


def test_options_can_be_set_later() -> None:
    assert UndersampledBaggedTrees().set_params(n_trees=3).n_trees == 3


def test_scikit_learn_can_cross_validate_it(table: Table) -> None:
    scores = cross_val_score(UndersampledBaggedTrees(n_trees=5), *table, cv=3)
    assert len(scores) == 3
    assert scores.min() > 0.5


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0, 2.0, 3.0, 4.0]], [1.0, 2.0, 3.0]])
def test_a_table_of_other_columns_is_an_error(values: object, table: Table) -> None:
    with pytest.raises(ValueError, match="no table of 3 features"):
        fitted(table, "once").predict(values)  # type: ignore[arg-type]


def test_an_undersampling_that_nobody_knows_is_an_error(table: Table) -> None:
    with pytest.raises(TriageError, match="'twice': it is once or per_bag"):
        fitted(table, "twice")


def test_the_ways_of_undersampling_have_names() -> None:
    assert [way.value for way in Undersampling] == WAYS


def test_other_labels_are_named_with_the_rows_where_they_first_stand() -> None:
    labels = np.array(["TA", "NTA", "ta", "oui", "ta"])
    with pytest.raises(TriageError, match=r"'oui' \(row 4\), 'ta' \(row 3\)$"):
        check_labels(labels)


def test_of_many_other_labels_five_are_named() -> None:
    with pytest.raises(TriageError) as problem:
        check_labels(np.array([f"L{number}" for number in range(50)]))
    assert str(problem.value).count("(row ") == 5


@pytest.mark.parametrize("missing", ["TA", "NTA"])
def test_a_label_that_never_comes_is_an_error(missing: str) -> None:
    labels = np.array([label for label in ["TA", "NTA"] * 50 if label != missing])
    with pytest.raises(TriageError, match=f"no messages are labelled {missing}: .* at least 20"):
        check_labels(labels)


def test_too_few_messages_of_a_label_are_an_error() -> None:
    with pytest.raises(TriageError, match=r"^19 messages are labelled TA: .* at least 20"):
        check_labels(np.array(["TA"] * 19 + ["NTA"] * 500))


def test_no_messages_at_all_are_an_error() -> None:
    with pytest.raises(TriageError, match="no messages are labelled TA"):
        UndersampledBaggedTrees().fit(np.empty((0, 3)), [])
