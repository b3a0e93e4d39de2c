"""The cells of a row as a queue keeps them, and the conversation that they tell."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from types import UnionType
from typing import Any

from triage.data import MISSING, as_text
from triage.data.columns import guess_date, guess_thread
from triage.data.values import whole_characters

# Types that JSON lacks, each with its conversion to JSON and back. A datetime is also a date, and a
# cell takes the first that fits.
_TAGGED: dict[str, tuple[type | UnionType, Callable[[Any], object], Callable[[Any], object]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "json": (list | dict, lambda value: value, lambda value: value),
}
_to_json = json.JSONEncoder(ensure_ascii=False).encode

_TIME = r"(?:[T ,à]{1,4}(?P<hour>[0-9]{1,2})[:h](?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?)?"
_DATES = tuple(
    re.compile(form + _TIME)
    for form in (
        r"(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})",
        r"(?P<day>[0-9]{1,2})[-/.](?P<month>[0-9]{1,2})[-/.](?P<year>[0-9]{4})",
    )
)
# Exports of one chat have these columns, and none that names the conversation.
_OF_ONE_CHAT = frozenset({"sent_at", "sender", "kind"})
_ONE_CHAT = "chat"


def pack(cells: Sequence[object]) -> str:
    """Return cells as JSON; values without a JSON type are tagged, unknown ones become text."""
    plain = all(type(cell) is str for cell in cells)
    text = _to_json(cells if plain else [_packed(cell) for cell in cells])
    # The backslash form of half a surrogate pair is its JSON escape.
    return text.encode("utf-8", "backslashreplace").decode()


def _packed(cell: object) -> object:
    if cell is None or isinstance(cell, str | int | float | bool):
        return cell
    if cell is MISSING:
        return {"": "missing"}
    for name, (type_, write, _) in _TAGGED.items():
        if isinstance(cell, type_):
            return {"": name, "value": write(cell)}
    return as_text(cell)


def unpack(packed: str) -> list[object]:
    """Return the cells from which `pack` made JSON."""
    return [_unpacked(cell) for cell in json.loads(packed)]


def _unpacked(cell: object) -> object:
    if not isinstance(cell, dict):
        return cell
    return MISSING if cell[""] == "missing" else _TAGGED[cell[""]][2](cell["value"])


@dataclass(frozen=True)
class Conversations:
    """The columns that tell the conversation of a message and when it was sent."""

    thread: int | None
    sent: int | None
    sender: int | None
    is_one: bool

    @classmethod
    def of(cls, columns: Sequence[str], sender_column: str) -> "Conversations":
        """Return the columns of a file; `sender_column` is empty where there is none."""
        thread = guess_thread(columns)
        return cls(
            thread,
            guess_date(columns),
            columns.index(sender_column) if sender_column else None,
            thread is None and _OF_ONE_CHAT.issubset(columns),
        )

    def place(self, row: Sequence[object]) -> tuple[str, str]:
        """Return the conversation of a message and when it was sent, empty where unknown."""
        column = self.sender if self.thread is None else self.thread
        thread = _ONE_CHAT if self.is_one else as_text(row[column]) if column is not None else ""
        return whole_characters(thread), _moment(row[self.sent]) if self.sent is not None else ""


def _moment(cell: object) -> str:
    """Return when something was, as text that sorts by time; empty where a cell is no date."""
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None).isoformat(" ", "seconds")
    if isinstance(cell, date):
        return f"{cell.isoformat()} 00:00:00"
    text = as_text(cell).strip()
    found = next(filter(None, (form.match(text) for form in _DATES)), None)
    if not found:
        return ""
    parts = {name: int(value or 0) for name, value in found.groupdict().items()}
    try:
        return datetime(**parts).isoformat(" ")  # type: ignore[arg-type]
    except ValueError:
        return ""
