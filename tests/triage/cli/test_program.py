"""The program among others: what it loads, terminals, pipes that close, full disks, signals."""

import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import typer.core

import triage
from tests.cases import cases_beside
from tests.data.files import csv_of
from tests.processes import done_by, printed_by
from tests.triage.cli.program import Run

CASES = cases_beside(__file__, "streams.toml")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=about, marks=[pytest.mark.slow] * case.get("is_slow", False))
        for about, case in CASES["shell"].items()
    ],
)
def test_it_is_one_program_among_others(case: dict[str, Any], shell: Run) -> None:
    csv_of("Coucou Patrice", "J'arrive")
    done = shell(case["command"])
    assert (done.returncode, done.stderr) == (case.get("code", 0), case.get("error", ""))
    assert re.fullmatch(case["out"], done.stdout, re.DOTALL)


def test_no_traceback_shows_what_variables_hold() -> None:
    program = (
        "import sys, triage.cli.main\n"
        "@triage.cli.main.app.command()\n"
        "def fail() -> None:\n"
        "    message = 'coucou Zoé'\n"
        "    raise RuntimeError('a bug')\n"
        "sys.argv = ['triage', 'fail']\n"
        "triage.cli.main.main()\n"
    )
    done = done_by(sys.executable, "-c", program)
    assert done.returncode == 1
    assert "RuntimeError: a bug" in done.stderr
    assert "Zoé" not in done.stderr


def test_an_argument_that_is_no_text_is_explained(run: Run) -> None:
    done = run("explain", os.fsdecode(b"caf\xe9"), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"action": ' in done.stdout


@pytest.mark.parametrize(("sent", "code", "said"), CASES["ended"])
def test_an_interruption_leaves_nothing(sent: str, code: int, said: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "triage", "classify", "-", "-o", "out.csv"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    # More than a pipe holds, so that it is being read.
    process.stdin.write(b"id,text\n" + b"1,Coucou\n" * 20_000)
    process.stdin.flush()
    process.send_signal(signal.Signals[sent])
    _, error = process.communicate(timeout=20)
    assert (process.returncode, error.decode()) == (code, said)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_while_the_program_is_loaded_is_one_line() -> None:
    program = (
        "import sys, triage.cli\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "triage.cli.run()"
    )
    done = done_by(sys.executable, "-c", program)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "triage: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code", "said"), CASES["closed"])
def test_a_closed_stream_is_one_clear_line_or_silence(
    command: str, code: int, said: str, shell: Run
) -> None:
    csv_of("Coucou")
    done = shell(f"triage {command}")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == (f"triage: {said}\n" if said else "")
    # Nothing that is printed goes into a file.
    written = [path.read_text().count("\n") for path in Path().glob("sms.triage.csv")]
    assert written == [2] * ("classify sms.csv" in command and "-o" not in command)


def test_a_program_gets_each_answer_before_it_says_more() -> None:
    command = [sys.executable, "-m", "triage", "classify", "--json-lines", "-"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, bufsize=1, **pipes) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        actions = []
        for text in ("Coucou Patrice", "j'arrive", "Salut Nathalie"):
            process.stdin.write(json.dumps({"text": text}) + "\n")
            actions.append(json.loads(process.stdout.readline())["action"])
        process.stdin.close()
        assert process.stderr.read() == "3 messages decided, 0 lines rejected\n"
        assert process.stdout.read() == ""
    assert actions == ["TA", "NTA", "TA"]
    assert process.returncode == 0


def on_terminal(shell: Run, command: str) -> str:
    """Run a command whose standard error is a terminal, and return what that shows."""
    ours, theirs = pty.openpty()
    shell(f"{command} 2>/proc/{os.getpid()}/fd/{theirs}")
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    return shown


@pytest.mark.parametrize(("setting", "is_coloured"), [("", True), ("NO_COLOR=1 ", False)])
def test_a_terminal_has_colours_if_wanted(setting: str, is_coloured: bool, shell: Run) -> None:
    shown = on_terminal(shell, f"{setting}triage classify absent.csv")
    assert ("\x1b[31m" in shown) is is_coloured
    assert shown.count("\n") == 1
    assert "triage:" in shown


@pytest.mark.parametrize(("command", "label"), CASES["progress"])
def test_a_terminal_shows_progress(command: str, label: str, shell: Run, tmp_path: Path) -> None:
    rows = [f"{text},{label}\n" for text, label in [("Coucou Zoé", "TA"), ("ok", "NTA")] * 25]
    (tmp_path / "sms.csv").write_text("text,label\n" + "".join(rows))
    shown = on_terminal(shell, f"triage {command}")
    assert label in shown
    assert "triage:" not in shown


def test_a_command_leaves_no_core_file(run: Run) -> None:
    run("--version")
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0


def test_help_has_rare_options_last(run: Run) -> None:
    shown = run("classify", "--help").stdout
    panels = re.findall(r"^([A-Z][A-Za-z ]+):$", shown, flags=re.M)
    assert panels[-5:] == ["Options", "Reading FILE", "Deciding", "Running", "Rare"]
    assert shown.index("--max-residue") < shown.index("Rare:") < shown.index("--bom")


def test_help_takes_the_option_that_click_adds(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    named = ["_click_default_help", "-h", "--help"]
    bare = click.Option(named, is_flag=True, is_eager=True, expose_value=False, help="Show this.")

    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            click.echo(context.get_help())
            context.exit()

    bare.callback = show
    monkeypatch.setattr(typer.core.TyperCommand, "get_help_option", lambda *_: bare)
    assert "--help" in run("classify", "--help").stdout.partition("Running:")[2]


HEAVY = ["numpy", "pandas", "scipy", "sklearn", "imblearn", "joblib", "matplotlib", "pyarrow"]


def loaded_by(program: str) -> set[str]:
    """Return which of the heavy libraries a program has loaded when it ends."""
    end = f"\nprint('loaded', *sorted({set(HEAVY)} & set(sys.modules)))"
    printed = printed_by(sys.executable, "-c", f"import sys\n{program}{end}")
    return {*printed.splitlines()[-1].split()[1:]}


def running(*arguments: str | Path) -> str:
    """Return a program that runs a command in its own process."""
    return (
        "from triage.cli.main import main\n"
        f"sys.argv = ['triage', *{list(map(str, arguments))}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end"
    )


@pytest.mark.parametrize(
    ("program", "loaded"),
    [
        *(("import triage", set()), ("import triage\ntriage.Triage", {"numpy"})),
        *((running(*said), set()) for said in (["--help"], ["--version"], ["queue", "--help"])),
    ],
)
def test_the_library_and_help_load_nothing_heavy(program: str, loaded: set[str]) -> None:
    assert loaded_by(program) == loaded


def test_a_name_that_the_library_has_not_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Absent'"):
        triage.Absent  # noqa: B018


@pytest.mark.slow
@pytest.mark.usefixtures("shipped", "own_folder")
@pytest.mark.parametrize("command", ["classify", "explain"])
def test_deciding_does_not_wait_for_what_learns(command: str) -> None:
    argument = csv_of("Coucou Patrice") if command == "classify" else "Coucou Patrice"
    assert loaded_by(running(command, argument)) <= {"numpy"}
