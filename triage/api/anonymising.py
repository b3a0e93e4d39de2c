"""Replacing the identifiers of messages, and the table of what they stand for."""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from triage.data import MessageFile, Reading

from ..anonymise.cells import Dates
from ..anonymise.coherence import checked_style
from ..anonymise.columns import Columns, Ids, Senders
from ..anonymise.first_pass import AnonymiseRequest, FirstPass, find_all
from ..anonymise.held import Hold, read_held
from ..anonymise.keys import read_key
from ..anonymise.own_names import confirmed_names, own_names, suggested
from ..anonymise.plan import Plan
from ..anonymise.plan_file import Further, Section, read_plan
from ..anonymise.record import record_paths
from ..anonymise.record_of_run import About, decided_of, style_options
from ..anonymise.run import anonymise as anonymise_all
from ..anonymise.styles import StyleContext, StyleName, Styles, make_styles
from ..anonymise.table import COLUMNS, build_table, cells_of, read_table
from ..decide.find import Ambiguous
from ..decide.frames import loaded, stored, stored_if_given
from ..decide.pipeline import Triage
from ..decide.source import Source
from ..errors import TriageError, chosen
from .deciding import Given, Loading, loading_of_run, pipeline_of

if TYPE_CHECKING:
    import pandas as pd

_FILE = str | PathLike[str]


class Anonymising(Loading, Reading, total=False):
    """The options of the command ``triage anonymise``, of `Triage.load` and of `read`."""

    id_column: str | None
    sender_column: str | None
    date_column: str | None
    style: str
    key: bytes | str | PathLike[str]
    per_sender: bool
    reversible: bool
    ambiguous: str
    hold: str
    keep: Sequence[str]
    as_it_is: Sequence[str]
    pseudonym: Sequence[str]
    sender: str
    dates: str
    ids: str
    key_table: str | PathLike[str] | None
    force: bool
    no_lists: bool
    overwrite: bool


# The keys of a plan that are options of the command, as `triage plan show` prints them.
PLANNED: Further = {
    Section.COLUMNS: dict.fromkeys(("text-column", "id-column", "sender-column"), str),
    Section.FILES: {
        **dict.fromkeys(("output", "key-table", "key", "entities", "model", "document"), str),
        **dict.fromkeys(("names", "words", "recognisers"), tuple),
    },
    Section.OPTIONS: {
        **dict.fromkeys(("overwrite", "new-key", "force", "show", "no-header"), bool),
        **dict.fromkeys(("no-lists", "quiet", "json"), bool),
        **dict.fromkeys(
            ("encoding", "separator", "format", "sheet", "table", "markup", "language"), str
        ),
        "find": tuple,
        "jobs": int,
    },
}
# A table has columns; how a file is read is said of files alone.
_COLUMNS = ("text_column", "id_column", "sender_column")
_READING = (*_COLUMNS, "encoding", "separator", "format", "no_header", "sheet", "table")


def anonymise(
    messages: Given,
    *,
    plan: "_FILE | Plan | None" = None,
    entities: "Given | None" = None,
    **options: Unpack[Anonymising],
) -> "pd.DataFrame":
    """Replace the identifiers in messages that `classify` decided; as ``triage anonymise``.

    Parameters
    ----------
    messages : path, or a table of pandas, Polars or Arrow
        With a column ``action`` or ``final_action``.
    plan : path or Plan, optional
        A plan of treatment, as of ``triage plan show``; what `options` say wins.
    entities : path or table, optional
        What the spellings stand for, as of `entities`, perhaps edited.
    **options
        Those of the command (``style``, ``per_sender``, ``reversible``, ``ambiguous``, ``hold``,
        ``keep``, ``as_it_is``, ``pseudonym``, ``sender``, ``dates``, ``ids``, ``date_column``,
        ``key_table``, ``force``, ``no_lists``, ``overwrite``), of `Triage.load` and of `read`.
        ``key`` is a key file or its 32 bytes. ``key_table`` is the path of a file that you alone
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
    ['Coucou <PRE_7>, ça va?', "J'arrive"]
    """
    planned, given = _settings(plan, options)
    if entities is not None:
        given["entities"] = entities
    with _found(messages, planned, given) as found:
        with stored_if_given(given.get("entities"), "the table of entities") as path:
            edited = None if path is None else read_table(path)
            styled = checked_style(found.seen.spellings, found.styles, found.context, edited)
        style, findings = styled
        for finding in findings:
            warnings.warn(str(finding), stacklevel=2)
        if findings and edited and not given.get("force"):
            raise TriageError("nothing was replaced: correct the table of entities, or force it")
        tied, warning = confirmed_names(edited, style, found.seen.survey.senders)
        if warning:
            warnings.warn(warning, stacklevel=2)
        told = style_options(
            per_sender=found.context.per_sender,
            entities=edited is not None,
            force=bool(given.get("force")),
        )
        decided = decided_of(found.request.source.path)
        about = About(found.triage, found.styles, told | planned.told(), decided)
        done = anonymise_all(found.file, found.request, found.seen, style, about, tied)
        return _written(found.request.output, done.columns)


def entities(
    messages: Given, *, plan: "_FILE | Plan | None" = None, **options: Unpack[Anonymising]
) -> "pd.DataFrame":
    """Return what `anonymise` would replace, spelling by spelling, and by what.

    Edit the table as that of ``triage anonymise --entities``, and give it to `anonymise`.

    Parameters
    ----------
    messages, plan, **options
        As for `anonymise`.

    Examples
    --------
    >>> import pandas as pd
    >>> from triage.api import classify
    >>> decided = classify(pd.DataFrame({"text": ["Coucou Patrice, ça va?", "J'arrive"]}))
    >>> entities(decided)[["spelling", "type", "replacement"]].values.tolist()
    [['Patrice', 'PRE', '<PRE_7>']]
    """
    import pandas as pd

    with _found(messages, *_settings(plan, options)) as found:
        own = own_names(found.seen.signatures, found.seen.spellings, found.context)
        style = make_styles(found.styles, found.context)
        table = suggested(build_table(found.seen.spellings, style, found.context), own)
    return pd.DataFrame(map(cells_of, table.entries), columns=[*COLUMNS])


def _settings(
    plan: "_FILE | Plan | None", options: Mapping[str, Any]
) -> tuple[Plan, dict[str, Any]]:
    """Return a plan and all settings by their parameters; those given win over the plan's."""
    planned = plan if isinstance(plan, Plan) else Plan()
    if isinstance(plan, str | PathLike):
        planned = read_plan(Path(plan), PLANNED)
    further = {name.replace("-", "_"): value for name, value in planned.options.items()}
    unknown = {*options} - {*Anonymising.__annotations__}
    if unknown:
        raise TypeError(f"anonymising has no option {min(unknown)!r}")
    settings = vars(planned.general) | vars(planned.columns) | further
    # A style that is named is that of all types, unlike the general one of a plan.
    return planned, settings | {"style": None} | dict(options)


class _Found(NamedTuple):
    """What is to be replaced, before anything is."""

    triage: Triage
    styles: Styles
    request: AnonymiseRequest
    file: MessageFile
    seen: FirstPass
    context: StyleContext


@contextmanager
def _found(messages: Given, plan: Plan, given: Mapping[str, Any]) -> Iterator[_Found]:
    """Find the identifiers of messages; what is written goes into a folder that is removed."""
    styles = _styles(plan, given)
    key = _key(given.get("key"), styles)
    reading = _READING if isinstance(messages, str | PathLike) else _COLUMNS
    with stored(messages) as path, TemporaryDirectory(prefix="triage-") as folder:
        source = Source(path, **{name: given[name] for name in reading if name in given})
        key_table = given.get("key_table")
        request = AnonymiseRequest(
            source,
            str(Path(folder) / "anonymised.jsonl"),
            chosen(Ambiguous, given["ambiguous"], "ambiguous"),
            None if key_table is None else str(key_table),
            chosen(Hold, given["hold"], "hold"),
            _columns(given),
            plan.treating(),
            key,
            overwrite=bool(given.get("overwrite")),
        )
        request.check_paths(_read_too(plan, given))
        no_lists = bool(given.get("no_lists"))
        loading, warning = loading_of_run(messages, path, given, no_lists=no_lists)
        if warning:
            warnings.warn(warning, stacklevel=5)
        triage = pipeline_of(loading, source.first_messages)
        with source.open() as file:
            seen = find_all(file, request, triage)
            per_sender = bool(given["per_sender"])
            context = StyleContext(triage.lexicon, key, [*seen.spellings], seen.words, per_sender)
            yield _Found(triage, styles, request, file, seen, context)


def _read_too(plan: Plan, given: Mapping[str, Any]) -> list[Path]:
    """Return the files that are read beside the messages, which no output may replace."""
    named = [given.get(name) for name in ("key", "model", "entities")]
    named += [one for name in ("names", "words", "recognisers") for one in given.get(name) or ()]
    return [*plan.read_from, *(Path(one) for one in named if isinstance(one, str | PathLike))]


def _styles(plan: Plan, given: Mapping[str, Any]) -> Styles:
    name = given["style"]
    styles = plan.styles_of(None if name is None else chosen(StyleName, name, "style"))
    if StyleName.PAPER in styles.used and not given["reversible"]:
        raise TriageError(
            "the style paper numbers names by a public dictionary, in which anyone can look them "
            "up; say reversible=True to accept that"
        )
    return styles


def _key(key: bytes | _FILE | None, styles: Styles) -> bytes:
    if isinstance(key, str | PathLike):
        return read_key(Path(key))
    if styles.needs_key and not key:
        raise TriageError(f"the style {styles} needs a key: give a key file, or 32 random bytes")
    return key or b""


def _columns(given: Mapping[str, Any]) -> Columns:
    return Columns(
        tuple(given["keep"]),
        tuple(given["as_it_is"]),
        tuple(given["pseudonym"]),
        chosen(Senders, given["sender"], "sender"),
        chosen(Dates, given["dates"], "dates"),
        chosen(Ids, given["ids"], "ids"),
        given["date_column"],
    )


def _written(output: str, columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    held = [vars(one) | {"reason": one.reason.value} for one in read_held(output)]
    if Path(output).stat().st_size:
        with Source(output, columns[0]).open() as file:
            table = loaded(file).reindex(columns=[*columns])
    else:
        table = pd.DataFrame(columns=[*columns])
    record = json.loads(record_paths(output)[0].read_text(encoding="utf-8"))
    table.attrs |= {"held": held, "record": record}
    return table
