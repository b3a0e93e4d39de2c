"""Counting by chunks is counting with a dictionary, whatever the chunks."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.features import counts
from triage.features.counts import LOWEST, PairCounts, Totals, TwoHighest

from .samples import cut, unhurried

VALUE = st.integers(-40, 40)
NUMBER = st.integers(0, 7)
SIZES = st.lists(st.integers(0, 5), max_size=5)


def integers(items: list[int]) -> "np.typing.NDArray[np.int64]":
    return np.array(items, dtype=np.int64)


@unhurried
@given(st.lists(st.tuples(NUMBER, VALUE, st.booleans())), SIZES)
def test_totals_are_those_of_a_dictionary(
    rows: list[tuple[int, int, bool]], sizes: list[int]
) -> None:
    totals, expected = Totals("n", "value", "is_so"), defaultdict[tuple[str, int], int](int)
    for chunk in cut(rows, sizes):
        totals.add(
            integers([number for number, _, _ in chunk]),
            n=1,
            value=integers([value for _, value, _ in chunk]),
            is_so=np.array([is_so for _, _, is_so in chunk], dtype=np.bool_),
        )
    for number, value, is_so in rows:
        expected["n", number] += 1
        expected["value", number] += value
        expected["is_so", number] += is_so
    size = max((number + 1 for number, _, _ in rows), default=0)
    for name in ("n", "value", "is_so"):
        assert totals[name].tolist() == [expected[name, number] for number in range(size)]


def test_totals_of_nothing_are_empty() -> None:
    totals = Totals("n")
    totals.add(integers([]), n=1)
    assert totals["n"].tolist() == []


def test_totals_do_not_change_an_array_given_before() -> None:
    totals = Totals("n")
    totals.add(integers([0, 1]), n=1)
    before = totals["n"]
    totals.add(integers([1, 3]), n=1)
    assert before.tolist() == [1, 1]
    assert totals["n"].tolist() == [1, 2, 0, 1]


@unhurried
@given(st.lists(st.tuples(NUMBER, VALUE)), SIZES)
def test_the_highest_other_value_is_that_of_a_list_without_the_value(
    rows: list[tuple[int, int]], sizes: list[int]
) -> None:
    highest = TwoHighest()
    for chunk in cut(rows, sizes):
        highest.add(integers([number for number, _ in chunk]), integers([v for _, v in chunk]))
    found = highest.other(integers([n for n, _ in rows]), integers([v for _, v in rows]))
    for i, (number, _) in enumerate(rows):
        others = [value for j, (n, value) in enumerate(rows) if n == number and j != i]
        assert found[i] == max(others, default=LOWEST)


def test_the_highest_other_of_a_value_that_came_twice_is_the_same_value() -> None:
    highest = TwoHighest()
    highest.add(integers([3, 3]), integers([5, 5]))
    assert highest.other(integers([3]), integers([5])).tolist() == [5]


def test_there_is_no_higher_value_of_a_number_that_was_only_passed_over() -> None:
    highest = TwoHighest()
    highest.add(integers([3]), integers([5]))
    assert highest.other(integers([1]), integers([2])).tolist() == [LOWEST]


@pytest.mark.parametrize("fewest_to_sort", [0, 3, 1_000_000])
@unhurried
@given(rows=st.lists(st.tuples(NUMBER, st.sampled_from([0, 1, 2**31]), NUMBER, VALUE)), sizes=SIZES)
def test_pairs_are_counted_like_in_a_dictionary(
    fewest_to_sort: int, rows: list[tuple[int, int, int, int]], sizes: list[int]
) -> None:
    pairs = PairCounts()
    expected: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_FEWEST_TO_SORT", fewest_to_sort)
        for chunk in cut(rows, sizes):
            pairs.add(*(integers([row[i] for row in chunk]) for i in range(4)))
    for number, other_number, n_here, value in rows:
        expected[number, other_number][0] += n_here
        expected[number, other_number][1] += value
    keys = list(expected)
    n, sums = pairs.get(integers([key[0] for key in keys]), integers([key[1] for key in keys]))
    assert list(zip(n, sums, strict=True)) == [tuple(expected[key]) for key in keys]
    rows_of_pairs = zip(*(column.tolist() for column in pairs.rows()), strict=True)
    assert [*rows_of_pairs] == [(*key, *expected[key]) for key in sorted(expected)]


def pairs_of(*rows: tuple[int, int, int, int]) -> PairCounts:
    pairs = PairCounts()
    pairs.add(*(integers([row[i] for row in rows]) for i in range(4)))
    return pairs


def test_pairs_are_not_confused_with_their_reverse() -> None:
    pairs = pairs_of((1, 2, 1, 5), (2, 1, 1, 40))
    assert pairs.get(integers([2]), integers([1]))[1].tolist() == [40]


@pytest.mark.parametrize("pairs", [PairCounts(), pairs_of((1, 1, 1, 5))])
def test_a_pair_that_was_not_taken_in_came_never(pairs: PairCounts) -> None:
    found = pairs.get(integers([1, 0, 9]), integers([0, 9, 9]))
    assert [column.tolist() for column in found] == [[0, 0, 0], [0, 0, 0]]


def test_settling_twice_changes_nothing() -> None:
    pairs = pairs_of((1, 2, 1, 5), (1, 2, 1, 40))
    pairs.settle()
    pairs.settle()
    assert [column.tolist() for column in pairs.get(integers([1]), integers([2]))] == [[2], [45]]


def test_pairs_can_be_added_behind_a_question() -> None:
    pairs = pairs_of((1, 2, 1, 1))
    pairs.get(integers([1]), integers([2]))
    pairs.add(integers([1, 0]), integers([2, 0]), integers([1, 1]), integers([2, 5]))
    assert [column.tolist() for column in pairs.get(integers([1, 0]), integers([2, 0]))] == [
        [2, 1],
        [3, 5],
    ]
