"""Figures show any data, the same bytes each time; a saved report is whole, or nothing is."""

import errno
import math
import os
from pathlib import Path
from unittest.mock import Mock
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes

from triage.data import DataError
from triage.reports.charts import bars, curve, figure_png, figure_svg, save_report
from triage.reports.page import Draw, Figure, Part, Report

CURVE = curve(
    {"bagged tree": ([500, 4000], [0.8, 0.9]), "tree": ([500, 4000], [0.7, math.nan])},
    x_label="messages",
    y_label="accuracy",
    percent="y",
    points={"where we stand": (4000, 0.9)},
)
BARS = bars(["UpperCase", "Numbers"], [0.21, 0.05], paper=[0.2, None], unit="bits")


def figure_of(draw: Draw, name: str = "figure") -> Figure:
    return Figure(name, "A figure", "What it shows.", draw)


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())


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


FILES = ["report.html", "report.md", "report.json", "figures/line.png", "figures/line.svg"]


def a_line(axes: Axes) -> None:
    axes.plot([0, 1])


def fail(axes: Axes) -> None:
    raise RuntimeError(axes)


def report_of(title: str, drawn: Figure | None = None) -> Report:
    line = Figure("line", "A line", "A line that rises.", a_line)
    return Report(title, (), (Part("part", "A part", (drawn or line,)),))


BROKEN = report_of("Broken", Figure("line", "A line", "None.", fail))


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_new_folder_holds_all_files_the_same_each_time_and_as_readable_as_others(
    tmp_path: Path,
) -> None:
    for name in ("one", "deep/two"):
        folder = tmp_path / name
        assert save_report(report_of("First"), folder) == [folder / file for file in FILES]
        assert folder.stat().st_mode == folder.parent.stat().st_mode | 0o055
    assert content(tmp_path / "one") == content(tmp_path / "deep" / "two")
    assert b"(figures/line.png)" in content(folder)["report.md"]


def test_a_folder_that_exists_keeps_what_is_not_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="ascii")
    save_report(report_of("First"), tmp_path)
    before = content(tmp_path)
    with pytest.raises(DataError, match=r"report\.html exists already"):
        save_report(report_of("Second"), tmp_path)
    with pytest.raises(RuntimeError):
        save_report(BROKEN, tmp_path, overwrite=True)
    assert content(tmp_path) == before
    save_report(report_of("Second"), tmp_path, overwrite=True)
    assert sorted(content(tmp_path)) == sorted([*FILES, "notes.txt"])
    assert b"# Second" in content(tmp_path)["report.md"]


def test_a_failure_makes_no_folder_and_a_file_in_its_place_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RuntimeError):
        save_report(BROKEN, tmp_path / "results")
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        with pytest.raises(DataError, match="No space left"):
            save_report(report_of("First"), tmp_path / "deep" / "results")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "results").write_text("mine", encoding="ascii")
    with pytest.raises(DataError, match="Not a directory"):
        save_report(report_of("First"), tmp_path / "results")
    assert content(tmp_path) == {"results": b"mine"}
