"""Opening message files: their format, their columns, their chunks, and what is told of them."""

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.conftest import Read, Write, file_of
from triage.data import DataError, Format, open_messages
from triage.data.columns import guess_sender
from triage.data.formats import FORMATS
from triage.settings import Reading

CASES = cases_beside(__file__)

CSV = b"id,text\n1,Coucou Zo\xc3\xa9\n"
TSV = CSV.replace(b",", b"\t")
JSONL = b'{"id": 1, "text": "Coucou Zo\xc3\xa9"}\n'
TEXT_FORMATS = ["sms.csv", "sms.tsv", "sms.jsonl", "sms.csv.gz"]
BINARY_FORMATS = ["sms.xlsx", "sms.ods", "sms.parquet"]
DATES = "dates in date"
ALL_FORMATS = [*TEXT_FORMATS, *BINARY_FORMATS]


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
        ("sms.tsv", TSV, Format.TSV),
        ("sms.jsonl", JSONL, Format.JSONL),
        ("sms.ndjson", JSONL, Format.JSONL),
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


@pytest.mark.parametrize("name", ["sms.doc", "sms", "sms.xlsx.gz", "sms.gz"])
def test_an_unknown_extension_lists_those_that_are_known(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"\.csv, \.txt, .*\.gz.*, \.xlsx, \.ods, \.parquet"):
        open_messages(file_of(tmp_path, CSV, name))


def test_a_format_that_is_named_wins(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, CSV, "sms")
    assert read(path, format="csv")[1].texts == ["Coucou Zoé"]
    with pytest.raises(DataError, match=r"--format 'doc' is unknown: it is one of csv, tsv"):
        open_messages(path, Reading(format="doc"))


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


@pytest.mark.parametrize(
    ("header", "text", "id_", "sender"),
    [
        ("num_sms,sms_anon", "sms_anon", "num_sms", None),
        ("NumSMS,Texte", "Texte", "NumSMS", None),
        ("user,MESSAGE,date", "MESSAGE", None, "user"),
        ("sms,text,ID", "text", "ID", None),
        ("content,sms_anon,text", "sms_anon", None, None),
        ("id, text", " text", "id", None),
        ("N°,Numéro de téléphone,Contenu du message", "Contenu du message", "N°", 1),
        ("Numéro,CONTENU", "CONTENU", None, None),
        ("N° SMS,Expéditeur,Corps du message", "Corps du message", "N° SMS", "Expéditeur"),
        ("num,id,jour,text", "text", "id", None),
    ],
)
def test_columns_of_usual_names_are_taken(
    header: str, text: str, id_: str | None, sender: str | int | None, tmp_path: Path
) -> None:
    with open_messages(file_of(tmp_path, f"{header}\n")) as messages:
        assert messages.text_column == messages.columns[messages.text_position] == text
        assert messages.id_column == id_
        found = guess_sender(messages.columns)
        assert sender in (found, None if found is None else messages.columns[found])


@pytest.mark.parametrize(("options", "text", "id_"), CASES["columns_may_be_named_or_numbered"])
def test_columns_may_be_named_or_numbered(
    options: dict[str, str], text: str, id_: str, tmp_path: Path, read: Read
) -> None:
    path = file_of(tmp_path, "id,1,corps,clé,text\n7,a,Coucou Zoé,z9,non\n")
    _, chunk = read(path, **options)
    assert (chunk.texts, chunk.ids) == ([text], [id_])


@pytest.mark.parametrize(
    "options", [{}, {"text_column": "texte"}, {"text_column": "corps", "id_column": "clé"}]
)
def test_a_missing_column_lists_those_there_are(options: dict[str, Any], tmp_path: Path) -> None:
    path = file_of(tmp_path, "date,corps\n1,Coucou\n")
    with pytest.raises(DataError, match=r"(--text-column|--id-column).*date, corps"):
        open_messages(path, **options)


@pytest.mark.parametrize("number", ["0", "3", "-1", "²", "9" * 5000])
def test_a_number_beyond_the_columns_is_an_error(number: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no column"):
        open_messages(file_of(tmp_path, "id,corps\n1,Coucou\n"), text_column=number)


@pytest.mark.parametrize(
    "message", ["Coucou Zoé", "Coucou,Zoé", "1;Rendez-vous chez Zoé au 12 rue des Lilas"]
)
@pytest.mark.parametrize("column", [None, "corps"])
def test_a_message_in_the_place_of_a_header_is_not_shown(
    message: str, column: str | None, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="columns: ") as caught:
        open_messages(file_of(tmp_path, f"{message}\nOk\n"), text_column=column)
    assert "Zoé" not in str(caught.value)


def test_columns_of_one_name_are_an_error_unless_that_is_blank(tmp_path: Path, read: Read) -> None:
    with pytest.raises(DataError, match="columns 1 and 3 have the same name"):
        open_messages(file_of(tmp_path, "jour,text,jour\n"))
    messages, chunk = read(file_of(tmp_path, ",text,,\n0,Coucou Zoé,,\n"))
    assert messages.columns == ("", "text", "", "")
    assert chunk.rows == [["0", "Coucou Zoé", "", ""]]


@pytest.mark.parametrize("name", ["sms.csv", "sms.txt"])
def test_without_header_the_first_row_is_a_message(name: str, tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "1;Coucou Zoé\n2;Ok\n", name)
    messages, chunk = read(path, no_header=True, text_column="2")
    assert messages.columns == ("1", "2")
    assert (chunk.texts, chunk.lines) == (["Coucou Zoé", "Ok"], [1, 2])
    path = file_of(tmp_path, "Coucou\nOk\n", name)
    assert read(path, no_header=True)[1].texts == ["Coucou", "Ok"]
    with pytest.raises(DataError, match="name it with --text-column, or say --no-header and its"):
        open_messages(file_of(tmp_path, "text;Zoé\n2;Ok\n", name), no_header=True)


@pytest.mark.parametrize("options", [{"no_header": True}, {"sheet": "2"}, {"table": "t"}])
def test_an_option_of_other_formats_is_refused(options: dict[str, Any], tmp_path: Path) -> None:
    path = file_of(tmp_path, '{"text": "Ok"}\n', "sms.jsonl")
    with pytest.raises(DataError, match=r"--(no-header|sheet|table) does not apply to jsonl"):
        open_messages(path, **options)


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
            assert chunk.size < 1_300_000
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert messages.rows_read == 4_000
    # The texts alone are over 15 MB.
    assert peak < 8_000_000


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("sms.csv", "sent_at;text\n2011-09-15 10:12;Ok\n", ()),
        ("sms.csv", "text\nOk\n", ()),
        ("sms.csv", "text\nZoé\n".encode("cp1252"), ("in cp1252",)),
        ("sms.csv", "text|date\nOk|3 mai 2011\n", ("separated by |", f"{DATES} as day month year")),
        ("sms.jsonl", '{"text": "a", "date": null}\n', (f"no {DATES}",)),
        ("sms.txt", "Coucou Zoé\n", ()),
    ],
)  # fmt: skip
def test_what_is_not_ordinary_of_a_file_is_told(
    name: str, content: str | bytes, facts: tuple[str, ...], tmp_path: Path, read: Read
) -> None:
    assert read(file_of(tmp_path, content, name))[0].told() == (facts, ())


@pytest.mark.parametrize(("said", "rows"), [("Ã‰tÃ©", 1), ("lâ€™Ã©tÃ©", 1), ("NÃO, 5 °C", 0)])
def test_text_that_was_read_as_latin_1_is_doubted_and_left_alone(
    said: str, rows: int, tmp_path: Path, read: Read
) -> None:
    messages, chunk = read(file_of(tmp_path, f"text\nOk\n{said}\nété\nmdr\n"))
    assert chunk.texts[1] == said
    doubts = messages.told().doubts
    assert len(doubts) == rows
    assert all("1 messages (25.0%), the first in line 3, look like UTF-8" in one for one in doubts)
