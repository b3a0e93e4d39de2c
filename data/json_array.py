"""JSON files: an array of objects, also within an object, read element by element.

The objects are flattened: a key of a nested one is a path, such as ``message.body``.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, TypeAlias

from triage.data.columns import check_columns, find_text
from triage.data.errors import DataError
from triage.data.jsonl import TOO_DEEP, JsonlWriter, distinct, flat, is_deep, keys_of
from triage.data.limits import DEEPEST, LARGEST_JSON
from triage.data.table import Dialect, Options, Page, Reject, Row, Source, Table
from triage.data.text import UNDECODED, has_undecoded, head_text, open_text
from triage.data.values import MISSING

_SPACE = re.compile(r"[ \t\r\n]*+")
_ARRAY_OF_OBJECTS = re.compile(r"\[[ \t\r\n]*+\{")
_decode = json.JSONDecoder(object_pairs_hook=distinct).raw_decode

Element: TypeAlias = tuple[int, dict[str, object] | str, str]
"""An element: the line on which it starts, the object or what is wrong with it, and its JSON."""


@dataclass
class Scanner:
    """A place in JSON, from which values are taken one after the other; `line` is its line."""

    text: str
    at: int = 0
    line: int = 1
    _counted: int = field(default=0, repr=False)

    def peek(self) -> str:
        """Return the next character that is no white space; empty at the end."""
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        self.line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self.text[self.at : self.at + 1]

    def take(self, character: str) -> None:
        """Take a character, or raise ValueError."""
        if self.peek() != character:
            raise ValueError(f"{character} expected")
        self.at += 1

    def value(self) -> object:
        """Take a value, or raise ValueError or RecursionError."""
        self.peek()
        found, self.at = _decode(self.text, self.at)
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
        """Take each element of an array."""
        for _ in self.items("[", "]"):
            self.peek()
            start, line = self.at, self.line
            found = self.value()
            raw = self.text[start : self.at]
            yield line, _checked(found, raw), raw


def _checked(found: object, raw: str) -> dict[str, object] | str:
    if not isinstance(found, dict):
        return "not a JSON object"
    if raw.count("{") + raw.count("[") > DEEPEST and is_deep(found):
        return TOO_DEEP
    return UNDECODED if not raw.isascii() and has_undecoded(raw) else found


def text_of(source: Source, options: Options) -> tuple[str, Dialect]:
    """Return the whole content of a JSON file."""
    dialect = open_text(source, options.encoding).dialect
    source.file.seek(0)
    content = source.file.read(LARGEST_JSON + 1)
    if len(content) > LARGEST_JSON:
        raise DataError(
            f"{source.name} has more than {LARGEST_JSON:,} bytes: write JSON Lines",
            "large_json",
            file=source.name,
        )
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
        raise DataError(
            f"{name}, line {scanner.line}: {TOO_DEEP}", "nested", file=name, line=scanner.line
        ) from error
    except ValueError as error:
        raise DataError(
            f"{name}, line {scanner.line}: it is not JSON (damaged or cut short)",
            "not_json",
            file=name,
            line=scanner.line,
        ) from error


def is_json(head: bytes) -> bool:
    """Return whether a file begins like an array of objects, or an object over several lines."""
    text = head_text(head).lstrip()
    first, end, _ = text.partition("\n")
    is_cut = text.startswith("{") and bool(end) and not first.rstrip().endswith("}")
    return is_cut or _ARRAY_OF_OBJECTS.match(text) is not None


def open_json(source: Source, options: Options) -> Table:
    """Collect the keys of the objects, in the order in which they first occur."""
    text, dialect = text_of(source, options)
    elements = partial(_elements, source.name, text)
    columns = keys_of(found for _, found, _ in elements())
    if not columns:
        raise DataError(
            f"{source.name} holds no array of JSON objects with keys",
            "no_objects",
            file=source.name,
        )
    check_columns(columns, source.name)
    key = columns[find_text(columns, options.text_column, source.name)]
    n_rows = sum(1 for _ in elements())
    return Table(columns, dialect, n_rows, partial(_rows, elements, columns, key))


def _elements(name: str, text: str) -> Iterator[Element]:
    for line, found, raw in scanned(name, text, _array):
        yield line, found if isinstance(found, str) else flat(found), raw


def _array(scanner: Scanner) -> Iterator[Element]:
    """Yield the elements of the array, or of the first of objects within an object."""
    if scanner.peek() == "[":
        yield from scanner.elements()
        if scanner.peek():
            raise ValueError("more than an array")
        return
    for _ in scanner.members():
        if _ARRAY_OF_OBJECTS.match(scanner.text, scanner.at):
            yield from scanner.elements()
            return
        scanner.value()


def _rows(
    elements: Callable[[], Iterator[Element]], columns: Sequence[str], key: str
) -> Iterator[Row | Reject]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield Reject(line, found, raw)
        elif key not in found:
            yield Reject(line, f"no key {key!r}", raw)
        else:
            yield line, [found.get(column, MISSING) for column in columns]


def open_chat(
    source: Source,
    options: Options,
    columns: tuple[str, ...],
    find: Callable[[Scanner], Iterator[Element]],
    cells_of: Callable[[dict[str, object]], list[object] | None],
) -> Table:
    """Open an export of a program that keeps messages as objects, which `find` finds."""
    text, dialect = text_of(source, options)
    elements = partial(scanned, source.name, text, find)
    n_messages = sum(1 for _ in elements())
    if not n_messages:
        raise DataError(
            f"{source.name} holds no messages of a chat of {source.format.value}",
            "no_chat",
            file=source.name,
        )
    return Table(columns, dialect, n_messages, partial(_messages, elements, cells_of))


def _messages(
    elements: Callable[[], Iterator[Element]],
    cells_of: Callable[[dict[str, object]], list[object] | None],
) -> Iterator[Row | Reject]:
    for line, found, raw in elements():
        if isinstance(found, str):
            yield Reject(line, found, raw)
        elif (cells := cells_of(found)) is None:
            yield Reject(line, "a text of another form", raw)
        else:
            yield line, cells


class JsonWriter(JsonlWriter):
    """Writer of an array with an object a line."""

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        super().__init__(file, columns, replace(dialect, line_terminator="\n"))
        self._is_begun = False

    def add(self, page: Page) -> None:
        """Write a page, and what comes between it and the one before."""
        if page.n_rows:
            self._file.write(b",\n" if self._is_begun else b"[\n")
            self._is_begun = True
            # Line ends are only where objects end: within them they are escaped.
            self._file.write(page.content.rstrip().replace(b"\n", b",\n"))

    def finish(self) -> None:
        """Close the array."""
        self._file.write(b"\n]\n" if self._is_begun else b"[]\n")
