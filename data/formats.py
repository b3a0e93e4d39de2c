"""Registry of the formats: how each is recognised, read and written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from triage.data.chats import chat_format, open_chat
from triage.data.delimited import CsvWriter, open_csv, open_lines
from triage.data.errors import DataError
from triage.data.objects import JsonlWriter, JsonWriter, is_json, is_jsonl, open_json, open_jsonl
from triage.data.phones import is_imessage, is_sms_backup, open_imessage, open_sms_backup
from triage.data.sheets import is_ods, is_xlsx, open_sheet, xlsx_writer
from triage.data.table import Dialect, Format, Source, Table, Writer
from triage.data.tables import (
    ParquetWriter,
    is_parquet,
    is_sqlite,
    open_parquet,
    open_sqlite,
)
from triage.data.tei import TeiWriter, is_tei, open_tei
from triage.data.whatsapp import is_whatsapp, open_whatsapp
from triage.settings import Reading


@dataclass(frozen=True)
class FormatSupport:
    """Extensions and functions of a format; without `recognise`, only extensions identify it."""

    extensions: tuple[str, ...]
    open: Callable[[Source, Reading], Table]
    recognise: Callable[[bytes], bool] | None = None


# Of two that recognise a file, the first is the likelier.
FORMATS = {
    Format.CSV: FormatSupport((".csv", ".txt"), open_csv),
    Format.TSV: FormatSupport((".tsv",), open_csv),
    Format.TELEGRAM: FormatSupport((), open_chat),
    Format.GOOGLE_CHAT: FormatSupport((), open_chat),
    Format.MESSENGER: FormatSupport((), open_chat),
    Format.SIGNAL: FormatSupport((), open_chat),
    Format.JSON: FormatSupport((".json",), open_json, is_json),
    Format.JSONL: FormatSupport((".jsonl", ".ndjson"), open_jsonl, is_jsonl),
    Format.WHATSAPP: FormatSupport((".zip",), open_whatsapp, is_whatsapp),
    Format.IMESSAGE: FormatSupport((), open_imessage, is_imessage),
    Format.XLSX: FormatSupport((".xlsx",), open_sheet, is_xlsx),
    Format.ODS: FormatSupport((".ods",), open_sheet, is_ods),
    Format.PARQUET: FormatSupport((".parquet",), open_parquet, is_parquet),
    Format.LINES: FormatSupport((), open_lines),
    Format.SMS_BACKUP: FormatSupport((), open_sms_backup, is_sms_backup),
    Format.TEI: FormatSupport((".xml", ".tei"), open_tei, is_tei),
    Format.SQLITE: FormatSupport((".sqlite", ".sqlite3", ".db"), open_sqlite, is_sqlite),
}
WRITERS: Mapping[Format, Callable[[IO[bytes], Sequence[str], Dialect], Writer]] = {
    Format.CSV: CsvWriter,
    Format.TSV: CsvWriter,
    Format.JSONL: JsonlWriter,
    Format.JSON: JsonWriter,
    Format.TEI: TeiWriter,
    Format.XLSX: xlsx_writer,
    Format.PARQUET: ParquetWriter,
}


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
    known: dict[bool, list[str]] = {True: [], False: []}
    for format_ in formats:
        known[format_.is_text] += FORMATS[format_].extensions
    raise DataError(
        f"{path}: unknown format; the name must end in one of {', '.join(known[True])}"
        f" (each also with .gz), {', '.join(known[False])}"
    )


def named_format(name: str) -> Format:
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


def format_of_content(head: bytes, named: Format | None = None) -> Format | None:
    r"""Return the format that the first bytes of a file show, None where they show none."""
    if chat := chat_format(head):
        return chat
    fitting = [f for f, support in FORMATS.items() if support.recognise and support.recognise(head)]
    return named if named in fitting else next(iter(fitting), None)
