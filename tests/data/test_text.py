"""Encodings of text files."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.data import Chunk, DataError, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

FRENCH = "id,text\n1,À bientôt Zoé 😀\n2,C'est l’été chez Noël\n"
WESTERN = FRENCH.replace(" 😀", " €")


@pytest.mark.parametrize(
    ("encoding", "found", "bom"),
    [
        ("utf-8", "utf-8", False),
        ("utf-8-sig", "utf-8", True),
        ("utf-16", "utf-16-le", True),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_unicode_files_are_recognised(
    encoding: str, found: str, bom: bool, end: str, tmp_path: Path, read: Read
) -> None:
    (tmp_path / "sms.csv").write_bytes(FRENCH.replace("\n", end).encode(encoding))
    messages, chunk = read(tmp_path / "sms.csv")
    assert chunk.texts == ["À bientôt Zoé 😀", "C'est l’été chez Noël"]
    assert messages.columns == ("id", "text")
    assert (messages.dialect.encoding, messages.dialect.bom) == (found, bom)
    assert messages.dialect.line_terminator == end


def test_big_endian_utf_16_is_recognised_by_its_mark(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes(b"\xfe\xff" + FRENCH.encode("utf-16-be"))
    assert read(tmp_path / "sms.csv")[1].texts[0] == "À bientôt Zoé 😀"


def test_windows_1252_is_recognised(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes(WESTERN.encode("cp1252"))
    messages, chunk = read(tmp_path / "sms.csv")
    assert chunk.texts == ["À bientôt Zoé €", "C'est l’été chez Noël"]
    assert messages.dialect.encoding == "cp1252"


def test_a_damaged_row_of_a_utf_8_file_is_rejected(tmp_path: Path, read: Read) -> None:
    content = FRENCH.encode() + b"3,Gr\xe8ve avec Lo\xefc\n4,Ok\n"
    (tmp_path / "sms.csv").write_bytes(content)
    messages, chunk = read(tmp_path / "sms.csv")
    assert chunk.ids == ["1", "2", "4"]
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (4, "bytes that are not UTF-8")
    assert reject.raw.encode("utf-8", "surrogateescape") == b"3,Gr\xe8ve avec Lo\xefc"


def test_a_damaged_line_of_a_json_lines_file_is_rejected(tmp_path: Path, read: Read) -> None:
    content = '{"text": "À bientôt Zoé"}\n'.encode() + b'{"text": "Gr\xe8ve"}\n'
    (tmp_path / "sms.jsonl").write_bytes(content)
    messages, chunk = read(tmp_path / "sms.jsonl")
    assert chunk.texts == ["À bientôt Zoé"]
    assert [reject.reason for reject in messages.rejects] == ["bytes that are not UTF-8"]


def test_a_character_cut_by_the_end_of_the_file_is_damage(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes(FRENCH.encode() + "3,Zoé".encode()[:-1])
    messages, _ = read(tmp_path / "sms.csv")
    assert [reject.line for reject in messages.rejects] == [4]


def test_bytes_of_no_known_encoding_ask_for_its_name(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_bytes(b"id,text\n1,\x81\x8d\xe9\n")
    with pytest.raises(DataError, match=r"neither UTF-8 nor cp1252.*--encoding"):
        open_messages(tmp_path / "sms.csv")


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_without_mark_names_the_way_out(order: str, tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes(FRENCH.encode(f"utf-16-{order}"))
    with pytest.raises(DataError, match=f"--encoding utf-16-{order}"):
        open_messages(tmp_path / "sms.csv")
    _, chunk = read(tmp_path / "sms.csv", encoding=f"utf-16-{order}")
    assert chunk.texts[0] == "À bientôt Zoé 😀"


@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "utf-8-sig"])
def test_a_named_encoding_leaves_no_mark_in_the_header(
    encoding: str, tmp_path: Path, read: Read
) -> None:
    (tmp_path / "sms.csv").write_bytes(FRENCH.encode("utf-8-sig"))
    messages, _ = read(tmp_path / "sms.csv", encoding=encoding)
    assert messages.columns == ("id", "text")
    assert messages.dialect.bom


def test_a_named_encoding_wins(tmp_path: Path, read: Read) -> None:
    (tmp_path / "sms.csv").write_bytes("text\nZoé\n".encode("mac-roman"))
    assert read(tmp_path / "sms.csv", encoding="mac-roman")[1].texts == ["Zoé"]


def test_a_named_encoding_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_bytes(FRENCH.encode())
    with pytest.raises(DataError, match="neither UTF-8 nor ascii"):
        open_messages(tmp_path / "sms.csv", encoding="ascii")


@pytest.mark.parametrize("encoding", ["utf-99", "hex", "é"])
def test_an_unknown_encoding_is_an_error(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_bytes(FRENCH.encode())
    with pytest.raises(DataError, match=r"--encoding .* is unknown"):
        open_messages(tmp_path / "sms.csv", encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "chosen", "expected"),
    [
        ("cp1252", None, True),
        ("utf-8-sig", None, True),
        ("utf-8", None, False),
        ("utf-8", True, True),
        ("cp1252", False, False),
    ],
)
@pytest.mark.parametrize("name", ["copie.csv", "copie.tsv"])
def test_csv_has_a_byte_order_mark_where_excel_wants_it(
    encoding: str,
    chosen: bool | None,
    expected: bool,
    name: str,
    tmp_path: Path,
    read: Read,
    write: Write,
) -> None:
    path = tmp_path / "sms.csv"
    path.write_bytes("id;text\n1;Zoé à Sète\n".encode(encoding))
    messages, chunk = read(path)
    copy = write(tmp_path / name, messages.columns, chunk.rows, like=messages.dialect, bom=chosen)
    assert copy.read_bytes().startswith(codecs.BOM_UTF8) is expected
    assert read(copy)[1].rows == chunk.rows
