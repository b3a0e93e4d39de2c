"""Tables of other programs that are read: SQLite and Parquet.

Binary values, such as pictures, are left blank.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from os import SEEK_END
from pathlib import Path
from typing import Any
from urllib.parse import quote

from triage.data import limits
from triage.data.columns import check_columns, names_text
from triage.data.errors import fault, one_line, refusing, require
from triage.data.table import Dialect, Row, Source, Table
from triage.data.text import UNDECODED, has_undecoded
from triage.errors import DataError
from triage.settings import Reading

SQLITE_MAGIC = b"SQLite format 3\0"
_QUERIES = ("select ", "with ", "values ")
_STEPS_AT_ONCE = 10**6
_BATCH_BYTES, _BATCH_ROWS = 1 << 26, 500


def open_sqlite(source: Source, options: Reading) -> Table:
    """Find the table of messages, by its name or a column of a usual name, and its columns."""
    head = source.head()
    if source.path is None or not head.startswith(SQLITE_MAGIC):
        raise fault(source.name, "no_messages", " is no SQLite database that lies in a file")
    # SQLite would take pages that are missing for blank ones. The size is written with each change,
    # unless an old program made it; the largest size of a page does not fit into its two bytes.
    page_size, n_pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    whole = (1 << 16 if page_size == 1 else page_size) * n_pages
    if head[24:28] == head[92:96] and source.file.seek(0, SEEK_END) < whole:
        raise fault(source.name, "damaged", " is cut short: copy the database again")
    with _database(source.path) as database:
        left = iter(range(limits.MOST_STEPS // _STEPS_AT_ONCE))
        database.set_progress_handler(lambda: next(left, None) is None, _STEPS_AT_ONCE)
        query = _query(database, options, source.name)
        columns = _columns(database, query)
        n_rows = database.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]  # noqa: S608
    check_columns(columns, source.name)
    path = source.path

    def rows() -> Iterator[Row]:
        with _database(path) as database:
            for number, cells in enumerate(database.execute(query), 1):
                text = "".join([cell for cell in cells if isinstance(cell, str)])
                row = [None if isinstance(cell, bytes) else cell for cell in cells]
                yield number, row, UNDECODED if has_undecoded(text) else "", ""

    return Table(columns, Dialect(source.format), n_rows, rows)


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database of which nothing is changed, and read what its log holds beside it."""
    log, index, journal = (Path(f"{path.resolve()}{end}") for end in ("-wal", "-shm", "-journal"))
    has_log, has_index = log.exists() and log.stat().st_size > 0, index.exists()
    address = f"file:{quote(str(path.resolve()))}?{'mode=ro' if has_log else 'immutable=1'}"
    try:
        if journal.exists():
            with journal.open("rb") as file:
                # That of a change that is over is empty, or begins with zeros.
                if file.read(1).strip(b"\0"):
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
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            reason = "its view or query takes too long, or has no end: name another with --table"
        line = f"cannot read {path} as a SQLite database: {reason}"
        raise DataError(line, "damaged", file=path, reason=reason) from error
    finally:
        # SQLite makes an index of a log, and leaves it there.
        if has_log and not has_index:
            index.unlink(missing_ok=True)


def _query(database: sqlite3.Connection, options: Reading, name: str) -> str:
    """Return the query that is wanted, or one of the table with messages."""
    wanted = options.table
    if wanted and wanted.lower().startswith(_QUERIES):
        return wanted.rstrip("; \n")
    found = database.execute(
        "SELECT name, 'SELECT * FROM \"' || replace(name, '\"', '\"\"') || '\"' FROM sqlite_schema "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    queries: dict[str, str] = dict(found)
    fitting = [table for table in queries if wanted in (None, table)]
    if len(fitting) > 1:
        texts = options.text_column
        fitting = [t for t in fitting if names_text(_columns(database, queries[t]), texts)]
    if len(fitting) != 1:
        names = one_line(", ".join(queries))
        line = ": say --table, which of its tables holds the messages, or a query; there are: "
        raise fault(name, "which_table", line + names, tables=names)
    return queries[fitting[0]]


def _columns(database: sqlite3.Connection, query: str) -> tuple[str, ...]:
    found = database.execute(f"SELECT * FROM ({query}) LIMIT 0")  # noqa: S608
    return tuple(column[0] for column in found.description)


def open_parquet(source: Source, options: Reading) -> Table:  # noqa: ARG001
    arrow, parquet = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
    # Besides its own errors pyarrow raises these: for a stream that ends too soon, for text that is
    # not UTF-8, and for dates beyond Python's calendar.
    damage = (arrow.ArrowException, OSError, ValueError, OverflowError)
    line = " is not a readable Parquet file (damaged, or values out of range)"
    source.file.seek(0)
    with refusing(damage, source.name, "", line):
        file: Any = parquet.ParquetFile(source.file)
        columns = tuple(file.schema_arrow.names)
    check_columns(columns, source.name)
    # Metadata besides the columns, such as an index of names, is not written to outputs.
    schema = arrow.schema([field.remove_metadata() for field in file.schema_arrow])
    n_rows, n_groups = file.metadata.num_rows, file.metadata.num_row_groups
    size = sum(file.metadata.row_group(group).total_byte_size for group in range(n_groups))
    batch_rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES * n_rows // max(1, size)))

    def rows() -> Iterator[Row]:
        with refusing(damage, source.name, "", line):
            found = (
                cells
                for batch in file.iter_batches(batch_rows)
                for cells in zip(*[column.to_pylist() for column in batch.columns], strict=True)
            )
            for number, cells in enumerate(found, 1):
                yield number, list(cells), "", ""

    return Table(columns, Dialect(source.format, schema=schema), n_rows, rows)
