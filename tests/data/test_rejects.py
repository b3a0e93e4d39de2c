"""The rejects file."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, MessageFile, Reject, rejects_output


def write_rejects(path: Path, rejects: Sequence[Reject]) -> None:
    with rejects_output(path, rejects) as output:
        output.commit()


Read = Callable[..., tuple[MessageFile, Chunk]]


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
