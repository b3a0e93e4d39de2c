"""Import of a file: its format, its columns, its first rows, and its unreadable rows."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from triage.data import ColumnError, DataError, MessageFile, as_text, sheet_names
from triage.data.columns import guess_date

from ..anonymise.columns import SHOW_WORDS, contents_of
from ..decide.language import guess_language
from ..decide.pipeline import shared
from ..decide.run_record import workloads_of
from ..decide.source import Source
from ..decide.workload import SECONDS_PER_MESSAGE, Workload, estimates
from ..errors import TriageError, UserError
from ..model.annotated import sender_position
from ..queue import Queue
from ..settings import Policy, Reading
from ..vocabulary import IdentifierType
from .figures import Figure, Version, version_of
from .project import Project, written

_ROWS, _MOST_REJECTED = 8, 20
_EXCERPT = 300
# Cells of so many rows are searched for what identifies somebody.
_SEARCHED = 1_000


class Role(StrEnum):
    TEXT = "text"
    ID = "id"
    SENDER = "sender"
    DATE = "date"
    OTHER = "other"


@dataclass(frozen=True)
class Column:
    name: str
    role: Role = Role.OTHER
    holds: tuple[tuple[IdentifierType, int], ...] = ()
    shows_words: bool = False

    @property
    def is_warned_of(self) -> bool:
        """Return whether it is not written as it is, unless somebody insists."""
        return bool(self.holds) or self.shows_words


@dataclass(frozen=True)
class Preview:
    problem: UserError | None = None
    lacks_column: bool = False
    format: str = ""
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    n_messages: int = 0
    n_rejected: int = 0
    searched: int = 0
    rejected: tuple[tuple[int, str], ...] = ()
    sheets: tuple[str, ...] = ()
    language: str = ""

    def of_role(self, role: Role) -> Column | None:
        return next((column for column in self.columns if column.role == role), None)

    @property
    def others(self) -> list[Column]:
        return [column for column in self.columns if column.role is Role.OTHER]


def preview(project: Project, date_column: str | None = None) -> Preview:
    """Return the original as the settings say that it is read."""
    reading = project.settings.reading
    return _preview(project.folder, version_of(project.original), reading, date_column)


def keep_preview(project: Project, date_column: str | None) -> None:
    reading = project.settings.reading
    _PREVIEW.keep(project.folder, version_of(project.original), reading, date_column)


@lru_cache(maxsize=8)
def _preview(folder: Path, original: Version, reading: Reading, date_column: str | None) -> Preview:
    try:
        sheets = sheet_names(original.path)
    except DataError:
        sheets = ()
    try:
        found = _PREVIEW.of(folder, original, reading, date_column)
        return replace(found, sheets=sheets)
    except ColumnError as error:
        return Preview(
            _plain(error, original),
            lacks_column=True,
            columns=tuple(map(Column, error.columns)),
            rows=_rows_anyway(original, reading, error.columns),
            sheets=sheets,
        )
    except UserError as error:
        return Preview(_plain(error, original), sheets=sheets)


def _rows_anyway(
    original: Version, reading: Reading, columns: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the first rows, for who has to choose a column, whichever holds the messages."""
    anyhow = replace(reading, text_column=columns[0], id_column=None, sender_column=None)
    try:
        with Source(str(original.path), anyhow).open() as file:
            rows = next(file.chunks()).rows[:_ROWS]
    except (DataError, StopIteration):
        return ()
    return tuple(tuple(map(_shown, row)) for row in rows)


def _plain(error: UserError, original: Version) -> UserError:
    # The name of the copy in the folder tells nothing.
    copy, name = str(original.path), original.path.name
    values = {key: value.replace(copy, name) for key, value in error.values.items()}
    return UserError(str(error).replace(copy, name), error.key, **values)


def _read(original: Version, reading: Reading, date_column: str | None) -> Preview:
    with Source(str(original.path), reading).open() as file:
        sender = sender_position(file.columns, reading.sender_column, original.path.name)
        n_messages, first, texts = 0, list[list[object]](), list[str]()
        for chunk in file.chunks():
            n_messages += len(chunk.rows)
            if len(first) < _SEARCHED:
                first += chunk.rows[: _SEARCHED - len(first)]
                texts += chunk.texts[: _SEARCHED - len(texts)]
        language, _ = guess_language(texts)
        return Preview(
            format=file.format.value,
            columns=tuple(_columns(file, sender, date_column, first, language)),
            rows=tuple(tuple(map(_shown, row)) for row in first[:_ROWS]),
            n_messages=n_messages,
            n_rejected=len(file.rejects),
            searched=len(first),
            rejected=tuple((one.line, one.reason) for one in file.rejects[:_MOST_REJECTED]),
            language=language,
        )


def _parsed(kept: dict[str, Any]) -> Preview:
    columns = (
        Column(
            one["name"],
            Role(one["role"]),
            tuple((IdentifierType(kind), n) for kind, n in one["holds"]),
            one["shows_words"],
        )
        for one in kept["columns"]
    )
    rows, rejected = (tuple(map(tuple, kept[name])) for name in ("rows", "rejected"))
    lists = {"columns": tuple(columns), "rows": rows, "rejected": rejected}
    return Preview(**kept | lists | {"sheets": ()})


_PREVIEW = Figure("preview", _read, _parsed, asdict)


def _columns(
    file: MessageFile,
    sender: int | None,
    date_column: str | None,
    rows: Sequence[Sequence[object]],
    language: str,
) -> list[Column]:
    roles = {sender: Role.SENDER, file.id_position: Role.ID, file.text_position: Role.TEXT}
    usual = guess_date(file.columns)
    date = file.columns.index(date_column) if date_column in file.columns else usual
    roles.setdefault(date, Role.DATE)
    searched = [i for i in range(len(file.columns)) if i != file.text_position]
    found = contents_of(rows, searched, shared(language).labeller)
    return [
        Column(
            name,
            roles.get(i, Role.OTHER),
            tuple(found[i].types(of_ids=i == file.id_position).most_common()) if i in found else (),
            name in SHOW_WORDS,
        )
        for i, name in enumerate(file.columns)
    ]


def _shown(cell: object) -> str:
    text = as_text(cell)
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"


def texts_of(final: Version, reading: Reading, rows: tuple[int, ...]) -> tuple[str, ...]:
    """Return the messages of rows, from 1, in the order of the rows that were asked for."""
    wanted, found = {*rows}, dict[int, str]()
    with Source(str(final.path), written(reading)).open() as file:
        texts = (text for chunk in file.chunks() for text in chunk.texts)
        found = {row: text for row, text in enumerate(texts, 1) if row in wanted}
    return tuple(found[row] for row in rows)


@dataclass(frozen=True)
class Bounds:
    """Number of messages to read at each bound on the residue."""

    rows: tuple[Workload, ...] = ()
    is_exact: bool = False

    @property
    def most(self) -> int:
        """The largest number of messages to read."""
        return max((one.expert for one in self.rows), default=0)

    def nearest(self, max_residue: float) -> int | None:
        """Return the position of a bound, or of the next smaller one; None without any."""
        if not self.rows:
            return None
        return max(0, bisect_right([one.bound for one in self.rows], max_residue) - 1)


def bounds(project: Project) -> Bounds:
    """Return what each bound asks of people, of the triaged file where there is one."""
    try:
        if project.triaged.exists():
            return _of_residue(workloads_of(str(project.triaged)), is_exact=True)
        found = preview(project)
        return _estimated(found.language, found.n_messages) if found.n_messages else Bounds()
    except (DataError, TriageError):
        # Nothing is promised by a model that was learnt from too few messages, and other columns
        # may have been chosen since the triage.
        return Bounds()


def _of_residue(found: Iterable[Workload], *, is_exact: bool) -> Bounds:
    return Bounds(tuple(one for one in found if one.measure == "residue"), is_exact)


@lru_cache(maxsize=8)
def _estimated(language: str, n_messages: int) -> Bounds:
    held_out = shared(language).voter(corpus_evidence=True).held_out
    found = estimates(held_out, Policy.min_precision, n_messages)
    return _of_residue(found, is_exact=False)


def counts(project: Project) -> Mapping[str, int]:
    """Return how many messages have each action; empty before the triage."""
    if not project.triaged.exists():
        return {}
    try:
        return _ACTIONS.of(project.folder, version_of(project.triaged), project.settings.reading)
    except DataError:
        return {}


def _actions(version: Version, reading: Reading) -> Mapping[str, int]:
    with Source(str(version.path), written(reading)).open() as file:
        at = file.columns.index("action")
        return Counter(str(row[at]) for chunk in file.chunks() for row in chunk.rows)


_ACTIONS: Figure[Mapping[str, int]] = Figure("actions", _actions, Counter)


def keep_figures(project: Project) -> None:
    settings, version = project.settings, version_of(project.triaged)
    _ACTIONS.keep(project.folder, version, settings.reading)


def pace(project: Project) -> tuple[float, bool]:
    """Return the seconds that a message takes to read, and whether people's answers tell them."""
    if project.queue.exists():
        with Queue.open(project.queue) as queue:
            found = [queue.progress(name) for name in queue.status().annotators]
        measured = [one.seconds_left / one.open for one in found if one.seconds_left and one.open]
        if measured:
            return sum(measured) / len(measured), True
    return SECONDS_PER_MESSAGE, False
