"""Before and behind anonymising: ``triage plan`` and ``restore``."""

from typing import Annotated

import typer

from ..anonymise import keys
from ..anonymise.plan import plan_shown
from ..safe import STANDARD_STREAM
from .options import Call, FileArgument
from .printed import Done, text


def plan_() -> None:
    typer.echo(plan_shown())


def restore(
    call: Annotated[Call, "plan overwrite"],
    source: FileArgument,
    output: str,
    key_table: str,
) -> Done:
    overwrite = call.run.overwrite
    done = keys.restore(call.source(source), key_table, output, overwrite=overwrite)
    line = text("restore", done, output=output)
    return Done(done, [line], beside=output == STANDARD_STREAM)
