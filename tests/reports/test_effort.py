"""What is left after each decision, and how it is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.reports.document import Figure
from triage.reports.effort import effort_figure, left_after, series_of
from triage.reports.figures import figure_png

PER_ITEM = st.lists(st.integers(0, 9), min_size=1, max_size=30)


@given(PER_ITEM, st.randoms())
def test_it_falls_from_all_to_nothing_in_any_order(per_item: list[int], chance: object) -> None:
    order = list(range(len(per_item)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    left = left_after(order, per_item)
    assert left[0] == sum(per_item)
    assert left[-1] == 0
    assert (-np.diff(left)).tolist() == [per_item[i] for i in order]


def test_the_greatest_first_leaves_the_least_at_every_step() -> None:
    per_item = np.array([1, 5, 2, 0, 3])
    best = left_after(np.argsort(-per_item), per_item)
    worst = left_after(np.argsort(per_item), per_item)
    assert (best <= worst).all()
    assert best.tolist() == [11, 6, 3, 1, 0, 0]


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], []])
def test_an_order_names_each_item_once(order: list[int]) -> None:
    with pytest.raises(ValueError, match="each of 3 items once"):
        left_after(order, [1, 1, 1])


def test_no_items_leave_nothing() -> None:
    assert left_after([], []).tolist() == [0]


def test_one_run_has_no_band() -> None:
    series = series_of("ours", [[3, 1, 0]])
    assert series.low is None
    assert np.asarray(series.x).tolist() == [0, 1, 2]


def test_runs_are_drawn_as_their_mean_between_the_least_and_the_greatest() -> None:
    series = series_of("random", [[4, 3, 0], [4, 1, 0], [4, 2, 0]], [0, 10, 20])
    assert np.asarray(series.x).tolist() == [0, 10, 20]
    assert np.asarray(series.y).tolist() == [4, 2, 0]
    assert np.asarray(series.low).tolist() == [4, 1, 0]
    assert np.asarray(series.high).tolist() == [4, 3, 0]


@pytest.mark.parametrize("runs", [[], [[]], [1.0, 2.0]])
def test_a_line_needs_a_run(runs: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="one run or more"):
        series_of("none", runs)


def test_a_figure_is_drawn_alike_each_time_also_with_gaps() -> None:
    lines = [
        series_of("ours", [[0.04, float("nan"), 0.02]], [0, 50, 100]),
        series_of("random", [[0.04, 0.03, 0.02], [0.04, 0.035, 0.025]], [0, 50, 100]),
    ]

    def figure(percent: bool) -> Figure:
        return effort_figure("leak", "Leak", "It falls.", lines, "leak", percent=percent)

    assert figure_png(figure(True)) == figure_png(figure(True))
    assert figure_png(figure(True)) != figure_png(figure(False))
    assert figure_png(figure(True)).startswith(b"\x89PNG")
