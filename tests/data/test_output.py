"""Outputs, which appear whole or not at all, the rejects among them."""

import csv
import errno
import hashlib
import io
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from triage.data import (
    Chunk,
    DataError,
    Dialect,
    Format,
    MessageFile,
    OutputFile,
    Reject,
    commit_all,
    create_output,
    rejects_output,
)
from triage.data.output import staged_file
from triage.data.staging import fill, give_access

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

ROOT = str(Path(__file__).parents[2])
NAMES = ["sms.csv", "sms.csv.gz", "sms.tsv", "sms.jsonl", "sms.xlsx", "sms.ods", "sms.parquet"]


def write_and_commit(output: OutputFile, rows: Sequence[Sequence[object]]) -> None:
    output.write(rows)
    output.commit()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("name", NAMES)
def test_an_output_appears_at_its_commit(name: str, tmp_path: Path, read: Read) -> None:
    path = tmp_path / name
    with create_output(path, ["text", "action"]) as output:
        output.write([["Coucou Zoé", "TA"]])
        assert not path.exists()
        output.write([["Ok", "NTA"]])
        output.commit()
        assert path.exists()
    assert list(tmp_path.iterdir()) == [path]
    assert read(path)[1].rows == [["Coucou Zoé", "TA"], ["Ok", "NTA"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_failure_half_way_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"avant")
    rows = ([["Coucou"][n]] for n in range(2))
    with pytest.raises(IndexError), create_output(path, ["text"], overwrite=True) as output:
        output.write(rows)
    assert path.read_bytes() == b"avant"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", NAMES)
def test_without_commit_nothing_appears(name: str, tmp_path: Path) -> None:
    with create_output(tmp_path / name, ["text"]) as output:
        output.write([["Coucou"]])
    assert list(tmp_path.iterdir()) == []


def test_an_existing_output_is_replaced_where_that_is_asked_for(
    tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / "sms.csv", ["text"], [["Coucou"]] * 9)
    with pytest.raises(DataError, match=r"sms\.csv exists already: add --overwrite to replace it"):
        create_output(path, ["text"])
    assert path.read_text() == "text\n" + "Coucou\n" * 9
    assert write(path, ["text"], [["Ok"]], overwrite=True).read_text() == "text\nOk\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_appeared_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    with create_output(tmp_path / "sms.csv", ["text"]) as output:
        (tmp_path / "sms.csv").write_text("d'un autre")
        with pytest.raises(DataError, match="exists already"):
            output.commit()
    assert (tmp_path / "sms.csv").read_text() == "d'un autre"
    assert names_in(tmp_path) == ["sms.csv"]


def test_it_is_not_where_the_file_system_has_no_links_either(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    with create_output(tmp_path / "sms.csv", ["text"]) as output:
        (tmp_path / "sms.csv").write_text("d'un autre")
        with pytest.raises(DataError, match="exists already"):
            output.commit()
    assert write(tmp_path / "autre.csv", ["text"], []).read_text() == "text\n"
    assert names_in(tmp_path) == ["autre.csv", "sms.csv"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(exists: bool, tmp_path: Path, write: Write) -> None:
    (tmp_path / "lien.csv").symlink_to(tmp_path / "sms.csv")
    if exists:
        (tmp_path / "sms.csv").touch()
    write(tmp_path / "lien.csv", ["text"], [["Ok"]], overwrite=exists)
    assert (tmp_path / "lien.csv").is_symlink()
    assert (tmp_path / "sms.csv").read_text() == "text\nOk\n"


def test_several_outputs_are_committed_together(tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.jsonl"]
    with create_output(paths[0], ["text"]) as one, create_output(paths[1], ["text"]) as other:
        one.write([["Coucou"]])
        commit_all([one, other])
    assert all(path.exists() for path in paths)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Make the system refuse larger files, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_the_checksum_of_an_output_is_known_before_it_appears(tmp_path: Path) -> None:
    path = tmp_path / "sms.csv.gz"
    with create_output(path, ["text"]) as output:
        output.write([["Coucou"]])
        checksum = output.checksum()
        assert not path.exists()
        output.commit()
    assert checksum == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_finished_file_is_committed_with_outputs(tmp_path: Path) -> None:
    with (
        create_output(tmp_path / "sms.csv", ["text"]) as output,
        staged_file(tmp_path / "note.txt", None) as note,
    ):
        fill(note, b"oui")
        commit_all([note, output])
    assert names_in(tmp_path) == ["note.txt", "sms.csv"]
    assert (tmp_path / "note.txt").read_bytes() == b"oui"


def test_none_of_several_outputs_appears_if_one_fails(tmp_path: Path) -> None:
    one = create_output(tmp_path / "a.csv", ["text"])
    other = create_output(tmp_path / "b.csv", ["text"])
    with one, other:
        one.write([["Ok"]])
        other.write([["Coucou"]] * 100)
        with files_of_at_most(100), pytest.raises(DataError, match=r"b\.csv: File too large"):
            commit_all([one, other])
    assert list(tmp_path.iterdir()) == []


def test_none_of_several_outputs_stays_if_one_cannot_be_shown(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("avant")
    one = create_output(tmp_path / "a.csv", ["text"], overwrite=True)
    new = create_output(tmp_path / "b.csv", ["text"])
    taken = create_output(tmp_path / "c.csv", ["text"])
    with one, new, taken:
        (tmp_path / "c.csv").write_text("d'un autre")
        with pytest.raises(DataError, match=r"c\.csv exists already"):
            commit_all([one, new, taken])
    assert names_in(tmp_path) == ["a.csv", "c.csv"]
    assert (tmp_path / "a.csv").read_text() == "avant"
    assert (tmp_path / "c.csv").read_text() == "d'un autre"


KILLED = """
import os, sys
from triage.data import create_output
output = create_output(sys.argv[1], ["text"])
output.write([["Coucou Zoé"]] * 9)
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path: Path, write: Write) -> None:
    for _ in range(2):
        environment = {**os.environ, "PYTHONPATH": ROOT}
        command = [sys.executable, "-c", KILLED, str(tmp_path / "sms.csv")]
        assert subprocess.run(command, env=environment, check=False).returncode == -9
        assert len(names_in(tmp_path)) == 1
    write(tmp_path / "autre.csv", ["text"], [])
    assert names_in(tmp_path) == ["autre.csv"]


def test_what_a_live_run_writes_stays(tmp_path: Path, write: Write) -> None:
    with create_output(tmp_path / "sms.csv", ["text"]) as output:
        write(tmp_path / "autre.csv", ["text"], [])
        output.write([["Ok"]])
        output.commit()
    assert names_in(tmp_path) == ["autre.csv", "sms.csv"]


@pytest.mark.parametrize("name", [".unfinished", ".unfinished-work.queue", "unfinished-0a1b"])
def test_what_others_leave_unfinished_stays(name: str, tmp_path: Path, write: Write) -> None:
    (tmp_path / name).touch()
    write(tmp_path / "sms.csv", ["text"], [])
    assert names_in(tmp_path) == sorted([name, "sms.csv"])


def test_an_output_is_on_the_disk_before_its_name_and_the_name_before_success(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    to_disk = os.fsync

    def note(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        seen.append(("folder" if is_folder else "file", (tmp_path / "sms.csv").exists()))
        to_disk(handle)

    monkeypatch.setattr(os, "fsync", note)
    write(tmp_path / "sms.csv", ["text"], [])
    assert seen == [("file", False), ("folder", True)]


@pytest.mark.parametrize("name", NAMES)
def test_a_disk_that_takes_no_more_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"avant")
    rows = [[f"Coucou {n * n * n}"] for n in range(2_000)]
    refused = pytest.raises(DataError, match="File too large")
    output = create_output(path, ["text"], overwrite=True)
    with output, files_of_at_most(1_000), refused:
        write_and_commit(output, rows)
    assert path.read_bytes() == b"avant"
    assert list(tmp_path.iterdir()) == [path]


def test_rows_are_counted(tmp_path: Path) -> None:
    with create_output(tmp_path / "sms.csv", ["text"]) as output:
        output.write([["Coucou"], ["Ok"]])
        output.write([["Oui"]])
        assert output.rows_written == 3


@pytest.mark.parametrize("row", [["Coucou"], ["Coucou", "TA", "de trop"]])
def test_a_row_must_have_a_cell_for_each_column(row: list[object], tmp_path: Path) -> None:
    with (
        create_output(tmp_path / "sms.csv", ["text", "action"]) as output,
        pytest.raises(ValueError, match="2 cells"),
    ):
        output.write([row])


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("permissions", "mask", "expected"),
    [
        (0o600, 0o022, 0o600),
        (0o640, 0o022, 0o640),
        (0o755, 0o022, 0o644),
        (0o666, 0o002, 0o664),
        (0o644, 0o077, 0o600),
        (0o664, 0o027, 0o640),
    ],
)
def test_an_output_is_as_readable_as_its_input_and_the_umask_let(
    permissions: int, mask: int, expected: int, tmp_path: Path, write: Write
) -> None:
    source = tmp_path / "source.csv"
    source.touch()
    source.chmod(permissions)
    with umask(mask):
        path = write(tmp_path / "sms.csv", ["text"], [], mode_from=source)
    assert mode(path) == expected


def test_an_output_has_the_group_of_its_input(tmp_path: Path, write: Write) -> None:
    group = next((g for g in os.getgroups() if g != os.getegid()), 1 if not os.geteuid() else -1)
    if group < 0:
        pytest.skip("this user may give files to one group alone")
    source = tmp_path / "source.csv"
    source.touch()
    os.chown(source, -1, group)
    source.chmod(0o640)
    path = write(tmp_path / "sms.csv", ["text"], [], mode_from=source)
    assert (path.stat().st_gid, mode(path)) == (group, 0o640)


@pytest.mark.parametrize(
    ("permissions", "expected"), [(0o640, 0o600), (0o644, 0o644), (0o664, 0o644), (0o604, 0o600)]
)
def test_a_group_that_cannot_be_given_reads_no_more_than_all_others(
    permissions: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    path = tmp_path / "sms.csv"
    path.touch()
    theirs = os.stat_result([permissions, 0, 0, 1, 0, path.stat().st_gid + 1, 0, 0, 0, 0])
    give_access(path, theirs)
    assert mode(path) == expected


@pytest.mark.parametrize("permissions", [0o600, 0o666])
def test_a_private_output_is_its_owners_alone(
    permissions: int, tmp_path: Path, write: Write
) -> None:
    source = tmp_path / "source.csv"
    source.touch()
    source.chmod(permissions)
    path = write(tmp_path / "sms.csv", ["text"], [], mode_from=source, private=True)
    assert mode(path) == 0o600


@pytest.mark.parametrize("source", [None, "-"])
def test_without_input_file_an_output_is_as_readable_as_new_files(
    source: str | None, tmp_path: Path, write: Write
) -> None:
    with umask(0o027):
        path = write(tmp_path / "sms.csv", ["text"], [], mode_from=source)
    assert mode(path) == 0o640


def test_an_unfinished_output_is_hidden_and_its_owners_alone(tmp_path: Path) -> None:
    with create_output(tmp_path / "sms.csv", ["text"]):
        [hidden] = tmp_path.iterdir()
        assert hidden.name.startswith(".")
        assert mode(hidden) == 0o600


@pytest.mark.parametrize("name", ["sms.csv", "lien.csv", "dur.csv"])
def test_an_output_that_is_its_input_is_an_error(name: str, tmp_path: Path) -> None:
    source = tmp_path / "sms.csv"
    source.write_text("text\nCoucou\n")
    (tmp_path / "lien.csv").symlink_to(source)
    (tmp_path / "dur.csv").hardlink_to(source)
    with pytest.raises(DataError, match="is the input itself"):
        create_output(tmp_path / name, ["text"], mode_from=source, overwrite=True)
    assert source.read_text() == "text\nCoucou\n"


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write .*sms\.csv: No such file"):
        create_output(tmp_path / "absent" / "sms.csv", ["text"])


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "fichier").touch()
    with pytest.raises(DataError, match=r"cannot write .*sms\.csv: Not a directory"):
        create_output(tmp_path / "fichier" / "sms.csv", ["text"])


def test_a_folder_that_takes_no_files_is_an_error() -> None:
    with pytest.raises(DataError, match=r"cannot write /proc/sms\.csv: "):
        create_output("/proc/sms.csv", ["text"])


def test_a_target_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").mkdir()
    with pytest.raises(DataError, match="it is a directory"):
        create_output(tmp_path / "sms.csv", ["text"])


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "sms.csv")
    with pytest.raises(DataError, match="no ordinary file"):
        create_output(tmp_path / "sms.csv", ["text"])
    assert (tmp_path / "sms.csv").is_fifo()


def test_an_unknown_extension_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="unknown format"):
        create_output(tmp_path / "sms.doc", ["text"])


@pytest.mark.parametrize("name", ["sms.jsonl", "sms.parquet", "sms.xlsx"])
def test_columns_of_one_name_are_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="have the same name: rename"):
        create_output(tmp_path / name, ["text", "action", "action"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "like", "expected"),
    [
        ("sms.csv", None, b"id,text\n1,Zo\xc3\xa9\n"),
        ("sms.csv", Dialect(Format.CSV, "cp1252", ";"), b"\xef\xbb\xbfid;text\n1;Zo\xc3\xa9\n"),
        ("sms.csv", Dialect(Format.CSV, bom=True), b"\xef\xbb\xbfid,text\n1,Zo\xc3\xa9\n"),
        ("sms.csv", Dialect(Format.CSV, line_terminator="\r"), b"id,text\r1,Zo\xc3\xa9\r"),
        ("sms.csv", Dialect(Format.TSV, separator="\t"), b"id,text\n1,Zo\xc3\xa9\n"),
        ("sms.tsv", Dialect(Format.CSV, separator=";"), b"id\ttext\n1\tZo\xc3\xa9\n"),
        ("sms.csv", Dialect(Format.ODS), b"id,text\n1,Zo\xc3\xa9\n"),
    ],
)
def test_an_output_imitates_its_input(
    name: str, like: Dialect | None, expected: bytes, tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / name, ["id", "text"], [[1, "Zoé"]], like=like)
    assert path.read_bytes() == expected


@pytest.mark.parametrize(
    ("like", "expected"),
    [
        (None, "text\nZoé\n"),
        (Dialect(Format.JSONL), '{"text": "Zoé"}\n'),
        (Dialect(Format.XLSX), "text\nZoé\n"),
    ],
)
def test_standard_output_is_csv_or_like_its_input(
    like: Dialect | None, expected: str, capsysbinary: pytest.CaptureFixture[bytes], write: Write
) -> None:
    write(Path("-"), ["text"], [["Zoé"]], like=like)
    assert capsysbinary.readouterr().out.decode() == expected


def run(program: str, output: int | io.IOBase) -> subprocess.CompletedProcess[bytes]:
    """Run a program that writes 20,000 messages to standard output."""
    start = "from triage.data import DataError, create_output\n"
    return subprocess.run(
        [sys.executable, "-c", start + program],
        env={**os.environ, "PYTHONPATH": ROOT},
        stdout=output,  # type: ignore[arg-type]
        stderr=subprocess.PIPE,
        check=False,
    )


WRITE_ALL = "with create_output('-', ['text']) as out: out.write([['Coucou']] * 20_000)"


def test_a_full_disk_is_an_error_and_nothing_is_tried_again_at_exit() -> None:
    program = f"try:\n  {WRITE_ALL}\nexcept DataError as error: raise SystemExit(str(error))"
    with Path("/dev/full").open("wb") as full:
        done = run(program, full)
    assert done.stderr == b"cannot write standard output: No space left on device\n"
    assert done.returncode == 1


def test_a_closed_pipe_is_left_to_the_caller() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(f"try:\n  {WRITE_ALL}\nexcept BrokenPipeError: raise SystemExit(7)", writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (7, b"")


def write_rejects(path: Path, rejects: Sequence[Reject]) -> None:
    with rejects_output(path, rejects) as output:
        output.commit()


def test_rejects_are_written_with_line_reason_and_row(tmp_path: Path) -> None:
    path = tmp_path / "sms.rejects.csv"
    write_rejects(path, [Reject(3, "quote never closed", '3,"Coucou Zoé'), Reject(9, "x", "a\rb")])
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["line", "reason", "row"],
            ["3", "quote never closed", '3,"Coucou Zoé'],
            ["9", "x", "a\rb"],
        ]


def test_undecodable_bytes_show_as_what_they_are(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes("text\nZoé à Sète\n".encode() + b"l\x92\xe9t\xe9?\n")
    messages, _ = read(tmp_path / "sms.csv", encoding="utf-8")
    write_rejects(tmp_path / "r.csv", messages.rejects)
    assert "3,bytes that are not UTF-8,l\\x92\\xe9t\\xe9?\n" in (tmp_path / "r.csv").read_text()


def test_only_the_owner_may_read_rejects(tmp_path: Path) -> None:
    write_rejects(tmp_path / "r.csv", [Reject(2, "x", "Coucou")])
    assert (tmp_path / "r.csv").stat().st_mode & 0o777 == 0o600


def test_a_rejected_row_is_no_formula(tmp_path: Path) -> None:
    write_rejects(tmp_path / "r.csv", [Reject(2, "x", "=1+1")])
    assert (tmp_path / "r.csv").read_text().endswith("2,x,'=1+1\n")


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write .*r\.csv: No such file"):
        write_rejects(tmp_path / "absent" / "r.csv", [Reject(2, "x", "Coucou")])
