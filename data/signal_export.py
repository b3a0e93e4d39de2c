"""Chats that Signal exports as JSON: ``main.jsonl``, a frame of its backup a line; read alone.

The frames are those of ``Backup.proto`` in Signal's sources: recipients and chats come before the
items that name them by their ids.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from triage.data.errors import DataError
from triage.data.jsonl import objects
from triage.data.table import Options, Reject, Row, Source, Table
from triage.data.text import TextFile, head_text, open_text

COLUMNS = ("sent_at", "chat", "sender", "kind", "text")
OWNER = "me"
"""The sender whose Signal it is."""

_BEGINNING = re.compile(
    r'\{\s*+"(?:version"\s*+:\s*+"?\d{1,9}"?\s*+,\s*+"backupTimeMs"|account"\s*+:\s*+\{'
    r'|recipient"\s*+:\s*+\{\s*+"id")'
)
_NAMES = (
    ("nickname.given", "nickname.family"),
    ("systemGivenName", "systemFamilyName"),
    ("profileGivenName", "profileFamilyName"),
    ("e164",),
    ("username",),
)
_KINDS = {"standard": "message", "update": "system", "remoteDeleted": "deleted"}
_MESSAGE = "Message"


def is_signal(head: bytes) -> bool:
    """Return whether a file begins like an export of Signal."""
    return _BEGINNING.match(head_text(head).lstrip()) is not None


def open_signal(source: Source, options: Options) -> Table:
    """Collect who takes part in the chats, and their names."""
    text = open_text(source, options.encoding)
    recipients: dict[str, str] = {}
    chats: dict[str, str] = {}
    n_messages = 0
    with text.lines() as lines:
        for frame in objects(lines):
            if isinstance(frame, str):
                continue
            n_messages += "chatItem" in frame
            recipient, chat = _within(frame, "recipient"), _within(frame, "chat")
            if "id" in recipient:
                recipients[str(recipient["id"])] = _name(recipient)
            if "id" in chat:
                chats[str(chat["id"])] = recipients.get(str(chat.get("recipientId")), "")
    if not n_messages:
        raise DataError(f"{source.name} holds no messages of Signal", "no_chat", file=source.name)
    return Table(COLUMNS, text.dialect, n_messages, partial(_rows, text, recipients, chats))


def _rows(
    text: TextFile, recipients: Mapping[str, str], chats: Mapping[str, str]
) -> Iterator[Row | Reject]:
    with text.lines() as lines:
        for frame in objects(lines):
            if isinstance(frame, str):
                yield Reject(lines.first, frame, lines.raw())
            elif item := _within(frame, "chatItem"):
                chat, sender = chats.get(str(item.get("chatId")), ""), str(item.get("authorId"))
                kind, body = _content(item)
                if not isinstance(body, str):
                    yield Reject(lines.first, "a text of another form", lines.raw())
                    continue
                date = _date(item.get("dateSent"))
                yield lines.first, [date, chat, recipients.get(sender, ""), kind, body]


def _within(found: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the object at a path of keys; empty where there is none."""
    for key in path.split("."):
        found = found.get(key, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}


def _name(recipient: Mapping[str, Any]) -> str:
    """Return the name of a person or a group, as its owner sees it."""
    if "self" in recipient:
        return OWNER
    if title := _within(recipient, "group.snapshot.title").get("title"):
        return str(title)
    contact = _within(recipient, "contact")
    for paths in _NAMES:
        parts = (path.rpartition(".") for path in paths)
        values = [
            (_within(contact, parent) if parent else contact).get(key) for parent, _, key in parts
        ]
        if any(values):
            return " ".join(str(value) for value in values if value)
    return str(recipient.get("id", ""))


def _content(item: Mapping[str, Any]) -> tuple[str, object]:
    """Return the kind and the text of an item."""
    name = next((key for key in item if key.endswith(_MESSAGE)), "")
    content = _within(item, name)
    text = _within(content, "text") or _within(content, "textReply.text")
    kind = _KINDS.get(name.removesuffix(_MESSAGE), name.removesuffix(_MESSAGE))
    if content.get("attachments"):
        kind = "media"
    return "edited" if item.get("revisions") else kind, text.get("body", "")


def _date(milliseconds: object) -> datetime | None:
    """Return a date in UTC; None where it is unknown."""
    try:
        date = datetime.fromtimestamp(int(str(milliseconds)) // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return date.replace(tzinfo=None)
