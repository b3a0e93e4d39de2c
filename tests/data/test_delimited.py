"""CSV, TSV and plain lines: encodings, separators, rows, damage, and the guard against formulas."""

import codecs
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.data.conftest import Read, Write, file_of
from triage.data import (
    DataError,
    Reject,
    create_output,
    guard,
    open_messages,
    unguard,
)

CASES: dict[str, list[dict[str, Any]]] = cases_beside(__file__)
FRENCH = "id,text\n1,À bientôt Zoé 😀\n2,C'est l’été chez Noël\n"
TEXTS = ["À bientôt Zoé 😀", "C'est l’été chez Noël"]
NOT_UTF8 = "bytes that are not UTF-8"


@pytest.mark.parametrize(
    "message",
    ['Il dit "ok"', "deux\nlignes", "deux\r\nlignes", "deux\rlignes", "a\0b", "\0", "", " x "],
)
def test_a_quoted_message_is_kept_exactly(message: str, tmp_path: Path, read: Read) -> None:
    quoted = message.replace('"', '""')
    _, chunk = read(file_of(tmp_path, f'id,text\n0,Oui\n1,"{quoted}"\n2,Ok\n'))
    assert chunk.texts == ["Oui", message, "Ok"]
    assert chunk.lines == [2, 3, 4 + message.count("\n")]


@pytest.mark.parametrize("n_times", [1, 5000])
def test_a_quote_never_closed_costs_one_row(n_times: int, tmp_path: Path, read: Read) -> None:
    content = "id,text\n" + '1,"Coucou\n2,Ok\n3,"Oui, oui"\n4,"deux\nlignes"\n' * n_times
    messages, chunk = read(file_of(tmp_path, content))
    assert chunk.texts == ["Ok", "Oui, oui", "deux\nlignes"] * n_times
    assert [reject.line for reject in messages.rejects] == list(range(2, 5 * n_times + 2, 5))
    assert messages.rejects[0] == Reject(2, "quote never closed", '1,"Coucou')
    assert chunk.lines[:3] == [3, 4, 5]


def test_a_quote_open_for_longer_than_any_message_is_not_followed_to_the_end(
    tmp_path: Path, read: Read
) -> None:
    line = f"2,{'h' * 1_000_000}\n"
    messages, chunk = read(file_of(tmp_path, 'id,text\n1,"Coucou\n' + line * 9))
    assert messages.rejects == [Reject(2, "quote never closed", '1,"Coucou')]
    assert len(chunk.rows) == 9


@pytest.mark.parametrize("message", ["h" * 1_000_000, "Coucou Zoé " * 100_000])
def test_a_very_long_message_is_ordinary(message: str, tmp_path: Path, read: Read) -> None:
    assert read(file_of(tmp_path, f"id,text\n1,{message}\n2,Ok\n"))[1].texts == [message, "Ok"]


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, "h" * 40_000_000, "sms.txt")
    with open_messages(path) as messages, pytest.raises(DataError, match="a line that never ends"):
        list(messages.chunks())


@pytest.mark.parametrize(("encoding", "found", "bom"), CASES["the_encoding_is_found_out"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["sms.csv", "sms.txt"])
def test_the_encoding_is_found_out(
    encoding: str, found: str, bom: bool, end: str, name: str, tmp_path: Path, read: Read
) -> None:
    content = FRENCH if encoding.startswith("utf") else FRENCH.replace("😀", "€")
    content = content if name == "sms.csv" else "\n".join(TEXTS).replace("😀", "€")
    messages, chunk = read(file_of(tmp_path, content.replace("\n", end).encode(encoding), name))
    assert [text.replace("€", "😀") for text in chunk.texts] == TEXTS
    assert (messages.dialect.encoding, messages.dialect.bom) == (found, bom)
    assert messages.dialect.line_terminator == end


@pytest.mark.parametrize(
    ("name", "content", "raw"),
    [
        ("sms.csv", FRENCH.encode() + b"3,Gr\xe8ve chez L\xefa\n4,Ok\n", b"3,Gr\xe8ve chez L\xefa"),
        ("sms.csv", FRENCH.encode() + "3,Zoé".encode()[:-1], b"3,Zo\xc3"),
        ("sms.txt", "À bientôt\nl’été\n\n".encode() + b"caf\xe9\nOk\n", b"caf\xe9"),
        ("a.jsonl", '{"text": "À Sète"}\n\n\n'.encode() + b'{"text":"\xe8"}\n', b'{"text":"\xe8"}'),
    ],
)  # fmt: skip
def test_a_damaged_row_of_a_utf_8_file_is_rejected(
    name: str, content: bytes, raw: bytes, tmp_path: Path, read: Read
) -> None:
    messages, _ = read(file_of(tmp_path, content, name))
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (4, NOT_UTF8)
    assert reject.raw.encode("utf-8", "surrogateescape") == raw


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
    messages, chunk = read(file_of(tmp_path, "id;text\n1;Zoé à Sète\n".encode(encoding)))
    copy = write(tmp_path / name, messages.columns, chunk.rows, like=messages.dialect, bom=chosen)
    assert copy.read_bytes().startswith(codecs.BOM_UTF8) is expected
    assert read(copy)[1].rows == chunk.rows


risky = st.text(alphabet="'=+-@\t\r\n＝＋－＠ aé", max_size=6)


@given(st.text() | risky, risky)
def test_the_guard_against_formulas_loses_nothing(cell: str, other: str) -> None:
    assert unguard(guard(cell)) == cell
    assert (guard(cell) == guard(other)) == (cell == other)
    signs = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
    assert not guard(cell).startswith(signs)


@pytest.mark.parametrize("cell", ["Coucou Zoé", "'tite Léa", "", "1+1", " =1"])
def test_ordinary_text_needs_no_guard(cell: str) -> None:
    assert guard(cell) == unguard(cell) == cell


@pytest.mark.parametrize("name", ["sms.csv", "sms.tsv"])
def test_a_guarded_file_reads_back_unchanged(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    rows: list[list[object]] = [["=1+1", "+33612345678"], ["'=1+1", "'-"], ["\rà Léa", "@Hugo"]]
    path = write(tmp_path / name, ["text", "=id"], rows, guard_formulas=True)
    messages, chunk = read(path, guarded=True)
    assert chunk.rows == rows
    assert messages.columns == ("text", "=id")
    assert "\n'=" in path.read_text()


def test_numbers_are_not_guarded(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.csv", ["text", "n"], [["Ok", -5]], guard_formulas=True)
    assert path.read_text() == "text,n\nOk,-5\n"


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("sms.csv", {}, {"text": 3, "n": 1}),
        ("sms.tsv", {}, {"text": 3, "n": 1}),
        ("sms.csv", {"guard_formulas": True}, {}),
        *((name, {}, {}) for name in ("sms.jsonl", "sms.xlsx")),
    ],
)
def test_cells_that_a_spreadsheet_may_take_for_formulas_are_counted(
    name: str, options: dict[str, Any], expected: dict[str, int], tmp_path: Path
) -> None:
    rows: list[list[object]] = [["=) ok", "+33612345678"], ["- pain", -5], ["oui", "@Hugo"]]
    with create_output(tmp_path / name, ["text", "n"], **options) as output:
        output.write(rows)
        output.write([["=1", None]])
        assert output.formulas == expected
