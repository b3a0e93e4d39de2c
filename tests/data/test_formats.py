"""Which format a file is in, and files that are none."""

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages
from triage.data.formats import FORMATS

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

CSV = b"id,text\n1,Coucou Zo\xc3\xa9\n"
JSONL = b'{"id": 1, "text": "Coucou Zo\xc3\xa9"}\n'


class StandardInput:
    """Standard input as a program sees it, with these bytes waiting."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("sms.csv", CSV, Format.CSV),
        ("SMS.CSV", CSV, Format.CSV),
        ("sms.txt", CSV, Format.CSV),
        ("sms.tsv", CSV.replace(b",", b"\t"), Format.TSV),
        ("sms.jsonl", JSONL, Format.JSONL),
        ("sms.ndjson", JSONL, Format.JSONL),
        ("sms.csv.gz", gzip.compress(CSV, mtime=0), Format.CSV),
        ("sms.jsonl.gz", gzip.compress(JSONL, mtime=0), Format.JSONL),
    ],
)
def test_the_name_tells_the_format(
    name: str, content: bytes, expected: Format, tmp_path: Path, read: Read
) -> None:
    (tmp_path / name).write_bytes(content)
    messages, chunk = read(tmp_path / name)
    assert messages.format is expected
    assert chunk.texts == ["Coucou Zoé"]


@pytest.mark.parametrize("name", ["sms.doc", "sms", "sms.xlsx.gz", "sms.gz"])
def test_an_unknown_extension_lists_those_that_are_known(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(CSV)
    with pytest.raises(DataError, match=r"\.csv, \.txt, .*\.gz.*, \.xlsx, \.ods, \.parquet"):
        open_messages(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CSV, Format.CSV),
        (CSV.replace(b",", b"\t"), Format.CSV),
        (b"\n  " + JSONL, Format.JSONL),
        (b"\xef\xbb\xbf" + JSONL, Format.JSONL),
        (gzip.compress(CSV, mtime=0), Format.CSV),
        (gzip.compress(JSONL, mtime=0), Format.JSONL),
    ],
)
def test_standard_input_is_told_by_its_content(
    content: bytes, expected: Format, monkeypatch: pytest.MonkeyPatch, read: Read
) -> None:
    monkeypatch.setattr(sys, "stdin", StandardInput(content))
    messages, chunk = read("-")
    assert messages.format is expected
    assert chunk.texts == ["Coucou Zoé"]


@pytest.mark.parametrize("format_", [Format.XLSX, Format.ODS, Format.PARQUET])
def test_binary_files_come_from_standard_input_too(
    format_: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Read, write: Write
) -> None:
    path = write(tmp_path / f"sms.{format_.value}", ["text"], [["Coucou Zoé"]])
    monkeypatch.setattr(sys, "stdin", StandardInput(path.read_bytes()))
    messages, chunk = read("-")
    assert messages.format is format_
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


@pytest.mark.parametrize("name", ["sms.csv", "sms.jsonl", "sms.xlsx", "sms.ods", "sms.parquet"])
def test_an_empty_file_is_said_to_be_empty(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(DataError, match="is empty"):
        open_messages(tmp_path / name)


def test_a_missing_file_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*sms\.csv: No such file"):
        open_messages(tmp_path / "sms.csv")


def test_a_directory_is_no_message_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Is a directory"):
        open_messages(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights")
def test_a_file_without_permission_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_bytes(CSV)
    (tmp_path / "sms.csv").chmod(0)
    program = (
        "import os, sys\n"
        "from triage.data import DataError, open_messages\n"
        "os.chdir(sys.argv[1]); os.setgid(65534); os.setuid(65534)\n"
        "try: open_messages('sms.csv')\n"
        "except DataError as error: print(error)"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"cannot read sms.csv: Permission denied\n"


@pytest.mark.parametrize(
    "content", [CSV, gzip.compress(CSV * 9999, mtime=0)[:-20], b"\x1f\x8b\x08rien"]
)
def test_a_damaged_gzip_file_is_said_to_be_damaged(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "sms.csv.gz").write_bytes(content)
    with pytest.raises(DataError, match="not a whole gzip file"):
        open_messages(tmp_path / "sms.csv.gz")


@pytest.mark.parametrize("name", ["sms.xlsx", "sms.ods", "sms.parquet"])
@pytest.mark.parametrize("kept", [4, 100, -50])
def test_a_damaged_binary_file_is_said_to_be_damaged(
    name: str, kept: int, tmp_path: Path, write: Write
) -> None:
    path = write(tmp_path / name, ["text"], [["Coucou Zoé"]])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"not a readable .*damaged"):
        open_messages(path)


def test_content_says_the_format_before_the_name(tmp_path: Path, read: Read, write: Write) -> None:
    path = write(tmp_path / "sms.xlsx", ["text"], [["Coucou Zoé"]])
    messages, chunk = read(path.rename(tmp_path / "sms.csv"))
    assert messages.format is Format.XLSX
    assert chunk.texts == ["Coucou Zoé"]


def test_a_compressed_file_needs_no_extension_that_says_so(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes(gzip.compress(CSV, mtime=0))
    assert read(tmp_path / "sms.csv")[1].texts == ["Coucou Zoé"]


def test_a_format_that_is_named_wins(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms").write_bytes(CSV)
    assert read(tmp_path / "sms", format="csv")[1].texts == ["Coucou Zoé"]


def test_an_unknown_format_lists_those_that_are_known(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_bytes(CSV)
    with pytest.raises(DataError, match=r"--format 'doc' is unknown: it is one of csv, tsv"):
        open_messages(tmp_path / "sms.csv", format="doc")


def test_a_format_that_is_only_read_is_no_output(tmp_path: Path, write: Write) -> None:
    with pytest.raises(DataError, match=r"must end in one of \.csv.* \.parquet$"):
        write(tmp_path / "chat.zip", ["text"], [])


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    # None in sys.modules is how Python itself marks a module that can't be imported.
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    command = r"pip install '\.\[parquet\]' in the program's folder"
    with pytest.raises(DataError, match=f"pyarrow is not installed: {command}"):
        write(tmp_path / "sms.parquet", ["text"], [])
    assert list(tmp_path.iterdir()) == []


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
