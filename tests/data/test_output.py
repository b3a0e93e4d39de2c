"""Outputs, which appear whole or not at all."""

import io
import os
import resource
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
    commit_all,
    create_output,
)

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

ROOT = str(Path(__file__).parents[2])
NAMES = ["sms.csv", "sms.csv.gz", "sms.tsv", "sms.jsonl", "sms.xlsx", "sms.ods", "sms.parquet"]


def write_and_commit(output: OutputFile, rows: Sequence[Sequence[object]]) -> None:
    output.write(rows)
    output.commit()


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
    with pytest.raises(IndexError), create_output(path, ["text"]) as output:
        output.write(rows)
    assert path.read_bytes() == b"avant"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", NAMES)
def test_without_commit_nothing_appears(name: str, tmp_path: Path) -> None:
    with create_output(tmp_path / name, ["text"]) as output:
        output.write([["Coucou"]])
    assert list(tmp_path.iterdir()) == []


def test_an_existing_output_is_replaced(tmp_path: Path, write: Write) -> None:
    write(tmp_path / "sms.csv", ["text"], [["Coucou"]] * 9)
    assert write(tmp_path / "sms.csv", ["text"], [["Ok"]]).read_text() == "text\nOk\n"


def test_a_link_stays_a_link(tmp_path: Path, write: Write) -> None:
    (tmp_path / "lien.csv").symlink_to(tmp_path / "sms.csv")
    write(tmp_path / "lien.csv", ["text"], [["Ok"]])
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


def test_none_of_several_outputs_appears_if_one_fails(tmp_path: Path) -> None:
    one = create_output(tmp_path / "a.csv", ["text"])
    other = create_output(tmp_path / "b.csv", ["text"])
    with one, other:
        one.write([["Ok"]])
        other.write([["Coucou"]] * 100)
        with files_of_at_most(100), pytest.raises(DataError, match=r"b\.csv: File too large"):
            commit_all([one, other])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_disk_that_takes_no_more_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"avant")
    rows = [[f"Coucou {n * n * n}"] for n in range(2_000)]
    refused = pytest.raises(DataError, match="File too large")
    with create_output(path, ["text"]) as output, files_of_at_most(1_000), refused:
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


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o644, 0o666, 0o755])
def test_an_output_is_as_readable_as_its_input(
    permissions: int, tmp_path: Path, write: Write
) -> None:
    source = tmp_path / "source.csv"
    source.touch()
    source.chmod(permissions)
    path = write(tmp_path / "sms.csv", ["text"], [], mode_from=source)
    assert mode(path) == permissions & 0o666


@pytest.mark.parametrize("source", [None, "-"])
def test_without_input_file_an_output_is_as_readable_as_new_files(
    source: str | None, tmp_path: Path, write: Write
) -> None:
    mask = os.umask(0o027)
    try:
        path = write(tmp_path / "sms.csv", ["text"], [], mode_from=source)
    finally:
        os.umask(mask)
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
        create_output(tmp_path / name, ["text"], mode_from=source)
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
        ("sms.csv", Dialect(Format.CSV, "cp1252", ";"), b"id;text\n1;Zo\xc3\xa9\n"),
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
