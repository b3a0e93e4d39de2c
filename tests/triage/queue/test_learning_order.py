"""The order of the queue: both kinds in turn, the highest scores of each first."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.queue.fill import learning_order

SCORES = st.lists(st.floats(0, 1), max_size=30)
TA_FROM = 0.3


def order(scores: list[float], n_messages: list[int] | None = None) -> list[float]:
    """The scores in the order of their keys."""
    key = learning_order(scores, TA_FROM, n_messages or [1] * len(scores))
    return [scores[i] for i in sorted(range(len(scores)), key=key.__getitem__)]


def test_kinds_come_in_turn_and_then_what_is_left() -> None:
    scores = [0.05, 0.9, 0.29, 0.2, 0.3, 0.1]
    assert order(scores) == [0.9, 0.29, 0.3, 0.2, 0.1, 0.05]


def test_the_threshold_itself_is_a_vote_for_ta() -> None:
    assert learning_order([0.3, 0.2999], TA_FROM, [1, 1]) == [0, 1]


def test_of_equal_scores_the_one_with_more_messages_comes_first() -> None:
    assert learning_order([0.5, 0.5, 0.5], TA_FROM, [1, 7, 2]) == [4, 0, 2]


def test_equal_items_keep_their_order() -> None:
    assert learning_order([0.1, 0.1, 0.1], TA_FROM, [1, 1, 1]) == [1, 3, 5]


@given(SCORES)
def test_no_two_items_have_one_key(scores: list[float]) -> None:
    found = learning_order(scores, TA_FROM, [1] * len(scores))
    assert len(set(found)) == len(scores)


@given(SCORES)
def test_each_kind_falls(scores: list[float]) -> None:
    in_order = order(scores)
    for kind in (True, False):
        of_kind = [score for score in in_order if (score >= TA_FROM) is kind]
        assert all(first >= second for first, second in pairwise(of_kind))


def test_no_items_have_no_keys() -> None:
    assert learning_order([], TA_FROM, []) == []


def test_sizes_pair_up_with_scores() -> None:
    with pytest.raises(ValueError, match="shorter"):
        learning_order([0.1, 0.2], TA_FROM, [1])
