"""The file of a queue: its tables, its version, opening it, and the cells of rows that it keeps.

It is one SQLite file. Decisions (`decisions`, `answers`) are append-only, which triggers enforce;
what follows from them (`standing`, and an item's state) is stored beside them so that each step is
quick, and can be computed again (`triage.queue.settle.resettle`).
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

from ..errors import TriageError

# Of the tables, and the first of them that can be brought to it.
VERSION, FIRST = 2, 1
# Marks the file as ours: "SMSq".
_APPLICATION = 0x534D5371
_OWNER_ONLY = 0o600
# Another process may be writing thousands of messages.
_PATIENCE = 30.0
_WORDS_OF_FORM = "CREATE INDEX words_of_form ON words (form)"
# Types that JSON lacks, each with its conversion to JSON and back. A datetime is also a date, and a
# cell takes the first that fits.
_TAGGED: dict[str, tuple[type | UnionType, Callable[[Any], object], Callable[[Any], object]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "json": (list | dict, lambda value: value, lambda value: value),
}


def create(path: Path) -> sqlite3.Connection:
    """Make the file of a queue, which only its owner may read."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))
    except FileExistsError:
        raise _already_there(path) from None
    except OSError as error:
        raise TriageError(
            f"cannot write {path}: {error.strerror}",
            "cannot_write",
            file=path,
            reason=error.strerror,
        ) from None
    connection = _connect(path)
    tables = files(__package__) / "schema.sql"
    connection.executescript(tables.read_text(encoding="utf-8"))
    add_tables(connection)
    connection.execute(_WORDS_OF_FORM)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """Open the file of a queue in autocommit mode: whoever writes begins a transaction."""
    if not path.is_file():
        raise TriageError(
            f"there is no queue {path}: make one with triage queue create",
            "no_queue",
            file=path,
        )
    if not os.access(path, os.R_OK | os.W_OK):
        raise TriageError(
            f"{path} cannot be read and written: mend its permissions",
            "queue_access",
            file=path,
        )
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as looked_at:
            application = looked_at.execute("PRAGMA application_id").fetchone()[0]
            version = looked_at.execute("PRAGMA user_version").fetchone()[0]
        if application != _APPLICATION:
            raise TriageError(
                f"{path} is no queue: make one with triage queue create",
                "no_queue",
                file=path,
            )
        if version not in (FIRST, VERSION):
            raise TriageError(
                f"{path} was made by another version of this program (its tables are of version "
                f"{version}, these of {VERSION}): open it with that one",
                "queue_version",
                file=path,
            )
        return _connect(path)
    except sqlite3.DatabaseError as error:
        raise TriageError(
            f"{path} cannot be read as a queue: {error}",
            "queue_unreadable",
            file=path,
        ) from None


def _connect(path: Path) -> sqlite3.Connection:
    # The owner of the connection lets only one thread use it at a time.
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    # An acknowledged decision survives a power cut.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -64000")
    return connection


def add_tables(connection: sqlite3.Connection) -> None:
    """Add to the tables of the first version what this one has beside them."""
    script = (files(__package__) / "schema_2.sql").read_text(encoding="utf-8")
    for statement in _statements(script):
        connection.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would end a transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """Report errors of the file itself, such as damage or a full disk, as a TriageError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise
        raise TriageError(
            f"{path} cannot be read or written: {error}",
            "queue_unreadable",
            file=path,
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
        raise _already_there(path)
    log = Path(f"{path}-wal")
    if log.exists():
        raise TriageError(
            f"{log} is left of another queue of this name, and may hold its last decisions: move "
            "it away, or choose another name",
            "queue_log",
            file=log,
        )


def _already_there(path: Path) -> TriageError:
    return TriageError(
        f"{path} is there already: choose another name, or add to it with triage queue add"
    )


def pack(cells: Sequence[object]) -> str:
    """Return cells as JSON; values without a JSON type are tagged, unknown ones become text."""
    plain = all(type(cell) is str for cell in cells)
    text = _to_json(cells if plain else [_packed(cell) for cell in cells])
    # The backslash form of half a surrogate pair is its JSON escape.
    return text.encode("utf-8", "backslashreplace").decode()


_to_json = json.JSONEncoder(ensure_ascii=False).encode


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
