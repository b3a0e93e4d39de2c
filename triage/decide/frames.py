"""Tables of messages in memory: those of pandas, and of what can be turned into one.

Only pandas is needed for its own tables; Polars and Arrow turn theirs into pandas themselves.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from triage.data import DataError, MessageFile, create_output, find_column, shown_columns
from triage.data.columns import guess_column
from triage.data.errors import require, sender_of

from ..errors import TriageError
from ..model.annotated import text_of

if TYPE_CHECKING:
    import pandas as pd

TEXT = "text"
_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


InMemory: TypeAlias = "Iterable[Any] | pd.DataFrame | pd.Series[Any]"
"""Messages: a list of texts, or a column or a table of pandas, Polars or Arrow."""


class Messages(NamedTuple):
    """Messages of a table, or of a list."""

    table: "pd.DataFrame"
    text_column: str
    texts: list[str]
    senders: list[str]
    is_corpus: bool
    sender: int | None = None


def messages_of(
    messages: InMemory, text_column: str | None = None, sender_column: str | None = None
) -> Messages:
    """Return the messages and the senders of a table; missing ones (None, NaN) are empty."""
    table, is_corpus = _table(messages, text_column or TEXT)
    columns = [*map(str, table.columns)]
    if not text_column:
        guessed = 0 if len(columns) == 1 else guess_column(columns, "text")
        if guessed is None:
            raise TriageError(
                "no column has a usual name for messages: name it with text_column; there are: "
                f"{shown_columns(columns)}"
            )
        text_column = columns[guessed]
    text = _position(columns, text_column)
    sender = _position(columns, sender_column) if sender_column else guess_column(columns, "sender")
    texts, senders = [text_of(cell) for cell in table.iloc[:, text].tolist()], [""] * len(table)
    if sender is not None:
        senders = [sender_of(cell) for cell in table.iloc[:, sender].tolist()]
    return Messages(table, columns[text], texts, senders, is_corpus, sender)


def _position(columns: list[str], name: str) -> int:
    """Return the position of a column by its name, or else by its number, from 1."""
    found = find_column(columns, name)
    check_there(columns, name if found is None else columns[found])
    return found or 0


def check_there(columns: Sequence[str], *names: str | None) -> None:
    """Check that a table has each of some columns, if they are named, once."""
    for name in names:
        if name and columns.count(name) != 1:
            times, there = "more than one" if name in columns else "no", [*map(str, columns)]
            raise TriageError(
                f"there is {times} column {name!r}; there are: {shown_columns(there)}"
            )


def _table(messages: InMemory, name: str) -> "tuple[pd.DataFrame, bool]":
    """Return messages as a table of pandas, and whether they were one, or a column, of any kind."""
    import pandas as pd

    found: Any = messages
    if hasattr(found, "collect") and hasattr(found, "lazy"):
        found = found.collect()  # of Polars
    # A table of pandas may have a column of any name.
    if not isinstance(found, pd.DataFrame | pd.Series):
        if hasattr(found, "to_pandas"):
            found = found.to_pandas()
        elif hasattr(found, "__arrow_c_stream__"):
            found = require("pyarrow", "parquet").table(found).to_pandas()
    if isinstance(found, pd.DataFrame):
        return found, True
    if isinstance(found, pd.Series):
        return pd.DataFrame({name: found.astype(object)}), True
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise TriageError("messages are a list of texts, or a table with a column of them")
    return pd.DataFrame({name: pd.Series([*found], dtype=object)}), False


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
            table, _ = _table(messages, TEXT)
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
