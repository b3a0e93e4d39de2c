"""Message files of any format, opened from a path or a stream and read in chunks of rows."""

import gzip
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from triage.data import chats, columns, errors, limits, text
from triage.data.dates import DateTally, is_recent_date
from triage.data.errors import ColumnError, as_text, fault, problem_of
from triage.data.formats import FORMATS, WITH_HEADER, check_is_no_chat, format_of, is_compressed
from triage.data.table import Content, Dialect, Format, Notes, OpenTable, Reject
from triage.data.tables import other_sheets
from triage.errors import DataError, TriageError, reading
from triage.safe import STANDARD_STREAM, check_is_ordinary
from triage.settings import Reading

_GZIP_MAGIC = b"\x1f\x8b"
_WITHOUT_HEADER = "; if it has no header, say --no-header and the number of the column"
_BLOCK = 1 << 20
# The number of rows by which the contents of columns are guessed.
_SAMPLED = 1_000
# UTF-8 of which each byte was read as a character of Latin-1 or Windows-1252.
_GARBLED_SIGNS = ("Ã", "Â", "â€", "ðŸ")
_GARBLED = re.compile("[ÂÃ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|ðŸ")


@dataclass
class Chunk:
    """Some rows of a file behind its `first`, and their texts, ids, lines and senders."""

    rows: list[list[object]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    first: int = 0

    def part(self, rows: slice) -> "Chunk":
        columns = self.texts[rows], self.ids[rows], self.lines[rows], self.senders[rows]
        return Chunk(self.rows[rows], *columns, self.first + (rows.start or 0))


class MessageFile(AbstractContextManager["MessageFile"]):
    def __init__(
        self, name: str, table: OpenTable, options: Reading, chunk_rows: int, opened: ExitStack
    ) -> None:
        self.name, self.lines = name, table.n_rows
        self.columns, self.format = table.columns, table.dialect.format
        columns.check_columns(self.columns, self.name)
        at = self.text_position = columns.find_text(self.columns, options.text_column, self.name)
        self.id_position = columns.find_role(self.columns, "id", options.id_column, self.name, at)
        self.text_column = self.columns[self.text_position]
        self.id_column = None if self.id_position is None else self.columns[self.id_position]
        self._table, self._options = table, options
        self._chunk_rows = max(1, min(chunk_rows, limits.CHUNK_CELLS // len(self.columns)))
        self._begin()
        self.close = opened.pop_all().close

    @cached_property
    def sender_position(self) -> int | None:
        """The position of the column of senders: the one named, or one of a usual name."""
        name, text = self._options.sender_column, self.text_position
        return columns.find_role(self.columns, "sender", name, self.name, text)

    @cached_property
    def date_position(self) -> int | None:
        """The position of the column of dates: named, of a usual name, or one that holds dates.

        Cells that are numbers alone are no dates here: they may be telephone numbers.
        """
        named, dated = self._options.sender_column, self._options.date_column
        # That a named one is missing is told where senders are wanted.
        sender = columns.find_column(self.columns, named) if named else self.sender_position
        taken = (self.text_position, self.id_position, sender)
        free = ["" if i in taken else name for i, name in enumerate(self.columns)]
        names = self.columns if dated else free
        usual = columns.find_role(names, "date", dated, self.name, self.text_position)
        if usual is not None:
            return usual
        born = {name for name in self.columns if columns.has_part(name, "birth")}
        others = [i for i, name in enumerate(free) if i not in taken and name not in born]
        with reading(self.name):
            rows = [*islice(_cells(self._table), _SAMPLED if others else 0)]
        return next(iter(columns.dated_columns(rows, others, is_recent_date)), None)

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of the file, with the names of its columns by their roles."""
        places = {"text": self.text_position, "id": self.id_position}
        places |= {"sender": self.sender_position, "date": self.date_position}
        roles = {role: self.columns[i] for role, i in places.items() if i is not None}
        return replace(self._table.dialect, roles=roles)

    @cached_property
    def month_first(self) -> bool:
        """True if the dates of the column, as a whole, are read like 9/17/2011."""
        tally, at = DateTally(), self.date_position
        with reading(self.name):
            cells = (row[at or 0] for row in _cells(self._table))
            while at is not None and not tally.is_settled and (some := [*islice(cells, _SAMPLED)]):
                tally.add(some)
        return tally.month_first

    def _begin(self) -> None:
        self.rejects: list[Reject] = []
        self.rows_read = self._raw_kept = 0
        self._garbled: list[int] = []
        self._dates = DateTally()

    def __exit__(self, *_: object) -> None:
        self.close()

    def chunks(self, *, by_sender: bool = True) -> Iterator[Chunk]:
        """Yield all rows from the first, `chunk_rows` at a time, or fewer if they are large.

        Senders are unknown unless they are wanted.
        """
        self._begin()
        # Found before rows are read: both read the file from its beginning.
        _ = self.date_position
        chunk, size, text_at = Chunk(), 0, self.text_position
        with reading(self.name):
            for line, cells, fault_of_row, raw in self._table.rows():
                self.rows_read += 1
                lengths = [len(cell) for cell in cells if isinstance(cell, str)]
                is_long = (length := sum(lengths)) > limits.LONGEST_CELL < max(lengths)
                is_text = fault_of_row or type(cells[text_at]) is str
                problem = fault_of_row if is_text else problem_of(cells[text_at], self.text_column)
                if problem or is_long:
                    # The row is kept, truncated where it or all of them are too long.
                    raw_kept = raw if problem else ""
                    room = min(limits.LONGEST_REJECT, limits.MAX_REJECTED - self._raw_kept)
                    self._raw_kept += min(len(raw_kept), room)
                    raw_kept = f"{raw_kept[:room]}…" if len(raw_kept) > room else raw_kept
                    self.rejects.append(Reject(line, problem or limits.LONG_CELL, raw_kept))
                    continue
                size += length
                chunk.lines.append(line)
                chunk.rows.append(cells)
                if self.id_position is None:
                    chunk.ids.append(str(self.rows_read))
                if size >= limits.CHUNK_CHARACTERS or len(chunk.rows) == self._chunk_rows:
                    yield self._whole(chunk, by_sender)
                    chunk, size = Chunk(first=self.rows_read - len(self.rejects)), 0
            if chunk.rows:
                yield self._whole(chunk, by_sender)

    def first_messages(self) -> Iterator[str]:
        for chunk in islice(self.chunks(by_sender=False), 1):
            yield from chunk.texts

    def whole_chunks(self, *, by_sender: bool = True) -> Iterator[Chunk]:
        """Yield all chunks as `chunks` does, where every row is wanted."""
        for chunk in self.chunks(by_sender=by_sender):
            self.check_whole()
            yield chunk
        self.check_whole()

    def check_whole(self) -> None:
        """Check that all rows that were met could be read."""
        if self.rejects:
            first = self.rejects[0]
            raise TriageError(
                f"{self.name}, line {first.line}: {first.reason}; every row is wanted here, mend "
                "or remove this one"
            )

    def _whole(self, chunk: Chunk, by_sender: bool) -> Chunk:
        """Add columns of rows by their roles, and count dates and texts that seem garbled."""
        chunk.texts = [as_text(row[self.text_position]) for row in chunk.rows]
        if self.id_position is not None:
            chunk.ids = [as_text(row[self.id_position]) for row in chunk.rows]
        chunk.senders = [""] * len(chunk.rows)
        sender = self.sender_position if by_sender else None
        if sender is not None:
            chunk.senders = [errors.sender_of(row[sender]) for row in chunk.rows]
        together = "".join(chunk.texts)
        try:
            together.encode()
        except UnicodeEncodeError:
            chunk.texts = [errors.whole_characters(text) for text in chunk.texts]
        if any(sign in together for sign in _GARBLED_SIGNS):
            matches = map(_GARBLED.search, chunk.texts)
            self._garbled += [n for n, one in zip(chunk.lines, matches, strict=True) if one]
        if self.date_position is not None:
            self._dates.add([row[self.date_position] for row in chunk.rows])
        return chunk

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all sheets or tables of the file, as errors may show them."""
        return tuple(map(errors.one_line, self._table.parts()))

    def persons(self) -> Iterator[tuple[str, str, str]]:
        """Yield the persons whom the file names beside its rows: entity, type, spelling."""
        with reading(self.name):
            yield from self._table.persons()

    def notes(self) -> Notes:
        """Return, behind the last chunk, what is unusual about the file, and what is doubtful."""
        encoding, separator = self.dialect.encoding, self.dialect.separator
        table_notes, doubts = self._table.notes()
        date = self.columns[self.date_position or 0]
        is_usual = self.date_position in (None, columns.guess_column(self.columns, "date"))
        facts = [
            f"in {encoding}" if encoding != "utf-8" else "",
            f"separated by {separator}" if separator not in (None, ",", ";", "\t") else "",
            self._dates.note(date) or ("" if is_usual else f"dates in {date}"),
            *table_notes,
        ]
        if self._garbled:
            n_messages = self.rows_read - len(self.rejects)
            garbled = (
                f"{len(self._garbled):,} of {n_messages:,} messages, the first in line "
                f"{self._garbled[0]:,}, look like UTF-8 that was read as Latin-1 (Ã© for é): they "
                "were left so; mend the file, and decide it again"
            )
            doubts = [*doubts, garbled]
        return [*filter(None, facts)], doubts


def _cells(table: OpenTable) -> Iterator[list[object]]:
    return (cells for _, cells, problem, _ in table.rows() if not problem)


def open_messages(
    path: str | Path,
    options: Reading | None = None,
    *,
    guarded: bool = False,
    chunk_rows: int = 20_000,
    **settings: Any,  # noqa: ANN401
) -> MessageFile:
    """Open a message file, or standard input where `path` is ``"-"``, in the format it is in.

    `settings` are those of `options` that win, by their names.
    """
    options = replace(options or Reading(), **settings)
    location = None if str(path) == STANDARD_STREAM else Path(path)
    name = str(location or "standard input")
    with reading(name), ExitStack() as opened:
        stored = opened.enter_context(_stored(location))
        is_packed = stored.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        stored.seek(0)
        is_packed |= location is not None and is_compressed(location)
        file = opened.enter_context(gzip.open(stored)) if is_packed else stored
        in_file = None if is_packed else location
        source = Content(name, Format.CSV, cast(IO[bytes], file), in_file, guarded)
        source = replace(source, format=format_of(source, location, options))
        table = FORMATS[source.format][1](source, options)
        try:
            return MessageFile(name, table, options, chunk_rows, opened)
        except ColumnError as error:
            raise _explained(error, source, table, options) from error


def _explained(
    error: ColumnError, source: Content, table: OpenTable, options: Reading
) -> ColumnError:
    """Add hints to an error about a column: another sheet, the column with most letters."""
    header, likely, worded = "", "", dict[str, int]()
    if error.key == "no_text_column":
        header = _WITHOUT_HEADER if source.format in WITH_HEADER else ""
        is_known = options.format or chats.is_chat(source.head())
        if source.format is Format.CSV and not is_known:
            check_is_no_chat(source)
        best = columns.worded_column([*islice(_cells(table), _SAMPLED)])
        if best is not None:
            likely, worded = f"; most letters stand in column {best + 1}", {"worded": best + 1}
    sheets = () if source.format is Format.SQLITE else table.parts()
    line = f"{error}{header}{other_sheets(sheets, options)}{likely}"
    return ColumnError(line, error.key, **error.values, **worded)


def read_stream(encoding: str | None = None) -> str:
    """Return standard input as one text, its encoding found out as that of a file."""
    name = "standard input"
    with reading(name), _stored(None) as stored:
        opened = text.open_text(Content(name, Format.LINES, stored), encoding)
        if opened.damaged:
            raise fault("encoding.message", name)
        return re.sub("\r\n?", "\n", "".join(opened.lines()))


def _stored(path: Path | None) -> IO[bytes]:
    """Open a file, or a copy of standard input, of which no name says anything."""
    if path is not None:
        check_is_ordinary(path)
        return path.open("rb")
    if sys.stdin is None:
        raise DataError("cannot read standard input: it is closed")
    # A file without a name vanishes with the process, however it ends.
    stored = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, stored, _BLOCK)
    stored.seek(0)
    return stored
