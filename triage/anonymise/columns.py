"""Columns that are written, and how their cells are changed: somebody chose them, others go."""

import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from triage.data import MISSING, DataError, Dialect, MessageFile, as_text, open_messages
from triage.data.columns import guess_date
from triage.data.dates import WrittenDate, epoch_day, read_date, read_epoch
from triage.data.tei_document import KINDS

from ..errors import TriageError
from ..model.annotated import FINAL_SPANS, column_position, sender_of, sender_position
from ..settings import Dates, Ids, Senders, Treatment
from .keys import Keyed, digest

# They show the words of messages, or where they stood, and no search of them would tell.
SHOW_WORDS = frozenset({"evidence", "spans", FINAL_SPANS})
_SAME_TYPE = (Dates.KEEP, Dates.DAY, Dates.SHIFT)
# Digits of a pseudonym of a sender.
_DIGITS = 4
# At most so many days forwards or backwards: the season is hidden, too.
_LONGEST_SHIFT = 365
# Beyond these years a date is a mistake, and shifting could leave the calendar.
_YEARS = range(1000, 9000)
_PARTS = {
    Dates.DAY: ("year", "month", "day"),
    Dates.MONTH: ("year", "month"),
    Dates.YEAR: ("year",),
}
_AS_ISO = {Dates.DAY: "%Y-%m-%d", Dates.MONTH: "%Y-%m", Dates.YEAR: "%Y"}


def position_of(file: MessageFile, column: str) -> int | None:
    """Return the position of a column; None where there is none of this name."""
    return file.columns.index(column) if column in file.columns else None


def open_table(path: str | Path, text_column: str, otherwise: str) -> MessageFile:
    """Open a table that this program wrote; `otherwise` is the error where it is another file."""
    try:
        return open_messages(path, text_column=text_column, guarded=True)
    except DataError as error:
        # The option that it names is for other files.
        if "--text-column" not in str(error):
            raise
        raise TriageError(otherwise) from error


@dataclass(frozen=True)
class Plan:
    """A choice of columns, for a file of certain columns (`names`), by their positions."""

    names: tuple[str, ...]
    choice: Treatment
    text: int
    id: int | None
    date: int | None
    sender: int | None
    written: tuple[int, ...]
    others: frozenset[int]

    @property
    def columns(self) -> list[str]:
        return [self.names[i] for i in self.written]

    @property
    def dropped(self) -> list[str]:
        """The names of the columns that are not written."""
        return [name for i, name in enumerate(self.names) if i not in self.written]

    @property
    def changed(self) -> frozenset[int]:
        """The positions of columns that are rewritten."""
        choice = self.choice
        rewritten = {
            self.text: True,
            self.sender: choice.sender is Senders.PSEUDONYM,
            self.date: choice.dates is not Dates.KEEP,
            self.id: choice.ids is Ids.NUMBER,
        }
        return frozenset(i for i in self.written if rewritten.get(i, i in self.others))

    @property
    def searched(self) -> list[int]:
        """The positions of columns that are written as they are, and were not asked for so."""
        kept = set(self.written) - self.changed
        return sorted(i for i in kept if self.names[i] not in self.choice.as_it_is)

    def dialect(self, dialect: Dialect) -> Dialect:
        """Return how the output is written: as the input, without what that says of its columns."""
        schema: Any = dialect.schema
        if schema is None:
            return dialect
        schema = schema.remove_metadata()
        for name in self.columns:
            at = schema.get_field_index(name)
            schema = schema.set(at, schema.field(at).remove_metadata())
        same_type = {self.text} | ({self.date} if self.choice.dates in _SAME_TYPE else set())
        for i in self.changed - same_type:
            schema = schema.remove(schema.get_field_index(self.names[i]))
        return replace(dialect, schema=schema)


def plan_columns(file: MessageFile, choice: Treatment, sender_column: str | None = None) -> Plan:
    """Decide which columns of a file are written."""
    names, text = file.columns, file.text_position
    sender = sender_position(names, sender_column, file.name)
    sender = None if sender == text else sender
    id_ = None if file.id_position in (text, sender) else file.id_position
    date = _date_position(file, choice, taken=(text, id_, sender))
    if id_ is None and choice.ids is Ids.NUMBER:
        line = f"{file.name} has no column of ids to number: name it with --id-column"
        raise TriageError(line, "no_ids", file=file.name)
    if sender is None and choice.sender is Senders.KEEP:
        line = f"{file.name} has no column of senders: name it with --sender-column"
        raise TriageError(line, "no_senders", file=file.name)
    if date is None and choice.dates not in (Dates.KEEP, Dates.DROP):
        line = f"{file.name} has no column of dates: name it with --date-column"
        raise TriageError(line, "no_dates", file=file.name)
    kept, as_it_is, others = (
        frozenset(column_position(names, name, file.name, option) for name in columns)
        for columns, option in (
            (_kept_columns(names, choice), "--keep"),
            (choice.as_it_is, "--as-it-is"),
            (choice.pseudonym, "--pseudonym"),
        )
    )
    if taken := others & {text, id_, date, sender}:
        raise TriageError(
            f"--pseudonym is for other columns than those of messages, ids, dates and senders, "
            f"such as {names[min(taken)]!r}"
        )
    wanted = {
        text: True,
        id_: True,
        sender: choice.sender is not Senders.DROP,
        date: choice.dates is not Dates.DROP,
    }
    written = tuple(i for i in range(len(names)) if wanted.get(i, i in kept | others))
    plan = Plan(names, choice, text, id_, date, sender, written, others)
    _check_unchanged(plan, (kept - others - {text}) | as_it_is)
    return plan


def _kept_columns(names: Collection[str], choice: Treatment) -> list[str]:
    """Return the columns to keep; of a document, other things may be kept, too."""
    return [one for one in choice.keep if one in names or not (choice.document and one in KINDS)]


def _date_position(
    file: MessageFile, choice: Treatment, taken: Collection[int | None]
) -> int | None:
    if choice.date_column is not None:
        found = column_position(file.columns, choice.date_column, file.name, "--date-column")
        if found in taken:
            raise TriageError(
                f"{choice.date_column!r} is the column of messages, ids or senders: name that of "
                "the dates with --date-column"
            )
        return found
    return guess_date(file.columns, taken=taken)


def _check_unchanged(plan: Plan, as_it_is: frozenset[int]) -> None:
    """Check that columns that are to be written as they are will be."""
    said = {plan.sender: "--sender keep", plan.date: "--dates keep", plan.id: "--ids keep"}
    for i in sorted(as_it_is - (set(plan.written) - plan.changed)):
        name = plan.names[i]
        if i == plan.text:
            raise TriageError(f"{name!r} is the column of messages: --as-it-is is for others")
        way = said.get(i) or f"--keep {shlex.quote(name)}"
        raise TriageError(f"the column {name!r} would not be written as it is: say {way}")


class RowWriter:
    def __init__(
        self, plan: Plan, senders: Collection[str], key: bytes, own: Mapping[str, str]
    ) -> None:
        self._plan, self._key = plan, key
        known = {*senders} - {""}
        self.pseudonyms = {**sender_pseudonyms(known, key, own.values()), **own}
        self._changed = plan.changed - {plan.text}

    def row(self, row: list[object], number: int, sender: str, text: object) -> list[object]:
        """Return the cells of a row that are written, given its number, from 1, and new text."""
        plan = self._plan
        new = {plan.text: text}
        for i in self._changed:
            if i == plan.sender or i in plan.others:
                person = sender if i == plan.sender else sender_of(row[i])
                new[i] = self.pseudonyms[person] if person else _blank(row[i])
            elif i == plan.date:
                whose = ("sender", sender) if sender else ("row", str(number))
                how = plan.choice.dates
                days = shift_of(self._key, *whose) if how is Dates.SHIFT else 0
                new[i] = change_date(row[i], how, days)
            else:
                new[i] = number
        return [new.get(i, row[i]) for i in plan.written]


def _blank(cell: object) -> object:
    """Return a cell that says nothing, as the file would write it."""
    if cell is MISSING:
        return cell
    return "" if isinstance(cell, str) else None


def sender_pseudonyms(
    senders: Collection[str], key: bytes, others: Iterable[str] = ()
) -> dict[str, str]:
    """Return a pseudonym for each sender: S0001, S0002 and on, by rank of their keyed hashes."""
    ranked = sorted(set(senders), key=lambda sender: digest(key, "sender", sender))
    width = max(_DIGITS, len(str(len(ranked))))
    taken = {name.strip().casefold() for name in (*ranked, *others)}
    letter = "S"
    while any(f"{letter}{n:0{width}}".casefold() in taken for n in range(1, len(ranked) + 1)):
        letter += "S"
    return {sender: f"{letter}{n:0{width}}" for n, sender in enumerate(ranked, 1)}


def is_date(cell: object) -> bool:
    """Return whether a cell is a date by its type or as it is written, and no mere number."""
    if isinstance(cell, date):
        return cell.year in _YEARS
    return isinstance(cell, str) and _written(cell) is not None


def is_date_or_epoch(cell: object) -> bool:
    """Return whether `change_date` can change a cell of a column of dates."""
    return is_date(cell) or read_epoch(cell) is not None


def _written(text: str) -> tuple[WrittenDate, date] | None:
    found = read_date(text.strip())
    day = found and found.day
    return (found, day) if found and day and day.year in _YEARS else None


def is_blank(cell: object) -> bool:
    # Nothing but NaN differs from itself.
    return not as_text(cell).strip() or cell != cell


def change_date(cell: object, how: Dates, days: int = 0) -> object:
    """Return a date as it is to be written; a blank one stays, SHIFT moves it by some days."""
    if is_blank(cell) or how is Dates.KEEP:
        return cell
    if isinstance(cell, date):
        return _change_typed(cell, how, days)
    if written := _written(as_text(cell)):
        found, day = written
        if how is Dates.SHIFT:
            return found.with_day(day + timedelta(days))
        return found.only(*_PARTS[how])
    moment = read_epoch(cell)
    if moment is None:
        raise ValueError("no date")
    if how is not Dates.SHIFT:
        return moment.strftime(_AS_ISO[how])
    moved = int(str(cell)) + days * epoch_day(cell)
    return moved if isinstance(cell, int) else str(moved)


def _change_typed(cell: date, how: Dates, days: int) -> object:
    if how is Dates.YEAR:
        return f"{cell.year}"
    if how is Dates.MONTH:
        return f"{cell.year}-{cell.month:02}"
    if not isinstance(cell, datetime):
        return cell + timedelta(days)
    if how is Dates.DAY:
        return datetime.combine(cell.date(), time(tzinfo=cell.tzinfo))
    return datetime.combine(cell.date() + timedelta(days), cell.timetz())


def shift_of(key: bytes, *whose: str) -> int:
    """Return by how many days dates are shifted, never by none."""
    drawn = Keyed(key, "shift of dates", *whose).below(2 * _LONGEST_SHIFT)
    return drawn - _LONGEST_SHIFT if drawn < _LONGEST_SHIFT else drawn - _LONGEST_SHIFT + 1
