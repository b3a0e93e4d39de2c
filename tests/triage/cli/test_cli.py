"""The command line as such: version, help, examples."""

import re
import shlex
from pathlib import Path

import click
import pytest
import typer

import triage
from tests.triage.cli.program import Refused, Run, commands, program
from tests.triage.conftest import SAMPLE
from triage.cli.main import app

COMMANDS = sorted(typer.main.get_group(app).commands)
# Those of groups, too.
EVERY = dict(commands())


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(option: str, run: Run) -> None:
    done = run(option)
    assert (done.returncode, done.stdout) == (0, f"sms-triage {triage.__version__}\n")


def commands_in(printed: str) -> list[list[str]]:
    """Return the commands that a printed text tells to run next, with their arguments."""
    found = re.findall(r"\btriage((?: [^\s,:;()]+)+)", printed)
    return [shlex.split(one) for one in found if shlex.split(one)[0] in EVERY]


@pytest.mark.slow
def test_each_next_command_that_is_printed_runs_as_it_is_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("triage.web.server.serve", lambda *_, **__: None)
    name = "my sms.csv"
    Path(name).write_bytes(SAMPLE.read_bytes())
    printed = [
        run(*one)
        for one in (
            ("classify", name),
            ("publish", "my sms.triage.csv", "-o", "corpus"),
            ("publish", "my sms.triage.csv", "-o", "my corpus", "--hold-undecided", "--to", "tei"),
            ("anonymise", "my sms.triage.csv", "-o", "anon.csv"),
            ("check", "anon.csv", "--against", name),
        )
    ]
    told = [one for done in printed for one in commands_in(done.stdout + done.stderr)]
    assert {one[0] for one in told} == {"review", "publish", "mine"}
    for command in told:
        done = run(*command)
        refused = "publish" in command and "--hold-undecided" not in command
        assert done.returncode == int(refused), (command, done.stderr)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("publish x -o y --dates month", "add --plan dates=…"),
        (
            "evaluate x --recognisers y",
            "add --plan recognisers=…, or say recognisers = … in the table [files]",
        ),
        (
            "explain x -q",
            "from a plan alone: add --plan quiet=true, or say quiet = true",
        ),
        ("classify x --no-corpus-evidence", "add --plan corpus-evidence=false"),
        ("queue create x -o y --overwrite", "there is no option --overwrite"),
        ("check x --dates month", "there is no option --dates"),
    ],
)
def test_an_option_of_the_plan_alone_says_so(command: str, said: str, refused: Refused) -> None:
    assert said in refused(*command.split())


@pytest.mark.parametrize("of", ["", "queue", "pack"])
def test_help_tells_each_command_in_a_line(of: str, run: Run) -> None:
    assert "..." not in run(*of.split(), "--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_the_commands(option: str, run: Run) -> None:
    done = run(option)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: triage ")
    assert all(f"\n  {command} " in done.stdout for command in COMMANDS)


def test_without_a_command_help_is_shown(run: Run) -> None:
    done = run()
    assert done.returncode == 2
    assert "Usage: triage " in done.stdout + done.stderr


@pytest.mark.parametrize("command", sorted({*COMMANDS, *EVERY}))
def test_the_help_of_each_command_has_an_example(command: str, run: Run) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0
    assert re.search(rf"Examples?:\s+triage\s+{command}\b", done.stdout)


@pytest.mark.parametrize("name", EVERY)
def test_the_examples_of_the_help_have_options_that_there_are(name: str) -> None:
    group, context = program()
    for example in re.findall(r"  triage (.+)", EVERY[name].epilog or ""):
        words = shlex.split(re.split(r" [<>] ", example)[0])
        command: click.Command = group
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        command.make_context(name, words, context, resilient_parsing=True)


@pytest.mark.parametrize("command", EVERY)
def test_the_help_of_each_option_says_something(command: str) -> None:
    for parameter in EVERY[command].params:
        if parameter.param_type_name == "option":
            assert getattr(parameter, "help", None), parameter.name
