"""Parquet files."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

from triage.data.columns import check_distinct
from triage.data.errors import DataError
from triage.data.extras import require
from triage.data.formats import Dialect
from triage.data.source import Source
from triage.data.table import Options, Reject, Row

# pyarrow has no types that a checker could read.
_ParquetFile: TypeAlias = Any

# Beside its own errors pyarrow raises these: for a stream that ends too soon, for text that is
# not UTF-8, and for dates that Python's calendar doesn't reach.
_UNREADABLE = (OSError, ValueError, OverflowError)


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file, read in batches."""

    source: Source
    dialect: Dialect
    columns: tuple[str, ...]
    lines: int
    batch_rows: int

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:  # noqa: ARG002
        """Yield all rows; none is rejected."""
        arrow = require("pyarrow", "parquet")
        number = count(1)
        try:
            for batch in _open(self.source).iter_batches(self.batch_rows):
                columns = [column.to_pylist() for column in batch.columns]
                for cells in zip(*columns, strict=True):
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
    check_distinct(columns, source.name)
    dialect = Dialect(source.format, schema=file.schema_arrow)
    return ParquetTable(source, dialect, columns, file.metadata.num_rows, options.chunk_rows)


def _open(source: Source) -> _ParquetFile:
    source.file.seek(0)
    return require("pyarrow.parquet", "parquet").ParquetFile(source.file)


def _damaged(source: Source) -> DataError:
    return DataError(
        f"{source.name} is not a readable Parquet file (damaged, or values out of range)"
    )
