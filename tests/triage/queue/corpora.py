"""Invented messages as `triage classify` would have written them, and where words stand in them."""

import csv
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from triage.queue import Span, Spans
from triage.vocabulary import IdentifierType

COLUMNS = ("id", "sender", "text", "seek_hide", "model", "model_score", "action", "evidence")


@dataclass(frozen=True)
class Sms:
    """A message and what was decided of it."""

    id: str
    sender: str
    text: str
    seek_hide: str = "UNTAGGED"
    model: str = "NTA"
    score: float = 0.2
    action: str = "EXPERT"
    evidence: str = ""


def sms(text: str, id_: object, sender: str = "7", **votes: object) -> Sms:
    """Return a message for the expert, or with other votes."""
    return replace(Sms(str(id_), sender, text), **votes)  # type: ignore[arg-type]


def decided_nta(text: str, id_: object, sender: str = "7") -> Sms:
    """Return a message that the machine releases."""
    return sms(text, id_, sender, seek_hide="NTA", score=0.01, action="NTA")


def decided_ta(text: str, id_: object, sender: str = "7") -> Sms:
    """Return a message that the machine anonymises."""
    return sms(text, id_, sender, seek_hide="TA", model="TA", score=0.9, action="TA")


# Seven texts for the expert, of which two come twice; two that the machine decides.
CORPUS = (
    sms("Coucou Zouzou tu viens ?", 1, "7", score=0.25),
    sms("on mange a midi", 2, "7", score=0.05),
    sms("Rose est fanée", 3, "8", seek_hide="TA", score=0.1),
    decided_nta("ok", 4, "8"),
    sms("la zouzou est partie", 5, "9", score=0.8, model="TA"),
    sms("on mange a midi", 6, "9", score=0.05),
    sms("Élea dort 😀", 7, "7", score=0.6, model="TA"),
    decided_ta("Bisous Solveig", 8, "8"),
    sms("zouzou et eléa arrivent", 9, "8", seek_hide="NTA", score=0.7, model="TA"),
    sms("je rentre tard", 10, "7", score=0.02),
    sms("je rentre tard", 11, "7", score=0.02),
)
EXPERT_TEXTS = tuple(dict.fromkeys(m.text for m in CORPUS if m.action == "EXPERT"))
ITEMS = {text: n for n, text in enumerate(dict.fromkeys(m.text for m in CORPUS), 1)}
ZOUZOU, MIDI, ROSE, OK, LA_ZOUZOU, ELEA, SOLVEIG, BOTH, TARD = ITEMS.values()
OPEN = tuple(ITEMS[text] for text in EXPERT_TEXTS)


def write(path: Path, messages: Iterable[Sms]) -> Path:
    """Write messages as a triaged file: JSON Lines or CSV."""
    rows = [dict(zip(COLUMNS, astuple(message), strict=True)) for message in messages]
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return path


def marked(text: str, *words: str, type_: str = "PRE") -> Spans:
    """Return where words stand first in a text."""
    starts = [(text.index(word), word) for word in words]
    return tuple(
        Span(start, start + len(word), IdentifierType(type_)) for start, word in sorted(starts)
    )


# What follows from the decisions, and is kept beside them.
_DERIVED = (
    "SELECT item, annotator, adjudicates, decision, answer, spans FROM standing ORDER BY 1, 2, 3",
    "SELECT item, state, final, n_answers FROM items ORDER BY item",
    "SELECT * FROM tally WHERE n_items <> 0 ORDER BY 1, 2, 3",
)
_RECORDED = (
    "SELECT * FROM decisions ORDER BY 1",
    "SELECT * FROM answers ORDER BY 1, 2",
)
_FILLED = (
    "SELECT * FROM messages ORDER BY 1",
    "SELECT * FROM items ORDER BY 1",
    "SELECT * FROM texts ORDER BY 1",
    "SELECT * FROM words ORDER BY 1, 2",
    "SELECT * FROM forms ORDER BY 1",
    "SELECT name FROM sqlite_schema ORDER BY 1",
)

Tables = list[list[tuple[object, ...]]]


def derived(connection: sqlite3.Connection) -> Tables:
    """Return what follows from the decisions."""
    return [connection.execute(select).fetchall() for select in _DERIVED]


def recorded(connection: sqlite3.Connection) -> Tables:
    """Return the decisions and their answers."""
    return [connection.execute(select).fetchall() for select in _RECORDED]


def everything(connection: sqlite3.Connection) -> Tables:
    """Return all that a queue holds, but for reservations."""
    filled = [connection.execute(select).fetchall() for select in _FILLED]
    return [*recorded(connection), *derived(connection), *filled]
