"""The formats of message files: their recognition, and the functions that open them."""

import re
from collections.abc import Callable, Collection
from pathlib import Path

from triage.data import chats, errors, objects, tables, tei, text
from triage.data.errors import fault
from triage.data.table import HEAD, Content, Format, OpenTable
from triage.data.xml_stream import root_of
from triage.errors import DataError
from triage.settings import Reading

# Files of other programs by their first bytes; the last two by their first element.
_ROOT = rb"\W{0,9}(?:<[?!][^>]*>\s*)*<"
_NOT_READ = {
    rb"%PDF": "a PDF",
    rb"{\\rtf": "an RTF document",
    rb"\xd0\xcf\x11\xe0": "an old file of Word or Excel",
    rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/).*PK\x03\x04.{26}word/": "a document",
    rb"PK\x03\x04.{26}mimetypeapplication/(?!vnd.oasis.opendocument.spreadsheet)": "a document",
    rb"\x89PNG|\xff\xd8\xff": "a picture",
    _ROOT + rb"calls\b": "a log of calls",
    _ROOT + rb"(?i:html)\b": "a web page (programs of chats export JSON, too)",
}
_SHEETS = (Format.XLSX, Format.ODS)
WITH_HEADER = (*_SHEETS, Format.CSV, Format.TSV)
_BLOCK = 1 << 20
_FIRST_LINES, _ONE_IN = 1_000, 5

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


def format_of(source: Content, path: Path | None, options: Reading) -> Format:
    """Return the format that the user names, or the content shows, or the extension says."""
    head = source.head()
    if not head:
        raise fault("empty", source.name)
    begun = (other for begin, other in _NOT_READ.items() if re.match(begin, head, re.DOTALL))
    if other := next(begun, ""):
        raise fault("no_messages.other", source.name, what=other)
    if not options.format:
        format_ = _recognised(head, path, options)
        if format_ is Format.LINES:
            check_is_no_chat(source)
    elif options.format.lower() in [*Format]:
        format_ = Format(options.format.lower())
    else:
        raise fault("unknown_format", format=options.format, known=", ".join(Format))
    for option, value, formats in (
        ("--sheet", options.sheet, _SHEETS),
        ("--table", options.table, (Format.SQLITE,)),
        ("--no-header", options.no_header or None, WITH_HEADER),
    ):
        if value is not None and format_ not in formats:
            raise fault("not_of_format", option=option, format=format_)
    return format_


def _recognised(head: bytes, path: Path | None, options: Reading) -> Format:
    """Return the likeliest format by the beginning of a file, or that of its extension."""
    start, by_name = text.head_text(head), None if path is None else format_of_extension(path)
    exports = errors.words_of("chats")
    fitting = [one for one, begins in _beginnings(head, start.lstrip()).items() if begins]
    is_table_named = path is not None and not may_be_lines(path)
    may_be_table = path is None or (by_name and by_name.is_delimited)
    # Of a longer file the last line is cut.
    whole_lines = start if len(head) < HEAD else start.rpartition("\n")[0]
    has_header, is_table = text.is_table(whole_lines or start)
    if fitting == [Format.WHATSAPP] and may_be_table and not tables.is_zip(head):
        # A table may have cells that begin like the messages of a chat: it has a header, or the
        # name of a table and cells of constant number behind the dates of whole lines.
        is_said = by_name and (options.no_header or options.separator is not None)
        undated = chats.undated(whole_lines)
        if has_header or is_said or (is_table_named and text.is_table(undated, 2)[1]):
            return by_name or Format.CSV
    if fitting or path is None:
        first = [*fitting, Format.CSV][0]
        return by_name if by_name in fitting and first.value not in exports else first
    has_column = options.text_column or options.id_column
    is_table_said = has_column or options.separator or options.no_header
    if not (is_table_named or is_table_said or is_table):
        return Format.LINES
    # A name without extension says nothing against a header.
    if not path.suffix and has_header:
        return Format.CSV
    format_ = format_of_name(path, remedy="; or say its format, such as --format csv")
    if not format_.is_delimited and has_header:
        raise fault("damaged.name", path)
    return format_


def _beginnings(head: bytes, start: str) -> dict[Format, object]:
    """Return for each format, the likeliest first, whether a file begins like one."""
    root, exports = root_of(head), errors.words_of("chats").items()
    first, end, _ = start.partition("\n")
    is_object, is_cut = start.startswith("{"), bool(end) and not first.rstrip().endswith("}")
    return {
        **{Format(name): re.match(one["begins"], start) for name, one in exports},
        Format.JSON: (is_object and is_cut) or objects.BEGINS_WITH_ARRAY.match(start),
        Format.JSONL: is_object,
        Format.WHATSAPP: tables.is_other_zip(head) or chats.is_chat(head),
        Format.IMESSAGE: chats.IMESSAGE_HEADER.match(start),
        # OpenDocument archives begin with an entry of this name.
        Format.XLSX: re.match(rb"PK\x03\x04(?!.{26}mimetype)", head, re.DOTALL),
        Format.ODS: re.match(rb"PK\x03\x04.{26}mimetype", head, re.DOTALL),
        Format.PARQUET: head.startswith(b"PAR1"),
        Format.SMS_BACKUP: root == chats.BACKUP_ROOT,
        Format.TEI: root.rpartition(" ")[2] in tei.ROOTS,
        Format.SQLITE: head.startswith(tables.SQLITE_MAGIC),
    }


def check_is_no_chat(source: Content) -> None:
    """Check that seemingly plain lines are no chat in an unknown form."""
    source.file.seek(0)
    lines = text.head_text(source.file.read(_BLOCK)).splitlines()[:_FIRST_LINES]
    lines = [line for line in lines if line.strip()]
    n_dated = sum(map(chats.is_dated, lines))
    if n_dated > 1 and n_dated * _ONE_IN >= len(lines):
        raise fault("maybe_chat", source.name, dated=n_dated, lines=len(lines))


def is_compressed(path: Path) -> bool:
    """Return whether a name says that the file is compressed, and the format of its content."""
    return path.suffix.lower() == ".gz" and format_of_extension(path) is not None


def format_of_extension(path: Path) -> Format | None:
    packed = path.suffix.lower() == ".gz"
    extension = (Path(path.stem) if packed else path).suffix.lower()
    format_ = next((f for f, (ends, _) in FORMATS.items() if extension in ends), None)
    return format_ if format_ and (format_.is_text or not packed) else None


def may_be_lines(path: Path) -> bool:
    """Return whether a name is one of chats and of lines as well as of tables."""
    return path.name.lower().endswith((".txt", ".txt.gz"))


def format_of_name(
    path: Path, formats: Collection[Format] = FORMATS.keys(), remedy: str = ""
) -> Format:
    format_ = format_of_extension(path)
    if format_ is not None and format_ in formats:
        return format_
    if format_ is Format.ODS:
        raise DataError(f"{path}: ODS is read, not written: write {path.with_suffix('.xlsx').name}")
    texts = [end for one in formats if one.is_text for end in FORMATS[one][0]]
    binary = [end for one in formats if not one.is_text for end in FORMATS[one][0]]
    raise DataError(
        f"{path}: unknown format; the name must end in one of {', '.join(texts)} (each also with "
        f".gz), {', '.join(binary)}{remedy}"
    )
