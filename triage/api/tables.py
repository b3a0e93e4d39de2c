"""Tables become files, and come back as they came in: of pandas, of Polars or of Arrow."""

import json
import re
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from triage.data import DataError, MessageFile, create_output

from ..decide.pipeline import InMemory, as_table
from ..errors import TriageError

if TYPE_CHECKING:
    import pandas as pd

_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


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


@contextmanager
def stored(
    messages: "str | PathLike[str] | InMemory | None", name: str = "the table"
) -> Iterator[Any]:
    """Give the path of a file of messages: a path as it is, a table in a file of its own.

    Errors name a table by its name, and options by their parameters. Where nothing is given, it
    gives None.
    """
    with ExitStack() as stack:
        path = None
        if isinstance(messages, PathLike):
            path = name = str(messages)
        elif isinstance(messages, str):
            raise TriageError(f"{name} is a table, or a file as Path({messages!r})")
        elif messages is not None:
            table, _ = as_table(messages)
            if not len(table):
                raise TriageError(f"{name} has no rows")
            plain = table.astype(object).where(table.notna(), None)
            folder = stack.enter_context(TemporaryDirectory(prefix="triage-"))
            path = str(Path(folder) / "table.jsonl")
            with create_output(path, [*map(str, table.columns)], private=True) as output:
                output.write(plain.to_numpy().tolist())
                output.commit()
        try:
            yield path
        except (DataError, TriageError) as error:
            if path is None:
                raise
            told = _OPTION.sub(lambda option: option[1].replace("-", "_"), str(error))
            raise type(error)(told.replace(path, name)) from None


def loaded(file: MessageFile) -> "pd.DataFrame":
    """Return all rows of an open file as a table; warn of those that cannot be read."""
    import pandas as pd

    rows = [row for chunk in file.chunks() for row in chunk.rows]
    if file.rejects:
        first = file.rejects[0]
        warnings.warn(
            f"{file.name}: {len(file.rejects):,} rows cannot be read and are left out; the first "
            f"is in line {first.line}: {first.reason}",
            stacklevel=3,
        )
    return pd.DataFrame(rows, columns=[*file.columns])
