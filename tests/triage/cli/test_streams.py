"""``triage`` among other programs: pipes that close, disks that are full, exit codes."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run, Write

CASES = cases_beside(__file__)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=about, marks=[pytest.mark.slow] * case.get("is_slow", False))
        for about, case in CASES["shell"].items()
    ],
)
def test_in_a_shell_it_is_one_program_among_others(
    case: dict[str, Any], shell: Run, csv_of: Write
) -> None:
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
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "RuntimeError: a bug" in done.stderr
    assert "Zoé" not in done.stderr


def test_an_argument_that_is_no_text_is_explained(run: Run) -> None:
    done = run("explain", os.fsdecode(b"caf\xe9"), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"action": ' in done.stdout


@pytest.mark.parametrize(("sent", "code", "said"), CASES["ended"])
def test_an_interruption_leaves_nothing(sent: str, code: int, said: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "triage", "classify", "-", "-o", "out.csv"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    # More than a pipe holds, so that it is being read.
    process.stdin.write(b"id,text\n" + b"1,Coucou\n" * 20_000)
    process.stdin.flush()
    process.send_signal(signal.Signals[sent])
    _, error = process.communicate(timeout=20)
    assert (process.returncode, error.decode()) == (code, said)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_while_the_program_is_loaded_is_one_line(tmp_path: Path) -> None:
    code = (
        "import sys, triage.cli\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "triage.cli.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"triage: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code", "said"), CASES["closed"])
def test_a_closed_stream_is_one_clear_line_or_silence(
    command: str, code: int, said: str, shell: Run, csv_of: Write
) -> None:
    csv_of("Coucou")
    done = shell(f"triage {command}")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == (f"triage: {said}\n" if said else "")
    # Nothing that is printed goes into a file.
    written = [path.read_text().count("\n") for path in Path().glob("sms.triage.csv")]
    assert written == [2] * ("classify sms.csv" in command and "-o" not in command)


def test_a_program_gets_each_answer_before_it_says_more() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "triage", "classify", "--json-lines", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    with process:
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
