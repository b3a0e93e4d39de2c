"""Chats that Telegram Desktop exports as JSON, one or all of them; read alone.

The file holds a chat with its messages, or a list of chats. The text of a message is a string, or a
list of strings and of objects with a text of their own, such as links and mentions.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial

from triage.data.errors import DataError
from triage.data.json_array import Element, Scanner, scanned, text_of
from triage.data.table import Options, Reject, Row, Source, Table
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
    text, dialect = text_of(source, options)
    elements = partial(scanned, source.name, text, _elements)
    n_messages = sum(1 for _ in elements())
    if not n_messages:
        raise DataError(f"{source.name} holds no messages of a Telegram chat")
    return Table(COLUMNS, dialect, n_messages, partial(_rows, elements))


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


def _rows(elements: Callable[[], Iterator[Element]]) -> Iterator[Row | Reject]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield Reject(line, found, raw)
        elif (text := _text(found.get("text", ""))) is None:
            yield Reject(line, "a text of another form", raw)
        else:
            yield line, [found.get("id"), found.get("date"), _sender(found), _kind(found), text]


def _sender(message: dict[str, object]) -> object:
    """Return who sent a message; a deleted account has a number alone."""
    names = ("from", "actor", "from_id", "actor_id")
    return next((message[name] for name in names if message.get(name)), "")


def _kind(message: dict[str, object]) -> object:
    kind = message.get("type", "")
    return "media" if kind == "message" and any(key in message for key in _MEDIA) else kind


def _text(found: object) -> str | None:
    """Return the text of a message, None where it is in no known form.

    Examples
    --------
    >>> _text(["Coucou ", {"type": "mention", "text": "@zoe"}, " !"])
    'Coucou @zoe !'
    """
    parts = found if isinstance(found, list) else [found]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None
