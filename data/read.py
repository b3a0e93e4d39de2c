"""Message files of any format, opened from a path or a stream and read in chunks of rows."""

import gzip
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from triage.data import chats, columns, errors, limits, objects, tables, tei, text
from triage.data.dates import DateTally, is_recent_date
from triage.data.errors import ColumnError, as_text, fault, problem_of
from triage.data.table import HEAD, Content, Dialect, Format, OpenTable, Reject, Told
from triage.data.xml_stream import root_of
from triage.errors import DataError, TriageError, reading
from triage.safe import STANDARD_STREAM, check_is_ordinary
from triage.settings import Reading

_GZIP_MAGIC = b"\x1f\x8b"
# Files of other programs by their first bytes.
_NOT_READ = {
    b"%PDF": "a PDF",
    b"{\\rtf": "an RTF document",
    b"\xd0\xcf\x11\xe0": "an old file of Word or Excel",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_SHEETS = (Format.XLSX, Format.ODS)
_WITH_HEADER = (*_SHEETS, Format.CSV, Format.TSV)
_WITHOUT_HEADER = "; if it has no header, say --no-header and the number of the column"
_BLOCK = 1 << 20
_FIRST_LINES, _LEAST_SHARE = 1_000, 5
# Rows by which columns are known.
_SAMPLED = 1_000
# UTF-8 of which each byte was read as a character of Latin-1 or Windows-1252.
_GARBLED_SIGNS = ("Ã", "Â", "â€", "ðŸ")
_GARBLED = re.compile("[ÂÃ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|ðŸ")


# The extensions of each format, and the function that opens it.
FORMATS: dict[Format, tuple[tuple[str, ...], Callable[[Content, Reading], OpenTable]]] = {
    Format.CSV: ((".csv", ".txt"), text.open_csv),
    Format.TSV: ((".tsv",), text.open_csv),
    Format.TELEGRAM: ((), objects.open_chat),
    Format.GOOGLE_CHAT: ((), objects.open_chat),
    Format.MESSENGER: ((), objects.open_chat),
    Format.SIGNAL: ((), objects.open_chat),
    Format.JSON: ((".json",), objects.open_json),
    Format.JSONL: ((".jsonl", ".ndjson"), objects.open_json),
    Format.WHATSAPP: ((".zip",), chats.open_whatsapp),
    Format.IMESSAGE: ((), chats.open_imessage),
    Format.XLSX: ((".xlsx",), tables.open_sheet),
    Format.ODS: ((".ods",), tables.open_sheet),
    Format.PARQUET: ((".parquet",), tables.open_parquet),
    Format.LINES: ((), text.open_lines),
    Format.SMS_BACKUP: ((), chats.open_sms_backup),
    Format.TEI: ((".xml", ".tei"), tei.open_tei),
    Format.SQLITE: ((".sqlite", ".sqlite3", ".db"), tables.open_sqlite),
}


@dataclass
class Chunk:
    """Some rows of a file behind its `first`, and their texts, ids, lines and senders."""

    rows: list[list[object]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    first: int = 0

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def part(self, rows: slice) -> "Chunk":
        columns = self.texts[rows], self.ids[rows], self.lines[rows], self.senders[rows]
        return Chunk(self.rows[rows], *columns, self.first + (rows.start or 0))


class MessageFile(AbstractContextManager["MessageFile"]):
    """A message file that `open_messages` opened for reading."""

    def __init__(
        self, name: str, table: OpenTable, said: Reading, chunk_rows: int, opened: ExitStack
    ) -> None:
        self.name, self.lines = name, table.n_rows
        self.columns, self.format = table.columns, table.dialect.format
        columns.check_columns(self.columns, self.name)
        self.text_position = columns.find_text(self.columns, said.text_column, self.name)
        self.id_position = columns.find_role(self.columns, "id", said.id_column, self.name)
        self.text_column = self.columns[self.text_position]
        self.id_column = None if self.id_position is None else self.columns[self.id_position]
        self._table, self._said = table, said
        self._chunk_rows = max(1, min(chunk_rows, limits.CHUNK_CELLS // len(self.columns)))
        self._begin()
        self.close = opened.pop_all().close

    @cached_property
    def sender_position(self) -> int | None:
        """The position of the column of senders: the one named, or one of a usual name."""
        return columns.find_role(self.columns, "sender", self._said.sender_column, self.name)

    @cached_property
    def date_position(self) -> int | None:
        """The position of the column of dates: named, of a usual name, or one that holds dates.

        Cells that are numbers alone are no dates here: they may be telephone numbers.
        """
        named, said = self._said.sender_column, self._said.date_column
        # That a named one is missing is told where senders are wanted.
        sender = columns.find_column(self.columns, named) if named else self.sender_position
        taken = (self.text_position, self.id_position, sender)
        free = ["" if at in taken else name for at, name in enumerate(self.columns)]
        usual = columns.find_role(self.columns if said else free, "date", said, self.name)
        if usual is not None:
            return usual
        born = {name for name in self.columns if columns.has_part(name, "birth")}
        others = [at for at, name in enumerate(free) if at not in taken and name not in born]
        with reading(self.name):
            rows = [*islice(_cells(self._table), _SAMPLED if others else 0)]
        return next(iter(columns.dated_columns(rows, others, is_recent_date)), None)

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of the file, with the names of its columns by their roles."""
        places = {"text": self.text_position, "id": self.id_position}
        places |= {"sender": self.sender_position, "date": self.date_position}
        roles = {role: self.columns[at] for role, at in places.items() if at is not None}
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
        chunk, size, at = Chunk(), 0, self.text_position
        with reading(self.name):
            for line, cells, wrong, raw in self._table.rows():
                self.rows_read += 1
                lengths = [len(cell) for cell in cells if isinstance(cell, str)]
                is_long = (length := sum(lengths)) > limits.LONGEST_CELL < max(lengths)
                is_text = wrong or type(cells[at]) is str
                problem = wrong if is_text else problem_of(cells[at], self.text_column)
                if problem or is_long:
                    self._reject(line, problem or limits.LONG_CELL, raw if problem else "")
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

    def _reject(self, line: int, reason: str, raw: str) -> None:
        """Keep what is wrong with a row, truncated where it or all of them are too long."""
        room = min(limits.LONGEST_REJECT, limits.MOST_REJECTED - self._raw_kept)
        self._raw_kept += min(len(raw), room)
        self.rejects.append(Reject(line, reason, f"{raw[:room]}…" if len(raw) > room else raw))

    def _whole(self, chunk: Chunk, by_sender: bool) -> Chunk:
        """Add columns of rows by their roles, and count dates and texts that seem garbled."""
        chunk.texts = [as_text(row[self.text_position]) for row in chunk.rows]
        if self.id_position is not None:
            chunk.ids = [as_text(row[self.id_position]) for row in chunk.rows]
        chunk.senders = [""] * len(chunk.rows)
        sender = self.sender_position if by_sender else None
        if sender not in (None, self.text_position):
            chunk.senders = [errors.sender_of(row[sender]) for row in chunk.rows]
        together = "".join(chunk.texts)
        try:
            together.encode()
        except UnicodeEncodeError:
            chunk.texts = [errors.whole_characters(text) for text in chunk.texts]
        if any(sign in together for sign in _GARBLED_SIGNS):
            found = map(_GARBLED.search, chunk.texts)
            self._garbled += [n for n, one in zip(chunk.lines, found, strict=True) if one]
        if self.date_position is not None:
            self._dates.add([row[self.date_position] for row in chunk.rows])
        return chunk

    def persons(self) -> Iterator[tuple[str, str, str]]:
        """Yield the persons whom the file names beside its rows: entity, type, spelling."""
        with reading(self.name):
            yield from self._table.persons()

    def told(self) -> Told:
        """Tell, behind the last chunk, what is not ordinary about the file, or doubtful."""
        encoding, separator = self.dialect.encoding, self.dialect.separator
        own, doubts = self._table.told()
        date = self.columns[self.date_position or 0]
        is_usual = self.date_position in (None, columns.guess_column(self.columns, "date"))
        facts = [
            f"in {encoding}" if encoding != "utf-8" else "",
            f"separated by {separator}" if separator not in (None, ",", ";", "\t") else "",
            self._dates.said(date) or ("" if is_usual else f"dates in {date}"),
            *own,
        ]
        if self._garbled:
            share = len(self._garbled) / (self.rows_read - len(self.rejects))
            garbled = (
                f"{len(self._garbled):,} messages ({share:.1%}), the first in line "
                f"{self._garbled[0]:,}, look like UTF-8 that was read as Latin-1 (Ã© for é): they "
                "were left so; mend the file, and decide it again"
            )
            doubts = [*doubts, garbled]
        return [*filter(None, facts)], doubts


def _cells(table: OpenTable) -> Iterator[list[object]]:
    return (cells for _, cells, problem, _ in table.rows() if not problem)


def open_messages(
    path: str | Path,
    said: Reading | None = None,
    *,
    guarded: bool = False,
    chunk_rows: int = 20_000,
    **further: Any,  # noqa: ANN401
) -> MessageFile:
    """Open a message file, or standard input where `path` is ``"-"``, in the format it is in.

    `further` are settings of `said` by their names.
    """
    said = replace(said or Reading(), **further)
    lies_at = None if str(path) == STANDARD_STREAM else Path(path)
    name = str(lies_at or "standard input")
    with reading(name), ExitStack() as opened:
        stored = opened.enter_context(_stored(lies_at))
        is_packed = stored.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        stored.seek(0)
        is_packed |= lies_at is not None and is_compressed(lies_at)
        file = opened.enter_context(gzip.open(stored)) if is_packed else stored
        in_file = None if is_packed else lies_at
        source = Content(name, Format.CSV, cast(IO[bytes], file), in_file, guarded)
        source = replace(source, format=_format(source, lies_at, said))
        table = FORMATS[source.format][1](source, said)
        try:
            return MessageFile(name, table, said, chunk_rows, opened)
        except ColumnError as error:
            at, header = None, ""
            if error.key == "no_text_column":
                header = _WITHOUT_HEADER if source.format in _WITH_HEADER else ""
                is_known = said.format or chats.is_chat(source.head())
                if source.format is Format.CSV and not is_known:
                    _check_is_no_chat(source)
                at = columns.worded_column([*islice(_cells(table), _SAMPLED)])
            likely = "" if at is None else f"; most letters stand in column {at + 1}"
            line = f"{error}{header}{table.hint()}{likely}"
            worded = {} if at is None else {"worded": at + 1}
            raise ColumnError(line, error.key, **error.values, **worded) from error


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


def _format(source: Content, path: Path | None, said: Reading) -> Format:
    """Return the format that the user names, or the content shows, or the extension says."""
    head = source.head()
    if not head:
        raise fault("empty", source.name)
    if what := next((one for begin, one in _NOT_READ.items() if head.startswith(begin)), ""):
        raise fault("no_messages.other", source.name, what=what)
    if not said.format:
        found = _recognised(head, path, said)
        if found is Format.LINES:
            _check_is_no_chat(source)
    elif said.format.lower() in {one.value for one in Format}:
        found = Format(said.format.lower())
    else:
        known = ", ".join(format_.value for format_ in Format)
        raise fault("unknown_format", format=said.format, known=known)
    for option, value, formats in (
        ("--sheet", said.sheet, _SHEETS),
        ("--table", said.table, (Format.SQLITE,)),
        ("--no-header", said.no_header or None, _WITH_HEADER),
    ):
        if value is not None and found not in formats:
            raise fault("not_of_format", option=option, format=found.value)
    return found


def _recognised(head: bytes, path: Path | None, said: Reading) -> Format:
    """Return the format of which a file begins, the likeliest, or that of its extension."""
    start, by_name = text.head_text(head), None if path is None else format_of_extension(path)
    exports = errors.words_of("chats")
    fitting = [one for one, begins in _beginnings(head, start.lstrip()).items() if begins]
    is_table_named = path is not None and not may_be_lines(path)
    may_be_table = path is None or (by_name and by_name.is_delimited)
    has_header, is_table = text.is_table(start)
    if fitting == [Format.WHATSAPP] and may_be_table and not tables.is_zip(head):
        # A table may have cells that begin like the messages of a chat: it has a header, or the
        # name of a table and cells of constant number behind the dates of whole lines.
        is_said = by_name and (said.no_header or said.separator is not None)
        rest = chats.undated(start if len(head) < HEAD else start.rpartition("\n")[0])
        if has_header or is_said or (is_table_named and text.is_table(rest, 2)[1]):
            return by_name or Format.CSV
    if fitting or path is None:
        first = [*fitting, Format.CSV][0]
        return by_name if by_name in fitting and first.value not in exports else first
    is_table_said = said.text_column or said.id_column or said.separator or said.no_header
    if not (is_table_named or is_table_said or is_table):
        return Format.LINES
    # A name without extension says nothing against a header.
    if not path.suffix and has_header:
        return Format.CSV
    found = format_of_name(path, remedy="; or say its format, such as --format csv")
    if not found.is_delimited and has_header:
        raise fault("damaged.name", path)
    return found


def _beginnings(head: bytes, start: str) -> dict[Format, object]:
    """Return whether a file begins like one of each format, the likeliest first."""
    root, exports = root_of(head), errors.words_of("chats").items()
    first, end, _ = start.partition("\n")
    is_object, is_cut = start.startswith("{"), bool(end) and not first.rstrip().endswith("}")
    return {
        **{Format(name): re.match(one["begins"], start) for name, one in exports},
        Format.JSON: (is_object and is_cut) or objects.BEGINS_WITH_ARRAY.match(start),
        Format.JSONL: is_object,
        Format.WHATSAPP: tables.is_flat_zip(head) or chats.is_chat(head),
        Format.IMESSAGE: chats.IMESSAGE_HEADER.match(start),
        Format.XLSX: tables.IS_XLSX.match(head),
        Format.ODS: tables.IS_ODS.match(head),
        Format.PARQUET: head.startswith(b"PAR1"),
        Format.SMS_BACKUP: root == chats.BACKUP_ROOT,
        Format.TEI: root.rpartition(" ")[2] in tei.ROOTS,
        Format.SQLITE: head.startswith(tables.SQLITE_MAGIC),
    }


def _check_is_no_chat(source: Content) -> None:
    """Check that what seems to be plain lines is no chat in a form that is not known."""
    source.file.seek(0)
    lines = text.head_text(source.file.read(_BLOCK)).splitlines()[:_FIRST_LINES]
    lines = [line for line in lines if line.strip()]
    n_dated = sum(map(chats.is_dated, lines))
    if n_dated > 1 and n_dated * _LEAST_SHARE >= len(lines):
        raise fault("maybe_chat", source.name, dated=n_dated, lines=len(lines))


def is_compressed(path: Path) -> bool:
    """Return whether a name says that the file is compressed, and the format of its content."""
    return path.suffix.lower() == ".gz" and format_of_extension(path) is not None


def format_of_extension(path: Path) -> Format | None:
    packed = path.suffix.lower() == ".gz"
    extension = (Path(path.stem) if packed else path).suffix.lower()
    found = next((f for f, (ends, _) in FORMATS.items() if extension in ends), None)
    return found if found and (found.is_text or not packed) else None


def may_be_lines(path: Path) -> bool:
    """Return whether a name is one of chats and of lines as well as of tables."""
    return path.name.lower().endswith((".txt", ".txt.gz"))


def format_of_name(
    path: Path, formats: Collection[Format] = FORMATS.keys(), remedy: str = ""
) -> Format:
    found = format_of_extension(path)
    if found in formats:
        return cast(Format, found)
    if found is Format.ODS:
        raise DataError(f"{path}: ODS is read, not written: write {path.with_suffix('.xlsx').name}")
    texts = [end for one in formats if one.is_text for end in FORMATS[one][0]]
    others = [end for one in formats if not one.is_text for end in FORMATS[one][0]]
    raise DataError(
        f"{path}: unknown format; the name must end in one of {', '.join(texts)} (each also with "
        f".gz), {', '.join(others)}{remedy}"
    )
