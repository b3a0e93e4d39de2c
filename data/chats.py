"""Chats that programs export as JSON: chats.toml tells where each keeps its messages.

*Telegram* Desktop writes a chat with its messages, or a list of chats; the text of a message is a
string, or a list of strings and of objects with a text of their own, such as links. *Signal*
writes a frame of its backup on each line: recipients and chats come before the items that name
them by their ids. *Google Chat* is ``messages.json`` of Google Takeout. *Messenger* and *Instagram*
write ``message_1.json``, the latest message first.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from triage.data.dates import read_date, read_epoch
from triage.data.errors import fault, words_of
from triage.data.objects import Element, Scanner, of_lines, scanned, text_of
from triage.data.table import CONTACT, OWNER, Format, Reject, Row, Source, Table
from triage.data.text import TextFile, open_text
from triage.settings import Reading

_COLUMNS = ("id", "sent_at", "chat", "sender", "kind", "text")
_Layout: TypeAlias = dict[str, Any]
_Names: TypeAlias = dict[tuple[str, str], str]
"""The names of the recipients and chats of Signal, by their kind and id."""


def open_chat(source: Source, reading: Reading) -> Table:
    """Check that a file holds messages of chats; of Signal, collect who takes part in them."""
    layout = words_of("chats")[source.format.value]
    names: _Names = {}
    persons: dict[str, None] = {}
    if source.format is Format.SIGNAL:
        lines = open_text(source, reading.encoding)
        dialect, elements = lines.dialect, partial(_items, lines, names)
    else:
        text, dialect = text_of(source, reading)
        persons.update(dict.fromkeys(_participants(text, layout)))
        paths = [path.split(".") for path in layout["lists"]]
        elements = partial(scanned, source.name, text, partial(_within, paths))
    n_messages = sum(1 for _ in elements())
    if not n_messages:
        line = f" holds no messages of a chat of {source.format.value}"
        raise fault(source.name, "no_messages", line)
    columns = tuple(one for one in _COLUMNS if one in layout or one == "kind")
    rows = partial(_rows, layout, columns, elements, names, persons)
    contacts = lambda: [  # noqa: E731
        (name, CONTACT, name)
        for name in [*persons, *(name for (kind, _), name in names.items() if kind == "recipient")]
        if name and name != OWNER
    ]
    return Table(columns, dialect, n_messages, rows, persons=contacts)


def _participants(text: str, layout: _Layout) -> Iterator[str]:
    """Yield the names of people in what stands before the messages."""
    scanner = Scanner(text)
    with suppress(ValueError, RecursionError):
        for key in scanner.members() if layout.get("persons") else ():
            if [key] in [path.split(".")[:1] for path in layout["lists"]]:
                return
            found = scanner.value()
            if key in layout["persons"]:
                yield from _names_in(found, layout)


def _names_in(found: object, layout: _Layout) -> Iterator[str]:
    for one in found if isinstance(found, list) else [found]:
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str):
            yield _from_latin1(name) if "is_latin1" in layout else name


def _within(paths: list[list[str]], scanner: Scanner) -> Iterator[Element]:
    """Yield the elements of the arrays at some paths; arrays on the way are entered."""
    if scanner.peek() == "[" and [] in paths:
        yield from scanner.elements()
    elif scanner.peek() == "[" and paths:
        for _ in scanner.items("[", "]"):
            yield from _within(paths, scanner)
    elif scanner.peek() == "{" and paths:
        for key in scanner.members():
            yield from _within([path[1:] for path in paths if path[:1] == [key]], scanner)
    else:
        scanner.value()


def _items(lines: TextFile, names: _Names) -> Iterator[Element]:
    """Yield the items of chats among frames; those that name people are kept."""
    for line, frame, raw in of_lines(lines):
        if isinstance(frame, str):
            yield line, frame, raw
        elif isinstance(item := frame.get("chatItem"), dict):
            yield line, item, raw
        elif (recipient := _at(frame, "recipient.id")) is not None:
            names["recipient", str(recipient)] = _name(_at(frame, "recipient"))
        elif (chat := _at(frame, "chat.id")) is not None:
            known = names.get(("recipient", str(_at(frame, "chat.recipientId"))), "")
            names["chat", str(chat)] = known


def _name(recipient: dict[str, Any]) -> str:
    if "self" in recipient:
        return OWNER
    known = [
        [_at(recipient, path) for path in paths] for paths in words_of("chats")["signal"]["names"]
    ]
    return next((" ".join(str(one) for one in parts if one) for parts in known if any(parts)), "")


def _rows(
    layout: _Layout,
    columns: Sequence[str],
    elements: Callable[[], Iterator[Element]],
    names: _Names,
    persons: dict[str, None],
) -> Iterator[Row | Reject]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield Reject(line, found, raw)
            continue
        for path in layout.get("members", ()):
            persons.update(dict.fromkeys(_names_in(_at(found, path), layout)))
        cells = {column: _first(found, layout.get(column, ()), "") for column in columns}
        cells |= {"kind": _kind(found, layout), "text": _text(cells["text"])}
        if cells["text"] is None:
            yield Reject(line, "a text of another form", raw)
            continue
        if "id" in columns:
            cells["id"] = _first(found, layout["id"], None)
        if "chat" in columns:
            cells["chat"] = names.get(("chat", str(cells["chat"])), "")
            cells["sender"] = names.get(("recipient", str(cells["sender"])), "")
        if "is_latin1" in layout:
            cells |= {name: _from_latin1(cells[name]) for name in ("sender", "text")}
        cells["sent_at"] = _date(cells["sent_at"])
        yield line, [*cells.values()]


def _at(found: object, path: str) -> Any:  # noqa: ANN401
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _first(found: object, paths: Sequence[str], default: object) -> Any:  # noqa: ANN401
    return next((value for path in paths if _is_set(value := _at(found, path))), default)


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [])


def _kind(found: object, layout: _Layout) -> str:
    for path, wanted, kind in layout["kinds"]:
        value = _at(found, path)
        if _is_set(value) if wanted == "*" else value == wanted:
            return str(kind)
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
