"""Registry of the formats: how each is recognised, read and written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from triage.data.delimited import CsvWriter, open_csv
from triage.data.errors import DataError
from triage.data.google_chat import is_google_chat, open_google_chat
from triage.data.imessage import is_imessage, open_imessage
from triage.data.json_array import JsonWriter, is_json, open_json
from triage.data.jsonl import JsonlWriter, is_jsonl, open_jsonl
from triage.data.lines import open_lines
from triage.data.sheets import is_ods, is_xlsx, open_sheet, xlsx_writer
from triage.data.signal_export import is_signal, open_signal
from triage.data.sms_backup import is_sms_backup, open_sms_backup
from triage.data.table import Dialect, Format, Options, Source, Table, Writer
from triage.data.tables import (
    ParquetWriter,
    is_parquet,
    is_sqlite,
    open_parquet,
    open_sqlite,
)
from triage.data.tei import is_tei, open_tei
from triage.data.tei_writer import TeiWriter
from triage.data.telegram import is_telegram, open_telegram
from triage.data.whatsapp import is_whatsapp, open_whatsapp


def _is_plain_json(head: bytes) -> bool:
    return is_json(head) and not (is_telegram(head) or is_google_chat(head))


def _is_plain_jsonl(head: bytes) -> bool:
    return is_jsonl(head) and not is_signal(head)


@dataclass(frozen=True)
class FormatSupport:
    """Extensions and functions of a format; without `recognise`, only extensions identify it."""

    extensions: tuple[str, ...]
    open: Callable[[Source, Options], Table]
    recognise: Callable[[bytes], bool] | None = None


# Of two that recognise a file, the first is the likelier.
FORMATS = {
    Format.CSV: FormatSupport((".csv", ".txt"), open_csv),
    Format.TSV: FormatSupport((".tsv",), open_csv),
    Format.TELEGRAM: FormatSupport((), open_telegram, is_telegram),
    Format.GOOGLE_CHAT: FormatSupport((), open_google_chat, is_google_chat),
    Format.SIGNAL: FormatSupport((), open_signal, is_signal),
    Format.JSON: FormatSupport((".json",), open_json, _is_plain_json),
    Format.JSONL: FormatSupport((".jsonl", ".ndjson"), open_jsonl, _is_plain_jsonl),
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


def format_of_name(path: Path) -> Format:
    """Return the format of a file by its extension, or raise `DataError`."""
    found = format_of_extension(path)
    if found is None:
        raise _unknown(path, FORMATS)
    return found


def written_format(path: Path) -> Format:
    """Return the format of an output by its extension, or raise `DataError`."""
    found = format_of_extension(path)
    if found is Format.ODS:
        raise DataError(f"{path}: ODS is read, not written: write {path.with_suffix('.xlsx').name}")
    if found is None or found not in WRITERS:
        raise _unknown(path, WRITERS)
    return found


def _unknown(path: Path, formats: Collection[Format]) -> DataError:
    known: dict[bool, list[str]] = {True: [], False: []}
    for format_ in formats:
        known[format_.is_text] += FORMATS[format_].extensions
    return DataError(
        f"{path}: unknown format; the name must end in one of {', '.join(known[True])}"
        f" (each also with .gz), {', '.join(known[False])}"
    )


def named_format(name: str) -> Format:
    """Return the format that the user names."""
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
    fitting = [f for f, support in FORMATS.items() if support.recognise and support.recognise(head)]
    return named if named in fitting else next(iter(fitting), None)
