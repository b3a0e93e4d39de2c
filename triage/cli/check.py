"""``triage check``: the search for identifiers that an anonymised file still holds."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError
from .console import show
from .options import (
    EncodingOption,
    IdOption,
    JsonOption,
    NamesOption,
    SeparatorOption,
    TextOption,
    WordsOption,
)

if TYPE_CHECKING:
    from ..anonymise.check import Checked


def check(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    against: Annotated[str | None, "File of the messages before anonymising."] = None,
    key_table: Annotated[
        str | None, "Key table of triage anonymise, in place of the original messages."
    ] = None,
    show_found: Annotated[
        bool,
        typer.Option("--show", help="Print each finding; this may identify people."),
    ] = False,
    text_column: TextOption = None,
    id_column: IdOption = None,
    names: NamesOption = [],  # noqa: B006 (typer copies it)
    words: WordsOption = [],  # noqa: B006
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search an anonymised file for remaining identifiers.

    FILE is the output of triage anonymise. The exit code is 1 if it is not clean. Not clean are
    messages that still wait for the expert, messages that are not in the original file, and certain
    findings: spellings that were replaced elsewhere, and pattern-matched identifiers. Likely
    findings are variants of such spellings, possible ones other names of the dictionaries. Without
    --against and --key-table, only names and patterns are searched for.
    """
    from triage.dictionaries import Labeller

    from ..anonymise.check import check_output
    from ..decide.lists import load_lists
    from ..decide.source import Source

    if against is not None and key_table is not None:
        raise TriageError("give either --against or --key-table, not both")
    output = Source(source, text_column, id_column, None, encoding, separator)
    before = None if against is None else replace(output, path=against)
    labeller = Labeller(load_lists("fr", names, words))
    found = check_output(output, labeller, against=before, key_table=key_table)
    show(_facts(found, show_found), _lines(found, show_found), as_json)
    if not found.is_clean:
        raise typer.Exit(1)


def _facts(found: "Checked", show_found: bool) -> dict[str, Any]:
    from ..anonymise.check import Certainty

    left = [
        vars(one) if show_found else {k: v for k, v in vars(one).items() if k != "text"}
        for one in found.left
    ]
    return {
        "rows": found.rows,
        "replaced": found.replaced,
        "clean": found.is_clean,
        "undecided": found.n_of(Certainty.UNDECIDED),
        "added": found.n_of(Certainty.ADDED),
        "left": left,
    }


def _lines(found: "Checked", show_found: bool) -> Iterator[str]:
    sought = "names and forms alone: there is nothing to compare with"
    if found.replaced is not None:
        sought = f"{found.replaced:,} spellings that were replaced"
    yield f"{found.rows:,} rows looked through for {sought}"
    for (certainty, severity, reason), n in found.counts().items():
        yield f"{certainty:<9} {severity:<8} {n:>7,}  {reason}"
    for one in found.left if show_found else ():
        row = f"row {one.row}" if one.row else "header"
        what = f", {one.column}: {one.text} " if one.column else ": "
        sure = " ".join(filter(None, (one.certainty, one.severity)))
        yield f"{row}{what}({sure}: {one.reason})"
    if found.left and not show_found:
        yield "--show prints them, row by row"
    yield "clean: nothing certain is left" if found.is_clean else "NOT clean"
