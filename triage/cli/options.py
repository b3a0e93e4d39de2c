"""Options that several commands share."""

import math
from pathlib import Path
from typing import Annotated

import click
import typer

from ..errors import TriageError

# Named here, since the pipeline, which has it too, takes a while to load.


class Share(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """A share of all, written ``2%`` or ``0.02``."""

    name = "share"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the share that a user wrote."""
        del ctx
        option = param.opts[0] if param else "a share"
        return value if isinstance(value, float) else share_of(value, option)


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
FeaturesOption = Annotated[
    str | None,
    typer.Option("--features", help="Of the shipped models: evidence (default) or patel2013."),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Leave a message untagged for any ambiguous or unknown word."),
]
PolicyOption = Annotated[
    str,
    typer.Option("--policy", help="agreement (the paper's table), or guarded: a bound on leak."),
]
MaxLeakOption = Annotated[
    float | None,
    typer.Option(
        "--max-leak",
        click_type=Share(),
        help="Guarded: the share of TA that may leak, by default 1%.",
    ),
]
MinPrecisionOption = Annotated[
    float | None,
    typer.Option(
        "--min-precision",
        click_type=Share(),
        help="Guarded: the share of true TA among TA, by default 95%.",
    ),
]
CorpusEvidenceOption = Annotated[
    bool | None,
    typer.Option(
        "--corpus-evidence/--no-corpus-evidence",
        help="Decide each message by what the others tell; by default for a file.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


def share_of(text: str, option: str) -> float:
    """Return the share that a text such as ``2%`` or ``0.02`` names.

    Parameters
    ----------
    text : str
    option : str
        Named in the error.

    Raises
    ------
    TriageError
        If it is no share from 0 to 1.

    Examples
    --------
    >>> share_of("2%", "--double"), share_of("0.02", "--double"), share_of("2,5 %", "--double")
    (0.02, 0.02, 0.025)
    """
    number, percent, rest = text.strip().partition("%")
    try:
        share = float(number.replace(",", ".")) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if not rest and 0 <= share <= 1:
        return share
    if not percent and 1 < share <= 100:
        problem = (
            f"{option} {text} would be {share:.0%}: for {text} % write {text}% or {share / 100:g}"
        )
    else:
        problem = f"{option} {text} is no share: it lies between 0 and 1, such as 2% or 0.02"
    raise TriageError(problem)


DoubleOption = Annotated[
    float | None,
    typer.Option(
        "--double", click_type=Share(), help="The share that two annotators answer, such as 10%."
    ),
]
