"""SQLite databases."""

import io
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

SCHEMA = """
CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO contact VALUES (7, 'Léa Martin');
CREATE TABLE "les sms" (id INTEGER PRIMARY KEY, contact INTEGER, body TEXT, note REAL, photo BLOB);
INSERT INTO "les sms" VALUES (1, 7, 'Coucou Zoé', 0.5, x'ffd8'), (2, NULL, 'Ok', NULL, NULL);
CREATE VIEW par_nom AS
    SELECT name AS sender, body AS text FROM "les sms" JOIN contact ON contact = contact.id;
"""


def database(folder: Path, script: str = SCHEMA, name: str = "sms.sqlite") -> Path:
    with closing(sqlite3.connect(folder / name)) as connection:
        connection.executescript(script)
    return folder / name


def test_a_table_is_read_with_its_types(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(database(tmp_path), table="les sms")
    assert messages.format is Format.SQLITE
    assert messages.columns == ("id", "contact", "body", "note", "photo")
    assert chunk.rows == [[1, 7, "Coucou Zoé", 0.5, None], [2, None, "Ok", None, None]]
    assert chunk.ids == ["1", "2"]


@pytest.mark.parametrize("name", ["sms.db", "sms.sqlite3", "sms.csv", "chat"])
def test_the_name_is_of_no_matter(name: str, tmp_path: Path, read: Read) -> None:
    assert len(read(database(tmp_path, name=name), table="les sms")[1].rows) == 2


@pytest.mark.parametrize(
    "table",
    [
        "par_nom",
        'SELECT name AS sender, body AS text FROM "les sms" JOIN contact ON contact = contact.id;',
        "with a(sender, text) as (values ('Léa Martin', 'Coucou Zoé')) select * from a",
    ],
)
def test_a_view_or_a_query_is_a_table(table: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(database(tmp_path), table=table)
    assert messages.columns == ("sender", "text")
    assert chunk.rows == [["Léa Martin", "Coucou Zoé"]]


@pytest.mark.parametrize("options", [{}, {"text_column": "body"}])
def test_the_only_table_with_messages_need_not_be_named(
    options: dict[str, str], tmp_path: Path, read: Read
) -> None:
    path = database(tmp_path, SCHEMA.partition("CREATE VIEW")[0])
    assert read(path, **options)[1].texts == ["Coucou Zoé", "Ok"]


@pytest.mark.parametrize("table", [None, "sms", "Contact"])
def test_where_no_table_is_the_one_they_are_listed(table: str | None, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"say --table.*there are: contact, les sms, par_nom"):
        open_messages(database(tmp_path), table=table)


@pytest.mark.parametrize("query", ["select * from rien", "select 1; drop table contact", "select "])
def test_a_query_that_fails_says_why(query: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .* as a SQLite database") as caught:
        open_messages(database(tmp_path), table=query)
    assert "\n" not in str(caught.value)


def test_nothing_is_written_beside_the_database(tmp_path: Path, read: Read) -> None:
    path = database(tmp_path, f"PRAGMA journal_mode = WAL;{SCHEMA}")
    before = path.read_bytes()
    read(path, table="par_nom")
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["sms.sqlite"]


def test_what_still_stands_in_the_journal_is_read(tmp_path: Path, read: Read) -> None:
    path = database(tmp_path, f"PRAGMA journal_mode = WAL;{SCHEMA}")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO \"les sms\" (body) VALUES ('bisous')")
        connection.commit()
        assert read(path, table="les sms")[1].texts[-1] == "bisous"


def test_text_of_other_bytes_is_rejected(tmp_path: Path, read: Read) -> None:
    path = database(
        tmp_path, "CREATE TABLE a (text); INSERT INTO a VALUES (CAST(x'e9e9' AS TEXT)), ('Ok');"
    )
    messages, chunk = read(path)
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (1, "bytes that are not UTF-8")
    ]
    assert chunk.texts == ["Ok"]


@pytest.mark.parametrize("kept", [20, 1_000, -2_000])
def test_a_damaged_database_is_refused(kept: int, tmp_path: Path) -> None:
    path = database(tmp_path)
    path.write_bytes(path.read_bytes()[:kept])
    with (
        pytest.raises(DataError, match=r"as a SQLite database|no SQLite database|is cut short"),
        open_messages(path, table="les sms") as messages,
    ):
        list(messages.chunks())


def test_a_pipe_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO(database(tmp_path).read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content))
    with pytest.raises(DataError, match="no SQLite database that lies in a file"):
        open_messages("-")


def test_a_database_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="say --table"):
        open_messages(database(tmp_path, "PRAGMA user_version = 1; VACUUM;"))


def test_names_out_of_a_damaged_database_are_shown_on_one_line(tmp_path: Path) -> None:
    script = 'CREATE TABLE "un\ndeux" (text); CREATE TABLE "trois" (text);'
    with pytest.raises(DataError, match=r"there are: trois, un\?deux$"):
        open_messages(database(tmp_path, script))


def test_a_database_with_other_bytes_in_its_names_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path, "CREATE TABLE a (text, jourABC);")
    path.write_bytes(path.read_bytes().replace(b"jourABC", b"jour\xf4BC"))
    with pytest.raises(DataError, match="as a SQLite database: bytes that are not UTF-8"):
        open_messages(path)
