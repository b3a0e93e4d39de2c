"""Progress, history and agreement of annotators, and the status of a queue."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import combinations, pairwise

from ..vocabulary import parse_spans
from .listing import count_open, count_skipped
from .reading import word_lists
from .records import Answer, Decision, PairAgreement, Progress, Status
from .settle import DISAGREED, FINAL, OPEN

# A longer step is a break and does not count.
_LONGEST_STEP = 120.0
# Ten decisions and a minute of work: after less, the rate is that of chance.
_FEWEST_STEPS = 9
_LEAST_WORK = 60.0
_STEPS = 60


def progress(connection: sqlite3.Connection, annotator: str) -> Progress:
    """Return the progress of an annotator and of the corpus."""
    by_answer = dict(
        connection.execute(
            "SELECT answer, count(*) FROM standing WHERE annotator = ? AND adjudicates = 0 "
            "GROUP BY answer",
            (annotator,),
        ).fetchall()
    )
    n_open = count_open(connection, annotator)
    messages, decided = _messages_decided(connection)
    per_hour = _per_hour(connection, annotator)
    return Progress(
        by_answer.get("TA", 0) + by_answer.get("NTA", 0),
        n_open,
        count_skipped(connection, annotator),
        messages,
        decided,
        per_hour,
        n_open / per_hour * 3600 if per_hour else None,
        by_answer.get("TA", 0),
    )


def _messages_decided(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the number of messages, and of those whose action is final."""
    messages, waiting = connection.execute(
        "SELECT total(n_messages), total(n_expert * (state IN ('open', 'disagreed'))) FROM tally"
    ).fetchone()
    return int(messages), int(messages - waiting)


def _per_hour(connection: sqlite3.Connection, annotator: str) -> float | None:
    """Return an annotator's decisions an hour, without breaks; None if there are too few."""
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
    if len(steps) < _FEWEST_STEPS or sum(steps) < _LEAST_WORK:
        return None
    return len(steps) / sum(steps) * 3600


def history(
    connection: sqlite3.Connection, annotator: str | None, limit: int, reader: str | None = None
) -> list[Decision]:
    """Return decisions, the newest first."""
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


def _withheld(connection: sqlite3.Connection, done: Decision, reader: str | None) -> Decision:
    if reader is None or done.annotator == reader:
        return done
    is_open = connection.execute(
        "SELECT 1 FROM answers JOIN items USING (item) WHERE decision = ? AND state = 'open'",
        (done.number,),
    ).fetchone()
    return replace(done, answer=None, items=(), spans=(), hidden=True) if is_open else done


def decision(connection: sqlite3.Connection, number: int) -> Decision:
    """Return a decision as it was made."""
    at, annotator, kind, answer, word, rule = connection.execute(
        "SELECT at, annotator, kind, answer, word, rule FROM decisions WHERE decision = ?",
        (number,),
    ).fetchone()
    served = connection.execute(
        "SELECT item, spans FROM answers WHERE decision = ? ORDER BY item", (number,)
    ).fetchall()
    undone = connection.execute("SELECT 1 FROM decisions WHERE undoes = ?", (number,)).fetchone()
    return Decision(
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


def status(connection: sqlite3.Connection) -> Status:
    """Return the contents and progress of a queue."""
    n_open, disagreed, expert = connection.execute(
        "SELECT total(n_items * (state = ?)), total(n_items * (state = ?)), total(n_expert) "
        "FROM tally",
        (OPEN, DISAGREED),
    ).fetchone()
    # What people said of the machine's items is not asked of the expert.
    (final,) = connection.execute(
        "SELECT count(*) FROM items WHERE state = ? AND n_expert > 0", (FINAL,)
    ).fetchone()
    (doubled,) = connection.execute(
        "SELECT count(*) FROM items WHERE wanted > 1 AND n_expert > 0"
    ).fetchone()
    messages, decided = _messages_decided(connection)
    annotators = connection.execute(
        "SELECT annotator, count(*) FROM standing WHERE NOT adjudicates AND answer <> 'SKIP' "
        "GROUP BY annotator ORDER BY annotator"
    ).fetchall()
    always, never = word_lists(connection)
    return Status(
        messages,
        int(expert),
        int(n_open + disagreed) + final,
        final,
        int(disagreed),
        decided,
        doubled,
        dict(annotators),
        tuple(_pairs(connection, [name for name, _ in annotators])),
        tuple(always),
        tuple(never),
    )


def _pairs(connection: sqlite3.Connection, annotators: list[str]) -> Iterator[PairAgreement]:
    for first, second in combinations(annotators, 2):
        both = connection.execute(
            "SELECT item, a.answer, b.answer, i.state FROM standing a "
            "JOIN standing b USING (item) JOIN items i USING (item) "
            "WHERE a.annotator = ? AND b.annotator = ? AND NOT a.adjudicates "
            "AND NOT b.adjudicates AND a.answer <> 'SKIP' AND b.answer <> 'SKIP' ORDER BY item",
            (first, second),
        ).fetchall()
        if both:
            yield _agreement(first, second, both)


def _agreement(first: str, second: str, both: list[tuple[int, str, str, str]]) -> PairAgreement:
    # Imported here: numpy loads slowly, and most steps of a review need no agreement.
    from triage.reports.measures import cohen_kappa

    open_disagreements = tuple(item for item, _, _, state in both if state == DISAGREED)
    answers = {answer for _, one, other, _ in both for answer in (one, other)}
    if len(answers) < 2:
        # If both only ever gave one answer, chance explains all agreement.
        return PairAgreement(first, second, len(both), None, None, None, open_disagreements)
    kappa = cohen_kappa([one for _, one, _, _ in both], [two for _, _, two, _ in both]).kappa
    return PairAgreement(
        first, second, len(both), kappa.estimate, kappa.low, kappa.high, open_disagreements
    )
