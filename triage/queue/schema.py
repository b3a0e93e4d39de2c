"""The file of a queue: an SQLite database with a version, and how it keeps the cells of rows.

Decisions (`decisions`, `answers`) are append-only, which triggers enforce; what follows from them
(`standing`, `tally`, an item's state) is stored beside them so that each step is quick.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import Any

from triage.data import MISSING, as_text
from triage.data.columns import guess_date, guess_thread
from triage.data.dates import moment_of
from triage.data.errors import whole_characters

from ..errors import TriageError, writing

# Of the tables, and the first of them that can be brought to it.
VERSION, FIRST = 2, 1
# Marks the file as ours: "SMSq".
_APPLICATION = 0x534D5371
_MARKS = ("application_id", "user_version")
# Another process may be writing thousands of messages.
_PATIENCE = 30.0
# An acknowledged decision survives a power cut.
_SYNCHRONOUS = "FULL"
_WORDS_OF_FORM = "CREATE INDEX words_of_form ON words (form)"
_ROWS_AT_ONCE = 5_000

# Types that JSON lacks, each with its conversion to JSON and back. A datetime is also a date, and a
# cell takes the first that fits.
_TAGGED: dict[str, tuple[type | UnionType, Callable[[Any], object], Callable[[Any], object]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "json": (list | dict, lambda value: value, lambda value: value),
}
_to_json = json.JSONEncoder(ensure_ascii=False).encode

# Exports of one chat have these columns, and none that names the conversation.
_OF_ONE_CHAT = frozenset({"sent_at", "sender", "kind"})
_ONE_CHAT = "chat"


def create(path: Path) -> sqlite3.Connection:
    """Make the tables of a queue in a new or empty file, which only its owner may read."""
    with writing(str(path)):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        if path.stat().st_size:
            raise already_there(path)
        path.chmod(0o600)
    connection = _connection(path)
    connection.executescript(_script("schema.sql"))
    connection.executescript(_script("schema_2.sql"))
    connection.execute(_WORDS_OF_FORM)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """Open the file of a queue in autocommit mode, after bringing it to this version."""
    if not path.is_file():
        raise TriageError(
            f"there is no queue {path}: make one with triage queue create", "no_queue", file=path
        )
    if not os.access(path, os.R_OK | os.W_OK):
        raise TriageError(
            f"{path} cannot be read and written: mend its permissions", "queue_access", file=path
        )
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as looked_at:
            application, version = (_number(looked_at, name) for name in _MARKS)
        if application != _APPLICATION:
            raise TriageError(
                f"{path} is no queue: make one with triage queue create", "no_queue", file=path
            )
        if version not in (FIRST, VERSION):
            raise TriageError(
                f"{path} was made by another version of this program (its tables are of version "
                f"{version}, these of {VERSION}): open it with that one",
                "queue_version",
                file=path,
            )
        connection = _connection(path)
    except sqlite3.DatabaseError as error:
        raise TriageError(
            f"{path} cannot be read as a queue: {error}", "queue_unreadable", file=path
        ) from None
    with trouble(path):
        _migrate(connection)
    return connection


def _number(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _connection(path: Path) -> sqlite3.Connection:
    # The owner of the connection lets only one thread use it at a time.
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -64000")
    return connection


def _script(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make all changes within it appear together, or none of them; nested ones are one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring a queue to this version: all of it, or nothing if that is interrupted."""
    if _number(connection, "user_version") == VERSION:
        return
    with transaction(connection):
        # Another process may have done it meanwhile.
        if _number(connection, "user_version") == FIRST:
            for statement in _statements(_script("schema_2.sql")):
                connection.execute(statement)
            _place_messages(connection)
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would end a transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _place_messages(connection: sqlite3.Connection) -> None:
    kept = connection.execute("SELECT name, value FROM about").fetchall()
    about = {name: json.loads(value) for name, value in kept}
    place = placer(about["columns"], about["sender_column"])
    last = connection.execute("SELECT coalesce(max(message), 0) FROM messages").fetchone()[0]
    for first in range(0, last + 1, _ROWS_AT_ONCE):
        rows = connection.execute(
            "SELECT message, cells FROM messages WHERE message >= ? AND message < ?",
            (first, first + _ROWS_AT_ONCE),
        ).fetchall()
        placed = [(*place(unpack(cells)), message) for message, cells in rows]
        connection.executemany("UPDATE messages SET thread = ?, sent = ? WHERE message = ?", placed)


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """Report errors of the file itself, such as damage or a full disk, as a TriageError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise
        raise TriageError(
            f"{path} cannot be read or written: {error}", "queue_unreadable", file=path
        ) from None


@contextmanager
def writing_fast(connection: sqlite3.Connection) -> Iterator[None]:
    """Write without protection from a power cut, into a file that has no final name yet."""
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA synchronous = OFF")
    # Updating this index word by word would take as long as all the rest.
    connection.execute("DROP INDEX words_of_form")
    yield
    connection.execute(_WORDS_OF_FORM)


def check_free(path: Path) -> None:
    """Raise a TriageError if the name of a new queue is taken."""
    if path.exists():
        raise already_there(path)
    log = Path(f"{path}-wal")
    if log.exists():
        raise TriageError(
            f"{log} is left of another queue of this name, and may hold its last decisions: move "
            "it away, or choose another name",
            "queue_log",
            file=log,
        )


def already_there(path: Path) -> TriageError:
    """Return the error of a queue whose name is taken; decisions are never replaced."""
    return TriageError(
        f"{path} is there already: choose another name, or add to it with triage queue add"
    )


def pack(cells: Sequence[object]) -> str:
    """Return cells as JSON; values without a JSON type are tagged, unknown ones become text."""
    plain = all(type(cell) is str for cell in cells)
    text = _to_json(cells if plain else [_packed(cell) for cell in cells])
    # The backslash form of half a surrogate pair is its JSON escape.
    return text.encode("utf-8", "backslashreplace").decode()


def _packed(cell: object) -> object:
    if cell is None or isinstance(cell, str | int | float | bool):
        return cell
    if cell is MISSING:
        return {"": "missing"}
    for name, (type_, write, _) in _TAGGED.items():
        if isinstance(cell, type_):
            return {"": name, "value": write(cell)}
    return as_text(cell)


def unpack(packed: str) -> list[object]:
    """Return the cells from which `pack` made JSON."""
    return [_unpacked(cell) for cell in json.loads(packed)]


def _unpacked(cell: object) -> object:
    if not isinstance(cell, dict):
        return cell
    return MISSING if cell[""] == "missing" else _TAGGED[cell[""]][2](cell["value"])


def placer(
    columns: Sequence[str], sender_column: str
) -> Callable[[Sequence[object]], tuple[str, str]]:
    """Return a function that gives a row's conversation and time, empty where they are unknown."""
    thread, sent = guess_thread(columns), guess_date(columns)
    is_one = thread is None and _OF_ONE_CHAT.issubset(columns)
    if thread is None and sender_column:
        thread = columns.index(sender_column)

    def place(row: Sequence[object]) -> tuple[str, str]:
        name = _ONE_CHAT if is_one else "" if thread is None else as_text(row[thread])
        return whole_characters(name), "" if sent is None else _moment(row[sent])

    return place


def _moment(cell: object) -> str:
    """Return when something was, as text that sorts by time; empty where a cell is no date."""
    found = moment_of(cell)
    return found.replace(tzinfo=None).isoformat(" ", "seconds") if found else ""
