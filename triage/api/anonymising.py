"""Replacing the identifiers of messages, the table of what they stand for, and what is left."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from triage.dictionaries.pack import NO_LANGUAGE

from ..anonymise.check import Answers, check_output
from ..anonymise.columns import REWRITTEN, Becomes, Columns
from ..anonymise.keys import read_key
from ..anonymise.plan import Plan, read_plan
from ..anonymise.record import read_held, read_record
from ..anonymise.run import Anonymised, AnonymiseRequest, FirstPass, find_all
from ..anonymise.run import anonymise as anonymise_all
from ..decide.people import TABLE_COLUMNS, read_people
from ..decide.source import Source
from ..errors import TriageError, warn
from ..mining import BOUND, COLUMNS, Mining, candidate_rows, facts_of
from ..settings import Markup, Reading, Setup, Treatment, keywords, settings_of, share_of
from .deciding import pipeline_of, setup_of_run
from .tables import Given, like, loaded, reading_of, stored, table_of, whole

if TYPE_CHECKING:
    import pandas as pd

_FILE = str | PathLike[str]
_WITHOUT = ("people", "corpus_evidence", "new_key", "show", "document", "markup")


@keywords(Reading, Setup, Treatment, without=_WITHOUT)
def anonymise(
    messages: Given,
    *,
    plan: "_FILE | Plan | None" = None,
    people: "Given | None" = None,
    overwrite: bool = False,
    **options: Any,
) -> Any:
    """Replace the identifiers in messages that `classify` decided; as ``triage anonymise``.

    Parameters
    ----------
    messages : Path, or a table of pandas, Polars or Arrow
        With a column ``action``, or ``final_action`` and ``decided_by``.
    plan : path or Plan, optional
        A plan of treatment, as of ``triage plan``; `options` win over it.
    people : Path or table, optional
        A table of people, such as `entities` returns; edit it as you like.
    **options
        Those of the command (such as ``style``, ``keep`` and ``per_sender``), of `Triage.load` and
        of `read`. ``key`` is a key file or its 32 bytes, ``key_table`` the path of a file that you
        alone may read.

    Returns
    -------
    DataFrame
        The messages that are not held back. The rows (from 1), ids and reasons of the others are in
        ``attrs["held"]``; the record of the run, without messages and names, is in
        ``attrs["record"]``. The index is that of the table given if it has whole numbers, else
        row numbers from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from triage.api import classify
    >>> decided = classify(pd.DataFrame({"text": ["Coucou Patrice, ça va?", "J'arrive"]}))
    >>> anonymise(decided)["text"].tolist()
    ['Coucou <PRE>, ça va?', "J'arrive"]
    """
    planned, settings = _joined(plan, {**options, "people": people}, overwrite=overwrite)
    people, table = settings.pop("people", None), whole(messages)
    with (
        stored(Path(people) if isinstance(people, str) else people, "the table of people") as path,
        _found(table, planned, {**settings, "people": path}) as seen,
    ):
        done = anonymise_all(seen, None if path is None else read_people(path), warn)
        return like(messages, _written(done, table, seen.survey.columns))


@keywords(Reading, Setup, Treatment, without=_WITHOUT)
def entities(
    messages: Given, *, plan: "_FILE | Plan | None" = None, overwrite: bool = False, **options: Any
) -> Any:
    """List what `anonymise` would replace, spelling by spelling, and by what.

    Edit the table like that of ``triage anonymise --people``, and give it to `anonymise`.

    Parameters
    ----------
    messages, plan, **options
        As for `anonymise`.

    Examples
    --------
    >>> import pandas as pd
    >>> from triage.api import classify
    >>> decided = classify(pd.DataFrame({"text": ["Coucou Patrice, ça va?", "J'arrive"]}))
    >>> entities(decided)[["spellings", "type", "replacement"]].values.tolist()
    [['Patrice', 'PRE', '<PRE>']]
    """
    planned, settings = _joined(plan, options, overwrite=overwrite)
    planned = planned.with_settings({"document": None, "markup": Markup.TEXT})  # none is written
    with _found(messages, planned, settings) as seen:
        table, _ = seen.table()
    rows = (entry.cells() for entry in table)
    return like(messages, table_of(rows, TABLE_COLUMNS, {"count": int}))


def _joined(
    plan: "_FILE | Plan | None", options: Mapping[str, Any], *, overwrite: bool
) -> tuple[Plan, dict[str, Any]]:
    """Return the plan with all settings of treatment, and the others; those of the call win."""
    joined, settings = Plan() if plan is None else plan, dict[str, Any]()
    if isinstance(joined, str | PathLike):
        joined, settings = read_plan(Path(joined))
    if not isinstance(joined, Plan):
        raise TriageError(f"plan is a path or a Plan, not of the type {type(plan).__name__}")
    given = {name: value for name, value in options.items() if value is not None}
    # The key may be bytes.
    fields = {name: one for name, one in settings_of(Treatment).items() if name != "key"}
    treatment = {k: one.checked(given[k], k) for k, one in fields.items() if k in given}
    joined = joined.with_settings(treatment)
    return joined, settings | given | {"overwrite": overwrite or bool(settings.get("overwrite"))}


@contextmanager
def _found(messages: Given, plan: Plan, settings: Mapping[str, Any]) -> Iterator[FirstPass]:
    """Find the identifiers of messages; what is written goes into a folder that is removed."""
    given, key_file = settings.get("key"), None
    if isinstance(given, str | PathLike):
        key_file, given = str(given), read_key(Path(given))
    elif not isinstance(given, bytes | bytearray | memoryview | None):
        raise TriageError("key is the path of a key file, or its 32 bytes")
    if plan.treatment.document or plan.treatment.markup is not Markup.TEXT:
        raise TriageError("document and markup are of triage anonymise: leave them out of the plan")
    plan = plan.with_settings({"key": key_file, "new_key": False})
    with stored(messages) as path, TemporaryDirectory(prefix="triage-") as folder:
        source, output = Source(path, reading_of(messages, settings)), f"{folder}/anonymised.jsonl"
        request = AnonymiseRequest(source, output, plan, bytes(given or b""), settings["overwrite"])
        request.check(Setup.of(settings))
        triage = pipeline_of(setup_of_run(messages, path, settings), source.first_messages())
        with source.open() as file:
            yield find_all(file, request, triage)


def _written(done: Anonymised, given: Any, plan: Columns) -> "pd.DataFrame":
    """Return the rows written; of a table, with its index, and columns that stay as given."""
    import pandas as pd

    held = [vars(one) | {"reason": one.reason.value} for one in read_held(done.output)]
    table = pd.DataFrame(columns=[*done.columns])
    if Path(done.output).stat().st_size:
        read_back = loaded(Source(done.output))
        table = read_back.reindex(columns=[*done.columns])
    if not isinstance(given, PathLike):
        left_out = {one["row"] for one in held if not one["written"]}
        rows = [i for i in range(len(given)) if i + 1 not in left_out]
        # Other labels than numbers are not searched, and may be names or dates.
        is_plain = pd.api.types.is_integer_dtype(given.index)
        labels = (given.index if is_plain else pd.RangeIndex(len(given)))[rows]
        position_of, columns = {str(name): i for i, name in enumerate(given.columns)}, []
        for i, name in ((i, plan.names[i]) for i in plan.written):
            stays = plan.becomes[i] not in (*REWRITTEN, Becomes.MESSAGES)
            column = given.iloc[rows, position_of[name]] if stays else table[name]
            columns.append(column.set_axis(labels))
        table = pd.concat(columns, axis=1)
    table.attrs = {"held": held, "record": read_record(done.output)}
    return table


@keywords(Reading, Setup, without=("corpus_evidence",))
def check(
    messages: Given,
    against: "Given | None" = None,
    *,
    key_table: "Given | None" = None,
    show: bool = False,
    **settings: Any,
) -> Any:
    """Search anonymised messages for remaining identifiers; as ``triage check``.

    Parameters
    ----------
    messages : Path, or a table of pandas, Polars or Arrow
        Anonymised messages.
    against : Path or table, optional
        The messages before anonymising.
    key_table : Path or table, optional
        The key table of `anonymise`, in place of `against`.
    show : bool
        Add the column ``text`` with what was found, which may identify people.
    **settings
        As for `Triage.load`, and for files as for `read`.

    Returns
    -------
    DataFrame
        A row for each finding: ``certainty``, ``reason``, ``severity``, ``row`` (from 1),
        ``column`` and, with `show`, ``text``. ``attrs["clean"]`` is true if nothing certain is
        left.

    Examples
    --------
    >>> import pandas as pd
    >>> found = check(pd.DataFrame({"text": ["mon num 06 39 98 12 34", "ok"]}))
    >>> found[["certainty", "row"]].values.tolist(), found.attrs["clean"]
    ([['certain', 1]], False)
    """
    if against is not None and key_table is not None:
        raise TriageError("give either against or key_table, not both")
    with (
        stored(messages) as path,
        stored(against, "the table before") as other,
        stored(key_table, "the key table") as replaced,
    ):
        output = Source(path, reading_of(messages, settings))
        before = None if other is None else Source(other, reading_of(against, settings))
        setup = setup_of_run(messages, path, settings)
        triage = pipeline_of(setup, (before or output).first_messages())
        answers = Answers().with_table(setup.people)
        checked = check_output(output, triage, against=before, key_table=replaced, answers=answers)
    columns = ["certainty", "reason", "severity", "row", "column", *(["text"] if show else [])]
    rows = (
        vars(one)
        | {"certainty": one.certainty.value, "severity": one.severity and one.severity.value}
        for one in checked.findings
    )
    table = table_of(rows, columns, {"row": int})
    table.attrs["clean"] = checked.is_clean
    return like(messages, table)


@keywords(Reading, Setup, without=("corpus_evidence",))
def mine(
    messages: Given,
    *,
    answers: "Given | None" = None,
    catalogue: "Given | None" = None,
    key_table: "Given | None" = None,
    queue: str | Path | None = None,
    lists: str | Path | None = None,
    bound: float = BOUND,
    overwrite: bool = False,
    **settings: Any,
) -> Any:
    """List spellings that may be identifiers and still stand; as ``triage mine``.

    Write always, never, here or later into the column ``answer`` of the table, and give it as
    `answers` to the next call, until no candidate is left.

    Parameters
    ----------
    messages : Path, or a table of pandas, Polars or Arrow
        They may be triaged or anonymised.
    answers : Path or table, optional
        The table of an earlier call, with answers.
    catalogue : Path or table, optional
        Known spellings, with the columns entity, type and spellings.
    key_table : Path or table, optional
        The key table of `anonymise`, if the messages are anonymised.
    queue : path, optional
        A queue, whose marks and rules for words are known.
    lists : path, optional
        A folder for the lists and the plan that follow from the answers.
    bound : float
        The least likelihood of a candidate.
    overwrite : bool
        Replace lists that exist.
    **settings
        As for `Triage.load`, and for files as for `read`; with ``language="none"`` neither
        dictionary nor model is used.

    Returns
    -------
    DataFrame
        The candidates, the likeliest first, then the answers so far; counts of the round are in
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
    bound = share_of(bound, "bound")
    with (
        stored(messages) as path,
        stored(answers, "the table of answers") as answered,
        stored(catalogue, "the catalogue") as known_table,
        stored(key_table, "the key table") as replaced,
    ):
        source, triage = Source(path, reading_of(messages, settings)), None
        given = [answered] if answered else [], known_table, replaced, queue
        folder = Path(lists) if lists else None
        mining = Mining(source, *given, lists=folder, overwrite=overwrite)
        mining.check(Setup.of(settings).paths)
        if settings.get("language") != NO_LANGUAGE:
            triage = pipeline_of(setup_of_run(messages, path, settings), source.first_messages())
        elif len(settings.keys() & settings_of(Setup).keys()) > 1:
            raise TriageError("language='none' asks no dictionary and no model: name none")
        session = mining.open(triage)
        mining.write(session)
    candidates = session.candidates(bound)
    kinds = {"likelihood": float, "stands": int, "replaced": int}
    table = table_of(candidate_rows(session, candidates), COLUMNS, kinds)
    table.attrs["round"] = facts_of(session, candidates, bound)
    return like(messages, table)
