"""Bringing the file of a queue that an earlier version made to the tables of this one."""

import json
import sqlite3

from .conversation import Conversations
from .schema import FIRST, VERSION, add_tables, unpack
from .writing import transaction

_AT_ONCE = 5_000


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a queue to this version: all of it, or nothing if that is interrupted."""
    if _version(connection) == VERSION:
        return
    with transaction(connection):
        # Another process may have done it meanwhile.
        if _version(connection) == FIRST:
            add_tables(connection)
            _place_messages(connection)
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _place_messages(connection: sqlite3.Connection) -> None:
    kept = connection.execute("SELECT name, value FROM about").fetchall()
    about = {name: json.loads(value) for name, value in kept}
    conversations = Conversations.of(about["columns"], about["sender_column"])
    last = connection.execute("SELECT coalesce(max(message), 0) FROM messages").fetchone()[0]
    for first in range(0, last + 1, _AT_ONCE):
        rows = connection.execute(
            "SELECT message, cells FROM messages WHERE message >= ? AND message < ?",
            (first, first + _AT_ONCE),
        ).fetchall()
        placed = [(*conversations.place(unpack(cells)), message) for message, cells in rows]
        connection.executemany("UPDATE messages SET thread = ?, sent = ? WHERE message = ?", placed)
