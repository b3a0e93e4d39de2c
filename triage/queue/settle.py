"""What follows from the answers to an item: what stands, and whether the item is settled."""

import json
import sqlite3
from collections.abc import Iterable

from .records import Answer

# The states of an item, as the file keeps them.
MACHINE = "machine"
OPEN = "open"
FINAL = "final"
DISAGREED = "disagreed"


def settled(
    answers: Iterable[str], adjudicated: str | None, wanted: int, n_expert: int
) -> tuple[str, str | None, int]:
    """Return what an item's answers make of it.

    Parameters
    ----------
    answers : iterable of str
        What stands of each annotator: TA, NTA or SKIP.
    adjudicated : str, optional
        What an adjudication says, which outweighs the others.
    wanted : int
        How many annotators must answer.
    n_expert : int
        How many of its messages are the expert's.

    Returns
    -------
    final : str or None
        TA or NTA once it is settled.
    n_answers : int
        TA and NTA together.

    Examples
    --------
    >>> settled(["TA"], None, 1, 3), settled(["TA"], None, 2, 3)
    (('final', 'TA', 1), ('open', None, 1))
    >>> settled(["TA", "NTA"], None, 2, 3), settled(["TA", "NTA"], "NTA", 2, 3)
    (('disagreed', None, 2), ('final', 'NTA', 2))
    """
    said = [answer for answer in answers if answer != Answer.SKIP]
    if adjudicated:
        return FINAL, adjudicated, len(said)
    if len(set(said)) > 1:
        return DISAGREED, None, len(said)
    # One person's answer to what the machine had decided is enough.
    if said and len(said) >= (wanted if n_expert else 1):
        return FINAL, said[0], len(said)
    return (OPEN if n_expert else MACHINE), None, len(said)


def settle(connection: sqlite3.Connection, items: Iterable[int]) -> None:
    """Bring the state of items up to date with what stands."""
    for item in items:
        stands = connection.execute(
            "SELECT answer, adjudicates FROM standing WHERE item = ? ORDER BY decision", (item,)
        ).fetchall()
        wanted, before, owner, second, n_messages, n_expert = connection.execute(
            "SELECT wanted, state, owner, second, n_messages, n_expert FROM items WHERE item = ?",
            (item,),
        ).fetchone()
        adjudicated = [a for a, adjudicates in stands if adjudicates and a != Answer.SKIP]
        state, final, n_answers = settled(
            (answer for answer, adjudicates in stands if not adjudicates),
            adjudicated[-1] if adjudicated else None,
            wanted,
            n_expert,
        )
        connection.execute(
            "UPDATE items SET state = ?, final = ?, n_answers = ? WHERE item = ?",
            (state, final, n_answers, item),
        )
        if state != before:
            connection.executemany(
                _TALLY,
                (
                    (before, owner, second, -1, -n_messages, -n_expert),
                    (state, owner, second, 1, n_messages, n_expert),
                ),
            )


def tally(
    connection: sqlite3.Connection, items: Iterable[int] | None = None, sign: int = 1
) -> None:
    """Count how many items are in which state and whose; `settle` keeps the counts.

    Parameters
    ----------
    items : iterable of int, optional
        Those to count; by default all, anew.
    sign : int
        1 to add these items to the counts, -1 to take them off.
    """
    where = "TRUE" if items is None else "item IN (SELECT value FROM json_each(:items))"
    if items is None:
        connection.execute("DELETE FROM tally")
    connection.execute(
        "INSERT INTO tally SELECT state, owner, second, "  # noqa: S608
        ":sign * count(*), :sign * sum(n_messages), :sign * sum(n_expert) "
        f"FROM items WHERE {where} GROUP BY state, owner, second {_ADDED}",
        {"items": json.dumps(list(items or ())), "sign": sign},
    )


def restand(connection: sqlite3.Connection, items: Iterable[int], annotator: str) -> None:
    """Find again what stands of an annotator's answers to items, and settle these."""
    chosen = list(items)
    for item in chosen:
        connection.execute(
            "DELETE FROM standing WHERE item = ? AND annotator = ?", (item, annotator)
        )
        connection.execute(
            _STANDING + " WHERE a.item = ? AND d.annotator = ?" + _LATEST, (item, annotator)
        )
    settle(connection, chosen)


def resettle(connection: sqlite3.Connection) -> None:
    """Compute anew what stands and the state of every item, from the decisions alone."""
    connection.execute("DELETE FROM standing")
    connection.execute(_STANDING + " WHERE TRUE" + _LATEST)
    items = connection.execute("SELECT item FROM items").fetchall()
    settle(connection, (item for (item,) in items))
    tally(connection)


_ADDED = """
ON CONFLICT DO UPDATE SET
    n_items = n_items + excluded.n_items,
    n_messages = n_messages + excluded.n_messages,
    n_expert = n_expert + excluded.n_expert
"""
_TALLY = "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?)" + _ADDED  # noqa: S608
# Of each annotator's answers to an item that were not undone, the latest; SQLite gives the other
# columns of the row that holds the greatest decision.
_STANDING = """
INSERT INTO standing (decision, item, annotator, adjudicates, answer, spans)
SELECT max(d.decision), a.item, d.annotator, d.kind = 'adjudication', a.answer, a.spans
FROM answers a JOIN decisions d USING (decision)
"""
_LATEST = """
AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision)
GROUP BY a.item, d.annotator, d.kind = 'adjudication'
"""
