"""JSON Lines files: an object on each line, read as a stream and written as UTF-8."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from triage.data.columns import check_columns, find_text
from triage.data.errors import DataError
from triage.data.limits import DEEPEST, MOST_COLUMNS
from triage.data.table import Options, Page, Reject, Row, Source, Table, TextWriter
from triage.data.text import UNDECODED, Lines, TextFile, head_text, open_text
from triage.data.values import MISSING

_Objects: TypeAlias = Callable[[Lines], Iterator[dict[str, object] | str]]
"""Yields the object of each line, or the fault of the line."""
TWICE = "a key that comes twice"
TOO_DEEP = f"lists and objects nested more than {DEEPEST} deep"


def is_jsonl(head: bytes) -> bool:
    """Return whether a file begins like an object."""
    return head_text(head).lstrip().startswith("{")


def open_jsonl(source: Source, options: Options) -> Table:
    """Collect the keys of a JSON Lines file, in the order in which they first occur."""
    text = open_text(source, options.encoding)
    find: _Objects = objects
    columns = _columns(text, find)
    if not columns:
        raise DataError(
            f"{source.name} has no line that is a JSON object with keys",
            "no_objects",
            file=source.name,
        )
    named = {options.text_column, options.id_column} - {None, *columns}
    if any("." in str(name) for name in named):
        find = _flat_objects
        columns = _columns(text, find)
    check_columns(columns, source.name)
    key = columns[find_text(columns, options.text_column, source.name)]
    return Table(columns, text.dialect, text.n_lines, partial(_rows, text, find, columns, key))


def _columns(text: TextFile, find: _Objects) -> tuple[str, ...]:
    with text.lines() as lines:
        return keys_of(find(lines))


def keys_of(found: Iterable[dict[str, object] | str]) -> tuple[str, ...]:
    """Return the keys of objects, among which are the faults of those that are none."""
    keys: dict[str, None] = {}
    for one in found:
        if isinstance(one, dict):
            keys.update(dict.fromkeys(one))
            if len(keys) > MOST_COLUMNS:
                break
    return tuple(keys)


def _rows(
    text: TextFile, find: _Objects, columns: Sequence[str], key: str
) -> Iterator[Row | Reject]:
    """Yield the objects that hold the text, with `MISSING` for keys that they lack."""
    with text.lines() as lines:
        for found in find(lines):
            if isinstance(found, str):
                yield Reject(lines.first, found, lines.raw())
            elif key not in found:
                yield Reject(lines.first, f"no key {key!r}", lines.raw())
            else:
                yield lines.first, [found.get(column, MISSING) for column in columns]


def objects(lines: Lines) -> Iterator[dict[str, object] | str]:
    """Yield each line's object, or the fault of the line."""
    lines.start()
    for line in lines:
        if not line.isspace():
            yield _object(line, lines)
        lines.start()


def _flat_objects(lines: Lines) -> Iterator[dict[str, object] | str]:
    for found in objects(lines):
        yield found if isinstance(found, str) else flat(found)


def flat(found: dict[str, object]) -> dict[str, object] | str:
    """Return an object with the paths of nested ones as its keys, or what prevents that."""
    pairs = list(_paths("", found))
    flattened = dict(pairs)
    return flattened if len(flattened) == len(pairs) else TWICE


def _paths(prefix: str, found: dict[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in found.items():
        if isinstance(value, dict) and value:
            yield from _paths(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value


def _object(line: str, lines: Lines) -> dict[str, object] | str:
    if not line.isascii() and lines.has_undecoded():
        return UNDECODED
    return parsed(line)


def parsed(line: str) -> dict[str, object] | str:
    """Return the object of a line, or the fault of the line."""
    try:
        found = json.loads(line, object_pairs_hook=distinct)
    except RecursionError:
        return TOO_DEEP
    except _RepeatedKeyError:
        return TWICE
    except ValueError:
        return "not JSON"
    if line.count("{") + line.count("[") > DEEPEST and is_deep(found):
        return TOO_DEEP
    return found if isinstance(found, dict) else "not a JSON object"


def is_deep(value: object) -> bool:
    """Return whether lists and objects are nested deeper than recursive functions can follow."""
    level = [value]
    for _ in range(DEEPEST + 1):
        nests = [v.values() if isinstance(v, dict) else v for v in level if _is_nest(v)]
        level = [v for values in nests for v in values]  # type: ignore[attr-defined]
    return bool(level)


def _is_nest(value: object) -> bool:
    return isinstance(value, dict | list)


class _RepeatedKeyError(ValueError):
    """An object has a key twice, and one of its values would be lost."""


def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of distinct keys, or raise an error that is a ValueError."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedKeyError
    return found


class JsonlWriter(TextWriter):
    """Writer of each row as an object; a `MISSING` cell leaves its key out."""

    def page(self, rows: Sequence[Sequence[object]], first: int) -> Page:  # noqa: ARG002
        """Return rows as objects."""
        ending = self._dialect.line_terminator.encode()
        lines = (line_of(self._object(row)) + ending for row in rows)
        return Page(len(rows), b"".join(lines), Counter())

    def _object(self, row: Sequence[object]) -> dict[str, object]:
        cells = zip(self._columns, row, strict=True)
        return {column: cell for column, cell in cells if cell is not MISSING}


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode


def line_of(found: dict[str, object]) -> bytes:
    """Return an object as a line of UTF-8, without its end."""
    # The backslash form of a lone surrogate is its JSON escape.
    return _encode(found).encode("utf-8", "backslashreplace")
