"""Options that several commands share."""

from typing import Annotated

import typer

# Named here, since the pipeline, which has it too, takes a while to load.
DEFAULT_FEATURES = "evidence"

TextOption = Annotated[str | None, typer.Option("--text-column", help="The column of messages.")]
LabelOption = Annotated[str, typer.Option("--label-column", help="The column of labels.")]
FeaturesOption = Annotated[
    str,
    typer.Option("--features", help="The feature set: evidence, patel2013 …"),
]
SenderOption = Annotated[str | None, typer.Option("--sender-column", help="Who sent each message.")]
EncodingOption = Annotated[
    str | None, typer.Option("--encoding", help="Of the file, where it is not found out.")
]
SeparatorOption = Annotated[
    str | None, typer.Option("--separator", help="Between columns, where it is not found out.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
