"""The command line as click has it."""

from collections.abc import Iterator

import click
import typer

from triage.cli.main import app


def program() -> tuple[click.Group, click.Context]:
    """Return the command line with its context."""
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group)
    return group, click.Context(group, info_name="triage", **group.context_settings)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield all commands by their paths, those of groups too."""
    waiting: list[tuple[str, click.Command]] = [("", program()[0])]
    while waiting:
        path, command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += [(f"{path} {name}".strip(), one) for name, one in command.commands.items()]
        else:
            yield path, command
