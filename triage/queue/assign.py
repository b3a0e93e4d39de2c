"""Assignment of items to annotators, and doubling: items that two annotators answer.

Functions that write expect a connection within a transaction.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence

from ..errors import TriageError
from .settle import OPEN, settle, tally


def chance(digest: bytes, purpose: str) -> float:
    """Return a pseudo-random number from 0 to 1 that depends on a text's digest and a purpose."""
    drawn = hashlib.blake2b(digest, digest_size=8, person=purpose.encode()[:16]).digest()
    return int.from_bytes(drawn) / 2**64


def double(connection: sqlite3.Connection, share: float) -> int:
    """Double a share (0 to 1) of the expert's items; return how many are doubled now."""
    connection.execute("INSERT OR REPLACE INTO about VALUES ('doubled', ?)", (str(share),))
    connection.create_function("chance", 2, chance, deterministic=True)
    connection.execute(
        "UPDATE items SET wanted = 1 + (chance(digest, 'double') < ?) WHERE state = 'open'",
        (share,),
    )
    connection.execute("UPDATE items SET second = '' WHERE wanted = 1")
    _assign_seconds(connection)
    # One answer may suffice now.
    answered = connection.execute("SELECT item FROM items WHERE state = 'open' AND n_answers > 0")
    settle(connection, [item for (item,) in answered])
    tally(connection)
    found = connection.execute("SELECT count(*) FROM items WHERE wanted > 1 AND n_expert > 0")
    return int(found.fetchone()[0])


def double_new(connection: sqlite3.Connection, items: Iterable[int]) -> None:
    """Double the same share of new items; those assigned or answered do not change."""
    share = connection.execute("SELECT value FROM about WHERE name = 'doubled'").fetchone()
    if share:
        connection.create_function("chance", 2, chance, deterministic=True)
        connection.execute(
            "UPDATE items SET wanted = 2 WHERE item IN (SELECT value FROM json_each(?)) "
            "AND state = 'open' AND owner = '' AND n_answers = 0 AND chance(digest, 'double') < ?",
            (json.dumps(list(items)), float(share[0])),
        )


def _assign_seconds(connection: sqlite3.Connection) -> None:
    names = sorted(assigned(connection))
    alone = connection.execute(
        "SELECT item, digest, owner FROM items "
        "WHERE state = 'open' AND wanted > 1 AND owner <> '' AND second = ''"
    ).fetchall()
    if alone and len(names) < 2:
        raise TriageError(
            f"some items want two annotators, and all are assigned to {names[0]}: share them out "
            "with triage queue assign"
        )
    for item, digest, owner in alone:
        others = [name for name in names if name != owner]
        second = others[int(chance(digest, "second") * len(others))]
        connection.execute("UPDATE items SET second = ? WHERE item = ?", (second, item))


def assign(connection: sqlite3.Connection, annotators: Sequence[str]) -> dict[str, int]:
    """Assign each open item to an annotator, doubled ones to two; return how many each has."""
    names = list(annotators)
    if len(set(names)) < len(names):
        raise TriageError("an annotator is named twice: name each once")
    shares = dict.fromkeys(names, 0)
    rows = connection.execute(
        "SELECT item, digest, wanted FROM items WHERE state = ? ORDER BY item", (OPEN,)
    ).fetchall()
    if len(names) == 1 and any(wanted > 1 for _, _, wanted in rows):
        raise TriageError("some items want two annotators: name a second one with --to")
    for item, digest, wanted in rows:
        owner, second = _drawn(digest, wanted, names)
        connection.execute(
            "UPDATE items SET owner = ?, second = ? WHERE item = ?", (owner, second, item)
        )
        for name in (owner, second):
            if name:
                shares[name] += 1
    tally(connection)
    return shares


def _drawn(digest: bytes, wanted: int, names: list[str]) -> tuple[str, str]:
    if not names:
        return "", ""
    first = int(chance(digest, "owner") * len(names))
    if wanted < 2:
        return names[first], ""
    further = 1 + int(chance(digest, "second") * (len(names) - 1))
    return names[first], names[(first + further) % len(names)]


def assigned(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many open items are assigned to each annotator, answered by them or not."""
    rows = connection.execute(
        "SELECT name, sum(n_items) FROM ("
        "SELECT owner AS name, n_items FROM tally WHERE state = 'open' UNION ALL "
        "SELECT second AS name, n_items FROM tally WHERE state = 'open') "
        "WHERE name <> '' GROUP BY name ORDER BY name"
    )
    return dict(rows.fetchall())
