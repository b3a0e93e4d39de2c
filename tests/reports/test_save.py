"""A saved report is whole, or the folder is as it was."""

from pathlib import Path

import pytest
from matplotlib.axes import Axes

from triage.data import DataError
from triage.reports.charts import save_report
from triage.reports.page import Figure, Part, Report

FILES = ["report.html", "report.md", "report.json", "figures/line.png", "figures/line.svg"]


def draw(axes: Axes) -> None:
    axes.plot([0, 1])


def fail(axes: Axes) -> None:
    raise RuntimeError(axes)


def report_of(title: str, drawn: Figure | None = None) -> Report:
    line = Figure("line", "A line", "A line that rises.", draw)
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


def test_a_failure_makes_no_folder_and_a_file_in_its_place_stays(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        save_report(BROKEN, tmp_path / "results")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "results").write_text("mine", encoding="ascii")
    with pytest.raises(DataError, match="Not a directory"):
        save_report(report_of("First"), tmp_path / "results")
    assert content(tmp_path) == {"results": b"mine"}
