"""Parquet files, read in batches and written as row groups."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import IO, Any, TypeAlias

from triage.data.columns import check_columns
from triage.data.errors import DataError, require
from triage.data.limits import LONGEST_CELL
from triage.data.table import Dialect, Reject, Row, Source, Table, Writer
from triage.data.values import MISSING
from triage.settings import Reading

# pyarrow has no types that a checker could read.
_Arrow: TypeAlias = Any
_Array: TypeAlias = Any
_Field: TypeAlias = Any
_Schema: TypeAlias = Any
_ParquetFile: TypeAlias = Any

# Besides its own errors pyarrow raises these: for a stream that ends too soon, for text that is
# not UTF-8, and for dates beyond Python's calendar.
_UNREADABLE = (OSError, ValueError, OverflowError)
_TOO_LONG = f"a cell of more than {LONGEST_CELL:,} characters"
_BATCH_BYTES, _BATCH_ROWS = 1 << 26, 500


def is_parquet(head: bytes) -> bool:
    """Return whether a file begins like a Parquet file."""
    return head.startswith(b"PAR1")


def open_parquet(source: Source, options: Reading) -> Table:  # noqa: ARG001
    """Read the schema of a Parquet file, if pyarrow is installed."""
    arrow = require("pyarrow", "parquet")
    try:
        file = _open(source)
    except (arrow.ArrowException, *_UNREADABLE) as error:
        raise _damaged(source) from error
    columns = tuple(file.schema_arrow.names)
    check_columns(columns, source.name)
    # Metadata besides the columns, such as an index of names, is not written to outputs.
    schema = arrow.schema([_bare_field(arrow, field) for field in file.schema_arrow])
    dialect = Dialect(source.format, schema=schema)
    n_rows = file.metadata.num_rows
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    n_bytes = sum(group.total_byte_size for group in groups)
    fitting = max(1, min(_BATCH_ROWS, _BATCH_BYTES * n_rows // max(1, n_bytes)))
    return Table(columns, dialect, n_rows, partial(_rows, arrow, source, fitting))


def _rows(arrow: _Arrow, source: Source, batch_rows: int) -> Iterator[Row | Reject]:
    number = count(1)
    try:
        for batch in _open(source).iter_batches(batch_rows):
            columns = [column.to_pylist() for column in batch.columns]
            for cells in zip(*columns, strict=True):
                if any(isinstance(c, str) and len(c) > LONGEST_CELL for c in cells):
                    yield Reject(next(number), _TOO_LONG, "")
                else:
                    yield next(number), list(cells)
    except (arrow.ArrowException, *_UNREADABLE) as error:
        raise _damaged(source) from error


def _open(source: Source) -> _ParquetFile:
    source.file.seek(0)
    return require("pyarrow.parquet", "parquet").ParquetFile(source.file)


def _damaged(source: Source) -> DataError:
    return DataError(
        f"{source.name} is not a readable Parquet file (damaged, or values out of range)"
    )


def _bare_field(arrow: _Arrow, field: _Field) -> _Field:
    """Return a field without metadata, also of fields within it."""
    type_ = field.type
    if arrow.types.is_struct(type_):
        inner = [_bare_field(arrow, type_.field(i)) for i in range(type_.num_fields)]
        type_ = arrow.struct(inner)
    elif arrow.types.is_list(type_):
        type_ = arrow.list_(_bare_field(arrow, type_.value_field))
    return arrow.field(field.name, type_, field.nullable)


class ParquetWriter(Writer):
    """Writer of Parquet row groups."""

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        super().__init__(file, columns, dialect)
        self._arrow = require("pyarrow", "parquet")
        self._parquet = require("pyarrow.parquet", "parquet")
        self._schema: _Schema = dialect.schema
        self._writer: Any = None

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:  # noqa: ARG002
        """Write rows as a row group."""
        cells = list(zip(*rows, strict=True)) or [()] * len(self._columns)
        arrays = [self._array(*column) for column in zip(self._columns, cells, strict=True)]
        if self._writer is None:
            fields = [
                self._known(name) or self._arrow.field(name, array.type)
                for name, array in zip(self._columns, arrays, strict=True)
            ]
            self._schema = self._arrow.schema(fields)
            self._writer = self._parquet.ParquetWriter(self._file, self._schema)
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def finish(self) -> None:
        """Write the footer, which holds the places of all columns."""
        if self._writer is None:
            self.write([], 1)
        self._writer.close()

    def _known(self, name: str) -> _Field:
        """Return the field of a column whose type is settled, else None."""
        schema = self._schema
        return schema.field(name) if schema is not None and name in schema.names else None

    def _array(self, name: str, values: Sequence[object]) -> _Array:
        known = self._known(name)
        present = [None if value is MISSING else value for value in values]
        try:
            array = self._arrow.array(present, type=known and known.type)
        except (self._arrow.ArrowException, OverflowError, TypeError, UnicodeError) as error:
            raise DataError(
                f"column {name!r} holds values that Parquet can't hold together: write CSV"
                " or JSON Lines"
            ) from error
        # A column without values yet has the null type, which would refuse later ones.
        is_null = self._arrow.types.is_null(array.type)
        return array.cast(self._arrow.string()) if is_null else array
