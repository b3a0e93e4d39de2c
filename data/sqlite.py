"""SQLite databases: a table, a view, or the result of a query; read alone.

Binary values, such as pictures, are left blank.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from os import SEEK_END
from pathlib import Path
from urllib.parse import quote

from triage.data.columns import check_columns, guess_text
from triage.data.errors import DataError, one_line
from triage.data.limits import LONGEST_CELL
from triage.data.table import Dialect, Reject, Row, Source, Table
from triage.data.text import UNDECODED, has_undecoded
from triage.settings import Reading

_MAGIC = b"SQLite format 3\0"
_QUERIES = ("select ", "with ", "values ")
_BATCH = 1_000


def is_sqlite(head: bytes) -> bool:
    """Return whether a file begins like a database."""
    return head.startswith(_MAGIC)


def open_sqlite(source: Source, options: Reading) -> Table:
    """Find the table of messages, by its name or a column of a usual name, and its columns."""
    if source.path is None or not is_sqlite(source.head()):
        raise DataError(
            f"{source.name} is no SQLite database that lies in a file",
            "no_database",
            file=source.name,
        )
    if _is_cut(source):
        raise DataError(
            f"{source.name} is cut short: copy the database again",
            "cut_database",
            file=source.name,
        )
    with _opened(source.path) as database:
        query = _query(database, options, source.name)
        columns = _columns(database, query)
        n_rows = database.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]  # noqa: S608
    check_columns(columns, source.name)
    rows = partial(_rows, source.path, query)
    return Table(columns, Dialect(source.format), n_rows, rows)


def _is_cut(source: Source) -> bool:
    """Return whether pages are missing, which SQLite would take for blank ones."""
    head = source.head()
    page_size, n_pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    # The size is written with each change, unless an old program made it.
    is_known = head[24:28] == head[92:96]
    # The largest size does not fit into its two bytes.
    page_size = 1 << 16 if page_size == 1 else page_size
    return is_known and source.file.seek(0, SEEK_END) < page_size * n_pages


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database that nothing is written to, not even beside it if it has no journal."""
    has_journal = Path(f"{path}-wal").exists()
    address = f"file:{quote(str(path.absolute()))}?{'mode=ro' if has_journal else 'immutable=1'}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * LONGEST_CELL)
            database.execute("PRAGMA query_only = ON")
            database.execute("PRAGMA trusted_schema = OFF")
            yield database
    except (sqlite3.Error, UnicodeError) as error:
        reason = one_line(str(error)) if isinstance(error, sqlite3.Error) else UNDECODED
        raise DataError(
            f"cannot read {path} as a SQLite database: {reason}",
            "unreadable_database",
            file=path,
            reason=reason,
        ) from error


def _query(database: sqlite3.Connection, options: Reading, name: str) -> str:
    """Return a query of the rows that are wanted."""
    wanted = options.table
    if wanted and wanted.lower().startswith(_QUERIES):
        return wanted.rstrip("; \n")
    found = [
        str(table)
        for (table,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        )
    ]
    if wanted:
        fitting = [table for table in found if table == wanted]
    else:
        fitting = _of_messages(database, found, options)
    if len(fitting) != 1:
        raise DataError(
            f"{name}: say --table, which of its tables holds the messages, or a query; there are: "
            f"{one_line(', '.join(found))}",
            "which_table",
            file=name,
            tables=one_line(", ".join(found)),
        )
    return _all_of(fitting[0])


def _all_of(table: str) -> str:
    quoted = table.replace('"', '""')
    return f'SELECT * FROM "{quoted}"'  # noqa: S608 (a name is quoted; a query is the user's)


def _of_messages(database: sqlite3.Connection, tables: list[str], options: Reading) -> list[str]:
    """Return the tables with the column of messages that is named, or one of a usual name."""
    if len(tables) == 1:
        return tables
    columns = {table: _columns(database, _all_of(table)) for table in tables}
    if options.text_column:
        return [table for table in tables if options.text_column in columns[table]]
    return [table for table in tables if guess_text(columns[table]) is not None]


def _columns(database: sqlite3.Connection, query: str) -> tuple[str, ...]:
    found = database.execute(f"SELECT * FROM ({query}) LIMIT 0")  # noqa: S608
    return tuple(column[0] for column in found.description)


def _rows(path: Path, query: str) -> Iterator[Row | Reject]:
    with _opened(path) as database:
        rows = database.execute(query)
        rows.arraysize = _BATCH
        for number, cells in enumerate(rows, 1):
            texts = [cell for cell in cells if isinstance(cell, str)]
            if any(len(text) > LONGEST_CELL for text in texts):
                yield Reject(number, f"a cell of more than {LONGEST_CELL:,} characters", "")
            elif has_undecoded("".join(texts)):
                yield Reject(number, UNDECODED, "")
            else:
                yield number, [None if isinstance(cell, bytes) else cell for cell in cells]
