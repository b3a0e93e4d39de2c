"""Replacing the identifiers of messages, and the table of what they stand for."""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from ..anonymise.check import check_output
from ..anonymise.held import read_held
from ..anonymise.keys import read_key
from ..anonymise.plan import Plan, read_plan
from ..anonymise.record import record_paths
from ..anonymise.run import AnonymiseRequest, FirstPass, find_all
from ..anonymise.run import anonymise as anonymise_all
from ..anonymise.styles import StyleContext
from ..anonymise.table import COLUMNS, read_table
from ..decide.frames import loaded, stored, stored_if_given
from ..decide.source import Source
from ..declared import build, changed, keywords, settings_of
from ..errors import TriageError
from ..settings import Markup, Reading, Setup, StyleName, Treatment
from .deciding import Given, pipeline_of, setup_of_run

if TYPE_CHECKING:
    import pandas as pd

_FILE = str | PathLike[str]


_READ = ("plan", "people")


@keywords(Reading, Setup, Treatment, without=(*_READ, "corpus_evidence", "new_key", "show"))
def anonymise(
    messages: Given,
    *,
    plan: "_FILE | Plan | None" = None,
    people: "Given | None" = None,
    no_lists: bool = False,
    overwrite: bool = False,
    **options: Any,  # noqa: ANN401
) -> "pd.DataFrame":
    """Replace the identifiers in messages that `classify` decided; as ``triage anonymise``.

    Parameters
    ----------
    messages : path, or a table of pandas, Polars or Arrow
        With a column ``action`` or ``final_action``.
    plan : path or Plan, optional
        A plan of treatment, as of ``triage plan show``; what `options` say wins.
    people : path or table, optional
        Who is spelt how, or what `entities` returned, perhaps edited.
    **options
        Those of the command (``style``, ``per_sender``, ``reversible``, ``ambiguous``, ``hold``,
        ``keep``, ``as_it_is``, ``pseudonym``, ``sender``, ``dates``, ``ids``, ``date_column``,
        ``key_table``, ``force``, ``no_lists``, ``overwrite``), of `Triage.load` and of `read`.
        ``key`` is a key file or its 32 bytes; ``no_lists`` leaves the lists of the run of
        ``triage classify`` out. ``key_table`` is the path of a file that you alone
        may read.

    Returns
    -------
    DataFrame
        Without the messages that are held back: their rows (from 1), ids and reasons are in
        ``attrs["held"]``; the record of the run, without messages and names, is in
        ``attrs["record"]``.

    Raises
    ------
    DataError, TriageError
        If the messages were not decided, or as for the command.

    Examples
    --------
    >>> import pandas as pd
    >>> from triage.api import classify
    >>> decided = classify(pd.DataFrame({"text": ["Coucou Patrice, ça va?", "J'arrive"]}))
    >>> anonymise(decided)["text"].tolist()
    ['Coucou <PRE>, ça va?', "J'arrive"]
    """
    further = {"no_lists": no_lists, "overwrite": overwrite}
    asked = _asked(plan, {**options, "people": people}, further)
    with (
        stored_if_given(asked.people, "the table of people") as path,
        _found(messages, asked._replace(setup=replace(asked.setup, people=path))) as found,
    ):
        edited = None if path is None else read_table(path)
        # A warning is said of the line of the user's own program.
        done = anonymise_all(*found, edited, partial(warnings.warn, stacklevel=5))
        return _written(done.output, done.columns)


@keywords(Reading, Setup, Treatment, without=(*_READ, "corpus_evidence", "new_key", "show"))
def entities(
    messages: Given,
    *,
    plan: "_FILE | Plan | None" = None,
    no_lists: bool = False,
    overwrite: bool = False,
    **options: Any,  # noqa: ANN401
) -> "pd.DataFrame":
    """Return what `anonymise` would replace, spelling by spelling, and by what.

    Edit the table as that of ``triage anonymise --people``, and give it to `anonymise`.

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
    import pandas as pd

    further = {"no_lists": no_lists, "overwrite": overwrite}
    with _found(messages, _asked(plan, options, further)) as (seen, context):
        table, _ = seen.table(context)
    return pd.DataFrame([entry.cells() for entry in table.entries], columns=[*COLUMNS])


class _Asked(NamedTuple):
    """A request to anonymise: the plan, the settings that win over it, and those of reading."""

    plan: Plan
    setup: Setup
    reading: Reading
    key: bytes | _FILE | None
    people: "Given | None"
    no_lists: bool
    overwrite: bool


def _asked(
    plan: "_FILE | Plan | None", options: Mapping[str, Any], further: Mapping[str, bool]
) -> _Asked:
    """Return all settings; those of the call win over those of the plan."""
    planned = plan if isinstance(plan, Plan) else Plan()
    said: dict[str, Any] = {}
    if isinstance(plan, str | PathLike):
        planned, said = read_plan(Path(plan))
    given = {name: value for name, value in options.items() if value is not None}
    settings = said | given
    key, people = settings.pop("key", None), settings.pop("people", None)
    # These two may be bytes and a table.
    names = {*settings_of(Treatment)} - {"key"}
    of_call = {name: value for name, value in given.items() if name in names}
    checked = vars(build(Treatment, of_call))
    changes = {name: checked[name] for name in of_call}
    treatment = replace(planned.treatment, **changes)
    if {*changes} & {"types", "styles", "severity", "always", "never"}:
        planned = Plan.of(treatment)
    # A style that the call names is that of all types.
    planned = planned.with_options(replace(treatment, style=changes.get("style")))
    of_setup = {name: settings[name] for name in settings_of(Setup) if name in settings}
    of_reading = {name: settings[name] for name in settings_of(Reading) if name in settings}
    return _Asked(
        planned,
        Setup.of(of_setup),
        build(Reading, of_reading),
        key,
        people,
        further["no_lists"],
        further["overwrite"] or bool(said.get("overwrite")),
    )


@contextmanager
def _found(messages: Given, asked: _Asked) -> Iterator[tuple[FirstPass, StyleContext]]:
    """Find the identifiers of messages; what is written goes into a folder that is removed."""
    key = _key(asked.key, asked.plan)
    treatment = replace(asked.plan.treatment, document=None, markup=Markup.TEXT)
    # A table has columns; how a file is read is said of files alone.
    columns = Reading(
        asked.reading.text_column, asked.reading.id_column, asked.reading.sender_column
    )
    reading = asked.reading if isinstance(messages, str | PathLike) else columns
    with stored(messages) as path, TemporaryDirectory(prefix="triage-") as folder:
        source = Source(path, reading)
        request = AnonymiseRequest(
            source,
            str(Path(folder) / "anonymised.jsonl"),
            replace(asked.plan, treatment=treatment),
            overwrite=asked.overwrite,
        )
        request.check_paths(_read_too(asked))
        setup = setup_of_run(messages, path, changed(asked.setup), no_lists=asked.no_lists)
        triage = pipeline_of(setup, source.first_messages)
        with source.open() as file:
            seen = find_all(file, request, triage)
            yield seen, seen.context(key)


def _read_too(asked: _Asked) -> list[Path]:
    """Return the files that are read beside the messages, which no output may replace."""
    setup = asked.setup
    named = [asked.key, asked.people, setup.model]
    named += [*setup.names, *setup.words, *setup.recognisers]
    return [*asked.plan.read_from, *(Path(one) for one in named if isinstance(one, str | PathLike))]


def _key(key: bytes | _FILE | None, plan: Plan) -> bytes:
    styles = plan.style
    if StyleName.PAPER in styles.used and not plan.treatment.reversible:
        raise TriageError(
            "the style paper numbers names by a public dictionary, in which anyone can look them "
            "up; say reversible=True to accept that"
        )
    if isinstance(key, str | PathLike):
        return read_key(Path(key))
    if styles.needs_key and not key:
        raise TriageError(f"the style {styles} needs a key: give a key file, or 32 random bytes")
    return key or b""


def _written(output: str, columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    held = [vars(one) | {"reason": one.reason.value} for one in read_held(output)]
    if Path(output).stat().st_size:
        with Source(output, Reading(columns[0])).open() as file:
            table = loaded(file).reindex(columns=[*columns])
    else:
        table = pd.DataFrame(columns=[*columns])
    record = json.loads(record_paths(output)[0].read_text(encoding="utf-8"))
    table.attrs |= {"held": held, "record": record}
    return table


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
