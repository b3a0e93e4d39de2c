"""Errors of files of messages."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from triage.errors import DataError

# The way out where a format cannot hold what the table can.
INSTEAD = "name an output that ends in .csv or .jsonl"


class ColumnError(DataError):
    """A file has no column of the name that is wanted, or none of a usual name."""


def fault(
    key: str, file: object = "", /, cls: type[DataError] = DataError, **values: object
) -> DataError:
    """Return an error by its key in errors.toml; the part before a point is the key for pages."""
    line: str = words_of("errors")[key]
    line = line.format(file=file, instead=INSTEAD, **values)
    return cls(line, key.partition(".")[0], file=file, **values)


@contextmanager
def refusing(
    errors: type[Exception] | tuple[type[Exception], ...], key: str, file: str
) -> Iterator[None]:
    """Raise errors of the reader of a format as `fault`; ``{error}`` in the line is the reason."""
    try:
        yield
    except errors as error:
        raise fault(key, file, error=error) from error


def one_line(text: str) -> str:
    r"""Return a name out of a file as an error may show it."""
    return "".join(c if c.isprintable() else "?" for c in text)


@cache
def words_of(name: str) -> dict[str, Any]:
    """Return the words and forms in a TOML file of this folder."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def compiled(
    form: str, parts: Mapping[str, str], flags: re.RegexFlag = re.NOFLAG
) -> re.Pattern[str]:
    """Return a regular expression in which ``<<name>>`` stands for a part."""
    while reference := re.search(r"<<(\w+)>>", form):
        form = form.replace(reference[0], parts[reference[1]])
    return re.compile(form, flags)


def require(module: str, extra: str) -> ModuleType:
    """Import `module`, or raise a `DataError` that says how to install the extra it comes with."""
    try:
        return import_module(module)
    except ImportError as error:
        package, way = module.partition(".")[0], how_to_install(extra)
        raise fault("not_installed", package=package, way=way) from error


def how_to_install(extra: str) -> str:
    wheel = f"sms_triage-{metadata.version('sms-triage')}-py3-none-any.whl"
    return (
        f"pip install '.[{extra}]' in the program's folder, or "
        f"pip install '{wheel}[{extra}]' with its wheel"
    )


class FailedCell(str):
    """The sign that a formula without result shows, such as ``#NAME?``."""

    __slots__ = ()


class Missing(Enum):
    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""The cell of a JSON object without the key: left out of JSON Lines, blank elsewhere."""


class Number(float):
    """A number of JSON with the digits that stand there: *1.10*."""

    def __init__(self, written: str) -> None:
        self._written = written

    def __str__(self) -> str:
        return self._written


def number_of(written: str) -> float:
    number = float(written)
    return number if repr(number) == written else Number(written)


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
_APART = {Number, dict, list}


def as_json(value: object) -> str:
    if isinstance(value, dict) and not _APART.isdisjoint(map(type, value.values())):
        pairs = (f"{_encode(str(key))}: {as_json(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list) and not _APART.isdisjoint(map(type, value)):
        return f"[{', '.join(map(as_json, value))}]"
    return str(value) if isinstance(value, Number) else _encode(value)


def as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    return as_json(value) if isinstance(value, (bool, list, dict)) else str(value)


def problem_of(cell: object, column: str) -> str:
    """Return why a cell holds no message."""
    if isinstance(cell, FailedCell):
        return f"the message is a formula that failed: {cell}"
    if isinstance(cell, bytes):
        return "a binary value instead of a text"
    if isinstance(cell, dict | list):
        way = f": name a text in it, as {column}.key" if isinstance(cell, dict) else ""
        return f"a list or an object instead of a text{way}"
    return f"no key {column!r}" if cell is MISSING else ""


def is_null(value: object) -> bool:
    """Return whether a cell has no value: None, `MISSING`, NaN or ``pandas.NA``."""
    if value is None or value is MISSING:
        return True
    try:
        return bool(value != value)  # NaN alone
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different, nor is an array
        return not isinstance(value, Iterable)


def sender_of(cell: object) -> str:
    """Return the sender in a cell; empty if unknown, so that such messages share no sender."""
    sender = cell if type(cell) is str else "" if is_null(cell) else as_text(cell)
    return "" if sender.isspace() else sender


def whole_characters(text: str) -> str:
    r"""Return `text` with U+FFFD for each lone surrogate, which JSON escapes can hold."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
