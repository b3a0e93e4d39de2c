"""JSON files of other tools: read whole, written for their owner alone."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.data.errors import reading, writing
from triage.data.staging import StagedFile, publish_all

from ...errors import TriageError
from .faults import Faults


def read_characters(path: Path) -> str:
    """Return what a text file holds.

    Raises
    ------
    DataError
        If it cannot be read.
    TriageError
        If it is empty, or not UTF-8.
    """
    with reading(str(path)):
        content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TriageError(
            f"{path} is not UTF-8: export it again, as JSON, and leave it as it is"
        ) from error
    if not text.strip():
        raise TriageError(f"{path} is empty: export it again")
    return text


def read_json(text: str, name: str) -> object:
    """Return the value that JSON text holds.

    Raises
    ------
    TriageError
        If it is not JSON.
    """
    try:
        return _parsed(text)
    except TriageError as error:
        raise TriageError(f"{name}: {error}; export it again, as JSON") from error


def read_json_lines(text: str, faults: Faults) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the objects of JSON Lines, and which line each is; other lines are faults."""
    for number, line in enumerate(text.split("\n"), 1):
        where = f"line {number}"
        if line.strip():
            with faults.of(where):
                found = _parsed(line)
                if not isinstance(found, dict):
                    raise TriageError("it is not a JSON object")
                yield where, found


def _parsed(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        line = f" (its line {error.lineno})" if error.lineno > 1 else ""
        raise TriageError(f"it is not JSON{line}") from error
    except RecursionError as error:
        raise TriageError("it is nested too deeply") from error
    except ValueError as error:
        raise TriageError("it is not JSON: it has a number that JSON has not") from error


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def write_json_lines(path: Path, records: Iterable[object], *, overwrite: bool = False) -> int:
    """Write JSON Lines; return how many.

    Raises
    ------
    DataError
        If the path cannot be written; what was there stays.
    """
    return _write(path, records, (b"", b"\n", b""), overwrite=overwrite)


def write_json_list(path: Path, records: Iterable[object], *, overwrite: bool = False) -> int:
    """Write a JSON list, one member to a line; return how many.

    Raises
    ------
    DataError
        If the path cannot be written; what was there stays.
    """
    return _write(path, records, (b"[\n", b",\n", b"]\n"), overwrite=overwrite)


def _write(
    path: Path, records: Iterable[object], around: tuple[bytes, bytes, bytes], *, overwrite: bool
) -> int:
    start, between, end = around
    n_written = 0
    with StagedFile(path, private=True, overwrite=overwrite) as stage, writing(stage.name):
        stage.file.write(start)
        for n_written, record in enumerate(records, 1):
            stage.file.write((between if n_written > 1 else b"") + _encoded(record))
        stage.file.write((b"\n" if n_written else b"") + end)
        stage.close()
        publish_all([stage])
    return n_written


def _encoded(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode(errors="replace")
