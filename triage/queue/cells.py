"""The cells of rows as a queue keeps them, and the conversation and time that they tell."""

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from types import UnionType
from typing import Any

from triage.data import MISSING, as_text
from triage.data.columns import guess_thread
from triage.data.dates import moment_of
from triage.data.errors import whole_characters

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

# Exports of one chat have these columns, and none that names the conversation.
_OF_ONE_CHAT = frozenset({"sent_at", "sender", "kind"})
_ONE_CHAT = "chat"


def pack(cells: Sequence[object]) -> str:
    """Return cells as JSON; values without a JSON type are tagged, unknown ones become text."""
    is_plain = {*map(type, cells)} <= {str}
    text = _to_json(cells if is_plain else [_packed(cell) for cell in cells])
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
    return [
        cell
        if not isinstance(cell, dict)
        else MISSING
        if cell[""] == "missing"
        else _TAGGED[cell[""]][2](cell["value"])
        for cell in json.loads(packed)
    ]


def placer(
    columns: Sequence[str], sender: int | None, sent: int | None, *, month_first: bool = False
) -> Callable[[Sequence[object]], tuple[str, str]]:
    """Return a function that gives a row's conversation and time, empty where they are unknown."""
    thread = guess_thread(columns)
    is_one = thread is None and _OF_ONE_CHAT.issubset(columns)
    thread = sender if thread is None else thread

    def place(row: Sequence[object]) -> tuple[str, str]:
        name = _ONE_CHAT if is_one else "" if thread is None else as_text(row[thread])
        found = None if sent is None else moment_of(row[sent], month_first=month_first)
        # Text that sorts by time.
        moment = found.replace(tzinfo=None).isoformat(" ", "seconds") if found else ""
        return whole_characters(name), moment

    return place
