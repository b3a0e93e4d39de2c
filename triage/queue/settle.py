"""Consequences of the answers to items: which answers stand, states, counts, final decisions.

Functions that write expect a connection within a transaction.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from ..vocabulary import Spans, parse_spans
from .records import Answer
from .spans import joined

# The states of an item in the file.
MACHINE = "machine"
OPEN = "open"
FINAL = "final"
DISAGREED = "disagreed"


def settled(
    answers: Iterable[str], adjudicated: str | None, wanted: int, n_expert: int
) -> tuple[str, str | None, int]:
    """Return an item's state, its final answer (None until settled), and its number of answers."""
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
    """Update the state of items from their current answers."""
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
    """Count items by state and annotators; `settle` updates the counts."""
    where = "TRUE" if items is None else "item IN (SELECT value FROM json_each(:items))"
    if items is None:
        connection.execute("DELETE FROM tally")
    connection.execute(
        "INSERT INTO tally SELECT state, owner, second, "  # noqa: S608
        ":sign * count(*), :sign * sum(n_messages), :sign * sum(n_expert) "
        f"FROM items WHERE {where} GROUP BY state, owner, second {_ADDED}",
        {"items": json.dumps(list(items or ())), "sign": sign},
    )


def update_standing(connection: sqlite3.Connection, items: Iterable[int], annotator: str) -> None:
    """Determine an annotator's current answers to items again, and settle the items."""
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
    """Compute all current answers and states anew from the decisions alone."""
    connection.execute("DELETE FROM standing")
    connection.execute(_STANDING + " WHERE TRUE" + _LATEST)
    items = connection.execute("SELECT item FROM items").fetchall()
    settle(connection, (item for (item,) in items))
    tally(connection)


@dataclass(frozen=True)
class Resolved:
    """Final decision of people on an item."""

    answer: Answer
    spans: Spans
    by: str


def resolved(connection: sqlite3.Connection) -> dict[int, Resolved]:
    """Return the final decision on each item that people decided."""
    found: dict[int, Resolved] = {}
    for item, annotator, adjudicates, answer, spans in connection.execute(
        "SELECT item, annotator, adjudicates, answer, spans FROM standing "
        "JOIN items USING (item) WHERE state = ? AND answer <> 'SKIP' "
        "ORDER BY item, adjudicates, decision",
        (FINAL,),
    ):
        before = found.get(item)
        marked = parse_spans(spans)
        if before and not adjudicates:
            by = f"{before.by} + {annotator}"
            found[item] = Resolved(before.answer, joined(before.spans, marked), by)
        else:
            found[item] = Resolved(Answer(answer), marked, annotator)
    return found


_ADDED = """
ON CONFLICT DO UPDATE SET
    n_items = n_items + excluded.n_items,
    n_messages = n_messages + excluded.n_messages,
    n_expert = n_expert + excluded.n_expert
"""
_TALLY = "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?)" + _ADDED  # noqa: S608
# The latest of each annotator's answers to an item that were not undone; SQLite takes the other
# columns from the row that holds the greatest decision.
_STANDING = """
INSERT INTO standing (decision, item, annotator, adjudicates, answer, spans)
SELECT max(d.decision), a.item, d.annotator, d.kind = 'adjudication', a.answer, a.spans
FROM answers a JOIN decisions d USING (decision)
"""
_LATEST = """
AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision)
GROUP BY a.item, d.annotator, d.kind = 'adjudication'
"""
