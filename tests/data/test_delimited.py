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
    Chunk,
    DataError,
    Format,
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


def test_rows_texts_identifiers_and_lines_go_together(tmp_path: Path, read: Read) -> None:
    content = "\nid,text,jour\n\na7,Coucou Zoé,lundi\n\n\nb8,Ok Hugo,mardi\n\n"
    messages, chunk = read(file_of(tmp_path, content))
    assert chunk == Chunk(
        rows=[["a7", "Coucou Zoé", "lundi"], ["b8", "Ok Hugo", "mardi"]],
        texts=["Coucou Zoé", "Ok Hugo"],
        ids=["a7", "b8"],
        lines=[4, 7],
    )
    assert messages.rows_read == 2


def test_a_header_alone_is_a_file_without_messages(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, "id,text\n"))
    assert (chunk.rows, messages.rows_read) == ([], 0)


@pytest.mark.parametrize(("content", "fault"), CASES["a_file_without_a_header_is_refused"])
def test_a_file_without_a_header_is_refused(content: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=fault):
        open_messages(file_of(tmp_path, content))


@pytest.mark.parametrize(
    "message",
    ['Il dit "ok"', "deux\nlignes", "deux\r\nlignes", "deux\rlignes", "a\0b", "\0", "", " x "],
)
def test_a_quoted_message_is_kept_exactly(message: str, tmp_path: Path, read: Read) -> None:
    quoted = message.replace('"', '""')
    _, chunk = read(file_of(tmp_path, f'id,text\n0,Oui\n1,"{quoted}"\n2,Ok\n'))
    assert chunk.texts == ["Oui", message, "Ok"]
    assert chunk.lines == [2, 3, 4 + message.count("\n")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_every_line_end_is_recognised(end: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, f"id,text{end}1,Coucou{end}2,Ok"))
    assert (chunk.texts, chunk.lines) == (["Coucou", "Ok"], [2, 3])
    assert messages.dialect.line_terminator == end[-2:]


@pytest.mark.parametrize(("row", "reason"), CASES["a_row_that_cannot_be_read_is"])
def test_a_row_that_cannot_be_read_is_rejected_with_its_line_and_reason(
    row: str, reason: str, tmp_path: Path, read: Read
) -> None:
    messages, chunk = read(file_of(tmp_path, f"id,text,jour\n0,Ok,jeudi\n{row}\n9,Oui,mardi\n"))
    assert messages.rejects == [Reject(3, reason, row)]
    assert (chunk.texts, chunk.lines, messages.rows_read) == (["Ok", "Oui"], [2, 4], 3)


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


def test_without_identifiers_rows_are_numbered_rejected_ones_too(
    tmp_path: Path, read: Read
) -> None:
    content = "text,jour\nCoucou,lundi\nOk\nOui,mardi\n"
    assert read(file_of(tmp_path, content))[1].ids == ["1", "3"]


@pytest.mark.parametrize("message", ["h" * 1_000_000, "Coucou Zoé " * 100_000])
def test_a_very_long_message_is_ordinary(message: str, tmp_path: Path, read: Read) -> None:
    assert read(file_of(tmp_path, f"id,text\n1,{message}\n2,Ok\n"))[1].texts == [message, "Ok"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_out(separator: str, tmp_path: Path, read: Read) -> None:
    lines = ["id¦text¦jour", '1¦"Oui, oui; a|b\t"¦lundi', "2¦Coucou Zoé¦mardi"]
    messages, chunk = read(file_of(tmp_path, "\n".join(lines).replace("¦", separator)))
    assert messages.dialect.separator == separator
    assert chunk.texts == ["Oui, oui; a|b\t", "Coucou Zoé"]


@pytest.mark.parametrize("case", CASES["headers"], ids=lambda case: case["content"][:20])
def test_the_header_is_the_row_that_shows_the_text_column(
    case: dict[str, Any], tmp_path: Path, read: Read
) -> None:
    path = file_of(tmp_path, case["content"], case.get("name", "sms.csv"))
    messages, chunk = read(path, **case.get("options", {}))
    assert messages.columns == (*case["columns"],)
    assert chunk.texts == case["texts"]
    assert messages.rejects == []


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n"])
def test_an_impossible_separator_is_an_error(separator: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--separator"):
        open_messages(file_of(tmp_path, "id,text\n"), separator=separator)


def test_in_a_single_column_each_line_is_a_message(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, 'message\nOui, oui; a|b\tc\n"Coucou\nZoé"\nIl dit "ok"\n', "sms.txt")
    messages, chunk = read(path)
    assert chunk.texts == ["Oui, oui; a|b\tc", "Coucou\nZoé", 'Il dit "ok"']
    assert messages.dialect.separator is None


def test_each_line_of_plain_text_that_is_not_blank_is_a_message(tmp_path: Path, read: Read) -> None:
    content = 'Coucou Zoé, ça va ?\r\n\r\n "oui" ; bof\r\nmdr'
    messages, chunk = read(file_of(tmp_path, content, "sms.txt"))
    assert (messages.format, messages.columns) == (Format.LINES, ("text",))
    assert chunk.texts == ["Coucou Zoé, ça va ?", ' "oui" ; bof', "mdr"]
    assert (chunk.lines, chunk.ids) == ([1, 3, 4], ["1", "2", "3"])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Coucou Zoé\n", Format.LINES),
        ("Oui, oui\nBof, non\n", Format.LINES),
        ("Oui ; oui\nje sais pas\n", Format.LINES),
        ("id,text\n1,Coucou\n", Format.CSV),
        ("message\nCoucou Zoé\n", Format.CSV),
        ("num;corps\n1;Coucou\n", None),
        ("num\tcorps\n1\tCoucou\n", None),
    ],
)
def test_a_txt_is_lines_unless_it_looks_like_a_table(
    content: str, expected: Format | None, tmp_path: Path
) -> None:
    path = file_of(tmp_path, content, "sms.txt")
    if expected is None:
        with pytest.raises(DataError, match="name it with --text-column"):
            open_messages(path)
        return
    with open_messages(path) as messages:
        assert messages.format is expected


def test_what_looks_like_lines_or_a_table_is_read_as_is_said(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, "corps\nCoucou\n", "sms.txt")
    assert read(path, text_column="corps")[1].texts == ["Coucou"]
    for name in ("sms.csv", "sms", "sms.jsonl"):
        path = file_of(tmp_path, "message\nid, text\n", name)
        assert read(path, format="lines")[1].texts == ["message", "id, text"]


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


def test_big_endian_utf_16_is_recognised_by_its_mark(tmp_path: Path, read: Read) -> None:
    path = file_of(tmp_path, b"\xfe\xff" + FRENCH.encode("utf-16-be"))
    assert read(path)[1].texts == TEXTS


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
    ("content", "encoding", "fault"),
    [
        (b"id,text\n1,\x81\x8d\xe9\n", None, r"neither UTF-8 nor cp1252.*--encoding"),
        (FRENCH.encode("utf-16-le"), None, "--encoding utf-16-le"),
        (FRENCH.encode("utf-16-be"), None, "--encoding utf-16-be"),
        (FRENCH.encode(), "ascii", "neither UTF-8 nor ascii"),
        *((FRENCH.encode(), name, "--encoding .* is unknown") for name in ("utf-99", "hex", "é")),
    ],
)
def test_an_encoding_that_is_not_known_or_does_not_fit_is_an_error(
    content: bytes, encoding: str | None, fault: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=fault):
        open_messages(file_of(tmp_path, content), encoding=encoding)


@pytest.mark.parametrize(("written", "named"), CASES["a_named_encoding_wins_and_leaves_no"])
def test_a_named_encoding_wins_and_leaves_no_mark(
    written: str, named: str, tmp_path: Path, read: Read
) -> None:
    messages, chunk = read(file_of(tmp_path, "id,text\n1,Zoé\n".encode(written)), encoding=named)
    assert (messages.columns, chunk.texts) == (("id", "text"), ["Zoé"])
    assert messages.dialect.bom is (written == "utf-8-sig")


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
