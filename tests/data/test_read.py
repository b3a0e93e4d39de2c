"""Opening message files: their format, their chunks, and what stays light."""

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.files import file_of, read, write, zipped
from triage.data import DataError, Format, open_messages

pytestmark = pytest.mark.usefixtures("own_folder")
StandardInput = Callable[[bytes], None]
CSV = b"id,text\n1,Coucou Zo\xc3\xa9\n"
JSONL = b'{"id": 1, "text": "Coucou Zo\xc3\xa9"}\n'
PACKED = gzip.compress(CSV * 1000, mtime=0)
TEXT_FORMATS = ["sms.csv", "sms.tsv", "sms.jsonl", "sms.csv.gz"]
BINARY_FORMATS = ["sms.xlsx", "sms.ods", "sms.parquet"]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> StandardInput:
    return lambda content: monkeypatch.setattr(
        sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content))
    )


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        *((name, gzip.compress(CSV, mtime=0), Format.CSV) for name in ("sms.csv", "sms.csv.gz")),
        *((name, gzip.compress(JSONL, mtime=0), Format.JSONL) for name in ("-", "sms.jsonl.gz")),
        *(("-", CSV.replace(b",", separator), Format.CSV) for separator in (b",", b"\t")),
        ("-", b"\xef\xbb\xbf\n  " + JSONL, Format.JSONL),
    ],
)
def test_name_and_content_tell_the_format(
    name: str, content: bytes, expected: Format, stdin: StandardInput
) -> None:
    stdin(content)
    messages, chunk = read("-" if name == "-" else file_of(content, name))
    assert (messages.format, chunk.texts) == (expected, ["Coucou Zoé"])


@pytest.mark.parametrize("name", BINARY_FORMATS)
def test_content_tells_a_binary_format_and_its_damage(name: str, stdin: StandardInput) -> None:
    path = write(name, ["text"], [["Coucou Zoé"]])
    content = path.read_bytes()
    stdin(content)
    for source in ("-", path.rename("other.csv")):
        messages, chunk = read(source)
        assert messages.format.value == Path(name).suffix[1:]
        assert chunk.texts == ["Coucou Zoé"]
    for kept in (4, 100, -50):
        with pytest.raises(DataError, match=r"not a readable .*damaged"):
            open_messages(file_of(content[:kept], name))


def test_a_process_that_reads_standard_input_loads_nothing_heavy_and_leaves_no_file() -> None:
    heavy = {"pandas", "numpy", "openpyxl", "xlsxwriter", "xml.etree.ElementTree", "pyarrow"}
    program = (
        "import sys\nfrom triage.data import open_messages\nwith open_messages('-') as m: "
        f"print([c.texts for c in m.chunks()], {heavy} & set(sys.modules))"
    )
    environment = os.environ | {"TMPDIR": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-c", program], input=CSV, env=environment, capture_output=True, check=True
    )
    assert done.stdout.decode() == "[['Coucou Zoé']] set()\n"
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("content", [PACKED[:-20], PACKED[:-1], PACKED[:15] + b"\xff" * 20, CSV])
def test_a_damaged_gzip_file_is_said_to_be_damaged(content: bytes) -> None:
    with pytest.raises(DataError, match="not a whole gzip file"):
        open_messages(file_of(content, "sms.csv.gz"))


@pytest.mark.parametrize("name", [*TEXT_FORMATS, *BINARY_FORMATS])
def test_a_file_is_read_in_chunks_repeatedly(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(name, ["id", "text"], [[n, f"Coucou {n}"] for n in range(70)])
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
    monkeypatch.setattr("triage.data.limits.CHUNK_CELLS", 80)
    with open_messages(path) as messages:
        assert [len(chunk.rows) for chunk in messages.chunks()] == [40, 30]


@pytest.mark.parametrize("name", [*TEXT_FORMATS, "sms.parquet"])
def test_memory_stays_flat_however_long_the_file_and_wide_its_rows(name: str) -> None:
    path = write(name, ["text"], [["Coucou Zoé, à demain ! " * 160]] * 4_000)
    tracemalloc.start()
    with open_messages(path) as messages:
        for chunk in messages.chunks():
            assert sum(map(len, chunk.texts)) < 1_300_000
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert messages.rows_read == 4_000
    # The texts alone are over 15 MB.
    assert peak < 8_000_000


def test_emojis_of_a_backup_are_read_wherever_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    sms = '<sms body="&#55357;&#56832; mdr &#233;"/>\n'
    path = file_of(f"<smses>\n{sms * 20}</smses>", "sms.xml")
    for size in range(1, 40):
        monkeypatch.setattr("triage.data.chats._PIECE", size)
        assert read(path)[1].texts == ["😀 mdr é"] * 20


ANDROID = "31/01/2021, 14:05 - Léa Martin: Coucou Zoé !\n31/01/2021, 14:06 - Zoé: slt\n"


@pytest.mark.parametrize("name", ["_chat.txt", "Discussion WhatsApp avec Léa.txt"])
def test_the_zip_is_read_as_it_was_exported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.data.limits.LARGEST_PART", len(ANDROID.encode()))
    notes = "Coucou" * 99  # too large a text is none that is read
    others: dict[str, str | bytes] = {"PHOTO-2021-01-31.jpg": b"\xff\xd8", "notes.txt": notes}
    path = zipped("Discussion WhatsApp.zip", **others, **{name: ANDROID})
    messages, chunk = read(path)
    assert messages.format is Format.WHATSAPP
    assert chunk.texts == ["Coucou Zoé !", "slt"]
    with open_messages(path) as again:
        assert list(again.chunks()) == list(again.chunks())
        assert again.notes()[1] == []


def test_that_a_zip_holds_several_chats_is_told() -> None:
    messages, chunk = read(zipped("a.zip", **{"a.txt": ANDROID, "_chat.txt": ANDROID * 2}))
    doubt = "the first of 2 chats was read: unpack them, and read each"
    assert (len(chunk.texts), messages.notes()[1]) == (4, [doubt])


@pytest.mark.parametrize("kept", [40, 200, -60, None])
def test_a_damaged_zip_is_said_to_be_damaged(kept: int | None) -> None:
    path = zipped("chat.zip", **{"_chat.txt": ANDROID * 50})
    content = path.read_bytes()
    within = content[:60] + b"\xff" * 60 + content[120:]
    path.write_bytes(content[:kept] if kept else within)
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


said = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), min_size=1, max_size=40)


@given(texts=st.lists(said.filter(lambda text: text.strip() == text), min_size=1, max_size=5))
def test_what_was_said_is_read_as_it_was(texts: list[str]) -> None:
    content = "".join(f"31/01/2021, 14:05 - Léa: {text}\n" for text in texts)
    assert read(file_of(content, "chat.txt"))[1].texts == texts


def test_a_zip_without_a_chat_is_refused() -> None:
    with pytest.raises(DataError, match="holds no WhatsApp chat"):
        open_messages(zipped("chat.zip", **{"_chat.txt": "id,text\n1,Coucou\n"}))
