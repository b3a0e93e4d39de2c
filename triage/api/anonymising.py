"""Replacing the identifiers of messages, and looking for what is left."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Unpack

from triage.dictionaries.pack import FRENCH

from ..anonymise.check import check_output
from ..anonymise.coherence import checked_style
from ..anonymise.columns import Columns
from ..anonymise.first_pass import AnonymiseRequest, find_all
from ..anonymise.held import Hold, read_held
from ..anonymise.plan import Plan
from ..anonymise.record_of_run import About, decided_of
from ..anonymise.run import anonymise as anonymise_all
from ..anonymise.styles import StyleContext, StyleName
from ..decide.find import Ambiguous
from ..decide.frames import loaded, stored
from ..decide.run_record import language_of_run, lists_of_run, recognisers_of_run
from ..decide.source import Source
from ..errors import TriageError
from .deciding import Given, Loading, pipeline_of

if TYPE_CHECKING:
    import pandas as pd


def anonymise(
    messages: Given,
    *,
    text_column: str | None = None,
    sender_column: str | None = None,
    style: str = "tag",
    key: bytes = b"",
    ambiguous: str = "hold",
    hold: str = "undecided",
    keep: Sequence[str] = (),
    **loading: Unpack[Loading],
) -> "pd.DataFrame":
    """Replace the identifiers in messages that `classify` decided; as ``triage anonymise``.

    Parameters
    ----------
    messages : path, or a table of pandas, Polars or Arrow
        With a column ``action`` or ``final_action``.
    text_column, sender_column : str, optional
        By default those with usual names.
    style : str
        ``tag``, ``mask``, ``consistent`` or ``surrogate``.
    key : bytes
        The secret of 32 bytes that the styles consistent and surrogate need.
    ambiguous, hold, keep
        As the options of the command.
    **loading
        As for `Triage.load`.

    Returns
    -------
    DataFrame
        Without the messages that are held back: their rows (from 1), ids and reasons are in
        ``attrs["held"]``.

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
    plan = Plan(columns=Columns(tuple(keep)))
    styles = plan.styles_of(_style(style))
    if styles.needs_key and not key:
        raise TriageError(f"the style {style} needs a key: give 32 random bytes as key")
    with stored(messages) as path, _output() as output:
        request = AnonymiseRequest(
            Source(path, text_column, sender_column=sender_column),
            output,
            Ambiguous(ambiguous),
            hold=Hold(hold),
            columns=plan.columns,
            treating=plan.treating(),
            key=key,
        )
        triage = pipeline_of(_of_run(path, loading))
        with request.source.open() as file:
            seen = find_all(file, request, triage)
            context = StyleContext(triage.lexicon, key, [*seen.spellings], seen.words)
            replacing, findings = checked_style(seen.spellings, styles, context)
            for finding in findings:
                warnings.warn(str(finding), stacklevel=2)
            about = About(triage, styles, decided=decided_of(path))
            done = anonymise_all(file, request, seen, replacing, about)
        return _written(output, done.columns)


def _style(name: str) -> StyleName:
    # Only the command asks whether the paper's, which anyone can undo, is accepted.
    if name not in {*StyleName} - {StyleName.PAPER}:
        raise TriageError(f"no style is called {name!r}: it is tag, mask, consistent or surrogate")
    return StyleName(name)


def _of_run(path: str, loading: Loading) -> Loading:
    """Add the lists and the recognisers with which a file was decided, unless others are given."""
    given = loading.get("names", ()), loading.get("words", ())
    names, words, warning = lists_of_run(path, *([*map(Path, lists)] for lists in given))
    if warning:
        warnings.warn(warning, stacklevel=3)
    files, find = loading.get("recognisers", ()), loading.get("find", ())
    if not (files or find):
        files, find = recognisers_of_run(path)
    language = loading.get("language") or language_of_run(path)
    options: Loading = {**loading, "language": language, "names": names, "words": words}
    options |= {"recognisers": files, "find": find}
    return options


@contextmanager
def _output() -> Iterator[str]:
    with TemporaryDirectory(prefix="triage-") as folder:
        yield str(Path(folder) / "anonymised.jsonl")


def _written(output: str, columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    held = [vars(one) | {"reason": one.reason.value} for one in read_held(output)]
    if Path(output).stat().st_size:
        with Source(output, columns[0]).open() as file:
            table = loaded(file).reindex(columns=[*columns])
    else:
        table = pd.DataFrame(columns=[*columns])
    table.attrs["held"] = held
    return table


def check(
    messages: Given,
    against: "Given | None" = None,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    language: str = FRENCH,
    names: Sequence[str | Path] = (),
    words: Sequence[str | Path] = (),
    show: bool = False,
) -> "pd.DataFrame":
    """Search anonymised messages for remaining identifiers; as ``triage check``.

    Parameters
    ----------
    messages : path, or a table of pandas, Polars or Arrow
    against : path or table, optional
        The messages before.
    text_column, id_column : str, optional
        By default those with usual names.
    language : str
        Of the messages.
    names, words : sequence of path
        Your own lists.
    show : bool
        Whether the table says what was found, which may identify people.

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

    triage = pipeline_of({"language": language, "names": names, "words": words})
    with stored(messages) as path, _maybe_stored(against) as other:
        output = Source(path, text_column, id_column)
        before = None if other is None else Source(other, text_column, id_column)
        found = check_output(output, triage, against=before)
    columns = ["certainty", "reason", "severity", "row", "column", *(["text"] if show else [])]
    rows = [
        vars(one)
        | {"certainty": one.certainty.value, "severity": one.severity and one.severity.value}
        for one in found.left
    ]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs["clean"] = found.is_clean
    return table


@contextmanager
def _maybe_stored(messages: "Given | None") -> Iterator[str | None]:
    if messages is None:
        yield None
        return
    with stored(messages) as path:
        yield path
