"""JSON: an object on each line, or an array of objects, which may lie within an object.

Of an array, keys of nested objects are paths such as ``message.body``; of lines, if one is named,
or objects alone stand where the text is looked for.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from triage.data import limits
from triage.data.columns import guess_column
from triage.data.dates import read_date, read_epoch
from triage.data.errors import MISSING, fault, number_of, words_of
from triage.data.table import CONTACT, OWNER, Content, Dialect, Format, OpenTable, Row
from triage.data.text import UNDECODED, TextFile, has_undecoded, open_text
from triage.settings import Reading

Element: TypeAlias = tuple[int, dict[str, object] | str, str]
"""An object: the line on which it starts, its values or its fault, and its JSON."""
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
    distinct = dict(pairs)
    if len(distinct) != len(pairs):
        raise ValueError(TWICE)
    return distinct


_decoder = json.JSONDecoder(
    object_pairs_hook=_distinct, parse_float=number_of, parse_constant=number_of
)


def open_json(source: Content, options: Reading) -> OpenTable:
    """Open objects, one a line or in an array; columns are all keys as they first occur."""
    elements: _Elements
    columns, has_paths, nothing = tuple[str, ...](), True, "no_messages.array"
    if source.format is Format.JSONL:
        lines = open_text(source, options.encoding)
        dialect, n_rows, elements = lines.dialect, lines.n_lines, partial(_of_lines, lines)
        columns, _ = _keys(elements)
        paths = {options.text_column, options.id_column} - {None, *columns}
        has_paths, nothing = any("." in str(name) for name in paths), "no_messages.lines"
        text = columns[guess_column(columns, "text") or 0] if columns else ""
        values = (one.get(text, {}) for _, one, _ in elements() if isinstance(one, dict))
        has_paths |= not options.text_column and all(isinstance(one, dict) for one in values)
    else:
        dialect, elements = _of_whole(source, options, _first_array)
    if has_paths:
        elements = partial(_flattened, elements)
        columns, n_rows = _keys(elements)
    if not columns:
        raise fault(nothing, source.name)

    def rows() -> Iterator[Row]:
        for line, element, raw in elements():
            if isinstance(element, str):
                yield line, [], element, raw
            else:
                yield line, [element.get(column, MISSING) for column in columns], "", raw

    return OpenTable(columns, dialect, n_rows, rows)


def _keys(elements: _Elements) -> tuple[tuple[str, ...], int]:
    """Return all keys, and how many elements; one that is null where others have paths is none."""
    filled, n_elements = dict[str, bool](), 0
    for _, element, _ in elements():
        n_elements += 1
        for key, value in element.items() if isinstance(element, dict) else ():
            filled[key] = value is not None or filled.get(key, False)
        if len(filled) > limits.MAX_COLUMNS:
            break
    with_paths = pairwise(sorted(filled, key=lambda key: key.split(".")))
    nulls = {key for key, path in with_paths if path.startswith(f"{key}.") and not filled[key]}
    return tuple(key for key in filled if key not in nulls), n_elements


def _flattened(elements: _Elements) -> Iterator[Element]:
    return ((line, flat(element), raw) for line, element, raw in elements())


def flat(element: dict[str, object] | str) -> dict[str, object] | str:
    """Return an object whose keys are the paths to its values, or its fault."""
    flat: dict[str, object] = {}
    pending = deque(() if isinstance(element, str) else element.items())
    while pending:
        path, value = pending.popleft()
        if isinstance(value, dict) and value:
            pending.extendleft((f"{path}.{key}", value[key]) for key in reversed(value))
        elif path in flat:
            return TWICE
        else:
            flat[path] = value
    return flat or element


def _of_lines(text: TextFile) -> Iterator[Element]:
    for number, line in enumerate(text.lines(), 1):
        if not line.isspace():
            yield number, UNDECODED if has_undecoded(line) else parsed(line), line.rstrip("\r\n")


def parsed(line: str) -> dict[str, object] | str:
    """Return the object in a line of JSON, or its fault."""
    try:
        return _checked(_decoder.decode(line), line)
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:
        return TWICE if error.args == (TWICE,) else "not JSON"


def _checked(value: object, raw: str) -> dict[str, object] | str:
    level: list[object] = [value]
    if raw.count("{") + raw.count("[") > limits.DEEPEST:
        for _ in range(limits.DEEPEST + 1):
            nested = [one for one in level if isinstance(one, dict | list)]
            level = [x for one in nested for x in (one.values() if isinstance(one, dict) else one)]
        if level:
            return TOO_DEEP
    return value if isinstance(value, dict) else "not a JSON object"


@dataclass
class Scanner:
    """A position in JSON, from which values are read one after the other; `line` is its line."""

    text: str
    position: int = 0
    line: int = 1
    _counted: int = field(default=0, repr=False)

    def peek(self) -> str:
        """Return the next character that is no white space; empty at the end."""
        if space := _SPACE.match(self.text, self.position):
            self.position = space.end()
        self.line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self.text[self.position : self.position + 1]

    def take(self, character: str) -> None:
        if self.peek() != character:
            raise ValueError(f"{character} expected")
        self.position += 1

    def value(self) -> object:
        self.peek()
        value, self.position = _decoder.raw_decode(self.text, self.position)
        return value

    def items(self) -> Iterator[str]:
        """Come to each value of an array or an object, for the caller to take, with its key."""
        is_array = self.peek() == "["
        self.take("[" if is_array else "{")
        closing = "]" if is_array else "}"
        while self.peek() != closing:
            key = "" if is_array else str(self.value())
            if not is_array:
                self.take(":")
                self.peek()
            yield key
            if self.peek() != closing:
                self.take(",")
        self.position += 1

    def elements(self) -> Iterator[Element]:
        for _ in self.items():
            start, line = self.position, self.line
            value = self.value()
            raw = self.text[start : self.position]
            yield line, UNDECODED if has_undecoded(raw) else _checked(value, raw), raw


def _of_whole(
    source: Content, options: Reading, find: Callable[[Scanner], Iterator[Element]]
) -> tuple[Dialect, _Elements]:
    """Return the dialect of JSON that is read whole, and the elements that `find` finds in it."""
    dialect = open_text(source, options.encoding).dialect
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
            if error.args == (TWICE,):
                raise fault("damaged.twice", source.name, line=scanner.line) from error
            raise fault("damaged.json", source.name, line=scanner.line) from error

    return dialect, elements


def _first_array(scanner: Scanner) -> Iterator[Element]:
    """Yield the elements of the array, or of the first of objects within an object."""
    if scanner.peek() == "[":
        yield from scanner.elements()
        if scanner.peek():
            raise ValueError("more than an array")
        return
    for _ in scanner.items():
        if ARRAY_OF_OBJECTS.match(scanner.text, scanner.position):
            yield from scanner.elements()
            return
        scanner.value()


def open_chat(source: Content, options: Reading) -> OpenTable:
    """Open the messages of a chat as chats.toml tells where a program keeps them."""
    export = _Export(words_of("chats")[source.format])
    elements: _Elements
    if source.format is Format.SIGNAL:
        lines = open_text(source, options.encoding)
        dialect, elements = lines.dialect, partial(export.items, lines)
    else:
        paths = [path.split(".") for path in export.layout["lists"]]
        dialect, elements = _of_whole(source, options, partial(export.elements_at, paths))
    n_messages = sum(1 for _ in elements())
    if not n_messages:
        raise fault("no_messages.export", source.name, program=source.format)
    columns = tuple(one for one in _CHAT_COLUMNS if one in export.layout or one == "kind")
    rows = partial(export.rows, columns, elements)

    def persons() -> list[tuple[str, str, str]]:
        return [(name, CONTACT, name) for name in export.persons if name not in (OWNER, "")]

    return OpenTable(columns, dialect, n_messages, rows, persons=persons)


@dataclass
class _Export:
    """The place where a program keeps its chats, and the names that it tells beside their messages.

    `names` are those of the recipients and chats of Signal, by their kind and id.
    """

    layout: dict[str, Any]
    persons: dict[str, None] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def add_persons(self, value: object) -> None:
        """Keep the names of people in a value or a list."""
        for person in value if isinstance(value, list) else [value]:
            name = person.get("name") if isinstance(person, dict) else person
            if isinstance(name, str):
                self.persons[_from_latin1(name) if "is_latin1" in self.layout else name] = None

    def elements_at(self, paths: list[list[str]], scanner: Scanner) -> Iterator[Element]:
        """Yield the elements of the arrays at some paths, and meet the people beside them."""
        first = scanner.peek()
        if first == "[" and [] in paths:
            yield from scanner.elements()
        elif first in ("[", "{") and paths:
            for key in scanner.items():
                if key in self.layout.get("persons", ()):
                    self.add_persons(scanner.value())
                    continue
                inner = [path[1:] for path in paths if path[:1] == [key]]
                yield from self.elements_at(paths if first == "[" else inner, scanner)
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
                names = ([_at(person, path) for path in paths] for paths in ways)
                full_names = (" ".join(str(one) for one in parts if one) for parts in names)
                name = OWNER if "self" in person else next(filter(None, full_names), "")
                self.names["recipient", str(id_)] = name
                self.add_persons(name)
            elif (chat := _at(frame, "chat.id")) is not None:
                name = self.names.get(("recipient", str(_at(frame, "chat.recipientId"))), "")
                self.names["chat", str(chat)] = name

    def rows(self, columns: Sequence[str], elements: _Elements) -> Iterator[Row]:
        layout = self.layout
        for line, element, raw in elements():
            if isinstance(element, str):
                yield line, [], element, raw
                continue
            for path in layout.get("members", ()):
                self.add_persons(_at(element, path))
            cells: dict[str, Any] = {}
            for column in columns:
                values = (_at(element, path) for path in layout.get(column, ()))
                cells[column] = next(filter(_is_set, values), None if column == "id" else "")
            kinds = (
                k
                for path, wanted, k in layout["kinds"]
                if (value := _at(element, path)) == wanted or (wanted == "*" and _is_set(value))
            )
            cells |= {"kind": next(kinds, "message"), "text": _text(cells["text"])}
            if "chat" in columns:
                cells["chat"] = self.names.get(("chat", str(cells["chat"])), "")
                cells["sender"] = self.names.get(("recipient", str(cells["sender"])), "")
            if "is_latin1" in layout:
                cells |= {name: _from_latin1(cells[name]) for name in ("sender", "text")}
            cells["sent_at"] = _date(cells["sent_at"])
            problem = "a text of another form" if cells["text"] is None else ""
            yield line, [*cells.values()], problem, raw


def _at(value: object, path: str) -> Any:  # noqa: ANN401
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [])


def _text(value: object) -> str | None:
    """Return the text of a message, None where it is in no known form."""
    parts = value if isinstance(value, list) else [value]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def _from_latin1(text: Any) -> Any:  # noqa: ANN401
    """Return text of which each byte in UTF-8 was written as a character; other text as it is."""
    try:
        return text.encode("latin-1").decode() if isinstance(text, str) else text
    except UnicodeError:
        return text


def _date(value: object) -> object:
    """Return milliseconds since 1970 as a date, and a date in words in ISO 8601, both in UTC."""
    moment = read_epoch(value)
    written = read_date(value) if moment is None and isinstance(value, str) else None
    if written and not written.part("month").isdecimal() and (in_words := written.moment):
        return in_words.replace(tzinfo=None).isoformat()
    return moment or value
