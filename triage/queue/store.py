"""The file of a queue: its tables and statements, its version, connections and transactions."""

import hashlib
import json
import os
import re
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
from triage.data.errors import as_json, number_of

from .words import refused

# The version of the tables, and the oldest one that is migrated to it.
VERSION, _OLDEST = 6, 3
# Marks the file as ours: "SMSq".
_APPLICATION = 0x534D5371
_SQLITE = b"SQLite format 3\0"
# Another process may be writing thousands of messages.
_PATIENCE = 30.0
# An acknowledged decision survives a power cut.
_SYNCHRONOUS = "FULL"

# The parts of the script by their names: what is made of a file, and statements.
_SCRIPT = (files(__package__) / "queue.sql").read_text(encoding="utf-8")
_, *_PARTS = re.split("(?m)^-- part: (.*)\n", _SCRIPT)
SQL: dict[str, str] = {}
for _name, _part in zip(_PARTS[::2], _PARTS[1::2], strict=True):
    SQL[_name] = re.sub("{(.+?)}", lambda of: SQL[of[1]].strip(), _part)


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Report errors of the file itself, such as damage or a full disk, as a TriageError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise
        kinds = {sqlite3.SQLITE_FULL: "full", sqlite3.SQLITE_NOTADB: "other"}
        kind = kinds.get(getattr(error, "sqlite_errorcode", -1), "error")
        raise refused(f"queue_unreadable.{kind}", file=path, error=error) from None


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


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a queue, perhaps a new one, brought to this version."""
    # The owner of the connection lets only one thread use it at a time.
    connection = sqlite3.connect(path, _PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -64000")
    connection.create_function("chance", 2, chance, deterministic=True)
    migrate(connection)
    return connection


def is_queue(path: Path) -> bool:
    """Return whether a path is that of a queue: a database, or without a file the extension."""
    if not path.is_file():
        return path.suffix == ".queue"
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a queue, perhaps a new one, to this version in one transaction."""
    version = "PRAGMA user_version"
    if connection.execute(version).fetchone() == (VERSION,):
        return
    with transaction(connection):
        # Another process may have done it meanwhile.
        (made_version,) = connection.execute(version).fetchone()
        changes = SQL["tally by a view"] * (made_version < 5) + SQL["typed words"]
        # Not all at once: `executescript` would end the transaction.
        for statement in ((changes if made_version else SQL["tables"]) + SQL["views"]).split(";\n"):
            if made_version < VERSION:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"{version} = {VERSION}")


def connect_existing(path: Path) -> sqlite3.Connection:
    """Return a connection to a queue that is there; TriageError if that cannot be opened."""
    if not path.is_file():
        raise refused("no_queue.absent", file=path)
    if not os.access(path, os.R_OK | os.W_OK):
        raise refused("queue_unreadable.rights", file=path)
    with database_errors(path):
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as opened:
            (application,) = opened.execute("PRAGMA application_id").fetchone()
            (version,) = opened.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise refused("no_queue.other", file=path)
        if not _OLDEST <= version <= VERSION:
            raise refused("no_queue.version", file=path, version=version, ours=VERSION)
        return connect(path)


def chance(digest: bytes, purpose: str) -> float:
    """Return a pseudo-random number from 0 to 1 that depends on a text's digest and a purpose."""
    digested = hashlib.blake2b(digest, digest_size=8, person=purpose.encode()[:16]).digest()
    return int.from_bytes(digested) / 2**64


# Types that JSON lacks, each with its conversion to JSON and back. A datetime is also a date, and a
# cell takes the first that fits; lists and objects of JSON are tagged as they may look like a tag.
_TAGGED: dict[str, tuple[type | UnionType, Callable[[Any], object], Callable[[Any], object]]] = {
    "missing": (type(MISSING), lambda _: None, lambda _: MISSING),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "json": (list | dict, lambda value: value, lambda value: value),
}


def _tagged(cell: object) -> object:
    for name, (type_, write, _) in _TAGGED.items():
        if isinstance(cell, type_):
            return {"": name, "value": write(cell)}
    return as_text(cell)


_PLAIN = (str, int, float, type(None))
_from_json = json.JSONDecoder(parse_float=number_of, parse_constant=number_of).decode


def pack_cells(cells: Sequence[object]) -> str:
    """Return cells as JSON; values without a JSON type are tagged, unknown ones become text."""
    packed = [cell if isinstance(cell, _PLAIN) else _tagged(cell) for cell in cells]
    # The backslash form of half a surrogate pair is its JSON escape.
    return as_json(packed).encode("utf-8", "backslashreplace").decode()


def unpack_cells(packed: str) -> list[object]:
    """Return the cells from which `pack_cells` made JSON."""
    return [
        _TAGGED[cell[""]][2](cell.get("value")) if isinstance(cell, dict) else cell
        for cell in _from_json(packed)
    ]
