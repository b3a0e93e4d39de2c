"""XLSX and Parquet files, read and written; ODS files and SQLite databases, read."""

import json
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases import cases_beside
from tests.data.files import PARTS, SHEET, cell, inline, ods, ods_of, read, workbook, write, xlsx
from triage.data import MISSING, DataError, Format, create_output, limits, open_messages

pytestmark = pytest.mark.usefixtures("own_folder")
both = pytest.mark.parametrize("name", ["sms.xlsx", "sms.ods"])
HEADER = cell("text") + cell("x")
CASES = cases_beside(__file__, "sheets.toml")


@pytest.mark.parametrize(
    ("written", "expected"), [*CASES["values"], *((one, one) for one in (None, 1e-300, 0.1 + 0.2))]
)
def test_a_value_is_read_as_it_was_written(written: object, expected: object) -> None:
    path = write("sms.xlsx", ["text", "x", "y"], [["Ok", written, 1]])
    [[_, found, _]] = read(path)[1].rows
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize("message", [*CASES["messages"], "h" * 32_767])
def test_a_message_is_text_and_never_a_formula(message: str) -> None:
    path = write("sms.xlsx", ["text"], [[message]])
    assert read(path)[1].texts == [message]
    assert openpyxl.load_workbook(path).active["A2"].data_type == "s"


def test_rows_lie_in_a_private_folder_and_no_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", "tmp")
    with create_output("sms.xlsx", ["text"]) as output:
        output.write([["Coucou Zoé"]] * 9)
        [hidden] = Path().glob(".unfinished-*")
        assert (len([*hidden.iterdir()]), hidden.stat().st_mode & 0o077) == (2, 0)
        output.commit()
    assert sorted(path.name for path in Path().rglob("*")) == ["sms.xlsx", "tmp"]
    with zipfile.ZipFile("sms.xlsx") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert b">1980-01-01T" in archive.read("docProps/core.xml")


@both
@pytest.mark.parametrize("case", CASES["workbook"], ids=lambda case: case["about"])
def test_a_sheet_is_read_or_refused(
    case: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = case.get("names", ["Notes", "Messages"])
    sheets = dict(zip(names, map(json.loads, case["sheets"]), strict=False))
    longest = case.get("longest_cell", limits.LONGEST_CELL)
    monkeypatch.setattr("triage.data.limits.LONGEST_CELL", longest)
    path, options = workbook(name, sheets), case.get("options", {})
    if problem := case.get("error"):
        with pytest.raises(DataError, match=problem):
            open_messages(path, **options)
        return
    messages, chunk = read(path, **options)
    with open_messages(path, **options) as opened:
        assert opened.parts == (*sheets,)
    assert [*messages.columns] == case.get("columns", [*messages.columns])
    assert chunk.texts == case["texts"]
    assert chunk.lines == case.get("lines", chunk.lines)
    assert [reject.line for reject in messages.rejects] == case.get("rejected", [])
    assert messages.rows_read == len(chunk.lines) + len(messages.rejects)


@pytest.mark.parametrize(("xml", "value"), [*CASES["xlsx"], (inline("z", "C2"), None)])
def test_a_cell_of_xlsx_is_read_as_it_is_written_by_others(xml: str, value: object) -> None:
    rows = inline("text") + inline("x"), inline("Ok") + xml
    path = xlsx("sms.xlsx", *rows, strings=CASES["strings"])
    assert read(path)[1].rows[0][:2] == ["Ok", value]


@pytest.mark.parametrize(("value", "form", "shown"), CASES["percentages"])
def test_a_percentage_of_xlsx_is_read_as_it_is_shown(value: float, form: str, shown: str) -> None:
    book = openpyxl.load_workbook(write("sms.xlsx", ["text"], [[value]]))
    book.active["A2"].number_format = form
    book.save("sms.xlsx")
    assert read("sms.xlsx")[1].texts == [shown]


ELAPSED = cell("30", attributes='office:value-type="time" office:time-value="PT30H00M00S"')


@pytest.mark.parametrize(("xml", "value"), [*CASES["ods"], (ELAPSED, timedelta(hours=30))])
def test_a_cell_of_ods_is_read_as_the_standard_says(xml: str, value: object) -> None:
    path = ods("sms.ods", HEADER, cell("Ok") + xml)
    [[_, found]] = read(path)[1].rows
    assert (found, type(found)) == (value, type(value))


def test_rows_and_cells_of_ods_may_stand_for_several() -> None:
    twice = cell("Ok", attributes='table:number-columns-repeated="2"')
    rows = PARTS["repeated"].format(beside=cell("Zoé"), header=HEADER, twice=twice)
    _, chunk = read(ods_of("sms.ods", {"un": rows}))
    assert (chunk.rows, chunk.lines) == ([["Ok", "Ok"]] * 2, [5, 6])


@pytest.mark.parametrize("failed", CASES["failed"])
def test_a_formula_that_failed_is_no_empty_message(failed: str) -> None:
    if failed.startswith("<c"):
        path = xlsx("sms.xlsx", inline("text"), failed, inline("Ok"))
    else:
        path = ods("sms.ods", HEADER, failed, cell("Ok"))
    messages, chunk = read(path)
    [reject] = messages.rejects
    assert (chunk.texts, messages.rows_read, reject.line) == (["Ok"], 2, 2)
    sign = "#NAME?" if "#NAME?" in failed else "#FORMULA"
    assert reject.reason == f"the message is a formula that failed: {sign}"


@both
def test_a_message_whose_cell_is_merged_with_another_is_no_empty_message(name: str) -> None:
    rows: list[list[object]] = [["Corpus", None], ["id", "text"], [1, "Coucou Zoé"], [2, None]]
    rows += [[None, None], [3, "Ok"], [None, "Oui"], [4, None]]
    if name == "sms.ods":
        path = ods_of(name, {"un": PARTS["merged"]})
    else:
        path = workbook(name, {"un": rows}, ("A1:B1", "B3:B5", "A6:A7", "A8:B8"))
    messages, chunk = read(path)
    assert (chunk.texts, chunk.ids) == (["Coucou Zoé", "Ok", "Oui"], ["1", "3", ""])
    reason = "the cell of the message is merged with another one: split them"
    assert [(one.line, one.reason) for one in messages.rejects] == [(4, reason), (8, reason)]
    assert [one.raw for one in messages.rejects] == ["2", "4"]


@both
@pytest.mark.parametrize("doctype", CASES["doctypes"])
def test_a_document_type_is_refused(doctype: str, name: str) -> None:
    if name == "sms.ods":
        path = ods(name, HEADER, cell("Ok"), doctype=doctype)
    else:
        path = xlsx(name, inline("text"), inline("Ok"), doctype=doctype)
    with pytest.raises(DataError, match=r"not a readable \.\w+ file"):
        open_messages(path)


@pytest.mark.parametrize("part", ["[Content_Types].xml", "xl/workbook.xml", SHEET])
@pytest.mark.parametrize("content", ["", "<a", "<a/>", "<a><b></a>", " " * (1 << 26) + " "])
def test_a_part_that_is_damaged_or_packs_too_well_is_refused(part: str, content: str) -> None:
    path = xlsx("sms.xlsx", inline("text"), inline("Ok"), **{part: content})
    with pytest.raises(DataError, match=r"not a readable \.xlsx file|the sheet is empty"):
        open_messages(path)


def test_a_cell_in_the_last_corner_of_a_sheet_costs_its_row_alone() -> None:
    book = openpyxl.Workbook()
    for text in ("text", "Coucou Zoé", "Ok"):
        book.active.append([text])
    book.active["XFD1048576"] = "x"
    book.save("sms.xlsx")
    messages, chunk = read("sms.xlsx")
    assert chunk.texts == ["Coucou Zoé", "Ok"]
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (1_048_576, "a cell far to the right of the table")
    with pytest.raises(DataError, match="the sheet is empty"):
        open_messages(xlsx("beyond.xlsx", inline("text", "XFE1")))


def test_what_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "<text:span>" * 100_000
    wide = cell("Ok", attributes='table:number-columns-repeated="100"')
    many = PARTS["many"].format(header=cell("text"), wide=wide)
    spaces = cell('<text:s text:c="900"/>')
    again = cell("h" * 900, attributes='table:number-columns-repeated="40"')
    for path, problem in (
        (ods("f.ods", cell("text"), *[spaces] * 4), "a cell has more than 1,?000 characters"),
        (ods("g.ods", cell("text"), again), "line 2: a row of more than 32,000 char"),
        (ods_of("d.ods", {"un": many}), "more than 50,000,000 cells: save it as CSV"),
        (ods("e.ods", cell("text"), cell(deep + deep.replace("<", "</"))), "not a readable"),
    ):
        monkeypatch.setattr("triage.data.limits.LONGEST_CELL", 1000)
        monkeypatch.setattr("triage.data.limits.LARGE_PART", 3000 if path.stem == "f" else 1 << 26)
        monkeypatch.setattr("triage.data.limits.LONGEST_ROW", 32_000)
        with pytest.raises(DataError, match=f"{path.name}.*{problem}"):
            open_messages(path)


TABLES = cases_beside(__file__, "tables.toml")
SCHEMA: str = TABLES["schema"]
SMS = [[1, 7, "Coucou Zoé", 0.5, None], [2, None, "Ok", None, None]]


def database(script: str = SCHEMA, name: str = "sms.sqlite") -> Path:
    with closing(sqlite3.connect(name)) as connection:
        connection.executescript(script)
    return Path(name)


@pytest.mark.parametrize(("name", "options", "columns"), TABLES["read"])
def test_a_table_a_view_or_a_query_is_read_with_its_types_whatever_the_name(
    name: str, options: dict[str, str], columns: str
) -> None:
    messages, chunk = read(database(name=name), **options)
    assert (messages.format, " ".join(messages.columns)) == (Format.SQLITE, columns)
    assert chunk.rows == (SMS if columns.startswith("id") else [["Léa Martin", "Coucou Zoé"]])


@pytest.mark.parametrize("case", TABLES["refused"], ids=lambda case: case["error"])
def test_what_is_not_read_says_why(case: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.data.limits.MAX_STEPS", 10**7)
    with pytest.raises(DataError, match=case["error"]):
        open_messages(database(case.get("script", SCHEMA)), table=case.get("table"))


@pytest.mark.parametrize("with_index", [True, False])
def test_what_stands_in_the_log_is_read_and_nothing_is_left_beside_it(with_index: bool) -> None:
    path = database(f"PRAGMA journal_mode = WAL;{SCHEMA}")
    read(path, table="par_nom")
    assert [found.name for found in Path().iterdir()] == ["sms.sqlite"]
    copy = Path("copy.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO \"les sms\" (body) VALUES ('bisous')")
        connection.commit()
        for suffix in ("", "-wal", *(["-shm"] if with_index else [])):
            Path(f"{copy}{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
        connection.execute("INSERT INTO \"les sms\" (body) VALUES ('jamais')")
        assert read(path, table="les sms")[1].texts[-1] == "bisous"
    before = sorted(Path().iterdir())
    assert read(copy, table="les sms")[1].texts[-1] == "bisous"
    assert sorted(Path().iterdir()) == before


def test_a_change_that_is_not_finished_is_refused_and_one_that_is_over_is_not() -> None:
    path = database(f"PRAGMA journal_mode = PERSIST;{SCHEMA}")
    assert Path(f"{path}-journal").exists()
    assert len(read(path, table="les sms")[1].texts) == 2
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO contact (name) VALUES (?)", [("x" * 500,)] * 500)
        with pytest.raises(DataError, match=r"not finished \(sms\.sqlite-journal\); close the pro"):
            open_messages(path, table="les sms")


@pytest.mark.parametrize("kept", [20, 1_000, -2_000])
def test_a_damaged_database_is_refused(kept: int) -> None:
    path = database()
    path.write_bytes(path.read_bytes()[:kept])
    with (
        pytest.raises(DataError, match=r"as a SQLite database|no SQLite database|is cut short"),
        open_messages(path, table="les sms") as messages,
    ):
        list(messages.chunks())


@pytest.mark.parametrize(("script", "texts", "line", "reason"), TABLES["rejected"])
def test_a_row_without_a_text_is_rejected(
    script: str, texts: list[str], line: int, reason: str
) -> None:
    messages, chunk = read(database(script))
    assert chunk.texts == texts
    assert [(one.line, one.reason) for one in messages.rejects] == [(line, reason)]


def test_other_bytes_than_utf_8_in_the_name_of_a_column_are_an_error() -> None:
    path = database("CREATE TABLE a (text, jourABC); INSERT INTO a (text) VALUES ('Ok');")
    path.write_bytes(path.read_bytes().replace(b"jourABC", b"jour\xf4BC"))
    with pytest.raises(DataError, match="as a SQLite database: bytes that are not UTF-8"):
        open_messages(path)


TYPES = {
    "id": (pa.int16(), [1, None]),
    "text": (pa.large_string(), ["Coucou Zoé", "Ok"]),
    "x": (pa.float32(), [0.5, 1.5]),
    "jour": (pa.dictionary(pa.int32(), pa.string()), ["lundi", "lundi"]),
    "moment": (pa.timestamp("us", "Europe/Paris"), [datetime(2011, 9, 15), None]),
    "prix": (pa.decimal128(7, 2), [Decimal("1.50"), None]),
    "mots": (pa.list_(pa.string()), [["Coucou", "Zoé"], []]),
    "lieu": (pa.struct([("ville", pa.string())]), [{"ville": "Sète"}, None]),
    "rien": (pa.int64(), [None, None]),
}


@pytest.fixture
def parquet() -> Path:
    """Give a file with a column of each type, and metadata of all and of each."""
    told = {"auteur": "Léa"}
    fields = [pa.field(name, kind, metadata=told) for name, (kind, _) in TYPES.items()]
    schema = pa.schema(fields, told)
    table = pa.table([values for _, values in TYPES.values()], schema=schema)
    pq.write_table(table, "sms.parquet")
    return Path("sms.parquet")


def test_parquet_keeps_types_and_values_and_new_columns_get_their_type(parquet: Path) -> None:
    messages, chunk = read(parquet, chunk_rows=1)
    assert (chunk.texts, chunk.ids, chunk.lines) == (["Coucou Zoé", "Ok"], ["1", ""], [1, 2])
    columns = [*messages.columns, "model_score", "action", "evidence"]
    rows = [[*row, 0.5, "TA", None] for row in chunk.rows]
    copy = pq.read_table(write("c.parquet", columns, rows, like=messages.dialect))
    assert copy.select(list(TYPES)).equals(pq.read_table(parquet))
    assert [copy.schema.metadata, *(field.metadata for field in copy.schema)] == [None] * 13
    assert copy.schema.types[-3:] == [pa.float64(), pa.string(), pa.string()]
    assert "Léa".encode() not in Path("c.parquet").read_bytes()
    assert read(parquet, text_column="lieu.ville")[1].texts == ["Sète", ""]


def test_text_in_binary_columns_of_parquet_is_text_and_what_is_none_stays() -> None:
    texts, photos = ["Coucou Zoé".encode(), b"\xe9", None, b""], [None, *[b"\xff\xd8"] * 3]
    photo = pa.array(photos, pa.binary())
    for text in (pa.array(texts, pa.binary()), pa.array(texts, pa.binary()).dictionary_encode()):
        table = pa.table({"text": text, "photo": photo})
        pq.write_table(table, "sms.parquet")
        messages, chunk = read("sms.parquet")
        assert chunk.texts == ["Coucou Zoé", "", ""]
        [reject] = messages.rejects
        assert (reject.line, reject.reason) == (2, "a binary value instead of a text")
        name = f"{text.type.id}.parquet"
        copied = pq.read_table(write(name, messages.columns, chunk.rows, like=messages.dialect))
        assert copied.schema == table.schema
        assert copied.to_pylist() == table.take([0, 2, 3]).to_pylist()


@pytest.mark.parametrize("rows", [[], [["Ok", MISSING], ["Oui", 2]]])
def test_missing_keys_are_null_and_columns_need_no_rows(rows: list[list[object]]) -> None:
    messages, chunk = read(write("sms.parquet", ["text", "n"], rows))
    assert messages.columns == ("text", "n")
    assert chunk.rows == [[text, None if n is MISSING else n] for text, n in rows]


NOT_UTF_8 = [None, pa.py_buffer(bytes(4) + b"\2\0\0\0"), pa.py_buffer(b"\xe9\xe9")]


@pytest.mark.parametrize(
    "column",
    [pa.array([10**14], pa.timestamp("s")), pa.Array.from_buffers(pa.string(), 1, NOT_UTF_8), None],
    ids=["date", "text", "damage"],
)
def test_what_python_cannot_hold_and_damage_in_the_middle_are_errors(
    column: pa.Array | None, parquet: Path
) -> None:
    if column is None:
        content = parquet.read_bytes()
        parquet.write_bytes(content[:4] + b"\xff" * 36 + content[40:])
    else:
        pq.write_table(pa.table({"text": ["Ok"], "x": column}), parquet)
    with (
        open_messages(parquet) as messages,
        pytest.raises(DataError, match=r"damaged, or values out of range"),
    ):
        list(messages.chunks())
