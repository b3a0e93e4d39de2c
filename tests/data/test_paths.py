"""Paths of outputs: default names, and checks that nothing is replaced unasked."""

import os
from pathlib import Path

import pytest

from triage.data import DataError, check_targets, default_output, rejects_path
from triage.data.paths import check_folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with an input, an earlier output, and links to the input."""
    (tmp_path / "sms.csv").touch()
    (tmp_path / "out.csv").touch()
    (tmp_path / "lien.csv").symlink_to("sms.csv")
    (tmp_path / "dur.csv").hardlink_to(tmp_path / "sms.csv")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("output", ["sms.csv", "./folder/../sms.csv", "lien.csv", "dur.csv"])
@pytest.mark.parametrize("source", ["sms.csv", "lien.csv"])
@pytest.mark.parametrize("overwrite", [True, False])
def test_an_input_is_no_output_whatever_is_said(output: str, source: str, overwrite: bool) -> None:
    with pytest.raises(DataError, match="is the input itself: choose another output"):
        check_targets(["new.csv", output], ["folder", source], overwrite=overwrite)


@pytest.mark.usefixtures("here")
def test_an_output_that_exists_is_replaced_where_that_is_said() -> None:
    with pytest.raises(DataError, match=r"out\.csv exists already: add --overwrite"):
        check_targets(["new.csv", "out.csv"], ["sms.csv"])
    check_targets(["new.csv", "out.csv"], ["sms.csv"], overwrite=True)


def test_a_link_that_leads_nowhere_is_written_through(here: Path) -> None:
    (here / "vers").symlink_to("new.csv")
    check_targets(["vers"], ["sms.csv"])
    with pytest.raises(DataError, match="two outputs would be written to"):
        check_targets(["vers", "new.csv"], ["sms.csv"])


def test_links_in_a_circle_are_an_error(here: Path) -> None:
    (here / "un").symlink_to("deux")
    (here / "deux").symlink_to("un")
    with pytest.raises(DataError, match="cannot write un"):
        check_targets(["un"], [])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("other", ["new.csv", "folder/../new.csv"])
def test_two_outputs_are_two_files(other: str) -> None:
    with pytest.raises(DataError, match=r"two outputs would be written to new\.csv"):
        check_targets(["new.csv", other], [], overwrite=True)


@pytest.mark.usefixtures("here")
def test_standard_streams_and_nothing_are_no_files() -> None:
    check_targets(["-", None], ["-", None])
    with pytest.raises(DataError, match="two outputs would be written to -"):
        check_targets(["-", "-"], [])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("absent/out.csv", "cannot write absent/out.csv: No such file or directory"),
        ("sms.csv/out.csv", "cannot write sms.csv/out.csv: Not a directory"),
        ("folder", "cannot write folder: it is a directory"),
        ("pipe", "cannot write pipe: it is no ordinary file"),
    ],
)
def test_what_cannot_be_written_is_told_before_any_work(output: str, problem: str) -> None:
    os.mkfifo("pipe")
    with pytest.raises(DataError, match=problem):
        check_targets([output], [], overwrite=True)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("folder", ["new", "new/deep", "folder"])
def test_a_folder_may_be_missing(folder: str) -> None:
    check_folder(Path(folder), ["report.html"], ["sms.csv"])


@pytest.mark.usefixtures("here")
def test_a_folder_may_not_hold_what_would_be_replaced() -> None:
    Path("folder/report.md").touch()
    with pytest.raises(DataError, match=r"folder/report\.md exists already"):
        check_folder(Path("folder"), ["report.html", "report.md"], [])
    with pytest.raises(DataError, match=r"folder/report\.md is the input itself"):
        check_folder(Path("folder"), ["report.md"], ["folder/report.md"], overwrite=True)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("folder", ["sms.csv", "sms.csv/deep"])
def test_a_file_is_no_folder(folder: str) -> None:
    with pytest.raises(DataError, match=f"cannot write {folder}: Not a directory"):
        check_folder(Path(folder), ["report.html"], [])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("sms.csv", "sms.triage.csv"),
        ("chat.txt", "chat.triage.csv"),
        ("chat.zip", "chat.triage.csv"),
        ("posts.xml", "posts.triage.csv"),
        ("corpus", "corpus.triage.csv"),
        ("sms.csv.gz", "sms.triage.csv.gz"),
        ("corpus/sms.ods", "corpus/sms.triage.ods"),
        ("sms.2011.csv", "sms.2011.triage.csv"),
        ("-", "-"),
    ],
)
def test_the_output_is_beside_the_input_and_in_its_format(path: str, expected: str) -> None:
    assert default_output(path) == Path(expected)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("d.csv", "d.rejects.csv"),
        ("d.csv.gz", "d.rejects.csv"),
        ("corpus/d.xlsx", "corpus/d.rejects.csv"),
        ("-", "rejects.csv"),
    ],
)
def test_rejects_are_csv_beside_the_output(output: str, expected: str) -> None:
    assert rejects_path(output) == Path(expected)
