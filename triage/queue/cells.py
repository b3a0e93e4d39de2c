"""Cells of a message file as the queue keeps them: as JSON, each with its type."""

import json
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal

from triage.data import MISSING, as_text

_TIMES: dict[str, type[datetime] | type[date] | type[time]] = {
    "datetime": datetime,
    "date": date,
    "time": time,
}


def pack(cells: Sequence[object]) -> str:
    """Return cells as JSON text.

    What JSON cannot say is marked by its type; a type of which nothing is known becomes text.

    Examples
    --------
    >>> from datetime import date
    >>> unpack(pack(["Coucou", 7, None, date(2011, 9, 15)]))
    ['Coucou', 7, None, datetime.date(2011, 9, 15)]
    """
    plain = all(type(cell) is str for cell in cells)
    text = _to_json(cells if plain else [_packed(cell) for cell in cells])
    # The backslash form of half a surrogate pair is its JSON escape.
    return text.encode("utf-8", "backslashreplace").decode()


_to_json = json.JSONEncoder(ensure_ascii=False).encode


def _packed(cell: object) -> object:
    if cell is None or isinstance(cell, str | int | float | bool):
        return cell
    if cell is MISSING:
        return {"": "missing"}
    if isinstance(cell, datetime | date | time):
        # A datetime is a date, too: the first type that fits is its own.
        name = next(name for name, kind in _TIMES.items() if isinstance(cell, kind))
        return {"": name, "value": cell.isoformat()}
    if isinstance(cell, Decimal):
        return {"": "decimal", "value": str(cell)}
    if isinstance(cell, list | dict):
        return {"": "json", "value": cell}
    return as_text(cell)


def unpack(packed: str) -> list[object]:
    """Return the cells that `pack` made JSON of."""
    return [_unpacked(cell) for cell in json.loads(packed)]


def _unpacked(cell: object) -> object:
    if not isinstance(cell, dict):
        return cell
    kind = cell[""]
    if kind == "missing":
        return MISSING
    value = cell["value"]
    if kind in _TIMES:
        return _TIMES[kind].fromisoformat(value)
    return Decimal(value) if kind == "decimal" else value
