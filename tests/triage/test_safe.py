"""Outputs appear whole or not at all, replace nothing unasked, and are read by nobody else."""

import errno
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.cases import cases_beside
from triage.data import create_output, open_messages
from triage.errors import DataError
from triage.safe import FolderKind, Staged, publish_all, staged, write_file

CASES = cases_beside(__file__)
NAMES = ["sms.csv", "sms.csv.gz", "sms.tsv", "sms.jsonl", "sms.json", "sms.xlsx", "sms.parquet"]
KIND = FolderKind("about.conf", ("*.conf", "*.txt"))


def names_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_folder(path: Path, content: bytes = b"Coucou", *, overwrite: bool = False) -> None:
    with Staged(path, private=True, kind=KIND, overwrite=overwrite) as folder:
        (folder.place / "about.conf").touch()
        (folder.place / "inner").mkdir()
        (folder.place / "inner" / "1.txt").write_bytes(content)
        folder.commit()


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Make the system refuse larger files, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("name", NAMES)
def test_an_output_appears_at_its_commit_or_all_is_as_it_was(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"avant")
    output = create_output(path, ["text"], overwrite=True)
    with pytest.raises(IndexError), output:
        output.write([["Coucou"][n]] for n in range(2))
    output = create_output(path, ["text"], overwrite=True)
    full = pytest.raises(DataError, match=rf"cannot write .*{name}: File too large")
    with full, output, files_of_at_most(1_000):
        output.write([[f"Coucou {n * n * n}"] for n in range(2_000)])
        output.commit()
    assert (names_in(tmp_path), path.read_bytes()) == ([name], b"avant")
    with create_output(path, ["text", "action"], overwrite=True) as output:
        output.write([["Coucou Zoé", "TA"]])
        output.write([["Ok", "NTA"]])
        assert path.read_bytes() == b"avant"
        output.commit()
    assert names_in(tmp_path) == [name]
    with open_messages(path) as messages:
        [chunk] = messages.chunks()
    assert chunk.rows == [["Coucou Zoé", "TA"], ["Ok", "NTA"]]


def test_none_of_several_outputs_stays_if_one_cannot_appear(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("avant")
    write_folder(tmp_path / "b")
    stages = [
        staged(tmp_path / "a.csv", b"neuf", overwrite=True),
        Staged(tmp_path / "b", kind=KIND, overwrite=True),
        staged(tmp_path / "c.csv", b"neuf"),
        Staged(tmp_path / "d", kind=KIND),
        staged(tmp_path / "e.csv", b"neuf"),
    ]
    (tmp_path / "e.csv").write_text("d'un autre")
    with pytest.raises(DataError, match=r"e\.csv exists already"):
        publish_all(stages)
    for stage in stages:
        stage.discard()
    kept = ["a.csv", "b", "b/about.conf", "b/inner", "b/inner/1.txt", "e.csv"]
    assert names_in(tmp_path) == kept
    assert (tmp_path / "a.csv").read_text() == "avant"
    assert (tmp_path / "e.csv").read_text() == "d'un autre"


def test_outputs_are_on_disk_before_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    to_disk = os.fsync

    def note(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        seen.append(("folder" if is_folder else "file", (tmp_path / "sms.csv").exists()))
        to_disk(handle)

    monkeypatch.setattr(os, "fsync", note)
    write_file(tmp_path / "sms.csv", b"text\n")
    assert seen == [("file", False), ("folder", True)]


KILLED_WRITING = """
import os, sys
from triage.data import create_output
output = create_output(sys.argv[1], ["text"])
output.write([["Coucou Zoé"]] * 9_000)
os.kill(os.getpid(), 9)
"""
KILLED_BETWEEN_RENAMES = """
import os, sys
from pathlib import Path
from triage.safe import FolderKind, Staged
replace = Path.replace
Path.replace = lambda *_: os.kill(os.getpid(), 9)
with Staged(sys.argv[1], kind=FolderKind("about.conf", ("*.conf", "*.txt")), overwrite=True) as one:
    one.commit()
"""


def run_killed(program: str, path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -9


@pytest.mark.parametrize("name", ["sms.csv", "sms.xlsx"])
def test_what_a_killed_run_left_is_removed_by_the_next_one(name: str, tmp_path: Path) -> None:
    for _ in range(2):
        run_killed(KILLED_WRITING, tmp_path / name)
        [left] = tmp_path.iterdir()
        assert (left.name[:12], mode(left)) == (".unfinished-", 0o700)
    write_file(tmp_path / "autre.csv", b"")
    assert names_in(tmp_path) == ["autre.csv"]


def test_a_folder_that_a_killed_run_had_moved_away_is_put_back(tmp_path: Path) -> None:
    write_folder(tmp_path / "out")
    run_killed(KILLED_BETWEEN_RENAMES, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    write_file(tmp_path / "autre.csv", b"")
    assert names_in(tmp_path / "out") == ["about.conf", "inner", "inner/1.txt"]
    assert names_in(tmp_path)[:2] == ["autre.csv", "out"]


def test_what_a_live_run_writes_and_what_others_leave_unfinished_stays(tmp_path: Path) -> None:
    others = [".unfinished", ".unfinished-work.queue", "unfinished-0a1b"]
    for name in others:
        (tmp_path / name).mkdir()
    with create_output(tmp_path / "sms.xlsx", ["text"]) as output:
        write_file(tmp_path / "autre.csv", b"")
        output.write([["Ok"]])
        output.commit()
    assert names_in(tmp_path) == sorted([*others, "autre.csv", "sms.xlsx"])


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_appeared_meanwhile_is_replaced_only_when_asked(
    has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_links:
        monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "no links here")))
    with staged(tmp_path / "sms.csv", b"neuf") as output:
        (tmp_path / "sms.csv").write_text("d'un autre")
        with pytest.raises(DataError, match=r"sms\.csv exists already: add --overwrite to repl"):
            output.commit()
    assert (tmp_path / "sms.csv").read_text() == "d'un autre"
    for path in ("sms.csv", "autre.csv"):
        write_file(tmp_path / path, b"neuf", overwrite=path == "sms.csv")
        assert (tmp_path / path).read_bytes() == b"neuf"
    assert names_in(tmp_path) == ["autre.csv", "sms.csv"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(exists: bool, tmp_path: Path) -> None:
    (tmp_path / "lien.csv").symlink_to(tmp_path / "sms.csv")
    if exists:
        (tmp_path / "sms.csv").touch()
    write_file(tmp_path / "lien.csv", b"Ok", overwrite=exists)
    assert (tmp_path / "lien.csv").is_symlink()
    assert (tmp_path / "sms.csv").read_bytes() == b"Ok"


def test_a_folder_is_replaced_only_when_asked_and_with_all_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_folder(tmp_path / "out")
    (tmp_path / "out" / "stale.txt").touch()
    with pytest.raises(DataError, match="exists already"):
        write_folder(tmp_path / "out")
    write_folder(tmp_path / "out", b"Salut", overwrite=True)
    assert names_in(tmp_path) == ["out", "out/about.conf", "out/inner", "out/inner/1.txt"]
    assert (tmp_path / "out" / "inner" / "1.txt").read_bytes() == b"Salut"


@pytest.mark.parametrize("held", [["letter.txt"], ["about.conf", "photo.jpg"]])
def test_a_folder_of_another_kind_is_never_replaced(held: list[str], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in held:
        (tmp_path / "out" / name).touch()
    with pytest.raises(DataError, match="files of another kind"):
        write_folder(tmp_path / "out", overwrite=True)
    assert names_in(tmp_path / "out") == sorted(held)


@pytest.mark.parametrize(("permissions", "mask", "expected"), CASES["permissions"])
def test_outputs_inherit_rights(permissions: int, mask: int, expected: int, tmp_path: Path) -> None:
    source = tmp_path / "source.csv"
    source.touch()
    source.chmod(permissions or 0o666)
    like = source if permissions else "-"
    with umask(mask):
        for stage in (
            staged(tmp_path / "sms.csv", b"", like=like),
            Staged(tmp_path / "out", like=like, kind=KIND),
            staged(tmp_path / "private.csv", b"", like=like, private=True),
        ):
            with stage:
                stage.commit()
    of_folder = expected | (expected & 0o444) >> 2
    write_folder(tmp_path / "private")
    names = ("sms.csv", "out", "private.csv", "private", "private/inner", "private/about.conf")
    modes = [mode(tmp_path / name) for name in names]
    assert modes == [expected, of_folder, 0o600, 0o700, 0o700, 0o600]


@pytest.mark.parametrize(("permissions", "given", "refused"), CASES["groups"])
def test_a_group_that_cannot_be_given_reads_no_more_than_all_others(
    permissions: int, given: int, refused: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = next((g for g in os.getgroups() if g != os.getegid()), 1 if not os.geteuid() else -1)
    if group < 0:
        pytest.skip("this user may give files to one group alone")
    source = tmp_path / "source.csv"
    source.touch()
    os.chown(source, -1, group)
    source.chmod(permissions)
    with umask(0o002), staged(tmp_path / "sms.csv", b"", like=source) as stage:
        stage.commit()
    assert ((tmp_path / "sms.csv").stat().st_gid, mode(tmp_path / "sms.csv")) == (group, given)

    monkeypatch.setattr(os, "chown", Mock(side_effect=PermissionError))
    with umask(0o002), staged(tmp_path / "autre.csv", b"", like=source) as stage:
        stage.commit()
    assert mode(tmp_path / "autre.csv") == refused
