"""Choosing items of a queue: the order in which they come, the next one, lists, counts."""

import sqlite3
from collections.abc import Sequence

from triage.dictionaries.normal import folded

from .reading import VOTED_TA, votes_of, word_rules, words_of
from .records import Answer, Filters, Order, Row, State, safest, suggested_spans

_ORDERS = {
    Order.LEARNING: "turn",
    Order.DOUBT: "doubt",
    Order.FILE: "item",
    Order.RANDOM: "shuffled",
}


# The turn of an item that is not the expert's, or not known yet.
LAST_TURN = float(2**53)


def learning_order(
    scores: Sequence[float], ta_from: float, n_messages: Sequence[int] | None = None
) -> list[float]:
    """Return the turn of each item in the order LEARNING; turns are distinct, lowest first."""
    times = [1] * len(scores) if n_messages is None else n_messages
    ranked = sorted(
        (-score, -n, number) for number, (score, n) in enumerate(zip(scores, times, strict=True))
    )
    turns, of_kind = [0.0] * len(scores), [0, 0]
    for negative, _, number in ranked:
        kind = int(-negative < ta_from)
        turns[number] = float(2 * of_kind[kind] + kind)
        of_kind[kind] += 1
    return turns


def next_item(
    connection: sqlite3.Connection,
    annotator: str,
    filters: Filters,
    order: Order,
    now: float,
    after: int | None = None,
) -> int | None:
    """Return the next item for an annotator; None if none is left."""
    condition, values = _where(connection, annotator, filters)
    by, source = _ORDERS[order], _source(connection, filters, order)
    if filters.state is State.OPEN:
        condition += (
            " AND (SELECT count(*) FROM reserved r WHERE r.item = i.item "
            "AND r.annotator <> :annotator AND r.until > :now) + i.n_answers < i.wanted"
        )
    values |= {"now": now, "after": -1 if after is None else after}
    found = connection.execute(
        f"SELECT i.item FROM {source} WHERE {condition} AND i.item <> :after "  # noqa: S608
        f"AND NOT EXISTS ({_SKIPPED}) ORDER BY {by}, item LIMIT 1",
        values,
    ).fetchone()
    if not found:
        found = connection.execute(
            "SELECT i.item FROM items i JOIN standing s ON s.item = i.item "  # noqa: S608
            "AND s.annotator = :annotator AND s.adjudicates = 0 AND s.answer = 'SKIP' "
            f"WHERE {condition} AND i.item <> :after ORDER BY s.decision LIMIT 1",
            values,
        ).fetchone()
    return found[0] if found else None


_SKIPPED = (
    "SELECT 1 FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
    "AND s.adjudicates = 0 AND s.answer = 'SKIP'"
)
_ANSWERED = (
    "SELECT 1 FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
    "AND s.adjudicates = 0 AND s.answer <> 'SKIP'"
)
_MINE = "(i.owner = '' OR i.owner = :annotator OR i.second = :annotator)"
_STATES = {
    State.OPEN: f"i.state = 'open' AND {_MINE} AND NOT EXISTS ({_ANSWERED})",
    State.SKIPPED: f"i.state = 'open' AND EXISTS ({_SKIPPED})",
    State.DECIDED: f"EXISTS ({_ANSWERED})",
    State.DISAGREED: "i.state = 'disagreed'",
    State.ALL: "TRUE",
}


# Items with a rare word are looked up; a scan soon meets one with a frequent word.
_HOLDS_RARE = "i.item IN (SELECT w.item FROM words w JOIN forms f USING (form) WHERE f.folded = {})"
_HOLDS_FREQUENT = (
    "EXISTS (SELECT 1 FROM words w JOIN forms f USING (form) "
    "WHERE w.item = i.item AND f.folded = {})"
)
_RARE = 2_000


def _is_rare(connection: sqlite3.Connection, word: str) -> bool:
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM words JOIN forms USING (form) "
        "WHERE folded = ? LIMIT ?)",
        (folded(word), _RARE),
    )
    return bool(found.fetchone()[0] < _RARE)


def _where(
    connection: sqlite3.Connection, annotator: str, filters: Filters, *, all_of_them: bool = False
) -> tuple[str, dict[str, object]]:
    """Return a condition on items and its parameters."""
    conditions = [_STATES[filters.state]]
    values: dict[str, object] = {"annotator": annotator}
    for i, word in enumerate(filters.word.split()):
        is_looked_up = all_of_them or _is_rare(connection, word)
        holds = _HOLDS_RARE if is_looked_up else _HOLDS_FREQUENT
        conditions.append(holds.format(f":word{i}"))
        values[f"word{i}"] = folded(word)
    if filters.sender:
        conditions.append("i.item IN (SELECT item FROM messages WHERE sender = :sender)")
        values["sender"] = filters.sender
    for column, value in (("seek_hide", filters.seek_hide), ("model", filters.model)):
        if value:
            conditions.append(f"i.{column} = :{column}")
            values[column] = value
    return " AND ".join(conditions), values


def _source(connection: sqlite3.Connection, filters: Filters, order: Order) -> str:
    """Return the table to scan for items: in its order, unless there is a quicker way."""
    is_looked_up = filters.sender or any(
        _is_rare(connection, word) for word in filters.word.split()
    )
    if filters.state is not State.OPEN or is_looked_up or order not in _INDEXES:
        return "items i"
    return f"items i INDEXED BY {_INDEXES[order]}"


_INDEXES = {
    Order.LEARNING: "items_by_turn",
    Order.DOUBT: "items_by_doubt",
    Order.RANDOM: "items_by_chance",
}


def rows(
    connection: sqlite3.Connection,
    annotator: str,
    filters: Filters,
    order: Order,
    offset: int,
    limit: int,
) -> list[Row]:
    """Return items as a table shows them."""
    condition, values = _where(connection, annotator, filters)
    chosen = (
        f"SELECT i.item FROM {_source(connection, filters, order)} WHERE {condition} "  # noqa: S608
        f"ORDER BY {_ORDERS[order]}, item LIMIT :limit OFFSET :offset"
    )
    found = connection.execute(
        "SELECT i.item, t.text, i.n_messages, i.seek_hide, i.model, i.score, i.action, "  # noqa: S608
        "(SELECT s.answer FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
        f"AND s.adjudicates = 0), i.final, {VOTED_TA} "
        f"FROM items i JOIN texts t USING (item) WHERE i.item IN ({chosen}) "
        f"ORDER BY i.{_ORDERS[order]}, i.item",
        values | {"limit": limit, "offset": offset},
    )
    rules, shown = word_rules(connection), []
    for number, text, n_messages, *votes, answer, final, voted_ta in found.fetchall():
        spans = suggested_spans(words_of(connection, number, text, rules, voted_ta))
        shown.append(
            Row(
                number,
                text,
                n_messages,
                votes_of(*votes),
                Answer(answer) if answer else None,
                Answer(final) if final else None,
                spans,
                safest(marked=bool(spans), voted_ta=bool(voted_ta)),
            )
        )
    return shown


def numbers(connection: sqlite3.Connection, annotator: str, filters: Filters) -> list[int]:
    """Return the numbers of all items that match the filters."""
    condition, values = _where(connection, annotator, filters, all_of_them=True)
    found = connection.execute(
        f"SELECT i.item FROM items i WHERE {condition} ORDER BY item",  # noqa: S608
        values,
    )
    return [number for (number,) in found]


def count(connection: sqlite3.Connection, annotator: str, filters: Filters) -> int:
    """Return how many items match the filters."""
    if filters == Filters():
        return count_open(connection, annotator)
    if filters == Filters(state=State.SKIPPED):
        return count_skipped(connection, annotator)
    condition, values = _where(connection, annotator, filters, all_of_them=True)
    found = connection.execute(
        f"SELECT count(*) FROM items i WHERE {condition}",  # noqa: S608
        values,
    ).fetchone()
    return int(found[0])


def count_open(connection: sqlite3.Connection, annotator: str) -> int:
    """Return how many items an annotator still has to decide, without a scan."""
    mine = connection.execute(
        f"SELECT total(n_items) FROM tally i WHERE i.state = 'open' AND {_MINE}",  # noqa: S608
        {"annotator": annotator},
    ).fetchone()[0]
    answered = connection.execute(
        "SELECT count(*) FROM items i INDEXED BY items_answered WHERE i.state = 'open' "  # noqa: S608
        f"AND i.n_answers > 0 AND {_MINE} AND EXISTS ({_ANSWERED})",
        {"annotator": annotator},
    ).fetchone()[0]
    return int(mine) - int(answered)


def count_skipped(connection: sqlite3.Connection, annotator: str) -> int:
    """Return how many open items an annotator has skipped."""
    # From skips to items: the other way round, every open item would be read.
    found = connection.execute(
        "SELECT count(*) FROM standing s CROSS JOIN items i USING (item) WHERE s.annotator = ? "
        "AND s.adjudicates = 0 AND s.answer = 'SKIP' AND i.state = 'open'",
        (annotator,),
    )
    return int(found.fetchone()[0])
