"""Parquet files."""

from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from triage.data.errors import DataError
from triage.data.extras import require
from triage.data.formats import Dialect
from triage.data.values import MISSING

# pyarrow has no types that a checker could read.
_Array: TypeAlias = Any
_Field: TypeAlias = Any


class ParquetWriter:
    """Writes rows as Parquet row groups.

    A column of a Parquet input keeps its type exactly; that of any other column is told by the
    first rows written.
    """

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        self._arrow = require("pyarrow", "parquet")
        self._parquet = require("pyarrow.parquet", "parquet")
        self._file = file
        self._columns = columns
        self._input: Any = dialect.schema
        self._writer: Any = None

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:  # noqa: ARG002
        """Write rows as a row group; columns are checked, so that row numbers don't matter."""
        cells = list(zip(*rows, strict=True)) or [()] * len(self._columns)
        arrays = [self._array(*column) for column in zip(self._columns, cells, strict=True)]
        if self._writer is None:
            self._start(arrays)
        schema = self._writer.schema
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=schema))

    def finish(self) -> None:
        """Write the footer, which tells where all columns lie."""
        if self._writer is None:
            self.write([], 1)
        self._writer.close()

    def _start(self, arrays: Sequence[_Array]) -> None:
        known = [self._known(name) for name in self._columns]
        fields = [
            field or self._arrow.field(name, array.type)
            for name, field, array in zip(self._columns, known, arrays, strict=True)
        ]
        schema = self._arrow.schema(fields)
        self._writer = self._parquet.ParquetWriter(self._file, schema)

    def _known(self, name: str) -> _Field:
        """Return the field of a column whose type is settled, else None."""
        schema = self._input if self._writer is None else self._writer.schema
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
        return self._named_type(array)

    def _named_type(self, array: _Array) -> _Array:
        """Return `array` as strings if it has no values: it would have no type for later ones."""
        is_null = self._arrow.types.is_null(array.type)
        return array.cast(self._arrow.string()) if is_null else array
