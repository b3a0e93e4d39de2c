"""Figures show their data, whatever it is, and are the same bytes each time."""

import math
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from triage.reports.charts import Point, Series, bars, curve, figure_png, figure_svg
from triage.reports.page import Draw, Figure

CURVE = curve(
    [
        Series("bagged tree", [500, 4000], [0.8, 0.9]),
        Series("tree", [500, 4000], [0.7, math.nan]),
    ],
    x_label="messages",
    y_label="accuracy",
    percent="y",
    points=[Point("where we stand", 4000, 0.9)],
)
BARS = bars(["UpperCase", "Numbers"], [0.21, 0.05], paper=[0.2, None], unit="bits")


def figure_of(draw: Draw, name: str = "figure") -> Figure:
    return Figure(name, "A figure", "What it shows.", draw)


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())  # noqa: S314


def texts(draw: Draw) -> list[str]:
    """Return the texts of a figure's SVG, which is checked to be well formed."""
    all_elements = elements(figure_svg(figure_of(draw)))
    return ["".join(one.itertext()) for one in all_elements if one.tag.endswith("}text")]


@pytest.mark.parametrize("label", ["$x$", "$", "_hidden", "<b>&", "café", "\x1b", "🦊"])
def test_any_word_can_be_a_label(label: str) -> None:
    shown = texts(bars([label, "b"], [1, 2]))
    assert label.replace("\x1b", "\ufffd") in shown
    assert figure_png(figure_of(bars([label], [1])))


@pytest.mark.parametrize("draw", [BARS, CURVE])
def test_the_same_figure_gives_the_same_bytes(draw: Draw) -> None:
    figure = figure_of(draw)
    assert figure_svg(figure) == figure_svg(figure)
    assert figure_png(figure) == figure_png(figure)


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
