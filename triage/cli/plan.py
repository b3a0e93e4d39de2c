"""``triage plan``, and the option ``--plan`` of ``triage anonymise``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import command

plan_app = typer.Typer(
    name="plan",
    help="The plan of treatment: a file that says how messages are anonymised.",
    epilog="\b\nExamples:\n  triage plan show > plan.toml\n"
    "  triage anonymise final.csv -o anon.csv --plan plan.toml",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    suggest_commands=False,
)


# Typer evaluates the annotations, and the plan is loaded only when one is read.
def _read(context: typer.Context, path: str | None) -> Any:  # noqa: ANN401
    """Read the plan of ``--plan``; what it says are the defaults of the other options."""
    if path is None:
        return None
    from ..anonymise.plan import read_plan

    plan, values = read_plan(Path(path))
    context.default_map = {
        name: [*value] if isinstance(value, tuple) else value
        for name, value in values.items()
        # A style that the command line names is that of all types.
        if name != "style" and value is not None
    }
    return plan


# The parser converts nothing, the callback does: only it knows the other options.
PlanOption = Annotated[
    Any,
    typer.Option(
        "--plan",
        metavar="PLAN",
        parser=str,
        callback=_read,
        is_eager=True,
        help="Plan of treatment (see triage plan show); what the command line says wins.",
    ),
]


@command(plan_app, "plan show > plan.toml", "anonymise final.csv -o anon.csv --plan plan.toml")
def show() -> None:
    """Print the default plan, with a comment for each key."""
    from ..anonymise.plan import plan_shown

    typer.echo(plan_shown())
