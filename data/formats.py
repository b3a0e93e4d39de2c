"""Registry of the formats: how each is recognised, read and written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from triage.data.delimited import CsvWriter, open_csv
from triage.data.errors import DataError
from triage.data.jsonl import JsonlWriter, is_jsonl, open_jsonl
from triage.data.ods import OdsWriter, is_ods, open_ods
from triage.data.parquet import ParquetWriter, is_parquet, open_parquet
from triage.data.table import Dialect, Format, Options, Source, Table, Writer
from triage.data.xlsx import is_xlsx, open_xlsx
from triage.data.xlsx_writer import XlsxWriter


@dataclass(frozen=True)
class FormatSupport:
    """Extensions and functions of a format; without `recognise`, only extensions identify it."""

    extensions: tuple[str, ...]
    open: Callable[[Source, Options], Table]
    writer: Callable[[IO[bytes], Sequence[str], Dialect], Writer]
    recognise: Callable[[bytes], bool] | None = None


FORMATS = {
    Format.CSV: FormatSupport((".csv", ".txt"), open_csv, CsvWriter),
    Format.TSV: FormatSupport((".tsv",), open_csv, CsvWriter),
    Format.JSONL: FormatSupport((".jsonl", ".ndjson"), open_jsonl, JsonlWriter, is_jsonl),
    Format.XLSX: FormatSupport((".xlsx",), open_xlsx, XlsxWriter, is_xlsx),
    Format.ODS: FormatSupport((".ods",), open_ods, OdsWriter, is_ods),
    Format.PARQUET: FormatSupport((".parquet",), open_parquet, ParquetWriter, is_parquet),
}


def format_of_name(path: Path) -> tuple[Format, bool]:
    """Return the format of a file by its extension, and whether it is compressed.

    Examples
    --------
    >>> format_of_name(Path("sms.csv.gz"))
    (<Format.CSV: 'csv'>, True)
    """
    compressed = path.suffix.lower() == ".gz"
    extension = Path(path.stem).suffix if compressed else path.suffix
    for format_, support in FORMATS.items():
        if extension.lower() in support.extensions and (format_.is_text or not compressed):
            return format_, compressed
    known: dict[bool, list[str]] = {True: [], False: []}
    for format_, support in FORMATS.items():
        known[format_.is_text] += support.extensions
    raise DataError(
        f"{path}: unknown format; the name must end in one of {', '.join(known[True])}"
        f" (each also with .gz), {', '.join(known[False])}"
    )


def format_of_content(head: bytes) -> Format:
    r"""Guess the format of a nameless stream from its first bytes.

    Examples
    --------
    >>> format_of_content(b'\n{"text": "Coucou"}')
    <Format.JSONL: 'jsonl'>
    >>> format_of_content(b"id;text\n")
    <Format.CSV: 'csv'>
    """
    for format_, support in FORMATS.items():
        if support.recognise and support.recognise(head):
            return format_
    return Format.CSV
