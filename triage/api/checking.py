"""Looking for what is left in anonymised messages."""

from typing import TYPE_CHECKING, Any

from ..anonymise.check import check_output
from ..decide.frames import stored, stored_if_given
from ..decide.source import Source
from ..declared import keywords
from ..errors import TriageError
from ..settings import Reading, Setup
from .deciding import Given, pipeline_of

if TYPE_CHECKING:
    import pandas as pd


@keywords(Setup, without=("corpus_evidence",))
def check(
    messages: Given,
    against: "Given | None" = None,
    *,
    key_table: "Given | None" = None,
    text_column: str | None = None,
    id_column: str | None = None,
    show: bool = False,
    **setup: Any,  # noqa: ANN401
) -> "pd.DataFrame":
    """Search anonymised messages for remaining identifiers; as ``triage check``.

    Parameters
    ----------
    messages : path, or a table of pandas, Polars or Arrow
    against : path or table, optional
        The messages before.
    key_table : path or table, optional
        That of `anonymise`, in place of the messages before.
    text_column, id_column : str, optional
        By default those with usual names.
    show : bool
        Whether the table says what was found, which may identify people.
    **setup
        As for `Triage.load`.

    Returns
    -------
    DataFrame
        A row for each finding: ``certainty``, ``reason``, ``severity``, ``row`` (from 1),
        ``column`` and, with `show`, ``text``; whether the messages are clean is in
        ``attrs["clean"]``.

    Examples
    --------
    >>> import pandas as pd
    >>> found = check(pd.DataFrame({"text": ["mon num 06 39 98 12 34", "ok"]}))
    >>> found[["certainty", "row"]].values.tolist(), found.attrs["clean"]
    ([['certain', 1]], False)
    """
    import pandas as pd

    if against is not None and key_table is not None:
        raise TriageError("give either against or key_table, not both")
    with (
        stored(messages) as path,
        stored_if_given(against, "the table before") as other,
        stored_if_given(key_table, "the key table") as replaced,
    ):
        reading = Reading(text_column, id_column)
        output = Source(path, reading)
        before = None if other is None else Source(other, reading)
        triage = pipeline_of(Setup.of(setup), (before or output).first_messages)
        found = check_output(output, triage, against=before, key_table=replaced)
    columns = ["certainty", "reason", "severity", "row", "column", *(["text"] if show else [])]
    rows = [
        vars(one)
        | {"certainty": one.certainty.value, "severity": one.severity and one.severity.value}
        for one in found.left
    ]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs["clean"] = found.is_clean
    return table
