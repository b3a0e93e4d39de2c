"""Contract of a format: a function that opens a `Content` as an `OpenTable`, as a `Reading` says.

It raises `DataError` if the file is damaged, is too large or has no such column. `FORMATS` in
`triage.data.formats` and `WRITERS` in `triage.data.output` name those that are read and written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, TypeAlias

OWNER = "me"
"""The sender or the recipient whose phone or chat it is."""
CONTACT = "contact"
"""The type of what somebody is called in a list of contacts: a name, or anything else."""
HEAD = 4096
WINDOWS = "cp1252"
_BLOCK = 1 << 18


class Format(StrEnum):
    """A format of message files; the value is its name, and the extension of those written."""

    __hash__ = str.__hash__

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    XLSX = "xlsx"
    ODS = "ods"
    PARQUET = "parquet"
    WHATSAPP = "whatsapp"
    LINES = "lines"
    SMS_BACKUP = "sms-backup"
    TEI = "tei"
    JSON = "json"
    TELEGRAM = "telegram"
    SIGNAL = "signal"
    GOOGLE_CHAT = "google-chat"
    MESSENGER = "messenger"
    IMESSAGE = "imessage"
    SQLITE = "sqlite"

    @property
    def is_delimited(self) -> bool:
        return self in (Format.CSV, Format.TSV)

    @property
    def is_text(self) -> bool:
        """Return whether the file is lines of text, which may be compressed or piped."""
        return self.is_delimited or self is Format.JSONL


@dataclass(frozen=True)
class Dialect:
    """Details of a file's format, for a writer to imitate, and its columns by their roles."""

    format: Format
    encoding: str = "utf-8"
    separator: str | None = None
    bom: bool = False
    line_terminator: str = "\n"
    schema: object | None = None
    guarded: bool = False
    roles: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Content:
    """A seekable stream of decompressed bytes, with its name in errors.

    `path` is that of a file that is read as it lies on the disk; cells of a `guarded` one may have
    an apostrophe that keeps spreadsheets from taking them for formulas.
    """

    name: str
    format: Format
    file: IO[bytes]
    path: Path | None = None
    guarded: bool = False

    def blocks(self) -> Iterator[bytes]:
        self.file.seek(0)
        while block := self.file.read(_BLOCK):
            yield block

    def head(self) -> bytes:
        self.file.seek(0)
        return self.file.read(HEAD)


@dataclass(frozen=True)
class Reject:
    """A row that cannot be read as a message, and the line on which it starts, from 1."""

    line: int
    reason: str
    raw: str

    @property
    def cells(self) -> tuple[int, str, str]:
        """Its line, its reason, and the row, in which bytes that are no text are written out."""
        raw = self.raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return self.line, self.reason, raw


Row: TypeAlias = tuple[int, list[object], str, str]
"""The line on which a row starts, its cells, its fault if it has one, and then how it stands."""
Notes: TypeAlias = tuple[list[str], list[str]]
"""Lines about a file that was read: how it was understood, and what is doubtful."""


@dataclass(frozen=True)
class OpenTable:
    """An open message file of any format; `notes` and `persons` are asked behind its last row.

    `parts` are the names of all sheets or tables of the file.
    `persons` are those whom the file names beside its rows: entity, type (empty for a whole name,
    or `CONTACT`) and spelling of each name.
    """

    columns: tuple[str, ...]
    dialect: Dialect
    n_rows: int
    rows: Callable[[], Iterator[Row]]
    notes: Callable[[], Notes] = lambda: ([], [])
    persons: Callable[[], Iterable[tuple[str, str, str]]] = tuple
    parts: Callable[[], Sequence[str]] = tuple
