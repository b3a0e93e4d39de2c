"""Commands at the terminal: their output, and the sources of their settings."""

import os
import pty
import re
import resource
from pathlib import Path

import click
import pytest
import typer.core

from tests.triage.cli.program import Refused, Run


def on_terminal(shell: Run, command: str) -> str:
    """Run a command whose standard error is a terminal, and return what that shows."""
    ours, theirs = pty.openpty()
    shell(f"{command} 2>/proc/{os.getpid()}/fd/{theirs}")
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    return shown


@pytest.mark.parametrize(("setting", "is_coloured"), [("", True), ("NO_COLOR=1 ", False)])
def test_a_terminal_has_colours_unless_it_wants_none(
    setting: str, is_coloured: bool, shell: Run
) -> None:
    shown = on_terminal(shell, f"{setting}triage classify absent.csv")
    assert ("\x1b[31m" in shown) is is_coloured
    assert shown.count("\n") == 1
    assert "triage:" in shown


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("classify sms.csv", "messages"),
        ("train sms.csv -o model --plan features=patel2013", "fits"),
        ("features sms.csv -o table.csv", "fits"),
    ],
)
def test_a_terminal_has_a_bar_of_progress(
    command: str, label: str, shell: Run, tmp_path: Path
) -> None:
    rows = [f"{text},{label}\n" for text, label in [("Coucou Zoé", "TA"), ("ok", "NTA")] * 25]
    (tmp_path / "sms.csv").write_text("text,label\n" + "".join(rows))
    shown = on_terminal(shell, f"triage {command}")
    assert label in shown
    assert "triage:" not in shown


def test_a_message_is_read_from_standard_input_in_the_encoding_that_it_is_in(
    run: Run, refused: Refused
) -> None:
    said = run("explain", "Coucou Zoé").stdout
    for encoding, end in (("utf-8", "\n"), ("cp1252", ""), ("utf-16", "\r\n")):
        assert run("explain", "-", stdin=f"Coucou Zoé{end}".encode(encoding)).stdout == said
    line = refused("explain", "-", stdin="Zoé, Léa ".encode() + b"\xe9")
    assert (
        "standard input holds bytes that are not UTF-8: name its encoding with --encoding" in line
    )


def test_a_command_leaves_no_core_file(run: Run) -> None:
    run("--version")
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0


def test_help_has_rare_options_last(run: Run) -> None:
    shown = run("classify", "--help").stdout
    panels = re.findall(r"^([A-Z][A-Za-z ]+):$", shown, flags=re.M)
    assert panels[-5:] == ["Options", "Reading FILE", "Deciding", "Running", "Rare"]
    assert shown.index("--max-residue") < shown.index("Rare:") < shown.index("--bom")


def test_help_takes_the_option_that_click_adds_by_itself_whatever_its_name(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = ["_click_default_help", "-h", "--help"]
    bare = click.Option(named, is_flag=True, is_eager=True, expose_value=False, help="Show this.")

    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            click.echo(context.get_help())
            context.exit()

    bare.callback = show
    monkeypatch.setattr(typer.core.TyperCommand, "get_help_option", lambda *_: bare)
    assert "--help" in run("classify", "--help").stdout.partition("Running:")[2]
