"""Tables become files, and come back as they came in: of pandas, of Polars or of Arrow."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from triage.data import create_output
from triage.data.columns import shown_columns
from triage.data.errors import MISSING, as_text, is_null

from ..decide.source import Source
from ..decide.tables import InMemory, as_table, cells_of
from ..errors import TriageError, UserError, warn
from ..settings import Reading, build, settings_of
from ..vocabulary import Quantity

if TYPE_CHECKING:
    import pandas as pd

Given: TypeAlias = "str | PathLike[str] | InMemory"
"""A path, or messages in memory; a string is one message."""


def like(given: object, table: "pd.DataFrame", lists: str = "") -> Any:
    """Return a table as one of the library of what was given; pandas for paths and lists.

    Columns that were given keep their types. What a table of pandas tells in ``attrs`` is an
    attribute of one of Polars, too; in the metadata of the schema of one of Arrow, it is JSON.
    The column `lists` holds lists of texts, which none of its cells may tell.
    """
    library = type(given).__module__.partition(".")[0]
    if library not in ("polars", "pyarrow"):
        return table
    import pandas as pd
    import pyarrow as pa

    if lists:
        table = table.astype({lists: pd.ArrowDtype(pa.list_(pa.string()))})
    if library == "polars":
        return _of_polars(given, table)
    schema, columns = getattr(given, "schema", pa.schema([])), []
    for name, cells in table.items():
        column = _in_arrow(cells)
        if (i := schema.get_field_index(str(name))) >= 0:
            with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
                column = column.cast(schema.field(i).type)
        columns.append(column)
    arrow, attributes = pa.table(columns, [*map(str, table)]), json.dumps(table.attrs, default=str)
    return arrow.replace_schema_metadata({"triage": attributes}) if table.attrs else arrow


def _of_polars(given: Any, table: "pd.DataFrame") -> Any:
    import polars as pl

    schema = given.collect_schema() if hasattr(given, "collect_schema") else {}
    columns = []
    for name, cells in table.items():
        is_object = schema.get(str(name)) == pl.Object
        values = (cells.tolist(), pl.Object) if is_object else (_in_arrow(cells),)
        column = pl.Series(str(name), *values)
        # Another type says that the column is another one now, such as pseudonyms.
        with suppress(pl.exceptions.PolarsError):
            column = column.cast(schema.get(str(name), column.dtype))
        columns.append(column)
    frame: Any = pl.DataFrame(columns)
    if isinstance(given, pl.LazyFrame):
        frame = frame.lazy()
    frame.attrs = table.attrs
    return frame


def _in_arrow(column: "pd.Series[Any]") -> Any:
    """Return a column in Arrow: of its type if it has one, else of the type of its cells."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(column.dtype, pd.ArrowDtype):
        return pa.array(column)
    try:
        array = pa.array(column)
    except (pa.ArrowException, OverflowError, TypeError):  # no type holds all of them
        array = pa.array([None if is_null(cell) else as_text(cell) for cell in column.tolist()])
    is_text = pa.types.is_large_string(array.type) or pa.types.is_null(array.type)
    return array.cast(pa.string()) if is_text else array


def whole(messages: Given, name: str = "the table") -> Any:
    """Return a table as one of pandas, which is made but once, and a path as it is."""
    if isinstance(messages, str):
        raise TriageError(f"{name} is no text: give a table, or a Path if it is a file")
    return messages if isinstance(messages, PathLike) else as_table(messages)[0]


def reading_of(messages: object, given: Mapping[str, Any]) -> Reading:
    """Return how messages are read, from the keywords of a function.

    A table has columns, which may be called by numbers; how a file is read is said of files alone.
    """
    options = {name: given[name] for name in settings_of(Reading) if given.get(name) is not None}
    columns = {name: str(one) for name, one in options.items() if name.endswith("_column")}
    return build(Reading, options | columns if isinstance(messages, PathLike) else columns)


def table_of(rows: Iterable[Any], names: Sequence[str], kinds: Mapping[str, Any]) -> "pd.DataFrame":
    """Return rows as a table; `kinds` are the types of columns that are not of texts."""
    import pandas as pd

    table = pd.DataFrame([*rows], columns=[*names])
    # Without a row the cells tell no type.
    return table if len(table) else table.astype({name: kinds.get(name, str) for name in names})


@contextmanager
def stored(messages: "Given | None", name: str = "the table") -> Iterator[Any]:
    """Give the path of a file of messages: a path as it is, a table in a file of its own.

    Errors name a table by its name, and its columns. Where nothing is given, it gives None.
    """
    given = None if messages is None else whole(messages, name)
    if given is None or isinstance(given, PathLike):
        yield None if given is None else str(given)
        return
    columns = [*map(str, given.columns)]
    with TemporaryDirectory(prefix="triage-") as folder:
        # Without a row JSON has no columns.
        path = str(Path(folder) / ("table.jsonl" if len(given) else "table.csv"))
        try:
            with create_output(path, columns, private=True) as output:
                cells = [cells_of(given.iloc[:, i]) for i in range(len(columns))]
                output.write(zip(*cells, strict=True))
                output.commit()
            yield path
        except UserError as error:
            error.rename(path, name)
            error.rename(shown_columns(columns), ", ".join(columns))
            raise


def loaded(source: Source) -> "pd.DataFrame":
    """Return all rows of a file as a table; warn of those that cannot be read.

    Whole numbers keep their digits beside missing ones. Cells that pandas has no type for stay as
    they are: large numbers, and halves of characters.
    """
    import pandas as pd

    with source.open() as file:
        rows = [row for chunk in file.chunks() for row in chunk.rows]
    if file.rejects:
        first, n = file.rejects[0], Quantity(len(file.rejects))
        warn(
            f"{file.name}: {n:# row cannot be read and is|# rows cannot be read and are} left out; "
            f"the first is in line {first.line}: {first.reason}"
        )
    columns = []
    for i, name in enumerate(file.columns):
        cells = [None if row[i] is MISSING else row[i] for row in rows]
        column = pd.Series(cells, None, object, name)
        with suppress(OverflowError, UnicodeEncodeError):
            is_whole = {*map(type, column)} == {int, NoneType}
            column = column.astype("Int64") if is_whole else column.infer_objects()
        columns.append(column)
    return pd.concat(columns, axis=1)
