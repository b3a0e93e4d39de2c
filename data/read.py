"""Message files of any format, opened from a path or a stream and read in chunks of rows."""

import gzip
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from triage.data.chats import chat_format, open_chat
from triage.data.columns import find_id, find_text, guess_date
from triage.data.dates import DateTally
from triage.data.errors import (
    CHUNK_CELLS,
    CHUNK_CHARACTERS,
    LONGEST_REJECT,
    MOST_REJECTED,
    ColumnError,
    as_text,
    fault,
    whole_characters,
)
from triage.data.objects import is_json, is_jsonl, open_json
from triage.data.phones import is_imessage, is_sms_backup, open_imessage, open_sms_backup
from triage.data.sheets import IS_ODS, IS_XLSX, open_sheet
from triage.data.table import Format, Reject, Row, Source, Table, Told
from triage.data.tables import is_sqlite, open_parquet, open_sqlite
from triage.data.tei import is_tei, open_tei
from triage.data.text import head_text, is_table, open_csv, open_lines
from triage.data.whatsapp import is_dated, is_whatsapp, open_whatsapp
from triage.errors import DataError, reading
from triage.safe import STANDARD_STREAM, check_is_ordinary
from triage.settings import Reading

_GZIP_MAGIC = b"\x1f\x8b"
_HEAD = 4096
_BLOCK = 1 << 20
# Rows of which the size is known before more are read.
_BATCH = 32
_FIRST_LINES, _LEAST_SHARE = 1_000, 5
_USUAL_SEPARATORS = (None, ",", ";", "\t")
# UTF-8 of which each byte was read as a character of Latin-1 or Windows-1252.
_GARBLED_SIGNS = ("Ã", "Â", "â€", "ðŸ")
_GARBLED = re.compile("[ÂÃ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|ðŸ")


class FormatSupport(NamedTuple):
    """Extensions and functions of a format; without `recognise`, only extensions identify it."""

    extensions: tuple[str, ...]
    open: Callable[[Source, Reading], Table]
    recognise: Callable[[bytes], object] | None = None


# Of two that recognise a file, the first is the likelier.
FORMATS = {
    Format.CSV: FormatSupport((".csv", ".txt"), open_csv),
    Format.TSV: FormatSupport((".tsv",), open_csv),
    Format.TELEGRAM: FormatSupport((), open_chat),
    Format.GOOGLE_CHAT: FormatSupport((), open_chat),
    Format.MESSENGER: FormatSupport((), open_chat),
    Format.SIGNAL: FormatSupport((), open_chat),
    Format.JSON: FormatSupport((".json",), open_json, is_json),
    Format.JSONL: FormatSupport((".jsonl", ".ndjson"), open_json, is_jsonl),
    Format.WHATSAPP: FormatSupport((".zip",), open_whatsapp, is_whatsapp),
    Format.IMESSAGE: FormatSupport((), open_imessage, is_imessage),
    Format.XLSX: FormatSupport((".xlsx",), open_sheet, IS_XLSX.match),
    Format.ODS: FormatSupport((".ods",), open_sheet, IS_ODS.match),
    Format.PARQUET: FormatSupport((".parquet",), open_parquet, re.compile(b"PAR1").match),
    Format.LINES: FormatSupport((), open_lines),
    Format.SMS_BACKUP: FormatSupport((), open_sms_backup, is_sms_backup),
    Format.TEI: FormatSupport((".xml", ".tei"), open_tei, is_tei),
    Format.SQLITE: FormatSupport((".sqlite", ".sqlite3", ".db"), open_sqlite, is_sqlite),
}


@dataclass
class Chunk:
    """Successive rows of a message file; `size` counts the characters of their cells."""

    rows: list[list[object]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    size: int = field(default=0, compare=False)


class MessageFile:
    """A message file that `open_messages` opened for reading."""

    def __init__(
        self, name: str, table: Table, said: Reading, chunk_rows: int, opened: ExitStack
    ) -> None:
        self.name, self.lines = name, table.n_rows
        self.columns, self.dialect = table.columns, table.dialect
        self.format = table.dialect.format
        self.text_position = find_text(self.columns, said.text_column, self.name)
        self.id_position = find_id(self.columns, said.id_column, self.name)
        self.rejects: list[Reject] = []
        self.rows_read = self._raw_kept = 0
        self._table = table
        self._chunk_rows = max(1, min(chunk_rows, CHUNK_CELLS // len(self.columns)))
        self._garbled: list[int] = []
        self._dates = DateTally()
        self._date_position = guess_date(self.columns)
        self._opened = opened.pop_all()

    def __enter__(self) -> "MessageFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._opened.close()

    @property
    def text_column(self) -> str:
        return self.columns[self.text_position]

    @property
    def id_column(self) -> str | None:
        """The name of the column of identifiers, if there is one."""
        return None if self.id_position is None else self.columns[self.id_position]

    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows from the first, `chunk_rows` at a time, or fewer if they are large."""
        self.rejects.clear()
        self._garbled.clear()
        self._dates = DateTally()
        self.rows_read = self._raw_kept = 0
        with reading(self.name):
            rows = self._table.rows()
            while (chunk := self._chunk(rows)).rows:
                yield chunk

    def _chunk(self, rows: Iterator[Row | Reject]) -> Chunk:
        chunk = Chunk()
        while chunk.size < CHUNK_CHARACTERS and (room := self._chunk_rows - len(chunk.rows)):
            batch = [*islice(rows, min(room, _BATCH))]
            if not batch:
                break
            start = len(chunk.rows)
            for row in batch:
                self.rows_read += 1
                if isinstance(row, Reject):
                    self._reject(row)
                    continue
                chunk.lines.append(row[0])
                chunk.rows.append(row[1])
                if self.id_position is None:
                    chunk.ids.append(str(self.rows_read))
            chunk.size += _size(chunk.rows[start:])
        chunk.texts = _column(chunk.rows, self.text_position)
        if self.id_position is not None:
            chunk.ids = _column(chunk.rows, self.id_position)
        self._look_at(chunk)
        return chunk

    def _look_at(self, chunk: Chunk) -> None:
        """Replace what is no whole character, and count dates and texts that seem garbled."""
        together = "".join(chunk.texts)
        try:
            together.encode()
        except UnicodeEncodeError:
            chunk.texts = [whole_characters(text) for text in chunk.texts]
        if any(sign in together for sign in _GARBLED_SIGNS):
            found = map(_GARBLED.search, chunk.texts)
            self._garbled += [n for n, one in zip(chunk.lines, found, strict=True) if one]
        if self._date_position is not None:
            self._dates.add([row[self._date_position] for row in chunk.rows])

    def _reject(self, reject: Reject) -> None:
        """Keep a rejected row, truncated where it or all of them are too long."""
        room = min(LONGEST_REJECT, MOST_REJECTED - self._raw_kept)
        self._raw_kept += min(len(reject.raw), room)
        if len(reject.raw) > room:
            reject = replace(reject, raw=f"{reject.raw[:room]}…")
        self.rejects.append(reject)

    def persons(self) -> Iterator[tuple[str, str, str]]:
        """Yield the persons whom the file names beside its rows: entity, type, spelling."""
        with reading(self.name):
            yield from self._table.persons()

    def told(self) -> Told:
        """Tell, behind the last chunk, what is not ordinary about the file, or doubtful."""
        encoding, separator = self.dialect.encoding, self.dialect.separator
        own, doubts = self._table.told()
        facts = [
            f"in {encoding}" if encoding != "utf-8" else "",
            f"separated by {separator}" if separator not in _USUAL_SEPARATORS else "",
            self._dates.said(self.columns[self._date_position or 0]),
            *own,
        ]
        if self._garbled:
            share = len(self._garbled) / (self.rows_read - len(self.rejects))
            garbled = (
                f"{len(self._garbled):,} messages ({share:.1%}), the first in line "
                f"{self._garbled[0]:,}, look like UTF-8 that was read as Latin-1 (Ã© for é): they "
                "were left so; mend the file, and decide it again"
            )
            doubts = (*doubts, garbled)
        return Told(tuple(filter(None, facts)), doubts)


def _size(rows: list[list[object]]) -> int:
    try:
        # All cells are text, as those of CSV.
        return sum(map(len, map("".join, cast("list[list[str]]", rows))))
    except TypeError:
        return sum([len(cell) for row in rows for cell in row if isinstance(cell, str)])


def _column(rows: list[list[object]], position: int) -> list[str]:
    cells = [row[position] for row in rows]
    return [cell if isinstance(cell, str) else as_text(cell) for cell in cells]


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
    if chunk_rows < 1:
        raise ValueError(f"chunk_rows must be positive, not {chunk_rows}")
    said = replace(said or Reading(), **further)
    name = "standard input" if str(path) == STANDARD_STREAM else str(path)
    with reading(name), ExitStack() as opened:
        stored, lies_at = _stored(path)
        opened.enter_context(stored)
        file = _decompressed(stored, lies_at)
        head = file.read(_HEAD)
        if not head:
            raise fault(name, "empty", " is empty: it has no header and no messages")
        format_ = _format(head, lies_at, said)
        _check_applies(format_, said)
        in_file = lies_at if file is stored else None
        source = Source(name, format_, opened.enter_context(file), in_file, guarded)
        if format_ is Format.LINES and not said.format:
            _check_is_no_chat(source)
        try:
            table = FORMATS[format_].open(source, said)
            return MessageFile(name, table, said, chunk_rows, opened)
        except ColumnError:
            if format_ is Format.CSV and not said.format:
                _check_is_no_chat(source)
            raise


def _stored(path: str | Path) -> tuple[IO[bytes], Path | None]:
    """Open a file, or a copy of standard input, of which no name says anything."""
    if str(path) != STANDARD_STREAM:
        check_is_ordinary(path)
        return Path(path).open("rb"), Path(path)
    if sys.stdin is None:
        raise DataError("cannot read standard input: it is closed")
    # A file without a name vanishes with the process, however it ends.
    stored = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, stored, _BLOCK)
    return stored, None


def _decompressed(stored: IO[bytes], path: Path | None) -> IO[bytes]:
    stored.seek(0)
    is_packed = stored.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    stored.seek(0)
    if is_packed or (path is not None and is_compressed(path)):
        return cast(IO[bytes], gzip.open(stored, "rb"))
    return stored


def _format(head: bytes, path: Path | None, said: Reading) -> Format:
    """Return the format that the user names, or the content shows, or the extension says."""
    if said.format:
        return _named(said.format)
    found = chat_format(head)
    if found is None:
        fitting = [f for f, one in FORMATS.items() if one.recognise and one.recognise(head)]
        by_name = None if path is None else format_of_extension(path)
        found = by_name if by_name in fitting else next(iter(fitting), None)
    if found is None and path is not None:
        found = format_of_name(path)
        is_table_said = said.text_column or said.id_column or said.separator or said.no_header
        if may_be_lines(path) and not is_table_said and not is_table(head_text(head)):
            found = Format.LINES
    return found or Format.CSV


def _named(name: str) -> Format:
    try:
        return Format(name.lower())
    except ValueError as error:
        known = ", ".join(format_.value for format_ in Format)
        raise DataError(
            f"--format {name!r} is unknown: it is one of {known}",
            "unknown_format",
            format=name,
            known=known,
        ) from error


def _check_applies(format_: Format, said: Reading) -> None:
    """Check that options that only some formats have are given for one of these alone."""
    sheets = (Format.XLSX, Format.ODS)
    for option, value, formats in (
        ("--sheet", said.sheet, sheets),
        ("--table", said.table, (Format.SQLITE,)),
        ("--no-header", said.no_header or None, (*sheets, Format.CSV, Format.TSV)),
    ):
        if value is not None and format_ not in formats:
            raise DataError(
                f"{option} does not apply to {format_.value}",
                "not_of_format",
                option=option,
                format=format_.value,
            )


def _check_is_no_chat(source: Source) -> None:
    """Check that what seems to be plain lines is no chat in a form that is not known."""
    source.file.seek(0)
    lines = head_text(source.file.read(_BLOCK)).splitlines()[:_FIRST_LINES]
    lines = [line for line in lines if line.strip()]
    n_dated = sum(map(is_dated, lines))
    if n_dated > 1 and n_dated * _LEAST_SHARE >= len(lines):
        line = (
            f": {n_dated:,} of its first {len(lines):,} lines begin with a date and a sender: say "
            "--format whatsapp if it is a chat, --format lines if each is a message"
        )
        raise fault(source.name, "maybe_chat", line)


def is_compressed(path: Path) -> bool:
    """Return whether a name says that the file is compressed, and the format of its content."""
    return path.suffix.lower() == ".gz" and format_of_extension(path) is not None


def format_of_extension(path: Path) -> Format | None:
    """Return the format of a file by its extension; None where that is unknown."""
    packed = path.suffix.lower() == ".gz"
    extension = (Path(path.stem) if packed else path).suffix.lower()
    for format_, support in FORMATS.items():
        if extension in support.extensions and (format_.is_text or not packed):
            return format_
    return None


def may_be_lines(path: Path) -> bool:
    """Return whether a name is one of chats and of lines as well as of tables."""
    return path.name.lower().endswith((".txt", ".txt.gz"))


def format_of_name(path: Path, formats: Collection[Format] = FORMATS.keys()) -> Format:
    """Return the format of a file by its extension; `DataError` if it is none of these."""
    found = format_of_extension(path)
    if found is Format.ODS and found not in formats:
        raise DataError(f"{path}: ODS is read, not written: write {path.with_suffix('.xlsx').name}")
    if found is not None and found in formats:
        return found
    known = [(one.is_text, ending) for one in formats for ending in FORMATS[one].extensions]
    texts, others = (
        ", ".join(end for is_text, end in known if is_text is k) for k in (True, False)
    )
    raise DataError(
        f"{path}: unknown format; the name must end in one of {texts} (each also with .gz),"
        f" {others}"
    )
