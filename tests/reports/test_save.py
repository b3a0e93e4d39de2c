"""A saved report is whole, or the folder is as it was."""

import hashlib
from pathlib import Path

import pytest
from matplotlib.axes import Axes

from triage.data.staging import remove_stale
from triage.reports.page import Figure, Part, Report
from triage.reports.save import save_report

FILES = ["report.html", "report.md", "report.json", "figures/line.png", "figures/line.svg"]


def draw(axes: Axes) -> None:
    axes.plot([0, 1])


def fail(axes: Axes) -> None:
    raise RuntimeError(axes)


def report_of(title: str, figure: Figure | None = None) -> Report:
    line = Figure("line", "A line", "A line that rises.", draw)
    return Report(title, (), (Part("part", "A part", (figure or line,)),))


BROKEN = report_of("Broken", Figure("line", "A line", "None.", fail))


def content(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_a_new_folder_holds_all_files_and_can_be_read_as_any_other(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "results"
    assert save_report(report_of("First"), folder) == [folder / name for name in FILES]
    assert sorted(content(tmp_path)) == sorted(f"deep/results/{name}" for name in FILES)
    assert folder.stat().st_mode == folder.parent.stat().st_mode


def test_a_folder_that_exists_keeps_what_is_not_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="ascii")
    save_report(report_of("First"), tmp_path)
    save_report(report_of("Second"), tmp_path, overwrite=True)
    assert sorted(content(tmp_path)) == sorted([*FILES, "notes.txt"])
    assert "# Second" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_what_a_killed_run_left_is_told_from_what_is_being_drawn(tmp_path: Path) -> None:
    stale = tmp_path / f".unfinished-{'0' * 32}"
    stale.mkdir()
    (stale / "report.html").touch()

    def clean_up(axes: Axes) -> None:
        remove_stale(tmp_path)
        draw(axes)

    save_report(report_of("First", Figure("line", "A line", "None.", clean_up)), tmp_path)
    assert sorted(content(tmp_path)) == sorted(FILES)
    assert not stale.exists()


@pytest.mark.parametrize("name", FILES[:3])
def test_a_report_is_not_replaced_unasked(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine", encoding="ascii")
    with pytest.raises(FileExistsError):
        save_report(report_of("First"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("exists", [True, False])
def test_a_failure_leaves_everything_as_it_was(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "results"
    if exists:
        save_report(report_of("First"), folder)
    before = content(tmp_path)
    with pytest.raises(RuntimeError):
        save_report(BROKEN, folder, overwrite=True)
    assert content(tmp_path) == before
    assert folder.exists() == exists


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_text("mine", encoding="ascii")
    with pytest.raises(NotADirectoryError):
        save_report(report_of("First"), file)
    assert file.read_text(encoding="ascii") == "mine"
