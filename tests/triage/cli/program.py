"""The command line as click has it, and the types of the fixtures that run it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import click
import typer

from triage.cli.main import app
from triage.queue import Answer, Queue, WordRule
from triage.vocabulary import IdentifierType, parse_spans

Run = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]


def program() -> tuple[click.Group, click.Context]:
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group)
    return group, click.Context(group, info_name="triage", **group.context_settings)


def commands() -> Iterator[tuple[str, click.Command]]:
    waiting: list[tuple[str, click.Command]] = [("", program()[0])]
    while waiting:
        path, command = waiting.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            named = [command.resolve_command(context, [n]) for n in command.list_commands(context)]
            waiting += [(f"{path} {name}".strip(), one) for name, one, _ in named if name and one]
        else:
            yield path, command


MARKER = "Zéphyrine"
"""A name that only messages hold: no error may show it."""


def one_line(done: CompletedProcess[str]) -> str:
    """Return the one clear line, without a message, of a command that ended with exit code 2."""
    assert MARKER not in done.stderr
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith("triage: ")
    return done.stderr


def by_hand(verb: str, path: str | Path, what: str, said: str, *more: str) -> None:
    """Answer an item, perhaps with marks; rule on a word, perhaps of a type; or edit a file."""
    if verb == "EDIT":
        text = Path(path).read_text(encoding="utf-8")
        Path(path).write_text(re.sub(what, said, text, count=1), encoding="utf-8")
        return
    with Queue.open(path) as queue:
        if verb == "DECIDE":
            queue.decide("anna", int(what), Answer(said), parse_spans(*more or ("[]",)))
        else:
            queue.decide_word("anna", what, WordRule(said), *map(IdentifierType, more))
