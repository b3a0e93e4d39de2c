"""Tables in memory, of pandas, Polars or Arrow: their messages, and what their columns must be."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from triage.data.columns import find_column, guess_column
from triage.data.errors import is_null, require, sender_of

from ..errors import TriageError
from ..model.annotated import FINAL_COLUMNS, texts_of

if TYPE_CHECKING:
    import pandas as pd

InMemory: TypeAlias = "Iterable[Any] | pd.DataFrame | pd.Series[Any]"
"""Messages: a list of texts, or a column or a table of pandas, Polars or Arrow."""
COLUMNS = ("seek_hide", "model", "model_score", "action", "evidence")
# What a table that was triaged before has.
TAKEN = (*COLUMNS, *FINAL_COLUMNS)
# Up to this a float holds each whole number.
_MAX_EXACT = 2**53


class Messages(NamedTuple):
    table: "pd.DataFrame"
    text_column: str
    texts: list[str]
    senders: list[str]
    is_corpus: bool
    sender: int | None = None


def check_columns(
    columns: Sequence[str], text: str, sender: str | None = None, name: str = "the table"
) -> None:
    """Check that a table has its columns and room for the decisions."""
    check_has_columns(columns, text, sender)
    # What was decided before would outrank what is decided now.
    if taken := [column for column in TAKEN if column in columns]:
        raise TriageError(
            f"{name} has a column {taken[0]!r} already: it was triaged before; "
            "remove or rename its columns " + ", ".join(taken)
        )


def messages_of(
    messages: InMemory,
    text_column: str | None = None,
    sender_column: str | None = None,
    corpus_evidence: bool | None = None,
) -> Messages:
    """Return the messages and the senders of a table; missing ones (None, NaN) are empty."""
    table, is_table = as_table(messages, text_column)
    columns = [*map(str, table.columns)]
    text = _position(columns, text_column, "text")
    if text is None:
        raise TriageError(
            "no column has a usual name for messages: name it with text_column, or call it "
            f"'text'; there are: {', '.join(columns)}"
        )
    sender = _position(columns, sender_column, "sender")
    named = columns[sender] if sender_column and sender is not None else None
    check_has_columns(columns, columns[text], named)
    sender = None if sender == text else sender
    texts, senders = texts_of(cells_of(table.iloc[:, text])), [""] * len(table)
    if sender is not None:
        senders = [*map(sender_of, cells_of(table.iloc[:, sender]))]
    is_corpus = is_table if corpus_evidence is None else corpus_evidence
    return Messages(table, columns[text], texts, senders, is_corpus, sender)


def _position(columns: list[str], name: object, role: str) -> int | None:
    """Return the position of a column by its name, or else by its number from 1, or a guess."""
    if name in (None, ""):
        return 0 if role == "text" and len(columns) == 1 else guess_column(columns, role)
    position = find_column(columns, str(name))
    check_has_columns(columns, str(name) if position is None else columns[position])
    return position


def check_has_columns(columns: Sequence[str], text: str | None, sender: str | None = None) -> None:
    """Check that a table has the columns that are named once, each for one thing."""
    for name in (text, sender):
        if name and columns.count(name) != 1:
            times = "more than one" if name in columns else "no"
            listed = ", ".join(map(str, columns))
            raise TriageError(f"there is {times} column {name!r}; there are: {listed}")
    if sender and sender == text:
        line = "is the column of messages: name another one with sender_column, or none"
        raise TriageError(f"{sender!r} {line}")


def as_table(messages: InMemory, name: str | None = None) -> "tuple[pd.DataFrame, bool]":
    """Return messages as a table of pandas, and whether they were one, or a column, of any kind."""
    import pandas as pd

    name, converted = "text" if name is None else str(name), _in_pandas(messages)
    if isinstance(converted, pd.DataFrame):
        converted.attrs |= attributes_of(messages)
        return converted, True
    if isinstance(converted, pd.Series):
        return converted.to_frame(name), True
    if isinstance(converted, np.ndarray) and converted.ndim == 2 and converted.shape[1] == 1:
        converted = converted[:, 0]
    if isinstance(converted, str | bytes | Mapping) or not isinstance(converted, Iterable):
        raise TriageError("messages are a list of texts, or a table with a column of them")
    return pd.DataFrame({name: pd.Series([*converted], dtype=object)}), False


def attributes_of(messages: object) -> dict[str, Any]:
    """Return what a table tells beside its cells; one of Arrow has it in its schema, as JSON."""
    if type(messages).__module__.partition(".")[0] == "pyarrow":
        metadata = getattr(getattr(messages, "schema", None), "metadata", None) or {}
        with suppress(KeyError, TypeError, ValueError):  # none, or what another program wrote
            return dict(json.loads(metadata[b"triage"]))
    return getattr(messages, "attrs", {})


def _in_pandas(messages: Any) -> Any:  # noqa: ANN401
    """Return a table or a column of another library in pandas, each cell of its own type."""
    import pandas as pd

    # A table of pandas may have a column of any name.
    if isinstance(messages, pd.DataFrame | pd.Series):
        return messages
    if hasattr(messages, "collect") and hasattr(messages, "lazy"):
        messages = messages.collect()  # of Polars
    library = type(messages).__module__.partition(".")[0]
    if library == "polars":
        return messages.to_pandas(use_pyarrow_extension_array=True)
    if hasattr(messages, "__arrow_c_stream__") and not hasattr(messages, "to_pandas"):
        library, messages = "pyarrow", require("pyarrow", "parquet").table(messages)
    if library == "pyarrow" and hasattr(messages, "schema"):
        return messages.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)
    if library == "pyarrow":
        return pd.Series(messages, dtype=pd.ArrowDtype(messages.type))
    return messages.to_pandas() if hasattr(messages, "to_pandas") else messages


def cells_of(column: "pd.Series[Any]") -> list[Any]:
    """Return the cells of a column, those without a value as None.

    Whole numbers are whole again: pandas makes floats of those that stand beside a missing one.
    """
    cells = [None if is_null(cell) else cell for cell in column.tolist()]
    floats = [cell for cell in cells if type(cell) is float]
    if floats and all(cell.is_integer() and abs(cell) < _MAX_EXACT for cell in floats):
        return [int(cell) if type(cell) is float else cell for cell in cells]
    return cells
