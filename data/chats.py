"""Chats that programs export as JSON: where each keeps its messages, in a table of layouts.

*Telegram* Desktop writes a chat with its messages, or a list of chats; the text of a message is a
string, or a list of strings and of objects with a text of their own, such as links. *Signal*
writes a frame of its backup on each line (``Backup.proto`` in its sources): recipients and chats
come before the items that name them by their ids. *Google Chat* is ``messages.json`` of Google
Takeout. *Messenger* and *Instagram* write ``message_1.json``, the latest message first; their
strings are UTF-8 of which each byte is written as a character of Latin-1.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from triage.data.dates import read_date, read_epoch
from triage.data.errors import fault
from triage.data.objects import Element, Scanner, of_lines, scanned, text_of
from triage.data.table import Format, Reject, Row, Source, Table
from triage.data.text import head_text, open_text
from triage.settings import Reading

OWNER = "me"
"""The sender whose Signal it is."""

_SET: Any = object()
"""Stands for any value but null, false, nothing and an empty list."""
_Object: TypeAlias = Mapping[str, Any]
_COLUMNS = ("id", "sent_at", "sender", "kind", "text")


@dataclass(frozen=True)
class Layout:
    """Paths of an export, keys joined by points; of several the first with a value counts."""

    begins: re.Pattern[str]
    # Paths to the arrays of messages, or to the message of a line.
    lists: tuple[str, ...]
    text: tuple[str, ...]
    sender: tuple[str, ...]
    date: tuple[str, ...]
    # Path, value, and the kind of a message that has it there; others are of the kind message.
    kinds: tuple[tuple[str, object, str], ...]
    id: tuple[str, ...] = ()
    chat: tuple[str, ...] = ()
    columns: tuple[str, ...] = _COLUMNS
    is_latin1: bool = False


LAYOUTS = {
    Format.TELEGRAM: Layout(
        begins=re.compile(
            r'\{\s*+"(?:name|type|id)"\s*+:[^{}\[\]]{1,1000}"messages"\s*+:'
            r'|\{\s*+"(?:about|personal_information)"\s*+:'
        ),
        lists=("messages", "chats.list.messages"),
        text=("text",),
        sender=("from", "actor", "from_id", "actor_id"),
        date=("date",),
        kinds=(
            ("type", "service", "service"),
            ("media_type", _SET, "media"),
            ("photo", _SET, "media"),
            ("file", _SET, "media"),
        ),
        id=("id",),
    ),
    Format.GOOGLE_CHAT: Layout(
        begins=re.compile(r'\{\s*+"messages"\s*+:\s*+\[\s*+\{\s*+"creator"\s*+:\s*+\{'),
        lists=("messages",),
        text=("text",),
        sender=("creator.name", "creator.email"),
        date=("created_date",),
        kinds=(
            ("message_state", "DELETED", "deleted"),
            ("deletion_metadata", _SET, "deleted"),
            ("attached_files", _SET, "media"),
        ),
        id=("message_id",),
    ),
    Format.MESSENGER: Layout(
        begins=re.compile(r'\{\s*+"participants"\s*+:\s*+\[\s*+(?:\{\s*+"name"\s*+:|"|\])'),
        lists=("messages",),
        text=("content", "text"),
        sender=("sender_name", "senderName"),
        date=("timestamp_ms", "timestamp"),
        kinds=(
            ("is_unsent", True, "deleted"),
            ("isUnsent", True, "deleted"),
            ("call_duration", _SET, "system"),
            *(("type", value, "system") for value in ("Call", "Subscribe", "Unsubscribe")),
            ("type", "placeholder", "system"),
            *((key, _SET, "media") for key in ("photos", "videos", "audio_files", "gifs", "files")),
            ("sticker", _SET, "media"),
            ("media", _SET, "media"),
        ),
        columns=("sent_at", "sender", "kind", "text"),
        is_latin1=True,
    ),
    Format.SIGNAL: Layout(
        begins=re.compile(
            r'\{\s*+"(?:version"\s*+:\s*+"?\d{1,9}"?\s*+,\s*+"backupTimeMs"'
            r'|account"\s*+:\s*+\{|recipient"\s*+:\s*+\{\s*+"id")'
        ),
        lists=("chatItem",),
        text=("standardMessage.text.body", "directStoryReplyMessage.textReply.text.body"),
        sender=("authorId",),
        date=("dateSent",),
        kinds=(
            ("revisions", _SET, "edited"),
            ("standardMessage.attachments", _SET, "media"),
            ("updateMessage", _SET, "system"),
            ("remoteDeletedMessage", _SET, "deleted"),
            ("stickerMessage", _SET, "sticker"),
            ("contactMessage", _SET, "contact"),
            ("viewOnceMessage", _SET, "viewOnce"),
        ),
        chat=("chatId",),
        columns=("sent_at", "chat", "sender", "kind", "text"),
    ),
}
# Those of a person or a group in Signal, as its owner sees them; the first that is known counts.
_NAMES = (
    ("group.snapshot.title.title",),
    ("contact.nickname.given", "contact.nickname.family"),
    ("contact.systemGivenName", "contact.systemFamilyName"),
    ("contact.profileGivenName", "contact.profileFamilyName"),
    ("contact.e164",),
    ("contact.username",),
    ("id",),
)


def chat_format(head: bytes) -> Format | None:
    """Return the program of which a file begins like an export."""
    text = head_text(head).lstrip()
    return next((one for one, layout in LAYOUTS.items() if layout.begins.match(text)), None)


def open_chat(source: Source, reading: Reading) -> Table:
    """Check that a file holds messages of chats; of Signal, collect who takes part in them."""
    layout, names = LAYOUTS[source.format], _Names()
    if source.format is Format.SIGNAL:
        lines = open_text(source, reading.encoding)
        dialect, elements = lines.dialect, partial(_items, partial(of_lines, lines), names)
    else:
        text, dialect = text_of(source, reading)
        paths = [path.split(".") for path in layout.lists]
        elements = partial(scanned, source.name, text, partial(_within, paths))
    n_messages = sum(1 for _ in elements())
    if not n_messages:
        line = f" holds no messages of a chat of {source.format.value}"
        raise fault(source.name, "no_chat", line)
    return Table(layout.columns, dialect, n_messages, partial(_rows, layout, elements, names))


def _within(paths: list[list[str]], scanner: Scanner) -> Iterator[Element]:
    """Yield the elements of the arrays at some paths; arrays on the way are entered."""
    if scanner.peek() == "[" and [] in paths:
        yield from scanner.elements()
    elif scanner.peek() == "[":
        for _ in scanner.items("[", "]"):
            yield from _within(paths, scanner)
    elif scanner.peek() == "{":
        for key in scanner.members():
            inner = [path[1:] for path in paths if path[:1] == [key]]
            yield from _within(inner, scanner) if inner else _passed_over(scanner)
    else:
        scanner.value()


def _passed_over(scanner: Scanner) -> Iterator[Element]:
    scanner.value()
    yield from ()


_Names: TypeAlias = dict[tuple[str, str], str]
"""The names of the recipients and chats of Signal, by their kind and id."""


def _items(frames: Callable[[], Iterator[Element]], names: _Names) -> Iterator[Element]:
    """Yield the items of chats among frames; those that name people are kept."""
    for line, frame, raw in frames():
        if isinstance(frame, str):
            yield line, frame, raw
        elif isinstance(frame.get("chatItem"), dict):
            yield line, frame["chatItem"], raw  # type: ignore[misc]
        elif (recipient := _at(frame, "recipient.id")) is not None:
            names["recipient", str(recipient)] = _name(_at(frame, "recipient"))
        elif (chat := _at(frame, "chat.id")) is not None:
            known = names.get(("recipient", str(_at(frame, "chat.recipientId"))), "")
            names["chat", str(chat)] = known


def _name(recipient: _Object) -> str:
    if "self" in recipient:
        return OWNER
    for paths in _NAMES:
        values = [_at(recipient, path) for path in paths]
        if any(values):
            return " ".join(str(value) for value in values if value)
    return ""


def _rows(
    layout: Layout, elements: Callable[[], Iterator[Element]], names: _Names
) -> Iterator[Row | Reject]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield Reject(line, found, raw)
            continue
        text = _text(_first(found, layout.text, ""))
        if text is None:
            yield Reject(line, "a text of another form", raw)
            continue
        sender = _first(found, layout.sender, "")
        chat = names.get(("chat", str(_first(found, layout.chat, ""))), "")
        if layout.chat:
            sender = names.get(("recipient", str(sender)), "")
        if layout.is_latin1:
            sender, text = _from_latin1(sender), _from_latin1(text)
        cells = {
            "id": _first(found, layout.id, None),
            "sent_at": _date(_first(found, layout.date, "")),
            "chat": chat,
            "sender": sender,
            "kind": _kind(found, layout),
            "text": text,
        }
        yield line, [cells[column] for column in layout.columns]


def _at(found: object, path: str) -> Any:  # noqa: ANN401
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _first(found: _Object, paths: tuple[str, ...], default: object) -> Any:  # noqa: ANN401
    values = (_at(found, path) for path in paths)
    return next((value for value in values if _is_set(value)), default)


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [])


def _kind(found: _Object, layout: Layout) -> str:
    for path, wanted, kind in layout.kinds:
        value = _at(found, path)
        if _is_set(value) if wanted is _SET else value == wanted:
            return kind
    return "message"


def _text(found: object) -> str | None:
    """Return the text of a message, None where it is in no known form."""
    parts = found if isinstance(found, list) else [found]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def _from_latin1(text: Any) -> Any:  # noqa: ANN401
    """Return text of which each byte in UTF-8 was written as a character; other text as it is."""
    try:
        return text.encode("latin-1").decode() if isinstance(text, str) else text
    except UnicodeError:
        return text


def _date(found: object) -> object:
    """Return milliseconds since 1970 as a date, and a date in words in ISO 8601, both in UTC."""
    moment = read_epoch(found)
    written = read_date(found) if moment is None and isinstance(found, str) else None
    if written and not written.part("month").isdecimal() and (in_words := written.moment):
        return in_words.replace(tzinfo=None).isoformat()
    return moment or found
