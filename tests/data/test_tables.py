"""SQLite databases, read; Parquet files, read and written."""

import sqlite3
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases import cases_beside
from tests.data.files import read, write
from triage.data import MISSING, DataError, Format, open_messages

pytestmark = pytest.mark.usefixtures("own_folder")
CASES = cases_beside(__file__)
SCHEMA: str = CASES["schema"]
SMS = [[1, 7, "Coucou Zoé", 0.5, None], [2, None, "Ok", None, None]]


def database(script: str = SCHEMA, name: str = "sms.sqlite") -> Path:
    with closing(sqlite3.connect(name)) as connection:
        connection.executescript(script)
    return Path(name)


@pytest.mark.parametrize(("name", "options", "columns"), CASES["read"])
def test_a_table_a_view_or_a_query_is_read_with_its_types_whatever_the_name(
    name: str, options: dict[str, str], columns: str
) -> None:
    messages, chunk = read(database(name=name), **options)
    assert (messages.format, " ".join(messages.columns)) == (Format.SQLITE, columns)
    assert chunk.rows == (SMS if columns.startswith("id") else [["Léa Martin", "Coucou Zoé"]])


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["error"])
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


def test_other_bytes_than_utf_8_cost_their_row_or_in_names_the_file() -> None:
    rows = "INSERT INTO a (text) VALUES (CAST(x'e9e9' AS TEXT)), ('Ok');"
    path = database(f"CREATE TABLE a (text, jourABC);{rows}")
    messages, chunk = read(path)
    assert chunk.texts == ["Ok"]
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (1, "bytes that are not UTF-8")
    path.write_bytes(path.read_bytes().replace(b"jourABC", b"jour\xf4BC"))
    with pytest.raises(DataError, match="as a SQLite database: bytes that are not UTF-8"):
        open_messages(path)


def test_a_message_that_is_stored_as_binary_is_read_or_rejected() -> None:
    rows = "INSERT INTO a VALUES (CAST('Coucou Zoé' AS BLOB), x'ff'), (x'ff', ''), (NULL, NULL);"
    messages, chunk = read(database(f"CREATE TABLE a (text, photo);{rows}"))
    assert chunk.rows == [["Coucou Zoé", None], [None, None]]
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (2, "a binary value instead of a text")


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
        copy = write(name, messages.columns, chunk.rows, like=messages.dialect)
        copied = pq.read_table(copy)
        assert copied.schema == table.schema
        assert copied.to_pylist() == table.take([0, 2, 3]).to_pylist()


@pytest.mark.parametrize("rows", [[], [["Ok", MISSING], ["Oui", 2]]])
def test_missing_keys_are_null_and_an_output_without_rows_has_its_columns(
    rows: list[list[object]],
) -> None:
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
