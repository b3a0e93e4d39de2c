"""The manual page, made from the help of the commands: ``make man``."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import typer

import triage
from triage.cli import main as cli

PAGE = Path(cli.__file__).parent / "triage.1"
_ENDS = (
    ("EXIT STATUS", "0 if all went well; 1 if triage check found something, 2 for a user's error."),
    (
        "ENVIRONMENT",
        "XDG_CACHE_HOME is the folder of the cache of dictionaries and of the shipped model.",
    ),
)


def page() -> str:
    """Return the page in the language of man."""
    group, context = program()
    lines = [
        f'.TH TRIAGE 1 "" "sms-triage {triage.__version__}" "User Commands"',
        *(".SH NAME", _escaped("triage - anonymise a corpus of text messages")),
        *(".SH SYNOPSIS", ".B triage", _escaped("COMMAND [OPTIONS] [ARGUMENTS]")),
        *(".SH DESCRIPTION", *_paragraphs(group.help or "")),
        *(".SH OPTIONS", *_options(group, context)),
        ".SH COMMANDS",
    ]
    for command, inner in commands(group, context):
        lines += [f".SS {_escaped(inner.command_path)}", *_command(command, inner)]
    for title, text in _ENDS:
        lines += [f".SH {title}", _escaped(text)]
    return "\n".join(lines) + "\n"


def program() -> tuple[click.Group, click.Context]:
    """Return the command line as click has it."""
    group = typer.main.get_command(cli.app)
    assert isinstance(group, click.Group)
    return group, click.Context(group, info_name="triage", **group.context_settings)


def commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield all commands in the order of the help, those of groups too."""
    for name in group.list_commands(context):
        command = group.commands[name]
        inner = click.Context(command, context, info_name=name)
        if isinstance(command, click.Group):
            yield from commands(command, inner)
        else:
            yield command, inner


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    pieces = " ".join(command.collect_usage_pieces(context))
    yield from (".PP", f".B {_escaped(context.command_path)}", _escaped(pieces))
    yield from _paragraphs(command.help or "")
    yield from _options(command, context)
    yield from _examples(command.epilog or "")


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and isinstance(parameter, click.Option):
            yield from (".TP", f".B {_escaped(record[0])}", _escaped(record[1]))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield from (".PP", _escaped(" ".join(paragraph.split())))


def _examples(epilog: str) -> Iterator[str]:
    title, *examples = epilog.replace("\b", "").split("\n")[1:]
    yield from (".PP", _escaped(title), ".PP", ".nf", ".RS")
    yield from (_escaped(example.strip()) for example in examples)
    yield from (".RE", ".fi")


def _escaped(text: str) -> str:
    """Return text such that man takes no character of it for its own."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
