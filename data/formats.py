"""File formats, told by a file's name or by its first bytes, and their dialects."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from triage.data.errors import DataError


class Format(Enum):
    """A format of message files; the value is the usual extension."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    XLSX = "xlsx"
    ODS = "ods"
    PARQUET = "parquet"

    @property
    def is_delimited(self) -> bool:
        """Return whether rows are lines of separated, quoted cells."""
        return self in (Format.CSV, Format.TSV)

    @property
    def is_text(self) -> bool:
        """Return whether the file is lines of text, which may be compressed or piped."""
        return self.is_delimited or self is Format.JSONL


@dataclass(frozen=True)
class Dialect:
    r"""How a file is written, for a writer to imitate.

    Attributes
    ----------
    format : Format
    encoding : str
        Of a text file as read; text is always written as UTF-8.
    separator : str or None
        Between cells; None where each line is one message.
    bom : bool
        Whether the file began with a byte order mark.
    line_terminator : str
        ``"\n"``, ``"\r\n"`` or ``"\r"``.
    schema : object, optional
        The ``pyarrow.Schema`` of a Parquet file.
    """

    format: Format
    encoding: str = "utf-8"
    separator: str | None = None
    bom: bool = False
    line_terminator: str = "\n"
    schema: object | None = None


_BY_EXTENSION = {
    ".csv": Format.CSV,
    ".txt": Format.CSV,
    ".tsv": Format.TSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".xlsx": Format.XLSX,
    ".ods": Format.ODS,
    ".parquet": Format.PARQUET,
}
_KNOWN = ".csv, .tsv, .txt, .jsonl, .ndjson (each also with .gz), .xlsx, .ods, .parquet"


def format_of_name(path: Path) -> tuple[Format, bool]:
    """Return the format that a file's name promises, and whether it is compressed.

    Raises
    ------
    DataError
        The extension is of no known format; the message lists those that are.

    Examples
    --------
    >>> format_of_name(Path("sms.csv.gz"))
    (<Format.CSV: 'csv'>, True)
    """
    compressed = path.suffix.lower() == ".gz"
    extension = Path(path.stem).suffix if compressed else path.suffix
    found = _BY_EXTENSION.get(extension.lower())
    if found is None or (compressed and not found.is_text):
        raise DataError(f"{path}: unknown format; the name must end in one of {_KNOWN}")
    return found, compressed


GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"
_PARQUET_MAGIC = b"PAR1"
_BYTE_ORDER_MARKS = b"\xef\xbb\xbf\xff\xfe"
# An ODS file begins with an entry `mimetype`, so that its first bytes tell it from an XLSX file.
_ODS_NAME = slice(30, 38)


def format_of_content(head: bytes) -> Format:
    r"""Guess the format of a nameless stream from its first bytes.

    Examples
    --------
    >>> format_of_content(b'\n{"text": "Coucou"}')
    <Format.JSONL: 'jsonl'>
    >>> format_of_content(b"id;text\n")
    <Format.CSV: 'csv'>
    """
    if head.startswith(_PARQUET_MAGIC):
        return Format.PARQUET
    if head.startswith(_ZIP_MAGIC):
        return Format.ODS if head[_ODS_NAME] == b"mimetype" else Format.XLSX
    if head.lstrip(_BYTE_ORDER_MARKS).lstrip().startswith(b"{"):
        return Format.JSONL
    return Format.CSV
