"""Chats that Telegram Desktop exports as JSON, one or all of them; read alone.

The file holds a chat with its messages, or a list of chats. The text of a message is a string, or a
list of strings and of objects with a text of their own, such as links and mentions.
"""

import re
from collections.abc import Iterator

from triage.data.json_array import Element, Scanner, open_chat
from triage.data.table import Options, Source, Table
from triage.data.text import head_text

COLUMNS = ("id", "sent_at", "sender", "kind", "text")
_MESSAGES, _CHATS, _LIST = "messages", "chats", "list"
# The first keys of one chat, and of an export of all.
_BEGINNING = re.compile(
    r'\{\s*+"(?:name|type|id)"\s*+:[^{}\[\]]{1,1000}"messages"\s*+:'
    r'|\{\s*+"(?:about|personal_information)"\s*+:'
)
_MEDIA = ("media_type", "photo", "file")


def is_telegram(head: bytes) -> bool:
    """Return whether a file begins like an export of Telegram Desktop."""
    return _BEGINNING.match(head_text(head).lstrip()) is not None


def open_telegram(source: Source, options: Options) -> Table:
    """Check that a file holds messages of chats."""
    return open_chat(source, options, COLUMNS, _elements, _cells)


def _elements(scanner: Scanner) -> Iterator[Element]:
    """Yield the messages of a chat, or of all chats."""
    for key in scanner.members():
        if key == _MESSAGES and scanner.peek() == "[":
            yield from scanner.elements()
        elif key == _CHATS and scanner.peek() == "{":
            yield from _of_all_chats(scanner)
        else:
            scanner.value()


def _of_all_chats(scanner: Scanner) -> Iterator[Element]:
    for key in scanner.members():
        if key != _LIST:
            scanner.value()
            continue
        for _ in scanner.items("[", "]"):
            yield from _elements(scanner)


def _cells(message: dict[str, object]) -> list[object] | None:
    text = _text(message.get("text", ""))
    if text is None:
        return None
    return [message.get("id"), message.get("date"), _sender(message), _kind(message), text]


def _sender(message: dict[str, object]) -> object:
    """Return who sent a message; a deleted account has a number alone."""
    names = ("from", "actor", "from_id", "actor_id")
    return next((message[name] for name in names if message.get(name)), "")


def _kind(message: dict[str, object]) -> object:
    kind = message.get("type", "")
    return "media" if kind == "message" and any(key in message for key in _MEDIA) else kind


def _text(found: object) -> str | None:
    """Return the text of a message, None where it is in no known form."""
    parts = found if isinstance(found, list) else [found]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None
