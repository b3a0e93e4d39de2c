"""Options that several commands share."""

from typing import Annotated

import typer

TextOption = Annotated[str | None, typer.Option("--text-column", help="The column of messages.")]
LabelOption = Annotated[str, typer.Option("--label-column", help="The column of labels.")]
FeaturesOption = Annotated[str, typer.Option("--features", help="The feature set.")]
EncodingOption = Annotated[
    str | None, typer.Option("--encoding", help="Of the file, where it is not found out.")
]
SeparatorOption = Annotated[
    str | None, typer.Option("--separator", help="Between columns, where it is not found out.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
