"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

# Named here, since the pipeline, which has it too, takes a while to load.
DEFAULT_FEATURES = "evidence"

TextOption = Annotated[str | None, typer.Option("--text-column", help="The column of messages.")]
LabelOption = Annotated[str, typer.Option("--label-column", help="The column of labels.")]
IdOption = Annotated[str | None, typer.Option("--id-column", help="The column of identifiers.")]
SenderOption = Annotated[str | None, typer.Option("--sender-column", help="Who sent each message.")]
EncodingOption = Annotated[
    str | None, typer.Option("--encoding", help="Of the file, where it is not found out.")
]
SeparatorOption = Annotated[
    str | None, typer.Option("--separator", help="Between columns, where it is not found out.")
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace outputs that exist already.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
NamesOption = Annotated[
    list[Path], typer.Option("--names", help="Your own list of names, a name a line; repeatable.")
]
WordsOption = Annotated[
    list[Path],
    typer.Option("--words", help="Your own list of words that are no names; repeatable."),
]
ModelOption = Annotated[
    Path | None,
    typer.Option("--model", "-m", help="A model of `triage train`, made by someone you trust."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
DoubleOption = Annotated[
    str | None,
    typer.Option("--double", help="The share that two annotators answer, such as 10%."),
]
