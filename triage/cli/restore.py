"""``triage restore``: the original messages of an anonymised file."""

from typing import Annotated

import typer

from ..settings import Reading
from .console import report
from .options import Writing, only


def restore(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    key_table: Annotated[str, "Key table that triage anonymise wrote with FILE."],
    output: Annotated[
        str, typer.Option("--output", "-o", help="Output file, readable by you only.")
    ],
    reading: Annotated[Reading, only("text_column")],
    writing: Writing,
) -> None:
    """Put the original messages back into an anonymised file.

    FILE is the output of triage anonymise, unchanged. Each message that was written gets back what
    was replaced, character by character; the other columns stay as they are in FILE. Messages that
    were held back are not in it.
    """
    from ..anonymise.restore import restore as restore_file
    from ..decide.source import STANDARD_STREAM, Source

    told = Source(source, reading)
    done = restore_file(told, key_table, output, overwrite=writing.overwrite)
    line = (
        f"{done.rows:,} messages written to {output}: {done.identifiers:,} identifiers put back in "
        f"{done.changed:,} of them"
    )
    report(writing, vars(done), [line], err=output == STANDARD_STREAM)
