"""Chats of Google Chat as Google Takeout exports them: ``messages.json`` of a group; read alone."""

import re
from collections.abc import Iterator
from datetime import datetime

from triage.data.json_array import Element, Scanner, open_chat
from triage.data.table import Options, Source, Table
from triage.data.text import head_text

COLUMNS = ("id", "sent_at", "sender", "kind", "text")
_MESSAGES = "messages"
_BEGINNING = re.compile(r'\{\s*+"messages"\s*+:\s*+\[\s*+\{\s*+"creator"\s*+:\s*+\{')
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(
    r"(?:[A-Z][a-z]+, )?([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}) at "
    r"(\d{1,2}):(\d\d):(\d\d)\s([AP])M UTC"
)


def is_google_chat(head: bytes) -> bool:
    """Return whether a file begins like a chat of Google Takeout."""
    return _BEGINNING.match(head_text(head).lstrip()) is not None


def open_google_chat(source: Source, options: Options) -> Table:
    """Check that a file holds messages of a chat."""
    return open_chat(source, options, COLUMNS, _elements, _cells)


def _elements(scanner: Scanner) -> Iterator[Element]:
    for key in scanner.members():
        if key == _MESSAGES and scanner.peek() == "[":
            yield from scanner.elements()
        else:
            scanner.value()


def _cells(message: dict[str, object]) -> list[object] | None:
    text = message.get("text", "")
    if not isinstance(text, str):
        return None
    date = _date(str(message.get("created_date", "")))
    return [message.get("message_id"), date, _sender(message), _kind(message), text]


def _sender(message: dict[str, object]) -> object:
    creator = message.get("creator")
    if not isinstance(creator, dict):
        return ""
    return creator.get("name") or creator.get("email") or ""


def _kind(message: dict[str, object]) -> str:
    if message.get("message_state") == "DELETED" or "deletion_metadata" in message:
        return "deleted"
    return "media" if message.get("attached_files") else "message"


def _date(text: str) -> str:
    """Return a date in the form of ISO 8601, in UTC; as it is in another language than English."""
    found = _DATE.fullmatch(text)
    if not found or found[1] not in _MONTHS:
        return text
    day, year, hour, minute, second = map(int, found.group(2, 3, 4, 5, 6))
    hour = hour % 12 + 12 * (found[7] == "P")
    try:
        return datetime(year, _MONTHS.index(found[1]) + 1, day, hour, minute, second).isoformat()
    except ValueError:
        return text
