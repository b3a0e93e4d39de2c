"""Import of a file: how it is understood, its first rows, and other ways to read it.

A file is previewed in a process of its own that can be ended. That prints two lines of JSON: how
the file is understood; then which other ways to read it were tried and succeed.
"""

import json
import subprocess
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

from triage.data import DataError, Format, MessageFile, as_text
from triage.data.columns import dated_columns, named_columns, plain_name, worded_column
from triage.data.dates import moment_of
from triage.data.formats import WITH_HEADER
from triage.data.tables import table_names

from ..anonymise.columns import SHOW_WORDS, CellSearch
from ..decide.language import guess_language
from ..decide.people import EVENTS
from ..decide.pipeline import shared
from ..decide.policy import SECONDS_PER_MESSAGE, Workload
from ..decide.record import workloads_of
from ..decide.source import Source
from ..dictionaries.pack import shipped_languages
from ..errors import TriageError, UserError
from ..queue import Queue
from ..settings import Reading
from .pages import Translator
from .project import CachedFigure, Project, Settings

# A file may take a minute to be previewed, and longer if it is large.
_SECONDS, _BYTES_A_SECOND = 60.0, 2_000_000
_LOCKS: defaultdict[Path, Lock] = defaultdict(Lock)

# Columns with these words in their names number the messages, or hold numbers of telephones.
_NUMBERS, _SHORTEST_TELEPHONE = {"numero", "num", "no", "nr", "number"}, 8

# What the preview of a file tells: how it is read, columns, first rows, other ways to read it.
Preview = dict[str, Any]
_NOTHING: Preview = {"columns": (), "rows": (), "choices": {}, "n_messages": 0, "searched": 0}


def preview_file(path: Path, reading: Reading, language: str) -> Preview:
    """Preview a file in a process that is ended if it takes too long."""
    request = {"path": str(path), "reading": asdict(reading), "language": language}
    seconds = _SECONDS + path.stat().st_size / _BYTES_A_SECOND
    command, data = (sys.executable, "-m", f"{__package__}.importing"), json.dumps(request).encode()
    try:
        output = subprocess.run(  # noqa: S603 (this program itself)
            command, input=data, capture_output=True, timeout=seconds, check=False
        ).stdout
    except subprocess.TimeoutExpired as error:
        output = error.output or b""
    # The ways to read it come last: without them it is known how it is understood.
    lines = [json.loads(line) for line in output.splitlines()]
    if not lines:
        line = f"{path.name} cannot be looked at: it is damaged, or a view of it has no end"
        problem = problem_data(DataError(line, "endless", file=path.name), path)
        return _NOTHING | {"problem": problem}
    return {**_NOTHING, **lines[0], **lines[-1]}


def checked_preview(file: Path, reading: Reading | None = None) -> Preview:
    preview = preview_file(file, reading or Reading(), "")
    problem = problem_of(preview)
    if problem and not reading and (worded := problem.values.get("worded")):
        # No name says which column holds the messages: the likeliest is to be confirmed.
        preview = preview_file(file, Reading(text_column=worded), "")
        problem = problem_of(preview)
    if problem:
        raise problem
    if not reading and (numbers := preview["numbers"]) is not None:
        # As a second preview would tell it, which takes as long as the first.
        column = preview["columns"][numbers]
        column["role"] = "id"
        preview["reading"]["id_column"] = column["name"]
    return preview


def problem_data(error: UserError, path: Path) -> Preview:
    """Return an error as JSON data, in which the path of the copy is the name of the file."""
    error.rename(path, path.name)
    return {"line": str(error), "key": error.key, "values": error.values}


def problem_of(preview: Preview) -> UserError | None:
    problem = preview["problem"]
    return UserError(problem["line"], problem["key"], **problem["values"]) if problem else None


def preview(project: Project, settings: Settings | None = None) -> Preview:
    """Return the preview of the original by its settings, or by others, from the cache if there."""
    how = settings or project.settings
    with _LOCKS[project.folder]:
        return project.figure("preview", preview_file, project.original, how.reading, how.language)


def cached_preview(project: Project) -> CachedFigure:
    settings = project.settings
    return project.cached("preview", project.original, settings.reading, settings.language)


# As they are shown, where not as they are written.
_SHOWN = {"fr": "français", "en": "English", "tab": "⇥", "\t": "⇥"}


def ways(preview: Preview, settings: Settings, t: Translator) -> Iterator[tuple[Any, ...]]:
    """Yield each setting of reading: its guess, the choice, and the options with their labels."""
    guessed = {name: str(preview[name]) for name in ("language", "format", "encoding", "separator")}
    guessed |= {f"{column['role']}_column": column["name"] for column in preview["columns"]}
    chosen = asdict(settings.reading) | {"language": settings.language}
    for name, tried in preview["choices"].items():
        choice = chosen[name] or ""
        if name == "sheet" and tried:
            guessed[name] = tried[0]
        others = dict.fromkeys([*tried, *([choice] if choice else [])])
        if others and (len(others) > 1 or name not in ("sheet", "table")):
            names = (*others, guessed.get(name, ""))
            pairs = [(one, t.known(f"format.{one}", _SHOWN.get(one, one))) for one in names]
            yield name, pairs.pop()[1], choice, pairs


def bounds(project: Project) -> dict[str, Any]:
    """Return the workload of each bound, as it was counted, and which one is chosen."""
    workloads: Sequence[Workload] = ()
    # Nothing is promised by a model that was learnt from too few messages.
    with suppress(DataError, TriageError):
        workloads = workloads_of(str(project.triaged))
    rows = [one for one in workloads if one.measure == "residue"]
    # Of a bound between two, the smaller one, which asks more.
    chosen = bisect_right([one.bound for one in rows], project.settings.max_residue) - 1
    return {"bounds": rows, "chosen": max(0, chosen)}


def pace(project: Project) -> float:
    """Return the seconds that a message takes to read, by people's answers where there are any."""
    if project.queue.exists():
        with Queue.open(project.queue) as queue:
            rates = [queue.progress(name) for name in queue.status().annotators]
        measured = [one.seconds_left / one.open for one in rates if one.seconds_left and one.open]
        if measured:
            return sum(measured) / len(measured)
    return SECONDS_PER_MESSAGE


_ROWS, _MAX_REJECTED = 10, 20
_EXCERPT = 300
# Cells of so many rows are searched for what identifies somebody.
_SEARCHED = 1_000
_ENCODINGS = ("utf-8", "cp1252", "utf-16-le", "utf-16-be", "mac-roman")
_SEPARATORS = (",", ";", "tab", "|")


def _readable_reading(path: Path, reading: Reading) -> tuple[Reading, UserError | None]:
    """Return options by which a file can be read, and the error of those asked for, if others."""
    try:
        _first(path, reading)
    except UserError as error:
        for other in _other_ways(path, reading, error):
            if _is_readable(path, other):
                return other, None if reading == Reading() else error
        raise
    return reading, None


def _other_ways(path: Path, reading: Reading, error: UserError) -> Iterator[Reading]:
    """Yield the options to try next: those that the error asks for, the column of most letters."""
    bases = [reading]
    if error.key == "maybe_chat":
        yield replace(reading, format="whatsapp")
    elif error.key == "encoding":
        bases = [replace(reading, encoding=name) for name in _ENCODINGS]
    elif error.key == "which_table":
        bases = [replace(reading, table=name) for name in table_names(path)]
    roles: dict[str, Any] = dict.fromkeys(("id_column", "sender_column", "date_column"))
    for base in bases + ([Reading()] if reading != Reading() else []):
        yield base
        anyhow = replace(base, text_column="1", **roles)
        with suppress(UserError):
            columns, rows = _first(path, anyhow)
            if (at := worded_column(rows)) is not None:
                yield replace(anyhow, text_column=columns[at] or str(at + 1))
    if error.key == "maybe_chat":
        yield replace(reading, format="lines")


def _first(path: Path, reading: Reading) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
    """Return the columns and the first rows of a file; UserError if it has none."""
    with Source(str(path), reading).open() as file:
        _ = file.sender_position
        chunk = next(file.chunks(), None)
        if chunk is None:
            line = f"{path.name} has no row that can be read as a message"
            raise DataError(line, "no_messages", file=path.name)
        return file.columns, chunk.rows[:_SEARCHED]


def _is_readable(path: Path, reading: Reading) -> bool:
    # What separates nothing is no separator.
    is_divided = reading.separator or reading.format == Format.TSV
    with suppress(UserError):
        return len(_first(path, reading)[0]) > 1 or not is_divided
    return False


def preview_data(path: Path, reading: Reading, language: str) -> dict[str, Any]:
    reading, problem = _readable_reading(path, reading)
    with Source(str(path), reading).open() as file:
        sender, date, month_first = file.sender_position, file.date_position, file.month_first
        roles = {date: "date", sender: "sender", file.id_position: "id", file.text_position: "text"}
        n_messages, n_events, kinds = 0, 0, named_columns(file.columns, "kind")[:1]
        rows, texts = list[list[object]](), list[str]()
        numbers = {i: set[str]() for i in _may_be_ids(file, roles)}
        for chunk in file.chunks():
            n_messages += len(chunk.rows)
            n_events += sum(as_text(row[i]) in EVENTS for i in kinds for row in chunk.rows)
            for i, cells in numbers.items():
                cells.update(as_text(row[i]) for row in chunk.rows)
            if len(rows) < _SEARCHED:
                rows += chunk.rows[: _SEARCHED - len(rows)]
                texts += chunk.texts[: _SEARCHED - len(texts)]
        guessed = guess_language(texts)[0]
        dated = [row[date] for row in rows] if date is not None else []
        moments = [moment_of(cell, month_first=month_first) for cell in dated]
        days = [one.isoformat(" ", "minutes")[:16] if one else "" for one in moments]
        return {
            "problem": problem and problem_data(problem, path),
            "reading": asdict(reading),
            "format": file.format.value,
            "encoding": file.dialect.encoding if file.format.is_text else "",
            "separator": file.dialect.separator or "",
            "parts": file.parts,
            "may_lack_header": file.format in WITH_HEADER,
            "language": language or guessed,
            "columns": [*_columns(file, roles, rows, language or guessed)],
            "numbers": next((i for i in numbers if _are_ids(numbers[i], n_messages)), None),
            "rows": [[*map(_shown, row)] for row in rows[:_ROWS]],
            "days": days[:_ROWS],
            "n_dated": sum(map(bool, days)),
            "n_messages": n_messages,
            "n_events": n_events,
            "n_rejected": len(file.rejects),
            "searched": len(rows),
            "rejected": [(one.line, one.reason) for one in file.rejects[:_MAX_REJECTED]],
        }


def _may_be_ids(file: MessageFile, roles: Container[int | None]) -> list[int]:
    """Return the columns that may number messages without ids, by their names."""
    named = ({*plain_name(column).split("_")} for column in file.columns)
    may_be = (at for at, words in enumerate(named) if words & _NUMBERS and at not in roles)
    return [*may_be] if file.id_position is None else []


def _are_ids(cells: Set[str], n_messages: int) -> bool:
    """Return whether all cells of a column differ and are numbers, too short for telephones."""
    is_short = (cell.isdecimal() and len(cell) < _SHORTEST_TELEPHONE for cell in cells)
    return len(cells) == n_messages and all(is_short)


def _columns(
    file: MessageFile, roles: dict[int | None, str], rows: list[list[object]], language: str
) -> Iterator[dict[str, Any]]:
    search = CellSearch(shared(language).labeller)
    for i, name in enumerate(file.columns):
        cells = Counter(as_text(row[i]).strip() for row in rows if i != file.text_position)
        holds = search.held(cells, of_ids=i == file.id_position).most_common()
        column = {"name": name, "role": roles.get(i, "other"), "shows_words": name in SHOW_WORDS}
        # It is not written as it is, unless somebody insists.
        is_warned_of = bool(holds or column["shows_words"])
        yield column | {"holds": holds, "is_warned_of": is_warned_of}


def _shown(cell: object) -> str:
    text = as_text(cell)
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"


def choices(path: Path, preview: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the ways to read a file that were tried and succeed, by the names of the settings."""
    reading = Reading(**preview["reading"])
    # In another way, its columns have other names.
    anyhow: dict[str, Any] = {"text_column": "1", "encoding": reading.encoding}
    tried: dict[str, Sequence[str]] = {
        "format": [*Format],
        "encoding": _ENCODINGS if preview["encoding"] else (),
        "separator": _SEPARATORS if preview["separator"] else (),
        "table" if preview["format"] == Format.SQLITE else "sheet": preview["parts"],
    }
    names, first = _first(path, reading)
    rows = [[*map(as_text, row)] for row in first]
    dated = {names[i] for i in dated_columns(rows, range(len(names)), moment_of)}
    columns = zip(names, zip(*rows, strict=True), strict=True)
    cells = {name: column for name, column in columns if name}
    worded = (name for name in cells if any(map(str.isalpha, chain.from_iterable(cells[name]))))
    return {
        "text_column": [name for name in worded if name not in dated],
        "sender_column": [*cells],
        "date_column": [name for name in cells if name in dated],
        "id_column": [name for name in cells if len({*cells[name]}) == len(rows)],
        "language": [*shipped_languages()],
        **{
            setting: [one for one in ways if _is_readable(path, Reading(**anyhow | {setting: one}))]
            for setting, ways in tried.items()
        },
    }


if __name__ == "__main__":
    given = json.loads(sys.stdin.read())
    file = Path(given["path"])
    try:
        found = preview_data(file, Reading(**given["reading"]), given["language"])
        print(json.dumps(found), flush=True)
        print(json.dumps({"choices": choices(file, found)}), flush=True)
    except UserError as error:
        print(json.dumps({"problem": problem_data(error, file)}), flush=True)
