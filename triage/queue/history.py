"""Read what was decided, and how far an annotator is."""

import sqlite3
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from ..vocabulary import parse_spans
from .listing import count_open, count_skipped
from .records import Answer, Done, Progress

# A longer break is none of the time that a decision takes.
_LONGEST_STEP = 120.0
_FEWEST_STEPS = 5
_STEPS = 60


def progress(connection: sqlite3.Connection, annotator: str) -> Progress:
    """Return how far an annotator is, and the corpus."""
    by_answer = dict(
        connection.execute(
            "SELECT answer, count(*) FROM standing WHERE annotator = ? AND adjudicates = 0 "
            "GROUP BY answer",
            (annotator,),
        ).fetchall()
    )
    n_open = count_open(connection, annotator)
    messages, decided = messages_decided(connection)
    per_hour = _per_hour(connection, annotator)
    return Progress(
        by_answer.get("TA", 0) + by_answer.get("NTA", 0),
        n_open,
        count_skipped(connection, annotator),
        messages,
        decided,
        per_hour,
        n_open / per_hour * 3600 if per_hour else None,
    )


def messages_decided(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return how many messages there are, and of how many the action is final."""
    messages, waiting = connection.execute(
        "SELECT total(n_messages), total(n_expert * (state IN ('open', 'disagreed'))) FROM tally"
    ).fetchone()
    return int(messages), int(messages - waiting)


def _per_hour(connection: sqlite3.Connection, annotator: str) -> float | None:
    """Return how many decisions an hour an annotator makes, breaks not counted."""
    times = [
        datetime.fromisoformat(at).timestamp()
        for (at,) in connection.execute(
            "SELECT at FROM decisions WHERE annotator = ? AND kind = 'message' "
            "ORDER BY decision DESC LIMIT ?",
            (annotator, _STEPS),
        )
    ]
    steps = [later - earlier for later, earlier in pairwise(times)]
    steps = [step for step in steps if 0 <= step <= _LONGEST_STEP]
    if len(steps) < _FEWEST_STEPS or sum(steps) == 0:
        return None
    return len(steps) / sum(steps) * 3600


def history(
    connection: sqlite3.Connection, annotator: str | None, limit: int, reader: str | None = None
) -> list[Done]:
    """Return decisions, the newest first.

    Parameters
    ----------
    connection : sqlite3.Connection
    annotator : str, optional
        Whose; by default everybody's.
    limit : int
    reader : str, optional
        From whom others' answers to open items are withheld.
    """
    found = connection.execute(
        "SELECT decision FROM decisions WHERE :annotator IS NULL OR annotator = :annotator "
        "ORDER BY decision DESC LIMIT :limit",
        {"annotator": annotator, "limit": limit},
    ).fetchall()
    return [_withheld(connection, decision(connection, number), reader) for (number,) in found]


def last_decision(connection: sqlite3.Connection, annotator: str) -> int:
    """Return the number of an annotator's last decision, 0 if there is none."""
    found = connection.execute(
        "SELECT coalesce(max(decision), 0) FROM decisions WHERE annotator = ?", (annotator,)
    )
    return int(found.fetchone()[0])


def _withheld(connection: sqlite3.Connection, done: Done, reader: str | None) -> Done:
    if reader is None or done.annotator == reader:
        return done
    is_open = connection.execute(
        "SELECT 1 FROM answers JOIN items USING (item) WHERE decision = ? AND state = 'open'",
        (done.number,),
    ).fetchone()
    return replace(done, answer=None, items=(), spans=(), hidden=True) if is_open else done


def decision(connection: sqlite3.Connection, number: int) -> Done:
    """Return a decision as it was made."""
    at, annotator, kind, answer, word, rule = connection.execute(
        "SELECT at, annotator, kind, answer, word, rule FROM decisions WHERE decision = ?",
        (number,),
    ).fetchone()
    served = connection.execute(
        "SELECT item, spans FROM answers WHERE decision = ? ORDER BY item", (number,)
    ).fetchall()
    undone = connection.execute("SELECT 1 FROM decisions WHERE undoes = ?", (number,)).fetchone()
    return Done(
        number,
        at,
        annotator,
        kind,
        Answer(answer) if answer else None,
        word,
        rule,
        tuple(item_ for item_, _ in served),
        parse_spans(served[0][1]) if len(served) == 1 else (),
        undone is not None,
    )
