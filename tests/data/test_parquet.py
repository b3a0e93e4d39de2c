"""Parquet files."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from triage.data import MISSING, Chunk, DataError, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

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
def path(tmp_path: Path) -> Path:
    """Give a file with a column of each type."""
    schema = pa.schema([(name, kind) for name, (kind, _) in TYPES.items()], {"auteur": "Léa"})
    table = pa.table([values for _, values in TYPES.values()], schema=schema)
    pq.write_table(table, tmp_path / "sms.parquet")
    return tmp_path / "sms.parquet"


def test_parquet_to_parquet_keeps_types_and_values_exactly_and_nothing_else(
    path: Path, tmp_path: Path, read: Read, write: Write
) -> None:
    messages, chunk = read(path)
    copy = write(tmp_path / "c.parquet", messages.columns, chunk.rows, like=messages.dialect)
    bare = pq.read_table(path).replace_schema_metadata(None)
    assert pq.read_table(copy).equals(bare, check_metadata=True)
    assert "Léa".encode() not in copy.read_bytes()


def test_new_columns_get_the_type_of_their_values(
    path: Path, tmp_path: Path, read: Read, write: Write
) -> None:
    messages, chunk = read(path)
    columns = [*messages.columns, "model_score", "action", "evidence"]
    rows = [[*row, 0.5, "TA", None] for row in chunk.rows]
    copy = write(tmp_path / "c.parquet", columns, rows, like=messages.dialect)
    types = [pq.read_schema(copy).field(name).type for name in columns[-3:]]
    assert types == [pa.float64(), pa.string(), pa.string()]


def test_rows_texts_and_lines_are_read(path: Path, read: Read) -> None:
    messages, chunk = read(path, chunk_rows=1)
    assert chunk.texts == ["Coucou Zoé", "Ok"]
    assert chunk.ids == ["1", ""]
    assert chunk.lines == [1, 2]
    assert messages.lines == messages.rows_read == 2


def test_an_output_without_rows_has_its_columns(tmp_path: Path, read: Read, write: Write) -> None:
    messages, chunk = read(write(tmp_path / "sms.parquet", ["text", "action"], []))
    assert messages.columns == ("text", "action")
    assert chunk.rows == []


def test_missing_keys_are_null(tmp_path: Path, read: Read, write: Write) -> None:
    path = write(tmp_path / "sms.parquet", ["text", "n"], [["Ok", MISSING], ["Oui", 2]])
    assert read(path)[1].rows == [["Ok", None], ["Oui", 2]]


@pytest.mark.parametrize("values", [[1, "deux"], [2**70, 1], ["\ud83d", ""]])
def test_values_that_parquet_cannot_hold_name_their_column(
    values: list[object], tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match="column 'n' holds values that Parquet can't hold"):
        write(tmp_path / "sms.parquet", ["text", "n"], [["Ok", value] for value in values])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "column",
    [
        pa.array([10**14], pa.timestamp("s")),
        # Text that is not UTF-8.
        pa.Array.from_buffers(
            pa.string(), 1, [None, pa.py_buffer(bytes(4) + b"\2\0\0\0"), pa.py_buffer(b"\xe9\xe9")]
        ),
    ],
    ids=["date", "text"],
)
def test_values_that_python_cannot_hold_are_an_error(column: pa.Array, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["Ok"], "x": column}), tmp_path / "sms.parquet")
    with (
        open_messages(tmp_path / "sms.parquet") as messages,
        pytest.raises(DataError, match="values out of range"),
    ):
        list(messages.chunks())


def test_damage_in_the_middle_is_found_while_reading(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    with open_messages(path) as messages, pytest.raises(DataError, match="damaged"):
        list(messages.chunks())
