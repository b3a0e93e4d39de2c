"""Commands at the terminal: their output, and the sources of their settings."""

import json
import os
import pty
import re
import resource
from pathlib import Path

import click
import pytest
import typer.core

from tests.triage.cli.program import Refused, Run, Write


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


def test_what_a_terminal_would_obey_in_the_name_of_a_file_is_escaped(
    run: Run, refused: Refused, csv_of: Write
) -> None:
    assert "un\\u001b[31m.csv" in refused("classify", Path("un\x1b[31m.csv"))
    done = run("classify", csv_of("ok"), "-o", Path("un\x1b[31m\n.csv"))
    assert "1 written to un\\u001b[31m" in done.stdout
    assert "\x1b" not in done.stdout


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


# Where settings come from.


def record(path: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["settings_from"]
    return found


def test_the_record_says_where_each_setting_came_from(
    run: Run, csv_of: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, plan = csv_of("Coucou Patrice"), Path("plan.toml")
    plan.write_text('[options]\nmax-residue = 0.01\nlanguage = "en"\n', encoding="utf-8")
    monkeypatch.setenv("TRIAGE_TEXT_COLUMN", "text")
    monkeypatch.setenv("TRIAGE_LANGUAGE", "none")
    done = run("classify", source, "--plan", plan, "--min-precision", "90%", "--json")
    assert json.loads(done.stdout)["language"] == "en"
    assert record(Path("sms.triage.run.json")) == {
        "language": "plan",
        "max-residue": "plan",
        "min-precision": "command line",
        "text-column": "environment",
    }
    run("anonymise", Path("sms.triage.csv"), "-o", Path("anon.csv"), "--hold", "none")
    options = json.loads(Path("anon.record.json").read_text(encoding="utf-8"))["options"]
    assert options["said by the command line"] == "hold"
    assert options["said by the environment"] == "language, text-column"


def test_an_error_names_the_variable_of_the_environment_that_is_wrong(
    run: Run, csv_of: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_JOBS", "abc")
    assert "TRIAGE_JOBS: invalid value" in run("classify", csv_of("ok")).stderr
    typed = run("classify", csv_of("ok"), "--jobs", "abc").stderr
    assert "invalid value" in typed
    assert "TRIAGE_JOBS" not in typed
    monkeypatch.setenv("TRIAGE_JOBS", "0")
    assert "TRIAGE_JOBS: invalid value" in run("explain", "ok").stderr


@pytest.mark.parametrize("name", ["MAX_RESIDUE", "POLICY", "MODEL", "KEY", "HOLD", "NAMES"])
def test_nothing_by_which_more_stays_is_read_from_the_environment(
    name: str, run: Run, csv_of: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"TRIAGE_{name}", "absent")
    assert run("classify", csv_of("ok")).returncode == 0
    assert run("publish", Path("sms.triage.csv"), "-o", Path("out")).returncode == 0
