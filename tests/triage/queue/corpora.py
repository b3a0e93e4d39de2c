"""Invented messages as `triage classify` would have written them, and what tests ask of queues."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from tests.cases import cases_beside
from tests.data import files
from triage.queue import Filters, Queue, Span, Spans
from triage.queue.fill import Filled
from triage.queue.store import transaction
from triage.vocabulary import IdentifierType

COLUMNS = ("id", "sender", "text", "seek_hide", "model", "model_score", "action", "evidence")
PRE, NOM, SUR, LIE = map(IdentifierType, ("PRE", "NOM", "SUR", "LIE"))

MakeQueue = Callable[..., Queue]
OpenQueue = Callable[[Path], Queue]
Add = Callable[..., Filled]


@dataclass(frozen=True)
class Sms:
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


# What the machine gives to the expert, releases and anonymises.
_DECIDED: dict[str, dict[str, Any]] = {
    "expert": {},
    "nta": {"seek_hide": "NTA", "score": 0.01, "action": "NTA"},
    "ta": {"seek_hide": "TA", "model": "TA", "score": 0.9, "action": "TA"},
}


def invented(rows: Iterable[Sequence[Any]]) -> tuple[Sms, ...]:
    """Return messages of a table: who decides, text, id, perhaps a sender and votes."""
    return tuple(
        sms(text, id_, *(rest[:1] or "7"), **_DECIDED[by] | dict(*rest[1:]))
        for by, text, id_, *rest in rows
    )


CORPUS = invented(cases_beside(__file__)["corpus"])
ITEMS = {text: n for n, text in enumerate(dict.fromkeys(m.text for m in CORPUS), 1)}
TEXTS = {n: text for text, n in ITEMS.items()}
ZOUZOU, MIDI, ROSE, OK, LA_ZOUZOU, ELEA, SOLVEIG, BOTH, TARD = ITEMS.values()
OPEN = tuple(dict.fromkeys(ITEMS[m.text] for m in CORPUS if m.action == "EXPERT"))
MANY = [sms(f"on mange a {n} h", n) for n in range(300)]


def write(path: Path, messages: Iterable[Sms]) -> Path:
    return files.write(path, COLUMNS, map(astuple, messages), overwrite=True)


def marked(text: str, *words: str, type_: str = "PRE") -> Spans:
    starts = [(text.index(word), word) for word in words]
    return tuple(
        Span(start, start + len(word), IdentifierType(type_)) for start, word in sorted(starts)
    )


def open_to(queue: Queue, annotator: str) -> set[int]:
    return {row.number for row in queue.rows(annotator, Filters(), limit=999)}


# What follows from the decisions, and is kept beside them.
_DERIVED = (
    "SELECT item, annotator, adjudicates, decision, answer, spans FROM standing ORDER BY 1, 2, 3",
    "SELECT item, state, final, n_answers FROM items ORDER BY item",
)
_RECORDED = ("SELECT * FROM decisions ORDER BY 1", "SELECT * FROM answers ORDER BY 1, 2")
_TABLES = ("messages", "items", "texts", "words", "forms", "notes")
_FILLED = (
    *(f"SELECT * FROM {table} ORDER BY 1, 2" for table in _TABLES),  # noqa: S608
    "SELECT name FROM sqlite_schema ORDER BY 1",
)

Tables = list[list[tuple[object, ...]]]


def derived(connection: sqlite3.Connection) -> Tables:
    return [connection.execute(select).fetchall() for select in _DERIVED]


def recorded(connection: sqlite3.Connection) -> Tables:
    return [connection.execute(select).fetchall() for select in _RECORDED]


def everything(connection: sqlite3.Connection) -> Tables:
    """Return all that a queue holds, but for reservations."""
    filled = [connection.execute(select).fetchall() for select in _FILLED]
    return [*recorded(connection), *derived(connection), *filled]


@contextmanager
def nothing_changes(queue: Queue, folder: Path | None = None) -> Iterator[None]:
    """Check that a queue, and the names in a folder, stay as they are."""
    before = everything(queue.connection), folder and sorted(folder.iterdir())
    yield
    assert (everything(queue.connection), folder and sorted(folder.iterdir())) == before


def is_whole(queue: Queue) -> bool:
    """Return whether the file is sound, and what stands beside the decisions follows from them."""
    before = derived(queue.connection)
    with transaction(queue.connection):
        queue.stand_again([n for (n,) in queue.connection.execute("SELECT item FROM items")])
    [sound] = queue.connection.execute("PRAGMA integrity_check").fetchall()
    strays = queue.connection.execute("PRAGMA foreign_key_check").fetchall()
    return (sound, strays, derived(queue.connection)) == (("ok",), [], before)
