"""JSON: an object on each line, or an array of objects, which may lie within an object.

Of an array, keys of nested objects are paths such as ``message.body``; of lines, if one is named.
Of chats that programs export as JSON, chats.toml tells where each keeps its messages.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from triage.data import limits
from triage.data.dates import read_date, read_epoch
from triage.data.errors import MISSING, fault, words_of
from triage.data.table import CONTACT, OWNER, Content, Dialect, Format, OpenTable, Row
from triage.data.text import UNDECODED, TextFile, has_undecoded, open_text
from triage.settings import Reading

Element: TypeAlias = tuple[int, dict[str, object] | str, str]
"""An object: the line on which it starts, what it holds or what is wrong with it, and its JSON."""
_Elements: TypeAlias = Callable[[], Iterator[Element]]
TWICE = "a key that comes twice"
TOO_DEEP = f"lists and objects nested more than {limits.DEEPEST} deep"
_SPACE = re.compile(r"[ \t\r\n]*+")
ARRAY_OF_OBJECTS = re.compile(r"\[[ \t\r\n]*+\{")
# Such an array, or an object that begins with one.
BEGINS_WITH_ARRAY = re.compile(
    rf'(?:\{{\s{{0,9}}+"[^"\\]{{0,99}}+"\s{{0,9}}+:\s{{0,9}}+)?{ARRAY_OF_OBJECTS.pattern}'
)
_CHAT_COLUMNS = ("id", "sent_at", "chat", "sender", "kind", "text")


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object unless one of its values would be lost."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(TWICE)
    return found


_decoder = json.JSONDecoder(object_pairs_hook=_distinct)


def open_json(source: Content, reading: Reading) -> OpenTable:
    """Open objects, one a line or in an array; columns are all keys as they first occur."""
    elements: _Elements
    if source.format is Format.JSONL:
        lines = open_text(source, reading.encoding)
        dialect, n_rows, elements = lines.dialect, lines.n_lines, partial(_of_lines, lines)
        columns, _ = _keys(elements)
        named = {reading.text_column, reading.id_column} - {None, *columns}
        has_paths = any("." in str(name) for name in named)
        nothing = "no_messages.lines"
    else:
        dialect, elements = _of_whole(source, reading, _first_array)
        columns, has_paths = (), True
        nothing = "no_messages.array"
    if has_paths:
        elements = partial(_flat, elements)
        columns, n_rows = _keys(elements)
    if not columns:
        raise fault(nothing, source.name)
    return OpenTable(columns, dialect, n_rows, partial(_rows, elements, columns))


def _keys(elements: _Elements) -> tuple[tuple[str, ...], int]:
    keys: dict[str, None] = {}
    n_elements = 0
    for _, found, _ in elements():
        n_elements += 1
        if isinstance(found, dict):
            keys.update(dict.fromkeys(found))
            if len(keys) > limits.MOST_COLUMNS:
                break
    return tuple(keys), n_elements


def _rows(elements: _Elements, columns: Sequence[str]) -> Iterator[Row]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield line, [], found, raw
        else:
            yield line, [found.get(column, MISSING) for column in columns], "", raw


def _flat(elements: _Elements) -> Iterator[Element]:
    def paths(prefix: str, found: dict[str, object]) -> Iterator[tuple[str, object]]:
        for key, value in found.items():
            if isinstance(value, dict) and value:
                yield from paths(f"{prefix}{key}.", value)
            else:
                yield f"{prefix}{key}", value

    for line, found, raw in elements():
        pairs = [] if isinstance(found, str) else [*paths("", found)]
        flat = dict(pairs)
        yield line, TWICE if len(flat) < len(pairs) else flat or found, raw


def _of_lines(text: TextFile) -> Iterator[Element]:
    for number, line in enumerate(text.lines(), 1):
        if not line.isspace():
            yield number, UNDECODED if has_undecoded(line) else parsed(line), line.rstrip("\r\n")


def parsed(line: str) -> dict[str, object] | str:
    """Return the object in a line of JSON, or what is wrong with it."""
    try:
        return _checked(_decoder.decode(line), line)
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:
        return TWICE if error.args == (TWICE,) else "not JSON"


def _checked(found: object, raw: str) -> dict[str, object] | str:
    if raw.count("{") + raw.count("[") > limits.DEEPEST and _is_deep(found):
        return TOO_DEEP
    return found if isinstance(found, dict) else "not a JSON object"


def _is_deep(value: object, depth: int = 0) -> bool:
    if not isinstance(value, dict | list) or depth > limits.DEEPEST:
        return depth > limits.DEEPEST
    return any(
        _is_deep(one, depth + 1) for one in (value.values() if isinstance(value, dict) else value)
    )


@dataclass
class Scanner:
    """A place in JSON, from which values are taken one after the other; `line` is its line."""

    text: str
    at: int = 0
    line: int = 1
    _counted: int = field(default=0, repr=False)

    def peek(self) -> str:
        """Return the next character that is no white space; empty at the end."""
        if space := _SPACE.match(self.text, self.at):
            self.at = space.end()
        self.line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self.text[self.at : self.at + 1]

    def take(self, character: str) -> None:
        if self.peek() != character:
            raise ValueError(f"{character} expected")
        self.at += 1

    def value(self) -> object:
        self.peek()
        found, self.at = _decoder.raw_decode(self.text, self.at)
        return found

    def items(self, opening: str, closing: str) -> Iterator[None]:
        """Come to each item of an array or an object, for the caller to take."""
        self.take(opening)
        while self.peek() != closing:
            yield
            if self.peek() != closing:
                self.take(",")
        self.take(closing)

    def members(self) -> Iterator[str]:
        """Take each key of an object, and come to its value, for the caller to take."""
        for _ in self.items("{", "}"):
            key = str(self.value())
            self.take(":")
            self.peek()
            yield key

    def elements(self) -> Iterator[Element]:
        for _ in self.items("[", "]"):
            start, line = self.at, self.line
            found = self.value()
            raw = self.text[start : self.at]
            yield line, UNDECODED if has_undecoded(raw) else _checked(found, raw), raw


def _of_whole(
    source: Content, reading: Reading, find: Callable[[Scanner], Iterator[Element]]
) -> tuple[Dialect, _Elements]:
    """Return the dialect of JSON that is read whole, and the elements that `find` finds in it."""
    dialect = open_text(source, reading.encoding).dialect
    source.file.seek(0)
    content = source.file.read(limits.LARGEST_JSON + 1)
    if len(content) > limits.LARGEST_JSON:
        raise fault("large.json", source.name, most=limits.LARGEST_JSON)
    text = content.decode(dialect.encoding, "surrogateescape").removeprefix("\ufeff")

    def elements() -> Iterator[Element]:
        scanner = Scanner(text)
        try:
            yield from find(scanner)
        except RecursionError as error:
            raise fault("nested", source.name, line=scanner.line, problem=TOO_DEEP) from error
        except ValueError as error:
            raise fault("damaged.json", source.name, line=scanner.line) from error

    return dialect, elements


def _first_array(scanner: Scanner) -> Iterator[Element]:
    """Yield the elements of the array, or of the first of objects within an object."""
    if scanner.peek() == "[":
        yield from scanner.elements()
        if scanner.peek():
            raise ValueError("more than an array")
        return
    for _ in scanner.members():
        if ARRAY_OF_OBJECTS.match(scanner.text, scanner.at):
            yield from scanner.elements()
            return
        scanner.value()


def open_chat(source: Content, reading: Reading) -> OpenTable:
    """Check that a file holds messages of chats; of Signal, collect who takes part in them."""
    export = _Export(words_of("chats")[source.format.value])
    elements: _Elements
    if source.format is Format.SIGNAL:
        lines = open_text(source, reading.encoding)
        dialect, elements = lines.dialect, partial(export.items, lines)
    else:
        paths = [path.split(".") for path in export.layout["lists"]]
        dialect, elements = _of_whole(source, reading, partial(export.within, paths))
    n_messages = sum(1 for _ in elements())
    if not n_messages:
        raise fault("no_messages.export", source.name, program=source.format.value)
    columns = tuple(one for one in _CHAT_COLUMNS if one in export.layout or one == "kind")
    rows = partial(export.rows, columns, elements)
    return OpenTable(columns, dialect, n_messages, rows, persons=export.contacts)


@dataclass
class _Export:
    """The place where a program keeps its chats, and the names that it tells beside their messages.

    `names` are those of the recipients and chats of Signal, by their kind and id.
    """

    layout: dict[str, Any]
    persons: dict[str, None] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def contacts(self) -> list[tuple[str, str, str]]:
        return [(name, CONTACT, name) for name in self.persons if name and name != OWNER]

    def meet(self, found: object) -> None:
        """Keep the names of people in a value or a list."""
        for one in found if isinstance(found, list) else [found]:
            name = one.get("name") if isinstance(one, dict) else one
            if isinstance(name, str):
                self.persons[_from_latin1(name) if "is_latin1" in self.layout else name] = None

    def within(self, paths: list[list[str]], scanner: Scanner) -> Iterator[Element]:
        """Yield the elements of the arrays at some paths, and meet the people beside them."""
        if scanner.peek() == "[" and [] in paths:
            yield from scanner.elements()
        elif scanner.peek() == "[" and paths:
            for _ in scanner.items("[", "]"):
                yield from self.within(paths, scanner)
        elif scanner.peek() == "{" and paths:
            for key in scanner.members():
                if key in self.layout.get("persons", ()):
                    self.meet(scanner.value())
                    continue
                yield from self.within([path[1:] for path in paths if path[:1] == [key]], scanner)
        else:
            scanner.value()

    def items(self, lines: TextFile) -> Iterator[Element]:
        """Yield the items of chats among frames; those that name people are kept."""
        for line, frame, raw in _of_lines(lines):
            if isinstance(frame, str):
                yield line, frame, raw
            elif isinstance(item := frame.get("chatItem"), dict):
                yield line, item, raw
            elif (id_ := _at(frame, "recipient.id")) is not None:
                person, ways = _at(frame, "recipient"), self.layout["names"]
                known = ([_at(person, path) for path in paths] for paths in ways)
                called = (" ".join(str(one) for one in parts if one) for parts in known)
                name = OWNER if "self" in person else next(filter(None, called), "")
                self.names["recipient", str(id_)] = name
                self.meet(name)
            elif (chat := _at(frame, "chat.id")) is not None:
                known_as = self.names.get(("recipient", str(_at(frame, "chat.recipientId"))), "")
                self.names["chat", str(chat)] = known_as

    def rows(self, columns: Sequence[str], elements: _Elements) -> Iterator[Row]:
        layout = self.layout
        for line, found, raw in elements():
            if isinstance(found, str):
                yield line, [], found, raw
                continue
            for path in layout.get("members", ()):
                self.meet(_at(found, path))
            paths = {column: layout.get(column, ()) for column in columns}
            cells = {c: _first(found, at, None if c == "id" else "") for c, at in paths.items()}
            cells |= {"kind": _kind(found, layout), "text": _text(cells["text"])}
            if "chat" in columns:
                cells["chat"] = self.names.get(("chat", str(cells["chat"])), "")
                cells["sender"] = self.names.get(("recipient", str(cells["sender"])), "")
            if "is_latin1" in layout:
                cells |= {name: _from_latin1(cells[name]) for name in ("sender", "text")}
            cells["sent_at"] = _date(cells["sent_at"])
            problem = "a text of another form" if cells["text"] is None else ""
            yield line, [*cells.values()], problem, raw


def _at(found: object, path: str) -> Any:  # noqa: ANN401
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [])


def _first(found: object, paths: Sequence[str], default: object) -> Any:  # noqa: ANN401
    return next((value for path in paths if _is_set(value := _at(found, path))), default)


def _kind(found: object, layout: dict[str, Any]) -> str:
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
