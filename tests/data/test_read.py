"""Opening message files: their format, their columns, their chunks, and what is told of them."""

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from tests.data.conftest import Read, Write, file_of
from triage.data import DataError, Format, open_messages
from triage.data.read import FORMATS

CSV = b"id,text\n1,Coucou Zo\xc3\xa9\n"
TSV = CSV.replace(b",", b"\t")
JSONL = b'{"id": 1, "text": "Coucou Zo\xc3\xa9"}\n'
TEXT_FORMATS = ["sms.csv", "sms.tsv", "sms.jsonl", "sms.csv.gz"]
BINARY_FORMATS = ["sms.xlsx", "sms.ods", "sms.parquet"]
ALL_FORMATS = [*TEXT_FORMATS, *BINARY_FORMATS]


class StandardInput:
    """Standard input as a program sees it, with these bytes waiting."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("sms.csv", gzip.compress(CSV, mtime=0), Format.CSV),
        ("sms.csv.gz", gzip.compress(CSV, mtime=0), Format.CSV),
        ("sms.jsonl.gz", gzip.compress(JSONL, mtime=0), Format.JSONL),
        ("-", CSV, Format.CSV),
        ("-", TSV, Format.CSV),
        ("-", b"\n  " + JSONL, Format.JSONL),
        ("-", b"\xef\xbb\xbf" + JSONL, Format.JSONL),
        ("-", gzip.compress(CSV, mtime=0), Format.CSV),
        ("-", gzip.compress(JSONL, mtime=0), Format.JSONL),
    ],
)
def test_name_and_content_tell_the_format(
    name: str,
    content: bytes,
    expected: Format,
    tmp_path: Path,
    read: Read,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", StandardInput(content))
    messages, chunk = read("-" if name == "-" else file_of(tmp_path, content, name))
    assert messages.format is expected
    assert chunk.texts == ["Coucou Zoé"]


@pytest.mark.parametrize("name", BINARY_FORMATS)
def test_content_tells_a_binary_format_whatever_the_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Read, write: Write
) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou Zoé"]])
    monkeypatch.setattr(sys, "stdin", StandardInput(path.read_bytes()))
    for source in ("-", path.rename(tmp_path / "other.csv")):
        messages, chunk = read(source)
        assert messages.format.value == Path(name).suffix[1:]
        assert chunk.texts == ["Coucou Zoé"]


def test_standard_input_of_a_process_leaves_no_file_behind(tmp_path: Path) -> None:
    program = (
        "from triage.data import open_messages\n"
        "with open_messages('-') as m: print([c.texts for c in m.chunks()])"
    )
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, "-c", program], input=CSV, env=environment, capture_output=True, check=True
    )
    assert done.stdout.decode() == "[['Coucou Zoé']]\n"
    assert list(tmp_path.iterdir()) == []


def test_a_named_pipe_is_refused_and_standard_input_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="it is no ordinary file"):
        open_messages(tmp_path / "pipe")


@pytest.mark.parametrize("name", [*ALL_FORMATS[:3], *BINARY_FORMATS])
def test_an_empty_file_is_said_to_be_empty(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        open_messages(file_of(tmp_path, b"", name))


def test_what_is_no_file_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for path, reason in (
        (tmp_path / "none.csv", "No such file"),
        (tmp_path / "folder.csv", "directory"),
        (Path("/dev/zero"), "it is no ordinary file"),
    ):
        with pytest.raises(DataError, match=f"cannot read {path}: .*{reason}"):
            open_messages(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named_with_the_reason(tmp_path: Path) -> None:
    path = file_of(tmp_path, CSV)
    path.chmod(0)
    with pytest.raises(DataError, match=r"sms\.csv: Permission denied"):
        open_messages(path)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(CSV * 1000, mtime=0)[:-20],
        gzip.compress(CSV * 1000, mtime=0)[:-1],
        gzip.compress(CSV, mtime=0)[:15] + b"\xff" * 20,
        CSV,
    ],
)
def test_a_damaged_gzip_file_is_said_to_be_damaged(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a whole gzip file"):
        open_messages(file_of(tmp_path, content, "sms.csv.gz"))


@pytest.mark.parametrize("name", BINARY_FORMATS)
@pytest.mark.parametrize("kept", [4, 100, -50])
def test_a_damaged_binary_file_is_said_to_be_damaged(
    name: str, kept: int, tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou Zoé"]])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"not a readable .*damaged"):
        open_messages(path)


def test_import_loads_nothing_heavy() -> None:
    heavy = {"pandas", "numpy", "openpyxl", "odfdo", "lxml", "pyarrow", "python_calamine"}
    program = f"import sys, data; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"set()\n"


def test_every_format_is_registered() -> None:
    assert set(FORMATS) == set(Format)


@pytest.mark.parametrize("name", ALL_FORMATS)
def test_a_file_is_read_in_chunks_as_often_as_wanted(
    name: str, tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / name, ["id", "text"], [[n, f"Coucou {n}"] for n in range(70)])
    with open_messages(path, chunk_rows=40) as messages:
        assert messages.lines == pytest.approx(70, abs=1)
        assert [(len(chunk.rows), messages.rows_read) for chunk in messages.chunks()] == [
            (40, 40),
            (30, 70),
        ]
        assert list(messages.chunks()) == list(messages.chunks())
        assert messages.rows_read == 70
        half_way = messages.chunks()
        next(half_way)
    # Warnings are errors here, also those of a generator that ends after its file is closed.
    del half_way


def test_a_chunk_has_at_least_a_row(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="chunk_rows must be positive"):
        open_messages(file_of(tmp_path, CSV), chunk_rows=0)


def test_reading_twice_counts_rejects_once(tmp_path: Path) -> None:
    with open_messages(file_of(tmp_path, "id,text\n1\n")) as messages:
        for _ in range(2):
            assert list(messages.chunks()) == []
            assert (messages.rows_read, len(messages.rejects)) == (1, 1)


@pytest.mark.parametrize("name", [*TEXT_FORMATS, "sms.parquet"])
def test_memory_stays_flat_however_long_the_file_and_wide_its_rows(
    name: str, tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou Zoé, à demain ! " * 160]] * 4_000)
    tracemalloc.start()
    with open_messages(path) as messages:
        for chunk in messages.chunks():
            assert sum(map(len, chunk.texts)) < 1_300_000
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert messages.rows_read == 4_000
    # The texts alone are over 15 MB.
    assert peak < 8_000_000
