"""Tables of other programs: spreadsheets, SQLite and Parquet."""

import re
import sqlite3
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date, datetime, timedelta
from functools import partial, reduce
from itertools import chain, islice
from os import SEEK_END
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from triage.data import limits
from triage.data.columns import find_text, header_of, names_text, numbered, row_below_titles
from triage.data.errors import ColumnError, FailedCell, as_text, fault, one_line, refusing, require
from triage.data.table import Content, Dialect, Format, OpenTable, Row
from triage.data.text import UNDECODED, has_undecoded
from triage.data.xml_stream import LongCellError, MarkupError, tokens
from triage.errors import DataError
from triage.settings import Reading

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LAST_EXACT = 2**53
"""Beyond it the numbers of a spreadsheet lose digits."""

# The first part of a spreadsheet; no name is of a truncated head.
_PARTS = re.compile(rb"\[Content_Types\]\.xml|mimetype|(?:_rels|docProps|customXml|xl)/|\Z")
_BLOCK = 1 << 16
SQLITE_MAGIC = b"SQLite format 3\0"
_STEPS_AT_ONCE = 10**6
_BATCH_BYTES, _BATCH_ROWS = 1 << 26, 500
# RuntimeError means a password or unknown compression.
BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OverflowError, UnicodeError)
_UNREADABLE = (*BAD_ZIP, MarkupError, SyntaxError, OSError)

# Below the root, the body and the spreadsheet; deeper ones are tables within cells.
_DEPTH_OF_SHEET = 4
_ABOVE_ROWS = {"table", "table-header-rows", "table-rows", "table-row-group"}
_CELLS, _PARAGRAPHS = ("table-cell", "covered-table-cell"), ("p", "h")
# Beside the text of a cell, or a table within it.
_LEFT_OUT = {"annotation", "note", "ruby-text", "table", "drawing"}
# While a paragraph is collected, characters that XML cannot hold stand for white space elements.
_SPACE_ELEMENTS = {"s": "\0", "tab": "\1", "line-break": "\2"}
_AS_WHITE_SPACE = str.maketrans("\0\1\2", " \t\n")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_DURATION = re.compile(r"^PT(\d{1,9})H(\d{1,9})M(\d{1,9}(?:\.\d+)?)S$")

Rectangle: TypeAlias = tuple[tuple[int, int], range]
SheetRow: TypeAlias = tuple[int, dict[int, object], int]
"""A row's number, from 1, its cells that are not blank by their column, and its repetitions."""
_Filled: TypeAlias = tuple[int, list[object], str]
"""A row that is not blank: its number, its cells, and what is wrong with it."""
_COVERED = "the cell of the message is merged with another one: split them"
_RowsOf: TypeAlias = Callable[[int, list[Rectangle]], Iterator[SheetRow]]
Book: TypeAlias = tuple[Callable[[], list[str]], _RowsOf]
"""A spreadsheet: the names of its sheets, and the rows of the one at a position.

Behind the last row, the list has the rectangles of cells that show nothing of their own: the first
row and the one behind the last, and the columns, from 0.
"""


def failed(shown: str) -> FailedCell:
    return FailedCell(shown if 0 < len(shown) <= 12 else "#ERROR")


def is_zip(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04")


def is_other_zip(head: bytes) -> bool:
    """Return whether a zip archive begins as no spreadsheet does."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return is_zip(head) and not _PARTS.match(first)


def _book(file: IO[bytes], *, is_ods: bool) -> Book:
    archive = zipfile.ZipFile(file)
    for part in archive.infolist():
        is_bomb = part.file_size > max(limits.LARGE_PART, limits.BEST_PACKED * part.compress_size)
        if is_bomb or part.file_size > limits.LARGEST_PART:
            raise MarkupError("a part is too large")
        if part.filename.endswith((".xml", ".rels")):
            with archive.open(part) as source:
                # A document type would stand before the root.
                next(tokens(iter(partial(source.read, _BLOCK), b"")), None)
    if not is_ods:
        # The libraries of XLSX take longer to load than most runs to do their work.
        from triage.data.xlsx import xlsx_book

        return xlsx_book(file)
    if "content.xml" not in archive.namelist():
        raise MarkupError("no content")

    def names() -> list[str]:
        return [one.get("name", "") for one in _elements(archive) if one.tag == "table"]

    return names, partial(_rows_of_ods, archive)


def open_sheet(source: Content, options: Reading) -> OpenTable:
    name = source.name
    with (
        refusing(_UNREADABLE, f"damaged.{source.format}", name),
        refusing(LongCellError, "large.cell", name),
        # openpyxl warns of rules for formats and the like, of which nothing is read.
        warnings.catch_warnings(action="ignore"),
    ):
        names_of, rows_of = _book(source.file, is_ods=source.format is Format.ODS)
        # By its name, else by its number; else the first.
        position, wanted = 0, options.sheet
        if wanted is not None:
            names = names_of()
            known = [*names, *numbered(len(names))]
            if wanted not in known:
                raise fault("no_sheet.named", name, sheet=wanted, names=one_line(", ".join(names)))
            position = known.index(wanted) % len(names)
        covered = list[Rectangle]()
        rows = _read(rows_of(position, covered), options, name)
        if not any(cells for _, cells, _ in rows):
            raise fault("no_sheet.empty", name, others=other_sheets(names_of(), options))
    first = min(next(i for i, cell in enumerate(c) if cell is not None) for _, c, _ in rows if c)
    last = max(len(cells) for _, cells, _ in rows)
    columns = numbered(last - first)
    if not options.no_header:
        header = [as_text(cell) for cell in rows.pop(0)[1][first:]]
        columns = tuple(header + [""] * (last - first - len(header)))
    with suppress(ColumnError):
        text = find_text(columns, options.text_column, name)
        rows = _without_covered(rows, covered, first + text)

    def messages() -> Iterator[Row]:
        for number, cells, problem in rows:
            raw = "\t".join(map(as_text, cells[first:]))
            yield number, [*cells[first:], *[None] * (last - max(first, len(cells)))], problem, raw

    return OpenTable(columns, Dialect(source.format), len(rows), messages, parts=names_of)


def _without_covered(rows: list[_Filled], rectangles: list[Rectangle], text: int) -> list[_Filled]:
    """Add a fault to rows whose message is in a cell merged with another one."""
    covered = sorted((span for span, columns in rectangles if text in columns), reverse=True)
    covered_to, checked = 0, list[_Filled]()
    for number, cells, problem in rows:
        while covered and covered[-1][0] <= number:
            covered_to = max(covered_to, covered.pop()[1])
        is_covered = number < covered_to and cells[text : text + 1] in ([], [None])
        checked.append((number, cells, problem or (_COVERED if is_covered else "")))
    return checked


def other_sheets(names: Sequence[str], options: Reading) -> str:
    """Return a hint for errors where the first of several sheets was read by default."""
    if options.sheet is not None or len(names) < 2:
        return ""
    return f"; this is the first sheet, --sheet names another: {one_line(', '.join(names))}"


def _read(sheet: Iterator[SheetRow], options: Reading, name: str) -> list[_Filled]:
    """Return the rows of a sheet that are not blank, its header first: line, cells and fault."""
    filled = (row for row in sheet if row[1])
    top = [] if options.no_header else [*islice(filled, limits.MAX_TITLES + 1)]
    above, text = [[*cells.values()] for _, cells, _ in top], options.text_column or ""
    start = header_of(above, text or None) or (text.isdecimal() and row_below_titles(above))
    rows: list[_Filled] = []
    n_cells = 0
    for number, values, n_times in chain(top[start:], filled):
        width = len(rows[0][1]) + limits.MAX_UNNAMED if rows else limits.MAX_COLUMNS
        kept = [column for column in values if column < min(width, limits.MAX_COLUMNS)]
        cells: list[object] = [None] * (max(kept, default=-1) + 1)
        for column in kept:
            cell = cells[column] = values[column]
            # Spreadsheets keep whole numbers as floats.
            if isinstance(cell, float) and cell.is_integer() and abs(cell) <= LAST_EXACT:
                cells[column] = int(cell)
        n_cells += len(cells) * n_times
        if n_cells > limits.MAX_CELLS:
            raise fault("large.cells", name, most=limits.MAX_CELLS)
        # One text may stand in thousands of cells, each written by itself.
        if sum(len(cell) for cell in cells if isinstance(cell, str)) > limits.LONGEST_ROW:
            raise fault("large.row", name, line=number, most=limits.LONGEST_ROW)
        problem = "a cell far to the right of the table" if len(kept) < len(values) else ""
        rows += [(line, cells, problem) for line in range(number, number + n_times)]
    return rows


def _rows_of_ods(
    archive: zipfile.ZipFile, position: int, covered: list[Rectangle]
) -> Iterator[SheetRow]:
    number, last, n_spaces = 1, limits.MAX_COLUMNS, 0
    for row in _elements(archive):
        if row.tag == "table":
            position -= 1
        if row.tag == "table" or position != -1:
            continue
        # An element may stand for millions of spaces.
        n_spaces += sum(_times(one.get("c"), limits.LARGE_PART) for one in row.iter("s"))
        if n_spaces > limits.LARGE_PART:
            raise LongCellError
        by_column, column = dict[int, object](), 0
        n_times = _times(row.get("number-rows-repeated"), limits.MAX_ROWS)
        for cell in row:
            if cell.tag in _CELLS:
                next_column = column + _times(cell.get("number-columns-repeated"), last)
                if (value := _value(cell)) != "":
                    by_column |= dict.fromkeys(range(column, min(next_column, last)), value)
                elif cell.tag == _CELLS[1]:
                    covered.append(((number, number + n_times), range(column, next_column)))
                column = next_column
        yield number, by_column, n_times
        number += n_times


def _elements(archive: zipfile.ZipFile) -> Iterator["Element"]:
    """Yield each sheet of an ODS file where it begins, and each of its rows."""
    from xml.etree.ElementTree import XMLPullParser

    parser: Any = XMLPullParser(("start", "end"))
    ancestors, n_read = list["Element"](), 0
    with archive.open("content.xml") as part:
        for block in chain(iter(partial(part.read, _BLOCK), b""), [b""]):
            if block:
                parser.feed(block)
            else:
                parser.close()
            n_read += len(block)
            for event, element in parser.read_events():
                if event == "start":
                    _leave_out_namespaces(element)
                    ancestors.append(element)
                    if len(ancestors) > limits.DEEPEST:
                        raise MarkupError("nested too deeply")
                    if element.tag == "table" and len(ancestors) == _DEPTH_OF_SHEET:
                        yield element
                    continue
                ancestors.pop()
                above = {one.tag for one in ancestors[_DEPTH_OF_SHEET - 1 :]}
                if element.tag == "table-row" and above <= _ABOVE_ROWS:
                    n_read = 0
                    yield element
                    # What was read need not stay in memory.
                    ancestors[-1].clear()
            # A row without end would fill the memory.
            if n_read > limits.LARGE_PART:
                raise LongCellError


def _leave_out_namespaces(element: "Element") -> None:
    """Shorten the names of an element and its attributes; drawings are all of one name."""
    space, _, name = element.tag.rpartition("}")
    element.tag = "drawing" if space.endswith("drawing:1.0") else name
    # That of LibreOffice comes last: its type tells of errors.
    attributes = {name.rpartition("}")[2]: value for name, value in sorted(element.items())}
    element.attrib.clear()
    element.attrib.update(attributes)


def _times(repeated: str | None, limit: int) -> int:
    if not re.fullmatch("[0-9]{1,12}", repeated or "1"):
        raise MarkupError("a count that is no number")
    return min(int(repeated or "1"), limit)


def _value(cell: "Element") -> object:
    """Return a cell with its type, or its text where the value is not of the type."""
    text, type_ = "\n".join(_paragraphs(cell)), cell.get("value-type", "string")
    # Programs that compute nothing write no value.
    is_blank = not text and "value-type" not in cell.attrib
    if type_ == "error" or (is_blank and "formula" in cell.attrib):
        return failed("#FORMULA" if is_blank else text)
    if type_ == "string" or (text and type_ == "percentage"):
        # The attribute is the value, and the text in the cell its display, such as 50 %.
        return cell.get("string-value") or text
    attribute, read = _TYPED.get(type_, ("", str))
    try:
        return read(cell.attrib[attribute])
    except (KeyError, ValueError, OverflowError):
        return text


def _paragraphs(element: "Element") -> Iterator[str]:
    for inner in element:
        if inner.tag in _PARAGRAPHS:
            yield _WHITE_SPACE.sub(" ", _text(inner)).strip(" ").translate(_AS_WHITE_SPACE)
        elif inner.tag not in _LEFT_OUT:
            yield from _paragraphs(inner)


def _text(element: "Element") -> str:
    if sign := _SPACE_ELEMENTS.get(element.tag):
        return sign * _times(element.get("c"), limits.LONGEST_CELL + 1)
    inner = [("" if one.tag in _LEFT_OUT else _text(one)) + (one.tail or "") for one in element]
    return (element.text or "") + "".join(inner)


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


def _time(text: str) -> object:
    [(hours, minutes, seconds)] = _DURATION.findall(text.replace(",", "."))
    length = timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds))
    return (datetime.min + length).time() if length < timedelta(days=1) else length


_TYPED: dict[str, tuple[str, Callable[[str], object]]] = {
    **dict.fromkeys(("float", "percentage", "currency"), ("value", _number)),
    "boolean": ("boolean-value", {"true": True, "false": False}.__getitem__),
    "date": ("date-value", lambda text: (datetime if "T" in text else date).fromisoformat(text)),
    "time": ("time-value", _time),
}


def open_sqlite(source: Content, options: Reading) -> OpenTable:
    """Find the table of messages, by its name or a column of a usual name, and its columns."""
    head, path = source.head(), source.path
    if path is None or not head.startswith(SQLITE_MAGIC):
        raise fault("no_messages.sqlite", source.name)
    # SQLite misses pages, but fills up the last one with zeros, of which nothing is seen. The
    # largest size of a page does not fit into its two bytes.
    page_size = int.from_bytes(head[16:18])
    if source.file.seek(0, SEEK_END) % (page_size if page_size > 1 else 1 << 16):
        raise fault("damaged.sqlite", source.name)
    with _database(path) as database:
        left = iter(range(limits.MAX_STEPS // _STEPS_AT_ONCE))
        database.set_progress_handler(lambda: next(left, None) is None, _STEPS_AT_ONCE)
        query = _query(database, options, source.name)
        columns = _columns(database, query)
        n_rows = database.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]  # noqa: S608
    text_at: int | None = None
    with suppress(ColumnError):
        text_at = find_text(columns, options.text_column, source.name)

    def rows() -> Iterator[Row]:
        with _database(path) as database:
            for number, cells in enumerate(database.execute(query), 1):
                text = "".join([cell for cell in cells if isinstance(cell, str)])
                row = [None if isinstance(cell, bytes) else cell for cell in cells]
                if text_at is not None:
                    row[text_at] = _decoded(cells[text_at])
                yield number, row, UNDECODED if has_undecoded(text) else "", ""

    return OpenTable(
        columns, Dialect(source.format), n_rows, rows, parts=partial(table_names, path)
    )


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database of which nothing is changed, and read what its log holds beside it."""
    log, index, journal = (Path(f"{path.resolve()}{end}") for end in ("-wal", "-shm", "-journal"))
    has_log, has_index = log.exists() and log.stat().st_size > 0, index.exists()
    address = f"file:{quote(str(path.resolve()))}?{'mode=ro' if has_log else 'immutable=1'}"
    try:
        with suppress(FileNotFoundError), journal.open("rb") as file:
            # That of a change that is over is empty, or begins with zeros.
            if file.read(1) not in (b"", b"\0"):
                raise sqlite3.DatabaseError(
                    f"a change of it is not finished ({journal.name}); close the program that "
                    "writes it, or open it once with that program, which undoes the change"
                )
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * limits.LONGEST_CELL)
            database.execute("PRAGMA query_only = ON")
            database.execute("PRAGMA trusted_schema = OFF")
            yield database
    except (sqlite3.Error, UnicodeError) as error:
        reason = one_line(str(error)) if isinstance(error, sqlite3.Error) else UNDECODED
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:
            reason = "its view or query takes too long, or has no end: name another with --table"
        if code == sqlite3.SQLITE_CORRUPT:
            reason += "; copy the database again"
        raise fault("damaged.database", path, reason=reason) from error
    finally:
        # SQLite makes an index of a log, and leaves it there.
        if has_log and not has_index:
            index.unlink(missing_ok=True)


def _query(database: sqlite3.Connection, options: Reading, name: str) -> str:
    """Return the query that is wanted, or one of the table with messages."""
    table_wanted = options.table
    if table_wanted and table_wanted.lower().startswith(("select ", "with ", "values ")):
        return table_wanted.rstrip("; \n")
    queries = _queries(database)
    fitting = [table for table in queries if table_wanted in (None, table)]
    if len(fitting) > 1:
        texts = options.text_column
        fitting = [t for t in fitting if names_text(_columns(database, queries[t]), texts)]
    if len(fitting) != 1:
        raise fault("which_table", name, tables=one_line(", ".join(queries)))
    return queries[fitting[0]]


def _queries(database: sqlite3.Connection) -> dict[str, str]:
    """Return the query of each table and view, by its name."""
    rows = database.execute(
        "SELECT name, 'SELECT * FROM \"' || replace(name, '\"', '\"\"') || '\"' FROM sqlite_schema "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return dict(rows.fetchall())


def table_names(path: Path) -> tuple[str, ...]:
    with suppress(DataError), _database(path) as database:
        return tuple(_queries(database))
    return ()


def _columns(database: sqlite3.Connection, query: str) -> tuple[str, ...]:
    cursor = database.execute(f"SELECT * FROM ({query}) LIMIT 0")  # noqa: S608
    return tuple(column[0] for column in cursor.description)


def open_parquet(source: Content, options: Reading) -> OpenTable:
    """Open columns, or what is within objects, by its path, if one is named."""
    arrow, parquet = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
    # Besides its own errors pyarrow raises these: for a stream that ends too soon, for text that is
    # not UTF-8, and for dates beyond Python's calendar.
    damage = (arrow.ArrowException, OSError, ValueError, OverflowError)
    source.file.seek(0)
    with refusing(damage, "damaged.parquet", source.name):
        file: Any = parquet.ParquetFile(source.file)
        names = {options.text_column, options.id_column} - {None, *file.schema_arrow.names}
    n_levels = max((str(name).count(".") for name in names), default=0)
    flattened = partial(reduce, lambda one, _: one.flatten(), range(n_levels))
    # Metadata besides the columns, such as an index of names, is not written to outputs.
    fields = flattened(file.schema_arrow.empty_table()).schema
    schema = arrow.schema([field.remove_metadata() for field in fields])
    n_rows, n_groups = file.metadata.num_rows, file.metadata.num_row_groups
    size = sum(file.metadata.row_group(group).total_byte_size for group in range(n_groups))
    batch_rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES * n_rows // max(1, size)))

    def rows() -> Iterator[Row]:
        with refusing(damage, "damaged.parquet", source.name):
            tables = map(arrow.Table.from_batches, zip(file.iter_batches(batch_rows)))
            columns = ([one.to_pylist() for one in flattened(table).columns] for table in tables)
            found = (cells for some in columns for cells in zip(*some, strict=True))
            for number, cells in enumerate(found, 1):
                yield number, [*map(_decoded, cells)], "", ""

    return OpenTable(tuple(schema.names), Dialect(source.format, schema=schema), n_rows, rows)


def _decoded(value: object) -> object:
    """Return the text in a binary value; some programs do not say that theirs are text."""
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return value
