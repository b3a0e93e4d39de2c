"""Parquet files."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

from triage.data.columns import check_columns
from triage.data.errors import DataError
from triage.data.extras import require
from triage.data.formats import Dialect
from triage.data.limits import LONGEST_CELL
from triage.data.source import Source
from triage.data.table import Options, Reject, Row

# pyarrow has no types that a checker could read.
_Arrow: TypeAlias = Any
_ParquetFile: TypeAlias = Any
_Schema: TypeAlias = Any

# Beside its own errors pyarrow raises these: for a stream that ends too soon, for text that is
# not UTF-8, and for dates that Python's calendar doesn't reach.
_UNREADABLE = (OSError, ValueError, OverflowError)
_TOO_LONG = f"a cell of more than {LONGEST_CELL:,} characters"
_BATCH_BYTES = 1 << 26


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file, read in batches."""

    source: Source
    dialect: Dialect
    columns: tuple[str, ...]
    lines: int
    batch_rows: int

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:
        """Yield the rows that have no cell without end."""
        arrow = require("pyarrow", "parquet")
        number = count(1)
        try:
            for batch in _open(self.source).iter_batches(self.batch_rows):
                columns = [column.to_pylist() for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    if any(isinstance(c, str) and len(c) > LONGEST_CELL for c in cells):
                        reject(Reject(next(number), _TOO_LONG, ""))
                    else:
                        yield next(number), list(cells)
        except (arrow.ArrowException, *_UNREADABLE) as error:
            raise _damaged(self.source) from error


def open_parquet(source: Source, options: Options) -> ParquetTable:
    """Read the schema of a Parquet file.

    Raises
    ------
    DataError
        It isn't a Parquet file, it is damaged, or pyarrow isn't installed.
    """
    arrow = require("pyarrow", "parquet")
    try:
        file = _open(source)
    except (arrow.ArrowException, *_UNREADABLE) as error:
        raise _damaged(source) from error
    columns = tuple(file.schema_arrow.names)
    check_columns(columns, source.name)
    # Of what the file tells beside its columns, such as an index of names, nothing is written.
    dialect = Dialect(source.format, schema=_bare(arrow, file.schema_arrow))
    n_rows = file.metadata.num_rows
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    n_bytes = sum(group.total_byte_size for group in groups)
    fitting = max(1, _BATCH_BYTES * n_rows // max(1, n_bytes))
    batch_rows = min(options.chunk_rows, fitting)
    return ParquetTable(source, dialect, columns, n_rows, batch_rows)


def _bare(arrow: _Arrow, schema: _Schema) -> _Schema:
    """Return a schema without metadata, those of its fields and of fields within them either."""
    return arrow.schema([_bare_field(arrow, field) for field in schema])


def _bare_field(arrow: _Arrow, field: _Schema) -> _Schema:
    return arrow.field(field.name, _bare_type(arrow, field.type), field.nullable)


def _bare_type(arrow: _Arrow, type_: _Schema) -> _Schema:
    if arrow.types.is_struct(type_):
        return arrow.struct([_bare_field(arrow, type_.field(i)) for i in range(type_.num_fields)])
    if arrow.types.is_list(type_):
        return arrow.list_(_bare_field(arrow, type_.value_field))
    return type_


def _open(source: Source) -> _ParquetFile:
    source.file.seek(0)
    return require("pyarrow.parquet", "parquet").ParquetFile(source.file)


def _damaged(source: Source) -> DataError:
    return DataError(
        f"{source.name} is not a readable Parquet file (damaged, or values out of range)"
    )
