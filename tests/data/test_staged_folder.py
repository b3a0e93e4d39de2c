"""A folder appears whole or not at all, and replaces none of another kind."""

import stat
from pathlib import Path

import pytest

from triage.data import DataError
from triage.data.staged_folder import FolderKind, StagedFolder

KIND = FolderKind("about.conf", (".conf", ".txt"))


def write(path: Path, content: bytes = b"Coucou", *, overwrite: bool = False) -> None:
    with StagedFolder(path, KIND, overwrite=overwrite) as folder:
        folder.write("about.conf", b"")
        folder.write("inner/1.txt", content)
        folder.publish()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_folder_appears_with_all_of_its_files(tmp_path: Path) -> None:
    write(tmp_path / "out")
    assert files(tmp_path) == ["out/about.conf", "out/inner/1.txt"]


def test_nothing_is_there_before_it_is_whole(tmp_path: Path) -> None:
    with StagedFolder(tmp_path / "out", KIND) as folder:
        folder.write("about.conf", b"")
        assert not (tmp_path / "out").exists()
    assert list(tmp_path.iterdir()) == []


def test_its_owner_alone_may_read_it(tmp_path: Path) -> None:
    write(tmp_path / "out")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("out/**/*.*")}
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "out" / "inner").stat().st_mode) == 0o700


def test_it_may_be_as_readable_as_an_input(tmp_path: Path) -> None:
    source = tmp_path / "anon.csv"
    source.touch()
    source.chmod(0o640)
    with StagedFolder(tmp_path / "out", KIND, like=source.stat()) as folder:
        folder.write("about.conf", b"")
        folder.publish()
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "out" / "about.conf").stat().st_mode) == 0o640


def test_a_folder_is_replaced_only_when_asked_and_with_all_of_its_files(tmp_path: Path) -> None:
    write(tmp_path / "out")
    (tmp_path / "out" / "stale.txt").touch()
    with pytest.raises(DataError, match="exists already"):
        write(tmp_path / "out")
    write(tmp_path / "out", b"Salut", overwrite=True)
    assert files(tmp_path) == ["out/about.conf", "out/inner/1.txt"]
    assert (tmp_path / "out" / "inner" / "1.txt").read_bytes() == b"Salut"


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write(tmp_path / "out")
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize("held", [["letter.txt"], ["about.conf", "photo.jpg"]])
def test_a_folder_of_another_kind_is_never_replaced(held: list[str], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in held:
        (tmp_path / "out" / name).touch()
    with pytest.raises(DataError, match="files of another kind"):
        write(tmp_path / "out", overwrite=True)
    assert files(tmp_path / "out") == sorted(held)


def test_a_file_in_its_place_stays(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(DataError, match="it is a file, and what is written is a folder"):
        write(tmp_path / "out", overwrite=True)


def test_a_folder_that_is_missing_above_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"):
        write(tmp_path / "nowhere" / "out")
