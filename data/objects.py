"""JSON: an object on each line, or an array of objects, which may lie within an object.

Of an array, keys of nested objects are paths such as ``message.body``; of lines, if one is named.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from triage.data import limits
from triage.data.columns import check_columns, find_text
from triage.data.errors import MISSING, fault
from triage.data.table import Dialect, Format, Page, Reject, Row, Source, Table, Writer
from triage.data.text import UNDECODED, TextFile, has_undecoded, open_text
from triage.settings import Reading

Element: TypeAlias = tuple[int, dict[str, object] | str, str]
"""An object: the line on which it starts, what it holds or what is wrong with it, and its JSON."""
_Elements: TypeAlias = Callable[[], Iterator[Element]]
TWICE = "a key that comes twice"
TOO_DEEP = f"lists and objects nested more than {limits.DEEPEST} deep"
_SPACE = re.compile(r"[ \t\r\n]*+")
ARRAY_OF_OBJECTS = re.compile(r"\[[ \t\r\n]*+\{")


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object unless one of its values would be lost."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(TWICE)
    return found


_decoder = json.JSONDecoder(object_pairs_hook=_distinct)


def open_json(source: Source, reading: Reading) -> Table:
    """Open objects, one a line or in an array; columns are all keys as they first occur."""
    if source.format is Format.JSONL:
        lines = open_text(source, reading.encoding)
        dialect, n_rows, elements = lines.dialect, lines.n_lines, partial(of_lines, lines)
        columns, _ = _keys(elements)
        named = {reading.text_column, reading.id_column} - {None, *columns}
        has_paths = any("." in str(name) for name in named)
        problem = " has no line that is a JSON object with keys"
    else:
        text, dialect = text_of(source, reading)
        elements = partial(scanned, source.name, text, _first_array)
        columns, has_paths = (), True
        problem = " holds no array of JSON objects with keys"
    if has_paths:
        elements = partial(_flat, elements)
        columns, n_rows = _keys(elements)
    if not columns:
        raise fault(source.name, "no_messages", problem)
    check_columns(columns, source.name)
    key = columns[find_text(columns, reading.text_column, source.name)]
    return Table(columns, dialect, n_rows, partial(_rows, elements, columns, key))


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


def _rows(elements: _Elements, columns: Sequence[str], key: str) -> Iterator[Row | Reject]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield Reject(line, found, raw)
        elif key not in found:
            yield Reject(line, f"no key {key!r}", raw)
        else:
            yield line, [found.get(column, MISSING) for column in columns]


def _flat(elements: _Elements) -> Iterator[Element]:
    for line, found, raw in elements():
        pairs = [] if isinstance(found, str) else [*_paths("", found)]
        flat = dict(pairs)
        yield line, TWICE if len(flat) < len(pairs) else flat or found, raw


def _paths(prefix: str, found: dict[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in found.items():
        if isinstance(value, dict) and value:
            yield from _paths(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value


def of_lines(text: TextFile) -> Iterator[Element]:
    lines = text.lines()
    for line in lines:
        if not line.isspace():
            found = UNDECODED if has_undecoded(line) else parsed(line)
            yield lines.first, found, lines.raw()
        lines.start()


def parsed(line: str) -> dict[str, object] | str:
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
    inner = value.values() if isinstance(value, dict) else value
    return any(_is_deep(one, depth + 1) for one in inner)


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
            self.peek()
            start, line = self.at, self.line
            found = self.value()
            raw = self.text[start : self.at]
            yield line, UNDECODED if has_undecoded(raw) else _checked(found, raw), raw


def text_of(source: Source, reading: Reading) -> tuple[str, Dialect]:
    dialect = open_text(source, reading.encoding).dialect
    source.file.seek(0)
    content = source.file.read(limits.LARGEST_JSON + 1)
    if len(content) > limits.LARGEST_JSON:
        line = f" has more than {limits.LARGEST_JSON:,} bytes: write JSON Lines"
        raise fault(source.name, "large", line)
    text = content.decode(dialect.encoding, "surrogateescape")
    return text.removeprefix("\ufeff"), dialect


def scanned(
    name: str, text: str, find: Callable[[Scanner], Iterator[Element]]
) -> Iterator[Element]:
    """Yield the elements that `find` finds; raise what is wrong with the JSON as `DataError`."""
    scanner = Scanner(text)
    try:
        yield from find(scanner)
    except RecursionError as error:
        line = f", line {scanner.line}: {TOO_DEEP}"
        raise fault(name, "nested", line, line=scanner.line) from error
    except ValueError as error:
        line = f", line {scanner.line}: it is not JSON (damaged or cut short)"
        raise fault(name, "damaged", line, line=scanner.line) from error


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


class JsonlWriter(Writer):
    """Writer of each row as an object; a `MISSING` cell leaves its key out."""

    def page(self, rows: Sequence[Sequence[object]], first: int) -> Page:  # noqa: ARG002
        ending = self._dialect.line_terminator.encode()
        objects = (dict(zip(self._columns, row, strict=True)) for row in rows)
        return Page(len(rows), None, b"".join([line_of(one) + ending for one in objects]))


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode


def line_of(found: dict[str, object]) -> bytes:
    """Return an object as a line of UTF-8, without its end and keys that are `MISSING`."""
    found = {key: value for key, value in found.items() if value is not MISSING}
    # The backslash form of a lone surrogate is its JSON escape.
    return _encode(found).encode("utf-8", "backslashreplace")


class JsonWriter(JsonlWriter):
    def begin(self) -> None:
        self._dialect = replace(self._dialect, line_terminator="\n")
        self._is_begun = False

    def add(self, page: Page, first: int) -> None:  # noqa: ARG002
        if page.n_rows:
            self._file.write(b",\n" if self._is_begun else b"[\n")
            self._is_begun = True
            # Line ends are only where objects end: within them they are escaped.
            self._file.write(page.content.rstrip().replace(b"\n", b",\n"))

    def finish(self) -> None:
        self._file.write(b"\n]\n" if self._is_begun else b"[]\n")
