"""``triage restore``: the original messages of an anonymised file."""

from typing import Annotated

import typer

from .console import PrintOptions
from .options import EncodingOption, OverwriteOption, SeparatorOption, TextOption


def restore(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    key_table: Annotated[str, "Key table that triage anonymise wrote with FILE."],
    output: Annotated[
        str, typer.Option("--output", "-o", help="Output file, readable by you only.")
    ],
    printing: PrintOptions,
    text_column: TextOption = None,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Put the original messages back into an anonymised file.

    FILE is the output of triage anonymise, unchanged. Each message that was written gets back what
    was replaced, character by character; the other columns stay as they are in FILE. Messages that
    were held back are not in it.
    """
    from ..anonymise.restore import restore as restore_file
    from ..decide.source import STANDARD_STREAM, Source

    told = Source(source, text_column, encoding=encoding, separator=separator)
    done = restore_file(told, key_table, output, overwrite=overwrite)
    line = (
        f"{done.rows:,} messages written to {output}: {done.identifiers:,} identifiers put back in "
        f"{done.changed:,} of them"
    )
    printing.show(vars(done), [line], err=output == STANDARD_STREAM)
