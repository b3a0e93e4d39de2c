"""Outputs of rows: their names, their dialects, standard output, and the rejects beside them."""

import csv
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.data.conftest import Read, Write
from triage.data import (
    DataError,
    Dialect,
    Format,
    Reject,
    create_output,
    default_output,
    rejects_output,
    rejects_path,
)

CASES = cases_beside(__file__)


@pytest.mark.parametrize(("path", "expected"), CASES["the_output_is_beside_the_input_and"])
def test_the_output_is_beside_the_input_and_in_its_format(path: str, expected: str) -> None:
    assert default_output(path) == Path(expected)


@pytest.mark.parametrize(("output", "expected"), CASES["rejects_are_csv_beside_the_output"])
def test_rejects_are_csv_beside_the_output(output: str, expected: str) -> None:
    assert rejects_path(output) == Path(expected)


@pytest.mark.parametrize(("name", "problem"), CASES["a_format_that_is_not_written_is"])
def test_a_format_that_is_not_written_is_an_error(name: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=problem):
        create_output(tmp_path / name, ["text"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["sms.jsonl", "sms.parquet", "sms.xlsx"])
def test_columns_of_one_name_are_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="have the same name: rename"):
        create_output(tmp_path / name, ["text", "action", "action"])
    assert list(tmp_path.iterdir()) == []


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
        ("-", None, b"id,text\n1,Zo\xc3\xa9\n"),
        ("-", Dialect(Format.JSONL), b'{"id": 1, "text": "Zo\xc3\xa9"}\n'),
        ("-", Dialect(Format.XLSX), b"id,text\n1,Zo\xc3\xa9\n"),
    ],
)
def test_an_output_imitates_its_input(
    name: str,
    like: Dialect | None,
    expected: bytes,
    tmp_path: Path,
    write: Write,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    path = Path(name) if name == "-" else tmp_path / name
    write(path, ["id", "text"], [[1, "Zoé"]], like=like)
    assert (capsysbinary.readouterr().out if name == "-" else path.read_bytes()) == expected


def run(program: str, output: int | io.IOBase) -> subprocess.CompletedProcess[bytes]:
    """Run a program that writes 20,000 messages to standard output."""
    start = "from triage.data import DataError, create_output\n"
    return subprocess.run(
        [sys.executable, "-c", start + program],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
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


def write_rejects(path: Path, rejects: Sequence[Reject]) -> str:
    with rejects_output(path, rejects) as output:
        output.commit()
    return path.read_bytes().decode()


def test_rejects_are_written_with_line_reason_and_row_for_their_owner_alone(
    tmp_path: Path,
) -> None:
    rejects = [Reject(3, "quote never closed", '3,"Coucou Zoé'), Reject(9, "x", "=1\rb")]
    written = write_rejects(tmp_path / "r.csv", rejects)
    assert list(csv.reader(io.StringIO(written, newline=""))) == [
        ["line", "reason", "row"],
        ["3", "quote never closed", '3,"Coucou Zoé'],
        ["9", "x", "'=1\rb"],
    ]
    assert (tmp_path / "r.csv").stat().st_mode & 0o777 == 0o600


def test_undecodable_bytes_show_as_what_they_are(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes("text\nZoé à Sète\n".encode() + b"l\x92\xe9t\xe9?\n")
    messages, _ = read(tmp_path / "sms.csv", encoding="utf-8")
    written = write_rejects(tmp_path / "r.csv", messages.rejects)
    assert "3,bytes that are not UTF-8,l\\x92\\xe9t\\xe9?\n" in written
