"""Tables come back as they came in: of pandas, of Polars, lazy or not, or of Arrow."""

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def like(given: object, table: "pd.DataFrame") -> Any:  # noqa: ANN401
    """Return a table as one of the library of what was given; pandas for paths and lists.

    Columns that were given keep their types. What a table of pandas tells in ``attrs`` is an
    attribute of one of Polars, too; in the metadata of the schema of one of Arrow, it is JSON.
    """
    library = type(given).__module__.partition(".")[0]
    if library == "polars":
        return _of_polars(given, table)
    if library == "pyarrow":
        return _of_arrow(given, table)
    return table


def _of_polars(given: Any, table: "pd.DataFrame") -> Any:  # noqa: ANN401
    import polars as pl

    schema = given.collect_schema() if hasattr(given, "collect_schema") else {}
    columns = []
    for name, cells in table.items():
        column = pl.Series(str(name), _cells(cells), strict=False)
        # Another type says that the column is another one now, such as pseudonyms.
        with suppress(pl.exceptions.PolarsError):
            column = column.cast(schema.get(str(name), column.dtype))
        columns.append(column)
    made: Any = pl.DataFrame(columns)
    if isinstance(given, pl.LazyFrame):
        made = made.lazy()
    made.attrs = table.attrs
    return made


def _of_arrow(given: Any, table: "pd.DataFrame") -> Any:  # noqa: ANN401
    import pyarrow as pa

    schema, columns = getattr(given, "schema", pa.schema([])), {}
    for name, cells in table.items():
        column = pa.array(_cells(cells))
        if (at := schema.get_field_index(str(name))) >= 0:
            with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
                column = column.cast(schema.field(at).type)
        columns[str(name)] = column
    made, told = pa.table(columns), json.dumps(table.attrs, default=str)
    return made.replace_schema_metadata({"triage": told}) if table.attrs else made


def _cells(column: "pd.Series[Any]") -> list[Any]:
    """Return the cells of a column, missing ones as None."""
    return column.astype(object).where(column.notna(), None).tolist()
