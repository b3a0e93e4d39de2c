"""What a queue holds, how far it is, and how far annotators agree."""

import sqlite3
from collections.abc import Iterator
from itertools import combinations

from .history import messages_decided
from .reading import word_lists
from .records import PairAgreement, Status
from .settle import DISAGREED, FINAL


def status(connection: sqlite3.Connection) -> Status:
    """Return what a queue holds and how far it is."""
    by_state = dict(
        connection.execute(
            "SELECT state, count(*) FROM items WHERE n_expert > 0 OR state = ? GROUP BY state",
            (DISAGREED,),
        ).fetchall()
    )
    expert, doubled = connection.execute(
        "SELECT total(n_expert), total(wanted > 1 AND n_expert > 0) FROM items"
    ).fetchone()
    messages, decided = messages_decided(connection)
    annotators = connection.execute(
        "SELECT annotator, count(*) FROM standing WHERE NOT adjudicates AND answer <> 'SKIP' "
        "GROUP BY annotator ORDER BY annotator"
    ).fetchall()
    always, never = word_lists(connection)
    return Status(
        messages,
        int(expert),
        sum(by_state.values()),
        by_state.get(FINAL, 0),
        by_state.get(DISAGREED, 0),
        decided,
        int(doubled),
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
    # Loaded here, since numpy takes a while and most steps of a review ask for no agreement.
    from triage.reports.measures import cohen_kappa

    open_disagreements = tuple(item for item, _, _, state in both if state == DISAGREED)
    answers = {answer for _, one, other, _ in both for answer in (one, other)}
    if len(answers) < 2:
        # Where both only ever gave one answer, chance explains all.
        return PairAgreement(first, second, len(both), None, None, None, open_disagreements)
    kappa = cohen_kappa([one for _, one, _, _ in both], [two for _, _, two, _ in both]).kappa
    return PairAgreement(
        first, second, len(both), kappa.estimate, kappa.low, kappa.high, open_disagreements
    )
