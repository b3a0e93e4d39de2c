"""What people decided of each item, adjudications before answers."""

import sqlite3
from dataclasses import dataclass

from ..vocabulary import Spans, parse_spans
from .records import Answer
from .settle import FINAL
from .spans import joined

# Annotators who answered the same stand together.
_AND = " + "


@dataclass(frozen=True)
class Resolved:
    """What is final of an item that people decided.

    Parameters
    ----------
    answer : Answer
        TA or NTA.
    spans : tuple of Span
        The identifiers that any of those who decided has marked.
    by : str
        Who decided.
    """

    answer: Answer
    spans: Spans
    by: str


def resolved(connection: sqlite3.Connection) -> dict[int, Resolved]:
    """Return what is final of each item that people decided.

    An adjudication outweighs the answers of annotators; of several adjudications the last one
    counts.

    Parameters
    ----------
    connection : sqlite3.Connection

    Returns
    -------
    dict of int to Resolved
        By the number of the item.
    """
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
            by = _AND.join((before.by, annotator))
            found[item] = Resolved(before.answer, joined(before.spans, marked), by)
        else:
            found[item] = Resolved(Answer(answer), marked, annotator)
    return found
