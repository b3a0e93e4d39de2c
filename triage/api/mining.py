"""Mining: the spellings that may be identifiers and still stand, for a person to answer."""

from pathlib import Path
from typing import Any

from triage.dictionaries.pack import NO_LANGUAGE

from ..decide.source import Source
from ..declared import keywords
from ..errors import TriageError
from ..mining.candidates import BOUND
from ..mining.session import COLUMNS, candidate_rows, facts_of, open_session, write_round
from ..settings import Setup
from .deciding import Given, pipeline_of, setup_of_run
from .tables import like, reading_of, stored, table_of


@keywords(Setup, without=("corpus_evidence",))
def mine(
    messages: Given,
    *,
    answers: "Given | None" = None,
    catalogue: "Given | None" = None,
    key_table: "Given | None" = None,
    queue: str | Path | None = None,
    lists: str | Path | None = None,
    bound: float = BOUND,
    text_column: str | None = None,
    sender_column: str | None = None,
    overwrite: bool = False,
    **setup: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """List spellings that may be identifiers and still stand; as ``triage mine``.

    Write always, never, here or later into the column ``answer`` of the table, and give it as
    `answers` to the next call, until no candidate is left.

    Parameters
    ----------
    messages : Path, or a table of pandas, Polars or Arrow
        Triaged or anonymised, or neither.
    answers : Path or table, optional
        What an earlier call returned, answered.
    catalogue : Path or table, optional
        Known spellings, with the columns entity, type and spellings.
    key_table : Path or table, optional
        That of `anonymise`, of anonymised messages.
    queue : path, optional
        As the option of the command.
    lists : path, optional
        A folder for the lists and the plan that follow from the answers.
    bound : float
        The least likelihood of a candidate.
    text_column, sender_column : str, optional
        By default those with usual names.
    overwrite : bool
        Whether lists that exist are replaced.
    **setup
        As for `Triage.load`; with ``language="none"`` neither dictionary nor model is asked.

    Returns
    -------
    DataFrame
        The candidates, the likeliest first, then what was answered; numbers of the round are in
        ``attrs["round"]``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"text": ["on va chez Zorvane", "Zorvane vient", "ok"]})
    >>> found = mine(table)
    >>> found["spelling"].tolist()
    ['Zorvane']
    >>> again = mine(table, answers=found.assign(answer="always"))
    >>> again.attrs["round"]["answers"]
    {'always': 1}
    """
    with (
        stored(messages) as path,
        stored(answers, "the table of answers") as answered,
        stored(catalogue, "the catalogue") as known,
        stored(key_table, "the key table") as replaced,
    ):
        reading = reading_of(text_column=text_column, sender_column=sender_column)
        source = Source(path, reading)
        if setup.get("language") == NO_LANGUAGE:
            if len(setup) > 1:
                raise TriageError("language='none' asks no dictionary and no model: name none")
            triage = None
        else:
            triage = pipeline_of(setup_of_run(messages, path, setup), source.first_messages())
        session = open_session(
            source,
            triage,
            answers=[answered] if answered else [],
            catalogue=known,
            key_table=replaced,
            queue=Path(queue) if queue else None,
        )
    write_round(session, lists=None if lists is None else Path(lists), overwrite=overwrite)
    found = session.candidates(bound)
    kinds = {"likelihood": float, "stands": int, "replaced": int}
    table = table_of(candidate_rows(session, found), COLUMNS, kinds)
    table.attrs["round"] = facts_of(session, found, bound)
    return like(messages, table)
