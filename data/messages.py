"""Message files, opened whatever their format and read in chunks of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import TracebackType

from triage.data.columns import find_id, find_text
from triage.data.csv_table import open_csv
from triage.data.errors import reading
from triage.data.formats import Dialect, Format
from triage.data.jsonl_table import open_jsonl
from triage.data.limits import CHUNK_CELLS, LONGEST_REJECT, MOST_REJECTED
from triage.data.parquet_table import open_parquet
from triage.data.sheet_table import open_sheet
from triage.data.source import Source, open_source
from triage.data.table import Options, Reject, Row, Table
from triage.data.values import as_text, whole_characters

_OPENERS: dict[Format, Callable[[Source, Options], Table]] = {
    Format.CSV: open_csv,
    Format.TSV: open_csv,
    Format.JSONL: open_jsonl,
    Format.XLSX: open_sheet,
    Format.ODS: open_sheet,
    Format.PARQUET: open_parquet,
}


@dataclass
class Chunk:
    """Some successive rows of a message file.

    Attributes
    ----------
    rows : list of list of object
        The cells as typed in the file, in column order.
    texts : list of str
        The message of each row.
    ids : list of str
        The identifier of each row: its cell, or the row's number in the file from 1, rejected
        rows counted.
    lines : list of int
        Where each row starts in the file, from 1.
    """

    rows: list[list[object]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class MessageFile:
    """A message file, open for reading; use `open_messages` to open one.

    Attributes
    ----------
    name : str
        How errors call the file.
    columns : tuple of str
        Column names, in order.
    text_column, id_column : str, str or None
        The columns of the message and of its identifier.
    text_position, id_position : int, int or None
        Where they stand in a row, from 0.
    format : Format
    dialect : Dialect
        How the file is written, for an output to imitate.
    lines : int or None
        About how many rows there are, for a progress bar.
    rejects : list of Reject
        The rows that could not be read so far.
    """

    def __init__(self, source: Source, table: Table, options: Options) -> None:
        self.name = source.name
        self.columns = table.columns
        self.dialect: Dialect = table.dialect
        self.format: Format = table.dialect.format
        self.lines = table.lines
        self.text_position = find_text(self.columns, options.text_column, self.name)
        self.id_position = find_id(self.columns, options.id_column, self.name)
        self.rejects: list[Reject] = []
        self._source = source
        self._table = table
        self._chunk_rows = max(1, min(options.chunk_rows, CHUNK_CELLS // len(self.columns)))
        self._delivered = 0
        self._raw_kept = 0

    def __enter__(self) -> "MessageFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    @property
    def text_column(self) -> str:
        """The name of the column of messages."""
        return self.columns[self.text_position]

    @property
    def id_column(self) -> str | None:
        """The name of the column of identifiers, if there is one."""
        return None if self.id_position is None else self.columns[self.id_position]

    @property
    def rows_rejected(self) -> int:
        """Return how many rows could not be read so far."""
        return len(self.rejects)

    @property
    def rows_read(self) -> int:
        """Return how many rows were met so far, delivered or rejected."""
        return self._delivered + len(self.rejects)

    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows from the first on, `chunk_rows` at a time, or fewer if they are wide.

        `rejects` and the counts start anew, so that a file can be read more than once.

        Raises
        ------
        DataError
            The file can't be read to its end.
        """
        self.rejects.clear()
        self._delivered = self._raw_kept = 0
        with reading(self.name):
            rows = self._table.rows(self._reject)
            while (chunk := self._chunk(islice(rows, self._chunk_rows))).rows:
                yield chunk

    def _reject(self, reject: Reject) -> None:
        """Keep what could not be read, but no more of it than there is room for."""
        room = min(LONGEST_REJECT, MOST_REJECTED - self._raw_kept)
        self._raw_kept += min(len(reject.raw), room)
        if len(reject.raw) > room:
            reject = replace(reject, raw=f"{reject.raw[:room]}…")
        self.rejects.append(reject)

    def _chunk(self, rows: Iterator[Row]) -> Chunk:
        chunk = Chunk()
        numbers: list[int] = []
        for line, cells in rows:
            self._delivered += 1
            numbers.append(self._delivered + len(self.rejects))
            chunk.rows.append(cells)
            chunk.lines.append(line)
        chunk.texts = _whole(_column(chunk.rows, self.text_position))
        chunk.ids = _column(chunk.rows, self.id_position) or [*map(str, numbers)]
        return chunk


def _column(rows: list[list[object]], position: int | None) -> list[str]:
    if position is None:
        return []
    cells = [row[position] for row in rows]
    return [cell if isinstance(cell, str) else as_text(cell) for cell in cells]


def _whole(texts: list[str]) -> list[str]:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [whole_characters(text) for text in texts]
    return texts


def open_messages(
    path: str | Path,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    guarded: bool = False,
    chunk_rows: int = 20_000,
) -> MessageFile:
    r"""Open a message file: CSV, TSV, JSON Lines, XLSX, ODS or Parquet.

    Parameters
    ----------
    path : str or Path
        Its extension tells the format; ``"-"`` is standard input, told by its content.
    text_column, id_column : str, optional
        The columns of the message and of its identifier; by default those with usual names.
    encoding, separator : str, optional
        Of a text file; by default found out.
    guarded : bool, default False
        Whether the file was written with `guard_formulas`; the guards are taken off.
    chunk_rows : int, default 20000
        How many rows `MessageFile.chunks` yields at a time.

    Returns
    -------
    MessageFile
        A context manager.

    Raises
    ------
    DataError
        The file can't be read, or has no text column.
    ValueError
        `chunk_rows` isn't positive.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "sms.csv"
    >>> _ = path.write_text("id,text\n1,Coucou Zoé\n", encoding="utf-8")
    >>> with open_messages(path) as messages:
    ...     [chunk.texts for chunk in messages.chunks()]
    [['Coucou Zoé']]
    """
    if chunk_rows < 1:
        raise ValueError(f"chunk_rows must be positive, not {chunk_rows}")
    options = Options(text_column, id_column, encoding, separator, guarded, chunk_rows)
    source = open_source(path)
    try:
        with reading(source.name):
            return MessageFile(source, _OPENERS[source.format](source, options), options)
    except BaseException:
        source.close()
        raise
