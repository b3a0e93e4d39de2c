"""The command line as such: version, help, examples."""

import re
import shlex
from pathlib import Path

import click
import pytest

import triage
import triage.cli
from tests.triage.cli.program import Run, commands, program
from tests.triage.conftest import SAMPLE
from triage.cli.printed import TEXTS
from triage.settings import Reading, Setup, Treatment, settings_of

_GROUP, _CONTEXT = program()
COMMANDS = sorted(_GROUP.list_commands(_CONTEXT))
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
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.parametrize("of", ["", "queue", "pack"])
def test_help_tells_each_command_in_a_line(of: str, run: Run) -> None:
    assert "..." not in run(*of.split(), "--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize(("option", "code"), [(["--help"], 0), (["-h"], 0), ([], 2)])
def test_help_lists_the_commands(option: list[str], code: int, run: Run) -> None:
    done = run(*option)
    shown = done.stdout + done.stderr
    assert (done.returncode, shown.startswith("Usage: triage ")) == (code, True)
    assert all(f"\n  {command} " in shown for command in COMMANDS)


@pytest.mark.parametrize("command", sorted({*COMMANDS, *EVERY}))
def test_the_help_of_each_command_has_an_example(command: str, run: Run) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0
    assert re.search(rf"Examples?:\s+triage\s+{command}\b", done.stdout)


@pytest.mark.parametrize("name", EVERY)
def test_each_option_has_help_and_is_one_where_an_example_names_it(name: str) -> None:
    group, context = program()
    for example in re.findall(r"  triage (.+)", EVERY[name].epilog or ""):
        words = shlex.split(re.split(r" [<>] ", example)[0])
        command: click.Command = group
        while isinstance(command, click.Group):
            _, found, words = command.resolve_command(context, words)
            assert found
            command = found
        command.make_context(name, words, context, resilient_parsing=True)
    options = (one for one in EVERY[name].params if one.param_type_name == "option")
    assert all(getattr(one, "help", None) for one in options)


def test_each_text_belongs_to_a_command() -> None:
    for path, told in TEXTS["commands"].items():
        known = (
            {one.name.strip("_") for one in EVERY[path].params if one.name} if path in EVERY else {}
        )
        assert {*told.get("options", {})} <= {*known}, path
    code = "".join(path.read_text("utf-8") for path in Path(triage.cli.__path__[0]).glob("*.py"))
    assert {*re.findall(r'\btext\("([a-z ]+)"', code)} <= {*TEXTS["said"]}
    unsaid = [name for name in TEXTS["said"] if f'"{name}"' not in code]
    assert unsaid == [f"queue next {advice}" for advice in ("better", "worse", "chance")]


def test_every_setting_is_an_option_or_of_a_plan_alone() -> None:
    settings = [one for of in (Reading, Setup, Treatment) for one in settings_of(of).values()]
    options = {option.opts[0][2:] for one in EVERY.values() for option in one.params}
    assert {one.key for one in settings if one.on_command_line} <= options
