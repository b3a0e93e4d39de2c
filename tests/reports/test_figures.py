"""Figures show their data, whatever it is, and are the same bytes each time."""

import math
import os
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from triage.evaluation.tree import TreeNode, tree_drawing
from triage.reports.charts import Point, Series, bars, curve, figure_png, figure_svg, series_of
from triage.reports.document import Draw, Figure

LEAVES = TreeNode(None, 0, None, None, "TA", 12, 0), TreeNode(None, 0, None, None, "NTA", 7, 2)
TREE = TreeNode(
    "UpperCase", 1, TreeNode("Numbers", 2.5, *LEAVES, "TA", 12, 7), LEAVES[1], "TA", 1, 1
)
CURVE = curve(
    [
        Series("bagged tree", [500, 4000], [0.8, 0.9], low=[0.7, 0.85], high=[0.85, 0.95]),
        Series("tree", [500, 4000], [0.7, 0.8], dashed=True),
    ],
    x_label="messages",
    y_label="accuracy",
    percent="y",
    points=[Point("where we stand", 4000, 0.9)],
)
BARS = bars(["UpperCase", "Numbers"], [0.21, 0.05], paper=[0.2, None], unit="bits")
# What a process prints of a figure, for another process to compare.
PRINT_DIGESTS = """
from hashlib import sha256
from triage.reports.charts import bars, figure_png, figure_svg
from triage.reports.document import Figure
figure = Figure("bars", "", "", bars(["a", "b"], [1, 2], paper=[2, None]))
print(sha256(figure_png(figure)).hexdigest(), sha256(figure_svg(figure).encode()).hexdigest())
"""


def figure_of(draw: Draw, name: str = "figure") -> Figure:
    return Figure(name, "A figure", "What it shows.", draw)


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())  # noqa: S314


def texts(draw: Draw) -> list[str]:
    """Return the texts of a figure's SVG, which is checked to be well formed."""
    all_elements = elements(figure_svg(figure_of(draw)))
    return ["".join(one.itertext()) for one in all_elements if one.tag.endswith("}text")]


def drawn(draw: Draw) -> Axes:
    axes = Canvas().add_subplot()
    draw(axes)
    return axes


def test_bars_show_labels_values_and_the_papers() -> None:
    shown = texts(BARS)
    assert {"UpperCase", "Numbers", "0.210", "0.0500", "0.200", "bits"} <= {*shown}
    assert {"this run", "the paper"} <= {*shown}


def test_the_first_bar_is_on_top_and_ours_above_the_papers() -> None:
    axes = drawn(BARS)
    bars_drawn = (bar for bar in axes.patches if isinstance(bar, Rectangle))
    heights = [axes.transData.transform((0, bar.get_y()))[1] for bar in bars_drawn]
    ours, the_papers = heights[:2], heights[2:]
    assert ours[0] > the_papers[0] > ours[1]


@pytest.mark.parametrize(
    ("values", "unit", "shown"),
    [([0.5, 0.25], "%", "25.0%"), ([12000, 3], "messages", "12,000"), ([0.5, 2], "bits", "2.00")],
)
def test_values_are_written_as_their_unit_asks(values: list[float], unit: str, shown: str) -> None:
    assert shown in texts(bars(["a", "b"], values, unit=unit))


def test_bars_without_a_value_are_blank() -> None:
    assert "nan" not in " ".join(texts(bars(["a", "b"], [1, math.nan])))


def test_a_curve_shows_its_series_axes_and_points() -> None:
    shown = texts(CURVE)
    assert {"bagged tree", "tree", "where we stand", "messages", "accuracy"} <= {*shown}
    assert "90%" in shown
    assert "4,000" in shown


def test_lines_differ_by_more_than_colour() -> None:
    first, second, _ = drawn(CURVE).get_lines()
    assert first.get_marker() != second.get_marker()
    assert (first.get_linestyle(), second.get_linestyle()) == ("-", "--")


def test_a_tree_shows_tests_conditions_and_leaves() -> None:
    shown = texts(tree_drawing(TREE))
    leaves = ["TA", "12", "NTA", "9", "2 wrong", "NTA", "9", "2 wrong"]
    tests = ["UpperCase", "≤ 1", "> 1", "Numbers", "≤ 2.5", "> 2.5"]
    assert sorted(shown) == sorted([*tests, *leaves])


def test_a_tree_is_cut_at_its_depth() -> None:
    assert sorted(texts(tree_drawing(TREE, depth=1))) == sorted(
        ["UpperCase", "≤ 1", "> 1", "TA …", "NTA", "9", "2 wrong"]
    )


@pytest.mark.parametrize("depth", [0, 3])
def test_a_tree_may_be_a_single_box(depth: int) -> None:
    assert len(texts(tree_drawing(LEAVES[0], depth))) == 2


@pytest.mark.parametrize("label", ["$x$", "$", "_hidden", "<b>&", "café", "\x1b", "🦊"])
def test_any_word_can_be_a_label(label: str) -> None:
    shown = texts(bars([label, "b"], [1, 2]))
    assert label.replace("\x1b", "\ufffd") in shown
    assert figure_png(figure_of(bars([label], [1])))


@pytest.mark.parametrize("draw", [BARS, CURVE, tree_drawing(TREE)])
def test_the_same_figure_gives_the_same_bytes(draw: Draw) -> None:
    figure = figure_of(draw)
    assert figure_svg(figure) == figure_svg(figure)
    assert figure_png(figure) == figure_png(figure)


@pytest.mark.slow
def test_another_process_gives_the_same_bytes() -> None:
    first, second = (
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert first


def test_the_users_settings_change_nothing_and_are_kept() -> None:
    figure = figure_of(CURVE)
    before = figure_svg(figure)
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert figure_svg(figure) == before
        assert mpl.rcParams["font.size"] == 30


def test_files_name_neither_date_nor_version() -> None:
    figure = figure_of(BARS)
    for content in (figure_png(figure), figure_svg(figure).encode()):
        assert b"matplotlib" not in content.lower()
        assert b"date" not in content.lower()


def test_text_of_an_svg_stays_text_in_a_common_font() -> None:
    svg = figure_svg(figure_of(BARS))
    assert ">UpperCase</text>" in svg
    assert "'DejaVu Sans', sans-serif" in svg


def test_definitions_of_two_figures_do_not_meet() -> None:
    one, other = (
        {part.get("id") for part in elements(figure_svg(figure_of(CURVE, name)))} - {None}
        for name in ("one", "other")
    )
    assert one
    assert not one & other


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


def test_a_line_with_gaps_is_drawn_alike_each_time() -> None:
    lines = [
        series_of("ours", [[0.04, float("nan"), 0.02]], [0, 50, 100]),
        series_of("random", [[0.04, 0.03, 0.02], [0.04, 0.035, 0.025]], [0, 50, 100]),
    ]
    assert figure_png(figure_of(curve(lines))) == figure_png(figure_of(curve(lines)))
    assert figure_png(figure_of(curve(lines))) != figure_png(figure_of(curve(lines, percent="y")))
