"""Counting by chunks is counting with a dictionary, whatever the chunks."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.features import counts
from triage.features.counts import PairCounts, Totals, TwoHighest

from .samples import cut, unhurried

# Halves and quarters, which add up exactly in any order.
VALUE = st.integers(-40, 40).map(lambda n: n / 4)
ABOVE_0 = st.integers(1, 40).map(lambda n: n / 4)
NUMBER = st.integers(0, 7)
SIZES = st.lists(st.integers(0, 5), max_size=5)


def integers(items: list[int]) -> "np.typing.NDArray[np.int64]":
    return np.array(items, dtype=np.int64)


@unhurried
@given(st.lists(st.tuples(NUMBER, VALUE, st.booleans())), SIZES)
def test_totals_are_those_of_a_dictionary(
    rows: list[tuple[int, float, bool]], sizes: list[int]
) -> None:
    totals, expected = Totals("n", "value", "is_so"), defaultdict[tuple[str, int], float](float)
    for chunk in cut(rows, sizes):
        totals.add(
            integers([number for number, _, _ in chunk]),
            n=1,
            value=np.array([value for _, value, _ in chunk], dtype=float),
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
@given(st.lists(st.tuples(NUMBER, ABOVE_0)), SIZES)
def test_the_highest_other_value_is_that_of_a_list_without_the_value(
    rows: list[tuple[int, float]], sizes: list[int]
) -> None:
    highest = TwoHighest()
    for chunk in cut(rows, sizes):
        highest.add(integers([number for number, _ in chunk]), np.array([v for _, v in chunk]))
    found = highest.other(integers([n for n, _ in rows]), np.array([v for _, v in rows]))
    for i, (number, _) in enumerate(rows):
        others = [value for j, (n, value) in enumerate(rows) if n == number and j != i]
        assert found[i] == max(others, default=0)


def test_the_highest_other_of_a_value_that_came_twice_is_the_same_value() -> None:
    highest = TwoHighest()
    highest.add(integers([3, 3]), np.array([0.5, 0.5]))
    assert highest.other(integers([3]), np.array([0.5])).tolist() == [0.5]


def test_there_is_no_higher_value_of_a_number_that_was_only_passed_over() -> None:
    highest = TwoHighest()
    highest.add(integers([3]), np.array([0.5]))
    assert highest.other(integers([1]), np.array([0.2])).tolist() == [0]


@pytest.mark.parametrize("fewest_to_sort", [0, 3, 1_000_000])
@unhurried
@given(rows=st.lists(st.tuples(NUMBER, st.sampled_from([0, 1, 2**31]), VALUE)), sizes=SIZES)
def test_pairs_are_counted_like_in_a_dictionary(
    fewest_to_sort: int, rows: list[tuple[int, int, float]], sizes: list[int]
) -> None:
    pairs = PairCounts()
    expected: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0, 0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_FEWEST_TO_SORT", fewest_to_sort)
        for chunk in cut(rows, sizes):
            one, other = integers([row[0] for row in chunk]), integers([row[1] for row in chunk])
            pairs.add(one, other, np.array([row[2] for row in chunk], dtype=float))
    for number, other_number, value in rows:
        expected[number, other_number][0] += 1
        expected[number, other_number][1] += value
    keys = list(expected)
    n, sums = pairs.get(integers([key[0] for key in keys]), integers([key[1] for key in keys]))
    assert list(zip(n, sums, strict=True)) == [tuple(expected[key]) for key in keys]


def test_pairs_are_not_confused_with_their_reverse() -> None:
    pairs = PairCounts()
    pairs.add(integers([1, 2]), integers([2, 1]), np.array([0.5, 4.0]))
    assert pairs.get(integers([2]), integers([1]))[1].tolist() == [4]


def test_settling_twice_changes_nothing() -> None:
    pairs = PairCounts()
    pairs.add(integers([1, 1]), integers([2, 2]), np.array([0.5, 4.0]))
    pairs.settle()
    pairs.settle()
    assert [column.tolist() for column in pairs.get(integers([1]), integers([2]))] == [[2], [4.5]]


def test_pairs_can_be_added_behind_a_question() -> None:
    pairs = PairCounts()
    pairs.add(integers([1]), integers([2]), np.array([1.0]))
    pairs.get(integers([1]), integers([2]))
    pairs.add(integers([1, 0]), integers([2, 0]), np.array([2.0, 5.0]))
    assert [column.tolist() for column in pairs.get(integers([1, 0]), integers([2, 0]))] == [
        [2, 1],
        [3, 5],
    ]
