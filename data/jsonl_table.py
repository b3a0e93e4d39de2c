"""JSON Lines files: an object on each line."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from triage.data.columns import check_columns, find_text
from triage.data.encoding import Decoding, find_decoding
from triage.data.errors import DataError
from triage.data.formats import Dialect
from triage.data.limits import DEEPEST, MOST_COLUMNS
from triage.data.source import Source
from triage.data.table import Options, Reject, Row
from triage.data.text_lines import Lines, line_terminator, open_lines
from triage.data.values import MISSING


@dataclass(frozen=True)
class JsonlTable:
    """A JSON Lines file, read as a stream of any length."""

    source: Source
    decoding: Decoding
    dialect: Dialect
    columns: tuple[str, ...]
    text: str

    @property
    def lines(self) -> int:
        """About how many lines there are."""
        return self.decoding.lines

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:
        """Yield the objects that hold the text, with `MISSING` for keys that they lack."""
        with open_lines(self.source, self.decoding, self.dialect.line_terminator) as lines:
            for found in _objects(lines):
                if isinstance(found, str):
                    reject(Reject(lines.first, found, lines.raw()))
                elif self.text not in found:
                    reject(Reject(lines.first, f"no key {self.text!r}", lines.raw()))
                else:
                    yield lines.first, [found.get(column, MISSING) for column in self.columns]


def open_jsonl(source: Source, options: Options) -> JsonlTable:
    """Gather the keys of a JSON Lines file, in the order in which they first come.

    Raises
    ------
    DataError
        The encoding can't be found out, or no line is an object that holds the text.
    """
    decoding = find_decoding(source, options.encoding)
    terminator = line_terminator(source, decoding)
    with open_lines(source, decoding, terminator) as lines:
        columns = _keys(lines)
    if not columns:
        raise DataError(f"{source.name} has no line that is a JSON object with keys")
    check_columns(columns, source.name)
    text = columns[find_text(columns, options.text_column, source.name)]
    dialect = Dialect(source.format, decoding.encoding, None, decoding.bom, terminator)
    return JsonlTable(source, decoding, dialect, columns, text)


def _keys(lines: Lines) -> tuple[str, ...]:
    keys: dict[str, None] = {}
    for found in _objects(lines):
        if isinstance(found, dict):
            keys.update(dict.fromkeys(found))
            if len(keys) > MOST_COLUMNS:
                break
    return tuple(keys)


def _objects(lines: Lines) -> Iterator[dict[str, object] | str]:
    """Yield each line's object, or what is wrong with the line."""
    lines.start()
    for line in lines:
        if not line.isspace():
            yield _object(line, lines)
        lines.start()


_TOO_DEEP = f"lists and objects nested more than {DEEPEST} deep"


def _object(line: str, lines: Lines) -> dict[str, object] | str:
    if not line.isascii() and lines.has_undecoded():
        return "bytes that are not UTF-8"
    try:
        found = json.loads(line, object_pairs_hook=_distinct)
    except RecursionError:
        return _TOO_DEEP
    except ValueError as error:
        return str(error) if isinstance(error, _RepeatedKeyError) else "not JSON"
    if line.count("{") + line.count("[") > DEEPEST and _is_deep(found):
        return _TOO_DEEP
    return found if isinstance(found, dict) else "not a JSON object"


def _is_deep(value: object) -> bool:
    """Return whether lists and objects are nested deeper than what walks them can follow."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner = [v.values() if isinstance(v, dict) else v for v in level if _is_nest(v)]
        level = [v for values in inner for v in values]  # type: ignore[attr-defined]
    return bool(level)


def _is_nest(value: object) -> bool:
    return isinstance(value, dict | list)


class _RepeatedKeyError(ValueError):
    """An object names a key twice, and one of its values would be lost."""


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedKeyError("a key that comes twice")
    return found
